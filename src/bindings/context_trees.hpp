// Shared by the bindings of committees: the trees of memories, those that were grown at once and those that change.
#pragma once

#include <cstddef>
#include <utility>

#include "bindings/arrays.hpp"
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

 private:
  std::size_t n_tags_;
};

// A tree that was checked once, and keeps the arrays that it was built from.
class ContextTreeOfArrays : public AskedTree {
 public:
  ContextTreeOfArrays(Numbers32 first_child, Numbers32 value, Numbers32 first_count, Numbers32 count_tag,
                      Numbers32 count, std::size_t n_tags)
      : AskedTree(n_tags),
        first_child_(std::move(first_child)),
        value_(std::move(value)),
        first_count_(std::move(first_count)),
        count_tag_(std::move(count_tag)),
        count_(std::move(count)) {
    const char* message = "not the arrays of a tree of contexts";
    const std::size_t n_nodes = value_.shape(0);
    require(n_nodes > 0 && first_child_.shape(0) == n_nodes + 1 && first_child_.data()[n_nodes] == n_nodes &&
                count_tag_.shape(0) == count_.shape(0),
            message);
    for (std::size_t node = 0; node < n_nodes; ++node)  // children come after their parents: every walk ends
      require(node < first_child_.data()[node] && first_child_.data()[node] <= first_child_.data()[node + 1], message);
    require_offsets(first_count_, n_nodes, count_.shape(0), message);
    require_below(count_tag_, n_tags, "a tag is out of range");
  }

  std::size_t n_nodes() const { return value_.shape(0); }
  ContextTreeView view() const override {
    return {first_child_.data(),     first_child_.data() + 1, value_.data(), first_count_.data(),
            first_count_.data() + 1, count_tag_.data(),       count_.data()};
  }

 private:
  Numbers32 first_child_, value_, first_count_, count_tag_, count_;
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
