// The groups that have each value of each feature, or a pair of values of two features, and their codes row by row.
//
// Where features have many values, a question agrees with most groups on nothing, and the groups that agree with it on
// a few features are found by their values rather than by comparing all. The groups are sorted once by each feature,
// and once by each pair of features, so the groups with a value, or with two, are a range of such an order. Pairs are
// of values with many groups; the others have short lists.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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
  static constexpr std::size_t kShort = 32;  // shorter lists are read as fast as two values are looked up

  explicit ValueLists(const AbstractCases& cases)
      : n_groups_(cases.n_groups),
        n_features_(cases.columns.size()),
        codes_(n_groups_ * n_features_),
        first_(n_features_),
        groups_(n_features_),
        sums_(n_features_) {
    const auto& columns = cases.columns;
    const std::size_t n_groups = n_groups_;
    std::vector<Row> in_order(n_groups);
    for (std::size_t i = 0; i < n_groups; ++i) in_order[i] = static_cast<Row>(i);
    for (std::size_t f = 0; f < n_features_; ++f) {
      std::uint32_t n_codes = 0;
      for (std::size_t i = 0; i < n_groups; ++i) {
        const std::uint32_t code = columns[f].code(i);
        codes_[i * n_features_ + f] = code;
        n_codes = std::max(n_codes, code + 1);
      }
      first_[f].resize(n_codes + std::size_t{1});
      for (std::size_t i = 0; i < n_groups; ++i) ++first_[f][codes_[i * n_features_ + f] + 1];
      for (std::size_t code = 0; code < n_codes; ++code) first_[f][code + 1] += first_[f][code];
      groups_[f] = sorted_by(f, in_order);
    }
    add_up(cases);
    if (n_features_ * n_features_ * n_groups > kMostPaired) return;
    for (std::size_t g = 1; g < n_features_; ++g)
      for (std::size_t f = 0; f < g; ++f) pairs_.push_back(pairs_of(f, g));
  }

  std::size_t n_groups() const { return n_groups_; }
  std::size_t n_features() const { return n_features_; }
  bool has_pairs() const { return !pairs_.empty(); }

  // The groups with this value, in order; none for a value that was never seen.
  std::span<const Row> with(std::size_t feature, std::uint32_t code) const {
    const auto& first = first_[feature];
    if (code + std::size_t{1} >= first.size()) return {};
    return {groups_[feature].data() + first[code], first[code + 1] - first[code]};
  }

  // The class counts of all groups with this value; and of all groups. They are exact, so counts can be taken out
  // again, if all counts are whole numbers; there are none otherwise.
  bool has_sums() const { return !total_.empty(); }
  template <class Visit>
  void sums_with(std::size_t feature, std::uint32_t code, const Visit& visit) const {
    const Sums& sums = sums_[feature];
    if (code + std::size_t{1} >= sums.first.size()) return;
    for (std::size_t i = sums.first[code]; i < sums.first[code + 1]; ++i) visit(sums.label[i], sums.count[i]);
  }
  const std::vector<double>& total() const { return total_; }  // by class

  // The groups with the values that a question has for two features, in order; each value has more than kShort groups.
  std::span<const Row> with_both(std::size_t f, std::size_t g, const std::uint32_t* asked) const {
    if (f > g) std::swap(f, g);
    const Pairs& pairs = pairs_[g * (g - 1) / 2 + f];
    if (pairs.table.empty()) return {};
    const std::uint64_t key = key_of(asked[f], asked[g]);
    const std::size_t last = pairs.table.size() - 1;
    for (std::size_t at = hashed(key) & last;; at = (at + 1) & last) {
      const Range& range = pairs.table[at];
      if (range.begin == range.end) return {};
      if (range.key == key) return {pairs.groups.data() + range.begin, range.end - range.begin};
    }
  }

  // The codes of a group, one per feature.
  const std::uint32_t* codes(Row group) const { return codes_.data() + group * n_features_; }

 private:
  static constexpr std::size_t kMostPaired = std::size_t{1} << 26;  // a few hundred megabytes at most

  struct Range {
    std::uint64_t key = 0;
    std::uint32_t begin = 0, end = 0;  // equal: no range
  };
  struct Pairs {
    std::vector<Row> groups;   // sorted by both features
    std::vector<Range> table;  // from two values to their groups, hashed; at least half of it is empty
  };

  struct Sums {
    std::vector<std::size_t> first;  // the first sum of each value, and the end
    std::vector<Label> label;
    std::vector<double> count;
  };

  void add_up(const AbstractCases& cases) {
    const std::size_t n_counts = cases.first_count[n_groups_];
    double all = 0;
    for (std::size_t i = 0; i < n_counts; ++i) {
      if (cases.count[i] != std::floor(cases.count[i])) return;
      all += cases.count[i];
    }
    if (all >= 0x1p53) return;
    Label n_classes = 0;
    for (std::size_t i = 0; i < n_counts; ++i) n_classes = std::max(n_classes, cases.count_label[i] + 1);
    total_.resize(n_classes);
    for (std::size_t i = 0; i < n_counts; ++i) total_[cases.count_label[i]] += cases.count[i];
    std::vector<double> sum(n_classes);
    std::vector<Label> met;
    for (std::size_t f = 0; f < n_features_; ++f) {
      Sums& sums = sums_[f];
      sums.first.push_back(0);
      for (std::uint32_t code = 0; code + std::size_t{1} < first_[f].size(); ++code) {
        for (const Row group : with(f, code))
          for (std::uint64_t i = cases.first_count[group]; i < cases.first_count[group + 1]; ++i) {
            const Label c = cases.count_label[i];
            if (sum[c] == 0) met.push_back(c);
            sum[c] += cases.count[i];
          }
        for (const Label c : met) {
          sums.label.push_back(c);
          sums.count.push_back(sum[c]);
          sum[c] = 0;
        }
        met.clear();
        sums.first.push_back(sums.label.size());
      }
    }
  }

  static std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << 32) | b; }
  static std::size_t hashed(std::uint64_t key) {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) ^ ((key * 0x9E3779B97F4A7C15u) >> 32));
  }

  Pairs pairs_of(std::size_t f, std::size_t g) const {
    Pairs out;
    std::vector<Range> ranges;
    for (const Row group : sorted_by(f, groups_[g])) {
      const std::uint32_t a = codes(group)[f], b = codes(group)[g];
      if (with(f, a).size() <= kShort || with(g, b).size() <= kShort) continue;
      const auto at = static_cast<std::uint32_t>(out.groups.size());
      if (ranges.empty() || ranges.back().key != key_of(a, b)) ranges.push_back({key_of(a, b), at, at});
      ++ranges.back().end;
      out.groups.push_back(group);
    }
    if (ranges.empty()) return out;
    out.groups.shrink_to_fit();
    out.table.resize(std::bit_ceil(2 * ranges.size()));
    const std::size_t last = out.table.size() - 1;
    for (const Range& range : ranges) {
      std::size_t at = hashed(range.key) & last;
      while (out.table[at].begin != out.table[at].end) at = (at + 1) & last;
      out.table[at] = range;
    }
    return out;
  }

  // Sorts groups by a feature, those with one value in the order in which they came.
  std::vector<Row> sorted_by(std::size_t f, const std::vector<Row>& groups) const {
    std::vector<std::uint32_t> at(first_[f].begin(), first_[f].end() - 1);
    std::vector<Row> sorted(n_groups_);
    for (const Row group : groups) sorted[at[codes(group)[f]]++] = group;
    return sorted;
  }

  std::size_t n_groups_, n_features_;
  std::vector<std::uint32_t> codes_;
  std::vector<std::vector<std::uint32_t>> first_;
  std::vector<std::vector<Row>> groups_;
  std::vector<Sums> sums_;
  std::vector<double> total_;
  std::vector<Pairs> pairs_;  // of features f < g, at g (g - 1) / 2 + f
};

}  // namespace casebase
