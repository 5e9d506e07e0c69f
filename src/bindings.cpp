// The compiled core as Python sees it: shapes are checked, the lock is released, a kernel is called.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/contingency.hpp"
#include "core/igtree.hpp"
#include "core/neighbours.hpp"
#include "core/order.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

namespace nb = nanobind;
using namespace casebase;

void bind_text(nb::module_&);

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Hands a vector over to numpy without a copy.
template <class T>
auto to_numpy(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t n = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {n}, owner);
}

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

Column as_column(const AnyVector& array) {
  const auto dtype = array.dtype();
  if (dtype == nb::dtype<std::uint8_t>()) return {array.data(), Column::Width::u8};
  if (dtype == nb::dtype<std::uint16_t>()) return {array.data(), Column::Width::u16};
  if (dtype == nb::dtype<std::uint32_t>()) return {array.data(), Column::Width::u32};
  if (dtype == nb::dtype<double>()) return {array.data(), Column::Width::f64};
  throw std::invalid_argument("a column must be an array of uint8, uint16, uint32 or float64");
}

std::vector<Column> as_columns(const std::vector<AnyVector>& arrays, std::size_t n_rows) {
  require(n_rows < 0xFFFF0000u, "there are more rows than 32 bits can count");
  std::vector<Column> columns;
  for (const auto& array : arrays) {
    require(array.shape(0) == n_rows, "all columns must have as many rows as there are cases");
    columns.push_back(as_column(array));
  }
  return columns;
}

// Symbolic columns first: their number. Query columns must have the same types.
std::size_t count_symbolic(const std::vector<Column>& columns) {
  std::size_t n = 0;
  while (n < columns.size() && !columns[n].is_numeric()) ++n;
  for (std::size_t f = n; f < columns.size(); ++f)
    require(columns[f].is_numeric(), "symbolic columns must come before numeric ones");
  return n;
}

void require_same_widths(const std::vector<Column>& a, const std::vector<Column>& b) {
  require(a.size() == b.size(), "queries must have one column per column of the memory");
  for (std::size_t f = 0; f < a.size(); ++f)
    require(a[f].width == b[f].width, "query columns must have the types of the memory's columns");
}

const double* optional_data(const std::optional<Vector<double>>& array, std::size_t n) {
  if (!array) return nullptr;
  require(array->shape(0) == n, "case counts must have one number per case");
  return array->data();
}

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

Preference as_preference(const Vector<double>& frequency, const Vector<std::uint32_t>& rank) {
  require(frequency.shape(0) == rank.shape(0), "class frequencies and ranks must have one number per class");
  return {frequency.data(), rank.data()};
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
  nb::dict out;
  out["first_child"] = to_numpy(std::move(tree.first_child));
  out["value"] = to_numpy(std::move(tree.value));
  out["label"] = to_numpy(std::move(tree.label));
  out["first_count"] = to_numpy(std::move(tree.first_count));
  out["count_label"] = to_numpy(std::move(tree.count_label));
  out["count"] = to_numpy(std::move(tree.count));
  out["begin"] = to_numpy(std::move(tree.begin));
  out["end"] = to_numpy(std::move(tree.end));
  return out;
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

template <class T>
Rows<T> as_rows(const Matrix<T>& matrix, std::size_t n_queries, std::size_t n_columns, const char* message) {
  require((matrix.shape(0) == 1 || matrix.shape(0) == n_queries) && matrix.shape(1) == n_columns, message);
  return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

nb::dict nearest_py(const std::vector<AnyVector>& arrays, std::size_t n_rows,
                    const std::vector<AnyVector>& query_arrays, std::size_t n_queries, const Matrix<double>& weights,
                    const Matrix<double>& ranges, const Matrix<std::uint32_t>& sum_order,
                    const Matrix<std::uint32_t>& scopes, std::size_t k, bool exact_first, bool missing_agrees,
                    unsigned n_threads) {
  Memory memory;
  memory.columns = as_columns(arrays, n_rows);
  memory.n_symbolic = count_symbolic(memory.columns);
  memory.n_rows = n_rows;
  const std::size_t n_features = memory.columns.size();
  const char* per_feature = "weights and ranges must have one number per feature";
  const Questions asked{
      as_columns(query_arrays, n_queries),
      n_queries,
      as_rows(weights, n_queries, n_features, per_feature),
      as_rows(ranges, n_queries, n_features, per_feature),
      as_rows(sum_order, n_queries, n_features, "the order of summation must name every feature"),
      as_rows(scopes, n_queries, 4, "a scope is four numbers"),
      missing_agrees,
  };
  require_same_widths(memory.columns, asked.columns);
  require(k >= 1, "k must be at least 1");
  for (std::size_t i = 0; i < weights.size(); ++i)
    require(std::isfinite(weights.data()[i]) && weights.data()[i] >= 0.0, "weights must be finite and not negative");
  for (std::size_t i = 0; i < ranges.size(); ++i) require(std::isfinite(ranges.data()[i]), "ranges must be finite");
  for (std::size_t i = 0; i < sum_order.size(); ++i)
    require(sum_order.data()[i] < n_features, "the order of summation names a feature that is not there");
  for (std::size_t i = 0; i < scopes.shape(0); ++i) {
    const auto* s = scopes.data() + 4 * i;
    require(s[0] <= s[1] && s[1] <= n_rows && s[2] <= memory.n_symbolic, "a scope is out of range");
  }
  Neighbours found;
  {
    nb::gil_scoped_release unlocked;
    found = find_neighbours(memory, asked, k, exact_first, n_threads);
  }
  nb::dict out;
  out["distance"] = to_numpy(std::move(found.distance));
  out["n_rows"] = to_numpy(std::move(found.n_rows));
  out["n_groups"] = to_numpy(std::move(found.n_groups));
  out["rows"] = to_numpy(std::move(found.rows));
  out["is_exact"] = to_numpy(std::move(found.is_exact));
  return out;
}

nb::dict tally_py(const Vector<std::uint32_t>& n_groups, const Vector<double>& group_weight,
                  const Vector<std::uint32_t>& n_rows, const Vector<Row>& rows, const Vector<Label>& labels,
                  const std::optional<Vector<double>>& counts, const Vector<double>& frequency,
                  const Vector<std::uint32_t>& rank) {
  const std::size_t n_classes = rank.shape(0), n_cases = labels.shape(0), n_all_groups = n_rows.shape(0);
  require(group_weight.shape(0) == n_all_groups, "one weight per group");
  const double* case_counts = optional_data(counts, n_cases);
  const Preference prefer = as_preference(frequency, rank);
  Tally tally;
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < n_cases; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    for (std::size_t i = 0; i < rows.shape(0); ++i) require(rows.data()[i] < n_cases, "a row is out of range");
    Teller teller(labels.data(), case_counts, n_classes, prefer);
    std::size_t group = 0, at = 0;
    for (std::size_t q = 0; q < n_groups.shape(0); ++q) {
      for (std::uint32_t g = 0; g < n_groups.data()[q]; ++g, ++group) {
        require(group < n_all_groups && n_rows.data()[group] <= rows.shape(0) - at, "groups and rows do not fit");
        teller.add_group(rows.data() + at, n_rows.data()[group], group_weight.data()[group]);
        at += n_rows.data()[group];
      }
      require(teller.has_votes(), "a query without neighbours");
      teller.decide(tally);
    }
  }
  nb::dict out;
  out["label"] = to_numpy(std::move(tally.label));
  out["is_tied"] = to_numpy(std::move(tally.is_tied));
  out["first_vote"] = to_numpy(std::move(tally.first_vote));
  out["vote_label"] = to_numpy(std::move(tally.vote_label));
  out["votes"] = to_numpy(std::move(tally.votes));
  return out;
}

}  // namespace

NB_MODULE(_native, m) {
  m.def("lexicographic_order", &lexicographic_order_py, nb::arg("columns"), nb::arg("n_rows"));
  m.def("contingency", &contingency_py, nb::arg("codes"), nb::arg("labels"), nb::arg("counts").none(),
        nb::arg("n_values"), nb::arg("n_classes"));
  m.def("grow_tree", &grow_tree_py, nb::arg("columns"), nb::arg("labels"), nb::arg("counts").none(),
        nb::arg("frequency"), nb::arg("rank"), nb::arg("stop_when_pure"), nb::arg("prune"));
  m.def("walk_tree", &walk_tree_py, nb::arg("first_child"), nb::arg("value"), nb::arg("queries"), nb::arg("n_queries"),
        nb::arg("n_threads"));
  m.def("nearest", &nearest_py, nb::arg("columns"), nb::arg("n_rows"), nb::arg("queries"), nb::arg("n_queries"),
        nb::arg("weights"), nb::arg("ranges"), nb::arg("sum_order"), nb::arg("scopes"), nb::arg("k"),
        nb::arg("exact_first"), nb::arg("missing_agrees"), nb::arg("n_threads"));
  m.def("tally", &tally_py, nb::arg("n_groups"), nb::arg("group_weight"), nb::arg("n_rows"), nb::arg("rows"),
        nb::arg("labels"), nb::arg("counts").none(), nb::arg("frequency"), nb::arg("rank"));
  bind_text(m);
}
