// Oblivious decision graphs: every level tests one feature, and similar nodes of a level are merged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/oblivious/disorder.hpp"
#include "core/trees/prune.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Chooses the feature of each level: the one with the greatest conditional mutual information with the class, given the
// features above. Continues as long as a feature splits cases with different best predictions, even without gain.
class LevelChooser {
 public:
  LevelChooser(const DistinctCases& cases, const Preference& prefer, bool by_ratio)
      : cases_(cases), best_(best_answers(cases, prefer)), by_ratio_(by_ratio), classes_(cases) {
    classes_.clear();
    std::vector<Row> all(cases.n_rows);
    std::iota(all.begin(), all.end(), Row{0});
    for (const Row row : all) classes_.add(row);
    total_ = classes_.size();
    keep_if_mixed(std::move(all));
  }

  std::vector<std::uint32_t> choose() {
    std::vector<std::uint32_t> order;
    std::vector<bool> is_asked(cases_.columns.size(), false);
    for (;;) {
      std::vector<double> worth(cases_.columns.size(), kNothing);
      for (std::size_t f = 0; f < worth.size(); ++f)
        if (!is_asked[f]) worth[f] = worth_of(f);
      const double best = worth.empty() ? kNothing : *std::max_element(worth.begin(), worth.end());
      if (best == kNothing) return order;
      std::size_t f = 0;
      while (worth[f] < best - kSameCriterion) ++f;
      is_asked[f] = true;
      order.push_back(static_cast<std::uint32_t>(f));
      auto cells = std::move(mixed_);
      mixed_.clear();
      for (auto& cell : cells) {
        sort_by(f, cell.rows);
        for (std::size_t i = 0; i < keyed_.size();) keep_if_mixed(next_run(i));
      }
    }
  }

 private:
  struct MixedCell {
    std::vector<Row> rows;
    bool may_end_here;  // all rows have the same best prediction
  };
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  void sort_by(std::size_t f, const std::vector<Row>& cell) {
    keyed_.clear();
    for (const Row row : cell) keyed_.push_back({cases_.columns[f].code(row), row});
    std::sort(keyed_.begin(), keyed_.end());
  }

  std::vector<Row> next_run(std::size_t& i) const {
    std::vector<Row> run;
    for (const std::uint32_t code = keyed_[i].first; i < keyed_.size() && keyed_[i].first == code; ++i)
      run.push_back(keyed_[i].second);
    return run;
  }

  void keep_if_mixed(std::vector<Row>&& cell) {
    classes_.clear();
    for (const Row row : cell) classes_.add(row);
    if (classes_.labels().size() < 2) return;
    const bool may_end_here = !is_open(best_, cell, 0, cell.size());
    mixed_.push_back({std::move(cell), may_end_here});
  }

  // The conditional mutual information of feature and class, or its ratio to the feature's conditional entropy;
  // kNothing if the feature splits no cell with different best predictions.
  double worth_of(std::size_t f) {
    double gain = 0.0, split = 0.0;
    bool divides = false;
    for (const auto& cell : mixed_) {
      sort_by(f, cell.rows);
      if (keyed_.front().first == keyed_.back().first) continue;
      divides = divides || !cell.may_end_here;
      classes_.clear();
      for (const Row row : cell.rows) classes_.add(row);
      gain += classes_.disorder();
      split += n_log_n(classes_.size());
      for (std::size_t i = 0; i < keyed_.size();) {
        classes_.clear();
        for (const std::uint32_t code = keyed_[i].first; i < keyed_.size() && keyed_[i].first == code; ++i)
          classes_.add(keyed_[i].second);
        gain -= classes_.disorder();
        split -= n_log_n(classes_.size());
      }
    }
    if (!divides) return kNothing;
    return by_ratio_ ? gain / split : gain / total_;
  }

  const DistinctCases& cases_;
  std::vector<Label> best_;
  bool by_ratio_;
  ClassSum classes_;
  double total_;
  std::vector<MixedCell> mixed_;  // cells of several classes
  std::vector<std::pair<std::uint32_t, Row>> keyed_;
};

enum class Merge : std::uint8_t { none, equal, compatible, top_down };

struct GraphOptions {
  Merge merge;
  PruningRules doubts;  // pessimistic error of a leaf
};

// Test nodes level by level, then a leaf per class; node 0 is the root. The branches of node n are first_edge[n] to
// first_edge[n + 1], by ascending value.
struct GraphArrays {
  std::vector<std::uint32_t> level, first_edge, edge_value, edge_target;
  std::vector<std::uint64_t> first_count;
  std::vector<Label> count_label, label;
  std::vector<double> count;
  std::uint64_t n_tree_nodes = 0;  // of the tree before merging
};

// The columns are the levels; rows are sorted by value.
class GraphGrower {
 public:
  GraphGrower(const DistinctCases& cases, const Preference& prefer, const GraphOptions& options)
      : cases_(cases),
        prefer_(prefer),
        options_(options),
        best_(best_answers(cases, prefer)),
        classes_(cases),
        depth_(cases.columns.size()) {}

  GraphArrays grow() {
    divide();
    merge();
    return arranged();
  }

 private:
  using Target = std::uint64_t;  // a class, or a node at a level
  static constexpr Target kClass = Target{1} << 63;
  using Edges = std::map<std::uint32_t, Target>;

  struct Cell {
    std::vector<Row> rows;  // sorted by the features of this level and those below
    double size = 0.0, estimate = 0.0;
    bool is_leaf = false;
    Label label = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> children;  // value, cell of the next level
  };

  static bool is_class(Target target) { return target & kClass; }
  static Target node(std::size_t level, std::size_t at) { return (static_cast<Target>(level) << 32) | at; }
  std::uint32_t code(Row row, std::size_t level) const { return cases_.columns[level].code(row); }

  void describe(Cell& cell, std::size_t level) {
    classes_.clear();
    for (const Row row : cell.rows) classes_.add(row);
    cell.size = classes_.size();
    cell.label = classes_.label(prefer_);
    cell.is_leaf = level == depth_ || !is_open(best_, cell.rows, 0, cell.rows.size());
  }

  // The expected errors of the subtree for some rows, or of a leaf if those are fewer.
  double estimate(const std::vector<Row>& rows, std::size_t begin, std::size_t end, std::size_t level) {
    classes_.clear();
    for (std::size_t i = begin; i < end; ++i) classes_.add(rows[i]);
    const double n = classes_.size(), errors = n - classes_.largest();
    const double leaf = errors + added_errors(n, errors, options_.doubts);
    if (classes_.labels().size() == 1) return leaf;
    while (level < depth_ && code(rows[begin], level) == code(rows[end - 1], level)) ++level;  // no split here
    if (level == depth_) return leaf;
    double below = 0.0;
    for (std::size_t i = begin; i < end && below < leaf;) {
      const std::size_t first = i;
      while (i < end && code(rows[i], level) == code(rows[first], level)) ++i;
      below += estimate(rows, first, i, level + 1);
    }
    return std::min(leaf, below);
  }

  // The number of nodes of the subtree for some rows, its root included.
  std::uint64_t n_nodes_below(const std::vector<Row>& rows, std::size_t begin, std::size_t end, std::size_t level) {
    if (level == depth_ || !is_open(best_, rows, begin, end)) return 1;
    std::uint64_t n = 1;
    for (std::size_t i = begin; i < end;) {
      const std::size_t first = i;
      while (i < end && code(rows[i], level) == code(rows[first], level)) ++i;
      n += n_nodes_below(rows, first, i, level + 1);
    }
    return n;
  }

  // Grows the oblivious tree level by level; with `top_down`, nodes of a level with no more expected errors together
  // than apart are merged before the next level.
  void divide() {
    cells_.assign(depth_ + 1, {});
    Cell root;
    root.rows.resize(cases_.n_rows);
    std::iota(root.rows.begin(), root.rows.end(), Row{0});
    n_tree_nodes_ = n_nodes_below(root.rows, 0, cases_.n_rows, 0);
    cells_[0].push_back(std::move(root));
    for (std::size_t level = 0; level <= depth_; ++level) {
      for (Cell& cell : cells_[level]) {
        describe(cell, level);
        if (cell.is_leaf) continue;
        for (std::size_t i = 0; i < cell.rows.size();) {
          const std::size_t first = i;
          while (i < cell.rows.size() && code(cell.rows[i], level) == code(cell.rows[first], level)) ++i;
          Cell child;
          child.rows.assign(cell.rows.begin() + static_cast<std::ptrdiff_t>(first),
                            cell.rows.begin() + static_cast<std::ptrdiff_t>(i));
          cell.children.push_back({code(cell.rows[first], level), cells_[level + 1].size()});
          cells_[level + 1].push_back(std::move(child));
        }
      }
      if (options_.merge == Merge::top_down && level < depth_) pool(level);
    }
  }

  // Merges cells of the next level, the largest first: each joins the cell with which it saves the most expected
  // errors.
  void pool(std::size_t above) {
    const std::size_t level = above + 1;
    auto& cells = cells_[level];
    for (Cell& cell : cells) {
      describe(cell, level);
      cell.estimate = estimate(cell.rows, 0, cell.rows.size(), level);
    }
    std::vector<std::size_t> order(cells.size()), place(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cells[a].size > cells[b].size; });
    std::vector<Cell> pooled;
    for (const std::size_t i : order) {
      Cell& cell = cells[i];
      std::size_t best = pooled.size();
      double most = -kSameCriterion, errors = 0.0;
      std::vector<Row> together;
      for (std::size_t g = 0; g < std::min(pooled.size(), kMostTried); ++g) {
        auto rows = joined(pooled[g].rows, cell.rows, level);
        const double found = estimate(rows, 0, rows.size(), level);
        const double saved = pooled[g].estimate + cell.estimate - found;
        if (saved >= most + (best == pooled.size() ? 0.0 : kSameCriterion)) {
          best = g;
          most = saved;
          errors = found;
          together = std::move(rows);
        }
      }
      place[i] = best;
      if (best == pooled.size()) {
        pooled.push_back(std::move(cell));
      } else {
        pooled[best].rows = std::move(together);
        pooled[best].estimate = errors;
      }
    }
    cells = std::move(pooled);
    for (Cell& cell : cells_[above])
      for (auto& child : cell.children) child.second = place[child.second];
  }

  std::vector<Row> joined(const std::vector<Row>& a, const std::vector<Row>& b, std::size_t level) const {
    std::vector<Row> rows(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), rows.begin(), [&](Row x, Row y) {
      for (std::size_t l = level; l < depth_; ++l)
        if (code(x, l) != code(y, l)) return code(x, l) < code(y, l);
      return x < y;
    });
    return rows;
  }

  // Merges from the last level up: a cell that leads to one class only is a leaf of that class; other cells are merged
  // if they have the same targets for the values of both (`compatible`), or for all values (`equal`).
  void merge() {
    edges_.assign(depth_, {});
    std::vector<Target> below, here;
    for (std::size_t level = depth_ + 1; level-- > 0; below = std::move(here)) {
      here.assign(cells_[level].size(), 0);
      std::vector<std::size_t> order(cells_[level].size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return cells_[level][a].size > cells_[level][b].size; });
      std::map<Edges, std::size_t> known;
      for (const std::size_t i : order) {
        const Cell& cell = cells_[level][i];
        if (cell.is_leaf) {
          here[i] = kClass | cell.label;
          continue;
        }
        Edges edges;
        for (const auto& [value, child] : cell.children) edges[value] = below[child];
        const Target first = edges.begin()->second;
        const bool leads_to_one =
            std::all_of(edges.begin(), edges.end(), [&](const auto& edge) { return edge.second == first; });
        here[i] = leads_to_one && is_class(first) ? first : node(level, placed(edges_[level], known, edges));
      }
    }
    root_ = below[0];
  }

  std::size_t placed(std::vector<Edges>& nodes, std::map<Edges, std::size_t>& known, const Edges& edges) const {
    if (options_.merge == Merge::equal) {
      const auto [at, is_new] = known.try_emplace(edges, nodes.size());
      if (is_new) nodes.push_back(edges);
      return at->second;
    }
    if (options_.merge != Merge::none)
      for (std::size_t at = 0; at < nodes.size(); ++at)
        if (agree(nodes[at], edges)) {
          nodes[at].insert(edges.begin(), edges.end());
          return at;
        }
    nodes.push_back(edges);
    return nodes.size() - 1;
  }

  static bool agree(const Edges& a, const Edges& b) {
    for (const auto& [value, target] : b) {
      const auto other = a.find(value);
      if (other != a.end() && other->second != target) return false;
    }
    return true;
  }

  // Numbers the nodes level by level, in the order of the branches to them, and counts the cases at each.
  GraphArrays arranged() {
    GraphArrays graph;
    graph.n_tree_nodes = n_tree_nodes_;
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
    find(root_);
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
    }
    count(graph);
    return graph;
  }

  const Edges& edges_of(Target target) const { return edges_[target >> 32][target & 0xFFFFFFFFu]; }

  void count(GraphArrays& graph) {
    const std::size_t n_nodes = graph.level.size();
    std::vector<std::vector<Row>> rows(n_nodes);
    for (std::size_t r = 0; r < cases_.n_rows; ++r) {
      std::size_t n = 0;
      rows[0].push_back(static_cast<Row>(r));
      while (graph.first_edge[n] < graph.first_edge[n + 1]) {  // a training case has a branch at every test
        const auto begin = graph.edge_value.begin() + graph.first_edge[n];
        const auto end = graph.edge_value.begin() + graph.first_edge[n + 1];
        const auto at = std::lower_bound(begin, end, code(static_cast<Row>(r), graph.level[n]));
        n = graph.edge_target[static_cast<std::size_t>(at - graph.edge_value.begin())];
        rows[n].push_back(static_cast<Row>(r));
      }
    }
    graph.first_count.push_back(0);
    for (std::size_t n = 0; n < n_nodes; ++n) {
      classes_.clear();
      for (const Row row : rows[n]) classes_.add(row);
      graph.label.push_back(classes_.label(prefer_));
      for (const Label label : classes_.labels()) {
        graph.count_label.push_back(label);
        graph.count.push_back(classes_.votes(label));
      }
      graph.first_count.push_back(graph.count.size());
    }
  }

  static constexpr std::size_t kMostTried = 200;  // bounds the comparisons of a node when nodes are merged

  const DistinctCases& cases_;
  Preference prefer_;
  GraphOptions options_;
  std::vector<Label> best_;
  ClassSum classes_;
  std::size_t depth_;
  std::vector<std::vector<Cell>> cells_;
  std::vector<std::vector<Edges>> edges_;  // per level and node
  Target root_ = 0;
  std::uint64_t n_tree_nodes_ = 0;
};

// The end of one case's walk: a leaf, or a node without a branch for its value. Counts its branches in `n_steps`.
inline std::uint32_t walk_graph(const std::uint32_t* level, const std::uint32_t* first_edge, const std::uint32_t* value,
                                const std::uint32_t* target, const std::vector<Column>& columns, std::size_t row,
                                std::uint32_t& n_steps) {
  std::uint32_t node = 0;
  while (first_edge[node] < first_edge[node + 1]) {
    const std::uint32_t *begin = value + first_edge[node], *end = value + first_edge[node + 1];
    const std::uint32_t code = columns[level[node]].code(row);
    const auto* at = std::lower_bound(begin, end, code);
    if (at == end || *at != code) break;
    node = target[at - value];
    ++n_steps;
  }
  return node;
}

}  // namespace casebase
