// The nearest rows of the last questions, from which the search for the next one starts.
//
// Questions are asked in the order of their values, so a row that was near to the last ones is often near to the next.
// The sums of steps of a few such rows bound the k-th distance before any other row has been looked at. Which rows are
// found does not depend on them: a bound only saves work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/neighbours/question.hpp"
#include "core/neighbours/scan.hpp"
#include "core/types.hpp"

namespace casebase {

class Seeds {
 public:
  // A seed takes the place of the oldest one.
  void add(Row row) { rows_[n_added_++ % kMost] = row; }

  // Calls use(row, sum) for the seeds with the sums of their steps, in the segment that the question looks in.
  template <class Use>
  void sums(Question& question, std::size_t n_symbolic, std::size_t n_features, Use use) {
    const std::span<const Row> rows(rows_.data(), n_added_ < kMost ? n_added_ : kMost);
    std::array<std::uint32_t, kMost> sums;
    sums.fill(question.base());
    for (std::size_t f = 0; f < n_symbolic && !rows.empty(); ++f)
      question.with_steps(f, [&](auto steps) {
        for (std::size_t i = 0; i < rows.size(); ++i) sums[i] += steps(question.position(f, rows[i]));
      });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t number = n_symbolic; number < n_features; ++number)
        sums[i] += question.number_step(number, rows[i]);
      if (sums[i] < 0xFFFF) use(rows[i], static_cast<Step>(sums[i]));
    }
  }

 private:
  static constexpr std::size_t kMost = 16;

  std::array<Row, kMost> rows_{};
  std::size_t n_added_ = 0;
};

}  // namespace casebase
