// Decision trees and perceptron trees, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/arrays.hpp"
#include "core/parallel.hpp"
#include "core/trees/descend.hpp"
#include "core/trees/grow.hpp"
#include "core/trees/perceptron_tree.hpp"
#include "core/trees/prune.hpp"

using namespace casebase;

namespace {

using Arrays = std::vector<AnyVector>;

template <class T>
std::vector<T> as_vector(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

nb::dict as_dict(GrownTree&& grown) {
  nb::dict out;
  out["column"] = to_numpy(std::move(grown.column));
  out["threshold"] = to_numpy(std::move(grown.threshold));
  out["first_child"] = to_numpy(std::move(grown.first_child));
  out["value"] = to_numpy(std::move(grown.value));
  out["label"] = to_numpy(std::move(grown.label));
  out["first_count"] = to_numpy(std::move(grown.first_count));
  out["count_label"] = to_numpy(std::move(grown.count_label));
  out["count"] = to_numpy(std::move(grown.count));
  return out;
}

nb::dict grow_decision_tree_py(const Arrays& arrays, const std::vector<std::uint32_t>& n_values,
                               const std::vector<std::uint32_t>& missing, const std::vector<bool>& is_wide,
                               const Vector<Label>& labels, const std::optional<Vector<double>>& weights,
                               const Vector<double>& frequency, const Vector<std::uint32_t>& rank, bool by_ratio,
                               bool above_average, bool goes_on, bool cuts_cost, bool is_fractional, double min_cases,
                               std::size_t max_depth) {
  const std::size_t n = labels.shape(0), n_classes = rank.shape(0);
  const auto columns = as_columns(arrays, n);
  require(n > 0, "a tree is grown from one case at least");
  require(n_values.size() == columns.size() && missing.size() == columns.size() && is_wide.size() == columns.size(),
          "each column needs its number of values, its code for missing and whether it is wide");
  const double* case_weights = optional_data(weights, n);
  const Preference prefer = as_preference(frequency, rank);
  std::vector<TestedColumn> tested;
  for (std::size_t f = 0; f < columns.size(); ++f) tested.push_back({columns[f], n_values[f], missing[f], is_wide[f]});
  GrownTree grown;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    for (const auto& column : tested)
      for (std::size_t i = 0; !column.column.is_numeric() && i < n; ++i)
        require(column.column.code(i) < column.n_values, "a code is out of range");
    const GrowthRules rules{by_ratio, above_average, goes_on, cuts_cost, is_fractional, min_cases, max_depth};
    grown = TreeGrower(std::move(tested), labels.data(), case_weights, n, n_classes, prefer, rules).grow();
  }
  return as_dict(std::move(grown));
}

// The tree must come from grow_decision_tree: only its sizes are checked.
nb::dict prune_decision_tree_py(const Vector<std::int32_t>& column, const Vector<double>& threshold,
                                const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                                const Vector<Label>& label, const Vector<std::uint64_t>& first_count,
                                const Vector<Label>& count_label, const Vector<double>& count, const Arrays& arrays,
                                const std::vector<std::uint32_t>& missing, const Vector<Label>& labels,
                                const std::optional<Vector<double>>& weights, const Vector<double>& frequency,
                                const Vector<std::uint32_t>& rank, bool is_fractional, double confidence,
                                double deviations, bool collapses, bool prunes, bool raises) {
  const std::size_t n = labels.shape(0), n_nodes = label.shape(0);
  const auto columns = as_columns(arrays, n);
  const double* case_weights = optional_data(weights, n);
  const Preference prefer = as_preference(frequency, rank);
  require(missing.size() == columns.size(), "each column needs its code for missing");
  require(n_nodes > 0 && column.shape(0) == n_nodes && threshold.shape(0) == n_nodes && value.shape(0) == n_nodes &&
              first_child.shape(0) == n_nodes + 1 && first_count.shape(0) == n_nodes + 1 &&
              count_label.shape(0) == count.shape(0),
          "not the arrays of a tree");
  GrownTree tree{as_vector(column), as_vector(threshold),   as_vector(first_child), as_vector(value),
                 as_vector(label),  as_vector(first_count), as_vector(count_label), as_vector(count)};
  require(tree.first_child[0] == 1 && tree.first_child[n_nodes] == n_nodes && tree.first_count[0] == 0 &&
              tree.first_count[n_nodes] == tree.count.size(),
          "not the arrays of a tree");
  for (std::size_t node = 0; node < n_nodes; ++node) {
    require(node < tree.first_child[node] && tree.first_child[node] <= tree.first_child[node + 1] &&
                tree.first_count[node] < tree.first_count[node + 1] &&
                tree.column[node] < static_cast<std::int64_t>(columns.size()) &&
                (tree.column[node] < 0) == (tree.first_child[node] == tree.first_child[node + 1]),
            "not the arrays of a tree");
    const auto begin = tree.count_label.begin() + static_cast<std::ptrdiff_t>(tree.first_count[node]);
    const auto end = tree.count_label.begin() + static_cast<std::ptrdiff_t>(tree.first_count[node + 1]);
    require(std::find(begin, end, tree.label[node]) != end, "the class of a node must be among its classes");
  }
  for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < rank.shape(0), "a label is out of range");
  std::vector<TestedColumn> tested;
  for (std::size_t f = 0; f < columns.size(); ++f) tested.push_back({columns[f], 0, missing[f], false});
  GrownTree pruned;
  {
    nb::gil_scoped_release unlocked;
    const PruningRules rules{confidence, deviations, collapses, prunes, raises};
    pruned = TreePruner(tree, std::move(tested), labels.data(), prefer, rank.shape(0), is_fractional, rules)
                 .prune(n, case_weights);
  }
  return as_dict(std::move(pruned));
}

nb::tuple walk_decision_tree_py(const Vector<std::int32_t>& column, const Vector<double>& threshold,
                                const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                                const Vector<double>& n_cases, const Arrays& arrays,
                                const std::vector<std::uint32_t>& missing, bool is_fractional, std::size_t n_queries,
                                unsigned n_threads) {
  const std::size_t n_nodes = value.shape(0);
  require(n_nodes > 0 && column.shape(0) == n_nodes && threshold.shape(0) == n_nodes && n_cases.shape(0) == n_nodes &&
              first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes,
          "not the arrays of a tree");
  const auto queries = as_columns(arrays, n_queries);
  require(missing.size() == queries.size(), "each column needs its code for missing");
  for (std::size_t node = 0; node < n_nodes; ++node) {  // children come after their parents: every walk ends
    require(node < first_child.data()[node] && first_child.data()[node] <= first_child.data()[node + 1] &&
                column.data()[node] < static_cast<std::int64_t>(queries.size()),
            "not the arrays of a tree");
    require(n_cases.data()[node] > 0.0, "a node has no cases");
  }
  const DecisionTree tree{column.data(), threshold.data(), first_child.data(), value.data(), n_cases.data()};
  const std::size_t block_size = 4096;
  std::vector<std::uint32_t> n_ends(n_queries);
  std::vector<std::vector<WalkEnd>> blocks((n_queries + block_size - 1) / block_size);
  std::vector<std::uint32_t> node;
  std::vector<double> share;
  {
    nb::gil_scoped_release unlocked;
    for_blocks(
        n_queries, block_size, n_threads, [&] { return Descent(tree, queries, missing, is_fractional); },
        [&](Descent& descent, std::size_t block, std::size_t begin, std::size_t end) {
          auto& ends = blocks[block];
          for (std::size_t q = begin; q < end; ++q) {
            const std::size_t before = ends.size();
            descent.walk(q, ends);
            n_ends[q] = static_cast<std::uint32_t>(ends.size() - before);
          }
        });
    for (const auto& ends : blocks) {
      for (const WalkEnd& end : ends) {
        node.push_back(end.node);
        share.push_back(end.share);
      }
    }
  }
  return nb::make_tuple(to_numpy(std::move(n_ends)), to_numpy(std::move(node)), to_numpy(std::move(share)));
}

constexpr std::size_t kPerceptronBlock = 1024;

nb::dict grow_perceptron_tree_py(const Arrays& columns, const std::vector<std::uint32_t>& n_values,
                                 const Arrays& inputs, const Vector<Label>& labels, const Vector<double>& weights,
                                 const Vector<std::uint32_t>& group, const Vector<Label>& group_label,
                                 const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                                 std::size_t max_passes, std::size_t patience, std::uint64_t seed, bool by_ratio) {
  const std::size_t n_rows = labels.shape(0), n_classes = rank.shape(0);
  require(n_rows > 0 && weights.shape(0) == n_rows && group.shape(0) == n_rows, "one weight and group per row");
  const Preference prefer = as_preference(frequency, rank);
  const auto codes = as_columns(columns, n_rows);
  const RowsToSeparate rows{as_columns(inputs, n_rows), group.data(), group_label.data(), n_classes};
  require(codes.size() == n_values.size() && codes.size() == rows.columns.size(), "as many inputs as columns");
  std::vector<TestedColumn> tested;
  for (std::size_t f = 0; f < codes.size(); ++f) {
    require(codes[f].is_numeric() == rows.columns[f].is_numeric(), "inputs must be of the kind of their columns");
    for (std::size_t i = 0; !codes[f].is_numeric() && i < n_rows; ++i)
      require(codes[f].code(i) < n_values[f], "a code is out of range");
    tested.push_back({codes[f], n_values[f], kNoCode, false});
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    require(labels.data()[i] < n_classes && group.data()[i] < group_label.shape(0), "a label or group is out of range");
    require(weights.data()[i] > 0.0, "every row must count");
  }
  for (std::size_t i = 0; i < group_label.shape(0); ++i)
    require(group_label.data()[i] < n_classes, "a label is out of range");
  const GrowthRules rules{by_ratio, false, true, false, false, 1.0, std::numeric_limits<std::size_t>::max()};
  GrownTree tree;
  MachineArrays machines;
  {
    nb::gil_scoped_release unlocked;
    MachineFinder finder(rows, {max_passes, patience, seed});
    TreeGrower grower(std::move(tested), labels.data(), weights.data(), n_rows, n_classes, prefer, rules);
    tree = grower.grow_until(finder);
    machines = finder.found();
  }
  nb::dict out;
  out["column"] = to_numpy(std::move(tree.column));
  out["threshold"] = to_numpy(std::move(tree.threshold));
  out["first_child"] = to_numpy(std::move(tree.first_child));
  out["value"] = to_numpy(std::move(tree.value));
  out["first_count"] = to_numpy(std::move(tree.first_count));
  out["count_label"] = to_numpy(std::move(tree.count_label));
  out["count"] = to_numpy(std::move(tree.count));
  out["label"] = to_numpy(std::move(tree.label));
  out["node"] = to_numpy(std::move(machines.node));
  out["first_class"] = to_numpy(std::move(machines.first_class));
  out["class_label"] = to_numpy(std::move(machines.class_label));
  out["first_input"] = to_numpy(std::move(machines.first_input));
  out["input_feature"] = to_numpy(std::move(machines.input_feature));
  out["input_value"] = to_numpy(std::move(machines.input_value));
  out["first_weight"] = to_numpy(std::move(machines.first_weight));
  out["weight"] = to_numpy(std::move(machines.weight));
  out["precision"] = to_numpy(std::move(machines.precision));
  return out;
}

template <class T>
void require_ranges(const Vector<T>& first, std::size_t n, std::size_t end) {
  require(first.shape(0) == n + 1 && first.data()[0] == 0 && first.data()[n] == end, "offsets must reach to the end");
  for (std::size_t i = 0; i < n; ++i) require(first.data()[i] <= first.data()[i + 1], "offsets must ascend");
}

auto ask_machines_py(const Vector<std::uint32_t>& first_class, const Vector<Label>& class_label,
                     const Vector<std::uint32_t>& first_input, const Vector<std::uint32_t>& input_feature,
                     const Vector<std::uint32_t>& input_value, const Vector<std::uint64_t>& first_weight,
                     const Vector<std::int32_t>& weight, const Vector<std::uint32_t>& place,
                     const Vector<std::int32_t>& machine, const Vector<std::uint32_t>& rows, const Arrays& columns,
                     std::size_t n_rows, unsigned n_threads) {
  require(first_class.shape(0) > 0, "offsets must reach to the end");
  const std::size_t n_machines = first_class.shape(0) - 1, n_asked = rows.shape(0);
  require(input_feature.shape(0) == input_value.shape(0), "one value per input");
  require_ranges(first_class, n_machines, class_label.shape(0));
  require_ranges(first_input, n_machines, input_value.shape(0));
  require_ranges(first_weight, n_machines, weight.shape(0));
  std::size_t widest = 2;
  for (std::size_t m = 0; m < n_machines; ++m) {
    const std::size_t n_present = first_class.data()[m + 1] - first_class.data()[m];
    const std::size_t n_inputs = first_input.data()[m + 1] - first_input.data()[m];
    require(n_present >= 2, "a machine tells at least two classes apart");
    require(first_weight.data()[m + 1] - first_weight.data()[m] == (n_present == 2 ? 1 : n_present) * (1 + n_inputs),
            "a machine has a weight per unit and input");
    widest = std::max(widest, n_present);
  }
  const auto asked = as_columns(columns, n_rows);
  for (std::size_t i = 0; i < input_feature.shape(0); ++i)
    require(input_feature.data()[i] < asked.size(), "an input is of a feature that is not there");
  for (std::size_t i = 0; i < class_label.shape(0); ++i)
    require(class_label.data()[i] < place.shape(0), "a label is out of range");
  require(machine.shape(0) == n_asked, "one machine per question");
  for (std::size_t i = 0; i < n_asked; ++i) {
    require(rows.data()[i] < n_rows, "a question is out of range");
    require(machine.data()[i] >= 0 && static_cast<std::size_t>(machine.data()[i]) < n_machines,
            "there is no such machine");
  }
  const Machines machines{first_class.data(), first_input.data(),  class_label.data(), input_feature.data(),
                          input_value.data(), first_weight.data(), weight.data()};
  std::vector<Label> labels(n_asked);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(
        n_asked, kPerceptronBlock, n_threads, [&] { return std::vector<double>(widest); },
        [&](std::vector<double>& sums, std::size_t, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const auto m = static_cast<std::size_t>(machine.data()[i]);
            machine_sums(machines, m, asked, rows.data()[i], sums);
            labels[i] = machine_label(machines, m, sums, place.data());
          }
        });
  }
  return to_numpy(std::move(labels));
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.def("grow_decision_tree", &grow_decision_tree_py, nb::arg("columns"), nb::arg("n_values"), nb::arg("missing"),
        nb::arg("is_wide"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("frequency"), nb::arg("rank"),
        nb::arg("by_ratio"), nb::arg("above_average"), nb::arg("goes_on"), nb::arg("cuts_cost"),
        nb::arg("is_fractional"), nb::arg("min_cases"), nb::arg("max_depth"));
  m.def("prune_decision_tree", &prune_decision_tree_py, nb::arg("column"), nb::arg("threshold"), nb::arg("first_child"),
        nb::arg("value"), nb::arg("label"), nb::arg("first_count"), nb::arg("count_label"), nb::arg("count"),
        nb::arg("columns"), nb::arg("missing"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("frequency"),
        nb::arg("rank"), nb::arg("is_fractional"), nb::arg("confidence"), nb::arg("deviations"), nb::arg("collapses"),
        nb::arg("prunes"), nb::arg("raises"));
  m.def("walk_decision_tree", &walk_decision_tree_py, nb::arg("column"), nb::arg("threshold"), nb::arg("first_child"),
        nb::arg("value"), nb::arg("n_cases"), nb::arg("queries"), nb::arg("missing"), nb::arg("is_fractional"),
        nb::arg("n_queries"), nb::arg("n_threads"));
  m.def("grow_perceptron_tree", &grow_perceptron_tree_py, nb::arg("columns"), nb::arg("n_values"), nb::arg("inputs"),
        nb::arg("labels"), nb::arg("weights"), nb::arg("group"), nb::arg("group_label"), nb::arg("frequency"),
        nb::arg("rank"), nb::arg("max_passes"), nb::arg("patience"), nb::arg("seed"), nb::arg("by_ratio"));
  m.def("ask_machines", &ask_machines_py, nb::arg("first_class"), nb::arg("class_label"), nb::arg("first_input"),
        nb::arg("input_feature"), nb::arg("input_value"), nb::arg("first_weight"), nb::arg("weight"), nb::arg("place"),
        nb::arg("machine"), nb::arg("rows"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("n_threads"));
}
