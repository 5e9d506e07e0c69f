// IGTree: the memory compressed into a tree, one feature per level, and the walk down that tree.
//
// Rows come sorted by the features in the order of the levels, so a node is a range of rows and its
// children are the runs of equal codes in the next column. The tree is stored breadth-first in flat
// arrays: the children of node n are first_child[n] … first_child[n + 1] - 1, by ascending value.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

struct Tree {
  std::vector<std::uint32_t> first_child;  // one more than there are nodes
  std::vector<std::uint32_t> value;        // code on the branch into the node; 0 for the root
  std::vector<Label> label;                // default class
  std::vector<std::uint64_t> first_count;  // class distribution of node n: entries first_count[n] …
  std::vector<Label> count_label;
  std::vector<double> count;
  std::vector<Row> begin, end;  // the rows below the node
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

struct GrowOptions {
  std::size_t n_levels;
  bool stop_when_pure;  // a node of one class gets no children
  bool prune;           // remove leaves with the class of their parent, until none is left
};

namespace detail {

// Sums the classes of the rows below a new node, chooses its default and stores both.
inline void finish_node(Tree& tree, const Label* labels, const double* case_counts, Ballot& ballot,
                        const Preference& prefer) {
  ballot.clear();
  for (Row r = tree.begin.back(); r < tree.end.back(); ++r) ballot.add(labels[r], case_counts ? case_counts[r] : 1.0);
  tree.label.push_back(ballot.choose(prefer).label);
  auto seen = ballot.labels();
  std::sort(seen.begin(), seen.end());
  for (const Label label : seen) {
    tree.count_label.push_back(label);
    tree.count.push_back(ballot.votes(label));
  }
  tree.first_count.push_back(tree.count.size());
}

// Keeps the nodes whose class differs from that of their parent, and their ancestors. Children come after their
// parents, so one backward pass visits every child before its parent.
inline Tree without_repetitions(const Tree& tree) {
  const std::size_t n = tree.label.size();
  std::vector<std::uint32_t> parent(n, 0);
  for (std::uint32_t node = 0; node < n; ++node)
    for (auto child = tree.first_child[node]; child < tree.first_child[node + 1]; ++child) parent[child] = node;
  std::vector<std::uint32_t> n_kept(n, 0);
  std::vector<bool> is_kept(n, true);
  for (std::size_t node = n - 1; node > 0; --node) {
    is_kept[node] = n_kept[node] > 0 || tree.label[node] != tree.label[parent[node]];
    n_kept[parent[node]] += is_kept[node];
  }
  Tree small;
  small.first_count.push_back(0);
  small.first_child.push_back(1);
  for (std::size_t node = 0; node < n; ++node) {
    if (!is_kept[node]) continue;
    small.first_child.push_back(small.first_child.back() + n_kept[node]);
    small.value.push_back(tree.value[node]);
    small.label.push_back(tree.label[node]);
    small.begin.push_back(tree.begin[node]);
    small.end.push_back(tree.end[node]);
    for (auto i = tree.first_count[node]; i < tree.first_count[node + 1]; ++i) {
      small.count_label.push_back(tree.count_label[i]);
      small.count.push_back(tree.count[i]);
    }
    small.first_count.push_back(small.count.size());
  }
  return small;
}

}  // namespace detail

inline Tree grow_tree(const std::vector<Column>& columns, const Label* labels, const double* case_counts,
                      std::size_t n_rows, std::size_t n_classes, const Preference& prefer, const GrowOptions& options) {
  Tree tree;
  Ballot ballot(n_classes);
  auto add_node = [&](std::uint32_t value, std::size_t begin, std::size_t end) {
    if (tree.label.size() == std::numeric_limits<std::uint32_t>::max() - 1)
      throw std::length_error("the tree has more nodes than 32 bits can count");
    tree.value.push_back(value);
    tree.begin.push_back(static_cast<Row>(begin));
    tree.end.push_back(static_cast<Row>(end));
    detail::finish_node(tree, labels, case_counts, ballot, prefer);
  };
  tree.first_count.push_back(0);
  add_node(0, 0, n_rows);

  std::size_t level_begin = 0;
  for (std::size_t level = 0; level_begin < tree.label.size(); ++level) {
    const std::size_t level_end = tree.label.size();
    for (std::size_t node = level_begin; node < level_end; ++node) {
      tree.first_child.push_back(static_cast<std::uint32_t>(tree.label.size()));
      const bool is_pure = tree.first_count[node + 1] - tree.first_count[node] == 1;
      if (level == options.n_levels || (is_pure && options.stop_when_pure)) continue;
      const Column& column = columns[level];
      const std::size_t node_end = tree.end[node];
      for (std::size_t run = tree.begin[node], next; run < node_end; run = next) {
        const auto code = column.code(run);
        for (next = run + 1; next < node_end && column.code(next) == code;) ++next;
        add_node(code, run, next);
      }
    }
    level_begin = level_end;
  }
  tree.first_child.push_back(static_cast<std::uint32_t>(tree.label.size()));
  return options.prune ? detail::without_repetitions(tree) : tree;
}

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
