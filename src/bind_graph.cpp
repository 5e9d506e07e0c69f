// Oblivious decision graphs as Python sees them.
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "core/oblivious_graph.hpp"
#include "core/parallel.hpp"

using namespace casebase;

namespace {

using Arrays = std::vector<AnyVector>;
constexpr std::size_t kBlock = 4096;

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

auto choose_levels_py(const Arrays& columns, const Vector<std::uint64_t>& first_count, const Vector<Label>& count_label,
                      const Vector<double>& count, const Vector<double>& frequency, const Vector<std::uint32_t>& rank,
                      bool by_ratio) {
  const Preference prefer = as_preference(frequency, rank);
  const DistinctCases cases = as_distinct(columns, first_count, count_label, count, rank.shape(0));
  std::vector<std::uint32_t> order;
  {
    nb::gil_scoped_release unlocked;
    order = LevelChooser(cases, prefer, by_ratio).choose();
  }
  return to_numpy(std::move(order));
}

nb::dict grow_graph_py(const Arrays& columns, const Vector<std::uint64_t>& first_count,
                       const Vector<Label>& count_label, const Vector<double>& count, const Vector<double>& frequency,
                       const Vector<std::uint32_t>& rank, int merge, double confidence, double z) {
  require(merge >= 0 && merge <= 3, "merge is 0 to 3: none, equal, compatible, top-down");
  require(confidence > 0.0 && confidence < 1.0, "the confidence lies between 0 and 1");
  const Preference prefer = as_preference(frequency, rank);
  const DistinctCases cases = as_distinct(columns, first_count, count_label, count, rank.shape(0));
  GraphArrays graph;
  {
    nb::gil_scoped_release unlocked;
    graph = GraphGrower(cases, prefer, {static_cast<Merge>(merge), {confidence, z, false, false, false}}).grow();
  }
  nb::dict out;
  out["level"] = to_numpy(std::move(graph.level));
  out["first_edge"] = to_numpy(std::move(graph.first_edge));
  out["edge_value"] = to_numpy(std::move(graph.edge_value));
  out["edge_target"] = to_numpy(std::move(graph.edge_target));
  out["first_count"] = to_numpy(std::move(graph.first_count));
  out["count_label"] = to_numpy(std::move(graph.count_label));
  out["count"] = to_numpy(std::move(graph.count));
  out["label"] = to_numpy(std::move(graph.label));
  out["n_tree_nodes"] = graph.n_tree_nodes;
  return out;
}

nb::tuple walk_graph_py(const Vector<std::uint32_t>& level, const Vector<std::uint32_t>& first_edge,
                        const Vector<std::uint32_t>& edge_value, const Vector<std::uint32_t>& edge_target,
                        const Arrays& columns, std::size_t n_rows, unsigned n_threads) {
  const std::size_t n_nodes = level.shape(0), n_edges = edge_value.shape(0);
  require(n_nodes > 0 && first_edge.shape(0) == n_nodes + 1, "one offset per node, and one past the last");
  require(edge_target.shape(0) == n_edges, "one target per branch");
  require(first_edge.data()[0] == 0 && first_edge.data()[n_nodes] == n_edges, "offsets must reach to the end");
  const auto asked = as_columns(columns, n_rows);
  require(count_symbolic(asked) == asked.size(), "a graph asks for codes, not numbers");
  for (std::size_t n = 0; n < n_nodes; ++n) {
    const std::size_t begin = first_edge.data()[n], end = first_edge.data()[n + 1];
    require(begin <= end && end <= n_edges, "offsets must ascend");
    require(begin == end || level.data()[n] < asked.size(), "a node asks for a feature that is not there");
    // Branches lead to nodes behind: then a walk always ends.
    for (std::size_t e = begin; e < end; ++e)
      require(edge_target.data()[e] > n && edge_target.data()[e] < n_nodes, "a branch must lead to a later node");
  }
  std::vector<std::uint32_t> node(n_rows), n_steps(n_rows, 0);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n_rows, kBlock, n_threads, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        node[row] = walk_graph(level.data(), first_edge.data(), edge_value.data(), edge_target.data(), asked, row,
                               n_steps[row]);
    });
  }
  return nb::make_tuple(to_numpy(std::move(node)), to_numpy(std::move(n_steps)));
}

}  // namespace

void bind_graph(nb::module_& m) {
  m.def("choose_levels", &choose_levels_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("frequency"), nb::arg("rank"), nb::arg("by_ratio"));
  m.def("grow_graph", &grow_graph_py, nb::arg("columns"), nb::arg("first_count"), nb::arg("count_label"),
        nb::arg("count"), nb::arg("frequency"), nb::arg("rank"), nb::arg("merge"), nb::arg("confidence"), nb::arg("z"));
  m.def("walk_graph", &walk_graph_py, nb::arg("level"), nb::arg("first_edge"), nb::arg("edge_value"),
        nb::arg("edge_target"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("n_threads"));
}
