// A case base for one question at a time: a tree (IGTree), a nearest-neighbour search (IB1), or a tree above a search
// (TRIBL).
//
// The codes of a question are in a small array, one per feature in the order of the case base. So a question can depend
// on earlier answers: it is written only after the last one is answered.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/neighbours/igtree.hpp"
#include "core/neighbours/neighbours.hpp"
#include "core/types.hpp"
#include "core/votes.hpp"

namespace casebase {

enum class Vote { equal, inverse_distance, inverse_linear, exponential, exponential_above_zero };

// How many distances vote, and what their votes are worth.
struct VotingRule {
  std::size_t k;
  ExactMatch exact;
  bool retries_exact;  // whether a tie between identical cases is searched again
  Vote vote;
  double alpha, beta;  // of the exponential vote
};

// Stored cases, and what a search needs.
struct StoredCases {
  Searches* searches;
  const Comparisons* comparisons;
  Metric metric;
  Labelled labelled;
  std::size_t n_cases;
  VotingRule rule;
};

// Questions go down the tree if there is one. If a question passes all levels and there are stored cases, those that
// agree with it on these levels answer.
struct CaseBase {
  std::size_t n_features;
  std::optional<TreeView> tree;
  std::size_t n_levels;
  std::optional<StoredCases> cases;
  Preference prefer;
  std::size_t n_classes;
};

struct Candidate {
  Label label;
  double votes;
};

// The factor of each group of cases at one distance, nearest first.
inline void vote_factors(const VotingRule& rule, const std::vector<double>& distance, std::vector<double>& factor) {
  constexpr double kFaint =
      8.0;  // beyond this exponent, exponential votes are relative to the nearest group: no underflow
  const std::size_t n = distance.size();
  factor.assign(n, 1.0);
  switch (rule.vote) {
    case Vote::equal:
      return;
    case Vote::inverse_distance:
      if (std::isinf(distance[0])) return;
      for (std::size_t g = 0; g < n; ++g) factor[g] = 1.0 / (distance[g] + kEpsilon);
      return;
    case Vote::inverse_linear: {
      const double span = distance[n - 1] - distance[0];
      if (!(span > 0.0)) return;
      for (std::size_t g = 0; g < n; ++g) factor[g] = (distance[n - 1] - distance[g]) / span;
      return;
    }
    case Vote::exponential: {
      const double nearest = rule.alpha * std::pow(distance[0], rule.beta);
      if (std::isinf(nearest)) return;
      for (std::size_t g = 0; g < n; ++g)
        factor[g] = std::exp((nearest > kFaint ? nearest : 0.0) - rule.alpha * std::pow(distance[g], rule.beta));
      return;
    }
    case Vote::exponential_above_zero:
      for (std::size_t g = 0; g < n; ++g) {
        factor[g] = std::exp(-rule.alpha * std::pow(distance[g], rule.beta));
        if (factor[g] == 0.0) factor[g] = kEpsilon;
      }
  }
}

// Answers questions from a case base; each thread has its own.
class Asker {
 public:
  explicit Asker(const CaseBase& base) : base_(base), codes_(base.n_features), tally_() {
    for (const std::uint32_t& code : codes_) columns_.push_back({&code, Column::Width::u32});
    levels_.assign(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(base.n_levels));
    if (!base.cases) return;
    const Metric& metric = base.cases->metric;
    const std::size_t n = base.n_features;
    scope_[0] = static_cast<std::uint32_t>(base.n_levels);
    asked_ = {columns_, 1,      {metric.weights, 1, n}, {metric.ranges, 1, n}, {metric.sum_order, 1, n}, {scope_, 1, 4},
              nullptr,  nullptr};
    search_.emplace(base.cases->searches->lend(*base.cases->comparisons, asked_));
    teller_.emplace(base.cases->labelled, base.n_classes, base.prefer);
  }
  Asker(const Asker&) = delete;

  // The buffer for the codes of the next question.
  std::uint32_t* codes() { return codes_.data(); }

  // The class of the question. Its votes are available afterwards.
  Label answer() {
    if (base_.tree) {
      const Walk at = walk_tree(base_.tree->first_child, base_.tree->value, levels_, 0);
      if (!base_.cases || at.depth < base_.n_levels || base_.n_levels == base_.n_features) {
        node_ = at.node;
        by_cases_ = false;
        return base_.tree->label[at.node];
      }
    }
    by_cases_ = true;
    const VotingRule& rule = base_.cases->rule;
    bool is_tied = vote(rule.k, true, tally_);
    const bool may_retry = (rule.retries_exact && rule.exact != ExactMatch::alone) || !found_.is_exact[0];
    if (is_tied && may_retry && !vote(rule.k + 1, false, second_tally_)) std::swap(tally_, second_tally_);
    return tally_.label[0];
  }

  // The classes with votes: the predicted one first, then by descending votes; ties by rank.
  void candidates(Label chosen, std::vector<Candidate>& out) const {
    out.clear();
    if (by_cases_) {
      for (std::size_t i = 0; i < tally_.votes.size(); ++i) out.push_back({tally_.vote_label[i], tally_.votes[i]});
    } else {
      for (auto i = base_.tree->first_count[node_]; i < base_.tree->first_count[node_ + 1]; ++i)
        out.push_back({base_.tree->count_label[i], base_.tree->count[i]});
    }
    std::sort(out.begin(), out.end(), [&](const Candidate& a, const Candidate& b) {
      if ((a.label == chosen) != (b.label == chosen)) return a.label == chosen;
      return a.votes != b.votes ? a.votes > b.votes : base_.prefer.rank[a.label] > base_.prefer.rank[b.label];
    });
  }

 private:
  // Finds the cases at the k nearest distances and counts their votes. Returns whether there is a tie.
  bool vote(std::size_t k, bool is_first, Tally& tally) {
    const StoredCases& cases = *base_.cases;
    // With k > 1, identical cases are neighbours like others, unless they answer alone.
    const bool like_others = cases.rule.exact == ExactMatch::first && cases.rule.k > 1;
    found_.distance.clear();
    found_.n_rows.clear();
    found_.n_groups.clear();
    found_.rows.clear();
    found_.is_exact.clear();
    const std::uint32_t question = 0;
    detail::find_neighbours(**search_, asked_, &question, 1, std::min(k, cases.n_cases),
                            like_others ? ExactMatch::never : cases.rule.exact, found_);
    vote_factors(cases.rule, found_.distance, factor_);
    // Identical cases that answer alone have one vote each, whatever the weight of distance 0.
    if (is_first && found_.is_exact[0] && found_.distance.size() == 1) factor_[0] = 1.0;
    const Row* rows = found_.rows.data();
    for (std::size_t g = 0; g < found_.distance.size(); rows += found_.n_rows[g++])
      teller_->add_group(rows, found_.n_rows[g], factor_[g]);
    tally.label.clear();
    tally.is_tied.clear();
    tally.first_vote.assign(1, 0);
    tally.vote_label.clear();
    tally.votes.clear();
    teller_->decide(tally);
    return tally.is_tied[0] != 0;
  }

  const CaseBase& base_;
  std::vector<std::uint32_t> codes_;
  std::vector<Column> columns_, levels_;
  std::uint32_t scope_[4] = {0, kNoRow, 0, kNoLabel};
  Questions asked_{};
  std::optional<Searches::Lent> search_;
  std::optional<Teller> teller_;
  Neighbours found_;
  std::vector<double> factor_;
  Tally tally_, second_tally_;
  std::uint32_t node_ = 0;
  bool by_cases_ = false;
};

}  // namespace casebase
