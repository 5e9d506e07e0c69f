// A linear machine: a perceptron for two classes, one unit per class for more.
//
// A symbolic feature has an input per value: 1 for the value of the case and -1 for the others. Numbers are used as
// they are. Training uses absolute error correction: one case at a time, by the smallest integer step that corrects it.
// All sums over symbols are integers, so rounding cannot change a decision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace casebase {

// The inputs of a linear machine. Each input of a symbolic feature is one of its values; the value of case r for
// symbolic feature f is input `active[r * n_symbolic + f]`. The inputs of a feature are adjacent.
struct LinearCases {
  std::size_t n_cases = 0;
  std::size_t n_symbolic = 0;
  std::size_t n_numeric = 0;
  std::vector<std::uint32_t> first_input;  // per symbolic feature, and one past the last
  std::vector<std::uint32_t> active;       // n_cases × n_symbolic
  std::vector<double> numbers;             // n_cases × n_numeric
  std::vector<std::uint32_t> unit;         // the class of each case, 0 … n_present - 1
  std::size_t n_present = 0;

  std::size_t n_values() const { return first_input.back(); }
  std::size_t n_inputs() const { return n_values() + n_numeric; }
  std::size_t n_units() const { return n_present == 2 ? 1 : n_present; }
};

// When training stops: after `max_passes` passes through the cases, or after `patience` passes in a row without fewer
// corrections than the best pass before them.
struct Training {
  std::size_t max_passes;
  std::size_t patience;
  std::uint64_t seed;
};

// Integer weights, unit by unit: the bias, then one per input. Empty if training did not converge.
struct LinearMachine {
  std::vector<std::int32_t> weights;
  std::uint8_t precision = 0;  // bits that hold the largest weight and its sign

  bool is_found() const { return !weights.empty(); }
};

inline constexpr int kFinestPrecision = 24;

// A random number generator with the same sequence on every platform.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() % n); }

 private:
  std::uint64_t state_;
};

class LinearTrainer {
 public:
  explicit LinearTrainer(const LinearCases& cases)
      : cases_(cases),
        n_units_(cases.n_units()),
        gain_(cases.n_values() * n_units_, 0.0),
        slope_(cases.n_numeric * n_units_, 0.0),
        offset_(n_units_, 0.0),
        bias_(n_units_, 0.0),
        sums_(n_units_) {}

  // Whether a pass through all cases needed no correction.
  bool train(const Training& how) {
    Chance chance(how.seed);
    std::vector<std::uint32_t> order(cases_.n_cases);
    std::iota(order.begin(), order.end(), 0u);
    std::size_t fewest = cases_.n_cases + 1, best_pass = 0;
    for (std::size_t pass = 0; pass < how.max_passes; ++pass) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[chance.below(i)]);
      std::size_t n_corrections = 0;
      for (const std::uint32_t row : order) {
        n_corrections += correct(row);
        listen_((cases_.n_symbolic + cases_.n_numeric + 1) * n_units_);
      }
      if (n_corrections == 0) return true;
      if (n_corrections < fewest) {
        fewest = n_corrections;
        best_pass = pass;
      } else if (pass - best_pass >= how.patience) {
        return false;
      }
    }
    return false;
  }

  // The weights, rounded to the fewest bits that still classify every case correctly.
  LinearMachine rounded() const {
    const auto exact = centred();
    double largest = 0.0;
    for (const double w : exact) largest = std::max(largest, std::abs(w));
    LinearMachine machine;
    if (largest == 0.0 || !std::isfinite(largest)) return machine;
    for (int bits = 2; bits <= kFinestPrecision; ++bits) {
      const double top = static_cast<double>((1 << (bits - 1)) - 1);
      machine.weights.resize(exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) machine.weights[i] = nearest_whole(exact[i] / largest * top);
      machine.precision = static_cast<std::uint8_t>(bits);
      if (answers_all(machine.weights)) return machine;
    }
    machine.weights.clear();
    return machine;
  }

 private:
  // Rounds halves towards zero, also halves with a rounding error.
  static std::int32_t nearest_whole(double x) {
    const double size = std::ceil(std::abs(x) - 0.5 - 1e-9);
    return static_cast<std::int32_t>(x < 0.0 ? -size : size);
  }

  // Corrects the machine if a case is not classified correctly, or only tied. Returns whether it did.
  bool correct(std::size_t row) {
    const std::uint32_t* active = cases_.active.data() + row * cases_.n_symbolic;
    const double* numbers = cases_.numbers.data() + row * cases_.n_numeric;
    const std::size_t k = n_units_;
    std::copy(offset_.begin(), offset_.end(), sums_.begin());
    for (std::size_t f = 0; f < cases_.n_symbolic; ++f) {
      const double* gain = gain_.data() + active[f] * k;
      for (std::size_t u = 0; u < k; ++u) sums_[u] += gain[u];
    }
    double square = 1.0 + static_cast<double>(cases_.n_values());
    for (std::size_t f = 0; f < cases_.n_numeric; ++f) {
      const double* slope = slope_.data() + f * k;
      for (std::size_t u = 0; u < k; ++u) sums_[u] += slope[u] * numbers[f];
      square += numbers[f] * numbers[f];
    }
    const std::uint32_t right = cases_.unit[row];
    if (k == 1) {
      const double sign = right == 0 ? 1.0 : -1.0;
      if (sums_[0] * sign > 0.0) return false;
      adjust(0, sign * (std::floor(std::abs(sums_[0]) / square) + 1.0), active, numbers);
      return true;
    }
    std::size_t rival = right == 0 ? 1 : 0;
    for (std::size_t u = rival + 1; u < k; ++u)
      if (u != right && sums_[u] > sums_[rival]) rival = u;
    if (sums_[right] > sums_[rival]) return false;
    const double step = std::floor((sums_[rival] - sums_[right]) / (2.0 * square)) + 1.0;
    adjust(right, step, active, numbers);
    adjust(rival, -step, active, numbers);
    return true;
  }

  // Adds `step` times the inputs of a case to the weights of a unit. With inputs of 1 and -1, a feature's sum is twice
  // the weight of the case's value minus the weights of all its values. So it is enough to update the former (`gain_`)
  // and one number for all the rest (`offset_`), instead of every weight of the feature.
  void adjust(std::size_t unit, double step, const std::uint32_t* active, const double* numbers) {
    const double n_values = static_cast<double>(cases_.n_values()), n_symbolic = static_cast<double>(cases_.n_symbolic);
    for (std::size_t f = 0; f < cases_.n_symbolic; ++f) gain_[active[f] * n_units_ + unit] += 4.0 * step;
    for (std::size_t f = 0; f < cases_.n_numeric; ++f) slope_[f * n_units_ + unit] += step * numbers[f];
    offset_[unit] += step * (1.0 + n_values - 4.0 * n_symbolic);
    bias_[unit] += step;
  }

  // The weights, centred at zero for each symbolic feature: their common part moves to the bias.
  std::vector<double> centred() const {
    const std::size_t width = 1 + cases_.n_inputs();
    std::vector<double> weights(n_units_ * width);
    for (std::size_t u = 0; u < n_units_; ++u) {
      double* w = weights.data() + u * width;
      double bias = bias_[u];
      for (std::size_t f = 0; f < cases_.n_symbolic; ++f) {
        const std::size_t begin = cases_.first_input[f], end = cases_.first_input[f + 1];
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) sum += w[1 + i] = gain_[i * n_units_ + u] / 2.0 - bias_[u];
        const double shared = sum / static_cast<double>(end - begin);
        for (std::size_t i = begin; i < end; ++i) w[1 + i] -= shared;
        bias += shared * (2.0 - static_cast<double>(end - begin));
      }
      for (std::size_t f = 0; f < cases_.n_numeric; ++f) w[1 + cases_.n_values() + f] = slope_[f * n_units_ + u];
      w[0] = bias;
    }
    return weights;
  }

  bool answers_all(const std::vector<std::int32_t>& weights) const {
    const std::size_t width = 1 + cases_.n_inputs();
    std::vector<double> rest(n_units_, 0.0);  // the bias, and every symbol at -1
    for (std::size_t u = 0; u < n_units_; ++u) {
      rest[u] = weights[u * width];
      for (std::size_t i = 0; i < cases_.n_values(); ++i) rest[u] -= weights[u * width + 1 + i];
    }
    std::vector<double> sums(n_units_);
    for (std::size_t row = 0; row < cases_.n_cases; ++row) {
      for (std::size_t u = 0; u < n_units_; ++u) {
        const std::int32_t* w = weights.data() + u * width + 1;
        double sum = rest[u];
        for (std::size_t f = 0; f < cases_.n_symbolic; ++f) sum += 2.0 * w[cases_.active[row * cases_.n_symbolic + f]];
        for (std::size_t f = 0; f < cases_.n_numeric; ++f)
          sum += w[cases_.n_values() + f] * cases_.numbers[row * cases_.n_numeric + f];
        sums[u] = sum;
      }
      const std::uint32_t right = cases_.unit[row];
      // Prediction adds numbers in a different order, so a correct case must be correct by a margin.
      if (n_units_ == 1) {
        if (!((right == 0 ? sums[0] : -sums[0]) > kMargin)) return false;
        continue;
      }
      for (std::size_t u = 0; u < n_units_; ++u)
        if (u != right && !(sums[right] > sums[u] + kMargin)) return false;
    }
    return true;
  }

  static constexpr double kMargin = 1e-6;

  const LinearCases& cases_;
  std::size_t n_units_;
  std::vector<double> gain_;    // per value and unit: four times the sum of its integer steps
  std::vector<double> slope_;   // per number and unit
  std::vector<double> offset_;  // per unit
  std::vector<double> bias_;    // per unit
  std::vector<double> sums_;
  Listener listen_;
};

// A machine that classifies every case correctly, if training finds one.
inline LinearMachine separate(const LinearCases& cases, const Training& how) {
  LinearTrainer trainer(cases);
  return trainer.train(how) ? trainer.rounded() : LinearMachine{};
}

}  // namespace casebase
