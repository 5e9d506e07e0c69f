// Information gain and gain ratio of a test, from counts of values and classes.
//
// All entropies of a split are sums of n log2 n over counts: of classes, of branches, and of both together. So a test
// costs one pass over the cases of a node, in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/functions.hpp"
#include "core/types.hpp"

namespace casebase {

// Gains that differ by less, in bits, are equal: sums of logarithms in a different order differ in their last digits.
inline constexpr double kSameGain = 1e-9;
// The smallest gain that counts as a gain.
inline constexpr double kUseless = 1e-6;

// n log2 n, from a table if counts are integers.
class WeightedLog {
 public:
  explicit WeightedLog(std::size_t largest_whole) {
    table_.reserve(largest_whole + 1);
    table_.push_back(0.0);
    for (std::size_t n = 1; n <= largest_whole; ++n) table_.push_back(computed(static_cast<double>(n)));
  }

  double operator()(double n) const {
    if (n < static_cast<double>(table_.size())) {
      const auto whole = static_cast<std::size_t>(n);
      if (static_cast<double>(whole) == n) return table_[whole];
    }
    return computed(n);
  }

 private:
  static double computed(double n) { return n > 0.0 ? n * portable_log2(n) : 0.0; }

  std::vector<double> table_;
};

// A candidate test at a node, in bits.
struct TestWorth {
  double gain = 0.0;
  double split = 0.0;      // split information: the entropy of the branches
  double threshold = 0.0;  // of a numeric test
  bool is_possible = false;

  double ratio() const { return split > kSameGain ? gain / split : 0.0; }
};

// Sums of n log2 n over a split of the cases with known values: over classes, over branches, and over both.
struct SplitSums {
  double classes = 0.0, branches = 0.0, cells = 0.0;

  // `known` of `total` cases have a value. The gain counts only for these; in the split information, missing values are
  // a branch of their own.
  TestWorth worth(const WeightedLog& log, double known, double total) const {
    TestWorth test;
    test.gain = std::max(0.0, (log(known) - classes - branches + cells) / total);
    test.split = std::max(0.0, (log(total) - branches - log(total - known)) / total);
    test.is_possible = true;
    return test;
  }
};

}  // namespace casebase
