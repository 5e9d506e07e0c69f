// The text kernels for Python: a view of the bytes in, arrays that own their memory out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/listed.hpp"
#include "core/formats/quoted.hpp"
#include "core/formats/running_text.hpp"
#include "core/formats/split.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using ArrayOf = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = ArrayOf<std::uint8_t>;

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

nb::tuple token_lines(Bytes text) {
  const char* begin = reinterpret_cast<const char*>(text.data());
  casebase::TokenLines lines;
  {
    nb::gil_scoped_release unlocked;
    lines = casebase::token_lines(begin, begin + text.size());
  }
  const bool is_full = lines.values.is_full;
  return nb::make_tuple(column_of(std::move(lines.codes), std::move(lines.values)),
                        array_of<std::int64_t>(std::move(lines.n_tokens)), is_full);
}

// The bytes of each text of a list, which must stay alive.
std::vector<std::string_view> texts_of(const nb::list& texts) {
  std::vector<std::string_view> found;
  found.reserve(texts.size());
  for (const nb::handle text : texts) {
    Py_ssize_t n = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &n);
    if (bytes == nullptr) throw nb::python_error();
    found.emplace_back(bytes, static_cast<std::size_t>(n));
  }
  return found;
}

nb::str tagged_lines(ArrayOf<std::int64_t> word, Bytes bytes, ArrayOf<std::int32_t> offsets,
                     ArrayOf<std::int64_t> lines, const nb::list& tags) {
  if (offsets.size() == 0) throw nb::value_error("the words are not among the bytes");
  const std::size_t n = word.size(), n_values = offsets.size() - 1;
  std::int64_t n_left = static_cast<std::int64_t>(n);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (lines.data()[line] < 0 || lines.data()[line] > n_left) throw nb::value_error("lines and words do not fit");
    n_left -= lines.data()[line];
  }
  if (n_left != 0 || tags.size() != n) throw nb::value_error("one tag per word, and every word in a line");
  for (std::size_t i = 0; i < n; ++i)
    if (word.data()[i] < 0 || static_cast<std::size_t>(word.data()[i]) >= n_values)
      throw nb::value_error("a word is out of range");
  for (std::size_t i = 0; i <= n_values; ++i)
    if (offsets.data()[i] < (i ? offsets.data()[i - 1] : 0) ||
        static_cast<std::size_t>(offsets.data()[i]) > bytes.size())
      throw nb::value_error("the words are not among the bytes");
  const std::vector<std::string_view> own = texts_of(tags);
  const std::string text =
      casebase::tagged_lines({word.data(), reinterpret_cast<const char*>(bytes.data()), offsets.data(), own.data(), n},
                             lines.data(), lines.size());
  return nb::str(text.data(), text.size());
}

}  // namespace

void bind_formats(nb::module_& m) {
  m.def("split_text", &split_text, "text"_a, "mode"_a, "separator"_a = '\t', "width"_a = 1, "n_fields"_a = 0,
        "n_threads"_a = 1,
        "Split the lines of a text into columns: a list of (codes, value bytes, value offsets), and None or "
        "the problem that stopped it: (kind, line, number of fields, or the position of the field with a stray quote). "
        "The code of a missing value, in ARFF data, is the largest one.");
  m.def("token_lines", &token_lines, "text"_a,
        "The tokens between the blanks of a text without NUL bytes: (codes, value bytes, value offsets), the number of "
        "tokens of each line, and whether the values are too many.");
  m.def("tagged_lines", &tagged_lines, "word"_a, "bytes"_a, "offsets"_a, "lines"_a, "tags"_a,
        "Lines of so many words each, with their tags, as word/tag.");
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
