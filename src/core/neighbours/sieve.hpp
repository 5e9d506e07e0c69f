// A coarse look at many rows: which of them are certainly too far.
//
// The high bytes of steps are a lower bound too. They are added 64 rows at a time and stay in registers, so most of
// the rows that a search comes across are passed over at a fraction of what their sums of steps would cost. What is not
// passed over here is looked at in steps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/neighbours/scan.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

inline constexpr std::size_t kChunk = 256;  // rows looked at together

namespace detail {

CASEBASE_INLINE std::uint8_t coarse(Step step) { return static_cast<std::uint8_t>(step >> 8); }

template <class Code>
CASEBASE_INLINE void add_coarsely(const void* data, std::size_t begin, std::uint32_t code, std::uint8_t step,
                                  std::uint8_t* sums) {
  const Code* column = static_cast<const Code*>(data) + begin;
  const Code wanted = narrowed<Code>(code);
  for (std::size_t i = 0; i < kChunk; ++i)
    sums[i] = static_cast<std::uint8_t>(sums[i] + (column[i] != wanted ? step : 0));
}

CASEBASE_INLINE bool chunk_is_far(const SymbolicScan& scan, std::size_t begin, Step base, Step bound) {
  alignas(64) std::uint8_t sums[kChunk];
  unsigned most = coarse(base);  // the largest sum so far: while it is within the bound, no sum need be looked at
  std::fill_n(sums, kChunk, coarse(base));
  for (std::size_t f = scan.first; f < scan.last; ++f) {
    const Column& column = scan.columns[f];
    const std::uint8_t step = coarse(scan.costs[f].step);
    switch (column.width) {
      case Column::Width::u8:
        add_coarsely<std::uint8_t>(column.data, begin, scan.costs[f].code, step, sums);
        break;
      case Column::Width::u16:
        add_coarsely<std::uint16_t>(column.data, begin, scan.costs[f].code, step, sums);
        break;
      default:
        add_coarsely<std::uint32_t>(column.data, begin, scan.costs[f].code, step, sums);
        break;
    }
    most += step;
    if (most <= coarse(bound)) continue;
    std::uint8_t lowest = 0xFF;
    for (std::size_t i = 0; i < kChunk; ++i) lowest = std::min(lowest, sums[i]);
    if (lowest > coarse(bound)) return true;
  }
  return false;
}

}  // namespace detail

// The first row of begin … end - 1, by chunks, that may be within the bound; `end` if there is none. The column has
// n_rows ≥ kChunk rows. Where fewer than a chunk are left, rows beside them are looked at with them.
inline std::size_t first_near(const SymbolicScan& scan, std::size_t begin, std::size_t end, std::size_t n_rows,
                              Step base, Step bound) {
  return best_version(
      [](const SymbolicScan* scan, std::size_t begin, std::size_t end, std::size_t last, Step base, Step bound)
          CASEBASE_INLINE_LAMBDA {
            while (begin < end && detail::chunk_is_far(*scan, std::min(begin, last), base, bound)) begin += kChunk;
            return std::min(begin, end);
          },
      &scan, begin, end, n_rows - kChunk, base, bound);
}

}  // namespace casebase
