// The groups that have a set of values, one of some of the features each, and their codes row by row.
//
// Where features have many values, a question agrees with most groups on nothing, and the groups that agree with it on
// a few features are found by their values rather than by comparing all. There is a list of groups for every single
// value. A list that is long is divided by the values of every later feature, into lists of two values; long ones of
// these again, and so on. So the lists of a question are either short, and read, or long; for the class counts of a
// long one there is a sum. How many lists a question has hardly depends on the number of groups.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace casebase {

struct AbstractCases {
  std::vector<Column> columns;  // codes; groups are distinct
  std::size_t n_groups = 0;
  const std::uint64_t* first_count = nullptr;  // the first class count of each group, and the end
  const Label* count_label = nullptr;
  const double* count = nullptr;
};

class ValueLists {
 public:
  using List = std::uint32_t;
  static constexpr List kNoList = ~List{0};
  static constexpr List kEverything = 0;     // the list of no value: all groups
  static constexpr std::size_t kLong = 8;    // longer lists are divided
  static constexpr std::size_t kDeeper = 1;  // lists of three and more values may be so many times those of two

  // With `without_single`, lists of two and more values with one group are left out: a group that looks for others
  // needs no list with itself alone.
  ValueLists(const AbstractCases& cases, bool without_single)
      : n_groups_(cases.n_groups),
        n_features_(cases.columns.size()),
        fewest_(without_single ? 2 : 1),
        codes_(n_groups_ * n_features_),
        first_item_(n_features_) {
    std::vector<std::uint32_t> n_codes(n_features_);
    for (std::size_t f = 0; f < n_features_; ++f)
      for (std::size_t i = 0; i < n_groups_; ++i) {
        const std::uint32_t code = cases.columns[f].code(i);
        codes_[i * n_features_ + f] = code;
        n_codes[f] = std::max(n_codes[f], code + 1);
      }
    lists_.push_back({0, static_cast<std::uint32_t>(n_groups_), 0});
    groups_.resize(n_groups_);
    for (std::size_t i = 0; i < n_groups_; ++i) groups_[i] = static_cast<Row>(i);
    n_of_code_.resize(*std::max_element(n_codes.begin(), n_codes.end()));
    divide(n_codes);
    add_up(cases);
  }

  std::size_t n_groups() const { return n_groups_; }
  // Whether there are lists of more than two values. There are none if they would be too many.
  bool is_deep() const { return is_deep_; }
  std::size_t n_features() const { return n_features_; }
  bool is_without_single() const { return fewest_ > 1; }

  // The list of one value; none for a value that was never seen.
  List of(std::size_t feature, std::uint32_t code) const {
    const std::size_t last = feature + 1 < n_features_ ? first_item_[feature + 1] : n_items_;
    return code < last - first_item_[feature] ? first_item_[feature] + code : kNoList;
  }
  // The list of the values of a long list and another one, of a later feature; none if no group has them all.
  List of(List list, std::size_t feature, std::uint32_t code) const {
    const List item = of(feature, code);
    if (item == kNoList || table_.empty()) return kNoList;
    const std::uint64_t key = key_of(list, item);
    const std::size_t last = table_.size() - 1;
    for (std::size_t at = hashed(key) & last; table_[at].list != kNoList; at = (at + 1) & last)
      if (table_[at].key == key) return table_[at].list;
    return kNoList;
  }
  // Where the search for this list begins.
  const void* place_of(List list, std::size_t feature, std::uint32_t code) const {
    const List item = of(feature, code);
    return table_.empty() ? nullptr : &table_[hashed(key_of(list, item)) & (table_.size() - 1)];
  }
  std::span<const Row> groups(List list) const {
    const Entry& entry = lists_[list];
    return {groups_.data() + entry.begin, entry.end - entry.begin};
  }
  // Whether the list was divided. Then it has the sum of its class counts, if all counts are whole numbers: such sums
  // are exact, so counts can be taken out of them again.
  bool is_long(List list) const { return lists_[list].sum != kNoList; }
  bool has_sums() const { return !first_sum_.empty(); }
  template <class Visit>
  void sum(List list, const Visit& visit) const {
    const List at = lists_[list].sum;
    for (std::size_t i = first_sum_[at]; i < first_sum_[at + 1]; ++i) visit(sum_label_[i], sum_[i]);
  }

  // The codes of a group, one per feature.
  const std::uint32_t* codes(Row group) const { return codes_.data() + group * n_features_; }

 private:
  static constexpr std::size_t kMostListed = std::size_t{1} << 27;  // half a gigabyte

  struct Entry {
    std::uint32_t begin, end;
    List sum;  // the number of a long list among them
  };
  struct Slot {
    std::uint64_t key = 0;
    List list = kNoList;
  };
  struct Long {
    List list;
    std::uint64_t features;
  };

  // Makes lists of one value, then of one more as long as there are long ones and they do not become too many.
  void divide(const std::vector<std::uint32_t>& n_codes) {
    std::vector<Long> longs;
    for (std::size_t f = 0; f < n_features_; ++f) {
      first_item_[f] = static_cast<List>(lists_.size());
      for (std::uint32_t code = 0; code < n_codes[f]; ++code) lists_.push_back({0, 0, kNoList});
      for (std::size_t i = 0; i < n_groups_; ++i) ++n_of_code_[codes(static_cast<Row>(i))[f]];
      auto at = static_cast<std::uint32_t>(groups_.size());
      for (std::uint32_t code = 0; code < n_codes[f]; ++code) {
        Entry& entry = lists_[first_item_[f] + code];
        entry.begin = entry.end = at;
        at += n_of_code_[code];
        if (n_of_code_[code] > kLong) longs.push_back({first_item_[f] + code, std::uint64_t{1} << f});
        n_of_code_[code] = 0;
      }
      groups_.resize(at);
      for (std::size_t i = 0; i < n_groups_; ++i)
        groups_[lists_[first_item_[f] + codes(static_cast<Row>(i))[f]].end++] = static_cast<Row>(i);
    }
    n_items_ = static_cast<List>(lists_.size());
    is_long_item_.resize(n_items_);
    for (const Long& one : longs) is_long_item_[one.list] = 1;
    std::size_t at_most = kMostListed;
    for (std::size_t n_values = 2; !longs.empty(); ++n_values) {
      const std::size_t n_before = groups_.size();
      std::vector<Long> next;
      if (!divide_all(longs, next, at_most)) break;
      is_deep_ = n_values > 2;
      for (const Long& one : longs) lists_[one.list].sum = ++n_long_;
      if (n_values == 2) {
        note_partners(next);
        at_most = std::min(at_most, groups_.size() + kDeeper * (groups_.size() - n_before));
      }
      longs = std::move(next);
    }
    partners_ = {};
    is_long_item_ = {};
    n_of_code_ = {};
  }

  // Divides lists by all later features. False, and all is as before, if there would be too many groups in lists.
  bool divide_all(const std::vector<Long>& longs, std::vector<Long>& next, std::size_t at_most) {
    const std::size_t n_lists = lists_.size(), n_listed = groups_.size();
    std::vector<Slot> made;
    auto last = std::chrono::steady_clock::now();
    for (const Long& one : longs) {
      if (between_blocks != nullptr && std::chrono::steady_clock::now() - last > std::chrono::milliseconds(100)) {
        last = std::chrono::steady_clock::now();
        between_blocks();
      }
      for (std::size_t f = 64 - static_cast<std::size_t>(std::countl_zero(one.features)); f < n_features_; ++f)
        divide_by(one, f, made, next);
      if (groups_.size() <= at_most && lists_.size() <= at_most) continue;
      lists_.resize(n_lists);
      groups_.resize(n_listed);
      return false;
    }
    put(made);
    return true;
  }

  void divide_by(const Long& one, std::size_t f, std::vector<Slot>& made, std::vector<Long>& next) {
    const Entry whole = lists_[one.list];
    const bool is_single = std::has_single_bit(one.features);
    // A group whose value is in a short list, or in a short list with one of the others, is found there.
    const auto is_divided = [&](Row group) {
      return is_single ? is_long_item_[first_item_[f] + codes(group)[f]] != 0
                       : (one.features & ~partners_[group * n_features_ + f]) == 0;
    };
    touched_.clear();
    for (std::uint32_t i = whole.begin; i < whole.end; ++i) {
      if (!is_divided(groups_[i])) continue;
      const std::uint32_t code = codes(groups_[i])[f];
      if (n_of_code_[code]++ == 0) touched_.push_back(code);
    }
    auto at = static_cast<std::uint32_t>(groups_.size());
    for (const std::uint32_t code : touched_) {
      const std::uint32_t n = n_of_code_[code];
      n_of_code_[code] = kNoList;
      if (n < fewest_) continue;
      const auto list = static_cast<List>(lists_.size());
      n_of_code_[code] = list;
      lists_.push_back({at, at, kNoList});
      made.push_back({key_of(one.list, first_item_[f] + code), list});
      if (n > kLong) next.push_back({list, one.features | std::uint64_t{1} << f});
      at += n;
    }
    groups_.resize(at);
    for (std::uint32_t i = whole.begin; i < whole.end; ++i) {
      const Row group = groups_[i];
      if (!is_divided(group)) continue;
      const List list = n_of_code_[codes(group)[f]];
      if (list != kNoList) groups_[lists_[list].end++] = group;
    }
    for (const std::uint32_t code : touched_) n_of_code_[code] = 0;
  }

  // Per group and feature, the features whose values have a long list together with this one.
  void note_partners(const std::vector<Long>& pairs) {
    partners_.resize(n_groups_ * n_features_);
    for (const Long& pair : pairs) {
      const auto f = static_cast<std::size_t>(std::countr_zero(pair.features));
      const std::size_t g = 63 - static_cast<std::size_t>(std::countl_zero(pair.features));
      for (const Row group : groups(pair.list)) {
        partners_[group * n_features_ + f] |= std::uint64_t{1} << g;
        partners_[group * n_features_ + g] |= std::uint64_t{1} << f;
      }
    }
  }

  static std::uint64_t key_of(List list, List item) { return (std::uint64_t{list} << 32) | item; }
  static std::size_t hashed(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) ^ ((key * 0x9E3779B97F4A7C15u) >> 32));
  }

  void put(const std::vector<Slot>& made) {
    n_slots_ += made.size();
    if (2 * n_slots_ > table_.size()) {
      std::vector<Slot> old(std::bit_ceil(2 * n_slots_));
      old.swap(table_);
      for (const Slot& slot : old)
        if (slot.list != kNoList) put(slot);
    }
    for (const Slot& slot : made) put(slot);
  }
  void put(const Slot& slot) {
    const std::size_t last = table_.size() - 1;
    std::size_t at = hashed(slot.key) & last;
    while (table_[at].list != kNoList) at = (at + 1) & last;
    table_[at] = slot;
  }

  void add_up(const AbstractCases& cases) {
    const std::size_t n_counts = cases.first_count[n_groups_];
    double all = 0;
    Label n_classes = 0;
    for (std::size_t i = 0; i < n_counts; ++i) {
      if (cases.count[i] != std::floor(cases.count[i])) return;
      all += cases.count[i];
      n_classes = std::max(n_classes, cases.count_label[i] + 1);
    }
    if (all >= 0x1p53) return;
    std::vector<const Entry*> longs(n_long_ + std::size_t{1});
    for (const Entry& entry : lists_)
      if (entry.sum != kNoList) longs[entry.sum] = &entry;
    std::vector<double> sum(n_classes);
    std::vector<Label> met;
    first_sum_.push_back(0);
    for (const Entry* entry : longs) {
      for (std::uint32_t at = entry->begin; at < entry->end; ++at)
        for (std::uint64_t i = cases.first_count[groups_[at]]; i < cases.first_count[groups_[at] + 1]; ++i) {
          const Label c = cases.count_label[i];
          if (sum[c] == 0) met.push_back(c);
          sum[c] += cases.count[i];
        }
      for (const Label c : met) {
        sum_label_.push_back(c);
        sum_.push_back(sum[c]);
        sum[c] = 0;
      }
      met.clear();
      first_sum_.push_back(sum_.size());
    }
  }

  std::size_t n_groups_, n_features_;
  std::uint32_t fewest_;
  std::vector<std::uint32_t> codes_;
  std::vector<List> first_item_;  // the list of each feature's first value
  List n_items_ = 0, n_long_ = 0;
  bool is_deep_ = false;
  std::vector<Entry> lists_;
  std::vector<Row> groups_;
  std::vector<Slot> table_;  // from a long list and one more value to a list, hashed; at least half of it is empty
  std::size_t n_slots_ = 0;
  std::vector<std::size_t> first_sum_;
  std::vector<Label> sum_label_;
  std::vector<double> sum_;
  // while lists are made
  std::vector<std::uint32_t> n_of_code_, touched_;
  std::vector<std::uint8_t> is_long_item_;
  std::vector<std::uint64_t> partners_;
};

}  // namespace casebase
