// The range of a code in a sorted part of a column.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/types.hpp"

namespace casebase {

namespace detail {

// The first position whose code is not below `wanted`. Binary search without branches: the processor cannot
// predict which half is taken, and a misprediction costs more than the comparison.
template <class Code>
inline std::size_t lower_bound(const Code* codes, std::size_t begin, std::size_t end, Code wanted) {
  std::size_t n = end - begin;
  while (n > 1) {
    const std::size_t half = n / 2;
    begin += codes[begin + half - 1] < wanted ? half : 0;
    n -= half;
  }
  return begin + (n == 1 && codes[begin] < wanted);
}

// The end of the run of equal codes that starts at `begin`, by galloping: strides that double, then binary search.
template <class Code>
inline std::size_t run_end(const Code* codes, std::size_t begin, std::size_t end) {
  const Code code = codes[begin];
  std::size_t low = begin, stride = 1;
  while (low + stride < end && codes[low + stride] == code) {
    low += stride;
    stride *= 2;
  }
  std::size_t high = std::min(end, low + stride);  // codes[low] is the code, codes[high] is not or the end
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (codes[middle] == code ? low : high) = middle;
  }
  return high;
}

// Calls `work` with the codes of a column in their own type.
template <class Work>
inline auto with_codes(const Column& column, Work&& work) {
  switch (column.width) {
    case Column::Width::u8:
      return work(static_cast<const std::uint8_t*>(column.data));
    case Column::Width::u16:
      return work(static_cast<const std::uint16_t*>(column.data));
    default:
      return work(static_cast<const std::uint32_t*>(column.data));
  }
}

}  // namespace detail

// The rows with a code among begin … end - 1, whose codes ascend. An unknown value has no rows.
inline std::pair<Row, Row> rows_with(const Column& column, std::uint32_t code, Row begin, Row end) {
  return detail::with_codes(column, [=](const auto* codes) -> std::pair<Row, Row> {
    using Code = std::remove_cvref_t<decltype(*codes)>;
    if (code >= std::numeric_limits<Code>::max()) return {end, end};  // unknown, or too large for this column
    const auto wanted = static_cast<Code>(code);
    const std::size_t first = detail::lower_bound(codes, begin, end, wanted);
    if (first == end || codes[first] != wanted) return {static_cast<Row>(first), static_cast<Row>(first)};
    return {static_cast<Row>(first), static_cast<Row>(detail::run_end(codes, first, end))};
  });
}

// The end of the run of rows with the code of row `begin`.
inline Row run_end(const Column& column, Row begin, Row end) {
  return detail::with_codes(column,
                            [=](const auto* codes) { return static_cast<Row>(detail::run_end(codes, begin, end)); });
}

}  // namespace casebase
