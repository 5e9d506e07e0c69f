// The order in which cases are stored, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/memory/order.hpp"

using namespace casebase;

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

// For each case, given by its codes and its label, the first row of a sorted segment that has them and was not removed;
// the number of rows if there is none.
auto find_cases(const std::vector<AnyVector>& arrays, const Vector<std::uint32_t>& labels,
                const std::optional<Vector<std::uint8_t>>& removed, const Vector<std::uint32_t>& codes,
                const Vector<std::uint32_t>& asked) {
  const std::size_t n_rows = labels.shape(0), n_cases = asked.shape(0);
  const auto columns = as_columns(arrays, n_rows);
  require(!removed || removed->shape(0) == n_rows, "one mark per row");
  require(codes.shape(0) == n_cases * columns.size(), "one code per case and column");
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < n_cases; ++i) {
    auto [row, end] = equal_rows(columns, n_rows, codes.data() + i * columns.size());
    while (row < end && (labels.data()[row] != asked.data()[i] || (removed && removed->data()[row]))) ++row;
    found.push_back(static_cast<std::uint32_t>(row < end ? row : n_rows));
  }
  return to_numpy(std::move(found));
}

}  // namespace

void bind_memory(nb::module_& m) {
  m.def("lexicographic_order", &lexicographic_order_py, nb::arg("columns"), nb::arg("n_rows"));
  m.def("find_cases", &find_cases, nb::arg("columns"), nb::arg("labels"), nb::arg("removed").none(), nb::arg("codes"),
        nb::arg("asked"));
}
