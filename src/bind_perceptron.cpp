// Perceptron trees as Python sees them.
#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings.hpp"
#include "core/grow.hpp"
#include "core/parallel.hpp"
#include "core/perceptron_tree.hpp"

using namespace casebase;

namespace {

using Arrays = std::vector<AnyVector>;
constexpr std::size_t kBlock = 1024;

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
        n_asked, kBlock, n_threads, [&] { return std::vector<double>(widest); },
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

void bind_perceptron(nb::module_& m) {
  m.def("grow_perceptron_tree", &grow_perceptron_tree_py, nb::arg("columns"), nb::arg("n_values"), nb::arg("inputs"),
        nb::arg("labels"), nb::arg("weights"), nb::arg("group"), nb::arg("group_label"), nb::arg("frequency"),
        nb::arg("rank"), nb::arg("max_passes"), nb::arg("patience"), nb::arg("seed"), nb::arg("by_ratio"));
  m.def("ask_machines", &ask_machines_py, nb::arg("first_class"), nb::arg("class_label"), nb::arg("first_input"),
        nb::arg("input_feature"), nb::arg("input_value"), nb::arg("first_weight"), nb::arg("weight"), nb::arg("place"),
        nb::arg("machine"), nb::arg("rows"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("n_threads"));
}
