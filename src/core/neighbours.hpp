// Many questions at once: the neighbours of each, found by several threads, and the class that they vote for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/nearest.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

namespace casebase {

// One row for all questions, or one row each.
template <class T>
struct Rows {
  const T* data;
  std::size_t n_rows, n_columns;

  const T* operator[](std::size_t i) const { return data + (n_rows == 1 ? 0 : i) * n_columns; }
};

struct Questions {
  std::vector<Column> columns;
  std::size_t size;
  Rows<double> weights, ranges;
  Rows<std::uint32_t> sum_order, scopes;  // a scope: first feature, row to leave out, how many numbers must agree
  const Label* own_labels;                // of the row left out, or nullptr: value differences keep it
  const double* own_counts;

  Metric metric(std::size_t q) const { return {weights[q], ranges[q], sum_order[q]}; }
  Scope scope(std::size_t q) const {
    return {scopes[q][0], scopes[q][1], scopes[q][2], own_labels ? own_labels[q] : 0, own_labels ? own_counts[q] : 0.0};
  }
};

// Groups of rows at equal distance, all questions in a row.
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

// What becomes of rows that are identical to the question: they are like others, its first group, or its only one.
enum class ExactMatch { never, first, alone };

namespace detail {

// Rows identical to the question are its first group alone, and at k = 1, or if so asked, the only one.
inline void find_neighbours(NearestSearch& search, const Questions& asked, std::size_t begin, std::size_t end,
                            std::size_t k, ExactMatch exact, Neighbours& found) {
  std::vector<Row> identical;
  for (std::size_t q = begin; q < end; ++q) {
    const Metric metric = asked.metric(q);
    const Scope scope = asked.scope(q);
    identical.clear();
    if (exact != ExactMatch::never) search.identical_rows(metric, asked.columns, q, scope, identical);
    found.is_exact.push_back(!identical.empty());
    if ((k == 1 || exact == ExactMatch::alone) && !identical.empty()) {
      found.add_group(0.0, identical);
      found.n_groups.push_back(1);
      continue;
    }
    const auto& groups = search.run(metric, asked.columns, q, scope, k);
    for (std::size_t g = 0; g < groups.size(); ++g)
      found.add_group(groups[g].distance, g == 0 && !identical.empty() ? identical : groups[g].rows);
    found.n_groups.push_back(static_cast<std::uint32_t>(groups.size()));
  }
}

template <class T>
std::vector<T> joined(std::vector<Neighbours>& parts, std::vector<T> Neighbours::* member) {
  if (parts.size() == 1) return std::move(parts[0].*member);
  std::vector<T> all;
  for (auto& part : parts) all.insert(all.end(), (part.*member).begin(), (part.*member).end());
  return all;
}

}  // namespace detail

// Searches of one memory, lent to threads and kept for the next batch of questions with what they have found out.
class Searches {
 public:
  Searches(const Memory& memory, const Comparisons& comparisons) : memory_(memory), comparisons_(comparisons) {}

  class Lent {
   public:
    Lent(Searches& owner, std::unique_ptr<NearestSearch> search) : owner_(owner), search_(std::move(search)) {}
    Lent(const Lent&) = delete;
    ~Lent() {
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
                                  std::size_t k, ExactMatch exact, unsigned n_threads) {
  constexpr std::size_t kBlockOfQuestions = 16;  // small, so that no thread waits long for the last block
  std::vector<Neighbours> parts((asked.size + kBlockOfQuestions - 1) / kBlockOfQuestions);
  for_blocks(
      asked.size, kBlockOfQuestions, n_threads, [&] { return searches.lend(comparisons, asked); },
      [&](Searches::Lent& search, std::size_t block, std::size_t begin, std::size_t end) {
        detail::find_neighbours(*search, asked, begin, end, k, exact, parts[block]);
      });
  return {detail::joined(parts, &Neighbours::distance), detail::joined(parts, &Neighbours::n_rows),
          detail::joined(parts, &Neighbours::n_groups), detail::joined(parts, &Neighbours::rows),
          detail::joined(parts, &Neighbours::is_exact)};
}

// What each question's neighbours voted: the class chosen, and the votes, entries first_vote[q] … of question q.
struct Tally {
  std::vector<Label> label;
  std::vector<std::uint8_t> is_tied;
  std::vector<std::uint64_t> first_vote{0};
  std::vector<Label> vote_label;
  std::vector<double> votes;
};

// Votes are counted per question; within a group first, so that its factor applies to a sum of counts.
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
      if (in_group_[label] == 0.0) touched_.push_back(label);
      in_group_[label] += segment.counts ? segment.counts[row] : 1.0;
    }
    for (const Label label : touched_) {
      ballot_.add(label, factor * in_group_[label]);
      in_group_[label] = 0.0;
    }
  }

  bool has_votes() const { return !ballot_.labels().empty(); }

  // Closes the vote on one question.
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
