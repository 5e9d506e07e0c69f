// Incremental growth of a tree: cases are inserted and removed without growing the whole tree again.
//
// A pruned tree has every node whose class differs from that of its parent, and the ancestors of such nodes. So a
// branch that was pruned leads only to nodes with the class of the node where it was cut off. Only nodes on the paths
// of changed cases can change. If the class of such a node stays the same, its other branches do not change; if it
// changes, the subtree is grown again from the rows that share the path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/order.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/igtree.hpp"
#include "core/neighbours/stream_tree.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Inserted and removed cases, sorted by their codes, level by level. A difference is what a case adds to the counts:
// negative for a removed case, 0 for a case that stays but whose path must be reviewed.
struct ChangedCases {
  std::vector<Column> columns;
  const Label* labels;
  const double* differences;
  std::size_t size;
};

class TreeCorrection {
 public:
  // `memory` and `labelled` have the cases after the change.
  TreeCorrection(const TreeView& old, const Memory& memory, const Labelled& labelled, const ChangedCases& changes,
                 std::size_t n_classes, const Preference& prefer, bool compress)
      : old_(old),
        memory_(memory),
        labelled_(labelled),
        changes_(changes),
        n_levels_(changes.columns.size()),
        n_classes_(n_classes),
        prefer_(prefer),
        compress_(compress),
        ballot_(n_classes) {}

  Tree run() {
    const auto root = follow(0, 0, 0, changes_.size);
    if (!root) throw std::invalid_argument("no case is left to grow a tree from");
    return emitted(*root);
  }

 private:
  using Counts = std::vector<std::pair<Label, double>>;

  // The origin of a node of the new tree: the old tree, a changed path, or a subtree that was grown again.
  struct Branch {
    enum class Source : std::uint8_t { old, patched, grown } source;
    std::uint32_t part, node, value;
  };

  struct Patched {
    Label label;
    Counts counts;
    std::vector<Branch> children;
  };

  using Ranges = std::vector<std::pair<Row, Row>>;

  Label chosen(const Counts& counts) {
    ballot_.clear();
    for (const auto& [label, count] : counts) ballot_.add(label, count);
    return ballot_.choose(prefer_).label;
  }

  // The end of the changed cases from `begin` on that have its code at a level.
  std::size_t group_end(std::size_t level, std::size_t begin, std::size_t end) const {
    return run_end(changes_.columns[level], static_cast<Row>(begin), static_cast<Row>(end));
  }

  // The node after the changed cases begin … end - 1, all of which pass it; none if no case is left.
  std::optional<Branch> follow(std::uint32_t node, std::size_t level, std::size_t begin, std::size_t end) {
    Counts counts = counts_of(node);
    for (std::size_t i = begin; i < end; ++i) add(counts, changes_.labels[i], changes_.differences[i]);
    std::erase_if(counts, [](const auto& cell) { return cell.second == 0.0; });
    if (counts.empty()) return std::nullopt;
    const Label label = chosen(counts);
    if (compress_ && label != old_.label[node]) return grown(level, begin);
    Patched patched{label, std::move(counts), {}};
    std::uint32_t child = old_.first_child[node];
    const std::uint32_t last_child = old_.first_child[node + 1];
    for (std::size_t group = begin, next; level < n_levels_ && group < end; group = next) {
      next = group_end(level, group, end);
      const std::uint32_t value = changes_.columns[level].code(group);
      for (; child < last_child && old_.value[child] < value; ++child) patched.children.push_back(kept(child));
      std::optional<Branch> branch;
      if (child < last_child && old_.value[child] == value) {
        branch = follow(child++, level + 1, group, next);
        if (branch && compress_ && label_of(*branch) == label && !has_children(*branch)) branch.reset();
      } else {
        branch = compress_ ? look_below(level + 1, group, next, label) : grown(level + 1, group);
      }
      if (branch) {
        branch->value = value;
        patched.children.push_back(*branch);
      }
    }
    for (; child < last_child; ++child) patched.children.push_back(kept(child));
    return add_patched(std::move(patched));
  }

  // A node that was pruned before the change, when it and all nodes below it had the class of its parent; none if they
  // still have.
  std::optional<Branch> look_below(std::size_t level, std::size_t begin, std::size_t end, Label parent_label) {
    bool may_differ = false;
    for (std::size_t i = begin; i < end && !may_differ; ++i) {
      const double difference = changes_.differences[i];
      const bool is_same = changes_.labels[i] == parent_label;
      may_differ = !(difference > 0.0 ? is_same : difference < 0.0 && !is_same);
    }
    if (!may_differ) return std::nullopt;
    ballot_.clear();
    for_rows(ranges(level, begin), [&](const LabelledSegment& segment, std::size_t, Row row) {
      ballot_.add(segment.labels[row], segment.counts ? segment.counts[row] : 1.0);
    });
    if (ballot_.labels().empty()) return std::nullopt;
    const Label label = ballot_.choose(prefer_).label;
    if (label != parent_label) return grown(level, begin);
    Patched patched{label, {}, {}};
    for (const Label seen : ballot_.labels()) patched.counts.emplace_back(seen, ballot_.votes(seen));
    std::sort(patched.counts.begin(), patched.counts.end());
    for (std::size_t group = begin, next; level < n_levels_ && group < end; group = next) {
      next = group_end(level, group, end);
      if (auto branch = look_below(level + 1, group, next, label)) {
        branch->value = changes_.columns[level].code(group);
        patched.children.push_back(*branch);
      }
    }
    return patched.children.empty() ? std::nullopt : std::optional(add_patched(std::move(patched)));
  }

  // The subtree of a node, grown from the rows that share the first codes of a changed case.
  std::optional<Branch> grown(std::size_t level, std::size_t change) {
    const std::size_t n_columns = n_levels_ - level;
    std::vector<std::vector<std::uint32_t>> codes(n_columns);
    std::vector<Label> labels;
    std::vector<double> counts;
    std::size_t n_segments = 0, last_segment = memory_.segments.size();
    for_rows(ranges(level, change), [&](const LabelledSegment& segment, std::size_t s, Row row) {
      if (s != last_segment) ++n_segments;
      last_segment = s;
      for (std::size_t f = 0; f < n_columns; ++f) codes[f].push_back(memory_.segments[s].columns[level + f].code(row));
      labels.push_back(segment.labels[row]);
      counts.push_back(segment.counts ? segment.counts[row] : 1.0);
    });
    if (labels.empty()) return std::nullopt;
    std::vector<Column> columns;
    for (const auto& column : codes) columns.push_back({column.data(), Column::Width::u32});
    if (n_segments > 1) {
      const auto order = lexicographic_order(columns, labels.size());
      for (auto& column : codes) reorder(column, order);
      reorder(labels, order);
      reorder(counts, order);
      for (std::size_t f = 0; f < n_columns; ++f) columns[f].data = codes[f].data();
    }
    StreamedTree tree(n_columns, n_classes_, prefer_, compress_);
    tree.add(columns, labels.data(), counts.data(), labels.size());
    grown_.push_back(tree.finish());
    return Branch{Branch::Source::grown, static_cast<std::uint32_t>(grown_.size() - 1), 0, 0};
  }

  template <class T>
  static void reorder(std::vector<T>& values, const std::vector<Row>& order) {
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (const Row row : order) sorted.push_back(values[row]);
    values.swap(sorted);
  }

  // The rows of each segment that share the codes of a changed case on the levels before one.
  Ranges ranges(std::size_t level, std::size_t change) const {
    Ranges found;
    for (const Segment& segment : memory_.segments) {
      Row begin = 0, end = static_cast<Row>(segment.n_rows);
      for (std::size_t f = 0; f < level && begin < end; ++f)
        std::tie(begin, end) = rows_with(segment.columns[f], changes_.columns[f].code(change), begin, end);
      found.emplace_back(begin, end);
    }
    return found;
  }

  template <class Work>
  void for_rows(const Ranges& ranges, Work&& work) const {
    for (std::size_t s = 0; s < ranges.size(); ++s)
      for (Row row = ranges[s].first; row < ranges[s].second; ++row)
        if (!memory_.segments[s].is_removed(row)) work(labelled_.segments[s], s, row);
  }

  Counts counts_of(std::uint32_t node) const {
    Counts counts;
    for (auto i = old_.first_count[node]; i < old_.first_count[node + 1]; ++i)
      counts.emplace_back(old_.count_label[i], old_.count[i]);
    return counts;
  }

  static void add(Counts& counts, Label label, double difference) {
    if (difference == 0.0) return;
    auto at = std::lower_bound(counts.begin(), counts.end(), label,
                               [](const auto& cell, Label wanted) { return cell.first < wanted; });
    if (at == counts.end() || at->first != label) at = counts.insert(at, {label, 0.0});
    at->second += difference;
  }

  Branch kept(std::uint32_t node) const { return {Branch::Source::old, 0, node, old_.value[node]}; }

  Branch add_patched(Patched&& patched) {
    patched_.push_back(std::move(patched));
    return {Branch::Source::patched, static_cast<std::uint32_t>(patched_.size() - 1), 0, 0};
  }

  Label label_of(const Branch& branch) const {
    switch (branch.source) {
      case Branch::Source::old:
        return old_.label[branch.node];
      case Branch::Source::patched:
        return patched_[branch.part].label;
      default:
        return grown_[branch.part].label[branch.node];
    }
  }

  bool has_children(const Branch& branch) const {
    switch (branch.source) {
      case Branch::Source::old:
        return old_.first_child[branch.node] < old_.first_child[branch.node + 1];
      case Branch::Source::patched:
        return !patched_[branch.part].children.empty();
      default:
        return grown_[branch.part].first_child[branch.node] < grown_[branch.part].first_child[branch.node + 1];
    }
  }

  // All nodes in breadth-first order, as a tree grown in one go has them.
  Tree emitted(const Branch& root) const {
    Tree tree;
    tree.first_count.push_back(0);
    std::vector<Branch> nodes{root};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Branch node = nodes[i];
      tree.first_child.push_back(static_cast<std::uint32_t>(nodes.size()));
      tree.value.push_back(node.value);
      tree.label.push_back(label_of(node));
      if (node.source == Branch::Source::patched) {
        const Patched& patched = patched_[node.part];
        for (const auto& [label, count] : patched.counts) {
          tree.count_label.push_back(label);
          tree.count.push_back(count);
        }
        nodes.insert(nodes.end(), patched.children.begin(), patched.children.end());
      } else if (node.source == Branch::Source::old) {
        copy_node(node, old_.first_child, old_.value, old_.first_count, old_.count_label, old_.count, tree, nodes);
      } else {
        const Tree& part = grown_[node.part];
        copy_node(node, part.first_child.data(), part.value.data(), part.first_count.data(), part.count_label.data(),
                  part.count.data(), tree, nodes);
      }
      tree.first_count.push_back(tree.count.size());
    }
    tree.first_child.push_back(static_cast<std::uint32_t>(nodes.size()));
    return tree;
  }

  static void copy_node(const Branch& node, const std::uint32_t* first_child, const std::uint32_t* value,
                        const std::uint64_t* first_count, const Label* count_label, const double* count, Tree& tree,
                        std::vector<Branch>& nodes) {
    const auto begin = first_count[node.node], end = first_count[node.node + 1];
    tree.count_label.insert(tree.count_label.end(), count_label + begin, count_label + end);
    tree.count.insert(tree.count.end(), count + begin, count + end);
    for (auto child = first_child[node.node]; child < first_child[node.node + 1]; ++child)
      nodes.push_back({node.source, node.part, child, value[child]});
  }

  TreeView old_;
  const Memory& memory_;
  const Labelled& labelled_;
  const ChangedCases& changes_;
  std::size_t n_levels_, n_classes_;
  Preference prefer_;
  bool compress_;
  Ballot ballot_;
  std::vector<Patched> patched_;
  std::vector<Tree> grown_;
};

}  // namespace casebase
