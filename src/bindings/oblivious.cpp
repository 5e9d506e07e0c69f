// Abstract cases and oblivious decision graphs, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bindings/arrays.hpp"
#include "core/oblivious/abstract_cases.hpp"
#include "core/oblivious/elimination.hpp"
#include "core/oblivious/eodg.hpp"
#include "core/oblivious/eodg_levels.hpp"
#include "core/oblivious/graph.hpp"
#include "core/oblivious/levels.hpp"
#include "core/oblivious/pool.hpp"
#include "core/parallel.hpp"

using namespace casebase;

namespace {

using Arrays = std::vector<AnyVector>;

std::vector<Column> as_codes(const Arrays& arrays, std::size_t n) {
  auto columns = as_columns(arrays, n);
  require(count_symbolic(columns) == columns.size(), "abstract cases have codes, not numbers");
  return columns;
}

void require_offsets(const Vector<std::uint64_t>& first, std::size_t n_entries) {
  const std::size_t n = first.shape(0);
  require(n > 0 && first.data()[0] == 0 && first.data()[n - 1] == n_entries, "offsets must reach from 0 to the end");
  for (std::size_t i = 1; i < n; ++i)
    require(first.data()[i - 1] < first.data()[i], "every group must have at least one entry");
}

void require_labels(const Vector<Label>& labels, std::size_t n_classes) {
  for (std::size_t i = 0; i < labels.shape(0); ++i) require(labels.data()[i] < n_classes, "a label is out of range");
}

AbstractCases as_abstract(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                          const Vector<Label>& count_label, const Vector<double>& count, std::size_t n_classes) {
  require(first_count.shape(0) > 1, "there must be at least one group");
  require(count_label.shape(0) == count.shape(0), "one count per label");
  require_offsets(first_count, count.shape(0));
  require_labels(count_label, n_classes);
  const std::size_t n = first_count.shape(0) - 1;
  return {as_codes(columns, n), n, first_count.data(), count_label.data(), count.data()};
}

void require_same_widths(const std::vector<Column>& a, const std::vector<Column>& b) {
  require(a.size() == b.size(), "questions must have the features of the abstract cases");
  for (std::size_t f = 0; f < a.size(); ++f)
    require(a[f].width == b[f].width, "question columns must have the types of the abstract cases");
}

void require_lists_of(const AbstractCases& cases, const ValueLists* lists) {
  require(lists == nullptr || (lists->n_groups() == cases.n_groups && lists->n_features() == cases.columns.size()),
          "the lists must be those of the stored groups");
}

nb::tuple eliminate_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                       const Vector<Label>& count_label, const Vector<double>& count, const Arrays& asked,
                       bool are_stored, const Vector<std::uint32_t>& at_most, const Vector<std::uint64_t>& first_kind,
                       const Vector<Label>& label, const Vector<double>& left_out, const Vector<double>& amount,
                       std::size_t begin, std::size_t end, const Vector<double>& frequency,
                       const Vector<std::uint32_t>& rank, const Vector<std::uint8_t>& wanted, const ValueLists* lists,
                       unsigned n_threads) {
  const std::size_t n_classes = rank.shape(0);
  const Preference prefer = as_preference(frequency, rank);
  const AbstractCases cases = as_abstract(columns, first_count, count_label, count, n_classes);
  require(first_kind.shape(0) > 1, "there must be at least one group to ask about");
  const std::size_t n = first_kind.shape(0) - 1;
  require(!are_stored || n == cases.n_groups, "stored groups must be those of the memory");
  require(at_most.shape(0) == n && begin <= end && end <= n, "one bound per group, and a range of the groups");
  require(label.shape(0) == left_out.shape(0) && label.shape(0) == amount.shape(0), "two weights per kind");
  require_offsets(first_kind, label.shape(0));
  require_labels(label, n_classes);
  const HeldOut held_out{
      as_codes(asked, n), n, are_stored, at_most.data(), first_kind.data(), label.data(), left_out.data(),
      amount.data()};
  require_same_widths(cases.columns, held_out.columns);
  require(wanted.shape(0) == cases.columns.size(), "one mark per feature says which are to be left out");
  require_lists_of(cases, lists);
  Elimination found;
  {
    nb::gil_scoped_release unlocked;
    found = eliminate(cases, held_out, begin, end, n_classes, prefer, wanted.data(), lists, n_threads);
  }
  return nb::make_tuple(to_numpy(std::move(found.errors)), to_numpy(std::move(found.disagreements)));
}

nb::dict pool_nearest_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                         const Vector<Label>& count_label, const Vector<double>& count, const Arrays& asked,
                         std::size_t n_asked, const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                         bool list_groups, const ValueLists* lists, unsigned n_threads) {
  const std::size_t n_classes = rank.shape(0);
  const Preference prefer = as_preference(frequency, rank);
  const AbstractCases cases = as_abstract(columns, first_count, count_label, count, n_classes);
  const auto questions = as_codes(asked, n_asked);
  require_same_widths(cases.columns, questions);
  require_lists_of(cases, lists);
  Pooled pooled;
  {
    nb::gil_scoped_release unlocked;
    pooled = pool_nearest(cases, questions, n_asked, n_classes, prefer, list_groups, lists, n_threads);
  }
  nb::dict out;
  out["label"] = to_numpy(std::move(pooled.label));
  out["is_tied"] = to_numpy(std::move(pooled.is_tied));
  out["disagreements"] = to_numpy(std::move(pooled.disagreements));
  out["n_groups"] = to_numpy(std::move(pooled.n_groups));
  out["groups"] = to_numpy(std::move(pooled.groups));
  out["n_votes"] = to_numpy(std::move(pooled.n_votes));
  out["vote_label"] = to_numpy(std::move(pooled.vote_label));
  out["votes"] = to_numpy(std::move(pooled.votes));
  return out;
}

constexpr std::size_t kGraphBlock = 4096;

DistinctCases as_distinct(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                          const Vector<Label>& count_label, const Vector<double>& count, std::size_t n_classes) {
  require(first_count.shape(0) > 1, "there must be at least one case");
  const std::size_t n_rows = first_count.shape(0) - 1;
  require(count_label.shape(0) == count.shape(0), "one count per label");
  require(first_count.data()[0] == 0 && first_count.data()[n_rows] == count.shape(0), "counts must be of all cases");
  for (std::size_t i = 0; i < n_rows; ++i)
    require(first_count.data()[i] < first_count.data()[i + 1], "every case must have a class");
  for (std::size_t i = 0; i < count_label.shape(0); ++i) {
    require(count_label.data()[i] < n_classes, "a label is out of range");
    require(count.data()[i] > 0.0, "every count must be positive");
  }
  auto codes = as_columns(columns, n_rows);
  require(count_symbolic(codes) == codes.size(), "a graph asks for codes, not numbers");
  return {std::move(codes), n_rows, first_count.data(), count_label.data(), count.data(), n_classes};
}

// Hears Ctrl-C and calls `report` with the share that is done, ten times a second.
class Watcher {
 public:
  explicit Watcher(const nb::object& report) : report_(report) {}

  void operator()(double share) {
    if (++n_calls_ % 8) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals()) throw nb::python_error();
    if (!report_.is_none()) report_(share);
  }

 private:
  const nb::object& report_;
  std::size_t n_calls_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

auto choose_levels_py(const Arrays& columns, const Vector<std::uint64_t>& first_count, const Vector<Label>& count_label,
                      const Vector<double>& count, const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                      bool by_ratio, const nb::object& report) {
  const Preference prefer = as_preference(frequency, rank);
  const DistinctCases cases = as_distinct(columns, first_count, count_label, count, rank.shape(0));
  std::vector<std::uint32_t> order;
  const Watch watch = Watcher(report);
  {
    nb::gil_scoped_release unlocked;
    order = LevelChooser(cases, prefer, by_ratio, watch).choose();
  }
  return to_numpy(std::move(order));
}

nb::dict as_dict(GraphArrays&& graph) {
  nb::dict out;
  out["level"] = to_numpy(std::move(graph.level));
  out["first_edge"] = to_numpy(std::move(graph.first_edge));
  out["edge_value"] = to_numpy(std::move(graph.edge_value));
  out["edge_target"] = to_numpy(std::move(graph.edge_target));
  out["otherwise"] = to_numpy(std::move(graph.otherwise));
  out["first_count"] = to_numpy(std::move(graph.first_count));
  out["count_label"] = to_numpy(std::move(graph.count_label));
  out["count"] = to_numpy(std::move(graph.count));
  out["label"] = to_numpy(std::move(graph.label));
  out["n_tree_nodes"] = graph.n_tree_nodes;
  return out;
}

LabelledCases as_labelled(const Arrays& columns, const Vector<std::uint32_t>& n_values, const Vector<Label>& labels,
                          const Vector<double>& weights, std::size_t n_classes) {
  const std::size_t n = labels.shape(0);
  require(n > 0 && weights.shape(0) == n, "there must be cases, with a weight each");
  require(n_values.shape(0) == columns.size(), "one number of values per column");
  require_labels(labels, n_classes);
  auto own = as_columns(columns, n);
  std::vector<std::uint32_t> values(n_values.data(), n_values.data() + n_values.shape(0));
  for (std::size_t f = 0; f < own.size(); ++f) {
    require(own[f].is_numeric() == (values[f] == 0), "numbers have no values, and symbols have some");
    if (!own[f].is_numeric())
      for (std::size_t row = 0; row < n; ++row) require(own[f].code(row) < values[f], "a code is out of range");
  }
  return {std::move(own), std::move(values), n, labels.data(), weights.data(), n_classes};
}

nb::tuple choose_eodg_levels_py(const Arrays& columns, const Vector<std::uint32_t>& n_values,
                                const Vector<Label>& labels, const Vector<double>& weights, std::size_t n_classes,
                                double most_in_conflict, const nb::object& report) {
  const LabelledCases cases = as_labelled(columns, n_values, labels, weights, n_classes);
  std::vector<EodgLevel> levels;
  const Watch watch = Watcher(report);
  {
    nb::gil_scoped_release unlocked;
    levels = EodgChooser(cases, most_in_conflict, watch).choose();
  }
  std::vector<std::uint32_t> feature;
  std::vector<double> threshold;
  for (const auto& level : levels) {
    feature.push_back(level.feature);
    threshold.push_back(level.threshold);
  }
  return nb::make_tuple(to_numpy(std::move(feature)), to_numpy(std::move(threshold)));
}

auto right_by_depth_py(const Arrays& levels, const Vector<std::uint32_t>& n_values, const Vector<Label>& labels,
                       const Vector<double>& weights, const Vector<std::uint32_t>& fold, std::size_t n_folds,
                       const Vector<double>& frequency, const Vector<std::uint32_t>& rank, const nb::object& report) {
  const Preference prefer = as_preference(frequency, rank);
  const LabelledCases cases = as_labelled(levels, n_values, labels, weights, rank.shape(0));
  require(fold.shape(0) == cases.n_rows, "one fold per case");
  for (std::size_t i = 0; i < cases.n_rows; ++i) require(fold.data()[i] < n_folds, "a fold is out of range");
  std::vector<double> right;
  const Watch watch = Watcher(report);
  {
    nb::gil_scoped_release unlocked;
    right = right_by_depth(cases.columns, cases, fold.data(), n_folds, prefer, watch);
  }
  return to_numpy(std::move(right));
}

nb::dict grow_eodg_py(const Arrays& columns, const Vector<std::uint64_t>& first_count, const Vector<Label>& count_label,
                      const Vector<double>& count, const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                      double z, std::size_t widest, const nb::object& report) {
  const Preference prefer = as_preference(frequency, rank);
  const DistinctCases cases = as_distinct(columns, first_count, count_label, count, rank.shape(0));
  GraphArrays graph;
  const Watch watch = Watcher(report);
  {
    nb::gil_scoped_release unlocked;
    graph = EodgGrower(cases, prefer, z, widest, watch).grow();
  }
  return as_dict(std::move(graph));
}

nb::dict grow_graph_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                       const Vector<Label>& count_label, const Vector<double>& count, const Vector<double>& frequency,
                       const Vector<std::uint32_t>& rank, int merge, double confidence, double z,
                       const nb::object& report) {
  require(merge >= 0 && merge <= 3, "merge is 0 to 3: none, equal, compatible, top-down");
  require(confidence > 0.0 && confidence < 1.0, "the confidence lies between 0 and 1");
  const Preference prefer = as_preference(frequency, rank);
  const DistinctCases cases = as_distinct(columns, first_count, count_label, count, rank.shape(0));
  GraphArrays graph;
  const Watch watch = Watcher(report);
  {
    nb::gil_scoped_release unlocked;
    const GraphOptions options{static_cast<Merge>(merge), {confidence, z, false, false, false}};
    graph = GraphGrower(cases, prefer, options, watch).grow();
  }
  return as_dict(std::move(graph));
}

nb::tuple walk_graph_py(const Vector<std::uint32_t>& level, const Vector<std::uint32_t>& first_edge,
                        const Vector<std::uint32_t>& edge_value, const Vector<std::uint32_t>& edge_target,
                        const Vector<std::uint32_t>& otherwise, const Arrays& columns, std::size_t n_rows,
                        unsigned n_threads) {
  const std::size_t n_nodes = level.shape(0), n_edges = edge_value.shape(0);
  require(n_nodes > 0 && first_edge.shape(0) == n_nodes + 1, "one offset per node, and one past the last");
  require(edge_target.shape(0) == n_edges, "one target per branch");
  require(otherwise.shape(0) == n_nodes, "one target per node for other values");
  require(first_edge.data()[0] == 0 && first_edge.data()[n_nodes] == n_edges, "offsets must reach to the end");
  const auto asked = as_columns(columns, n_rows);
  require(count_symbolic(asked) == asked.size(), "a graph asks for codes, not numbers");
  for (std::size_t n = 0; n < n_nodes; ++n) {
    const std::size_t begin = first_edge.data()[n], end = first_edge.data()[n + 1];
    require(begin <= end && end <= n_edges, "offsets must ascend");
    require(begin == end || level.data()[n] < asked.size(), "a node asks for a feature that is not there");
    // Branches lead only to later nodes, so a walk always ends.
    require(otherwise.data()[n] >= n && otherwise.data()[n] < n_nodes, "other values must lead to a later node");
    for (std::size_t e = begin; e < end; ++e)
      require(edge_target.data()[e] > n && edge_target.data()[e] < n_nodes, "a branch must lead to a later node");
  }
  std::vector<std::uint32_t> node(n_rows), n_steps(n_rows, 0);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n_rows, kGraphBlock, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        node[row] = walk_graph(level.data(), first_edge.data(), edge_value.data(), edge_target.data(), otherwise.data(),
                               asked, row, n_steps[row]);
    });
  }
  return nb::make_tuple(to_numpy(std::move(node)), to_numpy(std::move(n_steps)));
}

}  // namespace

void bind_oblivious(nb::module_& m) {
  nb::class_<ValueLists>(m, "ValueLists")
      .def(
          "__init__",
          [](ValueLists* self, const Arrays& columns, const Vector<std::uint64_t>& first_count,
             const Vector<Label>& count_label, const Vector<double>& count, std::size_t n_classes,
             bool without_single) {
            const AbstractCases cases = as_abstract(columns, first_count, count_label, count, n_classes);
            require(!cases.columns.empty() && cases.columns.size() <= 64, "lists are for 1 to 64 features");
            nb::gil_scoped_release unlocked;
            new (self) ValueLists(cases, without_single);
          },
          nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"), nb::arg("count"), nb::arg("n_classes"),
          nb::arg("without_single"));
  m.def("eliminate", &eliminate_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("asked"), nb::arg("are_stored"), nb::arg("at_most"), nb::arg("first_kind"),
        nb::arg("label"), nb::arg("left_out"), nb::arg("amount"), nb::arg("begin"), nb::arg("end"),
        nb::arg("frequency"), nb::arg("rank"), nb::arg("wanted"), nb::arg("lists").none(), nb::arg("n_threads"));
  m.def("pool_nearest", &pool_nearest_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("asked"), nb::arg("n_asked"), nb::arg("frequency"), nb::arg("rank"),
        nb::arg("list_groups"), nb::arg("lists").none(), nb::arg("n_threads"));
  m.def("choose_levels", &choose_levels_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("frequency"), nb::arg("rank"), nb::arg("by_ratio"), nb::arg("report").none());
  m.def("grow_graph", &grow_graph_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("frequency"), nb::arg("rank"), nb::arg("merge"), nb::arg("confidence"), nb::arg("z"),
        nb::arg("report").none());
  m.def("choose_eodg_levels", &choose_eodg_levels_py, nb::arg("columns"), nb::arg("n_values"), nb::arg("labels"),
        nb::arg("weights"), nb::arg("n_classes"), nb::arg("most_in_conflict"), nb::arg("report").none());
  m.def("right_by_depth", &right_by_depth_py, nb::arg("levels"), nb::arg("n_values"), nb::arg("labels"),
        nb::arg("weights"), nb::arg("fold"), nb::arg("n_folds"), nb::arg("frequency"), nb::arg("rank"),
        nb::arg("report").none());
  m.def("grow_eodg", &grow_eodg_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("frequency"), nb::arg("rank"), nb::arg("z"), nb::arg("widest"),
        nb::arg("report").none());
  m.def("walk_graph", &walk_graph_py, nb::arg("level"), nb::arg("first_edge"), nb::arg("edge_value"),
        nb::arg("edge_target"), nb::arg("otherwise"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("n_threads"));
}
