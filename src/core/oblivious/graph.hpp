// Oblivious decision graphs: every level tests one feature, and similar nodes of a level are merged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/oblivious/compatible.hpp"
#include "core/oblivious/graph_arrays.hpp"
#include "core/oblivious/subtrees.hpp"
#include "core/trees/prune.hpp"

namespace casebase {

enum class Merge : std::uint8_t { none, equal, compatible, top_down };

struct GraphOptions {
  Merge merge;
  PruningRules doubts;  // pessimistic error of a leaf
};

// Bounds the comparisons of a node when many nodes are merged.
inline constexpr std::size_t kMostTried = 200;

// C4.5's pessimistic errors of a leaf. A node may have fewer of them as a leaf than by its subtree.
struct PessimisticLeaves {
  PruningRules doubts;
  static constexpr bool kMayEnd = true;
  double leaf(double n, double errors) const { return errors + added_errors(n, errors, doubts); }
};

// The columns are the levels; rows are sorted by value.
class GraphGrower {
 public:
  GraphGrower(const DistinctCases& cases, const Preference& prefer, const GraphOptions& options, const Watch& watch)
      : cases_(cases),
        prefer_(prefer),
        merge_(options.merge),
        best_(best_answers(cases, prefer)),
        trees_(cases, best_, {options.doubts}),
        ballot_(cases.n_classes),
        watch_(watch),
        depth_(cases.columns.size()) {}

  GraphArrays grow() {
    divide();
    merge();
    return GraphArranger(cases_, prefer_, shape_).arranged();
  }

 private:
  using Trees = Subtrees<PessimisticLeaves>;

  struct Cell {
    Trees::Id tree;
    double size;
    bool is_leaf;
    Label label;
    std::vector<std::pair<std::uint32_t, std::size_t>> children;  // value, cell of the next level
  };

  Cell cell_of(Trees::Id tree, std::size_t level) {
    return {tree,
            trees_.size(tree),
            level == depth_ || trees_.answer(tree) != Trees::kMixed,
            trees_.majority(tree, prefer_, ballot_),
            {}};
  }

  std::uint64_t n_nodes_below(Trees::Id tree, std::size_t level) {
    if (level == depth_ || trees_.answer(tree) != Trees::kMixed) return 1;
    std::uint64_t n = 1;
    const auto kids = trees_.kids(tree, level);
    for (const auto& kid : kids) n += n_nodes_below(kid.second, level + 1);
    return n;
  }

  // Grows the oblivious tree level by level; with `top_down`, nodes of a level with no more expected errors together
  // than apart are merged before the next level.
  void divide() {
    cells_.assign(depth_ + 1, {});
    std::vector<Row> rows(cases_.n_rows);
    std::iota(rows.begin(), rows.end(), Row{0});
    const Trees::Id root = trees_.grow(std::move(rows), 0);
    shape_.n_tree_nodes = n_nodes_below(root, 0);
    cells_[0].push_back(cell_of(root, 0));
    for (std::size_t level = 0; level < depth_; ++level) {
      auto& below = cells_[level + 1];
      for (Cell& cell : cells_[level]) {
        if (cell.is_leaf) continue;
        const auto kids = trees_.kids(cell.tree, level);
        for (const auto& [value, kid] : kids) {
          cell.children.push_back({value, below.size()});
          below.push_back(cell_of(kid, level + 1));
        }
      }
      if (merge_ == Merge::top_down) pool(level);
    }
  }

  // Merges cells of the next level, the largest first: each joins the cell with which it saves the most expected
  // errors.
  void pool(std::size_t above) {
    const std::size_t level = above + 1;
    auto& cells = cells_[level];
    std::vector<std::size_t> order(cells.size()), place(cells.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return cells[a].size > cells[b].size; });
    std::vector<Trees::Id> pooled;
    for (std::size_t done = 0; done < order.size(); ++done) {
      const Trees::Id tree = cells[order[done]].tree;
      std::size_t best = pooled.size();
      double most = -kSameCriterion;
      for (std::size_t g = 0; g < std::min(pooled.size(), kMostTried); ++g) {
        const double apart = trees_.cost(pooled[g]) + trees_.cost(tree);
        const double saved = apart - trees_.joined_cost(pooled[g], tree, level, apart);
        if (saved >= most + (best == pooled.size() ? 0.0 : kSameCriterion)) {
          best = g;
          most = saved;
        }
      }
      place[order[done]] = best;
      if (best == pooled.size()) {
        pooled.push_back(tree);
      } else {
        trees_.lay(pooled[best], tree, level);
      }
      const double here = static_cast<double>(done + 1) / static_cast<double>(order.size());
      watch_((static_cast<double>(above) + here) / static_cast<double>(depth_));
    }
    std::vector<Cell> merged;
    for (const Trees::Id tree : pooled) merged.push_back(cell_of(tree, level));
    cells = std::move(merged);
    for (Cell& cell : cells_[above])
      for (auto& child : cell.children) child.second = place[child.second];
  }

  // Merges from the last level up: a cell that leads to one class only is a leaf of that class; other cells are merged
  // if they have the same targets for the values of both (`compatible`), or for all values (`equal`).
  void merge() {
    shape_.edges.assign(depth_, {});
    std::vector<Target> below, here;
    for (std::size_t level = depth_ + 1; level-- > 0; below = std::move(here)) {
      here.assign(cells_[level].size(), 0);
      std::vector<std::size_t> order(cells_[level].size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return cells_[level][a].size > cells_[level][b].size; });
      std::map<Edges, std::size_t> known;
      CompatibleNodes nodes;
      for (const std::size_t i : order) {
        const Cell& cell = cells_[level][i];
        if (cell.is_leaf) {
          here[i] = kClass | cell.label;
          continue;
        }
        Edges edges;
        for (const auto& [value, child] : cell.children) edges.push_back({value, below[child]});
        const Target one = common_target(edges, 0);
        here[i] = is_class(one) ? one : node_at(level, placed(nodes, known, std::move(edges)));
        watch_(1.0);
      }
      if (level < depth_) shape_.edges[level] = std::move(nodes).edges();
    }
    shape_.root = below[0];
  }

  // Equal nodes join the same one, since that stays compatible with them and those before it do not become so.
  std::size_t placed(CompatibleNodes& nodes, std::map<Edges, std::size_t>& known, Edges&& edges) const {
    if (merge_ == Merge::none) return nodes.add(edges);
    const auto at = known.find(edges);
    if (at != known.end()) return at->second;
    const std::size_t place = merge_ == Merge::equal ? nodes.size() : nodes.first(edges);
    if (place == nodes.size()) {
      nodes.add(edges);
    } else {
      nodes.extend(place, edges);
    }
    known.emplace(std::move(edges), place);
    return place;
  }

  const DistinctCases& cases_;
  Preference prefer_;
  Merge merge_;
  std::vector<Label> best_;
  Trees trees_;
  Ballot ballot_;
  const Watch& watch_;
  std::size_t depth_;
  std::vector<std::vector<Cell>> cells_;
  GraphShape shape_;
};

}  // namespace casebase
