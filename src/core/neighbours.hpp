// Many questions at once: the neighbours of each, found by several threads, and the class that they vote for.
#pragma once

#include <cstdint>
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
  Rows<std::uint32_t> sum_order, scopes;  // a scope: begin, end, first feature, row to leave out
  bool missing_agrees;
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

namespace detail {

// With `exact_first` rows identical to the question are its first group alone, and at k = 1 the only one.
inline void find_neighbours(const Memory& memory, const Questions& asked, std::size_t begin, std::size_t end,
                            std::size_t k, bool exact_first, Neighbours& found) {
  NearestSearch search(memory);
  std::vector<Row> identical;
  for (std::size_t q = begin; q < end; ++q) {
    const Metric metric{asked.weights[q], asked.ranges[q], asked.sum_order[q], asked.missing_agrees};
    const auto* s = asked.scopes[q];
    const Scope scope{s[0], s[1], s[2], s[3]};
    identical.clear();
    if (exact_first) search.identical_rows(metric, asked.columns, q, scope, identical);
    found.is_exact.push_back(!identical.empty());
    if (k == 1 && !identical.empty()) {
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

inline Neighbours find_neighbours(const Memory& memory, const Questions& asked, std::size_t k, bool exact_first,
                                  unsigned n_threads) {
  constexpr std::size_t kBlockOfQuestions = 16;  // small, so that no thread waits long for the last block
  std::vector<Neighbours> parts((asked.size + kBlockOfQuestions - 1) / kBlockOfQuestions);
  for_blocks(asked.size, kBlockOfQuestions, n_threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
    detail::find_neighbours(memory, asked, begin, end, k, exact_first, parts[block]);
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
  Teller(const Label* labels, const double* case_counts, std::size_t n_classes, const Preference& prefer)
      : labels_(labels), case_counts_(case_counts), prefer_(prefer), ballot_(n_classes), in_group_(n_classes, 0.0) {}

  void add_group(const Row* rows, std::size_t n_rows, double factor) {
    touched_.clear();
    for (std::size_t i = 0; i < n_rows; ++i) {
      const Label label = labels_[rows[i]];
      if (in_group_[label] == 0.0) touched_.push_back(label);
      in_group_[label] += case_counts_ ? case_counts_[rows[i]] : 1.0;
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
  const Label* labels_;
  const double* case_counts_;
  Preference prefer_;
  Ballot ballot_;
  std::vector<double> in_group_;
  std::vector<Label> touched_;
};

}  // namespace casebase
