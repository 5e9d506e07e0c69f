// One question: the cost of each of its features against the stored values, exactly and as lower bounds in steps.
//
// The costs of a feature are computed when the search first reaches it. With overlap the cost is one number; with a
// graded metric it is a row of numbers, or, if a feature has very many values, one number per value examined.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/costs.hpp"
#include "core/neighbours/scan.hpp"
#include "core/neighbours/similarity.hpp"
#include "core/types.hpp"

namespace casebase {

// How features are compared, for all questions. Vectors are in the order of the memory's columns.
struct Comparisons {
  std::vector<Comparison> features;
  bool missing_agrees;  // whether two missing numbers count as equal
  bool is_rooted;       // whether a distance is the square root of the sum of costs
  bool keeps_rows;      // whether rows of costs may be kept from one question to the next
  double largest_divisor;
  Similarity similarity;  // for metrics that compare whole vectors of numbers
};

// The weights and ranges for one question. All arrays are in the order of the memory's columns.
struct Metric {
  const double* weights;
  const double* ranges;            // numeric features: largest minus smallest value
  const std::uint32_t* sum_order;  // ranks in the order in which their costs are added up
};

inline constexpr std::uint32_t kNeverSeen = 0xFFFFFFFFu;
inline constexpr Row kNoRow = std::numeric_limits<Row>::max();
inline constexpr Label kNoLabel = std::numeric_limits<Label>::max();

// The scope of a search: the rows that agree with the question on the symbolic features before first_feature and on the
// first n_numbers numeric ones, except one row, the rows of one class, and those of the classes whose bit is set. The
// class and count of that row are given if it must be subtracted from the value differences too.
struct Scope {
  std::uint32_t first_feature = 0;
  Row left_out = kNoRow;
  std::uint32_t n_numbers = 0;
  Label label_left_out = kNoLabel;
  Label own_label = 0;
  double own_count = 0.0;
  const std::uint32_t* labels_left_out = nullptr;           // one bit per class, in words of 32; or no class
  std::size_t n_words = 0;                                  // of labels_left_out
  double within = std::numeric_limits<double>::infinity();  // the largest distance of interest

  bool leaves_class_out() const { return label_left_out != kNoLabel || labels_left_out != nullptr; }
  bool leaves_out(Label label) const {
    // The classes of a large mapped file are checked where they are used.
    return label == label_left_out || (label / 32 < n_words && (labels_left_out[label / 32] >> (label % 32)) & 1u);
  }
};

// What rows have in common: which of the first features disagree with the question, as bits of the first 64.
struct Known {
  std::uint32_t n_features = 0;
  std::uint64_t disagreeing = 0;

  Known and_disagrees() const {
    return {n_features + 1, disagreeing | (n_features < 64 ? std::uint64_t{1} << n_features : 0)};
  }
};

// A symbolic feature of the question; its costs are filled in when the search reaches it.
struct AskedFeature {
  bool is_late = false;      // whether its costs are looked up one by one
  bool is_ready = false;     // whether its costs have been computed
  bool is_constant = false;  // whether all other values cost the same
  Step least = 0;            // the smallest cost of a value that disagrees
  double constant = -1.0;    // by their classes: the difference from all other values if it is the same for all
  std::uint32_t grade = 0;   // of the asked value
  CostRow* row = nullptr;    // the costs of the other grades
  // The value of the question as a sparse or dense class distribution, or as a text: prepared when first needed.
  bool has_value = false, has_spread = false, has_text = false;
  ValueDifference::Asked value;
  ValueDifference::Spread spread;
  std::unique_ptr<TextDistance::Asked> text;

  // Must be called before another question.
  void forget(Step step, bool costs_are_known) {
    is_ready = costs_are_known;
    has_value = has_spread = has_text = false;
    least = step;
  }
};

class Question {
 public:
  Question(const Memory& memory, const Comparisons& comparisons)
      : memory_(memory),
        comparisons_(comparisons),
        features_(memory.n_features),
        costs_(memory.n_features),
        numbers_(memory.n_features),
        number_costs_(memory.n_features),
        cost_rows_(comparisons_.features),
        is_overlap_(memory.n_features <= 64) {
    for (std::size_t f = 0; f < memory.n_features; ++f) {
      has_graded_ |= comparisons.features[f].is_graded();
      is_overlap_ &= comparisons.features[f].kind == Comparison::Kind::overlap;
      has_texts_ |= comparisons.features[f].kind == Comparison::Kind::text;
      features_[f].is_late = comparisons.features[f].is_late();
      const auto kind = comparisons.features[f].kind;
      number_costs_[f] = kind == Comparison::Kind::squared           ? NumberCost::squared
                         : kind == Comparison::Kind::root_of_squares ? NumberCost::root_of_squares
                                                                     : NumberCost::linear;
    }
  }

  // Must be called before a batch of questions. Rows of costs of the last batch are kept if they are still valid.
  void begin(const Comparisons& comparisons, const double* weights) {
    const bool had_own_rows = !comparisons_.keeps_rows;  // valid for one question: its own weights, or without its case
    comparisons_ = comparisons;
    if (had_own_rows || !comparisons.keeps_rows || !std::equal(weights_.begin(), weights_.end(), weights))
      cost_rows_.clear();
    else
      cost_rows_.forget_unknown_texts();
    weights_.assign(weights, weights + memory_.n_features);
  }

  void set(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope) {
    if (!comparisons_.keeps_rows)
      cost_rows_.clear();
    else
      cost_rows_.make_room();
    metric_ = metric;
    scope_ = scope;
    double total = 0.0;
    for (std::size_t f = 0; f < queries.size(); ++f) {
      if (queries[f].is_numeric()) {
        numbers_[f] = queries[f].number(query);
      } else {
        costs_[f].code = queries[f].code(query);
        total += metric.weights[f] * comparisons_.features[f].cap();
      }
    }
    // If the weights are too small or too large for a scale, there is no bound, and every distance is computed exactly.
    scale_ = total > 1e-300 && std::isfinite(total) ? kStepsInAll / total : 0.0;
    base_ = 0;
    known_ = {};
    sum_ = std::nan("");
    capped_.clear();
    least_capped_ = 0xFFFF;
    if (has_graded_) find_rows();
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f) {
      costs_[f].costs = nullptr;
      costs_[f].step = static_cast<Step>(metric.weights[f] * scale_);
      features_[f].forget(costs_[f].step, !comparisons_.features[f].is_graded());
      if (costs_[f].code == kNeverSeen && f >= scope.first_feature) count_in_advance(f);
    }
  }

  void make_ready(std::size_t f) {
    if (!features_[f].is_ready) prepare(f);
  }

  // Sets the segment to which the row numbers below refer.
  void look_in(const Segment& segment) { segment_ = &segment; }

  // Must be called before the distances of rows with other things in common are computed.
  void take_for_granted(const Known& known) { known_ = known; }

  // Restricts the scope: one more numeric feature must agree.
  void ask_for_number() { ++scope_.n_numbers; }

  const Comparisons& comparisons() const { return comparisons_; }
  const Metric& metric() const { return metric_; }
  const Scope& scope() const { return scope_; }
  const double* numbers() const { return numbers_.data(); }
  const NumberCost* number_costs() const { return number_costs_.data(); }
  const FeatureCost* costs() const { return costs_.data(); }
  std::uint32_t code(std::size_t f) const { return costs_[f].code; }
  bool is_late(std::size_t f) const { return features_[f].is_late; }
  bool has_graded() const { return has_graded_; }
  // Of the values that disagree, of a feature that is ready.
  Step least(std::size_t f) const { return features_[f].least; }
  Step base() const { return base_; }      // the cost of unknown values, the same for every row
  double scale() const { return scale_; }  // steps for a cost of 1

  // Whether the sum of the steps of a row, one that all features were added to, is less than a step per feature below
  // its true cost.
  bool is_tight(Row row, Step sum) {
    if (!may_be_tight()) return false;
    return sum < least_capped_ || std::none_of(
                                      capped_.begin(), capped_.end(),
                                      [&](std::uint32_t f) { return step_of(f, position(f, row)) >= capped_step(f); });
  }

  // Whether the sums of some rows may be.
  bool may_be_tight() const {
    // Without a held-out case the asked value is not quite the stored one, which costs no steps.
    return !has_texts_ && !comparisons_.is_rooted && scale_ > 0.0 && scope_.own_count == 0.0;
  }

  // The position of a row at a feature: that of its stem, or the row itself.
  Row position(std::size_t f, Row row) const {
    return f < segment_->layout.n_in_stem ? segment_->layout.stem_of[row] : row;
  }

  // Whether the grades of a late feature, one that is ready, differ in their distance from the asked one.
  bool has_late_steps(std::size_t f) const { return features_[f].is_late && !features_[f].is_constant; }

  // The steps of such a grade, computed at the first call.
  Step late_step(std::size_t f, std::uint32_t grade) {
    const Step step = features_[f].row->steps[grade];
    return step != CostRow::kUnknown ? step : compared_late(f, grade);
  }

  const Column& grades(std::size_t f) const { return segment_->layout.grades[f]; }

  // The steps of a position of the segment at a feature that is ready.
  Step step_of(std::size_t f, Row position) {
    const FeatureCost& cost = costs_[f];
    if (cost.costs != nullptr) return cost.costs[grades(f).code(position)];
    if (has_late_steps(f)) return late_step(f, grades(f).code(position));
    return segment_->layout.columns[f].code(position) == cost.code ? Step{0} : cost.step;
  }

  // Calls use(steps), where steps(position) are those of a position at a feature.
  template <class Use>
  void with_steps(std::size_t f, Use use) {
    make_ready(f);
    detail::with_codes(grades(f), [&](const auto* codes) {
      if (const Step* costs = costs_[f].costs)
        use([=](Row position) { return costs[codes[position]]; });
      else if (has_late_steps(f))
        use([=, this](Row position) { return late_step(f, codes[position]); });
      else
        use([=, this](Row position) { return step_of(f, position); });
    });
  }

  // The whole steps of a cost. Without a scale there are none: the cost may be infinite then.
  Step steps(double cost) const { return scale_ > 0.0 ? static_cast<Step>(cost * scale_) : Step{0}; }

  // The steps of a number of a row.
  Step number_step(std::size_t f, Row row) {
    const double steps = cost(f, row) * scale_;
    return steps < 65535.0 ? static_cast<Step>(steps) : Step{0xFFFF};
  }

  bool numbers_agree(Row row, std::size_t end_feature) const {
    for (std::size_t f = memory_.n_symbolic; f < end_feature; ++f)
      if (number_difference(segment_->columns[f].number(row), numbers_[f], 0.0, NumberCost::linear) != 0.0)
        return false;
    return true;
  }

  // The cost that a feature adds to the distance of a row of the segment.
  double cost(std::size_t f, Row row) {
    const Column& column = segment_->columns[f];
    const double weight = metric_.weights[f];
    if (column.is_numeric())
      return weight * number_difference(column.number(row), numbers_[f], metric_.ranges[f], number_costs_[f]);
    const Comparison& comparison = comparisons_.features[f];
    if (comparison.kind == Comparison::Kind::difference) {
      make_ready(f);
      if (!features_[f].is_constant) {
        const Row at = position(f, row);
        return weight * difference(f, at, grades(f).code(at));
      }
    }
    const std::uint32_t code = column.code(row);
    if (code == costs_[f].code) return 0.0;
    if (comparison.kind == Comparison::Kind::difference) return weight * asked_about(f).constant;
    return comparison.kind == Comparison::Kind::text ? weight * text_difference(f, code) : weight;
  }

  double distance(Row row) {
    double sum = is_overlap_ ? overlap_sum(row) : sum_of([&](std::uint32_t f) { return cost(f, row); });
    return whole(sum, row);
  }

  // The distances of several rows. Each feature is looked up for all of them at once: what it needs stays in the cache.
  // The costs of a row are added up in the same order as for one row.
  void distances(const Row* rows, std::size_t n, double* sums) {
    std::fill(sums, sums + n, 0.0);
    for (const std::uint32_t* f = metric_.sum_order; f < metric_.sum_order + memory_.n_features; ++f)
      if (is_added(*f)) add_costs(*f, rows, n, sums);
    for (std::size_t i = 0; i < n; ++i) sums[i] = whole(sums[i], rows[i]);
  }

  bool leaves_class_out() const { return scope_.leaves_class_out(); }

  bool is_candidate(Row row) const {
    return segment_->first_row + row != scope_.left_out && !segment_->is_removed(row) &&
           (!leaves_class_out() || !scope_.leaves_out(segment_->labels[row])) &&
           numbers_agree(row, memory_.n_symbolic + scope_.n_numbers);
  }

 private:
  template <class Cost>
  double sum_of(Cost&& cost_of) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < memory_.n_features; ++i) {
      const std::uint32_t f = metric_.sum_order[i];
      if (is_added(f)) sum += cost_of(f);
    }
    return sum;
  }

  bool is_added(std::uint32_t f) const { return f >= scope_.first_feature && metric_.weights[f] != 0.0; }

  // The distance of a row from the sum of its costs.
  double whole(double sum, Row row) const {
    if (comparisons_.is_rooted) sum = std::sqrt(sum);
    return segment_->divisors != nullptr ? sum / segment_->divisors[row] : sum;
  }

  void add_costs(std::uint32_t f, const Row* rows, std::size_t n, double* sums) {
    const bool is_difference = comparisons_.features[f].kind == Comparison::Kind::difference;
    if (is_difference) make_ready(f);
    if (!is_difference || features_[f].is_constant) {
      for (std::size_t i = 0; i < n; ++i) sums[i] += cost(f, rows[i]);
      return;
    }
    const double weight = metric_.weights[f];
    detail::with_codes(grades(f), [&](const auto* codes) {
      for (std::size_t i = 0; i < n; ++i) {
        const Row at = position(f, rows[i]);
        sums[i] += weight * difference(f, at, codes[at]);
      }
    });
  }

  // The sum for a row with symbols only depends on the features that disagree. Rows that follow each other often
  // disagree in the same ones.
  double overlap_sum(Row row) {
    std::uint64_t disagreeing = known_.disagreeing;
    for (std::size_t f = known_.n_features; f < memory_.n_features; ++f)
      disagreeing |= std::uint64_t{segment_->columns[f].code(row) != costs_[f].code} << f;
    if (disagreeing != disagreeing_ || std::isnan(sum_)) {
      disagreeing_ = disagreeing;
      sum_ = sum_of([&](std::uint32_t f) { return (disagreeing >> f & 1u) != 0 ? metric_.weights[f] : 0.0; });
    }
    return sum_;
  }

  // A value that no stored case has costs the same against all rows: the search starts with this sum.
  void count_in_advance(std::size_t f) {
    make_ready(f);
    if (costs_[f].costs != nullptr) return;  // an unknown text still has its own distance from each stored text
    base_ = static_cast<Step>(base_ + costs_[f].step);
    costs_[f].step = features_[f].least = 0;
  }

  void find_row(std::size_t f) {
    features_[f].grade = comparisons_.features[f].grade(costs_[f].code);
    features_[f].row = cost_rows_.find(f, features_[f].grade);
  }

  // Finds the rows of costs that are kept, for all features one after the other: each is in a place of its own that the
  // cache seldom has, and so the processor waits for all of them together.
  void find_rows() {
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f) {
      if (comparisons_.features[f].kind != Comparison::Kind::difference) continue;
      features_[f].constant = comparisons_.features[f].difference->constant(costs_[f].code, scope_.own_count);
      if (features_[f].constant < 0.0) find_row(f);
    }
  }

  // The costs of a graded feature are computed when the search reaches it.
  void prepare(std::size_t f) {
    AskedFeature& feature = features_[f];
    feature.is_ready = true;
    const Comparison& comparison = comparisons_.features[f];
    if (comparison.kind == Comparison::Kind::difference) {
      feature.is_constant = feature.constant >= 0.0;
      if (feature.is_constant) {
        costs_[f].step = feature.least = steps(metric_.weights[f] * feature.constant);
        return;
      }
    } else {
      find_row(f);
    }
    if (feature.row == nullptr && feature.is_late) feature.row = cost_rows_.make_late(f, feature.grade);
    if (feature.row == nullptr) {
      feature.row = cost_rows_.make(f, feature.grade, metric_.weights[f] * scale_, [&](double* differences) {
        if (comparison.kind == Comparison::Kind::difference)
          comparison.difference->from_all(asked_about(f), differences);
        else
          asked_text(f).at_most(differences);
      });
    }
    if (!feature.is_late) costs_[f].costs = feature.row->steps.data();
    feature.least = feature.row->least;
    if (feature.row->is_capped || feature.is_late) {
      capped_.push_back(static_cast<std::uint32_t>(f));
      least_capped_ = std::min(least_capped_, capped_step(f));
    }
  }

  // The steps of the largest difference that matters, or one less: how it is rounded depends on who computes it.
  Step capped_step(std::size_t f) const {
    return static_cast<Step>(std::max<Step>(1, steps(metric_.weights[f] * comparisons_.features[f].cap())) - 1);
  }

  // The difference of the asked value from that of a position, which has this grade, by their classes.
  double difference(std::size_t f, Row position, std::uint32_t grade) {
    if (grade == features_[f].grade && segment_->layout.columns[f].code(position) == costs_[f].code) return 0.0;
    double& difference = cost_rows_.exact(*features_[f].row, grade);
    if (difference < 0.0) difference = comparisons_.features[f].difference->between(asked_about(f), grade);
    return difference;
  }

  double text_difference(std::size_t f, std::uint32_t code) {
    make_ready(f);
    double& exact = cost_rows_.exact(*features_[f].row, code);
    if (exact < 0.0) exact = asked_text(f).from(code);
    return exact;
  }

  Step compared_late(std::size_t f, std::uint32_t grade) {
    const Comparison& comparison = comparisons_.features[f];
    const double difference = std::min(comparison.difference->roughly(spread(f), grade), comparison.cap());
    return features_[f].row->steps[grade] = steps(difference * metric_.weights[f]);
  }

  // The asked value spread out over the classes, looked up once for each question.
  const ValueDifference::Spread& spread(std::size_t f) {
    AskedFeature& feature = features_[f];
    if (!feature.has_spread) feature.spread.set(asked_about(f), comparisons_.features[f].difference->n_classes());
    feature.has_spread = true;
    return feature.spread;
  }

  // The asked value as its classes, looked up once for each question.
  const ValueDifference::Asked& asked_about(std::size_t f) {
    AskedFeature& feature = features_[f];
    if (!feature.has_value)
      comparisons_.features[f].difference->ask(costs_[f].code, scope_.own_label, scope_.own_count, feature.value);
    feature.has_value = true;
    return feature.value;
  }

  // The asked value as a text, prepared once for each question.
  const TextDistance::Asked& asked_text(std::size_t f) {
    AskedFeature& feature = features_[f];
    if (!feature.has_text) {
      const Comparison& comparison = comparisons_.features[f];
      const std::uint32_t code = costs_[f].code;
      const std::size_t n = comparison.n_values();
      const Text text = code < n ? comparison.text->text(code) : Text(*comparison.asked_texts, code - n);
      feature.text = std::make_unique<TextDistance::Asked>(*comparison.text, text, code < n);
      feature.has_text = true;
    }
    return *feature.text;
  }

  double number_difference(double stored, double asked, double range, NumberCost kind) const {
    const bool stored_missing = std::isnan(stored), asked_missing = std::isnan(asked);
    if (stored_missing || asked_missing)
      return stored_missing && asked_missing && comparisons_.missing_agrees ? 0.0 : 1.0;
    if (range <= 0.0) return stored == asked ? 0.0 : 1.0;
    const double difference = std::abs((stored - asked) / range);
    if (kind == NumberCost::squared) return difference * difference;
    if (kind == NumberCost::root_of_squares) {
      const double squares = std::abs(asked * asked - stored * stored);
      if (std::isfinite(squares)) return std::sqrt(squares) / range;
      // The squares overflow a double: √|x² − y²| = √|x − y| · √|x + y|.
      const double apart = std::abs(asked / 2.0 - stored / 2.0), together = std::abs(asked / 2.0 + stored / 2.0);
      return 2.0 * std::sqrt(apart) * std::sqrt(together) / range;
    }
    return difference;
  }

  const Memory& memory_;
  Comparisons comparisons_;
  std::vector<double> weights_;  // the weights in the rows of costs
  const Segment* segment_ = nullptr;
  Metric metric_{};
  Scope scope_{};
  bool has_graded_ = false, has_texts_ = false;
  std::vector<AskedFeature> features_;  // by column, like the three below, which scans read as arrays
  std::vector<FeatureCost> costs_;
  std::vector<double> numbers_;
  std::vector<NumberCost> number_costs_;
  CostRows cost_rows_;
  bool is_overlap_;  // whether symbols are compared, up to 64, and nothing else
  Known known_;
  std::uint64_t disagreeing_ = 0;  // the features in which the last row of the question disagreed, as bits,
  double sum_ = 0.0;               // and the sum of their costs; NaN before the first row
  double scale_ = 0.0;
  Step base_ = 0;
  std::vector<std::uint32_t> capped_;  // features whose steps may be those of the cap,
  Step least_capped_ = 0;              // and the fewest of these steps
};

}  // namespace casebase
