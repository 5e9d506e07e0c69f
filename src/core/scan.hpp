// Lower bounds on the distances of a few hundred neighbouring rows at once.
//
// Weights are rounded down to 16-bit steps, so a sum of steps never exceeds the true distance: a row
// whose sum is past the bound is certainly too far, the others deserve an exact look. Sixteen bits
// let the compiler compare and add 16 or 32 rows in one instruction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

using Step = std::uint16_t;

inline constexpr std::size_t kBlock = 256;      // rows looked at together
inline constexpr double kStepsInAll = 60000.0;  // the sum of all steps; leaves room below 2^16

namespace detail {

// `code` always equals some column[i] or none; the narrowing below keeps "never seen" the largest number.
template <class Code>
CASEBASE_INLINE Step add_disagreements(const void* data, std::size_t begin, std::size_t n, std::uint32_t code,
                                       Step step, Step* sums) {
  const Code* column = static_cast<const Code*>(data) + begin;
  const Code wanted = static_cast<Code>(code);
  Step lowest = 0xFFFF;
  for (std::size_t i = 0; i < n; ++i) {
    const Step sum = static_cast<Step>(sums[i] + (column[i] != wanted ? step : 0));
    sums[i] = sum;
    lowest = std::min(lowest, sum);
  }
  return lowest;
}

}  // namespace detail

// The symbolic part of a scan: which columns, against which codes, at which cost.
struct SymbolicScan {
  const Column* columns;
  const std::uint32_t* codes;
  const Step* steps;
  std::size_t first, last;  // features first … last - 1
};

// Fills sums[0 … n-1] with lower bounds for rows begin … begin + n - 1, n ≤ kBlock: `base` and the features.
// Gives up and returns false as soon as no row of the block can be within `bound`.
inline bool scan_block(const SymbolicScan& scan, std::size_t begin, std::size_t n, Step base, Step bound, Step* sums) {
  return best_version(
      [](const SymbolicScan* scan, std::size_t begin, std::size_t n, Step base, Step bound, Step* sums)
          CASEBASE_INLINE_LAMBDA {
            for (std::size_t i = 0; i < n; ++i) sums[i] = base;
            for (std::size_t f = scan->first; f < scan->last; ++f) {
              const Column& column = scan->columns[f];
              const std::uint32_t code = scan->codes[f];
              const Step step = scan->steps[f];
              Step lowest = 0;
              switch (column.width) {
                case Column::Width::u8:
                  lowest = detail::add_disagreements<std::uint8_t>(column.data, begin, n, code, step, sums);
                  break;
                case Column::Width::u16:
                  lowest = detail::add_disagreements<std::uint16_t>(column.data, begin, n, code, step, sums);
                  break;
                default:
                  lowest = detail::add_disagreements<std::uint32_t>(column.data, begin, n, code, step, sums);
                  break;
              }
              if (lowest > bound) return false;
            }
            return true;
          },
      &scan, begin, n, base, bound, sums);
}

// The numeric part of a scan. A missing number (NaN) costs the whole weight, or nothing if both are missing
// and agree.
struct NumericScan {
  const Column* columns;
  const double* numbers;
  const double* weights;
  const double* ranges;
  std::size_t first, last;
  bool missing_agrees;
  double step_size;  // what one step of the symbolic part is worth
};

// Adds the numeric features to lower bounds of n rows: sums[i] becomes the row's steps taken back to a distance,
// plus the cost of its numbers. Rounding differs from the exact sum, so compare with a margin.
// Gives up and returns false as soon as no row can be within `bound`.
inline bool scan_numbers(const NumericScan& scan, std::size_t begin, std::size_t n, const Step* steps, double bound,
                         double* sums) {
  return best_version(
      [](const NumericScan* scan, std::size_t begin, std::size_t n, const Step* steps, double bound, double* sums)
          CASEBASE_INLINE_LAMBDA {
            for (std::size_t i = 0; i < n; ++i) sums[i] = steps[i] * scan->step_size;
            for (std::size_t f = scan->first; f < scan->last; ++f) {
              const double* column = static_cast<const double*>(scan->columns[f].data) + begin;
              const double asked = scan->numbers[f], weight = scan->weights[f];
              // 0 is a lower bound too: for a constant feature, and where the division overflows.
              const double ratio = weight / scan->ranges[f];
              const double slope = scan->ranges[f] > 0.0 && std::isfinite(ratio) ? ratio : 0.0;
              const double both_missing = scan->missing_agrees ? 0.0 : weight;
              double lowest = std::numeric_limits<double>::infinity();
              if (asked != asked) {
                for (std::size_t i = 0; i < n; ++i) {
                  sums[i] += column[i] != column[i] ? both_missing : weight;
                  lowest = sums[i] < lowest ? sums[i] : lowest;
                }
              } else {
                for (std::size_t i = 0; i < n; ++i) {
                  const double cost = slope * std::abs(column[i] - asked);
                  sums[i] += cost == cost ? cost : weight;
                  lowest = sums[i] < lowest ? sums[i] : lowest;
                }
              }
              if (lowest > bound) return false;
            }
            return true;
          },
      &scan, begin, n, steps, bound, sums);
}

}  // namespace casebase
