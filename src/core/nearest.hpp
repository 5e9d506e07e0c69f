// Exact nearest neighbours: all cases at the k smallest distinct distances.
//
// Rows are sorted by the symbolic features, heaviest first. A row that first disagrees with the query at the feature
// of rank j is at least that feature's least cost away, so the search goes down the nested ranges that agree on
// 1, 2, 3 … features, and on the way back widens a level only while its cost is not above the k-th distance found so
// far. Nothing here is approximate: bounds discard, and every row that remains gets its distance in double precision,
// summed in the order `sum_order`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/costs.hpp"
#include "core/memory.hpp"
#include "core/runs.hpp"
#include "core/scan.hpp"
#include "core/similarity.hpp"
#include "core/types.hpp"

namespace casebase {

// How features are compared, for all questions. Vectors are in the order of the memory's columns.
struct Comparisons {
  std::vector<Comparison> features;
  bool missing_agrees;  // whether two missing numbers count as equal
  bool is_rooted;       // whether a distance is the square root of the sum of costs
  bool keeps_rows;      // whether rows of costs may be kept from one question to the next
  double largest_divisor;
  Similarity similarity;  // whole vectors of numbers are compared instead of their features
};

// How features count for one question. All arrays are in the order of the memory's columns.
struct Metric {
  const double* weights;
  const double* ranges;            // numeric features: largest minus smallest value
  const std::uint32_t* sum_order;  // ranks in the order in which their costs are added up
};

// Where to look: rows that agree with the question on the symbolic features before first_feature and on the first
// n_numbers numeric ones, except one row; and the class and count that this one case has, where it is to be left out
// of value differences too.
struct Scope {
  std::uint32_t first_feature;
  Row left_out;
  std::uint32_t n_numbers;
  Label own_label;
  double own_count;
};

inline constexpr std::uint32_t kNeverSeen = 0xFFFFFFFFu;
inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

struct Group {
  double distance;
  std::vector<Row> rows;
};

class NearestSearch {
 public:
  NearestSearch(const Memory& memory, const Comparisons& comparisons)
      : memory_(memory),
        comparisons_(comparisons),
        costs_(memory.n_features),
        is_ready_(memory.n_features),
        is_asked_(memory.n_features),
        is_late_(memory.n_features),
        least_(memory.n_features),
        asked_(memory.n_features),
        asked_texts_(memory.n_features),
        spread_(memory.n_features),
        rows_of_costs_(memory.n_features),
        noted_(memory.n_features),
        numbers_(memory.n_features),
        number_costs_(memory.n_features),
        cost_rows_(comparisons_.features) {
    for (const Segment& segment : memory.segments) first_runs_.push_back(runs_of_first_column(segment));
    for (std::size_t f = 0; f < memory.n_features; ++f) {
      has_graded_ |= comparisons.features[f].is_graded();
      is_late_[f] = comparisons.features[f].is_late();
      const auto kind = comparisons.features[f].kind;
      number_costs_[f] = kind == Comparison::Kind::squared           ? NumberCost::squared
                         : kind == Comparison::Kind::root_of_squares ? NumberCost::root_of_squares
                                                                     : NumberCost::linear;
    }
  }

  // To be called before a batch of questions. Rows of costs are kept from the last batch if they are still true.
  void begin(const Comparisons& comparisons, const double* weights) {
    const bool had_own_rows = !comparisons_.keeps_rows;  // of one question only: of its weights, or without its case
    comparisons_ = comparisons;
    if (had_own_rows || !comparisons.keeps_rows || !std::equal(weights_.begin(), weights_.end(), weights))
      cost_rows_.clear();
    else
      cost_rows_.forget_unknown_texts();
    weights_.assign(weights, weights + memory_.n_features);
  }

  // Groups by ascending distance, at most k. The reference is good until the next call.
  const std::vector<Group>& run(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const Scope& scope, std::size_t k) {
    set_query(metric, queries, query, scope);
    k_ = k;
    near_.clear();
    groups_.clear();
    loosen_bound();
    for (const Segment& segment : memory_.segments) {
      segment_ = &segment;
      if (comparisons_.similarity != Similarity::none) {
        look_at_all();
        continue;
      }
      const auto [begin, end] = rows_in_scope(scope.first_feature);
      search(begin, end, scope.first_feature);
    }
    join_near();
    return groups_;
  }

  // Rows that agree with the query in every feature from scope.first_feature on.
  void identical_rows(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                      std::vector<Row>& rows) {
    set_query(metric, queries, query, scope);
    rows.clear();
    for (const Segment& segment : memory_.segments) {
      segment_ = &segment;
      const auto [begin, end] = rows_in_scope(memory_.n_symbolic);
      for (Row row = begin; row < end; ++row)
        if (is_candidate(row) && numbers_agree(row, memory_.n_features)) rows.push_back(segment.first_row + row);
    }
  }

  // How many features, in the order of a walk, some stored case shares with the query at once. The walk comes to the
  // symbolic features, and to the numeric ones, in the order in which the memory has them.
  std::uint32_t shared_features(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const std::uint32_t* walk) {
    std::uint32_t deepest = 0;
    for (const Segment& segment : memory_.segments) {
      set_query(metric, queries, query, {0, kNoRow, 0, 0, 0.0});
      segment_ = &segment;
      Row begin = 0, end = static_cast<Row>(segment.n_rows);
      for (std::uint32_t depth = 0; depth < memory_.n_features; ++depth) {
        const std::uint32_t f = walk[depth];
        if (f < memory_.n_symbolic)
          std::tie(begin, end) = rows_with(segment.columns[f], costs_[f].code, begin, end);
        else
          ++scope_.n_numbers;
        while (begin < end && !is_candidate(begin)) ++begin;
        if (begin == end) break;
        deepest = std::max(deepest, depth + 1);
      }
    }
    return deepest;
  }

  // What each feature adds to the distance of one row, before the sum is divided or its root taken; nothing where rows
  // are compared as a whole.
  void feature_costs(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                     Row row, double* out) {
    set_query(metric, queries, query, scope);
    for (const Segment& segment : memory_.segments) {
      if (row < segment.first_row || row - segment.first_row >= segment.n_rows) continue;
      segment_ = &segment;
      for (std::size_t f = 0; f < memory_.n_features; ++f)
        out[f] = f < scope.first_feature || metric.weights[f] == 0.0 || comparisons_.similarity != Similarity::none
                     ? 0.0
                     : cost(f, row - segment.first_row);
    }
  }

 private:
  static constexpr std::size_t kScanBelow = 2 * kBlock;
  static constexpr std::size_t kScanFewBelow = 128;  // where costs are looked up row by row
  static constexpr std::size_t kFirstRows = 32;

  void set_query(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope) {
    if (!comparisons_.keeps_rows)
      cost_rows_.clear();
    else
      cost_rows_.make_room();
    metric_ = metric;
    scope_ = scope;
    ++question_;
    double total = 0.0;
    for (std::size_t f = 0; f < queries.size(); ++f) {
      if (queries[f].is_numeric()) {
        numbers_[f] = queries[f].number(query);
      } else {
        costs_[f].code = queries[f].code(query);
        total += metric.weights[f] * comparisons_.features[f].cap();
      }
    }
    // Weights too small or too large for a scale give no bound: every row is then looked at exactly.
    scale_ = total > 1e-300 && std::isfinite(total) ? kStepsInAll / total : 0.0;
    base_ = 0;
    telling_from_ = kNowhere;
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f) {
      costs_[f].costs = nullptr;
      costs_[f].step = least_[f] = static_cast<Step>(metric.weights[f] * scale_);
      is_ready_[f] = !comparisons_.features[f].is_graded();
      is_asked_[f] = false;
      if (costs_[f].code == kNeverSeen && f >= scope.first_feature) count_in_advance(f);
    }
  }

  // A value that no stored case has costs the same against all of them: the search begins with that.
  void count_in_advance(std::size_t f) {
    if (!is_ready_[f]) prepare(f);
    if (costs_[f].costs != nullptr) return;  // an unknown text is nearer to some than to others
    base_ = static_cast<Step>(base_ + costs_[f].step);
    costs_[f].step = least_[f] = 0;
  }

  // A feature whose values differ more or less gets its costs when the search comes to it.
  void prepare(std::size_t f) {
    is_ready_[f] = true;
    const Comparison& comparison = comparisons_.features[f];
    const std::uint32_t code = costs_[f].code;
    CostRow* row = comparison.is_late() ? nullptr : cost_rows_.find(f, code);
    if (row == nullptr && comparison.kind == Comparison::Kind::difference) {
      const ValueDifference::Asked& asked = asked_about(f);
      if (asked.constant >= 0.0) {
        costs_[f].step = least_[f] = static_cast<Step>(metric_.weights[f] * asked.constant * scale_);
        return;
      }
      spread_[f].set(asked, comparison.difference->n_classes());
      if (comparison.is_late()) {
        noted_[f].resize(comparison.n_values(), {0, 0});
        least_[f] = 0;
        return;
      }
    }
    if (row == nullptr) {
      row = cost_rows_.make(f, code, metric_.weights[f] * scale_, [&](double* differences) {
        if (comparison.kind == Comparison::Kind::difference)
          comparison.difference->from_all(spread_[f], differences);
        else
          asked_text(f).at_most(differences);
      });
    }
    rows_of_costs_[f] = row;
    costs_[f].costs = row->steps.data();
    least_[f] = row->least;
  }

  // The asked value as its classes, looked up once for each question.
  const ValueDifference::Asked& asked_about(std::size_t f) {
    if (!is_asked_[f])
      comparisons_.features[f].difference->ask(costs_[f].code, scope_.own_label, scope_.own_count, asked_[f]);
    is_asked_[f] = true;
    return asked_[f];
  }

  // The asked value as a text, prepared once for each question.
  const TextDistance::Asked& asked_text(std::size_t f) {
    if (!is_asked_[f]) {
      const Comparison& comparison = comparisons_.features[f];
      const std::uint32_t code = costs_[f].code;
      const std::size_t n = comparison.n_values();
      const Text text = code < n ? comparison.text->text(code) : Text(*comparison.asked_texts, code - n);
      asked_texts_[f] = std::make_unique<TextDistance::Asked>(*comparison.text, text, code < n);
      is_asked_[f] = true;
    }
    return *asked_texts_[f];
  }

  void make_ready(std::size_t f) {
    if (!is_ready_[f]) prepare(f);
  }

  void loosen_bound() {
    bound_ = limit_ = std::numeric_limits<double>::infinity();
    step_bound_ = 0xFFFF;
  }

  // Distances up to bound_ are of interest, and sums of costs up to limit_. One step more than needed keeps rounding
  // harmless.
  void tighten_bound(double kth_distance) {
    constexpr double kMargin = 1.0 + 1e-12;
    bound_ = kth_distance + kEpsilon;
    limit_ = bound_ * comparisons_.largest_divisor;
    if (comparisons_.is_rooted) limit_ = limit_ * limit_ * kMargin;
    const double steps = limit_ * scale_ + 1.0;
    step_bound_ = steps < 65535.0 ? static_cast<Step>(steps) : Step{0xFFFF};
  }

  // The rows of the segment that agree with the query on all features before one.
  std::pair<Row, Row> rows_in_scope(std::size_t end_feature) const {
    Row begin = 0, end = static_cast<Row>(segment_->n_rows);
    for (std::size_t f = 0; f < end_feature && begin < end; ++f)
      std::tie(begin, end) = rows_with(segment_->columns[f], costs_[f].code, begin, end);
    return {begin, end};
  }

  // Rows to look at, with `base` steps between them and the query: they agree with each other on the features before
  // f, and all disagree with the query at f if they are so marked.
  struct Part {
    Row begin, end;
    std::uint32_t f;
    Step base;
    bool disagrees;
  };

  // The parts still to be searched are kept on a stack, the most promising on top: there may be more features
  // than a thread has room for nested calls.
  void search(Row begin, Row end, std::uint32_t first_feature) {
    parts_.assign(1, Part{begin, end, first_feature, base_, false});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.begin == part.end || part.base > step_bound_) continue;
      if (part.disagrees)
        widen(part);
      else if (part.f >= memory_.n_symbolic || part.end - part.begin <= (has_graded_ ? kScanFewBelow : kScanBelow))
        scan(part.begin, part.end, part.f, part.base);
      else
        descend(part);
    }
  }

  // First the rows that agree at f too, then those on either side of them.
  void descend(const Part& part) {
    const auto [same_begin, same_end] = rows_with(segment_->columns[part.f], costs_[part.f].code, part.begin, part.end);
    parts_.push_back({same_end, part.end, part.f, part.base, true});
    parts_.push_back({part.begin, same_begin, part.f, part.base, true});
    parts_.push_back({same_begin, same_end, part.f + 1, part.base, false});
  }

  // The steps of a stored value of a feature that is ready.
  Step step_of(std::size_t f, std::uint32_t code) {
    const FeatureCost& cost = costs_[f];
    if (cost.costs != nullptr) return cost.costs[code];
    if (code == cost.code) return 0;
    return is_late_[f] && asked_[f].constant < 0.0 ? late_step(f, code) : cost.step;
  }

  // The steps of a stored value of a late feature, looked up once for each question.
  Step late_step(std::size_t f, std::uint32_t code) {
    Noted& noted = noted_[f][code];
    if (noted.question != question_) {
      const Comparison& comparison = comparisons_.features[f];
      const double difference = std::min(comparison.difference->roughly(spread_[f], code), comparison.cap());
      noted = {question_, static_cast<Step>(difference * metric_.weights[f] * scale_)};
    }
    return noted.step;
  }

  // Rows that all disagree with the query at f: a long run of one value is searched like the rest, short ones are
  // scanned together.
  void widen(Part part) {
    make_ready(part.f);
    if (costs_[part.f].costs != nullptr) return widen_by_runs(part);
    const Column& column = segment_->columns[part.f];
    const bool is_late = is_late_[part.f];
    while (part.begin < part.end && part.base + least_[part.f] <= step_bound_) {
      const std::size_t probe = part.begin + kScanBelow;
      if (probe < part.end && column.code(probe) == column.code(part.begin)) {
        const Row next = run_end(column, part.begin, part.end);
        const Step step = step_of(part.f, column.code(part.begin));
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back({part.begin, next, part.f + 1, static_cast<Step>(part.base + step), false});
        return;
      }
      const Row next = std::min<Row>(part.end, part.begin + static_cast<Row>(kBlock));
      if (is_late)
        scan(part.begin, next, part.f, part.base);
      else
        scan(part.begin, next, part.f + 1, static_cast<Step>(part.base + least_[part.f]));
      part.begin = next;
    }
  }

  // Where the runs of equal values of the first column begin, and where the last one ends.
  std::vector<Row> runs_of_first_column(const Segment& segment) const {
    std::vector<Row> starts{0};
    const auto end = static_cast<Row>(segment.n_rows);
    if (memory_.n_symbolic > 0 && comparisons_.features[0].is_graded())
      while (starts.back() < end) starts.push_back(run_end(segment.columns[0], starts.back(), end));
    return starts;
  }

  // The same where each value has a cost of its own: runs of values past the bound are passed over.
  void widen_by_runs(const Part& part) {
    if (part.f > 0) {
      const Column& column = segment_->columns[part.f];
      return widen_by_runs(part, [&](Row row) { return run_end(column, row, part.end); });
    }
    const auto& starts = first_runs_[static_cast<std::size_t>(segment_ - memory_.segments.data())];
    auto run = std::upper_bound(starts.begin(), starts.end(), part.begin);
    widen_by_runs(part, [&](Row) { return *run++; });
  }

  template <class EndOfRun>
  void widen_by_runs(Part part, EndOfRun end_of_run) {
    const Column& column = segment_->columns[part.f];
    const Step* costs = costs_[part.f].costs;
    Row pending = part.begin;  // rows from here to part.begin are to be scanned
    while (part.begin < part.end && part.base + least_[part.f] <= step_bound_) {
      const Row next = end_of_run(part.begin);
      const Step base = static_cast<Step>(part.base + costs[column.code(part.begin)]);
      const bool is_long = next - part.begin > kScanFewBelow;
      if (base > step_bound_ || is_long) {
        scan(pending, part.begin, part.f, part.base);
        pending = next;
      }
      if (is_long && base <= step_bound_) {
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back({part.begin, next, part.f + 1, base, false});
        return;
      }
      part.begin = next;
    }
    scan(pending, part.begin, part.f, part.base);
  }

  void scan(Row begin, Row end, std::size_t f, Step base) {
    std::array<Step, kBlock> sums;
    std::size_t n = 0;
    for (Row block = begin; block < end; block += static_cast<Row>(n)) {
      // Without a bound all costs of all rows must be looked up: a few rows are enough to find one.
      const bool has_bound = !std::isinf(bound_);
      n = std::min<std::size_t>(has_graded_ && !has_bound ? kFirstRows : kBlock, end - block);
      std::fill_n(sums.data(), n, base);
      const bool is_near =
          has_graded_ && has_bound ? scan_few(block, n, f, sums.data()) : scan_all(block, n, f, sums.data());
      if (!is_near) continue;
      if (memory_.n_symbolic < memory_.n_features) {
        scan_numeric(block, n, sums.data());
        continue;
      }
      const Step seen = has_bound ? Step{0} : consider_nearest(block, n, sums.data());
      for (std::size_t i = 0; i < n; ++i)
        if (sums[i] >= seen && sums[i] <= step_bound_) consider(block + static_cast<Row>(i));
    }
  }

  // Lower bounds for a block from the symbolic features f …; false if all are past the bound.
  bool scan_all(Row block, std::size_t n, std::size_t f, Step* sums) {
    while (f < memory_.n_symbolic) {
      make_ready(f);
      if (is_late_[f]) {
        for (std::size_t i = 0; i < n; ++i)
          sums[i] = static_cast<Step>(sums[i] + step_of(f, segment_->columns[f].code(block + i)));
        ++f;
        continue;
      }
      std::size_t next = f + 1;
      while (next < memory_.n_symbolic && is_ready_[next] && !is_late_[next]) ++next;
      if (!scan_block({segment_->columns.data(), costs_.data(), f, next}, block, n, step_bound_, sums)) return false;
      f = next;
    }
    return true;
  }

  // The same where costs are looked up row by row: after the first feature only rows within the bound are followed,
  // the features that tell most come first, those with very many values last. The sums of the other rows are set past
  // the bound.
  bool scan_few(Row block, std::size_t n, std::size_t f, Step* sums) {
    if (f != telling_from_ || ++n_scans_ % kTellAgain == 0) order_by_telling(block, n, f);
    std::array<std::uint16_t, kBlock> left;
    std::size_t n_left = n;
    bool is_first = true;
    for (const std::uint32_t feature : telling_) {
      n_left = is_first ? follow<true>(feature, block, left.data(), n, sums)
                        : follow<false>(feature, block, left.data(), n_left, sums);
      if (n_left == 0) return false;
      is_first = false;
    }
    if (is_first) return true;
    std::array<Step, kBlock> kept;
    for (std::size_t j = 0; j < n_left; ++j) kept[j] = sums[left[j]];
    std::fill_n(sums, n, Step{0xFFFF});
    for (std::size_t j = 0; j < n_left; ++j) sums[left[j]] = kept[j];
    return true;
  }

  // Puts the features from f on in the order of what they cost on a few rows of a block, late ones last.
  void order_by_telling(Row block, std::size_t n, std::size_t f) {
    telling_from_ = f;
    n_scans_ = 0;
    telling_.clear();
    told_.assign(memory_.n_symbolic, 0);
    const std::size_t stride = std::max<std::size_t>(1, n / kSampled);
    for (std::size_t feature = f; feature < memory_.n_symbolic; ++feature) {
      telling_.push_back(static_cast<std::uint32_t>(feature));
      if (is_late_[feature]) continue;
      make_ready(feature);
      const Column& column = segment_->columns[feature];
      told_[feature] = 1;
      for (std::size_t i = 0; i < n; i += stride) told_[feature] += step_of(feature, column.code(block + i));
    }
    std::stable_sort(telling_.begin(), telling_.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return told_[x] > told_[y]; });
  }

  // Adds a feature to the rows that are left, at first all; returns how many still are.
  template <bool is_first>
  std::size_t follow(std::size_t f, Row block, std::uint16_t* left, std::size_t n, Step* sums) {
    make_ready(f);
    auto add = [&](auto step_at) {
      std::size_t n_left = 0;
      const Step bound = step_bound_;
      for (std::size_t j = 0; j < n; ++j) {
        const std::uint16_t i = is_first ? static_cast<std::uint16_t>(j) : left[j];
        const Step sum = static_cast<Step>(sums[i] + step_at(block + i));
        sums[i] = sum;
        left[n_left] = i;
        n_left += sum <= bound;
      }
      return n_left;
    };
    const Column& column = segment_->columns[f];
    if (const Step* costs = costs_[f].costs)
      return detail::with_codes(column,
                                [&](const auto* codes) { return add([=](Row row) { return costs[codes[row]]; }); });
    if (is_late_[f] && asked_[f].constant < 0.0) {
      const std::uint32_t asked = costs_[f].code;
      return detail::with_codes(column, [&](const auto* codes) {
        return add([&](Row row) { return codes[row] == asked ? Step{0} : late_step(f, codes[row]); });
      });
    }
    return add([&](Row row) { return step_of(f, column.code(row)); });
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
    const NumericScan numeric{segment_->columns.data(),
                              numbers_.data(),
                              metric_.weights,
                              metric_.ranges,
                              number_costs_.data(),
                              memory_.n_symbolic,
                              memory_.n_features,
                              comparisons_.missing_agrees,
                              scale_ > 0.0 ? 1.0 / scale_ : 0.0};
    constexpr double kMargin = 1.0 + 1e-9;
    std::array<double, kBlock> sums;
    if (!scan_numbers(numeric, block, n, steps, limit_ * kMargin, sums.data())) return;
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] <= limit_ * kMargin) consider(block + static_cast<Row>(i));
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
      // Squares that no double holds: √|x² − y²| = √|x − y| · √|x + y|.
      const double apart = std::abs(asked / 2.0 - stored / 2.0), together = std::abs(asked / 2.0 + stored / 2.0);
      return 2.0 * std::sqrt(apart) * std::sqrt(together) / range;
    }
    return difference;
  }

  bool numbers_agree(Row row, std::size_t end_feature) const {
    for (std::size_t f = memory_.n_symbolic; f < end_feature; ++f)
      if (number_difference(segment_->columns[f].number(row), numbers_[f], 0.0, NumberCost::linear) != 0.0)
        return false;
    return true;
  }

  // What a feature adds to the distance of a row of the segment.
  double cost(std::size_t f, Row row) {
    const Column& column = segment_->columns[f];
    const double weight = metric_.weights[f];
    if (column.is_numeric())
      return weight * number_difference(column.number(row), numbers_[f], metric_.ranges[f], number_costs_[f]);
    const auto code = column.code(row);
    if (code == costs_[f].code) return 0.0;
    const Comparison& comparison = comparisons_.features[f];
    if (!comparison.is_graded()) return weight;
    make_ready(f);
    if (costs_[f].costs == nullptr) return weight * comparison.difference->between(asked_about(f), code);
    double& exact = rows_of_costs_[f]->exact[code];
    if (exact < 0.0) {
      const bool is_text = comparison.kind == Comparison::Kind::text;
      exact = is_text ? asked_text(f).from(code) : comparison.difference->between(asked_about(f), code);
      if (is_text)  // what is known exactly need not be looked at again
        rows_of_costs_[f]->steps[code] = static_cast<Step>(std::min(exact, comparison.cap()) * weight * scale_);
    }
    return weight * exact;
  }

  double distance(Row row) {
    double sum = 0.0;
    for (std::size_t i = 0; i < memory_.n_features; ++i) {
      const std::uint32_t f = metric_.sum_order[i];
      if (f >= scope_.first_feature && metric_.weights[f] != 0.0) sum += cost(f, row);
    }
    if (comparisons_.is_rooted) sum = std::sqrt(sum);
    return segment_->divisors != nullptr ? sum / segment_->divisors[row] : sum;
  }

  bool is_candidate(Row row) const {
    return segment_->first_row + row != scope_.left_out && !segment_->is_removed(row) &&
           numbers_agree(row, memory_.n_symbolic + scope_.n_numbers);
  }

  void look_at_all() {
    std::array<double, kBlock> distances;
    for (Row block = 0; block < segment_->n_rows; block += static_cast<Row>(kBlock)) {
      const std::size_t n = std::min<std::size_t>(kBlock, segment_->n_rows - block);
      similarity_distances(comparisons_.similarity, segment_->columns.data(), numbers_.data(), metric_.weights,
                           metric_.sum_order, memory_.n_features, block, n, distances.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Row row = block + static_cast<Row>(i);
        const double d = segment_->divisors != nullptr ? distances[i] / segment_->divisors[row] : distances[i];
        if (d <= bound_ && is_candidate(row)) note(row, d);
      }
    }
  }

  void consider(Row row) {
    if (!is_candidate(row)) return;
    const double d = distance(row);
    if (d <= bound_) note(row, d);
  }

  void note(Row row, double d) {
    const Row number = segment_->first_row + row;
    const auto place = std::lower_bound(near_.begin(), near_.end(), d,
                                        [](const Group& group, double limit) { return group.distance < limit; });
    if (place != near_.end() && place->distance == d) {
      place->rows.push_back(number);
      return;
    }
    near_.insert(place, Group{d, {number}});
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
  Comparisons comparisons_;
  std::vector<std::vector<Row>> first_runs_;  // by segment
  std::vector<double> weights_;               // with which rows of costs were made
  const Segment* segment_ = nullptr;          // the one that is being searched
  Metric metric_{};
  Scope scope_{};
  // The query, by column: what symbols cost, and the numbers.
  std::vector<FeatureCost> costs_;
  std::vector<std::uint8_t> is_ready_, is_asked_, is_late_;
  std::vector<Step> least_;  // of the values that disagree
  std::vector<ValueDifference::Asked> asked_;
  std::vector<std::unique_ptr<TextDistance::Asked>> asked_texts_;
  std::vector<ValueDifference::Spread> spread_;
  bool has_graded_ = false;
  // Which features to look at first: those that cost most on a few rows, looked up again now and then.
  static constexpr std::size_t kSampled = 8, kTellAgain = 8, kNowhere = ~std::size_t{0};
  std::size_t telling_from_ = kNowhere, n_scans_ = 0;
  std::vector<std::uint32_t> telling_, told_;
  std::vector<CostRow*> rows_of_costs_;
  // Steps of late features that have been looked up for a question, numbered from 1.
  struct Noted {
    std::uint32_t question;
    Step step;
  };
  std::vector<std::vector<Noted>> noted_;
  std::uint32_t question_ = 0;
  std::vector<double> numbers_;
  std::vector<NumberCost> number_costs_;
  CostRows cost_rows_;
  double scale_ = 0.0;
  std::size_t k_ = 1;
  Step base_ = 0;  // what unknown values cost, against any row
  double bound_ = 0.0, limit_ = 0.0;
  Step step_bound_ = 0;
  std::vector<Part> parts_;
  std::vector<Group> near_;  // by ascending distance, distances as they are
  std::vector<Group> groups_;
};

}  // namespace casebase
