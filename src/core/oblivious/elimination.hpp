// Backward elimination: the errors on held-out cases without each feature in turn.
//
// One search per group of held-out cases serves all features. Let L be the number of disagreements of the nearest
// groups. Without feature f, a group that disagrees on f has one disagreement fewer. So the nearest groups without f
// are those at L that disagree on f, if there are any; otherwise all at L, and also those at L + 1 that disagree on f.
#pragma once

#include <bit>
#include <vector>

#include "core/oblivious/abstract_cases.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

namespace casebase {

// Groups of held-out cases. Cases of a group with the same class and the same weight are one kind.
struct HeldOut {
  std::vector<Column> columns;  // values that match nothing are coded as "never seen"
  std::size_t n_groups = 0;
  bool are_stored = false;                    // leave-one-out: group i is also stored, and a case is left out of it
  const std::uint32_t* at_most = nullptr;     // upper bound of the nearest group's disagreements
  const std::uint64_t* first_kind = nullptr;  // the first kind of each group, and the end
  const Label* label = nullptr;
  const double* left_out = nullptr;  // weight of one case
  const double* amount = nullptr;    // weight of all cases of the kind
};

struct Elimination {
  std::vector<double> errors;                // weight of the errors without each feature; last, with all features
  std::vector<std::uint32_t> disagreements;  // per group, of its nearest stored groups
};

namespace detail {

// The votes of the nearest groups without each of the wanted features.
class Tallies {
 public:
  Tallies(std::size_t n_features, std::size_t n_classes, const std::uint8_t* wanted)
      : n_features_(n_features),
        wanted_(wanted),
        n_classes_(n_classes),
        all_(n_classes),
        next_(n_classes),
        of_nearest_(n_features * n_classes),
        of_next_(n_features * n_classes),
        n_nearest_(n_features),
        is_listed_(n_classes) {}

  void clear() {
    for (const Label c : listed_) {
      is_listed_[c] = 0;
      all_[c] = next_[c] = 0;
      for (std::size_t f = 0; f < n_features_; ++f) of_nearest_[f * n_classes_ + c] = of_next_[f * n_classes_ + c] = 0;
    }
    listed_.clear();
    std::fill(n_nearest_.begin(), n_nearest_.end(), std::size_t{0});
    n_all_ = 0;
  }

  // Adds up, feature by feature, the groups that disagree, or, if these are the more, those that agree. Sets agree.
  void add_nearest(const AbstractSearch& search, const AbstractCases& cases) {
    counts_agreeing_ = 2 * search.n_disagreements() > n_features_ || search.has_sets();
    n_all_ = search.nearest().size();
    for (const Row group : search.nearest()) {
      counts(cases, group, [&](Label c, double n) { all_[c] += n; });
      add_at(of_nearest_, search, cases, group, &n_nearest_);
    }
    for (const auto& set : search.nearest_sets()) {
      n_all_ += search.n_groups(set);
      for_features(set.features, [&](std::size_t f) { n_nearest_[f] += search.n_groups(set); });
      add_set(all_, of_nearest_, search, set, 1, 1);
    }
  }
  // The nearest groups are also in some of the next sets, and are taken out of them: a nearest set of n features is in
  // n sets that are smaller by one, n - 1 of which have a given one of its features.
  void add_next(const AbstractSearch& search, const AbstractCases& cases) {
    for (const Row group : search.next()) {
      counts(cases, group, [&](Label c, double n) { next_[c] += n; });
      add_at(of_next_, search, cases, group, nullptr);
    }
    if (search.next_sets().empty()) return;
    for (const auto& set : search.next_sets()) add_set(next_, of_next_, search, set, 1, 1);
    for (const auto& set : search.nearest_sets()) {
      const double n = std::popcount(set.features);
      add_set(next_, of_next_, search, set, -n, 1 - n);
    }
    for (const Row group : search.nearest()) {
      const std::uint64_t agrees = search.agreement(group);
      for (const auto& set : search.next_sets()) {
        if ((set.features & ~agrees) != 0) continue;
        counts(cases, group, [&](Label c, double n) {
          next_[c] -= n;
          for_features(set.features, [&](std::size_t f) { of_next_[f * n_classes_ + c] -= n; });
        });
      }
    }
  }

  // Whether the groups one disagreement farther could answer without some wanted feature.
  bool needs_next() const {
    for (std::size_t f = 0; f < n_features_; ++f)
      if (wanted_[f] != 0 && !has_nearer(f)) return true;
    return false;
  }

  // Whether some of the nearest groups disagree on f.
  bool has_nearer(std::size_t f) const { return counts_agreeing_ ? n_nearest_[f] < n_all_ : n_nearest_[f] > 0; }

  // The class predicted without feature f (with all, if f is the number of features), if a case of `label` with
  // `weight` is left out of the training frequencies, and out of the votes if it was counted there.
  Label choose(std::size_t f, Label label, double weight, bool is_counted, const Preference& prefer) const {
    const bool is_all = f == n_features_, is_nearer = !is_all && has_nearer(f);
    const double* some = is_all ? nullptr : &(is_nearer ? of_nearest_ : of_next_)[f * n_classes_];
    // Without f, the nearest groups are those that disagree on f; or all, with the next ones that disagree on it.
    const auto votes = [&](Label c) {
      if (is_all) return all_[c];
      const double disagreeing = counts_agreeing_ ? (is_nearer ? all_[c] : next_[c]) - some[c] : some[c];
      return is_nearer ? disagreeing : all_[c] + disagreeing;
    };
    Label best = 0;
    double top = -1, top_frequency = 0;
    for (const Label c : listed_) {
      const double held_out = c == label ? weight : 0.0;
      const double n = votes(c) - (is_counted ? held_out : 0.0);
      const double frequency = prefer.frequency[c] - held_out;
      const bool is_better =
          n != top ? n > top
                   : (frequency != top_frequency ? frequency > top_frequency : prefer.rank[c] < prefer.rank[best]);
      if (!is_better) continue;
      best = c;
      top = n;
      top_frequency = frequency;
    }
    return best;
  }

 private:
  template <class Visit>
  void counts(const AbstractCases& cases, Row group, const Visit& visit) {
    for (std::uint64_t i = cases.first_count[group]; i < cases.first_count[group + 1]; ++i) {
      const Label c = cases.count_label[i];
      list(c);
      visit(c, cases.count[i]);
    }
  }

  void list(Label c) {
    if (is_listed_[c] != 0) return;
    is_listed_[c] = 1;
    listed_.push_back(c);
  }

  template <class Visit>
  static void for_features(std::uint64_t bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  // Adds the class counts of a set, `times` to all votes and `times_each` to those of its features.
  void add_set(std::vector<double>& all, std::vector<double>& votes, const AbstractSearch& search,
               const AbstractSearch::Set& set, double times, double times_each) {
    search.sum(set, [&](Label c, double n) {
      list(c);
      all[c] += times * n;
      for_features(set.features, [&](std::size_t f) { votes[f * n_classes_ + c] += times_each * n; });
    });
  }

  void add_at(std::vector<double>& votes, const AbstractSearch& search, const AbstractCases& cases, Row group,
              std::vector<std::size_t>* number) {
    const auto add_one = [&](std::size_t f) {
      if (wanted_[f] == 0) return;
      if (number != nullptr) ++(*number)[f];
      counts(cases, group, [&](Label c, double n) { votes[f * n_classes_ + c] += n; });
    };
    if (search.has_lists()) {
      const std::uint64_t everything = ~std::uint64_t{0} >> (64 - n_features_), agrees = search.agreement(group);
      for (std::uint64_t bits = counts_agreeing_ ? agrees : everything & ~agrees; bits != 0; bits &= bits - 1)
        add_one(static_cast<std::size_t>(std::countr_zero(bits)));
    } else {
      for (std::size_t f = 0; f < n_features_; ++f)
        if (search.disagrees(group, f) != counts_agreeing_) add_one(f);
    }
  }

  std::size_t n_features_;
  const std::uint8_t* wanted_;
  std::size_t n_classes_;
  std::vector<double> all_, next_;            // votes of the nearest groups, and of those one disagreement farther
  std::vector<double> of_nearest_, of_next_;  // by feature, of those that disagree on it, or that agree
  std::vector<std::size_t> n_nearest_;
  std::size_t n_all_ = 0;
  bool counts_agreeing_ = false;
  std::vector<std::uint8_t> is_listed_;
  std::vector<Label> listed_;
};

}  // namespace detail

// The errors on held-out groups [begin, end): without each feature that is wanted, and with all.
inline Elimination eliminate(const AbstractCases& cases, const HeldOut& held_out, std::size_t begin, std::size_t end,
                             std::size_t n_classes, const Preference& prefer, const std::uint8_t* wanted,
                             const ValueLists* lists, unsigned n_threads) {
  const std::size_t n_features = cases.columns.size();
  const bool any_feature = std::find(wanted, wanted + n_features, std::uint8_t{1}) != wanted + n_features;
  constexpr std::size_t kBlock = 8;
  Elimination out{std::vector<double>(n_features + 1), std::vector<std::uint32_t>(end - begin)};
  std::vector<double> in_block((end - begin + kBlock - 1) / kBlock * (n_features + 1));
  struct Tool {
    AbstractSearch search;
    detail::Tallies tallies;
    std::vector<std::uint32_t> asked;
  };
  auto make_tool = [&] {
    return Tool{AbstractSearch(cases, lists), {n_features, n_classes, wanted}, std::vector<std::uint32_t>(n_features)};
  };
  auto work = [&](Tool& tool, std::size_t block, std::size_t from, std::size_t to) {
    double* errors = &in_block[block * (n_features + 1)];
    for (std::size_t q = begin + from; q < begin + to; ++q) {
      for (std::size_t f = 0; f < n_features; ++f) tool.asked[f] = held_out.columns[f].code(q);
      const std::uint64_t kind = held_out.first_kind[q], last_kind = held_out.first_kind[q + 1];
      const Row own = held_out.are_stored ? static_cast<Row>(q) : detail::kNoGroup;
      const bool is_alone =
          held_out.are_stored && last_kind - kind == 1 && held_out.amount[kind] == held_out.left_out[kind];
      const AbstractSearch& search = tool.search;
      const Row skipped = is_alone ? own : detail::kNoGroup;
      const bool has_own = held_out.are_stored && !is_alone;
      const Row kept = has_own ? own : detail::kNoGroup;
      using Next = AbstractSearch::Next;
      tool.search.find(tool.asked, skipped, kept, held_out.at_most[q], any_feature ? Next::cheap : Next::no, true);
      out.disagreements[q - begin] = static_cast<std::uint32_t>(search.n_disagreements());
      tool.tallies.clear();
      tool.tallies.add_nearest(search, cases);
      if (any_feature && tool.tallies.needs_next()) {
        if (!search.has_next()) {
          tool.search.find(tool.asked, skipped, kept, search.n_disagreements(), Next::yes, true);
          tool.tallies.clear();  // groups may be in a set now that were listed before
          tool.tallies.add_nearest(search, cases);
        }
        tool.tallies.add_next(search, cases);
      }
      // A group with an unknown value does not agree with itself there, so it can be in a set, unlisted.
      const auto is_among = [&](const std::vector<Row>& groups, const std::vector<AbstractSearch::Set>& sets) {
        return has_own && (std::find(groups.begin(), groups.end(), own) != groups.end() || search.is_in(sets, own));
      };
      const bool is_nearest = is_among(search.nearest(), search.nearest_sets());
      const bool is_next = !is_nearest && is_among(search.next(), search.next_sets());
      for (std::size_t f = 0; f <= n_features; ++f) {
        if (f < n_features && wanted[f] == 0) continue;
        bool is_counted = is_nearest;
        if (f < n_features && tool.tallies.has_nearer(f))
          is_counted = is_nearest && search.disagrees(own, f);
        else if (f < n_features && is_next)
          is_counted = search.disagrees(own, f);
        for (std::uint64_t i = kind; i < last_kind; ++i) {
          const double left_out = held_out.are_stored ? held_out.left_out[i] : 0.0;
          // If no stored case is left to vote, no prediction is correct.
          if (!search.has_nearest() ||
              tool.tallies.choose(f, held_out.label[i], left_out, is_counted, prefer) != held_out.label[i])
            errors[f] += held_out.amount[i];
        }
      }
    }
  };
  for_blocks(end - begin, kBlock, n_threads, make_tool, work);
  for (std::size_t i = 0; i < in_block.size(); ++i) out.errors[i % (n_features + 1)] += in_block[i];
  return out;
}

}  // namespace casebase
