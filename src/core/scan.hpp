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

// Fills sums[0 … n-1] with lower bounds for rows begin … begin + n - 1, n ≤ kBlock, features first … last - 1
// added to `base`. Gives up and returns false as soon as no row of the block can be within `bound`.
CASEBASE_CLONES
inline bool scan_block(const Column* columns, const std::uint32_t* codes, const Step* steps, std::size_t first,
                       std::size_t last, std::size_t begin, std::size_t n, Step base, Step bound, Step* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] = base;
  for (std::size_t f = first; f < last; ++f) {
    Step lowest = 0;
    switch (columns[f].width) {
      case Column::Width::u8:
        lowest = detail::add_disagreements<std::uint8_t>(columns[f].data, begin, n, codes[f], steps[f], sums);
        break;
      case Column::Width::u16:
        lowest = detail::add_disagreements<std::uint16_t>(columns[f].data, begin, n, codes[f], steps[f], sums);
        break;
      default:
        lowest = detail::add_disagreements<std::uint32_t>(columns[f].data, begin, n, codes[f], steps[f], sums);
        break;
    }
    if (lowest > bound) return false;
  }
  return true;
}

// Adds the numeric features first … last - 1 to lower bounds of n rows: sums[i] becomes the row's steps taken
// back to a distance, plus the cost of its numbers. Rounding differs from the exact sum, so compare with a
// margin. Gives up and returns false as soon as no row can be within `bound`.
CASEBASE_CLONES
inline bool scan_numbers(const Column* columns, const double* numbers, const double* weights, const double* ranges,
                         std::size_t first, std::size_t last, std::size_t begin, std::size_t n, const Step* steps,
                         double step_size, double bound, bool missing_agrees, double* sums) {
  for (std::size_t i = 0; i < n; ++i) sums[i] = steps[i] * step_size;
  for (std::size_t f = first; f < last; ++f) {
    const double* column = static_cast<const double*>(columns[f].data) + begin;
    const double asked = numbers[f], weight = weights[f];
    const double slope = ranges[f] > 0.0 ? weight / ranges[f] : 0.0;  // a constant feature: bounded from below by 0
    bool any = false;
    if (asked != asked) {
      for (std::size_t i = 0; i < n; ++i) {
        sums[i] += column[i] != column[i] && missing_agrees ? 0.0 : weight;
        any |= sums[i] <= bound;
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        const double cost = slope * std::abs(column[i] - asked);
        sums[i] += cost == cost ? cost : weight;
        any |= sums[i] <= bound;
      }
    }
    if (!any) return false;
  }
  return true;
}

}  // namespace casebase
