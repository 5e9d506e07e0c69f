// The lexicographic order of cases under a given order of features.
//
// IB1, IGTree and TRIBL all work on rows sorted this way: cases that agree on the first features are
// adjacent, so "all cases with this prefix" is a range of rows.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/types.hpp"

namespace casebase {

namespace detail {

// One stable pass: reorder `rows` by the codes of one column. Counting sort, unless the codes are
// so sparse that touching every possible code would cost more than comparing.
template <class Code>
void sort_by_column(const Code* codes, std::vector<Row>& rows, std::vector<Row>& spare) {
  const std::size_t n = rows.size();
  Code largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, codes[i]);
  const std::size_t n_codes = static_cast<std::size_t>(largest) + 1;
  if (n_codes == 1) return;
  if (n_codes / 8 > n) {
    std::stable_sort(rows.begin(), rows.end(), [&](Row a, Row b) { return codes[a] < codes[b]; });
    return;
  }
  std::vector<Row> start(n_codes + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[static_cast<std::size_t>(codes[i]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  for (const Row row : rows) spare[start[codes[row]]++] = row;
  rows.swap(spare);
}

}  // namespace detail

// Rows in the order of columns[0], then columns[1], …; equal rows keep their order.
inline std::vector<Row> lexicographic_order(const std::vector<Column>& columns, std::size_t n_rows) {
  std::vector<Row> rows(n_rows), spare(n_rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    switch (column->width) {
      case Column::Width::u8:
        detail::sort_by_column(static_cast<const std::uint8_t*>(column->data), rows, spare);
        break;
      case Column::Width::u16:
        detail::sort_by_column(static_cast<const std::uint16_t*>(column->data), rows, spare);
        break;
      case Column::Width::u32:
        detail::sort_by_column(static_cast<const std::uint32_t*>(column->data), rows, spare);
        break;
      case Column::Width::f64:
        break;  // numbers are never part of the order
    }
  }
  return rows;
}

// The rows, from `begin` to `end`, of sorted columns whose codes are these.
struct RowRange {
  std::size_t begin, end;
};

inline RowRange equal_rows(const std::vector<Column>& columns, std::size_t n_rows, const std::uint32_t* codes) {
  std::size_t begin = 0, end = n_rows;
  for (std::size_t i = 0; i < columns.size() && begin < end; ++i) {
    // The first row from `from` on whose code is not below `code`, or, with `above`, is above it.
    auto bound = [&](std::size_t from, std::size_t to, bool above) {
      while (from < to) {
        const std::size_t middle = from + (to - from) / 2;
        const std::uint32_t code = columns[i].code(middle);
        if (code < codes[i] || (above && code == codes[i])) {
          from = middle + 1;
        } else {
          to = middle;
        }
      }
      return from;
    };
    const std::size_t first = bound(begin, end, false);
    end = bound(first, end, true);
    begin = first;
  }
  return {begin, end};
}

}  // namespace casebase
