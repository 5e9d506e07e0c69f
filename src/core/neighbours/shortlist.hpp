// The candidates that may still be within the bound, with partial sums of their distances.
//
// Where costs are looked up one by one, a feature is looked up only for the candidates that are left after the features
// before it. So the most selective features come first, and those with very many grades, which cost most, last.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/memory/runs.hpp"
#include "core/neighbours/question.hpp"
#include "core/neighbours/scan.hpp"
#include "core/types.hpp"

namespace casebase {

class Shortlist {
 public:
  std::size_t size() const { return n_; }
  Row at(std::size_t i) const { return static_cast<Row>(entries_[i]); }
  Step sum(std::size_t i) const { return static_cast<Step>(std::min(entries_[i] >> kSumShift, kMost)); }

  void clear() { n_ = 0; }

  void add(Row position, Step sum) { entries_[n_++] = entry(position, sum); }

  // Keeps those of the positions begin … begin + n - 1, n ≤ kBlock, at `base` steps, that are within the bound after
  // these features. Most drop out at the first two, so these are added before a position is listed.
  void assign(Row begin, std::size_t n, Step base, Question& question, const std::vector<std::uint32_t>& features,
              Step bound) {
    std::size_t n_added = 0;
    if (features.size() >= 2 && is_plain(question, features[0]) && is_plain(question, features[1])) {
      list_by_two(begin, n, base, question, features[0], features[1], bound);
      n_added = 2;
    } else {
      for (std::size_t i = 0; i < n; ++i) entries_[i] = entry(begin + static_cast<Row>(i), base);
      n_ = n;
    }
    add_features(question, features, bound, n_added);
  }

  // Adds the costs of the features, starting with features[from].
  void add_features(Question& question, const std::vector<std::uint32_t>& features, Step bound, std::size_t from = 0) {
    for (std::size_t i = from; i < features.size() && n_ > 0; ++i) add_feature(question, features[i], bound);
  }

  // Adds the cost of a feature; candidates past the bound drop out.
  void add_feature(Question& question, std::size_t f, Step bound) {
    question.with_steps(f, [&](auto steps) { keep(bound, steps); });
  }

  // The same for a numeric feature of rows, whose cost has no upper limit.
  void add_number(Question& question, std::size_t f, Step bound) {
    keep(bound, [&](Row row) { return question.number_step(f, row); });
  }

  // The nearest first.
  void sort() { std::sort(entries_.begin(), entries_.begin() + n_); }

 private:
  // The sum in the high bits, the position in the low bits: one number to add to, compare and sort by.
  static constexpr unsigned kSumShift = 32;
  static constexpr std::uint64_t kMost = 0xFFFF;  // as a bound it means "no bound"
  static std::uint64_t entry(Row position, Step sum) { return std::uint64_t{sum} << kSumShift | position; }

  static bool is_plain(Question& question, std::size_t f) {
    question.make_ready(f);
    return question.costs()[f].costs != nullptr;
  }

  void list_by_two(Row begin, std::size_t n, Step base, const Question& question, std::size_t f, std::size_t g,
                   Step bound) {
    const Step* costs_f = question.costs()[f].costs;
    const Step* costs_g = question.costs()[g].costs;
    const std::uint32_t limit = bound < kMost ? bound : ~std::uint32_t{0};
    n_ = detail::with_codes(question.grades(f), [&](const auto* codes_f) {
      return detail::with_codes(question.grades(g), [&](const auto* codes_g) {
        std::size_t n_left = 0;
        for (Row position = begin; position < begin + n; ++position) {
          const std::uint32_t sum = std::uint32_t{base} + costs_f[codes_f[position]] + costs_g[codes_g[position]];
          entries_[n_left] = std::uint64_t{sum} << kSumShift | position;
          n_left += sum <= limit;
        }
        return n_left;
      });
    });
  }

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

// Features by descending cost on a small sample of positions; the sample is repeated now and then.
class Telling {
 public:
  // Must be called before another question or segment.
  void forget() {
    for (Order& order : orders_) order.n_asked = 0;
  }

  // The features first … last - 1, the most selective on these n positions first, late ones last.
  template <class PositionAt>
  const std::vector<std::uint32_t>& order(Question& question, std::size_t first, std::size_t last, std::size_t n,
                                          PositionAt position_at) {
    if (first >= orders_.size()) orders_.resize(last + 1);
    Order& order = orders_[first];
    if (order.n_asked++ % kAgain != 0) return order.features;
    order.features.clear();
    costs_.assign(last, 0);
    const std::size_t stride = std::max<std::size_t>(1, n / kSampled);
    for (std::size_t f = first; f < last; ++f) {
      if (!question.is_late(f)) {
        question.make_ready(f);
        costs_[f] = 1;
        for (std::size_t i = 0; i < n; i += stride) costs_[f] += question.step_of(f, position_at(i));
      }
      auto place = order.features.end();
      while (place != order.features.begin() && costs_[place[-1]] < costs_[f]) --place;
      order.features.insert(place, static_cast<std::uint32_t>(f));
    }
    return order.features;
  }

 private:
  static constexpr std::size_t kSampled = 4, kAgain = 32;
  struct Order {
    std::size_t n_asked = 0;
    std::vector<std::uint32_t> features;
  };
  std::vector<Order> orders_;  // by the first of the features
  std::vector<std::uint32_t> costs_;
};

}  // namespace casebase
