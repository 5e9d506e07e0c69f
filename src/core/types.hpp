// The integer types and small structs that the kernels share.
//
// A case is a row of codes, one per feature. Codes of a feature are stored by column in the
// narrowest of 8, 16 or 32 bits that holds its vocabulary; the largest number of that width is
// reserved for "never seen" and equals no stored code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace casebase {

using Row = std::uint32_t;    // position of a case in the memory
using Label = std::uint32_t;  // code of a class

// Distances that differ by less are equal.
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// One feature's codes, or numbers, for consecutive cases.
struct Column {
  enum class Width : std::uint8_t { u8 = 1, u16 = 2, u32 = 4, f64 = 8 };
  const void* data;
  Width width;

  bool is_numeric() const { return width == Width::f64; }
  double number(std::size_t row) const { return static_cast<const double*>(data)[row]; }

  // The code at `row`; "never seen" is widened to the largest 32-bit number whatever the width.
  std::uint32_t code(std::size_t row) const {
    switch (width) {
      case Width::u8: {
        const auto c = static_cast<const std::uint8_t*>(data)[row];
        return c == 0xFF ? 0xFFFFFFFFu : c;
      }
      case Width::u16: {
        const auto c = static_cast<const std::uint16_t*>(data)[row];
        return c == 0xFFFF ? 0xFFFFFFFFu : c;
      }
      default:
        return static_cast<const std::uint32_t*>(data)[row];
    }
  }
};

}  // namespace casebase
