// The tree of a memory from a stream: the same tree as ContextGrower's, from sorted contexts that come in blocks.
//
// Only the nodes of the current path are open for more rows. A node's counts flow into its parent when the path leaves
// it. It waits there with its siblings, because nodes are kept only if their parent may have children. A node that may
// not has no descendants that may, so the direct parent decides. Levels are filled from left to right, so that the
// finished nodes of one level are in breadth-first order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/tagging/context_grower.hpp"

namespace casebase {

class ContextStream {
 public:
  // As in ContextGrower, a context of a single tag is refined only if `splits_pure` and it was seen more than once.
  ContextStream(std::size_t n_levels, std::size_t n_tags, bool splits_pure)
      : splits_pure_(splits_pure), path_(n_levels), open_(n_levels + 1), waiting_(n_levels + 1), done_(n_levels + 1) {
    for (Counts& counts : open_) counts.of_tag.assign(n_tags, 0);
  }

  std::size_t n_levels() const { return path_.size(); }
  std::size_t n_tags() const { return open_[0].of_tag.size(); }

  // Rows come in ascending order of their values; each was seen `times` often with its tag.
  void add(const std::vector<const std::uint32_t*>& columns, const std::uint32_t* tags, const std::uint32_t* times,
           std::size_t n_rows) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::size_t shared = 0;  // how many values the row shares with the one before
      if (has_rows_)
        while (shared < path_.size() && columns[shared][row] == path_[shared]) ++shared;
      if (shared < path_.size()) {
        if (has_rows_) leave(shared);
        for (std::size_t i = shared; i < path_.size(); ++i) path_[i] = columns[i][row];
      }
      has_rows_ = true;
      open_.back().add(tags[row], times[row]);
    }
  }

  ContextTree finish() {
    if (has_rows_) leave(0);
    close(0);
    done_[0] = std::move(waiting_[0]);
    return in_one();
  }

 private:
  struct Counts {
    std::vector<std::uint32_t> of_tag, met;

    void add(std::uint32_t tag, std::uint32_t times) {
      if (of_tag[tag] == 0) met.push_back(tag);
      of_tag[tag] += times;
    }
  };

  struct Nodes {
    std::vector<std::uint32_t> value, n_children, n_counts, count_tag, count;

    void append(Nodes& others) {
      append(value, others.value);
      append(n_children, others.n_children);
      append(n_counts, others.n_counts);
      append(count_tag, others.count_tag);
      append(count, others.count);
    }

    void clear() {
      for (auto* numbers : {&value, &n_children, &n_counts, &count_tag, &count}) numbers->clear();
    }

    static void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
      to.insert(to.end(), from.begin(), from.end());
    }
  };

  // Closes the nodes below the values that the next row shares.
  void leave(std::size_t shared) {
    for (std::size_t level = path_.size(); level > shared; --level) close(level);
  }

  void close(std::size_t level) {
    Counts& counts = open_[level];
    std::sort(counts.met.begin(), counts.met.end());
    const bool is_open =
        counts.met.size() > 1 || (splits_pure_ && counts.met.size() == 1 && counts.of_tag[counts.met.front()] > 1);
    std::uint32_t n_children = 0;
    if (level < path_.size()) {
      Nodes& children = waiting_[level + 1];
      if (is_open) {
        n_children = static_cast<std::uint32_t>(children.value.size());
        done_[level + 1].append(children);
      }
      children.clear();
    }
    Nodes& siblings = waiting_[level];
    siblings.value.push_back(level > 0 ? path_[level - 1] : 0);
    siblings.n_children.push_back(n_children);
    siblings.n_counts.push_back(static_cast<std::uint32_t>(counts.met.size()));
    for (const std::uint32_t tag : counts.met) {
      const std::uint32_t times = std::exchange(counts.of_tag[tag], 0);
      siblings.count_tag.push_back(tag);
      siblings.count.push_back(times);
      if (level > 0) open_[level - 1].add(tag, times);
    }
    counts.met.clear();
  }

  ContextTree in_one() {
    std::size_t n_nodes = 0, n_counts = 0;
    for (const Nodes& level : done_) {
      n_nodes += level.value.size();
      n_counts += level.count.size();
    }
    if (std::max(n_nodes, n_counts) >= std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("the tree has more nodes or counts than 32 bits can number");
    ContextTree tree;
    tree.first_child.reserve(n_nodes + 1);
    tree.first_count.reserve(n_nodes + 1);
    tree.first_child.push_back(1);
    tree.first_count.push_back(0);
    for (Nodes& level : done_) {
      for (const std::uint32_t n : level.n_children) tree.first_child.push_back(tree.first_child.back() + n);
      for (const std::uint32_t n : level.n_counts) tree.first_count.push_back(tree.first_count.back() + n);
      Nodes::append(tree.value, level.value);
      Nodes::append(tree.count_tag, level.count_tag);
      Nodes::append(tree.count, level.count);
      level = Nodes();
    }
    return tree;
  }

  bool splits_pure_;
  bool has_rows_ = false;
  std::vector<std::uint32_t> path_;  // the values of the row before
  std::vector<Counts> open_;         // by level
  std::vector<Nodes> waiting_;       // closed nodes whose parent is open, by level
  std::vector<Nodes> done_;          // nodes of the tree, by level
};

}  // namespace casebase
