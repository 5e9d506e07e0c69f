// Counts of values and classes, and RELIEF, for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "core/functions.hpp"
#include "core/measures/as_met.hpp"
#include "core/measures/contingency.hpp"
#include "core/measures/relief.hpp"
#include "core/parallel.hpp"

using namespace casebase;

namespace {

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

// The rows with a missing value, the expected differences per class that has any, and the place of each class in them.
using Missing = std::tuple<Vector<Row>, Matrix<double>, Vector<std::uint32_t>>;

void take_missing(const std::vector<std::optional<Missing>>& given, std::size_t n_classes, ReliefCases& cases) {
  const std::size_t n = cases.n_rows;
  for (const auto& one : given) {
    cases.missing.emplace_back();
    cases.is_missing.emplace_back();
    if (!one) continue;
    const auto& [rows, expected, place] = *one;
    require(expected.shape(1) == n && place.shape(0) == n_classes, "expected differences are per class and row");
    cases.missing.back() = {rows.data(), rows.shape(0), expected.data(), place.data()};
    cases.is_missing.back().assign(n, 0);
    for (std::size_t m = 0; m < rows.shape(0); ++m) {
      require(rows.data()[m] < n, "a missing value has a row");
      require(place.data()[cases.labels[rows.data()[m]]] < expected.shape(0), "a class has no expected differences");
      cases.is_missing.back()[rows.data()[m]] = 1;
    }
  }
}

auto relief_sums_py(const std::vector<AnyVector>& arrays, const std::vector<std::optional<Missing>>& missing,
                    const Vector<Label>& labels, const Vector<double>& weights, const Vector<double>& share,
                    const Vector<Row>& asked, const Vector<double>& times, double n_neighbours, unsigned n_threads) {
  constexpr std::size_t kAsked = 16;  // cases of one block
  ReliefCases cases;
  const std::size_t n = labels.shape(0), n_features = arrays.size(), n_asked = asked.shape(0);
  cases.n_rows = n;
  cases.columns = as_columns(arrays, n);
  cases.labels = labels.data();
  cases.weights = weights.data();
  cases.share.assign(share.data(), share.data() + share.shape(0));
  cases.n_neighbours = n_neighbours;
  require(n > 0 && weights.shape(0) == n && missing.size() == n_features && times.shape(0) == n_asked,
          "one label and weight per case, one entry on missing values per feature, one number per case asked");
  require(n_neighbours > 0, "at least one neighbour is needed");
  for (std::size_t i = 0; i < n; ++i)
    require(labels.data()[i] < cases.share.size() && (i == 0 || labels.data()[i - 1] <= labels.data()[i]),
            "cases must be sorted by class");
  for (std::size_t c = 0; c <= cases.share.size(); ++c)
    cases.class_begin.push_back(static_cast<std::size_t>(
        std::lower_bound(labels.data(), labels.data() + n, static_cast<Label>(c)) - labels.data()));
  take_missing(missing, cases.share.size(), cases);
  for (std::size_t q = 0; q < n_asked; ++q) require(asked.data()[q] < n, "a case that is asked is one of the cases");
  const std::size_t n_blocks = (n_asked + kAsked - 1) / kAsked;
  std::vector<double> of_block(n_blocks * n_features), sums(n_features);
  {
    nb::gil_scoped_release unlocked;
    for_blocks(
        n_asked, kAsked, n_threads, [&] { return ReliefScan(cases); },
        [&](ReliefScan& scan, std::size_t block, std::size_t begin, std::size_t end) {
          for (std::size_t q = begin; q < end; ++q)
            scan.add(asked.data()[q], times.data()[q], of_block.data() + block * n_features);
        });
    for (std::size_t b = 0; b < n_blocks; ++b)
      for (std::size_t f = 0; f < n_features; ++f) sums[f] += of_block[b * n_features + f];
  }
  return to_numpy(std::move(sums));
}

template <double (*function)(double)>
auto each_py(const Vector<double>& numbers) {
  std::vector<double> results(numbers.shape(0));
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = function(numbers.data()[i]);
  }
  return to_numpy(std::move(results));
}

auto power_py(const Vector<double>& numbers, double exponent) {
  std::vector<double> results(numbers.shape(0));
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = portable_pow(numbers.data()[i], exponent);
  }
  return to_numpy(std::move(results));
}

// p·log2(p) of each share, 0 below the machine epsilon.
auto entropy_terms(const Vector<double>& shares) {
  std::vector<double> terms(shares.shape(0));
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = entropy_term(shares.data()[i]);
  return to_numpy(std::move(terms));
}

auto entropies_as_met_py(const Vector<std::int64_t>& cells, const Vector<double>& counts,
                         const Vector<std::int64_t>& changed, const Vector<double>& differences,
                         const Vector<std::int64_t>& values, const Vector<std::uint32_t>& class_rank) {
  require(cells.shape(0) == counts.shape(0) && changed.shape(0) == differences.shape(0), "one count per cell");
  require(class_rank.shape(0) > 0, "there are no classes");
  return to_numpy(entropies_as_met({cells.data(), counts.data(), cells.shape(0)},
                                   {changed.data(), differences.data(), changed.shape(0)}, values.data(),
                                   values.shape(0), class_rank.data(), class_rank.shape(0)));
}

}  // namespace

void bind_measures(nb::module_& m) {
  m.def("log", &each_py<portable_log>, nb::arg("numbers"));
  m.def("log2", &each_py<portable_log2>, nb::arg("numbers"));
  m.def("log1p", &each_py<portable_log1p>, nb::arg("numbers"));
  m.def("exp", &each_py<portable_exp>, nb::arg("numbers"));
  m.def("power", &power_py, nb::arg("numbers"), nb::arg("exponent"));
  m.def("contingency", &contingency_py, nb::arg("codes"), nb::arg("labels"), nb::arg("counts").none(),
        nb::arg("n_values"), nb::arg("n_classes"));
  m.def("entropy_terms", &entropy_terms, nb::arg("shares"));
  m.def("entropies_as_met", &entropies_as_met_py, nb::arg("cells"), nb::arg("counts"), nb::arg("changed"),
        nb::arg("differences"), nb::arg("values"), nb::arg("class_rank"));
  m.def("relief_sums", &relief_sums_py, nb::arg("columns"), nb::arg("missing"), nb::arg("labels"), nb::arg("weights"),
        nb::arg("share"), nb::arg("asked"), nb::arg("times"), nb::arg("n_neighbours"), nb::arg("n_threads"));
}
