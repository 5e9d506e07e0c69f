// The search for the overlap metric and numbers: two symbols either agree or differ.
//
// Rows are sorted by the symbolic features, heaviest first. A row that first disagrees with the query at the feature
// of rank j is at least that feature's weight away. So the search descends the nested ranges that agree on 1, 2, 3 …
// features, and on the way back widens a level only while its weight does not exceed the k-th distance found so far.
// Ranges that are short enough are scanned column by column, many rows at once.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
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

  // The parts still to be searched are kept on a stack, the most promising on top: there may be more features
  // than a thread has room for nested calls.
  void run(const Segment& segment, Path& path, std::uint32_t first_feature) {
    segment_ = &segment;
    parts_.clear();
    follow(path, first_feature);
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.begin == part.end || part.base > reach_.steps()) continue;
      if (part.disagrees)
        widen(part);
      else if (part.f >= memory_.n_symbolic || part.end - part.begin <= kScanBelow)
        scan(part.begin, part.end, part.f, part.base);
      else
        descend(part);
    }
  }

 private:
  static constexpr std::size_t kScanBelow = 2 * kBlock;

  // Descends the path of the question, which knows its ranges, as far as a range is too long to be scanned.
  void follow(Path& path, std::uint32_t f) {
    auto [begin, end] = path.agreeing(question_, f);
    for (; f < memory_.n_symbolic && end - begin > kScanBelow; ++f) {
      const auto [same_begin, same_end] = path.agreeing(question_, f + 1);
      parts_.push_back({same_end, end, f, question_.base(), true});
      parts_.push_back({begin, same_begin, f, question_.base(), true});
      std::tie(begin, end) = std::pair(same_begin, same_end);
    }
    parts_.push_back({begin, end, f, question_.base(), false});
  }

  // First the rows that agree at f too, then the rows on either side of them.
  void descend(const Part& part) {
    const auto [same_begin, same_end] =
        rows_with(segment_->columns[part.f], question_.code(part.f), part.begin, part.end);
    if (part.base + question_.least(part.f) <= reach_.steps()) {
      parts_.push_back({same_end, part.end, part.f, part.base, true});
      parts_.push_back({part.begin, same_begin, part.f, part.base, true});
    }
    parts_.push_back({same_begin, same_end, part.f + 1, part.base, false});
  }

  // Rows that all disagree with the query at f: a long run of one value is searched like the rest, short ones are
  // scanned together.
  void widen(Part part) {
    const Column& column = segment_->columns[part.f];
    const Step base = static_cast<Step>(part.base + question_.least(part.f));
    while (part.begin < part.end && part.base + question_.least(part.f) <= reach_.steps()) {
      const std::size_t probe = part.begin + kScanBelow;
      if (probe < part.end && column.code(probe) == column.code(part.begin)) {
        const Row next = run_end(column, part.begin, part.end);
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back({part.begin, next, part.f + 1, base, false});
        return;
      }
      const Row next = std::min<Row>(part.end, part.begin + static_cast<Row>(kBlock));
      scan(part.begin, next, part.f + 1, base);
      part.begin = next;
    }
  }

  void scan(Row begin, Row end, std::uint32_t f, Step base) {
    const bool is_sieved = segment_->n_rows >= kChunk;
    while (begin < end) {
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
  std::vector<Part> parts_;
};

}  // namespace casebase
