// The order in which cases are stored, for Python.
#include <nanobind/stl/vector.h>

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

}  // namespace

void bind_memory(nb::module_& m) {
  m.def("lexicographic_order", &lexicographic_order_py, nb::arg("columns"), nb::arg("n_rows"));
}
