// Exact nearest neighbours: all cases at the k smallest distinct distances.
//
// Rows are sorted by the symbolic features, heaviest first. A row that first disagrees with the query at the feature
// of rank j is at least that feature's least cost away, so the search goes down the nested ranges that agree on
// 1, 2, 3 … features, and on the way back widens a level only while its cost is not above the k-th distance found so
// far. Where costs are looked up, rows that share the heaviest features are looked at together first, as one stem
// (layout.hpp). Nothing here is approximate: bounds discard, and every row that remains gets its distance in double
// precision, summed in the order `sum_order`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/groups.hpp"
#include "core/neighbours/question.hpp"
#include "core/neighbours/scan.hpp"
#include "core/neighbours/shortlist.hpp"
#include "core/neighbours/similarity.hpp"
#include "core/types.hpp"

namespace casebase {

class NearestSearch {
 public:
  NearestSearch(const Memory& memory, const Comparisons& comparisons)
      : memory_(memory), question_(memory, comparisons) {
    const bool by_runs = memory.n_symbolic > 0 && comparisons.features[0].is_graded();
    for (const Segment& segment : memory.segments)
      first_runs_.push_back(by_runs ? runs_of(segment.layout, n_positions(segment)) : std::vector<Run>{});
  }

  // To be called before a batch of questions.
  void begin(const Comparisons& comparisons, const double* weights) { question_.begin(comparisons, weights); }

  // Groups by ascending distance, at most k. The reference is good until the next call.
  const std::vector<Group>& run(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const Scope& scope, std::size_t k) {
    question_.set(metric, queries, query, scope);
    near_.clear(k);
    loosen_bound();
    for (const Segment& segment : memory_.segments) {
      look_in(segment);
      if (question_.comparisons().similarity != Similarity::none) {
        look_at_all();
        continue;
      }
      search(scope.first_feature);
    }
    return near_.joined();
  }

  // Rows that agree with the query in every feature from scope.first_feature on.
  void identical_rows(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                      std::vector<Row>& rows) {
    question_.set(metric, queries, query, scope);
    rows.clear();
    for (const Segment& segment : memory_.segments) {
      look_in(segment);
      const auto [begin, end] = that_agree(segment.columns, segment.n_rows, memory_.n_symbolic);
      for (Row row = begin; row < end; ++row)
        if (question_.is_candidate(row) && question_.numbers_agree(row, memory_.n_features))
          rows.push_back(segment.first_row + row);
    }
  }

  // How many features, in the order of a walk, some stored case shares with the query at once. The walk comes to the
  // symbolic features, and to the numeric ones, in the order in which the memory has them.
  std::uint32_t shared_features(const Metric& metric, const std::vector<Column>& queries, std::size_t query,
                                const std::uint32_t* walk) {
    std::uint32_t deepest = 0;
    for (const Segment& segment : memory_.segments) {
      question_.set(metric, queries, query, Scope{});
      look_in(segment);
      Row begin = 0, end = static_cast<Row>(segment.n_rows);
      for (std::uint32_t depth = 0; depth < memory_.n_features; ++depth) {
        const std::uint32_t f = walk[depth];
        if (f < memory_.n_symbolic)
          std::tie(begin, end) = rows_with(segment.columns[f], question_.code(f), begin, end);
        else
          question_.ask_for_number();
        while (begin < end && !question_.is_candidate(begin)) ++begin;
        if (begin == end) break;
        deepest = std::max(deepest, depth + 1);
      }
    }
    return deepest;
  }

  // What each feature adds to the distance of some rows, row by row, before the sum is divided or its root taken;
  // nothing where rows are compared as a whole.
  void feature_costs(const Metric& metric, const std::vector<Column>& queries, std::size_t query, const Scope& scope,
                     const Row* rows, std::size_t n_rows, double* out) {
    question_.set(metric, queries, query, scope);
    for (std::size_t i = 0; i < n_rows; ++i) feature_costs(scope, rows[i], out + i * memory_.n_features);
  }

 private:
  void feature_costs(const Scope& scope, Row row, double* out) {
    for (const Segment& segment : memory_.segments) {
      if (row < segment.first_row || row - segment.first_row >= segment.n_rows) continue;
      look_in(segment);
      for (std::size_t f = 0; f < memory_.n_features; ++f)
        out[f] = f < scope.first_feature || question_.metric().weights[f] == 0.0 ||
                         question_.comparisons().similarity != Similarity::none
                     ? 0.0
                     : question_.cost(f, row - segment.first_row);
    }
  }

  static constexpr std::size_t kScanBelow = 2 * kBlock;
  static constexpr std::size_t kScanFewBelow = 128;  // where costs are looked up row by row
  static constexpr std::size_t kFirstRows = 32;
  static constexpr Row kShortRun = 16;  // to find where it ends takes longer than to look its costs up

  void look_in(const Segment& segment) {
    segment_ = &segment;
    layout_ = &segment.layout;
    question_.look_in(segment);
    telling_stems_.forget();
    telling_rows_.forget();
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
    limit_ = bound_ * question_.comparisons().largest_divisor;
    if (question_.comparisons().is_rooted) limit_ = limit_ * limit_ * kMargin;
    const double steps = limit_ * question_.scale() + 1.0;
    step_bound_ = steps < 65535.0 ? static_cast<Step>(steps) : Step{0xFFFF};
  }

  // The rows, or stems, that agree with the query on all features before one.
  std::pair<Row, Row> that_agree(const std::vector<Column>& columns, std::size_t n, std::size_t end_feature) const {
    Row begin = 0, end = static_cast<Row>(n);
    for (std::size_t f = 0; f < end_feature && begin < end; ++f)
      std::tie(begin, end) = rows_with(columns[f], question_.code(f), begin, end);
    return {begin, end};
  }

  static std::size_t n_positions(const Segment& segment) {
    return segment.layout.n_in_stem > 0 ? segment.layout.starts.size() - 1 : segment.n_rows;
  }

  // Positions to look at, with `base` steps between them and the query: they agree with each other on the features
  // before f, and all disagree with the query at f if they are so marked.
  struct Part {
    Row begin, end;
    std::uint32_t f;
    Step base;
    bool disagrees;
  };

  // The parts still to be searched are kept on a stack, the most promising on top: there may be more features
  // than a thread has room for nested calls.
  void search(std::uint32_t first_feature) {
    const auto [begin, end] = first_feature < layout_->n_in_stem
                                  ? that_agree(layout_->columns, n_positions(*segment_), first_feature)
                                  : that_agree(segment_->columns, segment_->n_rows, first_feature);
    parts_.assign(1, Part{begin, end, first_feature, question_.base(), false});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.begin == part.end || part.base > step_bound_) continue;
      if (part.disagrees)
        widen(part);
      else if (part.f >= memory_.n_symbolic ||
               part.end - part.begin <= (question_.has_graded() ? kScanFewBelow : kScanBelow))
        scan(part.begin, part.end, part.f, part.base);
      else
        descend(part);
    }
  }

  // Where a position at one feature begins at the next.
  Row at_next(std::uint32_t f, Row position) const {
    return f + 1 == layout_->n_in_stem ? layout_->starts[position] : position;
  }

  // The positions begin … end - 1 at f, which agree there too.
  Part deeper(Row begin, Row end, std::uint32_t f, Step base) const {
    return {at_next(f, begin), at_next(f, end), f + 1, base, false};
  }

  // First the rows that agree at f too, then those on either side of them.
  void descend(const Part& part) {
    const auto [same_begin, same_end] =
        rows_with(layout_->columns[part.f], question_.code(part.f), part.begin, part.end);
    parts_.push_back({same_end, part.end, part.f, part.base, true});
    parts_.push_back({part.begin, same_begin, part.f, part.base, true});
    parts_.push_back(deeper(same_begin, same_end, part.f, part.base));
  }

  // Rows that all disagree with the query at f: a long run of one value is searched like the rest, short ones are
  // scanned together.
  void widen(Part part) {
    question_.make_ready(part.f);
    if (question_.costs()[part.f].costs != nullptr) return widen_by_runs(part);
    const Column& column = layout_->columns[part.f];
    const bool is_late = question_.is_late(part.f);
    while (part.begin < part.end && part.base + question_.least(part.f) <= step_bound_) {
      const std::size_t probe = part.begin + kScanBelow;
      if (probe < part.end && column.code(probe) == column.code(part.begin)) {
        const Row next = run_end(column, part.begin, part.end);
        const Step step = question_.step_of(part.f, part.begin);
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back(deeper(part.begin, next, part.f, static_cast<Step>(part.base + step)));
        return;
      }
      const Row next = std::min<Row>(part.end, part.begin + static_cast<Row>(kBlock));
      if (is_late)
        scan(part.begin, next, part.f, part.base);
      else
        scan(at_next(part.f, part.begin), at_next(part.f, next), part.f + 1,
             static_cast<Step>(part.base + question_.least(part.f)));
      part.begin = next;
    }
  }

  // Where some positions end, whether they have one value, and its grade if they do.
  struct Run {
    Row end;
    bool is_whole;
    std::uint32_t grade;
  };

  // The runs of equal values of the first feature.
  static std::vector<Run> runs_of(const Layout& layout, std::size_t n_positions) {
    std::vector<Run> runs;
    const auto end = static_cast<Row>(n_positions);
    for (Row begin = 0; begin < end; begin = runs.back().end)
      runs.push_back({run_end(layout.columns[0], begin, end), true, layout.grades[0].code(begin)});
    return runs;
  }

  // The same where each value has a cost of its own: runs of values past the bound are passed over.
  void widen_by_runs(const Part& part) {
    if (part.f > 0) {
      const Column& grades = layout_->grades[part.f];
      return detail::with_codes(layout_->columns[part.f], [&](const auto* codes) {
        widen_by_runs(part, [&](Row begin) -> Run {
          if (begin + kShortRun >= part.end || codes[begin] != codes[begin + kShortRun])
            return {std::min(part.end, begin + kShortRun), false, 0};
          return {static_cast<Row>(detail::run_end(codes, begin, part.end)), true, grades.code(begin)};
        });
      });
    }
    const auto& runs = first_runs_[static_cast<std::size_t>(segment_ - memory_.segments.data())];
    auto run =
        std::upper_bound(runs.begin(), runs.end(), part.begin, [](Row begin, const Run& r) { return begin < r.end; });
    widen_by_runs(part, [&](Row) -> const Run& { return *run++; });
  }

  template <class NextRun>
  void widen_by_runs(Part part, NextRun next_run) {
    const Step* costs = question_.costs()[part.f].costs;
    Row pending = part.begin;  // positions from here to part.begin are to be scanned
    while (part.begin < part.end && part.base + question_.least(part.f) <= step_bound_) {
      const auto [next, is_whole, grade] = next_run(part.begin);
      const Step base = static_cast<Step>(part.base + (is_whole ? costs[grade] : 0));
      const bool is_long = is_whole && next - part.begin > kScanFewBelow;
      if (base > step_bound_ || is_long) {
        if (pending < part.begin) scan(pending, part.begin, part.f, part.base);
        pending = next;
      }
      if (is_long && base <= step_bound_) {
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back(deeper(part.begin, next, part.f, base));
        return;
      }
      part.begin = next;
    }
    scan(pending, part.begin, part.f, part.base);
  }

  void scan(Row begin, Row end, std::uint32_t f, Step base) {
    std::size_t n = 0;
    for (Row block = begin; block < end; block += static_cast<Row>(n)) {
      if (question_.has_graded()) {
        n = std::min<std::size_t>(f < layout_->n_in_stem ? kBlock : n_at_once(), end - block);
        scan_few(block, n, f, base);
      } else {
        n = std::min<std::size_t>(kBlock, end - block);
        scan_all(block, n, f, base);
      }
    }
  }

  // Without a bound all costs of all rows must be looked up: a few rows are enough to find one.
  std::size_t n_at_once() const { return std::isinf(bound_) ? kFirstRows : kBlock; }

  // Rows whose values just agree or not.
  void scan_all(Row block, std::size_t n, std::size_t f, Step base) {
    std::array<Step, kBlock> sums;
    std::fill_n(sums.data(), n, base);
    if (!scan_block({segment_->columns.data(), question_.costs(), f, memory_.n_symbolic}, block, n, step_bound_,
                    sums.data()))
      return;
    if (memory_.n_symbolic < memory_.n_features) return scan_numeric(block, n, sums.data());
    Step seen = 0;
    if (std::isinf(bound_)) {
      drop_other_rows(block, n, sums.data());
      seen = consider_nearest(block, n, sums.data());
    }
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] >= seen && sums[i] <= step_bound_) consider(block + static_cast<Row>(i));
  }

  // Positions whose costs are looked up one by one: rows, or stems and then their rows.
  void scan_few(Row block, std::size_t n, std::uint32_t f, Step base) {
    const auto position_at = [=](std::size_t i) { return block + static_cast<Row>(i); };
    if (f >= layout_->n_in_stem) {
      rows_.assign(block, n, base, question_, telling_rows_.order(question_, f, memory_.n_symbolic, n, position_at),
                   step_bound_);
      return consider_listed();
    }
    stems_.assign(block, n, base, question_, telling_stems_.order(question_, f, layout_->n_in_stem, n, position_at),
                  step_bound_);
    if (std::isinf(bound_)) stems_.sort();  // near rows make a good bound
    const auto next = static_cast<std::uint32_t>(layout_->n_in_stem);
    rows_.clear();
    for (std::size_t i = 0; i < stems_.size(); ++i) {
      const Row begin = layout_->starts[stems_.at(i)], end = layout_->starts[stems_.at(i) + 1];
      if (end - begin > kScanFewBelow) {
        parts_.push_back({begin, end, next, stems_.sum(i), false});
        continue;
      }
      for (Row row = begin; row < end && stems_.sum(i) <= step_bound_; ++row) {
        rows_.add(row, stems_.sum(i));
        if (rows_.size() < n_at_once()) continue;
        look_at_rows(next);
        rows_.clear();
      }
    }
    look_at_rows(next);
  }

  void look_at_rows(std::uint32_t f) {
    if (rows_.size() == 0) return;
    rows_.add_features(
        question_,
        telling_rows_.order(question_, f, memory_.n_symbolic, rows_.size(), [&](std::size_t i) { return rows_.at(i); }),
        step_bound_);
    consider_listed();
  }

  // What is left when all symbols have been looked up.
  void consider_listed() {
    if (rows_.size() == 0) return;
    for (std::size_t number = memory_.n_symbolic; number < memory_.n_features; ++number)
      rows_.add_number(question_, number, step_bound_);
    rows_.sort();
    for (std::size_t i = 0; i < rows_.size() && rows_.sum(i) <= step_bound_; ++i) consider(rows_.at(i));
  }

  // Rows that are not to be found must not keep those that are from being looked at first.
  void drop_other_rows(Row block, std::size_t n, Step* sums) const {
    for (std::size_t i = 0; i < n; ++i)
      if (!question_.is_candidate(block + static_cast<Row>(i))) sums[i] = 0xFFFF;
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
                              question_.numbers(),
                              question_.metric().weights,
                              question_.metric().ranges,
                              question_.number_costs(),
                              memory_.n_symbolic,
                              memory_.n_features,
                              question_.comparisons().missing_agrees,
                              question_.scale() > 0.0 ? 1.0 / question_.scale() : 0.0};
    constexpr double kMargin = 1.0 + 1e-9;
    std::array<double, kBlock> sums;
    if (!scan_numbers(numeric, block, n, steps, limit_ * kMargin, sums.data())) return;
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] <= limit_ * kMargin) consider(block + static_cast<Row>(i));
  }

  void look_at_all() {
    std::array<double, kBlock> distances;
    for (Row block = 0; block < segment_->n_rows; block += static_cast<Row>(kBlock)) {
      const std::size_t n = std::min<std::size_t>(kBlock, segment_->n_rows - block);
      similarity_distances(question_.comparisons().similarity, segment_->columns.data(), question_.numbers(),
                           question_.metric().weights, question_.metric().sum_order, memory_.n_features, block, n,
                           distances.data());
      for (std::size_t i = 0; i < n; ++i) {
        const Row row = block + static_cast<Row>(i);
        const double d = segment_->divisors != nullptr ? distances[i] / segment_->divisors[row] : distances[i];
        if (d <= bound_ && question_.is_candidate(row)) note(row, d);
      }
    }
  }

  void consider(Row row) {
    if (!question_.is_candidate(row)) return;
    const double d = question_.distance(row);
    if (d <= bound_) note(row, d);
  }

  void note(Row row, double d) {
    const double kth = near_.note(segment_->first_row + row, d);
    if (kth >= 0.0) tighten_bound(kth);
  }

  const Memory& memory_;
  Question question_;
  std::vector<std::vector<Run>> first_runs_;  // by segment
  const Segment* segment_ = nullptr;          // the one that is being searched
  const Layout* layout_ = nullptr;            // of that segment
  Telling telling_stems_, telling_rows_;
  Shortlist stems_, rows_;
  double bound_ = 0.0, limit_ = 0.0;
  Step step_bound_ = 0;
  std::vector<Part> parts_;
  NearGroups near_;
};

}  // namespace casebase
