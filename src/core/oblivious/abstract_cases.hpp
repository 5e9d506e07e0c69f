// Abstract cases: groups of cases that agree on all features in use, each with its class counts.
//
// Groups are sorted by their features, so groups that agree on the first features are adjacent. The nearest groups are
// those that disagree with a question on the fewest features. The search skips a range of groups that already has too
// many disagreements, searches a long run of one value feature by feature, and compares short runs in blocks, column by
// column. With lists of the groups that have each value, or two values, it looks only at groups in a few of these
// lists.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/memory/runs.hpp"
#include "core/oblivious/value_lists.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

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

// Finds the groups nearest to a question; with two levels also those with one more disagreement.
class AbstractSearch {
 public:
  explicit AbstractSearch(const AbstractCases& cases, const ValueLists* lists = nullptr)
      : cases_(cases),
        n_features_(cases.columns.size()),
        lists_(lists),
        looked_at_(lists == nullptr ? 0 : cases.n_groups),
        by_length_(lists == nullptr ? 0 : n_features_),
        expected_(n_features_ / 2) {}

  // Excludes the group `skipped`. Some other group must have at most `at_most` disagreements. With `may_sum`, groups
  // that agree on a single feature may remain unlisted: see `is_summed`.
  void find(const std::vector<std::uint32_t>& asked, Row skipped, std::size_t at_most, bool two_levels,
            bool may_sum = false) {
    asked_ = asked.data();
    skipped_ = skipped;
    slack_ = two_levels ? 1 : 0;
    best_ = std::min(at_most, n_features_);
    is_summed_ = false;
    may_sum_ = may_sum && !two_levels && lists_ != nullptr && lists_->has_sums() && lists_->has_pairs();
    forget();
    if (lists_ != nullptr && find_by_lists()) return;
    forget();
    walk(0, cases_.n_groups, 0, 0);
  }

  // Whether no two groups were told apart: the nearest groups are those with one value of the question, each with one
  // alone, and their counts are the sums of these values. Then `nearest` is empty.
  bool is_summed() const { return is_summed_; }
  // The number of the nearest groups that have the question's value of a feature, if they are summed.
  std::size_t n_with(std::size_t f) const {
    return lists_->with(f, asked_[f]).size() - (skipped_ != detail::kNoGroup && !disagrees(skipped_, f) ? 1 : 0);
  }
  const ValueLists& lists() const { return *lists_; }

  std::size_t n_disagreements() const { return best_; }
  const std::vector<Row>& nearest() const { return nearest_; }
  const std::vector<Row>& next() const { return next_; }

  bool disagrees(Row group, std::size_t feature) const {
    return cases_.columns[feature].code(group) != asked_[feature];
  }

  // Whether groups are found by their values. Then each comes with the features on which it agrees, as bits.
  bool has_lists() const { return lists_ != nullptr; }
  std::uint64_t agreement(Row group) const {
    const std::uint32_t* codes = lists_->codes(group);
    std::uint64_t bits = 0;
    for (std::size_t f = 0; f < n_features_; ++f) bits |= static_cast<std::uint64_t>(codes[f] == asked_[f]) << f;
    return bits;
  }

 private:
  static constexpr std::size_t kLookUp = 4;       // a pair is looked up in the time of so many groups
  static constexpr std::size_t kTimesDearer = 4;  // a group of a list against one of a block

  struct Listed {
    std::span<const Row> groups;
    std::size_t feature;
  };

  void forget() {
    nearest_.clear();
    next_.clear();
  }

  bool is_too_far(std::size_t n) const { return n > best_ + slack_; }

  void note(Row group, std::size_t n) {
    if (group == skipped_ || is_too_far(n)) return;
    if (n < best_) {
      next_.clear();
      if (slack_ != 0 && n + 1 == best_) next_.swap(nearest_);
      nearest_.clear();
      best_ = n;
    }
    if (n == best_)
      nearest_.push_back(group);
    else if (slack_ != 0)
      next_.push_back(group);
  }

  // Looks for groups that agree on as many features as the nearest group of the last question did, and then on as many
  // as the nearest group found. False if groups that agree on nothing may be among the nearest, or if the lists are so
  // long that comparing all groups is faster.
  bool find_by_lists() {
    if (++mark_ == 0) {
      std::fill(looked_at_.begin(), looked_at_.end(), 0);
      mark_ = 1;
    }
    for (std::size_t wanted = std::max(expected_, n_features_ - best_); wanted > slack_;) {
      if (wanted == 1 && may_sum_) return sum_up();
      if (!look_at_all(wanted - slack_)) return false;
      const std::size_t found = n_features_ - best_;
      if (!nearest_.empty() && found >= wanted) {
        expected_ = std::max<std::size_t>(found, 2);
        return true;
      }
      wanted = nearest_.empty() ? std::max(wanted - 1, found) : found;
    }
    return false;
  }

  // If no group agrees on two features, leaves the groups that agree on one to their sums.
  bool sum_up() {
    if (!look_at_all(2)) return false;
    if (n_features_ - best_ > 1) return true;
    std::size_t n = 0;
    for (std::size_t f = 0; f < n_features_; ++f) n += n_with(f);
    if (n == 0) return false;
    best_ = n_features_ - 1;
    is_summed_ = true;
    forget();
    return true;
  }

  // Looks at all groups that agree on n features or more. Features are put into n - 1 boxes, so two features on which
  // such a group agrees are in one box: it is found by this pair of values. The longest lists go to boxes first. A
  // list that is shorter than its pairs is read itself, and needs no box. False if there would be too much to read.
  bool look_at_all(std::size_t n) {
    for (std::size_t f = 0; f < n_features_; ++f) by_length_[f] = {lists_->with(f, asked_[f]), f};
    std::sort(by_length_.begin(), by_length_.end(),
              [](const auto& a, const auto& b) { return a.groups.size() > b.groups.size(); });
    boxes_.assign(n - 1, {});
    to_read_.clear();
    std::size_t n_read = 0;
    for (std::size_t i = 0; i < n_features_; ++i) {
      const auto& [groups, f] = by_length_[i];
      if (i < boxes_.size()) {  // if it is short, so are all that follow
        boxes_[i].push_back(f);
        continue;
      }
      std::size_t least = groups.size();
      std::vector<std::size_t>* chosen = nullptr;
      if (lists_->has_pairs() && least > ValueLists::kShort)
        for (auto& box : boxes_) {
          std::size_t length = 0;
          for (const std::size_t g : box) length += kLookUp + lists_->with_both(f, g, asked_).size();
          if (length >= least) continue;
          least = length;
          chosen = &box;
        }
      n_read += least;
      if (n_read > cases_.n_groups / kTimesDearer) return false;
      if (chosen == nullptr) {
        to_read_.push_back(groups);
        continue;
      }
      for (const std::size_t g : *chosen) to_read_.push_back(lists_->with_both(f, g, asked_));
      chosen->push_back(f);
    }
    for (const auto& groups : to_read_)
      for (const Row group : groups) {
        if (looked_at_[group] == mark_) continue;
        looked_at_[group] = mark_;
        note(group, count_disagreements(group));
      }
    return true;
  }

  std::size_t count_disagreements(Row group) const {
    const std::uint32_t* codes = lists_->codes(group);
    std::uint32_t n = 0;
    for (std::size_t f = 0; f < n_features_; ++f) n += codes[f] != asked_[f];
    return n;
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
  std::size_t slack_ = 0;
  const ValueLists* lists_;
  std::vector<std::uint32_t> looked_at_;  // the mark of the last question that looked at a group
  std::uint32_t mark_ = 0;
  std::vector<Listed> by_length_;
  std::vector<std::vector<std::size_t>> boxes_;
  std::vector<std::span<const Row>> to_read_;
  bool may_sum_ = false, is_summed_ = false;
  std::size_t expected_;  // on how many features the nearest group may agree
  const std::uint32_t* asked_ = nullptr;
  Row skipped_ = detail::kNoGroup;
  std::size_t best_ = 0;
  std::vector<Row> nearest_, next_;
};

}  // namespace casebase
