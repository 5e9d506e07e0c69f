// Entropies that are summed in the order in which classes were met.
//
// The order decides the last bits of a sum. The logarithm is that of the C library, as in the program whose weights are
// to be equalled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/types.hpp"

namespace casebase {

inline double entropy_term(double share) { return share >= kEpsilon ? share * std::log2(share) : 0.0; }

// Cells of a contingency table, ascending; a cell is value * n_classes + class.
struct CountedCells {
  const std::int64_t* cell;
  const double* count;
  std::size_t n;
};

// For each value the sum of p·log2(p) over its classes; the counts of a cell are in the table and in its changes.
inline std::vector<double> entropies_as_met(const CountedCells& table, const CountedCells& changes,
                                            const std::int64_t* values, std::size_t n_values,
                                            const std::uint32_t* class_rank, std::size_t n_classes) {
  const auto n = static_cast<std::int64_t>(n_classes);
  std::vector<double> sums;
  std::vector<double> by_rank(n_classes, 0.0);
  std::vector<std::uint32_t> ranks;
  for (std::size_t i = 0; i < n_values; ++i) {
    const std::int64_t first = values[i] * n;
    ranks.clear();
    double total = 0.0;
    for (const CountedCells* part : {&table, &changes}) {
      const auto* end = part->cell + part->n;
      for (const auto* at = std::lower_bound(part->cell, end, first); at != end && *at < first + n; ++at) {
        const std::uint32_t rank = class_rank[*at - first];
        by_rank[rank] += part->count[at - part->cell];
        total += part->count[at - part->cell];
        ranks.push_back(rank);
      }
    }
    std::sort(ranks.begin(), ranks.end());
    double sum = 0.0;
    for (const std::uint32_t rank : ranks) sum += entropy_term(std::exchange(by_rank[rank], 0.0) / total);
    sums.push_back(total > 0.0 ? sum : 0.0);
  }
  return sums;
}

}  // namespace casebase
