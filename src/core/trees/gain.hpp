// What a test at a node of a tree is worth, from counts of values and classes.
//
// All entropies of a split are sums of n log2 n over counts: of the classes, of the branches, of both together. So one
// pass over the cases of a node, in any order, is all that a test costs.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// Gains closer than this, in bits, are one gain: sums of logarithms in another order differ in their last places.
inline constexpr double kSameGain = 1e-9;
// What is no gain at all, where a test must gain something.
inline constexpr double kUseless = 1e-6;

// n log2 n, from a table where counts are whole numbers.
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
  static double computed(double n) { return n > 0.0 ? n * std::log2(n) : 0.0; }

  std::vector<double> table_;
};

// A test that could be asked at a node, in bits.
struct TestWorth {
  double gain = 0.0;
  double split = 0.0;      // bits to say the branch
  double threshold = 0.0;  // of a numeric test
  bool is_possible = false;

  double ratio() const { return split > kSameGain ? gain / split : 0.0; }
};

// Sums over a split of known cases. `classes` sums n log2 n over classes, `branches` over branches, `cells` over both.
struct SplitSums {
  double classes = 0.0, branches = 0.0, cells = 0.0;

  // `known` of `total` cases have a value: the gain counts for them alone, and the others are a branch of their own in
  // what it takes to say the branch.
  TestWorth worth(const WeightedLog& log, double known, double total) const {
    TestWorth test;
    test.gain = std::max(0.0, (log(known) - classes - branches + cells) / total);
    test.split = std::max(0.0, (log(total) - branches - log(total - known)) / total);
    test.is_possible = true;
    return test;
  }
};

}  // namespace casebase
