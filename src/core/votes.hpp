// From votes to a class, with deterministic tie-breaking.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// How ties between classes are broken: the class more frequent in training wins, then the lower rank.
// Ranks are the order of the labels, or the order of first appearance where TiMBL is followed.
struct Preference {
  const double* frequency;    // per class
  const std::uint32_t* rank;  // per class, a permutation
};

struct Choice {
  Label label;
  bool is_tied;
};

// Votes of several groups summed per class. Reused between queries: only the classes that were touched are reset.
class Ballot {
 public:
  explicit Ballot(std::size_t n_classes) : votes_(n_classes, 0.0), is_listed_(n_classes, false) {}

  void add(Label label, double votes) {
    if (!is_listed_[label]) {
      is_listed_[label] = true;
      listed_.push_back(label);
    }
    votes_[label] += votes;
  }

  void clear() {
    for (const Label label : listed_) {
      votes_[label] = 0.0;
      is_listed_[label] = false;
    }
    listed_.clear();
  }

  const std::vector<Label>& labels() const { return listed_; }
  double votes(Label label) const { return votes_[label]; }

  // Classes are compared in the order of rank. A class with more votes wins; one with equal votes (up to rounding) is
  // tied, and wins if it is strictly more frequent in training.
  Choice choose(const Preference& prefer) {
    std::sort(listed_.begin(), listed_.end(), [&](Label a, Label b) { return prefer.rank[a] < prefer.rank[b]; });
    Choice best{listed_.front(), false};
    double top = votes_[best.label];
    for (std::size_t i = 1; i < listed_.size(); ++i) {
      const Label label = listed_[i];
      if (votes_[label] > top) {
        top = votes_[label];
        best = {label, false};
      } else if (std::abs(votes_[label] - top) < kEpsilon) {
        best.is_tied = true;
        if (prefer.frequency[label] > prefer.frequency[best.label]) best.label = label;
      }
    }
    return best;
  }

 private:
  std::vector<double> votes_;
  std::vector<bool> is_listed_;
  std::vector<Label> listed_;
};

}  // namespace casebase
