// Subtrees of an oblivious tree that can be laid over each other, and what they cost together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/oblivious/disorder.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// The columns are the levels. Cases of one class are kept as rows until they are laid over cases of another class, so
// that a tree of many cases has few nodes.
//
// `Cost` has `leaf(n, errors)`, the cost of a leaf, and `kMayEnd`: whether a node may cost less as a leaf than by its
// subtree.
template <class Cost>
class Subtrees {
 public:
  using Id = std::uint32_t;
  static constexpr Label kMixed = 0xFFFFFFFFu;
  using Kids = std::vector<std::pair<std::uint32_t, Id>>;  // value and node of the next level, by ascending value

  Subtrees(const DistinctCases& cases, const std::vector<Label>& best, Cost cost)
      : cases_(cases), best_(best), cost_(cost), classes_(cases), depth_(cases.columns.size()) {}

  // The subtree of some rows whose root is at `level`.
  Id grow(std::vector<Row>&& rows, std::size_t level) {
    const Id id = add(std::move(rows), level);
    if (nodes_[id].counts.size() > 1) expand(id, level);
    return id;
  }

  double size(Id id) const { return nodes_[id].n; }
  double cost(Id id) const { return nodes_[id].cost; }
  Label answer(Id id) const { return nodes_[id].answer; }  // the best prediction of all its rows, or kMixed
  Label majority(Id id, const Preference& prefer, Ballot& ballot) const {
    ballot.clear();
    for (const auto& [label, n] : nodes_[id].counts) ballot.add(label, n);
    return ballot.choose(prefer).label;
  }

  const Kids& kids(Id id, std::size_t level) {
    expand(id, level);
    return nodes_[id].kids;
  }

  // The cost of two subtrees laid over each other. Stops with a lower bound as soon as that exceeds `limit`.
  double joined_cost(Id a, Id b, std::size_t level, double limit) {
    if (are_one_class(a, b)) return cost_.leaf(nodes_[a].n + nodes_[b].n, 0.0);
    if (level == depth_) return leaf_of_both(a, b);
    expand(a, level);
    expand(b, level);
    const double leaf = Cost::kMayEnd ? leaf_of_both(a, b) : 0.0;
    double below = nodes_[a].below + nodes_[b].below;
    if (nodes_[a].kids.size() > nodes_[b].kids.size()) std::swap(a, b);
    std::size_t from = 0;
    // Expanding grows the vector of nodes, so that no reference into it is kept.
    for (std::size_t i = 0; i < nodes_[a].kids.size(); ++i) {
      const auto [value, x] = nodes_[a].kids[i];
      const auto& others = nodes_[b].kids;
      const auto at = std::lower_bound(others.begin() + static_cast<std::ptrdiff_t>(from), others.end(), value,
                                       [](const auto& kid, std::uint32_t v) { return kid.first < v; });
      if (at == others.end()) break;
      from = static_cast<std::size_t>(at - others.begin());
      if (at->first != value) continue;
      const Id y = at->second;
      const double apart = nodes_[x].cost + nodes_[y].cost;
      below += joined_cost(x, y, level + 1, limit - below + apart) - apart;
      if (!Cost::kMayEnd && below > limit) return below;
    }
    return Cost::kMayEnd ? std::min(leaf, below) : below;
  }

  // Lays `b` over `a`; `b` is gone.
  void lay(Id a, Id b, std::size_t level) {
    const bool stay_rows = !nodes_[a].is_expanded && !nodes_[b].is_expanded && (level == depth_ || are_one_class(a, b));
    Kids both;
    double below = 0.0;
    if (!stay_rows) {
      expand(a, level);
      expand(b, level);
      below = nodes_[a].below + nodes_[b].below;
      const Kids x = std::move(nodes_[a].kids), y = std::move(nodes_[b].kids);
      both.reserve(x.size() + y.size());
      for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
        if (j == y.size() || (i < x.size() && x[i].first < y[j].first)) {
          both.push_back(x[i++]);
        } else if (i == x.size() || y[j].first < x[i].first) {
          both.push_back(y[j++]);
        } else {
          const Id kid = x[i].second;
          below -= nodes_[kid].cost + nodes_[y[j].second].cost;
          lay(kid, y[j].second, level + 1);
          below += nodes_[kid].cost;
          both.push_back(x[i]);
          ++i;
          ++j;
        }
      }
    }
    Node &to = nodes_[a], &from = nodes_[b];
    if (stay_rows && level < depth_) to.rows.insert(to.rows.end(), from.rows.begin(), from.rows.end());
    to.counts = joined_counts(to.counts, from.counts);
    to.n += from.n;
    if (to.answer != from.answer) to.answer = kMixed;
    to.kids = std::move(both);
    to.below = below;
    from = Node{};
    to.cost = cost_of(to, level);
  }

  // A number that equal subtrees share: the same values lead to the same most frequent classes.
  template <class Index>
  std::uint64_t signature(Id id, std::size_t level, Index& known) {
    std::vector<std::uint64_t> key;
    if (level == depth_) {
      const auto& counts = nodes_[id].counts;
      key = {std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
               return a.second < b.second;
             })->first};
    } else {
      expand(id, level);
      for (std::size_t i = 0; i < nodes_[id].kids.size(); ++i) {
        const auto [value, kid] = nodes_[id].kids[i];
        key.push_back(value);
        key.push_back(signature(kid, level + 1, known));
      }
    }
    return known.try_emplace(std::move(key), known.size()).first->second;
  }

 private:
  using Counts = std::vector<std::pair<Label, double>>;  // by ascending class

  struct Node {
    double n = 0.0, cost = 0.0, below = 0.0;
    Label answer = kMixed;
    bool is_expanded = false;
    Counts counts;
    Kids kids;
    std::vector<Row> rows;  // until it is expanded
  };

  bool are_one_class(Id a, Id b) const {
    const Counts &x = nodes_[a].counts, &y = nodes_[b].counts;
    return x.size() == 1 && y.size() == 1 && x[0].first == y[0].first;
  }

  Id add(std::vector<Row>&& rows, std::size_t level) {
    Node node;
    classes_.clear();
    node.answer = best_[rows.front()];
    for (const Row row : rows) {
      classes_.add(row);
      if (best_[row] != node.answer) node.answer = kMixed;
    }
    for (const Label label : classes_.labels()) node.counts.emplace_back(label, classes_.votes(label));
    for (const auto& [label, n] : node.counts) node.n += n;
    node.rows = std::move(rows);
    node.cost = cost_of(node, level);
    nodes_.push_back(std::move(node));
    return static_cast<Id>(nodes_.size() - 1);
  }

  void expand(Id id, std::size_t level) {
    if (nodes_[id].is_expanded || level == depth_) return;
    const std::vector<Row> rows = std::move(nodes_[id].rows);
    nodes_[id].rows = {};
    nodes_[id].is_expanded = true;
    std::vector<std::pair<std::uint32_t, Row>> keyed;
    keyed.reserve(rows.size());
    for (const Row row : rows) keyed.push_back({cases_.columns[level].code(row), row});
    if (!std::is_sorted(keyed.begin(), keyed.end())) std::sort(keyed.begin(), keyed.end());
    Kids kids;
    double below = 0.0;
    for (std::size_t i = 0; i < keyed.size();) {
      const std::uint32_t value = keyed[i].first;
      std::vector<Row> part;
      for (; i < keyed.size() && keyed[i].first == value; ++i) part.push_back(keyed[i].second);
      const Id kid = grow(std::move(part), level + 1);
      kids.push_back({value, kid});
      below += nodes_[kid].cost;
    }
    nodes_[id].kids = std::move(kids);
    nodes_[id].below = below;
    nodes_[id].cost = cost_of(nodes_[id], level);
  }

  double cost_of(const Node& node, std::size_t level) const {
    double largest = 0.0;
    for (const auto& [label, n] : node.counts) largest = std::max(largest, n);
    const double leaf = cost_.leaf(node.n, node.n - largest);
    if (level == depth_ || node.counts.size() == 1 || !node.is_expanded) return leaf;
    return Cost::kMayEnd ? std::min(leaf, node.below) : node.below;
  }

  double leaf_of_both(Id a, Id b) const {
    const Counts &x = nodes_[a].counts, &y = nodes_[b].counts;
    double largest = 0.0;
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      double n = 0.0;
      const Label label = j == y.size() || (i < x.size() && x[i].first <= y[j].first) ? x[i].first : y[j].first;
      if (i < x.size() && x[i].first == label) n += x[i++].second;
      if (j < y.size() && y[j].first == label) n += y[j++].second;
      largest = std::max(largest, n);
    }
    const double n = nodes_[a].n + nodes_[b].n;
    return cost_.leaf(n, n - largest);
  }

  static Counts joined_counts(const Counts& x, const Counts& y) {
    Counts both;
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
      if (j == y.size() || (i < x.size() && x[i].first < y[j].first)) {
        both.push_back(x[i++]);
      } else if (i == x.size() || y[j].first < x[i].first) {
        both.push_back(y[j++]);
      } else {
        both.emplace_back(x[i].first, x[i].second + y[j].second);
        ++i;
        ++j;
      }
    }
    return both;
  }

  const DistinctCases& cases_;
  const std::vector<Label>& best_;
  Cost cost_;
  ClassSum classes_;
  std::size_t depth_;
  std::vector<Node> nodes_;
};

}  // namespace casebase
