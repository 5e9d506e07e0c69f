// The compiled core as Python sees it: shapes are checked, the lock is released, a kernel is called.
#include "bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "core/contingency.hpp"
#include "core/correct.hpp"
#include "core/igtree.hpp"
#include "core/order.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

using namespace casebase;

void bind_abstract(nb::module_&);
void bind_committee(nb::module_&);
void bind_cover(nb::module_&);
void bind_graph(nb::module_&);
void bind_neighbours(nb::module_&);
void bind_perceptron(nb::module_&);
void bind_relief(nb::module_&);
void bind_smile(nb::module_&);
void bind_tagging(nb::module_&);
void bind_text(nb::module_&);
void bind_trees(nb::module_&);
void bind_words(nb::module_&);

namespace {

auto lexicographic_order_py(const std::vector<AnyVector>& arrays, std::size_t n_rows) {
  const auto columns = as_columns(arrays, n_rows);
  std::vector<Row> rows;
  {
    nb::gil_scoped_release unlocked;
    rows = lexicographic_order(columns, n_rows);
  }
  return to_numpy(std::move(rows));
}

auto contingency_py(const AnyVector& codes, const Vector<Label>& labels, const std::optional<Vector<double>>& counts,
                    std::size_t n_values, std::size_t n_classes) {
  const Column column = as_column(codes);
  const std::size_t n = labels.shape(0);
  require(codes.shape(0) == n && !column.is_numeric(), "codes must be integers, one per label");
  const double* case_counts = optional_data(counts, n);
  Contingency table;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i)
      require(column.code(i) < n_values && labels.data()[i] < n_classes, "a code or label is out of range");
    table = contingency(column, labels.data(), case_counts, n, n_values, n_classes);
  }
  return nb::make_tuple(to_numpy(std::move(table.start)), to_numpy(std::move(table.labels)),
                        to_numpy(std::move(table.counts)));
}

nb::dict tree_arrays(Tree&& tree) {
  nb::dict out;
  out["first_child"] = to_numpy(std::move(tree.first_child));
  out["value"] = to_numpy(std::move(tree.value));
  out["label"] = to_numpy(std::move(tree.label));
  out["first_count"] = to_numpy(std::move(tree.first_count));
  out["count_label"] = to_numpy(std::move(tree.count_label));
  out["count"] = to_numpy(std::move(tree.count));
  return out;
}

nb::dict grow_tree_py(const std::vector<AnyVector>& arrays, const Vector<Label>& labels,
                      const std::optional<Vector<double>>& counts, const Vector<double>& frequency,
                      const Vector<std::uint32_t>& rank, bool stop_when_pure, bool prune) {
  const std::size_t n = labels.shape(0), n_classes = rank.shape(0);
  require(n > 0, "a tree needs at least one case");
  const auto columns = as_columns(arrays, n);
  require(count_symbolic(columns) == columns.size(), "a tree is grown on codes, not on numbers");
  const double* case_counts = optional_data(counts, n);
  const Preference prefer = as_preference(frequency, rank);
  Tree tree;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    tree =
        grow_tree(columns, labels.data(), case_counts, n, n_classes, prefer, {columns.size(), stop_when_pure, prune});
  }
  nb::dict out = tree_arrays(std::move(tree));
  out["begin"] = to_numpy(std::move(tree.begin));
  out["end"] = to_numpy(std::move(tree.end));
  return out;
}

using CorrectedSegment = std::tuple<std::vector<AnyVector>, Vector<Label>, std::optional<Vector<double>>,
                                    std::optional<Vector<std::uint8_t>>>;

// Sorted cases as they are after a change, with their classes.
void take_segments(const std::vector<CorrectedSegment>& arrays, std::size_t n_levels, std::size_t n_classes,
                   Memory& memory, Labelled& labelled) {
  for (const auto& [columns, labels, counts, removed] : arrays) {
    const std::size_t n = labels.shape(0);
    Segment segment{as_columns(columns, n), n, 0, nullptr, nullptr};
    require(segment.columns.size() >= n_levels, "a segment must have one column per level");
    segment.columns.resize(n_levels);
    require(count_symbolic(segment.columns) == n_levels, "a tree is grown on codes, not on numbers");
    if (removed) {
      require(removed->shape(0) == n, "one mark per row says what is removed");
      segment.removed = removed->data();
    }
    for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    labelled.segments.push_back({0, labels.data(), optional_data(counts, n)});
    memory.segments.push_back(std::move(segment));
  }
}

nb::dict correct_tree_py(const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                         const Vector<Label>& label, const Vector<std::uint64_t>& first_count,
                         const Vector<Label>& count_label, const Vector<double>& count,
                         const std::vector<CorrectedSegment>& segments, const std::vector<AnyVector>& changed,
                         const Vector<Label>& changed_labels, const Vector<double>& differences,
                         const Vector<double>& frequency, const Vector<std::uint32_t>& rank, bool compress) {
  const std::size_t n_nodes = value.shape(0), n_classes = rank.shape(0), n_changes = changed_labels.shape(0);
  require(n_nodes > 0 && first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes &&
              label.shape(0) == n_nodes && first_count.shape(0) == n_nodes + 1 &&
              count_label.shape(0) == count.shape(0) && first_count.data()[n_nodes] == count.shape(0),
          "not the arrays of a tree");
  for (std::size_t node = 0; node < n_nodes; ++node)
    require(node < first_child.data()[node] && first_child.data()[node] <= first_child.data()[node + 1] &&
                first_count.data()[node] <= first_count.data()[node + 1],
            "not the arrays of a tree");
  for (std::size_t i = 0; i < count_label.shape(0); ++i)
    require(count_label.data()[i] < n_classes, "a label is out of range");
  require(differences.shape(0) == n_changes, "one difference per changed case");
  for (std::size_t i = 0; i < n_changes; ++i) require(changed_labels.data()[i] < n_classes, "a label is out of range");
  const ChangedCases changes{as_columns(changed, n_changes), changed_labels.data(), differences.data(), n_changes};
  require(count_symbolic(changes.columns) == changes.columns.size(), "a tree is grown on codes, not on numbers");
  Memory memory;
  Labelled labelled;
  take_segments(segments, changes.columns.size(), n_classes, memory, labelled);
  const TreeView old{first_child.data(), value.data(),       label.data(),
                     first_count.data(), count_label.data(), count.data()};
  const Preference prefer = as_preference(frequency, rank);
  Tree tree;
  {
    nb::gil_scoped_release unlocked;
    tree = TreeCorrection(old, memory, labelled, changes, n_classes, prefer, compress).run();
  }
  return tree_arrays(std::move(tree));
}

auto walk_tree_py(const Vector<std::uint32_t>& first_child, const Vector<std::uint32_t>& value,
                  const std::vector<AnyVector>& arrays, std::size_t n_queries, unsigned n_threads) {
  const std::size_t n_nodes = value.shape(0);
  require(n_nodes > 0 && first_child.shape(0) == n_nodes + 1 && first_child.data()[n_nodes] == n_nodes,
          "not the arrays of a tree");
  for (std::size_t node = 0; node < n_nodes; ++node)  // children stand behind their parents: no walk leaves or loops
    require(node < first_child.data()[node] && first_child.data()[node] <= first_child.data()[node + 1],
            "not the arrays of a tree");
  const auto queries = as_columns(arrays, n_queries);
  require(count_symbolic(queries) == queries.size(), "a tree is walked with codes, not with numbers");
  std::vector<std::uint32_t> node(n_queries), depth(n_queries);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n_queries, 4096, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        const Walk at = walk_tree(first_child.data(), value.data(), queries, q);
        node[q] = at.node;
        depth[q] = at.depth;
      }
    });
  }
  return nb::make_tuple(to_numpy(std::move(node)), to_numpy(std::move(depth)));
}

}  // namespace

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // models that live until Python ends are no mistake
  m.def("lexicographic_order", &lexicographic_order_py, nb::arg("columns"), nb::arg("n_rows"));
  m.def("contingency", &contingency_py, nb::arg("codes"), nb::arg("labels"), nb::arg("counts").none(),
        nb::arg("n_values"), nb::arg("n_classes"));
  m.def("grow_tree", &grow_tree_py, nb::arg("columns"), nb::arg("labels"), nb::arg("counts").none(),
        nb::arg("frequency"), nb::arg("rank"), nb::arg("stop_when_pure"), nb::arg("prune"));
  m.def("correct_tree", &correct_tree_py, nb::arg("first_child"), nb::arg("value"), nb::arg("label"),
        nb::arg("first_count"), nb::arg("count_label"), nb::arg("count"), nb::arg("segments"), nb::arg("changed"),
        nb::arg("changed_labels"), nb::arg("differences"), nb::arg("frequency"), nb::arg("rank"), nb::arg("compress"));
  m.def("walk_tree", &walk_tree_py, nb::arg("first_child"), nb::arg("value"), nb::arg("queries"), nb::arg("n_queries"),
        nb::arg("n_threads"));
  bind_abstract(m);
  bind_committee(m);
  bind_cover(m);
  bind_graph(m);
  bind_neighbours(m);
  bind_perceptron(m);
  bind_relief(m);
  bind_smile(m);
  bind_tagging(m);
  bind_text(m);
  bind_trees(m);
  bind_words(m);
}
