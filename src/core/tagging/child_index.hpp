// The children of nodes that have many, by the node and the value: a look or two instead of a search among them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/tagging/contexts.hpp"

namespace casebase {

// A hash table of 32 bits for each child: its number, and above it bits of its hash, so that other children are hardly
// ever taken for it.
class ChildIndex {
 public:
  static constexpr std::size_t kFew = 16;                                // siblings that are searched where they stand
  static constexpr std::size_t kMostNodes = (std::size_t{1} << 31) - 1;  // of a tree that can have an index

  ChildIndex() = default;

  // The index of a tree whose nodes come after the nodes above them.
  ChildIndex(const ContextNode* nodes, const std::uint32_t* values, std::size_t n_nodes)
      : n_bits_(static_cast<unsigned>(std::bit_width(n_nodes))) {
    const auto has_many = [&](std::size_t node) { return nodes[node].end_child - nodes[node].first_child > kFew; };
    std::size_t n_children = 0;
    for (std::size_t node = 0; node < n_nodes; ++node)
      if (has_many(node)) n_children += nodes[node].end_child - nodes[node].first_child;
    slots_.assign(std::bit_ceil(n_children + n_children / 2 + 1), 0);
    for (std::size_t node = 0; node < n_nodes; ++node) {
      if (!has_many(node)) continue;
      for (std::uint32_t child = nodes[node].first_child; child < nodes[node].end_child; ++child) {
        const std::uint64_t hash = hashed(static_cast<std::uint32_t>(node), values[child]);
        std::size_t at = place(hash);
        while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = child | mark(hash);
      }
    }
  }

  void will_look(std::uint32_t node, std::uint32_t value) const { will_read(&slots_[place(hashed(node, value))]); }

  // The children that may be the wanted one, one after the other, until `is_wanted(child)` holds for one, which is
  // returned; kNone if it holds for none.
  template <class Test>
  std::uint32_t find(std::uint32_t node, std::uint32_t value, const Test& is_wanted) const {
    const std::uint64_t hash = hashed(node, value);
    const std::uint32_t own_mark = mark(hash), numbers = (std::uint32_t{1} << n_bits_) - 1;
    for (std::size_t at = place(hash);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) return ContextTreeView::kNone;
      if ((slot & ~numbers) == own_mark && is_wanted(slot & numbers)) return slot & numbers;
    }
  }

 private:
  static std::uint64_t hashed(std::uint32_t node, std::uint32_t value) {
    std::uint64_t hash = (std::uint64_t{node} << 32 | value) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
    return hash * 0xD6E8FEB86659FD93ull;
  }

  std::size_t place(std::uint64_t hash) const { return (hash >> 24) & (slots_.size() - 1); }
  std::uint32_t mark(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> 32) >> n_bits_ << n_bits_; }

  unsigned n_bits_ = 1;
  std::vector<std::uint32_t> slots_;  // 0: free, since the root is no child
};

}  // namespace casebase
