// A memory's tree that changes: tokens come and go, and the tree is always the one that ContextGrower would grow from
// the tokens that are there.
//
// Nodes are never moved, so that nothing is renumbered: new nodes come behind the others and are found by a hash of
// their parent and value. A node that may not have children any more forgets them; one without counts is not there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "core/tagging/contexts.hpp"

namespace casebase {

// A token on its way into a tree: its tag, and the values of the memory's features.
struct PlacedToken {
  std::uint32_t tag;
  const std::uint32_t* values;
};

class LiveTree {
 public:
  LiveTree(const ContextTreeView& tree, std::size_t n_nodes, std::size_t n_levels, bool splits_pure)
      : n_levels_(n_levels),
        splits_pure_(splits_pure),
        nodes_(tree.nodes, tree.nodes + n_nodes),
        values_(tree.values, tree.values + n_nodes),
        counts_(tree.counts, tree.counts + nodes_.back().end_count),
        added_(n_nodes, kNone),
        sibling_(n_nodes, kNone) {
    for (ContextNode& node : nodes_) node.row = ContextNode::kNoRow;  // rows do not follow changes
  }

  std::size_t n_nodes() const { return values_.size(); }
  std::size_t n_levels() const { return n_levels_; }

  ContextTreeView view() const { return {nodes_.data(), values_.data(), counts_.data(), nullptr, 0, this}; }

  // A child that was added after the tree was grown; kNone if there is no such child.
  std::uint32_t added_child(std::uint32_t node, std::uint32_t value) const {
    if (added_[node] == kNone) return kNone;
    const auto found = child_.find(key(node, value));
    return found == child_.end() ? kNone : found->second;
  }

  // Takes out a token that was put in with these values.
  void remove(const PlacedToken& token) {
    std::uint32_t node = 0;
    for (std::size_t depth = 0;; ++depth) {
      const bool was_open = is_open(node);
      uncount(node, token.tag);
      if (!was_open || depth == n_levels_) return;
      if (!is_open(node)) return close(node);
      node = view().child(node, token.values[depth]);
      if (node == kNone) throw std::logic_error("the token was not in the tree");
    }
  }

  // Puts in tokens. `all(values, depth)` returns all tokens, the new ones among them, that have the first `depth`
  // values: it is asked where a context is refined for the first time.
  template <class All>
  void add(std::vector<PlacedToken> tokens, const All& all) {
    if (!tokens.empty()) add(0, 0, tokens.data(), tokens.data() + tokens.size(), all);
  }

 private:
  static constexpr std::uint32_t kNone = ContextTreeView::kNone;

  static std::uint64_t key(std::uint32_t node, std::uint32_t value) { return std::uint64_t{node} << 32 | value; }

  bool is_open(std::uint32_t node) const {
    const std::uint32_t begin = nodes_[node].first_count, n = nodes_[node].end_count - begin;
    return n > 1 || (splits_pure_ && n == 1 && counts_[begin].count > 1);
  }

  template <class All>
  void add(std::uint32_t node, std::size_t depth, PlacedToken* begin, PlacedToken* end, const All& all) {
    const bool was_open = is_open(node);
    for (const PlacedToken* token = begin; token != end; ++token) count(node, token->tag);
    if (depth == n_levels_ || !is_open(node)) return;
    if (was_open) {
      for_values(begin, end, depth, [&](PlacedToken* from, PlacedToken* to) {
        add(child(node, from->values[depth]), depth + 1, from, to, all);
      });
    } else {
      std::vector<PlacedToken> tokens = all(begin->values, depth);
      grow(node, depth, tokens.data(), tokens.data() + tokens.size());
    }
  }

  // Grows what is below an open node without children from all its tokens.
  void grow(std::uint32_t node, std::size_t depth, PlacedToken* begin, PlacedToken* end) {
    for_values(begin, end, depth, [&](PlacedToken* from, PlacedToken* to) {
      const std::uint32_t below = child(node, from->values[depth]);
      for (const PlacedToken* token = from; token != to; ++token) count(below, token->tag);
      if (depth + 1 < n_levels_ && is_open(below)) grow(below, depth + 1, from, to);
    });
  }

  template <class Work>
  static void for_values(PlacedToken* begin, PlacedToken* end, std::size_t depth, const Work& work) {
    std::sort(begin, end, [depth](const auto& a, const auto& b) { return a.values[depth] < b.values[depth]; });
    for (PlacedToken *from = begin, *to; from != end; from = to) {
      for (to = from; to != end && to->values[depth] == from->values[depth];) ++to;
      work(from, to);
    }
  }

  // The child with a value, which may be new.
  std::uint32_t child(std::uint32_t node, std::uint32_t value) {
    const auto begin = values_.begin() + nodes_[node].first_child, end = values_.begin() + nodes_[node].end_child;
    if (const auto found = std::lower_bound(begin, end, value); found != end && *found == value)
      return static_cast<std::uint32_t>(found - values_.begin());
    auto [entry, is_new] = child_.try_emplace(key(node, value), kNone);
    if (is_new) {
      entry->second = checked(values_.size());
      values_.push_back(value);
      nodes_.push_back({});
      added_.push_back(kNone);
      sibling_.push_back(added_[node]);
      added_[node] = entry->second;
    }
    return entry->second;
  }

  void close(std::uint32_t node) {
    nodes_[node].end_child = nodes_[node].first_child;
    for (std::uint32_t below = added_[node]; below != kNone; below = sibling_[below])
      child_.erase(key(node, values_[below]));
    added_[node] = kNone;
  }

  void count(std::uint32_t node, std::uint32_t tag) {
    ContextNode& met = nodes_[node];
    ++met.total;
    const TagCount *begin = counts_.data() + met.first_count, *end = counts_.data() + met.end_count;
    const auto at = static_cast<std::uint32_t>(place_of(tag, begin, end) - counts_.data());
    if (at < met.end_count && counts_[at].tag == tag) {
      ++counts_[at].count;
      return;
    }
    const std::uint32_t moved = checked(counts_.size());  // the counts of a node with a new tag move behind all others
    for (std::uint32_t i = met.first_count; i < met.end_count; ++i) {
      if (i == at) counts_.push_back({tag, 1});
      counts_.push_back(TagCount(counts_[i]));
    }
    if (at == met.end_count) counts_.push_back({tag, 1});
    met.first_count = moved;
    met.end_count = static_cast<std::uint32_t>(counts_.size());
  }

  void uncount(std::uint32_t node, std::uint32_t tag) {
    ContextNode& met = nodes_[node];
    const TagCount *begin = counts_.data() + met.first_count, *end = counts_.data() + met.end_count;
    const TagCount* place = place_of(tag, begin, end);
    if (place == end || place->tag != tag) throw std::logic_error("the token was not in the tree");
    --met.total;
    const auto at = counts_.begin() + (place - counts_.data());
    if (--at->count > 0) return;
    std::copy(at + 1, counts_.begin() + met.end_count, at);
    --met.end_count;
  }

  static const TagCount* place_of(std::uint32_t tag, const TagCount* begin, const TagCount* end) {
    return std::lower_bound(begin, end, tag, [](const TagCount& count, std::uint32_t t) { return count.tag < t; });
  }

  static std::uint32_t checked(std::size_t number) {
    if (number >= std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("the tree has more nodes or counts than 32 bits can number");
    return static_cast<std::uint32_t>(number);
  }

  std::size_t n_levels_;
  bool splits_pure_;
  std::vector<ContextNode> nodes_;
  std::vector<std::uint32_t> values_;  // by node
  std::vector<TagCount> counts_;
  std::vector<std::uint32_t> added_, sibling_;              // by node: its last added child, and the one added before
  std::unordered_map<std::uint64_t, std::uint32_t> child_;  // the added children, by parent and value
};

inline std::uint32_t added_child(const LiveTree& tree, std::uint32_t node, std::uint32_t value) {
  return tree.added_child(node, value);
}

}  // namespace casebase
