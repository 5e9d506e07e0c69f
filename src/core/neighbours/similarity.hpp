// Distances of whole numeric vectors: cosine and dot product.
//
// A missing number counts as 0. Sums run over the features in the given order, for many rows at once.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "core/neighbours/scan.hpp"
#include "core/types.hpp"

namespace casebase {

enum class Similarity : std::uint8_t { none, cosine, cosine_unrounded, dot };

// A cosine distance below this counts as 0: for parallel vectors it is only rounding error.
inline constexpr double kSameDirection = 1e-15;
inline constexpr double kLargestDot = 2147483647.0;

// distances[0 … n-1] of rows begin … begin + n - 1, n ≤ kBlock.
inline void similarity_distances(Similarity kind, const Column* columns, const double* numbers, const double* weights,
                                 const std::uint32_t* order, std::size_t n_features, std::size_t begin, std::size_t n,
                                 double* distances) {
  std::array<double, kBlock> dot{}, stored{};
  std::array<bool, kBlock> differs{};
  double asked = 0.0;
  for (std::size_t i = 0; i < n_features; ++i) {
    const std::uint32_t f = order[i];
    const double weight = weights[f], x = std::isnan(numbers[f]) ? 0.0 : numbers[f];
    const double* column = static_cast<const double*>(columns[f].data) + begin;
    asked += x * x * weight;
    for (std::size_t r = 0; r < n; ++r) {
      const double y = column[r] == column[r] ? column[r] : 0.0;
      differs[r] |= x != y;
      dot[r] += x * y * weight;
      stored[r] += y * y * weight;
    }
  }
  for (std::size_t r = 0; r < n; ++r) {
    if (kind == Similarity::dot) {
      if (!(dot[r] <= kLargestDot))
        throw std::overflow_error(
            "a dot product is larger than 2147483647, which has no distance: scale the numbers down");
      distances[r] = (kLargestDot - dot[r]) / kLargestDot;
      continue;
    }
    if (kind == Similarity::cosine && !differs[r]) {
      distances[r] = 0.0;
      continue;
    }
    // In TiMBL the term that prevents a division by zero also keeps short vectors from being exactly parallel.
    const double lengths = std::sqrt(asked * stored[r]) + (kind == Similarity::cosine_unrounded ? kEpsilon : 0.0);
    if (!std::isfinite(dot[r]) || !std::isfinite(lengths))
      throw std::overflow_error("their lengths are larger than a double holds: scale the numbers down");
    const double distance = lengths > 0.0 ? 1.0 - dot[r] / lengths : 1.0;
    distances[r] = kind == Similarity::cosine && distance < kSameDirection ? 0.0 : std::max(distance, 0.0);
  }
}

}  // namespace casebase
