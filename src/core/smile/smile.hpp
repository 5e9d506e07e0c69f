// SMILE: the feature sets on which enough stored cases agree with a question, and the votes of those cases.
//
// Each stored case agrees with the question on a set of features, its mask. The search visits distinct masks
// from the largest down. A mask A that no chosen set contains is chosen if more than alpha cases agree on all of it,
// that is, if the counts of all masks that contain A sum to more than alpha. If a chosen set contained such a mask, it
// would contain A too; so only masks that no chosen set contains need to be summed, and the sum can stop once it passes
// alpha. The lattice of all feature sets is never built.
//
// The votes are those of Equation 4.14, one for every case of a pool, or a pool weighs 2^(number of its features). Only
// ratios matter, so the weight of the largest chosen set is 1: powers of two are exact, and none overflows.
//
// Reference: Han and Lam, "Lazy learning by scanning memory image lattice", Figure 2 and Equation 4.14.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <vector>

#include "core/smile/agreement.hpp"
#include "core/smile/mask_set.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

// Stored cases with equal ones merged: row r stands for `count[e]` cases of class `label[e]`, for the entries e from
// first_entry[r] on, and for `total[r]` cases in all.
struct MergedCases {
  std::vector<Column> columns;
  std::size_t n_rows;
  const std::uint32_t* first_entry;
  const Label* label;
  const double* count;
  std::vector<double> total;
};

// A held-out entry, or the part of its count that is held out.
struct HeldOutEntry {
  std::size_t row;
  Label label;
  double count;
};

// Answers questions one by one; each thread has its own instance.
class LatticeScan {
 public:
  LatticeScan(const MergedCases& cases)
      : cases_(cases),
        agreement_(agreement_with(cases.columns, cases.total)),
        chosen_(cases.columns.size()),
        waiting_(cases.columns.size()),
        level_begin_(cases.columns.size() + 2) {}

  // Compares the question with all cases that are not held out; the codes are as for Agreement::compare.
  void look_at(const std::uint32_t* asked, const HeldOutEntry* held_out = nullptr) {
    agreement_->compare(asked);
    if (held_out) agreement_->count(agreement_->masks_of_rows()[held_out->row]) -= held_out->count;
    held_out_ = held_out;
    knows_pools_ = false;
    sort_by_level();
  }

  // Computes the pools of all masks in advance, which pays if several values of alpha follow.
  void sum_pools() {
    waiting_.clear();
    waiting_masks_.clear();
    pool_.resize(agreement_->n_masks());
    for (const auto mask : by_level_) {
      list_features(mask);
      pool_[mask] = agreement_->count(mask);
      waiting_.for_supersets(features_, [&](std::size_t i) {
        pool_[mask] += agreement_->count(waiting_masks_[i]);
        return true;
      });
      waiting_.add(features_);
      waiting_masks_.push_back(mask);
    }
    knows_pools_ = true;
  }

  // Chooses the feature sets on which more than alpha cases agree; their pools weigh by the size of the set, or all 1.
  void choose(double alpha, bool by_size) {
    chosen_.clear();
    chosen_masks_.clear();
    is_voter_.assign(agreement_->n_masks(), 0);
    weight_.resize(agreement_->n_masks());
    if (!knows_pools_) {
      waiting_.clear();
      waiting_masks_.clear();
    }
    for (const auto mask : by_level_) {
      if (knows_pools_ && pool_[mask] <= alpha) continue;
      list_features(mask);
      if (chosen_.has_superset(features_)) continue;
      if (!knows_pools_ && !exceeds(alpha, mask)) {
        waiting_.add(features_);
        waiting_masks_.push_back(mask);
        continue;
      }
      chosen_.add(features_);
      chosen_masks_.push_back(mask);
      const double weight = by_size ? weight_of(mask) : 1.0;
      if (!knows_pools_) add_weight(mask, weight);  // otherwise the mask itself is in the list
      waiting_.for_supersets(features_, [&](std::size_t i) {
        add_weight(waiting_masks_[i], weight);
        return true;
      });
    }
  }

  // The chosen sets, as numbers of masks, the largest first.
  const std::vector<std::uint32_t>& chosen() const { return chosen_masks_; }
  const std::uint64_t* mask(std::size_t number) const { return agreement_->mask(number); }
  std::size_t n_words() const { return agreement_->n_words(); }

  // Counts every case with the weight of each chosen set that its mask contains; no votes if no set was chosen.
  void vote(Ballot& ballot) {
    if (chosen_masks_.empty()) return;
    // Most cases are in no pool: those that are in one are listed first, without a branch to mispredict.
    voters_.resize(cases_.n_rows);
    std::uint32_t* const voters = voters_.data();
    const std::uint32_t* const mask_of_row = agreement_->masks_of_rows();
    const std::uint8_t* const is_voter = is_voter_.data();
    std::size_t n_voters = 0;
    for (std::size_t row = 0; row < cases_.n_rows; ++row) {
      voters[n_voters] = static_cast<std::uint32_t>(row);
      n_voters += is_voter[mask_of_row[row]];
    }
    for (std::size_t i = 0; i < n_voters; ++i) {
      const std::size_t row = voters[i];
      const double weight = weight_[mask_of_row[row]];
      for (auto e = cases_.first_entry[row]; e < cases_.first_entry[row + 1]; ++e) {
        double count = cases_.count[e];
        if (held_out_ && held_out_->row == row && held_out_->label == cases_.label[e]) count -= held_out_->count;
        if (count > 0.0) ballot.add(cases_.label[e], weight * count);
      }
    }
  }

 private:
  // 2^(number of features), divided by that of the first set that was chosen, which is the largest; 0 if too small.
  double weight_of(std::uint32_t mask) const {
    return std::ldexp(1.0, static_cast<int>(level_[mask]) - static_cast<int>(level_[chosen_masks_.front()]));
  }

  // A mask whose weight is too small for a number does not vote.
  void add_weight(std::uint32_t mask, double weight) {
    weight_[mask] = is_voter_[mask] ? weight_[mask] + weight : weight;
    is_voter_[mask] = weight_[mask] > 0.0;
  }

  // Whether more than alpha cases agree on a mask: its own cases, and those of larger masks that were not chosen.
  bool exceeds(double alpha, std::uint32_t mask) const {
    double n_cases = agreement_->count(mask);
    if (n_cases <= alpha)
      waiting_.for_supersets(features_, [&](std::size_t i) {
        n_cases += agreement_->count(waiting_masks_[i]);
        return n_cases <= alpha;
      });
    return n_cases > alpha;
  }

  // Masks by descending number of features, without the empty mask and masks that only held-out cases have.
  void sort_by_level() {
    const std::size_t n = agreement_->n_masks();
    level_.resize(n);
    std::fill(level_begin_.begin(), level_begin_.end(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t level = 0;
      for (std::size_t w = 0; w < n_words(); ++w) level += static_cast<std::uint32_t>(std::popcount(mask(i)[w]));
      level_[i] = agreement_->count(i) > 0.0 ? level : 0;
      ++level_begin_[level_[i]];
    }
    std::uint32_t begin = 0;
    for (std::size_t level = level_begin_.size() - 1; level > 0; --level) {
      const std::uint32_t size = level_begin_[level];
      level_begin_[level] = begin;
      begin += size;
    }
    by_level_.resize(begin);
    for (std::uint32_t i = 0; i < n; ++i)
      if (level_[i] > 0) by_level_[level_begin_[level_[i]]++] = i;
  }

  void list_features(std::uint32_t number) {
    features_.clear();
    for (std::size_t w = 0; w < n_words(); ++w)
      for (auto bits = mask(number)[w]; bits; bits &= bits - 1)
        features_.push_back(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(bits))));
  }

  const MergedCases& cases_;
  std::unique_ptr<Agreement> agreement_;
  const HeldOutEntry* held_out_ = nullptr;
  bool knows_pools_ = false;
  std::vector<double> pool_;  // by mask, its own cases and those of all masks that contain it
  std::vector<std::uint32_t> level_, by_level_;
  MaskSet chosen_, waiting_;
  std::vector<std::uint32_t> chosen_masks_, waiting_masks_;
  std::vector<std::uint8_t> is_voter_;  // by mask, whether its cases are in a pool
  std::vector<double> weight_;          // by mask of a voter, the weights of the pools that contain its cases
  std::vector<std::uint32_t> features_;
  std::vector<std::uint32_t> voters_;  // rows in some pool
  std::vector<std::uint32_t> level_begin_;
};

}  // namespace casebase
