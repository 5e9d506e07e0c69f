// Prune a decision tree bottom-up by C4.5's pessimistic error.
//
// A test becomes a leaf if this adds no more than a tenth of an expected error. With subtree raising, a test may also
// be replaced by its branch with the most cases; all of its cases then go down that branch.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/functions.hpp"
#include "core/trees/grow.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

struct PruningRules {
  double confidence;
  double deviations;  // the standard normal quantile of 1 - confidence
  bool collapses;     // first turn tests without fewer training errors into leaves
  bool prunes;
  bool raises;
};

// C4.5's pessimistic error: the upper confidence limit of `errors` among `n` cases, minus `errors`.
inline double added_errors(double n, double errors, const PruningRules& rules) {
  if (n <= 0.0) return 0.0;
  if (errors < 1e-6) return n * (1.0 - portable_pow(rules.confidence, 1.0 / n));
  if (errors < 1.0 - 1e-4) {
    const double none = added_errors(n, 0.0, rules);
    return none + errors * (added_errors(n, 1.0, rules) - none);
  }
  if (errors + 0.5 >= n) return std::max(n - errors, 0.0);
  const double z = rules.deviations, seen = errors + 0.5;
  const double spread = z * std::sqrt(seen * (1.0 - seen / n) + z * z / 4.0);
  return n * (seen + z * z / 2.0 + spread) / (n + z * z) - errors;
}

// Cases and the fractions of them at a node.
struct CaseParts {
  std::vector<Row> rows;
  std::vector<double> weights;
};

class TreePruner {
 public:
  TreePruner(const GrownTree& tree, std::vector<TestedColumn> columns, const Label* labels, const Preference& prefer,
             std::size_t n_classes, bool is_fractional, const PruningRules& rules)
      : columns_(std::move(columns)),
        labels_(labels),
        prefer_(prefer),
        ballot_(n_classes),
        is_fractional_(is_fractional),
        rules_(rules) {
    const std::size_t n = tree.label.size();
    nodes_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      PrunedNode& node = nodes_[i];
      node.column = tree.column[i];
      node.threshold = tree.threshold[i];
      node.label = tree.label[i];
      for (std::size_t c = tree.first_child[i]; c < tree.first_child[i + 1]; ++c) {
        node.children.push_back(static_cast<std::uint32_t>(c));
        node.values.push_back(tree.value[c]);
      }
      for (std::size_t e = tree.first_count[i]; e < tree.first_count[i + 1]; ++e) {
        node.count_labels.push_back(tree.count_label[e]);
        node.counts.push_back(tree.count[e]);
      }
      weigh(node);
    }
  }

  // `case_weights` may be null: then every case counts once.
  GrownTree prune(std::size_t n_rows, const double* case_weights) {
    if (rules_.collapses) collapse();
    if (rules_.prunes) {
      if (rules_.raises) place_cases(n_rows, case_weights);
      const std::size_t n = nodes_.size();  // raising adds nodes behind these
      for (std::size_t i = n; i-- > 0;) settle(i);
    }
    return flattened();
  }

 private:
  struct PrunedNode {
    std::int32_t column = -1;
    double threshold = std::numeric_limits<double>::quiet_NaN();
    Label label = 0;
    std::vector<std::uint32_t> children, values;
    std::vector<Label> count_labels;
    std::vector<double> counts;
    double weight = 0.0, errors = 0.0;
    double expected = 0.0;  // expected errors of the pruned subtree
    CaseParts cases;        // only with subtree raising
  };

  static void weigh(PrunedNode& node) {
    node.weight = std::accumulate(node.counts.begin(), node.counts.end(), 0.0);
    const auto at = std::find(node.count_labels.begin(), node.count_labels.end(), node.label);
    node.errors = node.weight - node.counts[static_cast<std::size_t>(at - node.count_labels.begin())];
  }

  static void make_leaf(PrunedNode& node) {
    node.column = -1;
    node.threshold = std::numeric_limits<double>::quiet_NaN();
    node.children.clear();
    node.values.clear();
  }

  void collapse() {
    std::vector<double> below(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      PrunedNode& node = nodes_[i];
      below[i] = node.errors;
      if (node.column < 0) continue;
      double errors = 0.0;
      for (const std::uint32_t child : node.children) errors += below[child];
      if (errors >= node.errors - 1e-3)
        make_leaf(node);
      else
        below[i] = errors;
    }
  }

  double expected_of_leaf(const PrunedNode& node) const {
    return node.errors + added_errors(node.weight, node.errors, rules_);
  }

  // The children of the node are already pruned.
  void settle(std::size_t i) {
    const double leaf = expected_of_leaf(nodes_[i]);
    nodes_[i].expected = leaf;
    if (nodes_[i].column < 0) return;
    double subtree = 0.0;
    for (const std::uint32_t child : nodes_[i].children) subtree += nodes_[child].expected;
    const std::size_t n_before = nodes_.size();
    std::uint32_t raised = kNoCode;
    double branch = std::numeric_limits<double>::infinity();
    if (rules_.raises) {
      raised = refilled(heaviest_branch(nodes_[i]), nodes_[i].cases);
      branch = expected_below(raised);
    }
    if (leaf <= subtree + kTenth && leaf <= branch + kTenth) {
      make_leaf(nodes_[i]);
      nodes_.resize(n_before);
    } else if (branch <= subtree + kTenth) {
      nodes_[i] = std::move(nodes_[raised]);
      prune_again(i);
    } else {
      nodes_[i].expected = subtree;
      nodes_.resize(n_before);
    }
  }

  void prune_again(std::size_t i) {
    const std::vector<std::uint32_t> children = nodes_[i].children;
    for (const std::uint32_t child : children) prune_again(child);
    settle(i);
  }

  double expected_below(std::uint32_t i) const {
    if (nodes_[i].column < 0) return expected_of_leaf(nodes_[i]);
    double sum = 0.0;
    for (const std::uint32_t child : nodes_[i].children) sum += expected_below(child);
    return sum;
  }

  std::uint32_t heaviest_branch(const PrunedNode& node) const {
    std::uint32_t best = node.children.front();
    for (const std::uint32_t child : node.children)
      if (nodes_[child].weight > nodes_[best].weight + kSameGain) best = child;
    return best;
  }

  void place_cases(std::size_t n_rows, const double* case_weights) {
    nodes_[0].cases.rows.resize(n_rows);
    std::iota(nodes_[0].cases.rows.begin(), nodes_[0].cases.rows.end(), Row{0});
    if (case_weights)
      nodes_[0].cases.weights.assign(case_weights, case_weights + n_rows);
    else
      nodes_[0].cases.weights.assign(n_rows, 1.0);
    std::vector<std::uint32_t> values;
    std::vector<CaseParts> parts;
    for (PrunedNode& node : nodes_) {
      if (node.column < 0) continue;
      values = node.values;
      share_out(node, node.cases, values, parts);
      for (std::size_t c = 0; c < node.children.size(); ++c) nodes_[node.children[c]].cases = std::move(parts[c]);
    }
  }

  // Distributes cases over branches; new values get a branch. A missing value goes down all, in proportion to the rest.
  void share_out(const PrunedNode& node, const CaseParts& cases, std::vector<std::uint32_t>& values,
                 std::vector<CaseParts>& parts) const {
    const TestedColumn& tested = columns_[static_cast<std::size_t>(node.column)];
    const std::size_t n = cases.rows.size();
    std::vector<std::uint32_t> branches(n);
    for (std::size_t i = 0; i < n; ++i) {
      branches[i] = branch_of(tested.column, tested.missing, node.threshold, cases.rows[i], is_fractional_);
      if (branches[i] == kNoCode) continue;
      const auto at = std::lower_bound(values.begin(), values.end(), branches[i]);
      if (at == values.end() || *at != branches[i]) values.insert(at, branches[i]);
    }
    parts.assign(values.size(), {});
    std::vector<double> known(values.size(), 0.0);
    double all_known = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      if (branches[i] == kNoCode) continue;
      const auto at =
          static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), branches[i]) - values.begin());
      parts[at].rows.push_back(cases.rows[i]);
      parts[at].weights.push_back(cases.weights[i]);
      known[at] += cases.weights[i];
      all_known += cases.weights[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (branches[i] != kNoCode) continue;
      for (std::size_t c = 0; c < values.size(); ++c) {
        parts[c].rows.push_back(cases.rows[i]);
        parts[c].weights.push_back(cases.weights[i] * known[c] / all_known);
      }
    }
  }

  // A copy of a subtree with more cases.
  std::uint32_t refilled(std::uint32_t from, const CaseParts& cases) {
    PrunedNode made;
    made.cases = cases;  // copy first: `cases` may belong to a node that moves when nodes_ grows
    const auto copy = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    for (std::size_t i = 0; i < made.cases.rows.size(); ++i)
      ballot_.add(labels_[made.cases.rows[i]], made.cases.weights[i]);
    made.count_labels = ballot_.labels();
    std::sort(made.count_labels.begin(), made.count_labels.end());
    for (const Label label : made.count_labels) made.counts.push_back(ballot_.votes(label));
    ballot_.clear();
    made.label = most_frequent(made.count_labels.data(), made.counts.data(), made.counts.size(), prefer_);
    weigh(made);
    made.column = nodes_[from].column;
    made.threshold = nodes_[from].threshold;
    if (made.column >= 0) {
      const std::vector<std::uint32_t> old_values = nodes_[from].values, old_children = nodes_[from].children;
      std::vector<CaseParts> parts;
      made.values = old_values;
      share_out(made, made.cases, made.values, parts);
      for (std::size_t c = 0; c < made.values.size(); ++c) {
        const auto at = std::find(old_values.begin(), old_values.end(), made.values[c]);
        // A branch that was empty now has cases: it is a leaf.
        const std::uint32_t below =
            at == old_values.end() ? leaf_template() : old_children[static_cast<std::size_t>(at - old_values.begin())];
        made.children.push_back(refilled(below, parts[c]));
      }
    }
    nodes_[copy] = std::move(made);
    return copy;
  }

  std::uint32_t leaf_template() {
    nodes_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  GrownTree flattened() const {
    GrownTree tree;
    std::vector<std::uint32_t> order{0};
    tree.value.push_back(0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PrunedNode& node = nodes_[order[i]];
      tree.column.push_back(node.column);
      tree.threshold.push_back(node.threshold);
      tree.label.push_back(node.label);
      tree.first_child.push_back(static_cast<std::uint32_t>(order.size()));
      tree.first_count.push_back(tree.count.size());
      order.insert(order.end(), node.children.begin(), node.children.end());
      tree.value.insert(tree.value.end(), node.values.begin(), node.values.end());
      tree.count_label.insert(tree.count_label.end(), node.count_labels.begin(), node.count_labels.end());
      tree.count.insert(tree.count.end(), node.counts.begin(), node.counts.end());
    }
    tree.first_child.push_back(static_cast<std::uint32_t>(order.size()));
    tree.first_count.push_back(tree.count.size());
    return tree;
  }

  static constexpr double kTenth = 0.1 + 1e-6;

  std::vector<TestedColumn> columns_;
  const Label* labels_;
  Preference prefer_;
  Ballot ballot_;
  bool is_fractional_;
  PruningRules rules_;
  std::vector<PrunedNode> nodes_;
};

}  // namespace casebase
