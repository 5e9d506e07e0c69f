// Batches of questions: the neighbours of each, found by several threads, and the class that they vote for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/neighbours/nearest.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

namespace casebase {

// A matrix with one row for all questions, or one row each.
template <class T>
struct Rows {
  const T* data;
  std::size_t n_rows, n_columns;

  const T* operator[](std::size_t i) const { return data + (n_rows == 1 ? 0 : i) * n_columns; }
};

inline constexpr std::size_t kInScope = 4;  // numbers before the bits of classes

struct Questions {
  std::vector<Column> columns;
  std::size_t size;
  Rows<double> weights, ranges;
  Rows<std::uint32_t> sum_order, scopes;  // a scope: the first four numbers of Scope, and the bits of classes, if any
  const Label* own_labels;                // of the held-out row, or nullptr: value differences include it
  const double* own_counts;
  const double* within;  // the largest distance of interest, or nullptr

  Metric metric(std::size_t q) const { return {weights[q], ranges[q], sum_order[q]}; }
  Scope scope(std::size_t q) const {
    const std::uint32_t* scope = scopes[q];
    return {scope[0],
            scope[1],
            scope[2],
            scope[3],
            own_labels ? own_labels[q] : 0,
            own_labels ? own_counts[q] : 0.0,
            scopes.n_columns > kInScope ? scope + kInScope : nullptr,
            scopes.n_columns - kInScope,
            within ? within[q] : std::numeric_limits<double>::infinity()};
  }
};

// Groups of rows at equal distance; the groups of all questions in one flat vector.
struct Neighbours {
  std::vector<double> distance;         // per group
  std::vector<std::uint32_t> n_rows;    // per group
  std::vector<std::uint32_t> n_groups;  // per question
  std::vector<Row> rows;
  std::vector<std::uint8_t> is_exact;  // per question: whether identical rows are the first group

  void add_group(double d, const std::vector<Row>& members) {
    distance.push_back(d);
    n_rows.push_back(static_cast<std::uint32_t>(members.size()));
    rows.insert(rows.end(), members.begin(), members.end());
  }
};

// How rows identical to the question are treated: like others, as its first group, or as its only group.
enum class ExactMatch { never, first, alone };

// Sorts the questions so that those with the same values of the heaviest features follow each other: their paths have
// the same first ranges, and the rows of costs and the cases that one of them reads are still in the cache for the
// next.
inline std::vector<std::uint32_t> order_to_ask(const Questions& asked) {
  std::vector<std::uint32_t> order(asked.size);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t q, std::uint32_t r) {
    for (const Column& column : asked.columns) {
      if (column.is_numeric()) break;
      const std::uint32_t code = column.code(q), other = column.code(r);
      if (code != other) return code < other;
    }
    return q < r;
  });
  return order;
}

namespace detail {

// Unless `exact` is never, rows identical to the question form its first group, and at k = 1 or with `alone` its only
// group. Groups that are not joined have one distance each; at least those that belong to the k joined ones are there.
inline void find_neighbours(NearestSearch& search, const Questions& asked, const std::uint32_t* questions,
                            std::size_t n_questions, std::size_t k, ExactMatch exact, Neighbours& found,
                            std::size_t enough = kNoLimit, bool are_joined = true) {
  std::vector<Row> identical;
  for (std::size_t i = 0; i < n_questions; ++i) {
    const std::uint32_t q = questions[i];
    search.ask(asked.metric(q), asked.columns, q, asked.scope(q));
    identical.clear();
    if (exact != ExactMatch::never) search.identical_rows(identical);
    found.is_exact.push_back(!identical.empty());
    if ((k == 1 || exact == ExactMatch::alone) && !identical.empty()) {
      found.add_group(0.0, identical);
      found.n_groups.push_back(1);
      continue;
    }
    const auto& groups = search.run(k, enough, are_joined);
    for (std::size_t g = 0; g < groups.size(); ++g)
      found.add_group(groups[g].distance, g == 0 && !identical.empty() ? identical : groups[g].rows);
    found.n_groups.push_back(static_cast<std::uint32_t>(groups.size()));
  }
}

// The neighbours found for blocks of sorted questions, put back into the order in which the questions were given.
inline Neighbours in_given_order(const std::vector<Neighbours>& blocks, const std::vector<std::uint32_t>& order,
                                 std::size_t block_size) {
  struct Place {
    std::size_t group, row;  // the first ones, in their block
  };
  std::vector<Place> places;
  std::vector<std::uint32_t> asked_at(order.size());
  Neighbours all;
  std::size_t n_groups = 0, n_rows = 0;
  for (const Neighbours& block : blocks) {
    Place place{0, 0};
    for (const std::uint32_t n : block.n_groups) {
      asked_at[order[places.size()]] = static_cast<std::uint32_t>(places.size());
      places.push_back(place);
      for (const std::size_t end = place.group + n; place.group < end; ++place.group)
        place.row += block.n_rows[place.group];
    }
    n_groups += place.group;
    n_rows += place.row;
  }
  all.distance.reserve(n_groups);
  all.n_rows.reserve(n_groups);
  all.n_groups.reserve(order.size());
  all.rows.reserve(n_rows);
  all.is_exact.reserve(order.size());
  for (const std::uint32_t at : asked_at) {
    const Neighbours& block = blocks[at / block_size];
    const auto n = block.n_groups[at % block_size];
    const auto first = static_cast<std::ptrdiff_t>(places[at].group);
    const auto last = first + static_cast<std::ptrdiff_t>(n);
    const auto row = block.rows.begin() + static_cast<std::ptrdiff_t>(places[at].row);
    all.n_groups.push_back(n);
    all.is_exact.push_back(block.is_exact[at % block_size]);
    all.distance.insert(all.distance.end(), block.distance.begin() + first, block.distance.begin() + last);
    all.n_rows.insert(all.n_rows.end(), block.n_rows.begin() + first, block.n_rows.begin() + last);
    all.rows.insert(
        all.rows.end(), row,
        row + std::accumulate(block.n_rows.begin() + first, block.n_rows.begin() + last, std::ptrdiff_t{0}));
  }
  return all;
}

}  // namespace detail

// A pool of searches of one memory. Threads borrow them, and they keep their cached costs for the next batch.
class Searches {
 public:
  Searches(const Memory& memory, const Comparisons& comparisons) : memory_(memory), comparisons_(comparisons) {}

  class Lent {
   public:
    Lent(Searches& owner, std::unique_ptr<NearestSearch> search) : owner_(owner), search_(std::move(search)) {}
    Lent(Lent&&) = default;
    ~Lent() {
      if (!search_) return;  // it was moved from
      const std::lock_guard<std::mutex> guard(owner_.lock_);
      owner_.idle_.push_back(std::move(search_));
    }
    NearestSearch& operator*() { return *search_; }

   private:
    Searches& owner_;
    std::unique_ptr<NearestSearch> search_;
  };

  Lent lend(const Comparisons& comparisons, const Questions& asked) {
    std::unique_ptr<NearestSearch> search;
    {
      const std::lock_guard<std::mutex> guard(lock_);
      if (!idle_.empty()) {
        search = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!search) search = std::make_unique<NearestSearch>(memory_, comparisons_);
    search->begin(comparisons, asked.weights[0]);
    return {*this, std::move(search)};
  }

 private:
  const Memory& memory_;
  const Comparisons& comparisons_;
  std::mutex lock_;
  std::vector<std::unique_ptr<NearestSearch>> idle_;
};

inline Neighbours find_neighbours(Searches& searches, const Comparisons& comparisons, const Questions& asked,
                                  std::size_t k, ExactMatch exact, unsigned n_threads, std::size_t enough = kNoLimit,
                                  bool are_joined = true) {
  constexpr std::size_t kBlockOfQuestions = 16;  // small, so that no thread waits long for the last block
  const std::vector<std::uint32_t> order = order_to_ask(asked);
  std::vector<Neighbours> parts((asked.size + kBlockOfQuestions - 1) / kBlockOfQuestions);
  for_blocks(
      asked.size, kBlockOfQuestions, n_threads, [&] { return searches.lend(comparisons, asked); },
      [&](Searches::Lent& search, std::size_t block, std::size_t begin, std::size_t end) {
        detail::find_neighbours(*search, asked, order.data() + begin, end - begin, k, exact, parts[block], enough,
                                are_joined);
      });
  return detail::in_given_order(parts, order, kBlockOfQuestions);
}

// The votes of each question's neighbours: the class chosen, and the votes from entry first_vote[q] on.
struct Tally {
  std::vector<Label> label;
  std::vector<std::uint8_t> is_tied;
  std::vector<std::uint64_t> first_vote{0};
  std::vector<Label> vote_label;
  std::vector<double> votes;
};

// Counts the votes per question. Counts are summed within a group first, and then multiplied by its factor.
class Teller {
 public:
  Teller(const Labelled& cases, std::size_t n_classes, const Preference& prefer)
      : cases_(cases), prefer_(prefer), ballot_(n_classes), in_group_(n_classes, 0.0) {}

  void add_group(const Row* rows, std::size_t n_rows, double factor) {
    touched_.clear();
    for (std::size_t i = 0; i < n_rows; ++i) {
      const LabelledSegment& segment = cases_.of(rows[i]);
      const Row row = rows[i] - segment.first_row;
      const Label label = segment.labels[row];
      if (label >= in_group_.size()) throw std::invalid_argument("a label is out of range");
      if (in_group_[label] == 0.0) touched_.push_back(label);
      in_group_[label] += segment.counts ? segment.counts[row] : 1.0;
    }
    for (const Label label : touched_) {
      ballot_.add(label, factor * in_group_[label]);
      in_group_[label] = 0.0;
    }
  }

  bool has_votes() const { return !ballot_.labels().empty(); }

  // Ends the vote on one question.
  void decide(Tally& tally) {
    const Choice choice = ballot_.choose(prefer_);
    tally.label.push_back(choice.label);
    tally.is_tied.push_back(choice.is_tied);
    for (const Label label : ballot_.labels()) {
      tally.vote_label.push_back(label);
      tally.votes.push_back(ballot_.votes(label));
    }
    tally.first_vote.push_back(tally.votes.size());
    ballot_.clear();
  }

 private:
  const Labelled& cases_;
  Preference prefer_;
  Ballot ballot_;
  std::vector<double> in_group_;
  std::vector<Label> touched_;
};

}  // namespace casebase
