// Walk down a decision tree.
//
// A case follows the branches of its values to a leaf, or to a node that has no branch for its value. If missing values
// are fractional, a case with a missing value follows every branch, with the branch's share of the training cases.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/trees/grow.hpp"
#include "core/types.hpp"

namespace casebase {

struct DecisionTree {
  const std::int32_t* column;
  const double* threshold;
  const std::uint32_t *first_child, *value;
  const double* n_cases;  // weight of the training cases at each node
};

struct WalkEnd {
  std::uint32_t node;
  double share;
};

class Descent {
 public:
  Descent(const DecisionTree& tree, const std::vector<Column>& queries, const std::vector<std::uint32_t>& missing,
          bool is_fractional)
      : tree_(tree), queries_(queries), missing_(missing), is_fractional_(is_fractional) {}

  // Appends the nodes where the case ends, each with its share of the case.
  void walk(std::size_t query, std::vector<WalkEnd>& ends) {
    open_.assign(1, {0, 1.0});
    while (!open_.empty()) {
      WalkEnd at = open_.back();
      open_.pop_back();
      while (tree_.column[at.node] >= 0) {
        const auto f = static_cast<std::size_t>(tree_.column[at.node]);
        const std::uint32_t branch =
            branch_of(queries_[f], missing_[f], tree_.threshold[at.node], query, is_fractional_);
        if (branch == kNoCode && is_fractional_) {
          share_out(at);
          at.share = 0.0;
          break;
        }
        const auto* begin = tree_.value + tree_.first_child[at.node];
        const auto* end = tree_.value + tree_.first_child[at.node + 1];
        const auto* found = std::lower_bound(begin, end, branch);
        if (found == end || *found != branch) break;
        at.node = static_cast<std::uint32_t>(found - tree_.value);
      }
      if (at.share > 0.0) ends.push_back(at);
    }
  }

 private:
  // Push the last branch first, so that the stack gives the ends back from the first branch to the last.
  void share_out(const WalkEnd& at) {
    const std::uint32_t begin = tree_.first_child[at.node], end = tree_.first_child[at.node + 1];
    double total = 0.0;
    for (std::uint32_t child = begin; child < end; ++child) total += tree_.n_cases[child];
    for (std::uint32_t child = end; child-- > begin;) open_.push_back({child, at.share * tree_.n_cases[child] / total});
  }

  DecisionTree tree_;
  const std::vector<Column>& queries_;
  const std::vector<std::uint32_t>& missing_;
  bool is_fractional_;
  std::vector<WalkEnd> open_;
};

}  // namespace casebase
