// Shared by the bindings of committees: the trees of memories, those that were grown at once and those that change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/tagging/child_index.hpp"
#include "core/tagging/live_committee.hpp"

namespace casebase {

using Numbers32 = Vector<std::uint32_t>;

inline void require_below(const Numbers32& numbers, std::size_t end, const char* message) {
  const std::uint32_t* data = numbers.data();
  for (std::size_t i = 0; i < numbers.shape(0); ++i) require(data[i] < end, message);
}

template <class T>
void require_offsets(const Vector<T>& offsets, std::size_t n, std::size_t end, const char* message) {
  require(offsets.shape(0) == n + 1 && offsets.data()[0] == 0 && offsets.data()[n] == end, message);
  for (std::size_t i = 0; i < n; ++i) require(offsets.data()[i] <= offsets.data()[i + 1], message);
}

// A tree that a committee can ask.
class AskedTree {
 public:
  explicit AskedTree(std::size_t n_tags) : n_tags_(n_tags) {}
  virtual ~AskedTree() = default;
  AskedTree(const AskedTree&) = default;

  std::size_t n_tags() const { return n_tags_; }
  virtual ContextTreeView view() const = 0;
  // Before it is asked about a text of so many tokens.
  virtual void expect(std::size_t) const {}

 private:
  std::size_t n_tags_;
};

// A tree that was checked once, arranged for searches.
class ContextTreeOfArrays : public AskedTree {
 public:
  ContextTreeOfArrays(const Numbers32& first_child, Numbers32 value, const Numbers32& first_count,
                      const Numbers32& count_tag, const Numbers32& count, std::size_t n_tags)
      : AskedTree(n_tags), value_(std::move(value)) {
    const char* message = "not the arrays of a tree of contexts";
    const std::size_t n_nodes = value_.shape(0), n_counts = count.shape(0);
    require(n_nodes > 0 && first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes &&
                count_tag.shape(0) == n_counts,
            message);
    require_offsets(first_count, n_nodes, n_counts, message);
    require_below(count_tag, n_tags, "a tag is out of range");
    counts_.reserve(n_counts);
    for (std::size_t i = 0; i < n_counts; ++i) counts_.push_back({count_tag.data()[i], count.data()[i]});
    nodes_.reserve(n_nodes);
    const std::uint32_t *children = first_child.data(), *places = first_count.data();
    for (std::size_t node = 0; node < n_nodes; ++node) {  // children come after their parents: every walk ends
      require(node < children[node] && children[node] <= children[node + 1], message);
      std::uint64_t total = 0;
      for (std::uint32_t i = places[node]; i < places[node + 1]; ++i) total += counts_[i].count;
      require(total <= std::numeric_limits<std::uint32_t>::max(), message);
      nodes_.push_back(
          {children[node], children[node + 1], places[node], places[node + 1], static_cast<std::uint32_t>(total)});
      add_row(nodes_.back());
    }
  }

  std::size_t n_nodes() const { return nodes_.size(); }
  ContextTreeView view() const override {
    const ContextNode& root = nodes_.front();
    const std::size_t n = root.end_child - root.first_child;
    const bool is_dense = n > 0 && value_.data()[root.first_child] == 0 && value_.data()[root.end_child - 1] == n - 1;
    return {nodes_.data(), value_.data(), counts_.data(), rows_.data(), n_tags(), nullptr, index_.load(), is_dense};
  }

  // Making the index takes as long as it saves with some hundred thousand words. So it is made when long texts had
  // about as many; a single sentence never waits for it.
  void expect(std::size_t n_tokens) const override {
    constexpr std::size_t kLong = 1024, kMany = 65536;  // tokens
    if (n_tokens < kLong || n_nodes() > ChildIndex::kMostNodes) return;
    if ((n_expected_ += n_tokens) < kMany) return;
    std::call_once(is_prepared_, [&] {
      own_index_ = ChildIndex(nodes_.data(), value_.data(), nodes_.size());
      index_.store(&own_index_);
    });
  }

 private:
  void add_row(ContextNode& node) {
    constexpr std::size_t kMany = 16, kSparse = 32;  // counts; tags for each of them
    const std::size_t n = node.end_count - node.first_count;
    if (n < kMany || n * kSparse < n_tags()) return;
    node.row = static_cast<std::uint32_t>(rows_.size() / n_tags());
    rows_.resize(rows_.size() + n_tags());
    std::uint32_t* const row = rows_.data() + node.row * n_tags();
    for (std::uint32_t i = node.first_count; i < node.end_count; ++i) row[counts_[i].tag] = counts_[i].count;
  }

  std::vector<ContextNode> nodes_;
  Numbers32 value_;
  std::vector<TagCount> counts_;
  std::vector<std::uint32_t> rows_;
  mutable std::atomic<std::size_t> n_expected_ = 0;
  mutable std::once_flag is_prepared_;
  mutable ChildIndex own_index_;
  mutable std::atomic<const ChildIndex*> index_ = nullptr;
};

// A tree of a live committee, which must stay alive.
class TreeOfLive : public AskedTree {
 public:
  TreeOfLive(const LiveTree& tree, std::size_t n_tags) : AskedTree(n_tags), tree_(tree) {}
  ContextTreeView view() const override { return tree_.view(); }
  const LiveTree& tree() const { return tree_; }

 private:
  const LiveTree& tree_;
};

}  // namespace casebase
