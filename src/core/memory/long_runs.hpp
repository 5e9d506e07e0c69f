// The long runs of a sorted segment: the ranges of many rows that agree on the first 1, 2, 3 … features.
//
// A search in a large memory goes through the same long ranges again and again. A binary search among their rows misses
// the cache at every step, while the runs of one feature in a range are few, and lie side by side here. They are looked
// for when a search first comes to the range, so what no question is near to is never read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/types.hpp"

namespace casebase {

// Consecutive rows that agree on the features before some one. If they are many, they are a run with a number.
struct Range {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Row begin, end;
  std::uint32_t run = kNone;

  bool is_long() const { return run != kNone; }
  bool is_empty() const { return begin == end; }
  Row size() const { return end - begin; }
};

class LongRuns {
 public:
  struct Run {
    Row begin, end;
    std::uint32_t code;                  // of the last feature on which its rows agree
    std::uint32_t first = Range::kNone;  // of the runs within it, by the next feature, if they are known
    std::uint32_t last = 0;
  };

  explicit LongRuns(const Segment& segment)
      : segment_(segment), most_(1024 + segment.n_rows / 64), runs_{{0, static_cast<Row>(segment.n_rows), 0}} {}

  Range all() const { return {0, runs_[0].end, runs_[0].end > kLong ? 0 : Range::kNone}; }

  const Run& operator[](std::uint32_t run) const { return runs_[run]; }

  // The runs of the codes of feature f in a long range that agrees on the features before it: begin, end of numbers.
  std::pair<std::uint32_t, std::uint32_t> within(const Range& range, std::uint32_t f) {
    if (runs_[range.run].first == Range::kNone) find(range.run, f);
    return {runs_[range.run].first, runs_[range.run].last};
  }

  // The rows with a code of feature f in such a range, long or not.
  Range with(const Range& range, std::uint32_t f, std::uint32_t code) {
    Row begin = range.begin, end = range.end;
    if (range.is_long()) {
      auto [first, last] = within(range, f);
      const auto of = [this](std::uint32_t i) { return runs_.begin() + static_cast<std::ptrdiff_t>(i); };
      const auto run = std::lower_bound(of(first), of(last), code,
                                        [](const Run& run, std::uint32_t code) { return run.code < code; });
      if (run != of(last) && run->code == code)
        return {run->begin, run->end, static_cast<std::uint32_t>(run - runs_.begin())};
      if (run != of(first)) begin = (run - 1)->end;
      if (run != of(last)) end = run->begin;
    }
    const auto [first, last] = rows_with(segment_.columns[f], code, begin, end);
    return {first, last};
  }

  // Whether so many runs are known that they should be forgotten before the next question.
  bool are_many() const { return runs_.size() > most_; }
  void forget() {
    runs_.resize(1);
    runs_[0].first = Range::kNone;
  }

 private:
  static constexpr Row kLong = 256, kStride = kLong / 2;  // runs with fewer rows than both together may be missed

  void find(std::uint32_t number, std::uint32_t f) {
    const auto first = static_cast<std::uint32_t>(runs_.size());
    const Row end = runs_[number].end;
    Row at = runs_[number].begin, passed = at;
    detail::with_codes(segment_.columns[f], [&](const auto* codes) {
      while (end - at > kLong) {
        if (codes[at] != codes[at + kLong]) {
          at += kStride;
          continue;
        }
        const auto begin = static_cast<Row>(detail::lower_bound(codes, passed, at, codes[at]));
        passed = static_cast<Row>(detail::run_end(codes, at, end));
        runs_.push_back({begin, passed, segment_.columns[f].code(at)});
        at = passed;
      }
    });
    runs_[number].first = first;
    runs_[number].last = static_cast<std::uint32_t>(runs_.size());
  }

  const Segment& segment_;
  std::size_t most_;
  std::vector<Run> runs_;  // the first one is the whole segment
};

}  // namespace casebase
