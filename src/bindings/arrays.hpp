// Shared by the bindings: conversions between numpy arrays and the views of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "core/types.hpp"
#include "core/votes.hpp"

namespace nb = nanobind;

namespace casebase {

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

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

inline Column as_column(const AnyVector& array) {
  const auto dtype = array.dtype();
  if (dtype == nb::dtype<std::uint8_t>()) return {array.data(), Column::Width::u8};
  if (dtype == nb::dtype<std::uint16_t>()) return {array.data(), Column::Width::u16};
  if (dtype == nb::dtype<std::uint32_t>()) return {array.data(), Column::Width::u32};
  if (dtype == nb::dtype<double>()) return {array.data(), Column::Width::f64};
  throw std::invalid_argument("a column must be an array of uint8, uint16, uint32 or float64");
}

inline std::vector<Column> as_columns(const std::vector<AnyVector>& arrays, std::size_t n_rows) {
  require(n_rows < 0xFFFF0000u, "there are more rows than 32 bits can count");
  std::vector<Column> columns;
  for (const auto& array : arrays) {
    require(array.shape(0) == n_rows, "all columns must have as many rows as there are cases");
    columns.push_back(as_column(array));
  }
  return columns;
}

// The number of symbolic columns, which must come first. Query columns must have the same types.
inline std::size_t count_symbolic(const std::vector<Column>& columns) {
  std::size_t n = 0;
  while (n < columns.size() && !columns[n].is_numeric()) ++n;
  for (std::size_t f = n; f < columns.size(); ++f)
    require(columns[f].is_numeric(), "symbolic columns must come before numeric ones");
  return n;
}

inline const double* optional_data(const std::optional<Vector<double>>& array, std::size_t n) {
  if (!array) return nullptr;
  require(array->shape(0) == n, "case counts must have one number per case");
  return array->data();
}

inline Preference as_preference(const Vector<double>& frequency, const Vector<std::uint32_t>& rank) {
  require(frequency.shape(0) == rank.shape(0), "class frequencies and ranks must have one number per class");
  return {frequency.data(), rank.data()};
}

}  // namespace casebase
