// Rows that wait for their exact distance.
//
// The sum of steps of a row bounds its distance from below, and from above too: rounding takes less than a step per
// feature. So k rows whose sums are farther apart than that bound the k-th distance before any distance is known. Most
// rows are past this bound when the search ends, and their distance is never computed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/neighbours/scan.hpp"
#include "core/types.hpp"

namespace casebase {

class WaitingRows {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  // Forgets all rows. Sums that differ by more than `slack` steps belong to different distances.
  void begin(std::size_t k, std::uint32_t slack) {
    k_ = k;
    slack_ = slack;
    sums_.clear();
    rows_.clear();
  }

  bool are_many() const { return rows_.size() >= kMany; }

  // Adds a row. Returns the smallest sum up to which k rows have different distances, or kNone.
  std::uint32_t add(Row row, Step sum) {
    rows_.push_back({sum, row});
    return bound_by(sum);
  }

  // The same for a row that does not wait, because it will be found again.
  std::uint32_t bound_by(Step sum) {
    const auto place = std::lower_bound(sums_.begin(), sums_.end(), sum);
    if (place != sums_.end() && *place == sum) return kNone;
    sums_.insert(place, sum);
    std::size_t n_apart = 0;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (n_apart > 0 && sums_[i] <= last + slack_) continue;
      last = sums_[i];
      if (++n_apart < k_) continue;
      sums_.resize(i + 1);  // more sums can only move this one down
      return last;
    }
    return kNone;
  }

  // Calls use(rows, n) for the rows within a bound that use() may lower, the nearest first, and forgets all rows.
  template <class Bound, class Use>
  void settle(Bound bound, Use use) {
    std::sort(rows_.begin(), rows_.end(),
              [](const Waiting& a, const Waiting& b) { return a.sum != b.sum ? a.sum < b.sum : a.row < b.row; });
    for (std::size_t i = 0; i < rows_.size() && rows_[i].sum <= bound();) {
      std::array<Row, kTogether> rows;
      std::size_t n = 0;
      while (n < kTogether && i < rows_.size() && rows_[i].sum <= bound()) rows[n++] = rows_[i++].row;
      use(rows.data(), n);
    }
    rows_.clear();
  }

 private:
  // Where very many distances differ by less than a step, their exact values bound the k-th one better.
  static constexpr std::size_t kMany = 64;
  static constexpr std::size_t kTogether = 8;  // rows used at a time

  struct Waiting {
    Step sum;
    Row row;
  };

  std::size_t k_ = 1;
  std::uint32_t slack_ = 0;
  std::vector<Step> sums_;  // distinct ones, ascending
  std::vector<Waiting> rows_;
};

}  // namespace casebase
