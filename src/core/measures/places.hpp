// The distribution of k places among the nearest cases.
//
// A case takes as many places as its weight. Cases at one distance, up to rounding, form a group. The group with the
// k-th place shares the places that are left in proportion to the weights. So the order of the cases does not matter.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace casebase {

class Places {
 public:
  static constexpr double kTie = 1e-9;  // distances this close count as equal

  Places(const double* weights, double k) : weights_(weights), k_(k) {}

  // Rows, and the number of places of each.
  const std::vector<std::pair<std::size_t, double>>& taken() const { return taken_; }

  // Distributes the k places among rows begin … end - 1. A case is not its own neighbour: if `asked` is among the rows,
  // its weight is reduced by one.
  void deal(const std::vector<double>& distance, std::size_t begin, std::size_t end, std::size_t asked) {
    const double last = last_distance(distance, begin, end, asked);
    taken_.clear();
    earlier_.clear();
    around_.clear();
    double filled = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const double d = distance[i];
      if (d > last + kTie) continue;
      const double w = weight(i, asked);
      if (w <= 0.0) continue;
      if (d < last - kTie) {
        taken_.emplace_back(i, w);
        earlier_.push_back(d);
        filled += w;
      } else {
        around_.push_back(i);
      }
    }
    // The last group before the k-th distance may overlap with the distances around it.
    std::sort(earlier_.begin(), earlier_.end());
    double reach = -std::numeric_limits<double>::infinity();
    for (const double d : earlier_)
      if (d > reach) reach = d + kTie;
    double first = std::numeric_limits<double>::infinity(), in_group = 0.0;
    for (const std::size_t i : around_)
      if (distance[i] > reach) first = std::min(first, distance[i]);
    for (const std::size_t i : around_) {
      if (distance[i] <= reach)
        filled += weight(i, asked);
      else if (distance[i] <= first + kTie)
        in_group += weight(i, asked);
    }
    const double share = in_group > 0.0 ? std::min(1.0, (k_ - filled) / in_group) : 0.0;
    for (const std::size_t i : around_) {
      if (distance[i] <= reach)
        taken_.emplace_back(i, weight(i, asked));
      else if (distance[i] <= first + kTie)
        taken_.emplace_back(i, weight(i, asked) * share);
    }
  }

 private:
  double weight(std::size_t i, std::size_t asked) const {
    return i == asked ? std::max(weights_[i] - 1.0, 0.0) : weights_[i];
  }

  // The distance at which k places are filled; the largest one if there are fewer cases.
  double last_distance(const std::vector<double>& distance, std::size_t begin, std::size_t end, std::size_t asked) {
    nearest_.clear();
    double total = 0.0, bound = std::numeric_limits<double>::infinity();
    for (std::size_t i = begin; i < end; ++i) {
      const double d = distance[i];
      if (d >= bound) continue;
      const double w = weight(i, asked);
      if (w <= 0.0) continue;
      nearest_.emplace_back(d, w);
      std::push_heap(nearest_.begin(), nearest_.end());
      total += w;
      while (total - nearest_.front().second >= k_) {
        total -= nearest_.front().second;
        std::pop_heap(nearest_.begin(), nearest_.end());
        nearest_.pop_back();
      }
      if (total >= k_) bound = nearest_.front().first;
    }
    return nearest_.empty() ? 0.0 : nearest_.front().first;
  }

  const double* weights_;
  double k_;
  std::vector<std::pair<double, double>> nearest_;  // a heap of distances and weights, the largest first
  std::vector<double> earlier_;                     // distances before the k-th
  std::vector<std::size_t> around_;                 // rows around the k-th distance
  std::vector<std::pair<std::size_t, double>> taken_;
};

}  // namespace casebase
