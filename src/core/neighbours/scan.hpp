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

inline constexpr std::size_t kBlock = 256;      // rows per block
inline constexpr double kStepsInAll = 60000.0;  // the sum of all steps; leaves room below 2^16

namespace detail {

// A code that the column's type cannot hold equals none of its values, like "never seen", the largest number.
template <class Code>
CASEBASE_INLINE Code narrowed(std::uint32_t code) {
  constexpr std::uint32_t kLargest = std::numeric_limits<Code>::max();
  return static_cast<Code>(code < kLargest ? code : kLargest);
}

template <class Code>
CASEBASE_INLINE Step add_disagreements(const void* data, std::size_t begin, std::size_t n, std::uint32_t code,
                                       Step step, Step* sums) {
  const Code* column = static_cast<const Code*>(data) + begin;
  const Code wanted = narrowed<Code>(code);
  Step lowest = 0xFFFF;
  for (std::size_t i = 0; i < n; ++i) {
    const Step sum = static_cast<Step>(sums[i] + (column[i] != wanted ? step : 0));
    sums[i] = sum;
    lowest = std::min(lowest, sum);
  }
  return lowest;
}

}  // namespace detail

// What a symbolic feature costs: `step` where the value is not `code`, or a number of steps per grade.
struct FeatureCost {
  std::uint32_t code;
  Step step;
  const Step* costs;  // nullptr: step or nothing
};

// The symbolic part of a scan with the overlap metric: columns and their costs.
struct SymbolicScan {
  const Column* columns;
  const FeatureCost* costs;
  std::size_t first, last;  // features first … last - 1
};

// Adds the features to the lower bounds sums[0 … n-1] of rows begin … begin + n - 1, n ≤ kBlock.
// Gives up and returns false as soon as no row of the block can be within `bound`.
inline bool scan_block(const SymbolicScan& scan, std::size_t begin, std::size_t n, Step bound, Step* sums) {
  return best_version(
      [](const SymbolicScan* scan, std::size_t begin, std::size_t n, Step bound, Step* sums) CASEBASE_INLINE_LAMBDA {
        auto add = [=]<class Code>(Code, const Column& column, const FeatureCost& cost) CASEBASE_INLINE_LAMBDA {
          return detail::add_disagreements<Code>(column.data, begin, n, cost.code, cost.step, sums);
        };
        for (std::size_t f = scan->first; f < scan->last; ++f) {
          const Column& column = scan->columns[f];
          Step lowest = 0;
          switch (column.width) {
            case Column::Width::u8:
              lowest = add(std::uint8_t{}, column, scan->costs[f]);
              break;
            case Column::Width::u16:
              lowest = add(std::uint16_t{}, column, scan->costs[f]);
              break;
            default:
              lowest = add(std::uint32_t{}, column, scan->costs[f]);
              break;
          }
          if (lowest > bound) return false;
        }
        return true;
      },
      &scan, begin, n, bound, sums);
}

// The cost of the difference of two numbers: absolute, squared, or as in TiMBL's Euclidean metric; always relative to
// the range of the feature.
enum class NumberCost : std::uint8_t { linear, squared, root_of_squares };

// The numeric part of a scan. A missing number (NaN) costs the whole weight, or nothing if both are missing
// and agree.
struct NumericScan {
  const Column* columns;
  const double* numbers;
  const double* weights;
  const double* ranges;
  const NumberCost* kinds;
  std::size_t first, last;
  bool missing_agrees;
  double step_size;  // what one step of the symbolic part is worth
};

namespace detail {

// Adds a cost per number to the sums of n rows, and the full weight where a number is missing.
template <class Cost>
CASEBASE_INLINE double add_number_costs(const double* column, std::size_t n, double weight, double* sums,
                                        Cost cost_of) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = cost_of(column[i]);
    sums[i] += cost == cost ? cost : weight;
    lowest = sums[i] < lowest ? sums[i] : lowest;
  }
  return lowest;
}

}  // namespace detail

// Adds the numeric features to lower bounds of n rows: sums[i] becomes the row's steps converted back into a
// distance, plus the cost of its numbers. Rounding differs from the exact sum, so compare with a margin.
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
              const double share = 1.0 / scan->ranges[f];
              const double ratio = scan->ranges[f] > 0.0 && std::isfinite(share) ? share : 0.0;
              const double slope = std::isfinite(weight * ratio) ? weight * ratio : 0.0;
              const double both_missing = scan->missing_agrees ? 0.0 : weight;
              double lowest = 0.0;
              if (asked != asked) {
                lowest = detail::add_number_costs(column, n, weight, sums,
                                                  [=](double x) { return x != x ? both_missing : weight; });
              } else if (scan->kinds[f] == NumberCost::linear) {
                lowest = detail::add_number_costs(column, n, weight, sums,
                                                  [=](double x) { return slope * std::abs(x - asked); });
              } else if (scan->kinds[f] == NumberCost::squared) {
                lowest = detail::add_number_costs(column, n, weight, sums, [=](double x) {
                  const double difference = (x - asked) * ratio;
                  return slope == 0.0 ? 0.0 * x : weight * difference * difference;
                });
              } else {
                lowest = detail::add_number_costs(column, n, weight, sums, [=](double x) {
                  return slope * std::sqrt(std::abs(x - asked)) * std::sqrt(std::abs(x + asked));
                });
              }
              if (lowest > bound) return false;
            }
            return true;
          },
      &scan, begin, n, steps, bound, sums);
}

}  // namespace casebase
