// A forest of trees whose leaves hold cases (Breiman, "Random forests", 2001).
//
// Each tree is grown from a sample of the cases, drawn with replacement. At each node some features are drawn, and the
// best split of one of them is used: a cut between ordered codes, one value against the others, or a group of values
// against the others. A tree's vote is the class distribution of the sampled cases at its leaf. A case that is not in a
// tree's sample can be asked as if it had not been stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/autopilot/draws.hpp"
#include "core/types.hpp"

namespace casebase {

using Code = std::uint16_t;  // numbers are binned, and rare values share a code

// Cases as codes by feature: code f of case r is codes[f * n_rows + r].
struct CodedCases {
  const Code* codes;
  std::size_t n_rows, n_features;

  const Code* column(std::size_t feature) const { return codes + feature * n_rows; }
};

// The longest path in a tree. One value against the others takes off a value at a time: with thousands of values, a
// path could be as long as that.
inline constexpr std::size_t kDeepest = 64;

struct ForestPlan {
  const std::uint32_t* n_codes;    // per feature
  const std::uint8_t* is_ordered;  // per feature
  std::size_t n_classes;
  std::size_t n_tried;  // features that are tried at a node
  std::size_t n_drawn;  // cases that are drawn for a tree
  double least;         // weight of the cases on either side of a split, at least
  bool by_groups;       // groups of values, or single values, against the others
  std::uint64_t seed;
};

enum class Split : std::uint8_t { leaf, cut, value, group };

// The nodes of a tree. A case goes left if its code is at most `at` (cut), equals `at` (value), or is in the group
// whose bits begin at word `at`; the right child follows the left one. A leaf has the votes first_vote[at] to
// first_vote[at + 1].
struct CaseTree {
  std::vector<std::uint32_t> feature, at, left;
  std::vector<Split> split;
  std::vector<std::uint64_t> groups;
  std::vector<std::uint32_t> first_vote{0};
  std::vector<Label> vote_label;
  std::vector<double> vote;  // share of the leaf's cases
};

// How often each case was drawn for a tree.
inline void draw_sample(const ForestPlan& plan, std::size_t tree, std::size_t n_rows,
                        std::vector<std::uint32_t>& times) {
  times.assign(n_rows, 0);
  Draws draws(plan.seed, 2 * tree);
  for (std::size_t i = 0; i < plan.n_drawn; ++i) ++times[draws.below(static_cast<std::uint32_t>(n_rows))];
}

class CaseTreeGrower {
 public:
  CaseTreeGrower(const CodedCases& cases, const Label* labels, const double* weights, const ForestPlan& plan)
      : cases_(cases),
        labels_(labels),
        weights_(weights),
        plan_(plan),
        features_(cases.n_features),
        left_(plan.n_classes),
        right_(plan.n_classes),
        total_(plan.n_classes) {
    std::uint32_t most = 1;
    for (std::size_t f = 0; f < cases.n_features; ++f) most = std::max(most, plan.n_codes[f]);
    begin_.resize(most + 1);
  }

  CaseTree grow(std::size_t tree) {
    draw_sample(plan_, tree, cases_.n_rows, times_);
    sample_.clear();
    for (std::size_t r = 0; r < cases_.n_rows; ++r)
      if (times_[r] > 0 && (weights_ == nullptr || weights_[r] > 0.0))
        sample_.push_back({static_cast<Row>(r), labels_[r], times_[r] * (weights_ == nullptr ? 1.0 : weights_[r])});
    Draws draws(plan_.seed, 2 * tree + 1);
    std::iota(features_.begin(), features_.end(), 0u);
    CaseTree grown;
    add_nodes(grown, 1);
    std::vector<Open> open{{0, 0, sample_.size(), 0}};
    while (!open.empty()) {
      const Open node = open.back();
      open.pop_back();
      const Best best = best_split(node, draws);
      if (best.kind == Split::leaf) {
        make_leaf(grown, node);
        continue;
      }
      const std::uint32_t left = add_nodes(grown, 2);
      const std::size_t middle = divide(grown, node, best);
      grown.left[node.node] = left;
      open.push_back({left + 1, middle, node.end, node.depth + 1});
      open.push_back({left, node.begin, middle, node.depth + 1});
    }
    return grown;
  }

 private:
  struct Sampled {
    Row row;
    Label label;
    double weight;
  };
  struct Open {
    std::uint32_t node;
    std::size_t begin, end, depth;
  };
  struct Best {
    Split kind = Split::leaf;
    double score = 0.0;
    std::size_t feature = 0;
    std::uint32_t at = 0;
    std::vector<Code> group{};
  };
  struct Item {
    Code code;
    Label label;
    double weight;
  };
  // The items of one code.
  struct Run {
    std::size_t begin, end;
    double weight, of_class;
  };

  std::uint32_t add_nodes(CaseTree& tree, std::size_t n) const {
    const auto first = static_cast<std::uint32_t>(tree.split.size());
    tree.split.resize(first + n, Split::leaf);
    tree.feature.resize(first + n, 0);
    tree.at.resize(first + n, 0);
    tree.left.resize(first + n, 0);
    return first;
  }

  void make_leaf(CaseTree& tree, const Open& node) {
    std::fill(total_.begin(), total_.end(), 0.0);
    double all = 0.0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      total_[sample_[i].label] += sample_[i].weight;
      all += sample_[i].weight;
    }
    tree.at[node.node] = static_cast<std::uint32_t>(tree.first_vote.size() - 1);
    for (Label c = 0; c < plan_.n_classes; ++c)
      if (total_[c] > 0.0) {
        tree.vote_label.push_back(c);
        tree.vote.push_back(total_[c] / all);
      }
    tree.first_vote.push_back(static_cast<std::uint32_t>(tree.vote.size()));
  }

  // The split that leaves the purest sides, by Gini's index, among those of some drawn features.
  Best best_split(const Open& node, Draws& draws) {
    Best best;
    std::fill(total_.begin(), total_.end(), 0.0);
    all_ = 0.0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      total_[sample_[i].label] += sample_[i].weight;
      all_ += sample_[i].weight;
    }
    squares_ = 0.0;
    std::size_t n_present = 0;
    for (const double t : total_) {
      squares_ += t * t;
      n_present += t > 0.0;
    }
    if (n_present < 2 || all_ < 2 * plan_.least || node.depth == kDeepest) return best;
    best.score = squares_ / all_ * (1.0 + 1e-12);  // a split must gain something
    std::size_t n_left = features_.size();
    // A feature with one value at this node does not count as tried.
    for (std::size_t n_tried = 0; n_tried < plan_.n_tried && n_left > 0;) {
      const std::size_t drawn = draws.below(static_cast<std::uint32_t>(n_left--));
      std::swap(features_[drawn], features_[n_left]);
      const std::size_t f = features_[n_left];
      if (!sort_items(node, f)) continue;
      ++n_tried;
      if (plan_.is_ordered[f] != 0)
        try_cuts(f, best);
      else if (plan_.by_groups)
        try_groups(f, draws, best);
      else
        try_values(f, best);
    }
    return best;
  }

  // Sorts the node's cases by their code of a feature; returns whether there are at least two codes.
  bool sort_items(const Open& node, std::size_t f) {
    const Code* codes = cases_.column(f);
    const std::size_t n = node.end - node.begin;
    items_.resize(n);
    const std::uint32_t n_codes = plan_.n_codes[f];
    if (n_codes > 4 * n) {
      for (std::size_t i = 0; i < n; ++i) {
        const Sampled& s = sample_[node.begin + i];
        items_[i] = {codes[s.row], s.label, s.weight};
      }
      std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.code < b.code; });
    } else {
      std::fill(begin_.begin(), begin_.begin() + n_codes + 1, 0u);
      for (std::size_t i = node.begin; i < node.end; ++i) ++begin_[codes[sample_[i].row] + 1u];
      for (std::uint32_t c = 0; c < n_codes; ++c) begin_[c + 1] += begin_[c];
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const Sampled& s = sample_[i];
        const Code code = codes[s.row];
        items_[begin_[code]++] = {code, s.label, s.weight};
      }
    }
    return items_.front().code != items_.back().code;
  }

  void start_left() {
    std::fill(left_.begin(), left_.end(), 0.0);
    std::copy(total_.begin(), total_.end(), right_.begin());
    left_squares_ = 0.0;
    right_squares_ = squares_;
    left_weight_ = 0.0;
  }

  void move_left(const Item& item) {
    double &l = left_[item.label], &r = right_[item.label];
    const double w = item.weight;
    left_squares_ += w * (2.0 * l + w);
    right_squares_ += w * (w - 2.0 * r);
    l += w;
    r -= w;
    left_weight_ += w;
  }

  bool is_better(Best& best) const {
    const double right = all_ - left_weight_;
    if (left_weight_ < plan_.least || right < plan_.least) return false;
    const double score = left_squares_ / left_weight_ + right_squares_ / right;
    if (score <= best.score) return false;
    best.score = score;
    return true;
  }

  void try_cuts(std::size_t f, Best& best) {
    start_left();
    for (std::size_t i = 0; i + 1 < items_.size(); ++i) {
      move_left(items_[i]);
      if (items_[i].code == items_[i + 1].code || !is_better(best)) continue;
      best.kind = Split::cut;
      best.feature = f;
      best.at = items_[i].code;
    }
  }

  void try_values(std::size_t f, Best& best) {
    for (std::size_t i = 0; i < items_.size();) {
      start_left();
      const Code code = items_[i].code;
      for (; i < items_.size() && items_[i].code == code; ++i) move_left(items_[i]);
      if (!is_better(best)) continue;
      best.kind = Split::value;
      best.feature = f;
      best.at = code;
    }
  }

  // Values in the order of their share of one class, drawn among those present: for two classes the best group is a
  // first part of this order (Breiman et al., 1984).
  void try_groups(std::size_t f, Draws& draws, Best& best) {
    double target = draws.unit() * all_;
    Label chosen = 0;
    for (Label c = 0; c < plan_.n_classes; ++c) {
      if (total_[c] <= 0.0) continue;
      chosen = c;
      if ((target -= total_[c]) < 0.0) break;
    }
    runs_.clear();
    for (std::size_t i = 0; i < items_.size();) {
      Run run{i, i, 0.0, 0.0};
      for (; run.end < items_.size() && items_[run.end].code == items_[i].code; ++run.end) {
        run.weight += items_[run.end].weight;
        if (items_[run.end].label == chosen) run.of_class += items_[run.end].weight;
      }
      runs_.push_back(run);
      i = run.end;
    }
    std::stable_sort(runs_.begin(), runs_.end(),
                     [](const Run& a, const Run& b) { return a.of_class * b.weight < b.of_class * a.weight; });
    start_left();
    std::size_t n_best = 0;
    double best_left = 0.0;
    for (std::size_t r = 0; r + 1 < runs_.size(); ++r) {
      for (std::size_t i = runs_[r].begin; i < runs_[r].end; ++i) move_left(items_[i]);
      if (!is_better(best)) continue;
      n_best = r + 1;
      best_left = left_weight_;
    }
    if (n_best == 0) return;
    best.kind = Split::group;
    best.feature = f;
    best.group.clear();
    // The lighter side is the group: a value that was never seen goes to the heavier one.
    const bool first = best_left <= all_ - best_left;
    for (std::size_t r = first ? 0 : n_best; r < (first ? n_best : runs_.size()); ++r)
      best.group.push_back(items_[runs_[r].begin].code);
  }

  // Writes the split and divides the node's cases; returns where the right side begins.
  std::size_t divide(CaseTree& tree, const Open& node, const Best& best) {
    tree.split[node.node] = best.kind;
    tree.feature[node.node] = static_cast<std::uint32_t>(best.feature);
    tree.at[node.node] = best.at;
    if (best.kind == Split::group) {
      tree.at[node.node] = static_cast<std::uint32_t>(tree.groups.size());
      tree.groups.resize(tree.groups.size() + (plan_.n_codes[best.feature] + 63) / 64, 0);
      for (const Code code : best.group) tree.groups[tree.at[node.node] + code / 64] |= std::uint64_t{1} << (code % 64);
    }
    const Code* codes = cases_.column(best.feature);
    const std::uint32_t at = tree.at[node.node];
    const auto is_left = [&](const Sampled& s) {
      const Code code = codes[s.row];
      if (best.kind == Split::cut) return code <= at;
      if (best.kind == Split::value) return code == at;
      return ((tree.groups[at + code / 64] >> (code % 64)) & 1u) != 0;
    };
    const auto first = sample_.begin() + static_cast<std::ptrdiff_t>(node.begin);
    const auto last = sample_.begin() + static_cast<std::ptrdiff_t>(node.end);
    return static_cast<std::size_t>(std::stable_partition(first, last, is_left) - sample_.begin());
  }

  const CodedCases& cases_;
  const Label* labels_;
  const double* weights_;
  const ForestPlan& plan_;
  std::vector<std::uint32_t> times_, features_, begin_;
  std::vector<Sampled> sample_;
  std::vector<Item> items_;
  std::vector<Run> runs_;
  std::vector<double> left_, right_, total_;
  double all_ = 0.0, squares_ = 0.0, left_squares_ = 0.0, right_squares_ = 0.0, left_weight_ = 0.0;
};

}  // namespace casebase
