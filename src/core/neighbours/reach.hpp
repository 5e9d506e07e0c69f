// The reach of a search: the nearest rows found so far, and the bound that follows from them.
#pragma once

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/groups.hpp"
#include "core/neighbours/question.hpp"
#include "core/types.hpp"

namespace casebase {

class Reach {
 public:
  explicit Reach(Question& question) : question_(question) {}

  // Must be called before another question; rows farther than `within` are not looked for.
  void begin(std::size_t k, std::size_t enough, double within) {
    near_.clear(k, enough);
    k_ = enough == kNoLimit ? k : kNoLimit;
    bound_ = limit_ = std::numeric_limits<double>::infinity();
    step_bound_ = 0xFFFF;
    if (!std::isinf(within)) tighten(within);
  }

  // Sets the segment to which the row numbers below refer.
  void look_in(const Segment& segment) { segment_ = &segment; }

  // How many distances are asked for; kNoLimit if the number of rows decides.
  std::size_t n_distances() const { return k_; }

  bool is_open() const { return std::isinf(bound_); }  // whether too few distances are known for a bound
  double bound() const { return bound_; }              // distances up to this one are of interest,
  double limit() const { return limit_; }              // sums of costs up to this one,
  Step steps() const { return step_bound_; }           // and as many steps

  // Computes the exact distance of a row, unless the row is excluded.
  void consider(Row row) {
    if (question_.is_candidate(row)) measure(row);
  }

  // The same for a row that is known to be a candidate.
  void measure(Row row) {
    const double d = question_.distance(row);
    if (d <= bound_) note(row, d);
  }

  // The same for several such rows.
  void measure(const Row* rows, std::size_t n) {
    distances_.resize(n);
    question_.distances(rows, n, distances_.data());
    for (std::size_t i = 0; i < n; ++i)
      if (distances_[i] <= bound_) note(rows[i], distances_[i]);
  }

  void note(Row row, double d) {
    const double kth = near_.note(segment_->first_row + row, d);
    if (kth >= 0.0) tighten(kth);
  }

  void sort_rows() { near_.sort_rows(); }

  // Groups by ascending distance, at most k. The reference is valid until the next question.
  const std::vector<Group>& found() { return near_.joined(); }
  // The distances before they are joined to groups: another part of the memory may have some between them.
  const std::vector<Group>& found_raw() { return near_.raw(); }

  // The k-th distance is at most this one. One extra step makes up for rounding.
  void tighten(double kth_distance) {
    if (kth_distance + kEpsilon >= bound_) return;
    constexpr double kMargin = 1.0 + 1e-12;
    bound_ = kth_distance + kEpsilon;
    limit_ = bound_ * question_.comparisons().largest_divisor;
    if (question_.comparisons().is_rooted) limit_ = limit_ * limit_ * kMargin;
    const double steps = limit_ * question_.scale() + 1.0;
    step_bound_ = steps < 65535.0 ? static_cast<Step>(steps) : Step{0xFFFF};
  }

 private:
  Question& question_;
  const Segment* segment_ = nullptr;
  std::size_t k_ = 1;
  double bound_ = 0.0, limit_ = 0.0;
  Step step_bound_ = 0;
  NearGroups near_;
  std::vector<double> distances_;  // of the rows measured together
};

// Positions that still have to be searched, at `base` steps from the query: they agree with each other on the features
// before f, and if marked so, they all disagree with the query at f.
struct Part {
  Row begin, end;
  std::uint32_t f;
  Step base;
  bool disagrees;
};

// The rows, or stems, that agree with the query on all features before one.
inline std::pair<Row, Row> that_agree(const Question& question, const std::vector<Column>& columns, std::size_t n,
                                      std::size_t end_feature) {
  Row begin = 0, end = static_cast<Row>(n);
  for (std::size_t f = 0; f < end_feature && begin < end; ++f)
    std::tie(begin, end) = rows_with(columns[f], question.code(f), begin, end);
  return {begin, end};
}

}  // namespace casebase
