// EODG: the levels of an oblivious tree are merged from the root down, the pair of nodes first whose pessimistic error
// falls most.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/oblivious/graph.hpp"
#include "core/oblivious/graph_arrays.hpp"
#include "core/oblivious/subtrees.hpp"

namespace casebase {

// The training errors of the subtree.
struct TrainingErrors {
  static constexpr bool kMayEnd = false;
  double leaf(double, double errors) const { return errors; }
};

// The upper limit of Wilson's confidence interval of `errors` among `n` cases, in cases.
inline double upper_errors(double n, double errors, double z) {
  const double share = errors / n, square = z * z;
  const double spread = z * std::sqrt(share * (1.0 - share) / n + square / (4.0 * n * n));
  return n * ((share + square / (2.0 * n) + spread) / (1.0 + square / n));
}

// The columns are the levels. Values that no case of a node has lead where most of its cases go.
class EodgGrower {
 public:
  EodgGrower(const DistinctCases& cases, const Preference& prefer, double z, std::size_t widest, const Watch& watch)
      : cases_(cases),
        prefer_(prefer),
        z_(z),
        widest_(widest),
        best_(best_answers(cases, prefer)),
        trees_(cases, best_, {}),
        watch_(watch),
        depth_(cases.columns.size()) {}

  GraphArrays grow() {
    shape_.edges.assign(depth_, {});
    shape_.n_tree_nodes = count_tree_nodes();
    std::vector<Row> rows(cases_.n_rows);
    std::iota(rows.begin(), rows.end(), Row{0});
    std::vector<Id> nodes{trees_.grow(std::move(rows), 0)};
    std::vector<std::vector<Node>> levels(depth_);
    for (level_ = 0; level_ < depth_; ++level_) nodes = merged_below(nodes, levels[level_]);
    name_leaves(nodes, levels);
    return GraphArranger(cases_, prefer_, shape_).arranged();
  }

 private:
  using Trees = Subtrees<TrainingErrors>;
  using Id = Trees::Id;
  struct Node {
    std::vector<std::pair<std::uint32_t, std::size_t>> children;  // value, place at the next level
    std::size_t largest = 0;                                      // the place where most cases go
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // The nodes of the tree, leaves at the last level, without those that no case reaches.
  std::uint64_t count_tree_nodes() const {
    std::uint64_t n = 1 + depth_;
    for (std::size_t row = 1; row < cases_.n_rows; ++row) {
      std::size_t level = 0;
      while (level < depth_ && cases_.columns[level].code(row) == cases_.columns[level].code(row - 1)) ++level;
      n += depth_ - level;
    }
    return n;
  }

  // Splits the nodes of a level, merges the nodes below, and notes where each value leads.
  std::vector<Id> merged_below(const std::vector<Id>& ids, std::vector<Node>& nodes) {
    std::vector<Id> below;
    for (const Id id : ids) {
      Node node;
      double most = 0.0;
      const auto kids = trees_.kids(id, level_);
      for (const auto& [value, kid] : kids) {
        if (trees_.size(kid) > most) {
          most = trees_.size(kid);
          node.largest = below.size();
        }
        node.children.push_back({value, below.size()});
        below.push_back(kid);
      }
      nodes.push_back(std::move(node));
    }
    nodes_ = std::move(below);
    merged_into_.resize(nodes_.size());
    std::iota(merged_into_.begin(), merged_into_.end(), std::size_t{0});
    merge_level();
    std::vector<Id> kept;
    std::vector<std::size_t> place(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (merged_into_[i] == i) {
        place[i] = kept.size();
        kept.push_back(nodes_[i]);
      } else {
        place[i] = place[merged_into_[i]];
      }
    }
    for (Node& node : nodes) {
      node.largest = place[node.largest];
      for (auto& child : node.children) child.second = place[child.second];
    }
    return kept;
  }

  // Merges the pair with the largest fall, of equal ones the first, until no fall is left. On a level that is too wide
  // for pairs, equal subtrees become one; then each node, the largest first, joins the best of the first ones.
  void merge_level() {
    const std::size_t level = level_ + 1;
    if (nodes_.size() > widest_) {
      merge_equal(level);
      if (n_alive() > widest_) join_first(level);
      if (n_alive() > widest_) return;
    }
    const std::size_t n = nodes_.size();
    std::vector<Pair> best(n);
    for (std::size_t a = 0; a < n; ++a)
      if (is_alive(a)) best[a] = best_partner(a, level);
    for (;;) {
      std::size_t a = kNone;
      for (std::size_t i = 0; i < n; ++i)
        if (is_alive(i) && best[i].with != kNone && (a == kNone || best[i].fall > best[a].fall)) a = i;
      if (a == kNone) return;
      const std::size_t b = best[a].with;
      merge(a, b, level);
      for (std::size_t c = 0; c < b; ++c) {
        if (!is_alive(c)) continue;
        if (c == a || best[c].with == a || best[c].with == b) {
          best[c] = best_partner(c, level);
        } else if (c < a) {
          improve(best[c], c, a, level);
        }
      }
    }
  }

  struct Pair {
    double fall = kSameCriterion;
    std::size_t with = kNone;
  };

  bool is_alive(std::size_t i) const { return merged_into_[i] == i; }
  std::size_t n_alive() const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) n += is_alive(i);
    return n;
  }
  double errors(Id id) const { return upper_errors(trees_.size(id), trees_.cost(id), z_); }

  Pair best_partner(std::size_t a, std::size_t level) {
    Pair best;
    for (std::size_t b = a + 1; b < nodes_.size(); ++b)
      if (is_alive(b)) improve(best, a, b, level);
    return best;
  }

  // Puts `b` in the place of the partner of `a`, if the errors of both fall more: at most as far as without new errors.
  // The earlier of equal partners stays.
  void improve(Pair& best, std::size_t a, std::size_t b, std::size_t level) {
    const Id x = nodes_[a], y = nodes_[b];
    const double n = trees_.size(x) + trees_.size(y), apart = errors(x) + errors(y);
    const double seen = trees_.cost(x) + trees_.cost(y);
    auto is_better = [&](double fall) {
      return fall > best.fall || (fall == best.fall && best.with != kNone && b < best.with);
    };
    watch();
    if (!is_better(apart - upper_errors(n, seen, z_))) return;
    const double fall = apart - upper_errors(n, trees_.joined_cost(x, y, level, apart - best.fall), z_);
    if (is_better(fall)) best = {fall, b};
  }

  void merge(std::size_t a, std::size_t b, std::size_t level) {
    trees_.lay(nodes_[a], nodes_[b], level);
    merged_into_[b] = a;
  }

  void merge_equal(std::size_t level) {
    std::map<std::vector<std::uint64_t>, std::uint64_t> known;
    std::map<std::uint64_t, std::size_t> first;
    std::vector<std::uint64_t> signatures;
    for (const Id node : nodes_) {
      signatures.push_back(trees_.signature(node, level, known));
      watch();
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto [at, is_new] = first.try_emplace(signatures[i], i);
      if (!is_new) merge(at->second, i, level);
      watch();
    }
  }

  void join_first(std::size_t level) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (is_alive(i)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return trees_.size(nodes_[a]) > trees_.size(nodes_[b]); });
    std::vector<std::size_t> groups;
    for (const std::size_t i : order) {
      Pair best;
      std::size_t at = kNone;
      for (std::size_t g = 0; g < std::min(groups.size(), kMostTried); ++g) {
        const Pair before = best;
        improve(best, i, groups[g], level);
        if (best.with != before.with) at = g;
      }
      if (at == kNone) {
        groups.push_back(i);
        continue;
      }
      // A node is merged into an earlier one.
      const std::size_t a = std::min(groups[at], i), b = std::max(groups[at], i);
      merge(a, b, level);
      groups[at] = a;
    }
  }

  // From the last level up: nodes whose branches all lead to one place vanish.
  void name_leaves(const std::vector<Id>& leaves, const std::vector<std::vector<Node>>& levels) {
    Ballot ballot(cases_.n_classes);
    std::vector<Target> below, here;
    for (const Id leaf : leaves) below.push_back(kClass | trees_.majority(leaf, prefer_, ballot));
    shape_.otherwise.assign(depth_, {});
    for (std::size_t level = depth_; level-- > 0; below = std::move(here)) {
      here.clear();
      for (const Node& node : levels[level]) {
        Edges edges;
        for (const auto& [value, place] : node.children) edges.push_back({value, below[place]});
        here.push_back(common_target(edges, node_at(level, here.size())));
        shape_.edges[level].push_back(std::move(edges));
        shape_.otherwise[level].push_back(below[node.largest]);
      }
    }
    shape_.root = below[0];
  }

  void watch() { watch_(static_cast<double>(level_) / static_cast<double>(depth_)); }

  const DistinctCases& cases_;
  Preference prefer_;
  double z_;
  std::size_t widest_;
  std::vector<Label> best_;
  Trees trees_;
  const Watch& watch_;
  std::size_t depth_, level_ = 0;
  std::vector<Id> nodes_;                 // of the level that is merged
  std::vector<std::size_t> merged_into_;  // an earlier one, or itself
  GraphShape shape_;
};

}  // namespace casebase
