// IGTree: the memory compressed into a tree, one feature per level, and the walk down that tree.
//
// The tree is stored breadth-first in flat arrays: the children of node n are first_child[n] … first_child[n + 1] - 1,
// by ascending value.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace casebase {

struct Tree {
  std::vector<std::uint32_t> first_child;  // one more than there are nodes
  std::vector<std::uint32_t> value;        // code on the branch into the node; 0 for the root
  std::vector<Label> label;                // default class
  std::vector<std::uint64_t> first_count;  // class distribution of node n: entries first_count[n] …
  std::vector<Label> count_label;
  std::vector<double> count;
};

// A view of the same arrays.
struct TreeView {
  const std::uint32_t* first_child;
  const std::uint32_t* value;
  const Label* label;
  const std::uint64_t* first_count;
  const Label* count_label;
  const double* count;
};

// The last node that matched, and how many features matched on the way there.
struct Walk {
  std::uint32_t node;
  std::uint32_t depth;
};

inline Walk walk_tree(const std::uint32_t* first_child, const std::uint32_t* value, const std::vector<Column>& queries,
                      std::size_t query) {
  Walk at{0, 0};
  for (; at.depth < queries.size(); ++at.depth) {
    std::uint32_t low = first_child[at.node], n = first_child[at.node + 1] - low;
    if (n == 0) break;
    const auto wanted = queries[at.depth].code(query);
    while (n > 1) {  // branch-free halving: the last child not above the wanted value
      const std::uint32_t half = n / 2;
      low = value[low + half] <= wanted ? low + half : low;
      n -= half;
    }
    if (value[low] != wanted) break;
    at.node = low;
  }
  return at;
}

}  // namespace casebase
