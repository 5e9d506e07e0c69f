// Distinct rows with their class counts, and the class entropy of some rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/functions.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

inline constexpr double kSameCriterion = 1e-9;  // smaller gains count as 0

// Equal cases are one row; its class counts are entries first_count[row] to first_count[row + 1].
struct DistinctCases {
  std::vector<Column> columns;
  std::size_t n_rows;
  const std::uint64_t* first_count;
  const Label* count_label;
  const double* count;
  std::size_t n_classes;
};

inline double n_log_n(double n) { return n > 0.0 ? n * portable_log2(n) : 0.0; }

// Sums the class counts of some rows.
class ClassSum {
 public:
  explicit ClassSum(const DistinctCases& cases) : cases_(cases), ballot_(cases.n_classes) {}

  void clear() { ballot_.clear(); }
  void add(Row row) {
    for (auto e = cases_.first_count[row]; e < cases_.first_count[row + 1]; ++e)
      ballot_.add(cases_.count_label[e], cases_.count[e]);
  }
  double votes(Label label) const { return ballot_.votes(label); }
  Label label(const Preference& prefer) { return ballot_.choose(prefer).label; }

  std::vector<Label> labels() const {
    auto labels = ballot_.labels();
    std::sort(labels.begin(), labels.end());
    return labels;
  }

  double size() const {
    double n = 0.0;
    for (const Label label : ballot_.labels()) n += ballot_.votes(label);
    return n;
  }
  double largest() const {
    double n = 0.0;
    for (const Label label : ballot_.labels()) n = std::max(n, ballot_.votes(label));
    return n;
  }
  // The number of cases times the entropy of their classes, in bits.
  double disorder() const {
    double classes = 0.0;
    for (const Label label : ballot_.labels()) classes += n_log_n(ballot_.votes(label));
    return n_log_n(size()) - classes;
  }

 private:
  const DistinctCases& cases_;
  Ballot ballot_;
};

// The best prediction for each row: the most frequent class of its cases.
inline std::vector<Label> best_answers(const DistinctCases& cases, const Preference& prefer) {
  ClassSum classes(cases);
  std::vector<Label> best(cases.n_rows);
  for (std::size_t row = 0; row < cases.n_rows; ++row) {
    classes.clear();
    classes.add(static_cast<Row>(row));
    best[row] = classes.label(prefer);
  }
  return best;
}

// Whether the best predictions of rows `begin` to `end` differ.
inline bool is_open(const std::vector<Label>& best, const std::vector<Row>& rows, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + 1; i < end; ++i)
    if (best[rows[i]] != best[rows[begin]]) return true;
  return false;
}

}  // namespace casebase
