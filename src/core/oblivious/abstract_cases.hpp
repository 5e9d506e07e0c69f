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
        expected_(n_features_ / 2),
        partners_(n_features_) {}

  // A set of features, as bits, whose values of the question have a long list.
  struct Set {
    std::uint64_t features;
    ValueLists::List list;
  };

  // Excludes the group `skipped`; `own` is the group of the question itself, if it is stored. Some other group must
  // have at most `at_most` disagreements. `Next::cheap` finds the next groups, too, where that hardly takes longer.
  // With `may_sum`, groups of long lists may remain unlisted: see `nearest_sets`.
  enum class Next { no, cheap, yes };
  void find(const std::vector<std::uint32_t>& asked, Row skipped, Row own, std::size_t at_most, Next next,
            bool may_sum = false) {
    asked_ = asked.data();
    skipped_ = skipped;
    own_ = own;
    slack_ = next == Next::yes ? 1 : 0;
    best_ = std::min(at_most, n_features_);
    may_sum_ = may_sum && lists_ != nullptr && lists_->has_sums();
    forget();
    if (lists_ != nullptr && find_by_lists(next == Next::no ? 0 : 1)) return;
    forget();
    slack_ = next == Next::no ? 0 : 1;
    walk(0, cases_.n_groups, 0, 0);
  }

  // The nearest groups are those of `nearest`, and all that have the values of one of these sets; no group has the
  // values of two of them. Where the next ones are wanted, they are those of `next`, and all that have the values of
  // one of `next_sets`, but for the nearest ones among them.
  const std::vector<Set>& nearest_sets() const { return nearest_sets_; }
  const std::vector<Set>& next_sets() const { return next_sets_; }
  bool is_in(const std::vector<Set>& sets, Row group) const {
    if (sets.empty()) return false;
    const std::uint64_t agrees = agreement(group);
    return std::any_of(sets.begin(), sets.end(), [&](const Set& set) { return (set.features & ~agrees) == 0; });
  }
  std::size_t n_groups(const Set& set) const {
    return lists_->groups(set.list).size() - (skipped_ == detail::kNoGroup ? 0 : 1);
  }
  // The class counts of a set, without those of the group that is skipped: it has all values of the question.
  template <class Visit>
  void sum(const Set& set, const Visit& visit) const {
    lists_->sum(set.list, visit);
    if (skipped_ != detail::kNoGroup)
      for (std::uint64_t i = cases_.first_count[skipped_]; i < cases_.first_count[skipped_ + 1]; ++i)
        visit(cases_.count_label[i], -cases_.count[i]);
  }
  bool has_next() const { return slack_ != 0; }
  bool has_sets() const { return !nearest_sets_.empty() || !next_sets_.empty(); }
  bool has_nearest() const { return !nearest_.empty() || !nearest_sets_.empty(); }

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
  static constexpr std::size_t kLookUp = 4;        // a list is looked up in the time of so many groups
  static constexpr std::size_t kTimesDearer = 4;   // a group of a list against one of a block
  static constexpr std::size_t kListsAtOnce = 32;  // short lists that are read together
  static constexpr std::size_t kBoxes = 5;         // fewer boxes hold many pairs
  static constexpr std::size_t kFewRead = 128;     // so many groups are read sooner than sets are looked up

  struct Listed {
    std::span<const Row> groups;
    std::size_t feature;
    ValueLists::List list;
  };

  struct LongPair {
    Set set;
    std::size_t first, second;
  };

  void forget() {
    nearest_.clear();
    next_.clear();
    nearest_sets_.clear();
    next_sets_.clear();
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

  // Where few groups have two values of the question, looks for groups that agree on as many features as the nearest
  // group of the last question did, and then on as many as the nearest group found. Elsewhere goes through the sets of
  // values. False if that takes so long that comparing all groups is faster.
  bool find_by_lists(std::size_t slack_of_sets) {
    begin_reading();
    const std::size_t fewest = slack_ + (lists_->is_deep() ? kBoxes : 2);
    for (std::size_t wanted = std::max(expected_, n_features_ - best_); wanted >= fewest;) {
      if (!look_at_all(wanted - slack_)) break;
      const std::size_t found = n_features_ - best_;
      if (!nearest_.empty() && found >= wanted) {
        expected_ = std::max<std::size_t>(found, 2);
        return true;
      }
      wanted = nearest_.empty() ? std::max(wanted - 1, found) : found;
    }
    slack_ = slack_of_sets;
    if (!look_at_sets()) return false;
    expected_ = std::max<std::size_t>(n_features_ - best_, 2);
    return true;
  }

  void begin_reading() {
    if (++mark_ == 0) {
      std::fill(looked_at_.begin(), looked_at_.end(), 0);
      mark_ = 1;
    }
  }
  bool is_new(Row group) {
    if (looked_at_[group] == mark_) return false;
    looked_at_[group] = mark_;
    return true;
  }
  // Reads the lists that were put aside: first all that is needed is fetched, then compared.
  void read_all() {
    rows_.clear();
    for (const auto& groups : to_read_)
      for (const Row group : groups) {
        if (!is_new(group)) continue;
        prefetch(lists_->codes(group));
        rows_.push_back(group);
      }
    to_read_.clear();
    for (const Row group : rows_) note(group, count_disagreements(group));
  }
  static void prefetch([[maybe_unused]] const void* at) {
#if defined(__GNUC__)
    __builtin_prefetch(at);
#endif
  }

  // Looks at all groups that agree on n features or more. Features are put into n - 1 boxes, so two features on which
  // such a group agrees are in one box: it is found by this pair of values. The longest lists go to boxes first. A
  // list that is shorter than its pairs is read itself, and needs no box. False if there would be much to read.
  bool look_at_all(std::size_t n) {
    for (std::size_t f = 0; f < n_features_; ++f) by_length_[f] = listed(f);
    std::sort(by_length_.begin(), by_length_.end(),
              [](const auto& a, const auto& b) { return a.groups.size() > b.groups.size(); });
    boxes_.assign(n - 1, {});
    to_read_.clear();
    std::size_t n_read = 0;
    for (std::size_t i = 0; i < n_features_; ++i) {
      const auto& [groups, f, list] = by_length_[i];
      if (i < boxes_.size()) {  // if it is short, so are all that follow
        boxes_[i].push_back(by_length_[i]);
        continue;
      }
      std::size_t least = groups.size();
      std::vector<Listed>* chosen = nullptr;
      if (list != ValueLists::kNoList && lists_->is_long(list))
        for (auto& box : boxes_) {
          std::size_t length = 0;
          for (const Listed& other : box) length += kLookUp + with_both(by_length_[i], other).size();
          if (length >= least) continue;
          least = length;
          chosen = &box;
        }
      n_read += least;
      if (n_read > (lists_->is_deep() ? kFewRead : cases_.n_groups / kTimesDearer)) return false;
      if (chosen == nullptr) {
        to_read_.push_back(groups);
        continue;
      }
      for (const Listed& other : *chosen) to_read_.push_back(with_both(by_length_[i], other));
      chosen->push_back(by_length_[i]);
    }
    if (own_ != detail::kNoGroup && is_new(own_)) note(own_, count_disagreements(own_));
    read_all();
    return true;
  }

  Listed listed(std::size_t f) const {
    const ValueLists::List list = lists_->of(f, asked_[f]);
    return {list == ValueLists::kNoList ? std::span<const Row>() : lists_->groups(list), f, list};
  }
  std::span<const Row> with_both(const Listed& one, const Listed& other) const {
    const auto& [first, second] = one.feature < other.feature ? std::pair(one, other) : std::pair(other, one);
    const ValueLists::List list = lists_->of(first.list, second.feature, asked_[second.feature]);
    return list == ValueLists::kNoList ? std::span<const Row>() : lists_->groups(list);
  }

  // Goes through the sets of features whose values have a list. Short lists are read, long ones kept as sets. Take the
  // features on which a group agrees: if their values have a long list, so have all subsets, and the group is in no
  // short list; if not, it was read. So no group is both read and in one of the largest sets.
  bool look_at_sets() {
    begin_reading();
    forget();
    n_looked_up_ = 0;
    sets_.clear();
    largest_ = n_features_ - best_;
    to_read_.clear();
    pairs_.clear();
    keep({0, ValueLists::kEverything}, 0);
    std::uint64_t longs = 0;
    for (std::size_t f = 0; f < n_features_; ++f) {
      partners_[f] = 0;
      if (const Listed one = listed(f); one.list != ValueLists::kNoList && take({std::uint64_t{1} << f, one.list}, 1))
        longs |= std::uint64_t{1} << f;
    }
    if (is_worth(0, longs)) look_at_pairs(longs);
    read_all();
    for (const auto& [pair, f, g] : pairs_) {
      extend(pair, 2, partners_[f] & partners_[g] & ~((std::uint64_t{2} << g) - 1));
      if (to_read_.size() > kListsAtOnce) read_all();
    }
    read_all();
    if (is_dear()) return false;
    if (own_ != detail::kNoGroup && lists_->is_without_single() && is_new(own_) && !is_in_a_set(agreement(own_)))
      note(own_, count_disagreements(own_));
    settle();
    return true;
  }

  void look_at_pairs(std::uint64_t longs) {
    const auto for_pairs = [&](const auto& visit) {
      for (std::uint64_t some = longs; some != 0 && !is_dear(); some &= some - 1) {
        const auto f = static_cast<std::size_t>(std::countr_zero(some));
        const ValueLists::List list = lists_->of(f, asked_[f]);
        for (std::uint64_t others = some & (some - 1); others != 0; others &= others - 1)
          visit(f, list, static_cast<std::size_t>(std::countr_zero(others)));
      }
    };
    for_pairs(
        [&](std::size_t, ValueLists::List list, std::size_t g) { prefetch(lists_->place_of(list, g, asked_[g])); });
    for_pairs([&](std::size_t f, ValueLists::List list, std::size_t g) {
      const Set pair = {std::uint64_t{1} << f | std::uint64_t{1} << g, lists_->of(list, g, asked_[g])};
      n_looked_up_ += kLookUp;
      if (pair.list == ValueLists::kNoList || !take(pair, 2)) return;
      partners_[f] |= std::uint64_t{1} << g;
      partners_[g] |= std::uint64_t{1} << f;
      pairs_.push_back({pair, f, g});
    });
  }

  // Adds a feature from `others`, all later ones, to a set of n; each of them has a long list with each feature of it.
  void extend(const Set& set, std::size_t n, std::uint64_t others) {
    for (; others != 0 && is_worth(n, others) && !is_dear(); others &= others - 1) {
      const auto f = static_cast<std::size_t>(std::countr_zero(others));
      const Set larger = {set.features | std::uint64_t{1} << f, lists_->of(set.list, f, asked_[f])};
      n_looked_up_ += kLookUp;
      if (larger.list != ValueLists::kNoList && take(larger, n + 1))
        extend(larger, n + 1, others & (others - 1) & partners_[f]);
    }
  }

  // Whether a set of n with some of `others` may be as large as the nearest group's, or, if asked, one smaller.
  bool is_worth(std::size_t n, std::uint64_t others) const {
    return n + static_cast<std::size_t>(std::popcount(others)) + slack_ >= std::max(largest_, n_features_ - best_);
  }
  bool is_dear() const { return n_looked_up_ > cases_.n_groups / kTimesDearer; }

  // Puts a short list aside, keeps a long one; true for the latter.
  bool take(const Set& set, std::size_t n) {
    if (!lists_->is_long(set.list)) {
      to_read_.push_back(lists_->groups(set.list));
      n_looked_up_ += to_read_.back().size();
      prefetch(to_read_.back().data());
      return false;
    }
    keep(set, n);
    return true;
  }
  void keep(const Set& set, std::size_t n) {
    largest_ = std::max(largest_, n);
    if (n + slack_ >= largest_) sets_.push_back(set);
  }
  bool is_in_a_set(std::uint64_t features) const {
    return std::any_of(sets_.begin(), sets_.end(), [&](const Set& set) { return set.features == features; });
  }

  // Finds the nearest sets, and reads their groups if these must be listed.
  void settle() {
    const std::size_t n_most = std::max(largest_, n_features_ - best_);
    if (n_features_ - best_ < n_most) {
      next_.clear();
      if (slack_ != 0 && n_features_ - best_ + 1 == n_most) next_.swap(nearest_);
      nearest_.clear();
      best_ = n_features_ - n_most;
    }
    for (const Set& set : sets_) {
      const auto n = static_cast<std::size_t>(std::popcount(set.features));
      if (n == n_most) nearest_sets_.push_back(set);
      if (n + slack_ == n_most && slack_ != 0) next_sets_.push_back(set);
    }
    if (may_sum_) return;
    for (const Set& set : nearest_sets_) to_read_.push_back(lists_->groups(set.list));
    for (const Set& set : next_sets_) to_read_.push_back(lists_->groups(set.list));
    read_all();
    nearest_sets_.clear();
    next_sets_.clear();
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
  std::vector<std::vector<Listed>> boxes_;
  std::vector<std::span<const Row>> to_read_;
  std::vector<Row> rows_;
  bool may_sum_ = false;
  std::size_t expected_;         // on how many features the nearest group may agree
  std::size_t largest_ = 0;      // the number of features of the largest set
  std::size_t n_looked_up_ = 0;  // the work of a question, in groups read
  std::vector<Set> sets_;        // some may be smaller than is asked for
  std::vector<LongPair> pairs_;
  std::vector<std::uint64_t> partners_;  // per feature, those with which it has a long list
  const std::uint32_t* asked_ = nullptr;
  Row skipped_ = detail::kNoGroup, own_ = detail::kNoGroup;
  std::size_t best_ = 0;
  std::vector<Row> nearest_, next_;
  std::vector<Set> nearest_sets_, next_sets_;
};

}  // namespace casebase
