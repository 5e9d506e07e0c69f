// The readings of the autopilot and their pool, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/autopilot/discriminant.hpp"
#include "core/autopilot/forest.hpp"
#include "core/autopilot/kernel.hpp"
#include "core/autopilot/pool.hpp"
#include "core/functions.hpp"
#include "core/parallel.hpp"

using namespace casebase;

namespace {

constexpr std::size_t kRowsAtOnce = 512;

CodedCases coded(const Matrix<Code>& codes) { return {codes.data(), codes.shape(1), codes.shape(0)}; }

ForestPlan plan_of(const Vector<std::uint32_t>& n_codes, const Vector<std::uint8_t>& is_ordered, std::size_t n_classes,
                   std::size_t n_tried, std::size_t n_drawn, double least, bool by_groups, std::uint64_t seed) {
  return {n_codes.data(), is_ordered.data(), n_classes, n_tried, n_drawn, least, by_groups, seed};
}

// Trees first_tree to first_tree + n_trees of a forest, in one set of arrays: nodes, groups and leaves are numbered
// through.
nb::dict grow_forest(const Matrix<Code>& codes, const Vector<Label>& labels,
                     const std::optional<Vector<double>>& weights, const Vector<std::uint32_t>& n_codes,
                     const Vector<std::uint8_t>& is_ordered, std::size_t n_classes, std::size_t first_tree,
                     std::size_t n_trees, std::size_t n_tried, std::size_t n_drawn, double least, bool by_groups,
                     std::uint64_t seed, unsigned n_threads) {
  const CodedCases cases = coded(codes);
  require(cases.n_rows > 0 && cases.n_rows < 0xFFFF0000u, "a forest needs cases, and fewer than 32 bits can count");
  require(labels.shape(0) == cases.n_rows, "one label per case");
  require(n_codes.shape(0) == cases.n_features && is_ordered.shape(0) == cases.n_features, "one number per feature");
  require(n_tried > 0, "a node tries a feature at least");
  require(least > 0.0, "a side of a split has cases");
  for (std::size_t r = 0; r < cases.n_rows; ++r) require(labels.data()[r] < n_classes, "a label is out of range");
  for (std::size_t f = 0; f < cases.n_features; ++f) {
    require(n_codes.data()[f] < 0xFFFF, "a feature has too many codes");
    for (std::size_t r = 0; r < cases.n_rows; ++r)
      require(cases.column(f)[r] < n_codes.data()[f], "a code is out of range");
  }
  const double* counts = optional_data(weights, cases.n_rows);
  const ForestPlan plan = plan_of(n_codes, is_ordered, n_classes, n_tried, n_drawn, least, by_groups, seed);
  std::vector<CaseTree> trees(n_trees);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(
        n_trees, 1, n_threads, [&] { return CaseTreeGrower(cases, labels.data(), counts, plan); },
        [&](CaseTreeGrower& grower, std::size_t tree, std::size_t, std::size_t) {
          trees[tree] = grower.grow(first_tree + tree);
        });
  }
  std::vector<std::uint32_t> root, feature, at, left, first_vote{0}, vote_label;
  std::vector<std::uint8_t> split;
  std::vector<std::uint64_t> groups;
  std::vector<double> vote;
  for (const CaseTree& tree : trees) {
    const auto node = static_cast<std::uint32_t>(split.size()),
               leaf = static_cast<std::uint32_t>(first_vote.size() - 1),
               word = static_cast<std::uint32_t>(groups.size());
    const std::uint32_t entry = first_vote.back();
    root.push_back(node);
    for (std::size_t i = 0; i < tree.split.size(); ++i) {
      const bool is_leaf = tree.split[i] == Split::leaf;
      split.push_back(static_cast<std::uint8_t>(tree.split[i]));
      feature.push_back(tree.feature[i]);
      at.push_back(tree.at[i] + (is_leaf ? leaf : tree.split[i] == Split::group ? word : 0));
      left.push_back(is_leaf ? 0 : tree.left[i] + node);
    }
    groups.insert(groups.end(), tree.groups.begin(), tree.groups.end());
    for (std::size_t i = 1; i < tree.first_vote.size(); ++i) first_vote.push_back(tree.first_vote[i] + entry);
    vote_label.insert(vote_label.end(), tree.vote_label.begin(), tree.vote_label.end());
    vote.insert(vote.end(), tree.vote.begin(), tree.vote.end());
  }
  nb::dict out;
  out["root"] = to_numpy(std::move(root));
  out["feature"] = to_numpy(std::move(feature));
  out["split"] = to_numpy(std::move(split));
  out["at"] = to_numpy(std::move(at));
  out["left"] = to_numpy(std::move(left));
  out["groups"] = to_numpy(std::move(groups));
  out["first_vote"] = to_numpy(std::move(first_vote));
  out["vote_label"] = to_numpy(std::move(vote_label));
  out["vote"] = to_numpy(std::move(vote));
  return out;
}

// A grown forest, checked once and packed for walking.
class CaseForest {
 public:
  CaseForest(const Vector<std::uint32_t>& root, const Vector<std::uint32_t>& feature, const Vector<std::uint8_t>& split,
             const Vector<std::uint32_t>& at, const Vector<std::uint32_t>& left, Vector<std::uint64_t> groups,
             Vector<std::uint32_t> first_vote, Vector<Label> vote_label, Vector<double> vote,
             Vector<std::uint32_t> n_codes, std::size_t n_classes)
      : groups_(std::move(groups)),
        first_vote_(std::move(first_vote)),
        vote_label_(std::move(vote_label)),
        vote_(std::move(vote)),
        n_codes_(std::move(n_codes)),
        n_classes_(n_classes) {
    const std::size_t n_nodes = split.shape(0);
    require(feature.shape(0) == n_nodes && at.shape(0) == n_nodes && left.shape(0) == n_nodes, "one entry per node");
    require(first_vote_.shape(0) > 0, "offsets must reach to the end");
    const std::size_t n_leaves = first_vote_.shape(0) - 1, n_votes = vote_.shape(0);
    require(vote_label_.shape(0) == n_votes, "one label per vote");
    require(first_vote_.data()[0] == 0 && first_vote_.data()[n_leaves] == n_votes, "offsets must reach to the end");
    for (std::size_t l = 0; l < n_leaves; ++l)
      require(first_vote_.data()[l] <= first_vote_.data()[l + 1], "offsets must ascend");
    for (std::size_t v = 0; v < n_votes; ++v) {
      require(vote_label_.data()[v] < n_classes, "a label is out of range");
      require(vote_.data()[v] > 0.0 && vote_.data()[v] <= 1.0, "a vote is a share");
    }
    for (std::size_t n = 0; n < n_nodes; ++n) {
      const Node node{feature.data()[n], at.data()[n], left.data()[n], split.data()[n]};
      require(node.split <= static_cast<std::uint8_t>(Split::group), "there is no such split");
      if (node.split == static_cast<std::uint8_t>(Split::leaf)) {
        require(node.at < n_leaves && node.feature == 0 && node.left == 0, "a leaf is out of range");
      } else {
        require(node.feature < n_codes_.shape(0), "a feature is out of range");
        require(node.left > n && node.left + std::size_t{1} < n_nodes, "a child is out of range");
        const std::size_t n_codes_here = n_codes_.data()[node.feature];
        if (node.split == static_cast<std::uint8_t>(Split::group))
          require(node.at + (n_codes_here + 63) / 64 <= groups_.shape(0), "a group is out of range");
        else
          require(node.at < n_codes_here, "a code is out of range");
      }
      nodes_.push_back(node);
    }
    for (std::size_t t = 0; t < root.shape(0); ++t) {
      require(root.data()[t] < n_nodes, "a root is out of range");
      root_.push_back(root.data()[t]);
    }
  }

  // The mean of the trees' votes for each case, one row per case.
  auto shares(const Matrix<Code>& codes, unsigned n_threads) const {
    const CodedCases cases = checked(codes);
    std::vector<double> out(cases.n_rows * n_classes_, 0.0);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(cases.n_rows, kRowsAtOnce, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (const std::uint32_t root : root_)
          for (std::size_t r = begin; r < end; ++r) add_votes(leaf_of(cases, r, root), &out[r * n_classes_]);
        const double n_trees = static_cast<double>(std::max<std::size_t>(root_.size(), 1));
        for (std::size_t i = begin * n_classes_; i < end * n_classes_; ++i) out[i] /= n_trees;
      });
    }
    return to_numpy(std::move(out));
  }

  // For stored cases: the sum of the votes of the trees that did not draw the case, and the number of these trees.
  auto held_out(const Matrix<Code>& codes, const Vector<std::uint32_t>& rows, std::size_t n_stored, std::size_t n_drawn,
                std::uint64_t seed, unsigned n_threads) const {
    const CodedCases cases = checked(codes);
    require(rows.shape(0) == cases.n_rows, "one stored row per case");
    for (std::size_t r = 0; r < cases.n_rows; ++r) require(rows.data()[r] < n_stored, "a row is out of range");
    std::vector<double> out(cases.n_rows * n_classes_, 0.0);
    std::vector<std::uint32_t> n_trees(cases.n_rows, 0);
    {
      nb::gil_scoped_release unlocked;
      ForestPlan plan{};
      plan.n_drawn = n_drawn;
      plan.seed = seed;
      std::vector<std::uint8_t> is_drawn(root_.size() * cases.n_rows);
      for_blocks(
          root_.size(), 1, n_threads, [] { return std::vector<std::uint32_t>(); },
          [&](std::vector<std::uint32_t>& times, std::size_t tree, std::size_t, std::size_t) {
            draw_sample(plan, tree, n_stored, times);
            for (std::size_t r = 0; r < cases.n_rows; ++r)
              is_drawn[tree * cases.n_rows + r] = times[rows.data()[r]] > 0;
          });
      for_blocks(cases.n_rows, kRowsAtOnce, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t t = 0; t < root_.size(); ++t)
          for (std::size_t r = begin; r < end; ++r) {
            if (is_drawn[t * cases.n_rows + r]) continue;
            add_votes(leaf_of(cases, r, root_[t]), &out[r * n_classes_]);
            ++n_trees[r];
          }
      });
    }
    return std::pair(to_numpy(std::move(out)), to_numpy(std::move(n_trees)));
  }

  // The leaf of each case in some trees, one row per tree.
  auto leaves(const Matrix<Code>& codes, std::size_t first_tree, std::size_t n_trees, unsigned n_threads) const {
    const CodedCases cases = checked(codes);
    require(first_tree + n_trees <= root_.size(), "there are fewer trees");
    std::vector<std::uint32_t> out(n_trees * cases.n_rows);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(cases.n_rows, kRowsAtOnce, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t t = 0; t < n_trees; ++t)
          for (std::size_t r = begin; r < end; ++r)
            out[t * cases.n_rows + r] = leaf_of(cases, r, root_[first_tree + t]);
      });
    }
    return to_numpy(std::move(out));
  }

 private:
  struct Node {
    std::uint32_t feature, at, left;
    std::uint8_t split;
  };

  CodedCases checked(const Matrix<Code>& codes) const {
    const CodedCases cases = coded(codes);
    require(cases.n_features == n_codes_.shape(0), "one row of codes per feature");
    for (std::size_t f = 0; f < cases.n_features; ++f)
      for (std::size_t r = 0; r < cases.n_rows; ++r)
        require(cases.column(f)[r] < n_codes_.data()[f] || cases.column(f)[r] == 0xFFFF, "a code is out of range");
    return cases;
  }

  std::uint32_t leaf_of(const CodedCases& cases, std::size_t row, std::uint32_t at) const {
    for (;;) {
      const Node& node = nodes_[at];
      const Code code = node.split == 0 ? Code{0} : cases.column(node.feature)[row];
      bool is_left;
      switch (static_cast<Split>(node.split)) {
        case Split::leaf:
          return node.at;
        case Split::cut:
          is_left = code <= node.at;
          break;
        case Split::value:
          is_left = code == node.at;
          break;
        default:
          is_left = code != 0xFFFF && ((groups_.data()[node.at + code / 64] >> (code % 64)) & 1u) != 0;
      }
      at = node.left + (is_left ? 0u : 1u);
    }
  }

  void add_votes(std::uint32_t leaf, double* out) const {
    for (std::uint32_t v = first_vote_.data()[leaf]; v < first_vote_.data()[leaf + 1]; ++v)
      out[vote_label_.data()[v]] += vote_.data()[v];
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> root_;
  Vector<std::uint64_t> groups_;
  Vector<std::uint32_t> first_vote_;
  Vector<Label> vote_label_;
  Vector<double> vote_;
  Vector<std::uint32_t> n_codes_;
  std::size_t n_classes_;
};

auto forest_sample(std::size_t tree, std::size_t n_stored, std::size_t n_drawn, std::uint64_t seed) {
  ForestPlan plan{};
  plan.n_drawn = n_drawn;
  plan.seed = seed;
  std::vector<std::uint32_t> times;
  draw_sample(plan, tree, n_stored, times);
  return to_numpy(std::move(times));
}

template <class T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The log loss of a pool of opinions, [case][class][opinion], and its gradient by exponent and by bias.
auto pool_loss_py(const Cube<double>& opinions, const Vector<Label>& labels,
                  const std::optional<Vector<double>>& weights, const Vector<double>& exponents,
                  const Vector<double>& bias, unsigned n_threads) {
  const Opinions all{opinions.data(),   labels.data(),     optional_data(weights, opinions.shape(0)),
                     opinions.shape(0), opinions.shape(1), opinions.shape(2)};
  require(labels.shape(0) == all.n_cases, "one label per case");
  require(exponents.shape(0) == all.n_opinions, "one exponent per opinion");
  require(bias.shape(0) == all.n_classes, "one bias per class");
  for (std::size_t i = 0; i < all.n_cases; ++i) require(labels.data()[i] < all.n_classes, "a label is out of range");
  std::vector<double> gradient(all.n_opinions + all.n_classes);
  double loss;
  {
    nb::gil_scoped_release unlocked;
    loss = pool_loss(all, exponents.data(), bias.data(), gradient.data(), n_threads);
  }
  return std::pair(loss, to_numpy(std::move(gradient)));
}

auto pool_shares(const Cube<double>& opinions, const Vector<double>& exponents, const Vector<double>& bias,
                 unsigned n_threads) {
  const Opinions all{opinions.data(), nullptr, nullptr, opinions.shape(0), opinions.shape(1), opinions.shape(2)};
  require(exponents.shape(0) == all.n_opinions, "one exponent per opinion");
  require(bias.shape(0) == all.n_classes, "one bias per class");
  std::vector<double> out(all.n_cases * all.n_classes);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(all.n_cases, kCasesAtOnce, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) pooled(all, i, exponents.data(), bias.data(), &out[i * all.n_classes]);
    });
  }
  return to_numpy(std::move(out));
}

auto kernel_loss_py(const Cube<float>& differences, const Vector<Label>& labels, std::size_t n_classes,
                    const Vector<double>& log_weights, unsigned n_threads) {
  const KernelSample sample{differences.data(), labels.data(), differences.shape(0), differences.shape(1), n_classes};
  require(differences.shape(2) == sample.n_cases && labels.shape(0) == sample.n_cases, "a square of differences");
  require(log_weights.shape(0) == sample.n_components, "one weight per component");
  require(sample.n_cases >= 2, "a sample has two cases at least");
  std::vector<double> gradient(sample.n_components);
  double loss;
  {
    nb::gil_scoped_release unlocked;
    loss = kernel_loss(sample, log_weights.data(), gradient.data(), n_threads);
  }
  return std::pair(loss, to_numpy(std::move(gradient)));
}

// Votes of all stored cases by exp(-distance). The cost of values is a table per symbolic feature, [query's
// value][stored value]; a query's row is chosen by `rows`, so that a held-out case can have costs without its own share
// in them.
class KernelVotes {
 public:
  KernelVotes(Matrix<Code> codes, Matrix<float> coordinates, Vector<Label> labels,
              std::optional<Vector<double>> weights, std::vector<Matrix<float>> costs, Vector<float> scale,
              std::size_t n_classes)
      : codes_(std::move(codes)),
        coordinates_(std::move(coordinates)),
        labels_(std::move(labels)),
        weights_(std::move(weights)),
        costs_(std::move(costs)),
        scale_(std::move(scale)) {
    const std::size_t n = labels_.shape(0);
    require(n > 0, "a memory has cases");
    require(codes_.shape(1) == n && coordinates_.shape(1) == n, "one code per stored case");
    require(costs_.size() == codes_.shape(0), "one table of costs per symbolic feature");
    require(scale_.shape(0) == coordinates_.shape(0), "one weight per coordinate");
    for (std::size_t f = 0; f < costs_.size(); ++f)
      for (std::size_t z = 0; z < n; ++z)
        require(codes_.data()[f * n + z] < costs_[f].shape(1), "a code is out of range");
    for (std::size_t z = 0; z < n; ++z) require(labels_.data()[z] < n_classes, "a label is out of range");
    memory_ = {n,
               codes_.shape(0),
               coordinates_.shape(0),
               n_classes,
               codes_.data(),
               coordinates_.data(),
               labels_.data(),
               optional_data(weights_, n)};
  }

  // Votes by class and their sum, one row per query; `rows` has the row of costs of each symbolic feature.
  auto votes(const Matrix<std::uint32_t>& rows, const Matrix<float>& coordinates,
             const std::optional<Vector<std::uint32_t>>& left_out, unsigned n_threads) const {
    const std::size_t n = check(rows, coordinates, left_out), n_classes = memory_.n_classes;
    std::vector<double> out(n * n_classes), sums(n);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(
          n, 8, n_threads, [&] { return Tool(memory_); },
          [&](Tool& tool, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
              sums[i] = kernel_votes(memory_, question(tool, rows, coordinates, left_out, i), tool.distance.data(),
                                     &out[i * n_classes], nullptr);
          });
    }
    return std::pair(to_numpy(std::move(out)), to_numpy(std::move(sums)));
  }

  // The vote of every stored case for one query.
  auto each(const Matrix<std::uint32_t>& rows, const Matrix<float>& coordinates) const {
    const std::size_t n = check(rows, coordinates, std::nullopt);
    require(n == 1, "one query");
    Tool tool(memory_);
    std::vector<double> out(memory_.n_stored), votes(memory_.n_classes);
    kernel_votes(memory_, question(tool, rows, coordinates, std::nullopt, 0), tool.distance.data(), votes.data(),
                 out.data());
    return to_numpy(std::move(out));
  }

 private:
  struct Tool {
    std::vector<float> distance, at;
    std::vector<const float*> costs;
    explicit Tool(const KernelMemory& memory)
        : distance(memory.n_stored), at(memory.n_coordinates), costs(memory.n_symbolic) {}
  };

  std::size_t check(const Matrix<std::uint32_t>& rows, const Matrix<float>& coordinates,
                    const std::optional<Vector<std::uint32_t>>& left_out) const {
    const std::size_t n = rows.shape(1);
    require(rows.shape(0) == memory_.n_symbolic && coordinates.shape(0) == memory_.n_coordinates,
            "one row per feature");
    require(coordinates.shape(1) == n, "as many numbers as codes");
    require(!left_out || left_out->shape(0) == n, "one left-out case per query");
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f)
      for (std::size_t i = 0; i < n; ++i)
        require(rows.data()[f * n + i] < costs_[f].shape(0), "a value is out of range");
    return n;
  }

  KernelQuestion question(Tool& tool, const Matrix<std::uint32_t>& rows, const Matrix<float>& coordinates,
                          const std::optional<Vector<std::uint32_t>>& left_out, std::size_t i) const {
    const std::size_t n = rows.shape(1);
    for (std::size_t f = 0; f < memory_.n_symbolic; ++f)
      tool.costs[f] = costs_[f].data() + rows.data()[f * n + i] * costs_[f].shape(1);
    for (std::size_t f = 0; f < memory_.n_coordinates; ++f) tool.at[f] = coordinates.data()[f * n + i];
    return {tool.costs.data(), tool.at.data(), scale_.data(), left_out ? left_out->data()[i] : 0xFFFFFFFFu};
  }

  Matrix<Code> codes_;
  Matrix<float> coordinates_;
  Vector<Label> labels_;
  std::optional<Vector<double>> weights_;
  std::vector<Matrix<float>> costs_;
  Vector<float> scale_;
  KernelMemory memory_{};
};

// Normal densities per class, from means, scatters and weights of the classes.
class ClassDensities {
 public:
  ClassDensities(Matrix<double> means, const Cube<double>& scatters, Vector<double> totals, double lambda, double gamma)
      : means_(std::move(means)),
        totals_(std::move(totals)),
        n_classes_(means_.shape(0)),
        n_(means_.shape(1)),
        lambda_(lambda),
        gamma_(gamma) {
    require(scatters.shape(0) == n_classes_ && scatters.shape(1) == n_ && scatters.shape(2) == n_,
            "a scatter per class");
    require(totals_.shape(0) == n_classes_, "a weight per class");
    require(lambda >= 0.0 && lambda <= 1.0 && gamma > 0.0, "lambda is a share, and gamma above 0");
    const std::size_t size = n_ * n_;
    std::vector<double> all(size, 0.0);
    for (std::size_t c = 0; c < n_classes_; ++c) {
      total_ += totals_.data()[c];
      for (std::size_t i = 0; i < size; ++i) all[i] += scatters.data()[c * size + i];
    }
    for (std::size_t c = 0; c < n_classes_; ++c) {
      std::vector<double> factor(size);
      for (std::size_t i = 0; i < size; ++i)
        factor[i] = (1.0 - lambda) * scatters.data()[c * size + i] + lambda * all[i];
      for (std::size_t i = 0; i < n_; ++i) factor[i * n_ + i] += gamma;
      log_determinant_.push_back(factorise(factor, n_));
      factors_.push_back(std::move(factor));
    }
  }

  // The logarithm of each class's weight times its density, one row per case.
  auto logs(const Matrix<double>& cases, unsigned n_threads) const {
    require(cases.shape(1) == n_, "one number per dimension");
    std::vector<double> out(cases.shape(0) * n_classes_);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(
          cases.shape(0), 64, n_threads, [&] { return std::vector<double>(n_); },
          [&](std::vector<double>& x, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
              for (std::size_t c = 0; c < n_classes_; ++c) {
                const double weight = totals_.data()[c];
                const double spread = (1.0 - lambda_) * weight + lambda_ * total_ + gamma_;
                for (std::size_t k = 0; k < n_; ++k) x[k] = cases.data()[i * n_ + k] - means_.data()[c * n_ + k];
                solve_lower(factors_[c].data(), n_, x.data());
                out[i * n_classes_ + c] =
                    density(weight / total_, log_determinant_[c], spread, dot(x.data(), x.data(), n_));
              }
          });
    }
    return to_numpy(std::move(out));
  }

  // The same for stored cases, each without itself.
  auto held_out(const Matrix<double>& cases, const Vector<std::uint32_t>& labels,
                const std::optional<Vector<double>>& weights, unsigned n_threads) const {
    require(cases.shape(1) == n_ && labels.shape(0) == cases.shape(0), "one label per case, one number per dimension");
    for (std::size_t i = 0; i < labels.shape(0); ++i) require(labels.data()[i] < n_classes_, "a label is out of range");
    const double* counts = optional_data(weights, cases.shape(0));
    std::vector<double> out(cases.shape(0) * n_classes_);
    {
      nb::gil_scoped_release unlocked;
      for_blocks(
          cases.shape(0), 64, n_threads, [&] { return std::pair(std::vector<double>(n_), std::vector<double>(n_)); },
          [&](auto& room, std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
              for (std::size_t c = 0; c < n_classes_; ++c)
                out[i * n_classes_ + c] =
                    without(cases.data() + i * n_, labels.data()[i], counts == nullptr ? 1.0 : counts[i], c,
                            room.first.data(), room.second.data());
          });
    }
    return to_numpy(std::move(out));
  }

 private:
  double density(double share, double log_determinant, double spread, double squares) const {
    if (share <= 0.0) return -std::numeric_limits<double>::infinity();
    return portable_log(share) -
           0.5 * (log_determinant - static_cast<double>(n_) * portable_log(spread) + spread * squares);
  }

  double without(const double* x, std::uint32_t own, double weight, std::size_t c, double* step, double* away) const {
    const double class_weight = totals_.data()[own], left = class_weight - weight;
    const bool is_own = c == own;
    const double share = (is_own ? left : totals_.data()[c]) / (total_ - weight);
    if (!(share > 0.0)) return -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n_; ++k) {
      step[k] = x[k] - means_.data()[own * n_ + k];
      away[k] = is_own ? step[k] * class_weight / left : x[k] - means_.data()[c * n_ + k];
    }
    solve_lower(factors_[c].data(), n_, step);
    solve_lower(factors_[c].data(), n_, away);
    // The last case of a class lies on its mean: nothing is taken from the scatter.
    const double moved = left > 0.0 ? class_weight * weight / left : 0.0, rank_one = (is_own ? 1.0 : lambda_) * moved;
    const double rest = std::max(1.0 - rank_one * dot(step, step, n_), 1e-12), cross = dot(step, away, n_);
    const double spread = (1.0 - lambda_) * (is_own ? left : totals_.data()[c]) + lambda_ * (total_ - weight) + gamma_;
    return density(share, log_determinant_[c] + portable_log(rest), spread,
                   dot(away, away, n_) + rank_one * cross * cross / rest);
  }

  Matrix<double> means_;
  Vector<double> totals_;
  std::size_t n_classes_, n_;
  double lambda_, gamma_, total_ = 0.0;
  std::vector<std::vector<double>> factors_;
  std::vector<double> log_determinant_;
};

// The weights of the classes and the sums of their cases, added to those of other cases. Each is summed over the cases
// in their order, so that a table may come in pieces.
auto class_sums(const Matrix<double>& cases, const Vector<Label>& labels, const std::optional<Vector<double>>& weights,
                const Vector<double>& totals, const Vector<double>& sums) {
  const std::size_t n_rows = cases.shape(0), n = cases.shape(1), n_classes = totals.shape(0);
  require(labels.shape(0) == n_rows, "one label per case");
  require(sums.shape(0) == n_classes * n, "a sum per class and dimension");
  for (std::size_t i = 0; i < n_rows; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
  const double* counts = optional_data(weights, n_rows);
  std::vector<double> of_class(totals.data(), totals.data() + n_classes),
      added(sums.data(), sums.data() + n_classes * n);
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double weight = counts == nullptr ? 1.0 : counts[i];
      of_class[labels.data()[i]] += weight;
      for (std::size_t k = 0; k < n; ++k) added[labels.data()[i] * n + k] += weight * cases.data()[i * n + k];
    }
  }
  return std::pair(to_numpy(std::move(of_class)), to_numpy(std::move(added)));
}

// The scatters of the classes around their means, added to those of other cases, in their order.
auto class_scatters(const Matrix<double>& cases, const Vector<Label>& labels,
                    const std::optional<Vector<double>>& weights, const Vector<double>& means,
                    const Vector<double>& scatters, std::size_t n_classes, unsigned n_threads) {
  const std::size_t n_rows = cases.shape(0), n = cases.shape(1);
  require(labels.shape(0) == n_rows, "one label per case");
  require(means.shape(0) == n_classes * n && scatters.shape(0) == n_classes * n * n, "a scatter per class");
  for (std::size_t i = 0; i < n_rows; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
  const double* counts = optional_data(weights, n_rows);
  const double* mean = means.data();
  std::vector<double> added(scatters.data(), scatters.data() + n_classes * n * n);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n, 1, n_threads, [&](std::size_t k, std::size_t, std::size_t) {
      for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t c = labels.data()[i];
        const double* x = cases.data() + i * n;
        const double step = (counts == nullptr ? 1.0 : counts[i]) * (x[k] - mean[c * n + k]);
        double* row = &added[(c * n + k) * n];
        for (std::size_t l = 0; l < n; ++l) row[l] += step * (x[l] - mean[c * n + l]);
      }
    });
  }
  return to_numpy(std::move(added));
}

}  // namespace

void bind_autopilot(nb::module_& m) {
  m.def("grow_forest", &grow_forest, nb::arg("codes"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("n_codes"),
        nb::arg("is_ordered"), nb::arg("n_classes"), nb::arg("first_tree"), nb::arg("n_trees"), nb::arg("n_tried"),
        nb::arg("n_drawn"), nb::arg("least"), nb::arg("by_groups"), nb::arg("seed"), nb::arg("n_threads"));
  m.def("forest_sample", &forest_sample, nb::arg("tree"), nb::arg("n_stored"), nb::arg("n_drawn"), nb::arg("seed"));
  nb::class_<CaseForest>(m, "CaseForest")
      .def(nb::init<const Vector<std::uint32_t>&, const Vector<std::uint32_t>&, const Vector<std::uint8_t>&,
                    const Vector<std::uint32_t>&, const Vector<std::uint32_t>&, Vector<std::uint64_t>,
                    Vector<std::uint32_t>, Vector<Label>, Vector<double>, Vector<std::uint32_t>, std::size_t>(),
           nb::arg("root"), nb::arg("feature"), nb::arg("split"), nb::arg("at"), nb::arg("left"), nb::arg("groups"),
           nb::arg("first_vote"), nb::arg("vote_label"), nb::arg("vote"), nb::arg("n_codes"), nb::arg("n_classes"))
      .def("shares", &CaseForest::shares, nb::arg("codes"), nb::arg("n_threads"))
      .def("held_out", &CaseForest::held_out, nb::arg("codes"), nb::arg("rows"), nb::arg("n_stored"),
           nb::arg("n_drawn"), nb::arg("seed"), nb::arg("n_threads"))
      .def("leaves", &CaseForest::leaves, nb::arg("codes"), nb::arg("first_tree"), nb::arg("n_trees"),
           nb::arg("n_threads"));
  m.def("pool_loss", &pool_loss_py, nb::arg("opinions"), nb::arg("labels"), nb::arg("weights").none(),
        nb::arg("exponents"), nb::arg("bias"), nb::arg("n_threads"));
  m.def("pool_shares", &pool_shares, nb::arg("opinions"), nb::arg("exponents"), nb::arg("bias"), nb::arg("n_threads"));
  m.def("kernel_loss", &kernel_loss_py, nb::arg("differences"), nb::arg("labels"), nb::arg("n_classes"),
        nb::arg("log_weights"), nb::arg("n_threads"));
  nb::class_<KernelVotes>(m, "KernelVotes")
      .def(nb::init<Matrix<Code>, Matrix<float>, Vector<Label>, std::optional<Vector<double>>,
                    std::vector<Matrix<float>>, Vector<float>, std::size_t>(),
           nb::arg("codes"), nb::arg("coordinates"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("costs"),
           nb::arg("scale"), nb::arg("n_classes"))
      .def("votes", &KernelVotes::votes, nb::arg("rows"), nb::arg("coordinates"), nb::arg("left_out").none(),
           nb::arg("n_threads"))
      .def("each", &KernelVotes::each, nb::arg("rows"), nb::arg("coordinates"));
  m.def("class_sums", &class_sums, nb::arg("cases"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("totals"),
        nb::arg("sums"));
  m.def("class_scatters", &class_scatters, nb::arg("cases"), nb::arg("labels"), nb::arg("weights").none(),
        nb::arg("means"), nb::arg("scatters"), nb::arg("n_classes"), nb::arg("n_threads") = 1);
  nb::class_<ClassDensities>(m, "ClassDensities")
      .def(nb::init<Matrix<double>, const Cube<double>&, Vector<double>, double, double>(), nb::arg("means"),
           nb::arg("scatters"), nb::arg("totals"), nb::arg("shrinkage"), nb::arg("gamma"))
      .def("logs", &ClassDensities::logs, nb::arg("cases"), nb::arg("n_threads"))
      .def("held_out", &ClassDensities::held_out, nb::arg("cases"), nb::arg("labels"), nb::arg("weights").none(),
           nb::arg("n_threads"));
}
