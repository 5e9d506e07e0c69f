// A few positions that may be within the bound, and what is known about their distances.
//
// Where costs are looked up one by one, only those that are left after one feature are looked up for the next. So the
// features that tell most come first, and those with very many grades last.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/question.hpp"
#include "core/runs.hpp"
#include "core/scan.hpp"
#include "core/types.hpp"

namespace casebase {

class Shortlist {
 public:
  std::size_t size() const { return n_; }
  Row at(std::size_t i) const { return static_cast<Row>(entries_[i]); }
  Step sum(std::size_t i) const { return static_cast<Step>(std::min(entries_[i] >> kSumShift, kMost)); }

  void clear() { n_ = 0; }

  void add(Row position, Step sum) { entries_[n_++] = entry(position, sum); }

  // Positions begin … begin + n - 1, n ≤ kBlock, at `base` steps.
  void assign(Row begin, std::size_t n, Step base) {
    for (std::size_t i = 0; i < n; ++i) entries_[i] = entry(begin + static_cast<Row>(i), base);
    n_ = n;
  }

  // Adds what a feature costs; those past the bound drop out.
  void add_feature(Question& question, std::size_t f, Step bound) {
    question.make_ready(f);
    detail::with_codes(question.grades(f), [&](const auto* codes) {
      if (const Step* costs = question.costs()[f].costs)
        keep(bound, [=](Row position) { return costs[codes[position]]; });
      else if (question.has_late_steps(f))
        keep(bound, [&](Row position) { return question.late_step(f, codes[position]); });
      else
        keep(bound, [&](Row position) { return question.step_of(f, position); });
    });
  }

  // The same for a number of rows, of which there is no largest cost.
  void add_number(Question& question, std::size_t f, Step bound) {
    keep(bound, [&](Row row) { return question.number_step(f, row); });
  }

  // The nearest first.
  void sort() { std::sort(entries_.begin(), entries_.begin() + n_); }

 private:
  // A position below its sum: one number to add to, to compare and to sort by.
  static constexpr unsigned kSumShift = 32;
  static constexpr std::uint64_t kMost = 0xFFFF;  // as a bound it stands for none
  static std::uint64_t entry(Row position, Step sum) { return std::uint64_t{sum} << kSumShift | position; }

  template <class StepAt>
  void keep(Step bound, StepAt step_at) {
    const std::uint64_t past = bound < kMost ? (std::uint64_t{bound} + 1) << kSumShift : ~std::uint64_t{0};
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint64_t sum = entries_[i] + entry(0, step_at(at(i)));
      entries_[n_left] = sum;
      n_left += sum < past;
    }
    n_ = n_left;
  }

  std::size_t n_ = 0;
  std::array<std::uint64_t, kBlock> entries_;
};

// Features in the order of what they cost on a few positions of a list, looked up again now and then.
class Telling {
 public:
  // To be called before another question or segment.
  void forget() { first_ = kNowhere; }

  // The features first … last - 1, those that tell most first, late ones last.
  const std::vector<std::uint32_t>& order(Question& question, const Shortlist& list, std::size_t first,
                                          std::size_t last) {
    if (first == first_ && ++n_asked_ % kAgain != 0) return order_;
    first_ = first;
    n_asked_ = 0;
    order_.clear();
    costs_.assign(last, 0);
    const std::size_t stride = std::max<std::size_t>(1, list.size() / kSampled);
    for (std::size_t f = first; f < last; ++f) {
      if (!question.is_late(f)) {
        question.make_ready(f);
        costs_[f] = 1;
        for (std::size_t i = 0; i < list.size(); i += stride) costs_[f] += question.step_of(f, list.at(i));
      }
      auto place = order_.end();
      while (place != order_.begin() && costs_[place[-1]] < costs_[f]) --place;
      order_.insert(place, static_cast<std::uint32_t>(f));
    }
    return order_;
  }

 private:
  static constexpr std::size_t kSampled = 8, kAgain = 8, kNowhere = ~std::size_t{0};
  std::size_t first_ = kNowhere, n_asked_ = 0;
  std::vector<std::uint32_t> order_, costs_;
};

}  // namespace casebase
