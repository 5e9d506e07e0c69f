// Perceptron trees: which nodes are leaves with a linear machine.
//
// A node with linearly separable cases is a leaf with a linear machine; a node with cases of one class is a leaf with
// that class; any other node is split by the most informative test. Rows with equal values are one case here, with
// their most frequent class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/trees/linear_machine.hpp"
#include "core/types.hpp"

namespace casebase {

inline constexpr std::uint32_t kNumber = 0xFFFFFFFFu;  // in place of a value: the input is a number
inline constexpr std::size_t kMostWeights = std::size_t{1} << 22;

struct MachineArrays {
  std::vector<std::uint32_t> node;  // the leaf of each machine, ascending
  std::vector<std::uint32_t> first_class{0}, first_input{0};
  std::vector<Label> class_label;
  std::vector<std::uint32_t> input_feature, input_value;
  std::vector<std::uint64_t> first_weight{0};
  std::vector<std::int32_t> weight;
  std::vector<std::uint8_t> precision;
};

// Rows with equal values are adjacent. Columns are codes, or scaled numbers.
struct RowsToSeparate {
  std::vector<Column> columns;
  const std::uint32_t* group;  // per row: its group of equal rows
  const Label* group_label;    // per group: its most frequent class
  std::size_t n_classes;
};

class MachineFinder {
 public:
  MachineFinder(const RowsToSeparate& cases, const Training& training)
      : cases_(cases), training_(training), unit_of_(cases.n_classes, 0) {}

  // Whether a node is a leaf: of one class, or linearly separable. The machine is stored.
  bool operator()(std::size_t node, const Row* rows, std::size_t n) {
    rows_.clear();
    present_.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || cases_.group[rows[i]] != cases_.group[rows[i - 1]]) {
        rows_.push_back(rows[i]);
        present_.push_back(label(rows[i]));
      }
    std::sort(present_.begin(), present_.end());
    present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
    return present_.size() == 1 || add_machine(node);
  }

  MachineArrays found() { return std::move(found_); }

 private:
  Label label(Row row) const { return cases_.group_label[cases_.group[row]]; }

  bool varies(const Column& column) const {
    if (column.is_numeric())
      return std::any_of(rows_.begin(), rows_.end(),
                         [&](Row r) { return column.number(r) != column.number(rows_[0]); });
    return std::any_of(rows_.begin(), rows_.end(), [&](Row r) { return column.code(r) != column.code(rows_[0]); });
  }

  // Trains a linear machine on the rows of a node, and stores it if it classifies all of them correctly.
  bool add_machine(std::size_t node) {
    for (std::size_t u = 0; u < present_.size(); ++u) unit_of_[present_[u]] = static_cast<std::uint32_t>(u);

    LinearCases seen;
    seen.n_cases = rows_.size();
    seen.n_present = present_.size();
    std::vector<std::uint32_t> symbolic, numeric, values;
    std::vector<std::vector<std::uint32_t>> inputs;  // per symbolic feature, the input of each row
    seen.first_input.push_back(0);
    for (std::size_t f = 0; f < cases_.columns.size(); ++f) {
      if (!varies(cases_.columns[f])) continue;
      if (cases_.columns[f].is_numeric()) {
        numeric.push_back(static_cast<std::uint32_t>(f));
        continue;
      }
      symbolic.push_back(static_cast<std::uint32_t>(f));
      std::vector<std::uint32_t> codes(seen.n_cases);
      for (std::size_t i = 0; i < seen.n_cases; ++i) codes[i] = cases_.columns[f].code(rows_[i]);
      auto distinct = codes;
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      for (auto& code : codes)
        code = static_cast<std::uint32_t>(
            values.size() + (std::lower_bound(distinct.begin(), distinct.end(), code) - distinct.begin()));
      values.insert(values.end(), distinct.begin(), distinct.end());
      seen.first_input.push_back(static_cast<std::uint32_t>(values.size()));
      inputs.push_back(std::move(codes));
    }
    seen.n_symbolic = symbolic.size();
    seen.n_numeric = numeric.size();
    if ((seen.n_inputs() + 1) * seen.n_units() > kMostWeights) return false;
    seen.active.resize(seen.n_cases * seen.n_symbolic);
    seen.numbers.resize(seen.n_cases * seen.n_numeric);
    seen.unit.resize(seen.n_cases);
    for (std::size_t i = 0; i < seen.n_cases; ++i) {
      const Row row = rows_[i];
      seen.unit[i] = unit_of_[label(row)];
      for (std::size_t f = 0; f < symbolic.size(); ++f) seen.active[i * symbolic.size() + f] = inputs[f][i];
      for (std::size_t f = 0; f < numeric.size(); ++f)
        seen.numbers[i * numeric.size() + f] = cases_.columns[numeric[f]].number(row);
    }
    const LinearMachine machine = separate(seen, training_);
    if (!machine.is_found()) return false;

    found_.node.push_back(static_cast<std::uint32_t>(node));
    found_.class_label.insert(found_.class_label.end(), present_.begin(), present_.end());
    found_.first_class.push_back(static_cast<std::uint32_t>(found_.class_label.size()));
    for (std::size_t f = 0; f < symbolic.size(); ++f)
      found_.input_feature.insert(found_.input_feature.end(), seen.first_input[f + 1] - seen.first_input[f],
                                  symbolic[f]);
    found_.input_feature.insert(found_.input_feature.end(), numeric.begin(), numeric.end());
    found_.input_value.insert(found_.input_value.end(), values.begin(), values.end());
    found_.input_value.insert(found_.input_value.end(), numeric.size(), kNumber);
    found_.first_input.push_back(static_cast<std::uint32_t>(found_.input_value.size()));
    found_.weight.insert(found_.weight.end(), machine.weights.begin(), machine.weights.end());
    found_.first_weight.push_back(found_.weight.size());
    found_.precision.push_back(machine.precision);
    return true;
  }

  RowsToSeparate cases_;
  Training training_;
  std::vector<std::uint32_t> unit_of_;
  std::vector<Row> rows_;       // of the node, one per group
  std::vector<Label> present_;  // the classes of those
  MachineArrays found_;
};

// Stored linear machines in flat arrays; the inputs of a feature are adjacent, by ascending value.
struct Machines {
  const std::uint32_t *first_class, *first_input;
  const Label* class_label;
  const std::uint32_t *input_feature, *input_value;
  const std::uint64_t* first_weight;
  const std::int32_t* weight;
};

// The sums of a machine's units for one case. A value without an input adds nothing; numbers come from columns of
// doubles. `sums` has room for every class of the machine.
inline void machine_sums(const Machines& machines, std::size_t m, const std::vector<Column>& columns, std::size_t row,
                         std::vector<double>& sums) {
  const std::size_t begin = machines.first_input[m], end = machines.first_input[m + 1];
  const std::size_t n_present = machines.first_class[m + 1] - machines.first_class[m];
  const std::size_t n_units = n_present == 2 ? 1 : n_present;
  const std::int32_t* weight = machines.weight + machines.first_weight[m];
  for (std::size_t u = 0; u < n_units; ++u, weight += 1 + end - begin) {
    double sum = weight[0];
    for (std::size_t i = begin; i < end;) {
      const std::uint32_t f = machines.input_feature[i];
      if (columns[f].is_numeric()) {
        sum += weight[1 + i - begin] * columns[f].number(row);
        ++i;
        continue;
      }
      const std::uint32_t code = columns[f].code(row);
      double all = 0.0, active = 0.0;
      bool is_input = false;
      for (; i < end && machines.input_feature[i] == f; ++i) {
        const double w = weight[1 + i - begin];
        all += w;
        if (machines.input_value[i] == code) {
          active = w;
          is_input = true;
        }
      }
      if (is_input) sum += 2.0 * active - all;
    }
    sums[u] = sum;
  }
  if (n_present == 2) sums[1] = -sums[0];
}

// The class with the greatest sum; ties go to the smaller place.
inline Label machine_label(const Machines& machines, std::size_t m, const std::vector<double>& sums,
                           const std::uint32_t* place) {
  const Label* labels = machines.class_label + machines.first_class[m];
  const std::size_t n_present = machines.first_class[m + 1] - machines.first_class[m];
  std::size_t best = 0;
  for (std::size_t u = 1; u < n_present; ++u)
    if (sums[u] > sums[best] || (sums[u] == sums[best] && place[labels[u]] < place[labels[best]])) best = u;
  return labels[best];
}

}  // namespace casebase
