// An oblivious decision graph as arrays, and the walk of a case through it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/oblivious/disorder.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Is called every now and then with the share of the work that is done; throws to end it.
using Watch = std::function<void(double)>;

using Target = std::uint64_t;  // a class, or a node at a level
inline constexpr Target kClass = Target{1} << 63;
inline bool is_class(Target target) { return target & kClass; }
inline Target node_at(std::size_t level, std::size_t place) { return (static_cast<Target>(level) << 32) | place; }

using Edges = std::vector<std::pair<std::uint32_t, Target>>;  // by ascending value

// The place that all branches lead to, or `other` if there are several.
inline Target common_target(const Edges& edges, Target other) {
  const bool is_one =
      std::all_of(edges.begin(), edges.end(), [&](const auto& edge) { return edge.second == edges.front().second; });
  return is_one ? edges.front().second : other;
}

struct GraphShape {
  std::vector<std::vector<Edges>> edges;       // per level and node
  std::vector<std::vector<Target>> otherwise;  // where values without a branch lead; empty if they end the walk
  Target root = 0;
  std::uint64_t n_tree_nodes = 0;  // of the tree before merging
};

// Test nodes level by level, then a leaf per class; node 0 is the root. The branches of node n are first_edge[n] to
// first_edge[n + 1], by ascending value. A value without a branch leads to otherwise[n]; n itself ends the walk.
struct GraphArrays {
  std::vector<std::uint32_t> level, first_edge, edge_value, edge_target, otherwise;
  std::vector<std::uint64_t> first_count;
  std::vector<Label> count_label, label;
  std::vector<double> count;
  std::uint64_t n_tree_nodes = 0;
};

// Numbers the nodes level by level, in the order of the branches to them, and counts the cases at each.
class GraphArranger {
 public:
  GraphArranger(const DistinctCases& cases, const Preference& prefer, const GraphShape& shape)
      : cases_(cases), prefer_(prefer), shape_(shape), classes_(cases), depth_(cases.columns.size()) {}

  GraphArrays arranged() {
    GraphArrays graph;
    graph.n_tree_nodes = shape_.n_tree_nodes;
    std::map<Target, std::uint32_t> number;
    std::vector<std::vector<Target>> found(depth_ + 1);
    std::vector<bool> is_answer(cases_.n_classes, false);
    auto find = [&](Target target) {
      if (is_class(target)) {
        is_answer[static_cast<Label>(target & ~kClass)] = true;
      } else if (number.try_emplace(target, 0).second) {
        found[target >> 32].push_back(target);
      }
    };
    find(shape_.root);
    std::vector<Target> order;
    for (std::size_t level = 0; level < depth_; ++level)
      for (const Target target : found[level]) {
        number[target] = static_cast<std::uint32_t>(order.size());
        order.push_back(target);
        for (const auto& edge : edges_of(target)) find(edge.second);
      }
    const std::size_t n_tests = order.size();
    for (Label label = 0; label < cases_.n_classes; ++label)
      if (is_answer[label]) {
        number[kClass | label] = static_cast<std::uint32_t>(order.size());
        order.push_back(kClass | label);
      }
    graph.first_edge.push_back(0);
    for (std::size_t n = 0; n < order.size(); ++n) {
      graph.level.push_back(static_cast<std::uint32_t>(n < n_tests ? order[n] >> 32 : depth_));
      if (n < n_tests)
        for (const auto& [value, target] : edges_of(order[n])) {
          graph.edge_value.push_back(value);
          graph.edge_target.push_back(number[target]);
        }
      graph.first_edge.push_back(static_cast<std::uint32_t>(graph.edge_value.size()));
      const bool ends = n >= n_tests || shape_.otherwise.empty();
      graph.otherwise.push_back(ends ? static_cast<std::uint32_t>(n)
                                     : number[shape_.otherwise[order[n] >> 32][order[n] & 0xFFFFFFFFu]]);
    }
    count(graph, n_tests, order);
    return graph;
  }

 private:
  const Edges& edges_of(Target target) const { return shape_.edges[target >> 32][target & 0xFFFFFFFFu]; }

  void count(GraphArrays& graph, std::size_t n_tests, const std::vector<Target>& order) {
    const std::size_t n_nodes = graph.level.size();
    std::vector<std::vector<Row>> rows(n_nodes);
    for (std::size_t r = 0; r < cases_.n_rows; ++r) {
      std::size_t n = 0;
      rows[0].push_back(static_cast<Row>(r));
      while (graph.first_edge[n] < graph.first_edge[n + 1]) {  // a training case has a branch at every test
        const auto begin = graph.edge_value.begin() + graph.first_edge[n];
        const auto end = graph.edge_value.begin() + graph.first_edge[n + 1];
        const auto at = std::lower_bound(begin, end, cases_.columns[graph.level[n]].code(r));
        n = graph.edge_target[static_cast<std::size_t>(at - graph.edge_value.begin())];
        rows[n].push_back(static_cast<Row>(r));
      }
    }
    graph.first_count.push_back(0);
    for (std::size_t n = 0; n < n_nodes; ++n) {
      classes_.clear();
      for (const Row row : rows[n]) classes_.add(row);
      graph.label.push_back(n < n_tests ? classes_.label(prefer_) : static_cast<Label>(order[n] & ~kClass));
      for (const Label label : classes_.labels()) {
        graph.count_label.push_back(label);
        graph.count.push_back(classes_.votes(label));
      }
      graph.first_count.push_back(graph.count.size());
    }
  }

  const DistinctCases& cases_;
  Preference prefer_;
  const GraphShape& shape_;
  ClassSum classes_;
  std::size_t depth_;
};

// The end of one case's walk: a leaf, or a node where its value ends the walk. Counts its branches in `n_steps`.
inline std::uint32_t walk_graph(const std::uint32_t* level, const std::uint32_t* first_edge, const std::uint32_t* value,
                                const std::uint32_t* target, const std::uint32_t* otherwise,
                                const std::vector<Column>& columns, std::size_t row, std::uint32_t& n_steps) {
  std::uint32_t node = 0;
  while (first_edge[node] < first_edge[node + 1]) {
    const std::uint32_t *begin = value + first_edge[node], *end = value + first_edge[node + 1];
    const std::uint32_t code = columns[level[node]].code(row);
    const auto* at = std::lower_bound(begin, end, code);
    const std::uint32_t next = at == end || *at != code ? otherwise[node] : target[at - value];
    if (next == node) break;
    node = next;
    ++n_steps;
  }
  return node;
}

}  // namespace casebase
