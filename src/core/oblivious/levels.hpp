// The feature of each level of an oblivious tree that tells all training cases apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/oblivious/disorder.hpp"
#include "core/oblivious/graph_arrays.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Chooses the feature of each level: the one with the greatest conditional mutual information with the class, given the
// features above. Continues as long as a feature splits cases with different best predictions, even without gain.
class LevelChooser {
 public:
  LevelChooser(const DistinctCases& cases, const Preference& prefer, bool by_ratio, const Watch& watch)
      : cases_(cases), best_(best_answers(cases, prefer)), by_ratio_(by_ratio), watch_(watch), classes_(cases) {
    classes_.clear();
    std::vector<Row> all(cases.n_rows);
    std::iota(all.begin(), all.end(), Row{0});
    for (const Row row : all) classes_.add(row);
    total_ = classes_.size();
    keep_if_mixed(std::move(all));
  }

  std::vector<std::uint32_t> choose() {
    std::vector<std::uint32_t> order;
    std::vector<bool> is_asked(cases_.columns.size(), false);
    for (;;) {
      std::vector<double> worth(cases_.columns.size(), kNothing);
      for (std::size_t f = 0; f < worth.size(); ++f)
        if (!is_asked[f]) worth[f] = worth_of(f, share(order.size(), f));
      const double best = worth.empty() ? kNothing : *std::max_element(worth.begin(), worth.end());
      if (best == kNothing) return order;
      std::size_t f = 0;
      while (worth[f] < best - kSameCriterion) ++f;
      is_asked[f] = true;
      order.push_back(static_cast<std::uint32_t>(f));
      auto cells = std::move(mixed_);
      mixed_.clear();
      for (auto& cell : cells) {
        sort_by(f, cell.rows);
        for (std::size_t i = 0; i < keyed_.size();) keep_if_mixed(next_run(i));
      }
    }
  }

 private:
  struct MixedCell {
    std::vector<Row> rows;
    bool may_end_here;  // all rows have the same best prediction
  };
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  // How much is done when some features are chosen and some are tried for the next level, as if all were chosen.
  double share(std::size_t n_chosen, std::size_t n_tried) const {
    const double n = static_cast<double>(cases_.columns.size());
    return (static_cast<double>(n_chosen) + static_cast<double>(n_tried) / n) / n;
  }

  void sort_by(std::size_t f, const std::vector<Row>& cell) {
    keyed_.clear();
    for (const Row row : cell) keyed_.push_back({cases_.columns[f].code(row), row});
    std::sort(keyed_.begin(), keyed_.end());
  }

  std::vector<Row> next_run(std::size_t& i) const {
    std::vector<Row> run;
    for (const std::uint32_t code = keyed_[i].first; i < keyed_.size() && keyed_[i].first == code; ++i)
      run.push_back(keyed_[i].second);
    return run;
  }

  void keep_if_mixed(std::vector<Row>&& cell) {
    classes_.clear();
    for (const Row row : cell) classes_.add(row);
    if (classes_.labels().size() < 2) return;
    const bool may_end_here = !is_open(best_, cell, 0, cell.size());
    mixed_.push_back({std::move(cell), may_end_here});
  }

  // The conditional mutual information of feature and class, or its ratio to the feature's conditional entropy;
  // kNothing if the feature splits no cell with different best predictions.
  double worth_of(std::size_t f, double share_done) {
    double gain = 0.0, split = 0.0;
    bool divides = false;
    for (const auto& cell : mixed_) {
      watch_(share_done);
      sort_by(f, cell.rows);
      if (keyed_.front().first == keyed_.back().first) continue;
      divides = divides || !cell.may_end_here;
      classes_.clear();
      for (const Row row : cell.rows) classes_.add(row);
      gain += classes_.disorder();
      split += n_log_n(classes_.size());
      for (std::size_t i = 0; i < keyed_.size();) {
        classes_.clear();
        for (const std::uint32_t code = keyed_[i].first; i < keyed_.size() && keyed_[i].first == code; ++i)
          classes_.add(keyed_[i].second);
        gain -= classes_.disorder();
        split -= n_log_n(classes_.size());
      }
    }
    if (!divides) return kNothing;
    return by_ratio_ ? gain / split : gain / total_;
  }

  const DistinctCases& cases_;
  std::vector<Label> best_;
  bool by_ratio_;
  const Watch& watch_;
  ClassSum classes_;
  double total_;
  std::vector<MixedCell> mixed_;  // cells of several classes
  std::vector<std::pair<std::uint32_t, Row>> keyed_;
};

}  // namespace casebase
