// Growing an IGTree from sorted rows that come in blocks.
//
// Rows come sorted by the features in the order of the levels, so a node is a run of rows with equal codes on the
// levels above it. Only the nodes of the current path are open. Counts are added to the deepest open node and flow up
// when a node is closed. A closed node waits until its parent is closed, because it is kept only if its class differs
// from that of its parent, or if it has kept children. Levels are filled from left to right, so the finished nodes of
// one level are in breadth-first order, and the memory in use is that of the finished tree, and of the children of one
// path.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/neighbours/igtree.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

class StreamedTree {
 public:
  // With `compress`, leaves with the class of their parent are removed; without, every path goes to the last level.
  StreamedTree(std::size_t n_levels, std::size_t n_classes, const Preference& prefer, bool compress)
      : n_levels_(n_levels),
        prefer_(prefer),
        compress_(compress),
        path_(n_levels),
        waiting_(n_levels + 1),
        finished_(n_levels + 1) {
    for (std::size_t level = 0; level <= n_levels; ++level) open_.emplace_back(n_classes);
    n_kept_.assign(n_levels + 1, 0);
  }

  void add(const std::vector<Column>& columns, const Label* labels, const double* case_counts, std::size_t n_rows) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      std::size_t shared = 0;  // how many values the row shares with the one before
      if (has_rows_)
        while (shared < n_levels_ && columns[shared].code(row) == path_[shared]) ++shared;
      if (shared < n_levels_) {
        if (has_rows_) leave(shared);
        for (std::size_t i = shared; i < n_levels_; ++i) path_[i] = columns[i].code(row);
        deepest_ = shared + 1;
      }
      has_rows_ = true;
      open_[deepest_].add(labels[row], case_counts ? case_counts[row] : 1.0);
    }
  }

  Tree finish() {
    if (has_rows_ && deepest_ > 0) {
      close_rows(deepest_);
      for (std::size_t level = deepest_ - 1; level > 0; --level) close(level);
    }
    deepest_ = 0;
    close(0);
    keep(0, waiting_[0], 0);
    return in_one();
  }

 private:
  struct Nodes {
    std::vector<std::uint32_t> value;
    std::vector<Label> label;
    std::vector<std::uint32_t> n_children;
    std::vector<std::uint32_t> n_counts;
    std::vector<Label> count_label;
    std::vector<double> count;

    void clear() {
      value.clear();
      label.clear();
      n_children.clear();
      n_counts.clear();
      count_label.clear();
      count.clear();
    }
  };

  std::uint32_t value_of(std::size_t level) const { return level ? path_[level - 1] : 0; }

  // Closes what the next row does not share. The rows counted in the deepest open node all have the same values: if the
  // next row shares more of them than that node stands for, the nodes in between become open ones.
  void leave(std::size_t shared) {
    if (shared >= deepest_) {
      std::swap(open_[deepest_], open_[shared + 1]);
      deepest_ = shared + 1;
    }
    close_rows(deepest_);
    for (std::size_t level = deepest_ - 1; level > shared; --level) close(level);
  }

  // Closes the deepest node, below which there is only one path.
  void close_rows(std::size_t level) {
    if (!compress_ && level < n_levels_) {
      Ballot& ballot = open_[level];
      const Label label = ballot.choose(prefer_).label;
      for (std::size_t below = n_levels_; below > level; --below)
        append(finished_[below], below, label, below < n_levels_, ballot);
      n_kept_[level] = 1;
    }
    close(level);
  }

  // Closes a node whose children are all closed: chooses its class, keeps its children, and lets it wait.
  void close(std::size_t level) {
    Ballot& ballot = open_[level];
    const Label label = ballot.choose(prefer_).label;
    std::uint32_t n_kept = n_kept_[level];
    if (level < n_levels_) n_kept += keep_children(level + 1, label);
    n_kept_[level] = 0;
    append(waiting_[level], level, label, n_kept, ballot);
    if (level > 0)
      for (const Label one : ballot.labels()) open_[level - 1].add(one, ballot.votes(one));
    ballot.clear();
  }

  std::uint32_t keep_children(std::size_t level, Label label_of_parent) {
    Nodes& waiting = waiting_[level];
    std::uint32_t n_kept = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < waiting.label.size(); first += waiting.n_counts[i], ++i) {
      if (compress_ && waiting.n_children[i] == 0 && waiting.label[i] == label_of_parent) continue;
      copy(waiting, i, first, finished_[level]);
      ++n_kept;
    }
    waiting.clear();
    return n_kept;
  }

  void keep(std::size_t level, Nodes& waiting, std::size_t i) { copy(waiting, i, 0, finished_[level]); }

  static void copy(const Nodes& from, std::size_t i, std::size_t first, Nodes& to) {
    to.value.push_back(from.value[i]);
    to.label.push_back(from.label[i]);
    to.n_children.push_back(from.n_children[i]);
    to.n_counts.push_back(from.n_counts[i]);
    for (std::size_t c = first; c < first + from.n_counts[i]; ++c) {
      to.count_label.push_back(from.count_label[c]);
      to.count.push_back(from.count[c]);
    }
  }

  void append(Nodes& nodes, std::size_t level, Label label, std::uint32_t n_children, const Ballot& ballot) {
    nodes.value.push_back(value_of(level));
    nodes.label.push_back(label);
    nodes.n_children.push_back(n_children);
    seen_ = ballot.labels();
    std::sort(seen_.begin(), seen_.end());
    nodes.n_counts.push_back(static_cast<std::uint32_t>(seen_.size()));
    for (const Label one : seen_) {
      nodes.count_label.push_back(one);
      nodes.count.push_back(ballot.votes(one));
    }
  }

  Tree in_one() {
    std::size_t n_nodes = 0;
    for (const Nodes& level : finished_) n_nodes += level.label.size();
    if (n_nodes >= std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("the tree has more nodes than 32 bits can count");
    Tree tree;
    tree.first_child.reserve(n_nodes + 1);
    tree.first_child.push_back(1);
    tree.first_count.push_back(0);
    for (Nodes& level : finished_) {
      for (std::size_t i = 0; i < level.label.size(); ++i) {
        tree.first_child.push_back(tree.first_child.back() + level.n_children[i]);
        tree.first_count.push_back(tree.first_count.back() + level.n_counts[i]);
      }
      move_to(level.value, tree.value);
      move_to(level.label, tree.label);
      move_to(level.count_label, tree.count_label);
      move_to(level.count, tree.count);
      level = Nodes();
    }
    return tree;
  }

  template <typename T>
  static void move_to(std::vector<T>& from, std::vector<T>& to) {
    to.insert(to.end(), from.begin(), from.end());
    std::vector<T>().swap(from);
  }

  std::size_t n_levels_;
  Preference prefer_;
  bool compress_;
  std::vector<std::uint32_t> path_;  // the values of the row before
  std::vector<Nodes> waiting_;       // closed nodes whose parent is open, by level
  std::vector<Nodes> finished_;      // nodes of the tree, by level
  std::vector<Ballot> open_;         // counts of the open nodes, by level
  std::vector<std::uint32_t> n_kept_;
  std::vector<Label> seen_;
  std::size_t deepest_ = 0;  // the level of the deepest open node
  bool has_rows_ = false;
};

}  // namespace casebase
