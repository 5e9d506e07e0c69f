// Abstract cases: groups of cases that agree on all features in use, each with its class counts.
//
// Groups are sorted by their features, so groups that agree on the first features are adjacent. The nearest groups are
// those that disagree with a question on the fewest features. The search skips a range of groups that already has too
// many disagreements, searches a long run of one value feature by feature, and compares short runs in blocks, column by
// column.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/memory/runs.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

struct AbstractCases {
  std::vector<Column> columns;  // codes; groups are distinct
  std::size_t n_groups = 0;
  const std::uint64_t* first_count = nullptr;  // the first class count of each group, and the end
  const Label* count_label = nullptr;
  const double* count = nullptr;
};

namespace detail {

inline constexpr Row kNoGroup = std::numeric_limits<Row>::max();
inline constexpr std::size_t kShortRun = 128;
inline constexpr std::size_t kScanned = 512;  // groups compared at a time

template <class Code, class Number>
CASEBASE_INLINE void add_disagreements(const Code* codes, std::uint32_t asked, Number* numbers, std::size_t n) {
  const Code code = static_cast<Code>(asked);  // the code for "never seen" is the largest of every width
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<Number>(numbers[i] + (codes[i] != code));
}

}  // namespace detail

// Finds the groups nearest to a question; with `two_levels` also those with one more disagreement.
class AbstractSearch {
 public:
  AbstractSearch(const AbstractCases& cases, bool two_levels)
      : cases_(cases), n_features_(cases.columns.size()), slack_(two_levels ? 1 : 0) {}

  // Excludes the group `skipped`. Some other group must have at most `at_most` disagreements.
  void find(const std::vector<std::uint32_t>& asked, Row skipped, std::size_t at_most) {
    asked_ = asked.data();
    skipped_ = skipped;
    nearest_.clear();
    next_.clear();
    best_ = std::min(at_most, n_features_);
    walk(0, cases_.n_groups, 0, 0);
  }

  std::size_t n_disagreements() const { return best_; }
  const std::vector<Row>& nearest() const { return nearest_; }
  const std::vector<Row>& next() const { return next_; }

  bool disagrees(Row group, std::size_t feature) const {
    return cases_.columns[feature].code(group) != asked_[feature];
  }

 private:
  bool is_too_far(std::size_t n) const { return n > best_ + slack_; }

  void note(Row group, std::size_t n) {
    if (group == skipped_ || is_too_far(n)) return;
    if (n < best_) {
      next_.clear();
      if (n + 1 == best_) next_.swap(nearest_);
      nearest_.clear();
      best_ = n;
    }
    if (n == best_)
      nearest_.push_back(group);
    else if (slack_ != 0)
      next_.push_back(group);
  }

  // Groups [lo, hi) have equal values before `rank`, with n disagreements with the question there.
  void walk(std::size_t lo, std::size_t hi, std::size_t rank, std::size_t n) {
    if (is_too_far(n) || lo == hi) return;
    if (hi - lo <= detail::kShortRun || rank == n_features_) return scan(lo, hi, rank, n);
    const auto [begin, end] = detail::with_codes(cases_.columns[rank], [&](const auto* codes) {
      using Code = std::remove_cv_t<std::remove_pointer_t<decltype(codes)>>;
      const auto range = std::equal_range(codes + lo, codes + hi, static_cast<Code>(asked_[rank]));
      return std::pair<std::size_t, std::size_t>(range.first - codes, range.second - codes);
    });
    walk(begin, end, rank + 1, n);  // the matching run first: its bound shortens the rest of the search
    walk_others(lo, begin, rank, n + 1);
    walk_others(end, hi, rank, n + 1);
  }

  // The same for groups that all disagree at `rank`; n includes this disagreement.
  void walk_others(std::size_t lo, std::size_t hi, std::size_t rank, std::size_t n) {
    const std::size_t n_left = n_features_ - rank - 1;
    if (is_too_far(n)) return;
    if (!is_too_far(n + n_left)) return scan(lo, hi, rank + 1, n);  // nothing can be skipped
    std::size_t pending = lo;                                       // the begin of runs that are too short to walk
    for (std::size_t at = lo; at < hi && !is_too_far(n);) {
      const auto [begin, end] = next_long_run(rank, at, hi);
      if (begin == end) break;
      scan(pending, begin, rank + 1, n);
      walk(begin, end, rank + 1, n);
      pending = at = end;
    }
    scan(pending, hi, rank + 1, n);
  }

  // The first run of one value in [at, hi) that is longer than kShortRun; empty if there is none.
  std::pair<std::size_t, std::size_t> next_long_run(std::size_t rank, std::size_t at, std::size_t hi) const {
    return detail::with_codes(cases_.columns[rank], [&](const auto* codes) -> std::pair<std::size_t, std::size_t> {
      while (at + detail::kShortRun < hi) {
        const std::size_t ahead = at + detail::kShortRun;
        if (codes[at] == codes[ahead])
          return {at, static_cast<std::size_t>(std::upper_bound(codes + ahead, codes + hi, codes[ahead]) - codes)};
        // Any long run that begins before this step contains the position ahead.
        at = static_cast<std::size_t>(std::lower_bound(codes + at, codes + ahead, codes[ahead]) - codes);
      }
      return {hi, hi};
    });
  }

  void scan(std::size_t lo, std::size_t hi, std::size_t rank, std::size_t n) {
    if (n_features_ < 255)
      scan_counting<std::uint8_t>(lo, hi, rank, n);
    else
      scan_counting<std::uint32_t>(lo, hi, rank, n);
  }

  template <class Number>
  void scan_counting(std::size_t lo, std::size_t hi, std::size_t rank, std::size_t n) {
    alignas(64) Number numbers[detail::kScanned];
    for (; lo < hi && !is_too_far(n); lo += detail::kScanned) {
      const std::size_t size = std::min(detail::kScanned, hi - lo);
      std::fill_n(numbers, size, static_cast<Number>(n));
      std::size_t nearest = n;
      for (std::size_t f = rank; f < n_features_ && !is_too_far(nearest);) {
        // Checking whether any group of a block is left costs as much as a column, so not after every column.
        for (const std::size_t stop = std::min(f + 4, n_features_); f < stop; ++f)
          detail::with_codes(cases_.columns[f], [&](const auto* codes) {
            best_version([](auto* at, std::uint32_t asked, Number* to, std::size_t many)
                             CASEBASE_INLINE_LAMBDA { detail::add_disagreements(at, asked, to, many); },
                         codes + lo, asked_[f], numbers, size);
          });
        nearest = best_version(
            [](const Number* at, std::size_t many) CASEBASE_INLINE_LAMBDA {
              Number least = at[0];
              for (std::size_t i = 1; i < many; ++i) least = std::min(least, at[i]);
              return static_cast<std::size_t>(least);
            },
            static_cast<const Number*>(numbers), size);
      }
      if (is_too_far(nearest)) continue;
      for (std::size_t i = 0; i < size; ++i)
        if (!is_too_far(numbers[i])) note(static_cast<Row>(lo + i), numbers[i]);
    }
  }

  const AbstractCases& cases_;
  std::size_t n_features_;
  std::size_t slack_;
  const std::uint32_t* asked_ = nullptr;
  Row skipped_ = detail::kNoGroup;
  std::size_t best_ = 0;
  std::vector<Row> nearest_, next_;
};

}  // namespace casebase
