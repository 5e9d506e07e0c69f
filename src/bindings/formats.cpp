// The text kernels for Python: a view of the bytes in, arrays that own their memory out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/listed.hpp"
#include "core/formats/quoted.hpp"
#include "core/formats/split.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The values of a vector, without copying: the array keeps the vector alive.
template <class To, class From>
nb::ndarray<nb::numpy, To, nb::ndim<1>> array_of(std::vector<From>&& values) {
  static_assert(sizeof(To) == sizeof(From));
  auto* kept = new std::vector<From>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<From>*>(p); });
  return {reinterpret_cast<To*>(kept->data()), {kept->size()}, owner};
}

casebase::SplitRule rule_of(const std::string& mode, char separator, std::size_t width) {
  using Kind = casebase::SplitRule::Kind;
  if (mode == "blanks") return {.kind = Kind::blanks};
  if (mode == "separator") return {.kind = Kind::separator, .separator = separator};
  if (mode == "c45") return {.kind = Kind::separator, .separator = separator, .trim = true, .final_dot = true};
  if (mode == "width" && width > 0) return {.kind = Kind::width, .width = width};
  if (mode == "arff") return {.kind = Kind::arff};
  throw nb::value_error("mode is one of blanks, separator, c45, width, arff; a width is at least 1");
}

const char* name_of(casebase::SplitProblem::Kind kind) {
  using Kind = casebase::SplitProblem::Kind;
  switch (kind) {
    case Kind::fields:
      return "fields";
    case Kind::wide:
      return "wide";
    case Kind::nul:
      return "nul";
    case Kind::braces:
      return "braces";
    case Kind::quote:
      return "quote";
    default:
      return "full";
  }
}

const char* name_of(casebase::ListedProblem::Kind kind) {
  using Kind = casebase::ListedProblem::Kind;
  switch (kind) {
    case Kind::nul:
      return "nul";
    case Kind::no_class:
      return "class";
    case Kind::stray:
      return "stray";
    case Kind::field:
      return "field";
    case Kind::number:
      return "number";
    default:
      return "twice";
  }
}

nb::tuple column_of(std::vector<std::uint32_t>&& codes, casebase::DistinctValues&& values) {
  return nb::make_tuple(array_of<std::uint32_t>(std::move(codes)), array_of<std::uint8_t>(std::move(values.bytes)),
                        array_of<std::int32_t>(std::move(values.offsets)));
}

nb::tuple split_text(Bytes text, const std::string& mode, char separator, std::size_t width, std::size_t n_fields,
                     std::size_t n_threads) {
  const casebase::SplitRule rule = rule_of(mode, separator, width);
  const char* begin = reinterpret_cast<const char*>(text.data());
  const char* end = begin + text.size();
  casebase::SplitText split;
  {
    nb::gil_scoped_release unlocked;
    split = casebase::split_text(begin, end, rule, n_fields, std::clamp<std::size_t>(n_threads, 1, 256));
  }
  nb::list columns;
  for (casebase::SplitColumn& column : split.columns)
    columns.append(column_of(std::move(column.codes), std::move(column.values)));
  nb::object problem = nb::none();
  if (split.problem) {
    const auto at = static_cast<std::size_t>(split.problem->at ? split.problem->at - begin : 0);
    const std::size_t detail =
        split.problem->kind == casebase::SplitProblem::Kind::quote ? at : split.problem->n_fields;
    problem = nb::make_tuple(name_of(split.problem->kind), split.problem->line, detail);
  }
  return nb::make_tuple(columns, problem);
}

// What the lines of a Sparse or Binary text list, until `dense` makes columns of it.
class ListedLines {
 public:
  ListedLines(Bytes text, bool has_values, bool has_class, const std::string& absent, std::size_t n_most,
              std::size_t n_threads)
      : text_(text) {
    const char* begin = reinterpret_cast<const char*>(text.data());
    const casebase::ListedRule rule{has_values, has_class, n_most, absent};
    nb::gil_scoped_release unlocked;
    lines_ = casebase::split_listed(begin, begin + text.size(), rule, std::clamp<std::size_t>(n_threads, 1, 256));
  }

  std::size_t n_rows() const { return lines_.n_rows; }
  std::size_t n_listed() const { return lines_.features.size(); }
  std::size_t largest() const { return lines_.largest; }
  bool is_full() const { return lines_.is_full; }

  nb::object problem() const {
    if (!lines_.problem) return nb::none();
    const auto& found = *lines_.problem;
    return nb::make_tuple(name_of(found.kind), found.line, nb::bytes(found.text.data(), found.text.size()));
  }

  nb::object outside() const {
    if (!lines_.outside) return nb::none();
    return nb::make_tuple(lines_.outside->line, lines_.outside->feature);
  }

  nb::list columns() {
    nb::list columns;
    for (casebase::ListedFeature& feature : lines_.features) {
      std::vector<std::uint32_t> codes = casebase::dense_codes(feature, lines_.n_rows);
      columns.append(nb::make_tuple(feature.number, column_of(std::move(codes), std::move(feature.column.values))));
      feature = {};
    }
    lines_.features.clear();
    return columns;
  }

  nb::tuple classes() { return column_of(std::move(lines_.classes.codes), std::move(lines_.classes.values)); }

 private:
  Bytes text_;  // a problem refers to it
  casebase::ListedText lines_;
};

nb::tuple row_end(Bytes text, char separator) {
  const char* begin = reinterpret_cast<const char*>(text.data());
  casebase::RowEnds found;
  {
    nb::gil_scoped_release unlocked;
    found = casebase::row_ends(begin, begin + text.size(), separator);
  }
  return nb::make_tuple(found.last, found.is_open);
}

}  // namespace

void bind_formats(nb::module_& m) {
  m.def("split_text", &split_text, "text"_a, "mode"_a, "separator"_a = '\t', "width"_a = 1, "n_fields"_a = 0,
        "n_threads"_a = 1,
        "Split the lines of a text into columns: a list of (codes, value bytes, value offsets), and None or "
        "the problem that stopped it: (kind, line, number of fields, or the position of the field with a stray quote). "
        "The code of a missing value, in ARFF data, is the largest one.");
  nb::class_<ListedLines>(m, "ListedLines", "What the lines of a Sparse or Binary text list.")
      .def(nb::init<Bytes, bool, bool, const std::string&, std::size_t, std::size_t>(), "text"_a, "has_values"_a,
           "has_class"_a, "absent"_a, "n_most"_a, "n_threads"_a = 1)
      .def_prop_ro("n_rows", &ListedLines::n_rows)
      .def_prop_ro("n_listed", &ListedLines::n_listed, "The number of features that a line lists.")
      .def_prop_ro("largest", &ListedLines::largest, "The largest number of a feature, 0 if none is listed.")
      .def_prop_ro("is_full", &ListedLines::is_full, "Whether the values of a feature pass 2 GB.")
      .def_prop_ro("problem", &ListedLines::problem, "The line that stopped the reading: (kind, line, bytes), or None.")
      .def_prop_ro("outside", &ListedLines::outside, "The first feature that is 0 or above `n_most`: (line, number).")
      .def("columns", &ListedLines::columns,
           "The dense columns of the listed features: (number, (codes, value bytes, value offsets)). It gives them "
           "away: call it once.")
      .def("classes", &ListedLines::classes, "The column of the classes. It gives it away: call it once.");
  m.def("row_end", &row_end, "text"_a, "separator"_a,
        "The position after the last line feed that ends a row of a delimited text (0 if none does), and whether the "
        "text ends inside a quoted field.");
}
