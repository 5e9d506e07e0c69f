// The search for the overlap metric and numbers: two symbols either agree or differ.
//
// Rows are sorted by the symbolic features, heaviest first. A row that first disagrees with the query at the feature
// of rank j is at least that feature's weight away. So the search descends the nested ranges that agree on 1, 2, 3 …
// features, and on the way back widens a level only while its weight does not exceed the k-th distance found so far.
// Ranges that are short enough are scanned column by column, many rows at once.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/memory/long_runs.hpp"
#include "core/memory/memory.hpp"
#include "core/neighbours/path.hpp"
#include "core/neighbours/question.hpp"
#include "core/neighbours/reach.hpp"
#include "core/neighbours/scan.hpp"
#include "core/neighbours/sieve.hpp"
#include "core/types.hpp"

namespace casebase {

class PlainSearch {
 public:
  PlainSearch(const Memory& memory, Question& question, Reach& reach)
      : memory_(memory), question_(question), reach_(reach) {}

  void run(const Segment& segment, Path& path, std::uint32_t first_feature) {
    segment_ = &segment;
    runs_ = &path.runs();
    rests_.clear();
    waiting_.clear();
    descend(path.agreeing(question_, first_feature), {first_feature, 0}, question_.base(),
            [&](const Range&, std::uint32_t f) { return path.agreeing(question_, f + 1); });
    while (!waiting_.empty()) {
      std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      if (next.base > reach_.steps()) return;
      widen(rests_[kLast - next.rest], next.base);
    }
  }

 private:
  // The rows of a range outside a part of it, which is the one that agrees with the query at the first unknown feature.
  struct Rest {
    Range range, same;
    Known known;
  };

  // A rest, in steps from the query; of those at the same distance the last one found, which lies deepest, is first.
  struct Waiting {
    Step base;
    std::uint32_t rest;  // counted from kLast downwards
    auto operator<=>(const Waiting&) const = default;
  };
  static constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

  // Descends from a range of rows, of which the features before some one are known, to the rows that agree with the
  // query there and after it, until they are few. What lies beside them waits.
  template <class Same>
  void descend(Range range, Known known, Step base, Same&& same_in) {
    if (base > reach_.steps()) return;
    for (std::uint32_t& f = known.n_features; range.is_long() && f < memory_.n_symbolic; ++f) {
      const Range same = same_in(range, f);
      const auto aside = static_cast<Step>(base + question_.costs()[f].step);
      if (same.size() < range.size() && aside <= reach_.steps()) {
        waiting_.push_back({aside, kLast - static_cast<std::uint32_t>(rests_.size())});
        std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
        rests_.push_back({range, same, known});
      }
      range = same;
    }
    scan(range.begin, range.end, known, base);
  }

  // Long runs of one value are descended, short ones are scanned together.
  void widen(const Rest rest, Step base) {
    const auto [first, last] = runs_->within(rest.range, rest.known.n_features);
    const Known known = rest.known.and_disagrees();
    Row begin = rest.range.begin;
    for (std::uint32_t i = first; i < last; ++i) {
      const Range run{(*runs_)[i].begin, (*runs_)[i].end, i};
      scan_rest(begin, run.begin, rest.same, known, base);
      if (i != rest.same.run)
        descend(run, known, base,
                [this](const Range& range, std::uint32_t f) { return runs_->with(range, f, question_.code(f)); });
      begin = run.end;
    }
    scan_rest(begin, rest.range.end, rest.same, known, base);
  }

  void scan_rest(Row begin, Row end, const Range& same, const Known& known, Step base) {
    if (begin < same.end && same.begin < end) {
      scan(begin, same.begin, known, base);
      begin = same.end;
    }
    scan(begin, end, known, base);
  }

  void scan(Row begin, Row end, const Known& known, Step base) {
    const std::uint32_t f = known.n_features;
    question_.take_for_granted(known);
    const bool is_sieved = segment_->n_rows >= kChunk;
    while (begin < end && base <= reach_.steps()) {
      std::size_t most = kBlock;
      if (is_sieved && !reach_.is_open()) {
        begin = static_cast<Row>(first_near({segment_->columns.data(), question_.costs(), f, memory_.n_symbolic}, begin,
                                            end, segment_->n_rows, base, reach_.steps()));
        most = kChunk;
      }
      const std::size_t n = std::min<std::size_t>(most, end - begin);
      if (n > 0) scan_rows(begin, n, f, base);
      begin += static_cast<Row>(n);
    }
  }

  void scan_rows(Row block, std::size_t n, std::size_t f, Step base) {
    std::array<Step, kBlock> sums;
    std::fill_n(sums.data(), n, base);
    if (!scan_block({segment_->columns.data(), question_.costs(), f, memory_.n_symbolic}, block, n, reach_.steps(),
                    sums.data()))
      return;
    if (memory_.n_symbolic < memory_.n_features) return scan_numeric(block, n, sums.data());
    const Step seen = reach_.is_open() ? consider_nearest(block, n, sums.data()) : Step{0};
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] >= seen && sums[i] <= reach_.steps()) reach_.consider(block + static_cast<Row>(i));
  }

  // Without a bound every row of a block would need its exact distance. So the rows with the lowest sums come first,
  // until k distances are known; all rows with a sum below the number returned have been examined.
  Step consider_nearest(Row block, std::size_t n, Step* sums) {
    // Rows of the excluded class must not take the place of others among the lowest sums.
    if (question_.leaves_class_out())
      for (std::size_t i = 0; i < n; ++i)
        if (!question_.is_candidate(block + static_cast<Row>(i))) sums[i] = 0xFFFF;
    Step seen = 0;
    while (reach_.is_open()) {
      Step lowest = 0xFFFF;
      for (std::size_t i = 0; i < n; ++i) lowest = std::min<Step>(lowest, sums[i] >= seen ? sums[i] : Step{0xFFFF});
      if (lowest == 0xFFFF) break;
      for (std::size_t i = 0; i < n; ++i)
        if (sums[i] == lowest) reach_.consider(block + static_cast<Row>(i));
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
    if (!scan_numbers(numeric, block, n, steps, reach_.limit() * kMargin, sums.data())) return;
    for (std::size_t i = 0; i < n; ++i)
      if (sums[i] <= reach_.limit() * kMargin) reach_.consider(block + static_cast<Row>(i));
  }

  const Memory& memory_;
  Question& question_;
  Reach& reach_;
  const Segment* segment_ = nullptr;
  LongRuns* runs_ = nullptr;  // of the segment
  std::vector<Rest> rests_;
  std::vector<Waiting> waiting_;  // a heap, the nearest first
};

}  // namespace casebase
