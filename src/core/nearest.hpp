// Exact nearest neighbours: all cases at the k smallest distinct distances.
//
// Rows are sorted by the symbolic features, heaviest first. A row that first disagrees with the query
// at the feature of rank j is at least that feature's weight away, so the search goes down the nested
// ranges that agree on 1, 2, 3 … features, and on the way back widens a level only while its weight is
// not above the k-th distance found so far. Nothing here is approximate: bounds discard, and every row
// that remains gets its distance in double precision, summed in the order `sum_order`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/runs.hpp"
#include "core/scan.hpp"
#include "core/types.hpp"

namespace casebase {

// Columns in order of search: the symbolic ones by which the rows are sorted, then the numeric ones.
struct Memory {
  std::vector<Column> columns;
  std::size_t n_symbolic = 0;
  std::size_t n_rows = 0;
};

// How features count. All arrays are in the order of the memory's columns.
struct Metric {
  const double* weights;
  const double* ranges;            // numeric features: largest minus smallest value
  const std::uint32_t* sum_order;  // ranks in the order in which their costs are added up
  bool missing_agrees;             // whether two missing numbers count as equal
};

// Which part of the memory to search: rows begin … end - 1, features first_feature …, and a row to leave out.
struct Scope {
  Row begin, end;
  std::uint32_t first_feature;
  Row left_out;
};

inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

struct Group {
  double distance;
  std::vector<Row> rows;
};

class NearestSearch {
 public:
  explicit NearestSearch(const Memory& memory)
      : memory_(memory),
        codes_(memory.columns.size()),
        numbers_(memory.columns.size()),
        steps_(memory.columns.size()) {}

  // Groups by ascending distance, at most k. The reference is good until the next call.
  const std::vector<Group>& run(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const Scope& scope, std::size_t k) {
    set_query(metric, queries, query, scope);
    k_ = k;
    near_.clear();
    groups_.clear();
    loosen_bound();
    search(scope.begin, scope.end, scope.first_feature);
    join_near();
    return groups_;
  }

  // Rows that agree with the query in every feature from scope.first_feature on.
  void identical_rows(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                      std::vector<Row>& rows) {
    set_query(metric, queries, query, scope);
    rows.clear();
    Row begin = scope.begin, end = scope.end;
    for (std::size_t f = scope.first_feature; f < memory_.n_symbolic && begin < end; ++f)
      std::tie(begin, end) = rows_with(memory_.columns[f], codes_[f], begin, end);
    for (Row row = begin; row < end; ++row)
      if (row != scope.left_out && numbers_agree(row)) rows.push_back(row);
  }

 private:
  static constexpr std::size_t kScanBelow = 2 * kBlock;

  void set_query(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope) {
    metric_ = metric;
    scope_ = scope;
    double total = 0.0;
    for (std::size_t f = 0; f < queries.size(); ++f) {
      if (queries[f].is_numeric()) {
        numbers_[f] = queries[f].number(query);
      } else {
        codes_[f] = queries[f].code(query);
        total += metric.weights[f];
      }
    }
    // Weights too small or too large for a scale give no bound: every row is then looked at exactly.
    scale_ = total > 1e-300 && std::isfinite(total) ? kStepsInAll / total : 0.0;
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f) steps_[f] = static_cast<Step>(metric.weights[f] * scale_);
  }

  void loosen_bound() {
    bound_ = std::numeric_limits<double>::infinity();
    step_bound_ = 0xFFFF;
  }

  // Distances up to bound_ are of interest. One step more than needed keeps rounding harmless.
  void tighten_bound(double kth_distance) {
    bound_ = kth_distance + kEpsilon;
    const double steps = bound_ * scale_ + 1.0;
    step_bound_ = steps < 65535.0 ? static_cast<Step>(steps) : Step{0xFFFF};
  }

  // Rows to look at: they agree with each other on the features before f (or, if they disagree with the query at
  // f, on those before it), with `base` steps between them and the query.
  struct Part {
    Row begin, end;
    std::uint32_t f;
    Step base;
    bool disagrees;
  };

  // The parts still to be searched are kept on a stack, the most promising on top: there may be more features
  // than a thread has room for nested calls.
  void search(Row begin, Row end, std::uint32_t first_feature) {
    parts_.assign(1, Part{begin, end, first_feature, 0, false});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.begin == part.end || part.base > step_bound_) continue;
      if (part.disagrees)
        widen(part);
      else if (part.f >= memory_.n_symbolic || part.end - part.begin <= kScanBelow)
        scan(part.begin, part.end, part.f, part.base);
      else
        descend(part);
    }
  }

  // First the rows that agree at f too, then those on either side of them.
  void descend(const Part& part) {
    const auto [same_begin, same_end] = rows_with(memory_.columns[part.f], codes_[part.f], part.begin, part.end);
    const Step farther = static_cast<Step>(part.base + steps_[part.f]);
    parts_.push_back({same_end, part.end, part.f, farther, true});
    parts_.push_back({part.begin, same_begin, part.f, farther, true});
    parts_.push_back({same_begin, same_end, part.f + 1, part.base, false});
  }

  // Rows that all disagree with the query at f: a long run of one value is searched like the rest, short ones are
  // scanned together.
  void widen(Part part) {
    const Column& column = memory_.columns[part.f];
    while (part.begin < part.end && part.base <= step_bound_) {
      const std::size_t probe = part.begin + kScanBelow;
      if (probe < part.end && column.code(probe) == column.code(part.begin)) {
        const Row next = run_end(column, part.begin, part.end);
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back({part.begin, next, part.f + 1, part.base, false});
        return;
      }
      const Row next = std::min<Row>(part.end, part.begin + static_cast<Row>(kBlock));
      scan(part.begin, next, part.f + 1, part.base);
      part.begin = next;
    }
  }

  void scan(Row begin, Row end, std::size_t f, Step base) {
    const SymbolicScan symbolic{memory_.columns.data(), codes_.data(), steps_.data(), f, memory_.n_symbolic};
    std::array<Step, kBlock> sums;
    for (Row block = begin; block < end; block += static_cast<Row>(kBlock)) {
      const std::size_t n = std::min<std::size_t>(kBlock, end - block);
      if (!scan_block(symbolic, block, n, base, step_bound_, sums.data())) continue;
      if (memory_.n_symbolic < memory_.columns.size()) {
        scan_numeric(block, n, sums.data());
        continue;
      }
      const Step seen = std::isinf(bound_) ? consider_nearest(block, n, sums.data()) : Step{0};
      for (std::size_t i = 0; i < n; ++i)
        if (sums[i] >= seen && sums[i] <= step_bound_) consider(block + static_cast<Row>(i));
    }
  }

  // While there is no bound every row of a block would need an exact look. The rows with the lowest sums are
  // taken first, until k distances are known; rows with a sum below the number returned have been looked at.
  Step consider_nearest(Row block, std::size_t n, const Step* sums) {
    Step seen = 0;
    while (std::isinf(bound_)) {
      Step lowest = 0xFFFF;
      for (std::size_t i = 0; i < n; ++i) lowest = std::min<Step>(lowest, sums[i] >= seen ? sums[i] : Step{0xFFFF});
      if (lowest == 0xFFFF) break;
      for (std::size_t i = 0; i < n; ++i)
        if (sums[i] == lowest) consider(block + static_cast<Row>(i));
      seen = static_cast<Step>(lowest + 1);
    }
    return seen;
  }

  void scan_numeric(Row block, std::size_t n, const Step* steps) {
    const NumericScan numeric{
        memory_.columns.data(), numbers_.data(),        metric_.weights,        metric_.ranges,
        memory_.n_symbolic,     memory_.columns.size(), metric_.missing_agrees, scale_ > 0.0 ? 1.0 / scale_ : 0.0};
    constexpr double kMargin = 1.0 + 1e-9;
    std::array<double, kBlock> sums;
    if (!scan_numbers(numeric, block, n, steps, bound_ * kMargin, sums.data())) return;
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] <= bound_ * kMargin) consider(block + static_cast<Row>(i));
  }

  double number_cost(double stored, double asked, double range) const {
    const bool stored_missing = std::isnan(stored), asked_missing = std::isnan(asked);
    if (stored_missing || asked_missing) return stored_missing && asked_missing && metric_.missing_agrees ? 0.0 : 1.0;
    if (range <= 0.0) return stored == asked ? 0.0 : 1.0;
    return std::abs((stored - asked) / range);
  }

  bool numbers_agree(Row row) const {
    for (std::size_t f = memory_.n_symbolic; f < memory_.columns.size(); ++f)
      if (number_cost(memory_.columns[f].number(row), numbers_[f], 0.0) != 0.0) return false;
    return true;
  }

  double distance(Row row) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < memory_.columns.size(); ++i) {
      const std::uint32_t f = metric_.sum_order[i];
      if (f < scope_.first_feature || metric_.weights[f] == 0.0) continue;
      const Column& column = memory_.columns[f];
      if (column.is_numeric())
        sum += metric_.weights[f] * number_cost(column.number(row), numbers_[f], metric_.ranges[f]);
      else if (column.code(row) != codes_[f])
        sum += metric_.weights[f];
    }
    return sum;
  }

  void consider(Row row) {
    if (row == scope_.left_out) return;
    const double d = distance(row);
    if (d > bound_) return;
    const auto place = std::lower_bound(near_.begin(), near_.end(), d,
                                        [](const Group& group, double limit) { return group.distance < limit; });
    if (place != near_.end() && place->distance == d) {
      place->rows.push_back(row);
      return;
    }
    near_.insert(place, Group{d, {row}});
    drop_beyond_k();
  }

  // Going up from the smallest, a distance closer than kEpsilon to the first of its group belongs to it: so
  // the groups do not depend on the order in which rows are met. A new distance can only move the first
  // distance of each group down, so what is dropped here is never missed.
  void drop_beyond_k() {
    if (near_.size() < k_) return;
    std::size_t n_groups = 0;
    double first = 0.0;
    for (std::size_t i = 0; i < near_.size(); ++i) {
      if (n_groups > 0 && near_[i].distance - first < kEpsilon) continue;
      if (n_groups == k_) {
        near_.resize(i);
        break;
      }
      ++n_groups;
      first = near_[i].distance;
    }
    if (n_groups == k_) tighten_bound(first);
  }

  void join_near() {
    for (Group& found : near_) {
      if (groups_.empty() || found.distance - groups_.back().distance >= kEpsilon)
        groups_.push_back(std::move(found));
      else
        groups_.back().rows.insert(groups_.back().rows.end(), found.rows.begin(), found.rows.end());
    }
  }

  const Memory& memory_;
  Metric metric_{};
  Scope scope_{};
  std::vector<std::uint32_t> codes_;  // the query, by column
  std::vector<double> numbers_;
  std::vector<Step> steps_;
  double scale_ = 0.0;
  std::size_t k_ = 1;
  double bound_ = 0.0;
  Step step_bound_ = 0;
  std::vector<Part> parts_;
  std::vector<Group> near_;  // by ascending distance, distances as they are
  std::vector<Group> groups_;
};

}  // namespace casebase
