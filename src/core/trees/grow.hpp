// Grow a decision tree: choose the most informative test at each node.
//
// The tree grows level by level. The cases of a level are in one list, node after node; a test distributes its node's
// part over the list of the next level, so nodes come out in breadth-first order and nothing is allocated per node.
// Numeric columns are sorted once: every level has, for each of them, its cases in ascending order, and distribution is
// stable. A case with a missing value may go down every branch, with a fraction of its weight.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/functions.hpp"
#include "core/parallel.hpp"
#include "core/trees/gain.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

inline constexpr std::uint32_t kNoCode = 0xFFFFFFFFu;
enum NumericBranch : std::uint32_t { kAtMost = 0, kAbove = 1 };

// The branch that a case takes at a test; kNoCode if its value is missing and has no branch.
inline std::uint32_t branch_of(const Column& column, std::uint32_t missing, double threshold, std::size_t row,
                               bool is_fractional) {
  if (!column.is_numeric()) {
    const std::uint32_t code = column.code(row);
    return code == missing ? kNoCode : code;
  }
  const double x = column.number(row);
  if (std::isnan(x)) return is_fractional ? kNoCode : std::uint32_t{kAtMost};
  return x <= threshold ? kAtMost : kAbove;
}

struct TestedColumn {
  Column column;
  std::uint32_t n_values;  // codes are below this; 0 for numbers
  std::uint32_t missing;   // the code of missing values if they have no branch, or kNoCode
  bool is_wide;            // so many values that its gain is left out of the average
};

struct GrowthRules {
  bool by_ratio;       // maximise gain ratio; else gain
  bool above_average;  // only among tests with at least average gain
  bool goes_on;        // split even without gain, until cases are of one class or equal
  bool cuts_cost;      // a numeric test pays for the choice of its threshold, and needs larger branches
  bool is_fractional;  // missing values go down all branches; else a missing symbol is a value, a missing number the
                       // lowest
  double min_cases;    // at least two branches need this many
  std::size_t max_depth;
};

struct GrownTree {
  std::vector<std::int32_t> column;  // tested, -1 for a leaf
  std::vector<double> threshold;
  std::vector<std::uint32_t> first_child, value;
  std::vector<Label> label;
  std::vector<std::uint64_t> first_count;
  std::vector<Label> count_label;
  std::vector<double> count;
};

// The cases of one level, node after node.
struct LevelCases {
  std::vector<Row> rows;
  std::vector<double> weights;           // empty: each counts once
  std::vector<std::vector<Row>> sorted;  // per numeric column, missing values first
  std::vector<std::uint32_t> node_sizes;

  void clear() {
    rows.clear();
    weights.clear();
    for (auto& rows_of_column : sorted) rows_of_column.clear();
    node_sizes.clear();
  }
};

// The most frequent of some classes. Fractions of cases are summed in varying order, so counts that differ by a
// rounding error are equal.
inline Label most_frequent(const Label* labels, const double* counts, std::size_t n, const Preference& prefer) {
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, counts[i]);
  Label best = kNoCode;
  for (std::size_t i = 0; i < n; ++i) {
    if (counts[i] < largest * (1.0 - kSameGain)) continue;
    const Label label = labels[i];
    if (best == kNoCode || prefer.frequency[label] > prefer.frequency[best] ||
        (prefer.frequency[label] == prefer.frequency[best] && prefer.rank[label] < prefer.rank[best]))
      best = label;
  }
  return best;
}

class TreeGrower {
 public:
  TreeGrower(std::vector<TestedColumn> columns, const Label* labels, const double* case_weights, std::size_t n_rows,
             std::size_t n_classes, const Preference& prefer, const GrowthRules& rules)
      : columns_(std::move(columns)),
        labels_(labels),
        n_rows_(n_rows),
        prefer_(prefer),
        rules_(rules),
        log_(n_rows + 1),
        ballot_(n_classes),
        class_count_(n_classes, 0.0),
        above_(n_classes, 0.0),
        weight_of_(n_rows, 1.0) {
    std::uint32_t widest = 2;
    for (const auto& tested : columns_) widest = std::max(widest, tested.n_values);
    value_count_.assign(widest, 0.0);
    value_place_.assign(widest, 0);
    group_size_.assign(widest, 0);
    is_wide_for_all_ = std::all_of(columns_.begin(), columns_.end(), [](const auto& c) { return c.is_wide; });
    for (std::size_t c = 0; c < n_classes; ++c) n_present_classes_ += prefer_.frequency[c] > 0.0;
    tests_.resize(columns_.size());
    begin(case_weights);
  }

  GrownTree grow() {
    return grow_until([](std::size_t, const Row*, std::size_t) { return false; });
  }

  // `ends_here(node, rows, n)` may turn a node into a leaf before any test is tried.
  template <class EndsHere>
  GrownTree grow_until(EndsHere&& ends_here) {
    tree_.value.push_back(0);
    for (std::size_t depth = 0; !level_.node_sizes.empty(); ++depth) {
      std::size_t at = 0;
      for (const std::uint32_t n : level_.node_sizes) {
        settle(at, at + n, depth < rules_.max_depth, ends_here);
        at += n;
      }
      std::swap(level_, next_);
      next_.clear();
    }
    tree_.first_child.push_back(static_cast<std::uint32_t>(tree_.value.size()));
    tree_.first_count.push_back(tree_.count.size());
    return std::move(tree_);
  }

 private:
  void begin(const double* case_weights) {
    level_.rows.resize(n_rows_);
    std::iota(level_.rows.begin(), level_.rows.end(), Row{0});
    is_weighted_ = case_weights != nullptr;
    for (const auto& tested : columns_)
      if (rules_.is_fractional && has_missing(tested)) is_weighted_ = true;
    if (case_weights)
      level_.weights.assign(case_weights, case_weights + n_rows_);
    else if (is_weighted_)
      level_.weights.assign(n_rows_, 1.0);
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      sorted_at_.push_back(level_.sorted.size());
      if (!columns_[f].column.is_numeric()) continue;
      level_.sorted.push_back(level_.rows);
      const Column& column = columns_[f].column;
      listen_(16 * n_rows_);
      std::stable_sort(level_.sorted.back().begin(), level_.sorted.back().end(), [&](Row a, Row b) {
        const double x = column.number(a), y = column.number(b);
        return is_below(x, y);
      });
    }
    next_.sorted.resize(level_.sorted.size());
    level_.node_sizes.push_back(static_cast<std::uint32_t>(n_rows_));
    branch_.resize(n_rows_);
  }

  bool has_missing(const TestedColumn& tested) const {
    if (!tested.column.is_numeric()) return tested.missing != kNoCode;
    for (std::size_t i = 0; i < n_rows_; ++i)
      if (std::isnan(tested.column.number(i))) return true;
    return false;
  }

  double weight(std::size_t i) const { return is_weighted_ ? level_.weights[i] : 1.0; }

  // Stores the counts and the class of a node, and its best test if there is one.
  template <class EndsHere>
  void settle(std::size_t begin, std::size_t end, bool may_test, EndsHere& ends_here) {
    for (std::size_t i = begin; i < end; ++i) {
      ballot_.add(labels_[level_.rows[i]], weight(i));
      if (is_weighted_) weight_of_[level_.rows[i]] = level_.weights[i];
    }
    tree_.first_count.push_back(tree_.count.size());
    present_ = ballot_.labels();
    std::sort(present_.begin(), present_.end());
    total_ = 0.0;
    const std::size_t first = tree_.count.size();
    for (const Label label : present_) {
      tree_.count_label.push_back(label);
      tree_.count.push_back(ballot_.votes(label));
      total_ += ballot_.votes(label);
    }
    tree_.label.push_back(
        most_frequent(tree_.count_label.data() + first, tree_.count.data() + first, present_.size(), prefer_));
    tree_.first_child.push_back(static_cast<std::uint32_t>(tree_.value.size()));
    const bool is_heavy = rules_.goes_on || total_ >= 2.0 * rules_.min_cases - kSameGain;
    TestWorth test;
    std::int32_t column = -1;
    may_test = may_test && present_.size() > 1 && is_heavy;
    if (may_test && !ends_here(tree_.label.size() - 1, level_.rows.data() + begin, end - begin))
      column = best_test(begin, end, test);
    tree_.column.push_back(column);
    const bool is_cut = column >= 0 && columns_[static_cast<std::size_t>(column)].column.is_numeric();
    tree_.threshold.push_back(is_cut ? test.threshold : std::numeric_limits<double>::quiet_NaN());
    if (column >= 0) share_out(static_cast<std::size_t>(column), test.threshold, begin, end);
    ballot_.clear();
  }

  std::int32_t best_test(std::size_t begin, std::size_t end, TestWorth& best) {
    double sum = 0.0;
    std::size_t n_in_average = 0;
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      listen_(end - begin);
      tests_[f] = columns_[f].column.is_numeric() ? cut(f, begin, end) : parted(f, begin, end);
      if (!tests_[f].is_possible || (columns_[f].is_wide && !is_wide_for_all_)) continue;
      sum += tests_[f].gain;
      ++n_in_average;
    }
    double least = rules_.goes_on ? -1.0 : kUseless;
    if (rules_.above_average) {
      if (n_in_average == 0) return -1;
      // The tolerance is Quinlan's: a gain just below the average still counts as average.
      least = std::max(least, sum / static_cast<double>(n_in_average) - 1e-3);
    }
    double most = -1.0;
    for (const TestWorth& test : tests_)
      if (test.is_possible && test.gain > least) most = std::max(most, by_choice(test));
    for (std::size_t f = 0; f < columns_.size(); ++f) {
      if (!tests_[f].is_possible || !(tests_[f].gain > least) || by_choice(tests_[f]) < most - kSameGain) continue;
      best = tests_[f];
      return static_cast<std::int32_t>(f);
    }
    return -1;
  }

  double by_choice(const TestWorth& test) const { return rules_.by_ratio ? test.ratio() : test.gain; }

  // If the tree grows until nodes are pure, min_cases = 1 is no bound: cases may weigh less than 1.
  bool is_large(double n, double smallest) const {
    return rules_.goes_on && smallest <= 1.0 ? n > 0.0 : n >= smallest - kSameGain;
  }

  template <class Use>
  auto with_codes(const Column& column, Use&& use) const {
    switch (column.width) {
      case Column::Width::u8:
        return use(static_cast<const std::uint8_t*>(column.data));
      case Column::Width::u16:
        return use(static_cast<const std::uint16_t*>(column.data));
      default:
        return use(static_cast<const std::uint32_t*>(column.data));
    }
  }

  // A test on a symbol: one branch per value.
  TestWorth parted(std::size_t f, std::size_t begin, std::size_t end) {
    return with_codes(columns_[f].column, [&](const auto* codes) { return parted_by(columns_[f], codes, begin, end); });
  }

  template <class Code>
  TestWorth parted_by(const TestedColumn& tested, const Code* codes, std::size_t begin, std::size_t end) {
    const std::size_t n_classes = class_count_.size(), n_cells = tested.n_values * n_classes;
    const bool is_dense = n_cells <= std::max<std::size_t>(64, (end - begin) / 2);
    SplitSums sums;
    double known = 0.0;
    std::size_t n_large = 0;
    if (is_dense) {
      cells_.assign(n_cells, 0.0);
      for (std::size_t i = begin; i < end; ++i) {
        const Row row = level_.rows[i];
        if (codes[row] != tested.missing) cells_[codes[row] * n_classes + labels_[row]] += weight(i);
      }
      for (std::size_t v = 0; v < tested.n_values; ++v) {
        double n = 0.0;
        for (const Label label : present_) {
          const double count = cells_[v * n_classes + label];
          if (count == 0.0) continue;
          n += count;
          class_count_[label] += count;
          sums.cells += log_(count);
        }
        add_branch(n, sums, known, n_large);
      }
    } else {
      group(tested, codes, begin, end);
      std::size_t at = 0;
      for (const std::uint32_t v : values_) {
        const std::size_t stop = value_place_[v];
        double n = 0.0;
        for (; at < stop; ++at) {
          const Label label = grouped_labels_[at];
          if (above_[label] == 0.0) touched_.push_back(label);
          above_[label] += is_weighted_ ? grouped_weights_[at] : 1.0;
        }
        for (const Label label : touched_) {
          n += above_[label];
          class_count_[label] += above_[label];
          sums.cells += log_(above_[label]);
          above_[label] = 0.0;
        }
        touched_.clear();
        add_branch(n, sums, known, n_large);
      }
    }
    for (const Label label : present_) {
      sums.classes += log_(class_count_[label]);
      class_count_[label] = 0.0;
    }
    return n_large >= 2 ? sums.worth(log_, known, total_) : TestWorth{};
  }

  void add_branch(double n, SplitSums& sums, double& known, std::size_t& n_large) const {
    if (n == 0.0) return;
    sums.branches += log_(n);
    known += n;
    n_large += is_large(n, rules_.min_cases);
  }

  // Groups the labels of a node's cases by value; afterwards value_place_ has the end of each group.
  template <class Code>
  void group(const TestedColumn& tested, const Code* codes, std::size_t begin, std::size_t end) {
    values_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = codes[level_.rows[i]];
      if (v == tested.missing) continue;
      if (group_size_[v]++ == 0) values_.push_back(v);
    }
    std::size_t at = 0;
    for (const std::uint32_t v : values_) {
      value_place_[v] = at;
      at += group_size_[v];
      group_size_[v] = 0;
    }
    grouped_labels_.resize(at);
    if (is_weighted_) grouped_weights_.resize(at);
    for (std::size_t i = begin; i < end; ++i) {
      const Row row = level_.rows[i];
      const std::uint32_t v = codes[row];
      if (v == tested.missing) continue;
      const std::size_t to = value_place_[v]++;
      grouped_labels_[to] = labels_[row];
      if (is_weighted_) grouped_weights_[to] = level_.weights[i];
    }
  }

  // A test on a number: the best threshold; ties go to the lowest. Missing values are below all numbers, or are not
  // counted.
  TestWorth cut(std::size_t f, std::size_t begin, std::size_t end) {
    const Column& column = columns_[f].column;
    const Row* rows = level_.sorted[sorted_at_[f]].data();
    while (rules_.is_fractional && begin < end && std::isnan(column.number(rows[begin]))) ++begin;
    if (begin == end) return {};
    for (std::size_t i = begin; i < end; ++i) above_[labels_[rows[i]]] += weight_of_[rows[i]];
    double known = 0.0, lower_cells = 0.0, upper_cells = 0.0;
    for (const Label label : present_) {
      known += above_[label];
      upper_cells += log_(above_[label]);
    }
    const double classes = upper_cells, smallest = rules_.cuts_cost ? smallest_branch(known) : rules_.min_cases;
    TestWorth best;
    std::size_t n_cuts = 0, place = begin;
    double lower = 0.0;
    for (std::size_t i = begin; i + 1 < end; ++i) {
      move(labels_[rows[i]], weight_of_[rows[i]], lower_cells, upper_cells);
      lower += weight_of_[rows[i]];
      if (!is_below(column.number(rows[i]), column.number(rows[i + 1]))) continue;
      if (!is_large(lower, smallest) || !is_large(known - lower, smallest)) continue;
      ++n_cuts;
      const SplitSums here{classes, log_(lower) + log_(known - lower), lower_cells + upper_cells};
      const TestWorth test = here.worth(log_, known, total_);
      if (!best.is_possible || by_choice_of_cut(test) > by_choice_of_cut(best) + kSameGain) {
        best = test;
        place = i;
      }
    }
    for (const Label label : present_) above_[label] = class_count_[label] = 0.0;
    if (!best.is_possible) return best;
    best.threshold = between(column.number(rows[place]), column.number(rows[place + 1]));
    if (rules_.cuts_cost) {
      best.gain -= portable_log2(static_cast<double>(n_cuts)) / total_;
      best.is_possible = best.gain > kUseless;
    }
    return best;
  }

  static bool is_below(double a, double b) { return std::isnan(a) ? !std::isnan(b) : a < b; }

  // If thresholds have a cost, they are chosen by gain, even if tests are chosen by gain ratio.
  double by_choice_of_cut(const TestWorth& test) const {
    return rules_.by_ratio && !rules_.cuts_cost ? test.ratio() : test.gain;
  }

  // Moves one case from above the threshold to below it; class_count_ counts the classes below.
  void move(Label label, double w, double& lower_cells, double& upper_cells) {
    lower_cells -= log_(class_count_[label]);
    upper_cells -= log_(above_[label]);
    class_count_[label] += w;
    above_[label] -= w;
    if (above_[label] < 1e-12) above_[label] = 0.0;
    lower_cells += log_(class_count_[label]);
    upper_cells += log_(above_[label]);
  }

  // Quinlan: a tenth of the cases per class, at most 25 and at least what any branch needs.
  double smallest_branch(double known) const {
    return std::max(rules_.min_cases, std::min(25.0, 0.1 * known / n_present_classes_));
  }

  static double between(double a, double b) {
    if (std::isnan(a)) return -std::numeric_limits<double>::infinity();
    const double middle = a + (b - a) / 2.0;
    return middle < b ? middle : a;
  }

  void share_out(std::size_t f, double threshold, std::size_t begin, std::size_t end) {
    const TestedColumn& tested = columns_[f];
    values_.clear();
    std::size_t n_everywhere = 0;
    double known = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const Row row = level_.rows[i];
      const std::uint32_t v = branch_of(tested.column, tested.missing, threshold, row, rules_.is_fractional);
      branch_[row] = v;
      if (v == kNoCode) {
        ++n_everywhere;
        continue;
      }
      if (group_size_[v]++ == 0) {
        values_.push_back(v);
        value_count_[v] = 0.0;
      }
      value_count_[v] += weight(i);
      known += weight(i);
    }
    std::sort(values_.begin(), values_.end());
    std::size_t at = next_.rows.size();
    first_place_.clear();
    for (const std::uint32_t v : values_) {
      const std::size_t n = group_size_[v] + n_everywhere;
      tree_.value.push_back(v);
      next_.node_sizes.push_back(static_cast<std::uint32_t>(n));
      first_place_.push_back(at);
      at += n;
      group_size_[v] = 0;
    }
    next_.rows.resize(at);
    if (is_weighted_) next_.weights.resize(at);
    put(level_.rows.data() + begin, end - begin, next_.rows);
    if (is_weighted_) put_weights(begin, end, known);
    for (std::size_t k = 0; k < next_.sorted.size(); ++k) {
      next_.sorted[k].resize(at);
      put(level_.sorted[k].data() + begin, end - begin, next_.sorted[k]);
    }
  }

  void start_places() {
    for (std::size_t c = 0; c < values_.size(); ++c) value_place_[values_[c]] = first_place_[c];
  }

  void put(const Row* rows, std::size_t n, std::vector<Row>& to) {
    start_places();
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t v = branch_[rows[i]];
      if (v != kNoCode)
        to[value_place_[v]++] = rows[i];
      else
        for (const std::uint32_t each : values_) to[value_place_[each]++] = rows[i];
    }
  }

  void put_weights(std::size_t begin, std::size_t end, double known) {
    start_places();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = branch_[level_.rows[i]];
      if (v != kNoCode)
        next_.weights[value_place_[v]++] = level_.weights[i];
      else
        for (const std::uint32_t each : values_)
          next_.weights[value_place_[each]++] = level_.weights[i] * (value_count_[each] / known);
    }
  }

  std::vector<TestedColumn> columns_;
  const Label* labels_;
  std::size_t n_rows_;
  Preference prefer_;
  GrowthRules rules_;
  WeightedLog log_;
  Ballot ballot_;
  std::vector<double> class_count_, above_;
  std::vector<double> weight_of_;  // of each case at the current node
  bool is_weighted_ = false, is_wide_for_all_ = false;
  double total_ = 0.0, n_present_classes_ = 0.0;
  LevelCases level_, next_;
  std::vector<std::size_t> sorted_at_;
  std::vector<Label> present_, touched_, grouped_labels_;
  std::vector<double> cells_, grouped_weights_, value_count_;
  std::vector<std::uint32_t> values_, branch_, group_size_;
  std::vector<std::size_t> value_place_, first_place_;
  std::vector<TestWorth> tests_;
  GrownTree tree_;
  Listener listen_;
};

}  // namespace casebase
