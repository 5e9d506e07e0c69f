// The text kernel for Python: a view of the bytes in, arrays that own their memory out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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
  throw nb::value_error("mode is one of blanks, separator, c45, width; a width is at least 1");
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
    default:
      return "full";
  }
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
    columns.append(nb::make_tuple(array_of<std::uint32_t>(std::move(column.codes)),
                                  array_of<std::uint8_t>(std::move(column.values.bytes)),
                                  array_of<std::int32_t>(std::move(column.values.offsets))));
  nb::object problem = nb::none();
  if (split.problem)
    problem = nb::make_tuple(name_of(split.problem->kind), split.problem->line, split.problem->n_fields);
  return nb::make_tuple(columns, problem);
}

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
        "the problem that stopped it: (kind, line, number of fields).");
  m.def("row_end", &row_end, "text"_a, "separator"_a,
        "The position after the last line feed that ends a row of a delimited text (0 if none does), and whether the "
        "text ends inside a quoted field.");
}
