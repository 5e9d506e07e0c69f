// The layout of a segment for the graded search: stems and grades.
//
// Rows are sorted, so those that share the values of the heaviest features are adjacent. Such rows have a common stem,
// and the costs of its values are looked up once for all of them. Stems are as deep as possible while each still has
// several rows: in windows of text, where a word determines most of the heavy features, down to the word itself.
// A position is a stem for the features of stems, and a row for the features after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/costs.hpp"
#include "core/types.hpp"

namespace casebase {

namespace detail {

template <class Code, class CodeAt>
Column new_column(Layout& layout, std::size_t n, CodeAt code_at) {
  auto codes = std::make_shared<std::vector<Code>>(n);
  for (std::size_t i = 0; i < n; ++i) (*codes)[i] = static_cast<Code>(code_at(i));
  layout.kept.push_back(codes);
  return {codes->data(), static_cast<Column::Width>(sizeof(Code))};
}

// The grades of some values, in the narrowest width that holds them all.
template <class CodeAt>
Column new_grades(Layout& layout, std::size_t n, const Comparison& comparison, CodeAt code_at) {
  const auto grade_at = [&](std::size_t i) { return comparison.grade(code_at(i)); };
  if (comparison.n_grades() < std::numeric_limits<std::uint8_t>::max())
    return new_column<std::uint8_t>(layout, n, grade_at);
  if (comparison.n_grades() < std::numeric_limits<std::uint16_t>::max())
    return new_column<std::uint16_t>(layout, n, grade_at);
  return new_column<std::uint32_t>(layout, n, grade_at);
}

// Makes the longest stems that still have several rows each.
inline void find_stems(Layout& layout, const std::vector<Column>& columns, std::size_t n_rows, std::size_t n_symbolic) {
  constexpr std::size_t kRowsPerStem = 4;
  std::vector<std::uint8_t> is_first(n_rows, 0);
  std::vector<Row> starts;
  for (std::size_t f = 0; f < n_symbolic; ++f) {
    with_codes(columns[f], [&](const auto* codes) {
      for (std::size_t row = 1; row < n_rows; ++row) is_first[row] |= codes[row] != codes[row - 1];
    });
    starts.assign(1, 0);
    for (std::size_t row = 1; row < n_rows; ++row)
      if (is_first[row]) starts.push_back(static_cast<Row>(row));
    if (starts.size() * kRowsPerStem > n_rows) return;
    starts.push_back(static_cast<Row>(n_rows));
    layout.starts.swap(starts);
    layout.n_in_stem = f + 1;
  }
}

}  // namespace detail

inline Layout laid_out(const std::vector<Column>& columns, std::size_t n_rows, std::size_t n_symbolic,
                       const std::vector<Comparison>& comparisons) {
  Layout layout;
  layout.columns = layout.grades = columns;
  bool is_graded = false;
  for (const Comparison& comparison : comparisons) is_graded |= comparison.is_graded();
  if (!is_graded) return layout;
  detail::find_stems(layout, columns, n_rows, n_symbolic);
  for (std::size_t stem = 0; stem + 1 < layout.starts.size(); ++stem)
    layout.stem_of.resize(layout.starts[stem + 1], static_cast<Row>(stem));
  for (std::size_t f = 0; f < n_symbolic; ++f) {
    const bool in_stem = f < layout.n_in_stem;
    if (in_stem)
      layout.columns[f] = detail::with_codes(columns[f], [&](const auto* codes) {
        using Code = std::remove_cvref_t<decltype(*codes)>;
        return detail::new_column<Code>(layout, layout.starts.size() - 1,
                                        [&](std::size_t stem) { return codes[layout.starts[stem]]; });
      });
    layout.grades[f] = layout.columns[f];
    if (comparisons[f].kind == Comparison::Kind::difference)
      layout.grades[f] = detail::new_grades(layout, in_stem ? layout.starts.size() - 1 : n_rows, comparisons[f],
                                            [&](std::size_t i) { return layout.columns[f].code(i); });
  }
  return layout;
}

}  // namespace casebase
