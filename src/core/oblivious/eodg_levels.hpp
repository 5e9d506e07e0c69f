// The levels of EODG: a feature or a threshold a level, and how well trees of each depth predict held-out cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/functions.hpp"
#include "core/oblivious/disorder.hpp"
#include "core/oblivious/graph_arrays.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Cases with labels and weights; `n_values` is 0 for columns of numbers.
struct LabelledCases {
  std::vector<Column> columns;
  std::vector<std::uint32_t> n_values;
  std::size_t n_rows;
  const Label* label;
  const double* weight;
  std::size_t n_classes;
};

struct EodgLevel {
  std::uint32_t feature;
  double threshold;  // NaN for symbols
};

// Chooses the test of each level: the feature with the greatest conditional mutual information with the class, given
// the tests above, divided by the logarithm of its number of values. Numbers are split at the best threshold for all
// nodes of the level. Ends when few enough cases are in nodes of several classes.
class EodgChooser {
 public:
  EodgChooser(const LabelledCases& cases, double most_in_conflict, const Watch& watch)
      : cases_(cases), watch_(watch), cell_(cases.n_rows, 0), sorted_(cases.columns.size()) {
    rows_.resize(cases.n_rows);
    std::iota(rows_.begin(), rows_.end(), Row{0});
    for (const Row row : rows_) total_ += cases.weight[row];
    for (std::size_t f = 0; f < cases.columns.size(); ++f) {
      if (!cases.columns[f].is_numeric()) continue;
      for (const Row row : rows_)
        if (!std::isnan(cases.columns[f].number(row))) sorted_[f].push_back(row);
      std::stable_sort(sorted_[f].begin(), sorted_[f].end(),
                       [&](Row a, Row b) { return cases.columns[f].number(a) < cases.columns[f].number(b); });
    }
    most_in_conflict_ = most_in_conflict * total_;
    n_cells_ = 1;
    keep_mixed();
  }

  std::vector<EodgLevel> choose() {
    std::vector<EodgLevel> levels;
    std::vector<bool> is_asked(cases_.columns.size(), false);
    const double at_first = in_conflict_;
    while (in_conflict_ > most_in_conflict_) {
      std::vector<Found> found(cases_.columns.size());
      double best = kNothing;
      for (std::size_t f = 0; f < found.size(); ++f) {
        if (is_asked[f]) continue;
        found[f] = cases_.columns[f].is_numeric() ? best_threshold(f) : Found{worth_of_symbols(f), kSymbols};
        best = std::max(best, found[f].worth);
        watch_(1.0 - in_conflict_ / at_first);
      }
      if (best == kNothing) return levels;
      std::size_t f = 0;
      while (found[f].worth < best - kSameCriterion) ++f;
      is_asked[f] = !cases_.columns[f].is_numeric();
      levels.push_back({static_cast<std::uint32_t>(f), found[f].threshold});
      split(f, found[f].threshold);
    }
    return levels;
  }

 private:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();
  static constexpr double kSymbols = std::numeric_limits<double>::quiet_NaN();
  struct Found {
    double worth = kNothing, threshold = kSymbols;
  };

  std::uint32_t branch(std::size_t f, double threshold, Row row) const {
    const Column& column = cases_.columns[f];
    if (!column.is_numeric()) return column.code(row);
    const double number = column.number(row);
    return std::isnan(number) ? 2 : number > threshold;
  }

  // The weight of the cells and classes of some cases, each times its logarithm: their disorder is the difference.
  struct Sums {
    double cells = 0.0, classes = 0.0;
    double disorder() const { return cells - classes; }
  };

  // Sums over the cells that `part` makes of the mixed cells, counted without storing them all: rows are sorted.
  template <class PartOf>
  double disorder_of_parts(PartOf part, std::size_t& n_parts) {
    keyed_.clear();
    for (const Row row : rows_)
      keyed_.push_back({(static_cast<std::uint64_t>(cell_[row]) << 32) | part(row), cases_.label[row], row});
    std::sort(keyed_.begin(), keyed_.end());
    Sums sums;
    n_parts = 0;
    for (std::size_t i = 0; i < keyed_.size();) {
      double n = 0.0;
      const std::uint64_t key = keyed_[i].key;
      while (i < keyed_.size() && keyed_[i].key == key) {
        double of_class = 0.0;
        const Label label = keyed_[i].label;
        for (; i < keyed_.size() && keyed_[i].key == key && keyed_[i].label == label; ++i)
          of_class += cases_.weight[keyed_[i].row];
        sums.classes += n_log_n(of_class);
        n += of_class;
      }
      sums.cells += n_log_n(n);
      ++n_parts;
    }
    return sums.disorder();
  }

  double worth_of_symbols(std::size_t f) {
    if (cases_.n_values[f] < 2) return kNothing;
    std::size_t n_parts = 0;
    const double after = disorder_of_parts([&](Row row) { return cases_.columns[f].code(row); }, n_parts);
    if (n_parts == n_cells_) return kNothing;
    return (disorder_ - after) / total_ / portable_log2(static_cast<double>(cases_.n_values[f]));
  }

  // Moves the cases of mixed cells over the threshold one by one, in the order of their numbers.
  Found best_threshold(std::size_t f) {
    const Column& column = cases_.columns[f];
    const std::size_t n_classes = cases_.n_classes;
    above_.assign(n_cells_ * n_classes, 0.0);
    below_.assign(n_cells_ * n_classes, 0.0);
    n_above_.assign(n_cells_, 0.0);
    n_below_.assign(n_cells_, 0.0);
    n_rows_above_.assign(n_cells_, 0);
    n_rows_below_.assign(n_cells_, 0);
    missing_.assign(n_cells_ * n_classes, 0.0);
    n_missing_.assign(n_cells_, 0.0);
    for (const Row row : rows_) {
      const std::size_t at = cell_[row] * n_classes + cases_.label[row];
      if (std::isnan(column.number(row))) {
        missing_[at] += cases_.weight[row];
        n_missing_[cell_[row]] += cases_.weight[row];
      } else {
        above_[at] += cases_.weight[row];
        n_above_[cell_[row]] += cases_.weight[row];
        ++n_rows_above_[cell_[row]];
      }
    }
    double disorder = 0.0;
    std::size_t n_divided = 0;  // cells that have cases on both sides, or on one side and without a number
    std::vector<bool> has_missing(n_cells_, false);
    for (std::size_t cell = 0; cell < n_cells_; ++cell) {
      disorder += n_log_n(n_above_[cell]) + n_log_n(n_missing_[cell]);
      has_missing[cell] = n_missing_[cell] > 0.0;
      n_divided += has_missing[cell] && n_rows_above_[cell] > 0;
    }
    for (std::size_t i = 0; i < above_.size(); ++i) disorder -= n_log_n(above_[i]) + n_log_n(missing_[i]);
    gains_.clear();
    double best = kNothing;
    std::size_t last = sorted_[f].size();
    for (std::size_t i = 0; i < sorted_[f].size(); ++i) {
      const Row row = sorted_[f][i];
      if (cell_[row] == kPure) continue;
      if (last < i && column.number(sorted_[f][last]) < column.number(row) && n_divided > 0) {
        const double low = column.number(sorted_[f][last]), high = column.number(row);
        const double middle = low + (high - low) / 2.0, gain = (disorder_ - disorder) / total_;
        gains_.push_back({gain, middle < high && std::isfinite(middle) ? middle : low});
        best = std::max(best, gain);
      }
      last = i;
      const std::size_t cell = cell_[row], at = cell * n_classes + cases_.label[row];
      const double w = cases_.weight[row];
      disorder -= n_log_n(n_above_[cell]) - n_log_n(above_[at]) + n_log_n(n_below_[cell]) - n_log_n(below_[at]);
      n_above_[cell] -= w;
      above_[at] -= w;
      n_below_[cell] += w;
      below_[at] += w;
      disorder += n_log_n(n_above_[cell]) - n_log_n(above_[at]) + n_log_n(n_below_[cell]) - n_log_n(below_[at]);
      if (!has_missing[cell]) {
        if (n_rows_below_[cell] == 0 && n_rows_above_[cell] > 1) ++n_divided;
        if (n_rows_below_[cell] > 0 && n_rows_above_[cell] == 1) --n_divided;
      }
      ++n_rows_below_[cell];
      --n_rows_above_[cell];
    }
    for (const auto& [gain, threshold] : gains_)
      if (gain >= best - kSameCriterion) return {best, threshold};
    return {};
  }

  void split(std::size_t f, double threshold) {
    std::size_t n_parts = 0;
    disorder_of_parts([&](Row row) { return branch(f, threshold, row); }, n_parts);
    n_cells_ = 0;
    for (std::size_t i = 0; i < keyed_.size(); ++i)
      cell_[keyed_[i].row] =
          static_cast<std::uint32_t>(i > 0 && keyed_[i].key == keyed_[i - 1].key ? n_cells_ - 1 : n_cells_++);
    keep_mixed();
  }

  // Drops the cases in cells of one class, and numbers the other cells anew.
  void keep_mixed() {
    std::vector<Label> first(n_cells_, 0);
    std::vector<std::uint8_t> seen(n_cells_, 0);  // 1 for one class, 2 for several
    for (const Row row : rows_) {
      const std::uint32_t cell = cell_[row];
      if (seen[cell] == 0) {
        seen[cell] = 1;
        first[cell] = cases_.label[row];
      } else if (first[cell] != cases_.label[row]) {
        seen[cell] = 2;
      }
    }
    std::vector<std::uint32_t> number(n_cells_, kPure);
    n_cells_ = 0;
    std::vector<Row> mixed;
    in_conflict_ = 0.0;
    for (const Row row : rows_) {
      const std::uint32_t cell = cell_[row];
      if (seen[cell] == 2 && number[cell] == kPure) number[cell] = static_cast<std::uint32_t>(n_cells_++);
      cell_[row] = number[cell];
      if (number[cell] == kPure) continue;
      mixed.push_back(row);
      in_conflict_ += cases_.weight[row];
    }
    rows_ = std::move(mixed);
    std::size_t n_parts = 0;
    disorder_ = disorder_of_parts([](Row) { return 0u; }, n_parts);
  }

  struct Keyed {
    std::uint64_t key;
    Label label;
    Row row;
    bool operator<(const Keyed& other) const {
      return key != other.key ? key < other.key : label != other.label ? label < other.label : row < other.row;
    }
  };
  static constexpr std::uint32_t kPure = 0xFFFFFFFFu;

  const LabelledCases& cases_;
  const Watch& watch_;
  std::vector<Row> rows_;            // of mixed cells
  std::vector<std::uint32_t> cell_;  // per row
  std::vector<std::vector<Row>> sorted_;
  std::size_t n_cells_ = 0;
  double total_ = 0.0, disorder_ = 0.0, in_conflict_ = 0.0, most_in_conflict_ = 0.0;
  std::vector<Keyed> keyed_;
  std::vector<double> above_, below_, n_above_, n_below_, missing_, n_missing_;
  std::vector<std::size_t> n_rows_above_, n_rows_below_;
  std::vector<std::pair<double, double>> gains_;
};

// The weight of the cases that a tree of each depth, 0 first, predicts correctly from the other folds. A case that
// comes where no case of the other folds does has the prediction of the node above.
inline std::vector<double> right_by_depth(const std::vector<Column>& levels, const LabelledCases& cases,
                                          const std::uint32_t* fold, std::size_t n_folds, const Preference& prefer,
                                          const Watch& watch) {
  std::vector<Row> rows(cases.n_rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  std::vector<std::size_t> first{0, cases.n_rows};  // of each cell
  std::vector<Label> predicted(cases.n_rows, 0);
  std::vector<double> right;
  Ballot ballot(cases.n_classes);
  for (std::size_t depth = 0; depth <= levels.size(); ++depth) {
    double n_right = 0.0;
    for (std::size_t cell = 0; cell + 1 < first.size(); ++cell) {
      const std::size_t begin = first[cell], end = first[cell + 1];
      std::vector<bool> has_fold(n_folds, false);
      for (std::size_t i = begin; i < end; ++i) has_fold[fold[rows[i]]] = true;
      for (std::size_t k = 0; k < n_folds; ++k) {
        if (!has_fold[k]) continue;
        ballot.clear();
        for (std::size_t i = begin; i < end; ++i)
          if (fold[rows[i]] != k) ballot.add(cases.label[rows[i]], cases.weight[rows[i]]);
        if (ballot.labels().empty()) continue;
        const Label label = ballot.choose(prefer).label;
        for (std::size_t i = begin; i < end; ++i)
          if (fold[rows[i]] == k) predicted[rows[i]] = label;
      }
      for (std::size_t i = begin; i < end; ++i)
        if (predicted[rows[i]] == cases.label[rows[i]]) n_right += cases.weight[rows[i]];
    }
    right.push_back(n_right);
    watch(static_cast<double>(depth + 1) / static_cast<double>(levels.size() + 1));
    if (depth == levels.size()) break;
    std::vector<std::size_t> refined{0};
    for (std::size_t cell = 0; cell + 1 < first.size(); ++cell) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first[cell]);
      const auto end = rows.begin() + static_cast<std::ptrdiff_t>(first[cell + 1]);
      const Column& column = levels[depth];
      std::sort(begin, end, [&](Row a, Row b) {
        return column.code(a) != column.code(b) ? column.code(a) < column.code(b) : a < b;
      });
      for (std::size_t i = first[cell] + 1; i <= first[cell + 1]; ++i)
        if (i == first[cell + 1] || column.code(rows[i]) != column.code(rows[i - 1])) refined.push_back(i);
    }
    first = std::move(refined);
  }
  return right;
}

}  // namespace casebase
