// A sparse contingency table: how often each value of a feature occurs with each class.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// Cells of value v are start[v] … start[v + 1] - 1, classes ascending.
struct Contingency {
  std::vector<std::uint64_t> start;
  std::vector<Label> labels;
  std::vector<double> counts;
};

// `case_counts` may be null: then every case counts once.
inline Contingency contingency(const Column& column, const Label* labels, const double* case_counts, std::size_t n_rows,
                               std::size_t n_values, std::size_t n_classes) {
  // Cases are grouped by value, so that one array of class counts can be reused for each value.
  std::vector<std::uint32_t> codes(n_rows);
  std::vector<std::uint64_t> first(n_values + 1, 0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    codes[i] = column.code(i);
    ++first[codes[i] + std::size_t{1}];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Row> rows(n_rows);
  {
    auto next = first;
    for (std::size_t i = 0; i < n_rows; ++i) rows[next[codes[i]]++] = static_cast<Row>(i);
  }

  Contingency table;
  table.start.reserve(n_values + 1);
  table.start.push_back(0);
  std::vector<double> seen(n_classes, 0.0);
  std::vector<Label> touched;
  for (std::size_t v = 0; v < n_values; ++v) {
    touched.clear();
    for (auto i = first[v]; i < first[v + 1]; ++i) {
      const Label label = labels[rows[i]];
      const double count = case_counts ? case_counts[rows[i]] : 1.0;
      if (count == 0.0) continue;
      if (seen[label] == 0.0) touched.push_back(label);
      seen[label] += count;
    }
    std::sort(touched.begin(), touched.end());
    for (const Label label : touched) {
      table.labels.push_back(label);
      table.counts.push_back(seen[label]);
      seen[label] = 0.0;
    }
    table.start.push_back(table.labels.size());
  }
  return table;
}

}  // namespace casebase
