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
#include "core/nearest.hpp"
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

// What one block of queries found; blocks are joined in order at the end.
struct Found {
  std::vector<double> distance;
  std::vector<std::uint32_t> n_rows;    // per group
  std::vector<std::uint32_t> n_groups;  // per query
  std::vector<Row> rows;
  std::vector<std::uint8_t> is_exact;
};

template <class T>
std::vector<T> joined(std::vector<Found>& parts, std::vector<T> Found::* member) {
  if (parts.size() == 1) return std::move(parts[0].*member);
  std::vector<T> all;
  for (auto& part : parts) all.insert(all.end(), (part.*member).begin(), (part.*member).end());
  return all;
}

// Matrices of per-query metrics have one row (shared by all queries) or one row per query.
template <class T>
const T* metric_row(const Matrix<T>& matrix, std::size_t query) {
  return matrix.data() + (matrix.shape(0) == 1 ? 0 : query) * matrix.shape(1);
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
  const auto queries = as_columns(query_arrays, n_queries);
  require_same_widths(memory.columns, queries);
  const std::size_t n_features = memory.columns.size();
  require(k >= 1, "k must be at least 1");
  for (const auto* m : {&weights, &ranges})
    require((m->shape(0) == 1 || m->shape(0) == n_queries) && m->shape(1) == n_features,
            "weights and ranges must have one number per feature");
  for (std::size_t i = 0; i < weights.size(); ++i)
    require(std::isfinite(weights.data()[i]) && weights.data()[i] >= 0.0, "weights must be finite and not negative");
  for (std::size_t i = 0; i < ranges.size(); ++i) require(std::isfinite(ranges.data()[i]), "ranges must be finite");
  require((sum_order.shape(0) == 1 || sum_order.shape(0) == n_queries) && sum_order.shape(1) == n_features,
          "the order of summation must name every feature");
  for (std::size_t i = 0; i < sum_order.size(); ++i)
    require(sum_order.data()[i] < n_features, "the order of summation names a feature that is not there");
  require((scopes.shape(0) == 1 || scopes.shape(0) == n_queries) && scopes.shape(1) == 4, "bad scopes");
  for (std::size_t i = 0; i < scopes.shape(0); ++i) {
    const auto* s = scopes.data() + 4 * i;
    require(s[0] <= s[1] && s[1] <= n_rows && s[2] <= memory.n_symbolic, "a scope is out of range");
  }

  constexpr std::size_t kQueriesPerBlock = 16;
  std::vector<Found> parts((n_queries + kQueriesPerBlock - 1) / kQueriesPerBlock);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(n_queries, kQueriesPerBlock, n_threads, [&](std::size_t block, std::size_t begin, std::size_t end) {
      NearestSearch search(memory);
      Found& found = parts[block];
      std::vector<Row> identical;
      auto add_group = [&](double distance, const std::vector<Row>& rows) {
        found.distance.push_back(distance);
        found.n_rows.push_back(static_cast<std::uint32_t>(rows.size()));
        found.rows.insert(found.rows.end(), rows.begin(), rows.end());
      };
      for (std::size_t q = begin; q < end; ++q) {
        const Metric metric{metric_row(weights, q), metric_row(ranges, q), metric_row(sum_order, q), missing_agrees};
        const auto* s = metric_row(scopes, q);
        const Scope scope{s[0], s[1], s[2], s[3]};
        identical.clear();
        if (exact_first) search.identical_rows(metric, queries, q, scope, identical);
        found.is_exact.push_back(!identical.empty());
        if (k == 1 && !identical.empty()) {
          add_group(0.0, identical);
          found.n_groups.push_back(1);
          continue;
        }
        const auto& groups = search.run(metric, queries, q, scope, k);
        for (std::size_t g = 0; g < groups.size(); ++g)
          add_group(groups[g].distance, g == 0 && !identical.empty() ? identical : groups[g].rows);
        found.n_groups.push_back(static_cast<std::uint32_t>(groups.size()));
      }
    });
  }
  nb::dict out;
  out["distance"] = to_numpy(joined(parts, &Found::distance));
  out["n_rows"] = to_numpy(joined(parts, &Found::n_rows));
  out["n_groups"] = to_numpy(joined(parts, &Found::n_groups));
  out["rows"] = to_numpy(joined(parts, &Found::rows));
  out["is_exact"] = to_numpy(joined(parts, &Found::is_exact));
  return out;
}

// Votes of groups of cases, summed per class and decided.
nb::dict tally_py(const Vector<std::uint32_t>& n_groups, const Vector<double>& group_weight,
                  const Vector<std::uint32_t>& n_rows, const Vector<Row>& rows, const Vector<Label>& labels,
                  const std::optional<Vector<double>>& counts, const Vector<double>& frequency,
                  const Vector<std::uint32_t>& rank) {
  const std::size_t n_queries = n_groups.shape(0), n_classes = rank.shape(0), n_cases = labels.shape(0);
  const Preference prefer = as_preference(frequency, rank);
  const double* case_counts = optional_data(counts, n_cases);
  require(group_weight.shape(0) == n_rows.shape(0), "one weight per group");
  std::vector<Label> label(n_queries), vote_label;
  std::vector<std::uint8_t> is_tied(n_queries);
  std::vector<std::uint64_t> first_vote{0};
  std::vector<double> votes;
  {
    nb::gil_scoped_release unlocked;
    Ballot ballot(n_classes);
    std::vector<double> group_votes(n_classes, 0.0);
    std::vector<Label> touched;
    std::size_t group = 0, at = 0;
    for (std::size_t q = 0; q < n_queries; ++q) {
      ballot.clear();
      for (std::uint32_t g = 0; g < n_groups.data()[q]; ++g, ++group) {
        require(group < n_rows.shape(0) && at + n_rows.data()[group] <= rows.shape(0), "groups and rows do not fit");
        touched.clear();
        for (std::uint32_t i = 0; i < n_rows.data()[group]; ++i, ++at) {
          const Row row = rows.data()[at];
          require(row < n_cases && labels.data()[row] < n_classes, "a row or label is out of range");
          const Label c = labels.data()[row];
          if (group_votes[c] == 0.0) touched.push_back(c);
          group_votes[c] += case_counts ? case_counts[row] : 1.0;
        }
        for (const Label c : touched) {
          ballot.add(c, group_weight.data()[group] * group_votes[c]);
          group_votes[c] = 0.0;
        }
      }
      require(!ballot.labels().empty(), "a query without neighbours");
      const Choice choice = ballot.choose(prefer);
      label[q] = choice.label;
      is_tied[q] = choice.is_tied;
      for (const Label c : ballot.labels()) {
        vote_label.push_back(c);
        votes.push_back(ballot.votes(c));
      }
      first_vote.push_back(votes.size());
    }
  }
  nb::dict out;
  out["label"] = to_numpy(std::move(label));
  out["is_tied"] = to_numpy(std::move(is_tied));
  out["first_vote"] = to_numpy(std::move(first_vote));
  out["vote_label"] = to_numpy(std::move(vote_label));
  out["votes"] = to_numpy(std::move(votes));
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
