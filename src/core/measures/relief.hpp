// RELIEF: the differences of features between a case and its nearest hits and misses, class by class.
//
// Cases are sorted by class. For each case, the distances to all others are summed column by column, in blocks that the
// compiler vectorises: symbols count mismatches, numbers (scaled to their range) add differences. For a missing value
// the expected difference in its class is used; missing values are few and are corrected one by one. Then the k places
// are distributed among the nearest cases of each class.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/measures/places.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

// The missing values of a feature: the rows that have one, and for every class that has one its expected difference
// from the value of each row (expected[place[class] * n_rows + row]).
struct MissingValues {
  const Row* rows = nullptr;
  std::size_t n_rows = 0;
  const double* expected = nullptr;
  const std::uint32_t* place = nullptr;
};

struct ReliefCases {
  std::vector<Column> columns;  // codes, or numbers from 0 to 1
  std::vector<MissingValues> missing;
  std::vector<std::vector<std::uint8_t>> is_missing;  // per feature; empty where none is
  const Label* labels = nullptr;                      // ascending
  const double* weights = nullptr;
  std::size_t n_rows = 0;
  std::vector<std::size_t> class_begin;
  std::vector<double> share;  // of each class among all cases
  double n_neighbours = 0;

  bool lacks(std::size_t feature, std::size_t row) const {
    return !is_missing[feature].empty() && is_missing[feature][row] != 0;
  }
  // The expected difference of a missing value of a row from the value of another row.
  double expected(std::size_t feature, std::size_t lacking, std::size_t other) const {
    const MissingValues& m = missing[feature];
    return m.expected[m.place[labels[lacking]] * n_rows + other];
  }
  double plain(std::size_t feature, std::size_t a, std::size_t b) const {
    const Column& column = columns[feature];
    if (column.is_numeric()) return std::fabs(column.number(a) - column.number(b));
    return column.code(a) != column.code(b) ? 1.0 : 0.0;
  }
  double difference(std::size_t feature, std::size_t a, std::size_t b) const {
    if (lacks(feature, a)) return expected(feature, a, b);
    if (lacks(feature, b)) return expected(feature, b, a);
    return plain(feature, a, b);
  }
};

namespace detail {

template <class Code>
CASEBASE_INLINE void add_disagreements_of(const Column& column, std::size_t row, std::size_t begin, std::size_t n,
                                          double* sums) {
  const Code* codes = static_cast<const Code*>(column.data);
  const Code asked = codes[row];
  for (std::size_t i = 0; i < n; ++i) sums[i] += codes[begin + i] != asked ? 1.0 : 0.0;
}

}  // namespace detail

// Processes cases one by one, and reuses its arrays.
class ReliefScan {
 public:
  explicit ReliefScan(const ReliefCases& cases)
      : cases_(cases), distance_(cases.n_rows), places_(cases.weights, cases.n_neighbours) {}

  // Adds to sums[f] the differences of feature f from the nearest cases of a row: misses add, hits subtract.
  void add(std::size_t row, double times, double* sums) {
    measure(row);
    const Label own = cases_.labels[row];
    const double others = 1.0 - cases_.share[own];
    for (std::size_t c = 0; c + 1 < cases_.class_begin.size(); ++c) {
      const double factor = c == own ? -times : times * cases_.share[c] / others;
      places_.deal(distance_, cases_.class_begin[c], cases_.class_begin[c + 1], row);
      if (places_.taken().empty()) continue;
      double total = 0.0;
      for (const auto& [_, n_places] : places_.taken()) total += n_places;
      for (std::size_t f = 0; f < cases_.columns.size(); ++f) sums[f] += factor * summed(f, row) / total;
    }
  }

 private:
  static constexpr std::size_t kRows = 1024;   // the distances of this many rows fit the L1 cache
  static constexpr std::size_t kNarrow = 255;  // mismatches that eight bits can count

  void measure(std::size_t row) {
    narrow_.clear();
    wide_.clear();
    for (std::size_t f = 0; f < cases_.columns.size(); ++f)
      if (!cases_.lacks(f, row)) (cases_.columns[f].width == Column::Width::u8 ? narrow_ : wide_).push_back(f);
    best_version([](ReliefScan* scan, std::size_t row) CASEBASE_INLINE_LAMBDA { scan->measure_known(row); }, this, row);
    for (std::size_t f = 0; f < cases_.columns.size(); ++f) {
      if (cases_.lacks(f, row)) {
        const double* expected = &cases_.missing[f].expected[cases_.missing[f].place[cases_.labels[row]] * n()];
        for (std::size_t i = 0; i < n(); ++i) distance_[i] += expected[i];
      } else {
        // Up to here a missing code counted as different from all others, and a missing number as 0.
        const MissingValues& missing = cases_.missing[f];
        const double counted = cases_.columns[f].is_numeric() ? cases_.columns[f].number(row) : 1.0;
        for (std::size_t m = 0; m < missing.n_rows; ++m)
          distance_[missing.rows[m]] += cases_.expected(f, missing.rows[m], row) - counted;
      }
    }
  }

  // Differences of the features without a missing value in this row, as if no other row had one either.
  CASEBASE_INLINE void measure_known(std::size_t row) {
    std::uint8_t counts[kRows];
    for (std::size_t begin = 0; begin < n(); begin += kRows) {
      const std::size_t n_here = std::min(kRows, n() - begin);
      double* sums = distance_.data() + begin;
      std::fill_n(sums, n_here, 0.0);
      for (std::size_t first = 0; first < narrow_.size(); first += kNarrow) {
        std::fill_n(counts, n_here, std::uint8_t{0});
        for (std::size_t f = first; f < std::min(first + kNarrow, narrow_.size()); ++f) {
          const auto* codes = static_cast<const std::uint8_t*>(cases_.columns[narrow_[f]].data);
          const std::uint8_t asked = codes[row];
          for (std::size_t i = 0; i < n_here; ++i) counts[i] += codes[begin + i] != asked;
        }
        for (std::size_t i = 0; i < n_here; ++i) sums[i] += counts[i];
      }
      for (const std::size_t f : wide_) {
        const Column& column = cases_.columns[f];
        switch (column.width) {
          case Column::Width::u16:
            detail::add_disagreements_of<std::uint16_t>(column, row, begin, n_here, sums);
            break;
          case Column::Width::u32:
            detail::add_disagreements_of<std::uint32_t>(column, row, begin, n_here, sums);
            break;
          default: {
            const double* numbers = static_cast<const double*>(column.data) + begin;
            const double asked = column.number(row);
            for (std::size_t i = 0; i < n_here; ++i) sums[i] += std::fabs(numbers[i] - asked);
          }
        }
      }
    }
  }

  // The differences of a feature between a row and the chosen rows, weighted by their places.
  double summed(std::size_t feature, std::size_t row) const {
    const Column& column = cases_.columns[feature];
    double sum = 0.0;
    if (!cases_.is_missing[feature].empty()) {
      for (const auto& [other, n_places] : places_.taken()) sum += n_places * cases_.difference(feature, row, other);
      return sum;
    }
    auto disagreeing = [&]<class Code>(const Code* codes) {
      const Code asked = codes[row];
      for (const auto& [other, n_places] : places_.taken()) sum += codes[other] != asked ? n_places : 0.0;
      return sum;
    };
    switch (column.width) {
      case Column::Width::u8:
        return disagreeing(static_cast<const std::uint8_t*>(column.data));
      case Column::Width::u16:
        return disagreeing(static_cast<const std::uint16_t*>(column.data));
      case Column::Width::u32:
        return disagreeing(static_cast<const std::uint32_t*>(column.data));
      default:
        for (const auto& [other, n_places] : places_.taken())
          sum += n_places * std::fabs(column.number(other) - column.number(row));
        return sum;
    }
  }

  std::size_t n() const { return cases_.n_rows; }

  const ReliefCases& cases_;
  std::vector<double> distance_;
  std::vector<std::size_t> narrow_, wide_;  // features without a missing value in the row, by width
  Places places_;
};

}  // namespace casebase
