// Backward elimination: the errors on held-out cases without each feature in turn.
//
// One search per group of held-out cases serves all features. Let L be the number of disagreements of the nearest
// groups. Without feature f, a group that disagrees on f has one disagreement fewer. So the nearest groups without f
// are those at L that disagree on f, if there are any; otherwise all at L, and also those at L + 1 that disagree on f.
#pragma once

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

// The votes of the nearest groups without each feature.
class Tallies {
 public:
  Tallies(std::size_t n_features, std::size_t n_classes)
      : n_features_(n_features),
        n_classes_(n_classes),
        all_(n_classes),
        still_nearest_(n_features * n_classes),
        come_nearer_(n_features * n_classes),
        has_nearer_(n_features),
        is_listed_(n_classes) {}

  void clear() {
    for (const Label c : listed_) {
      is_listed_[c] = 0;
      all_[c] = 0;
      for (std::size_t f = 0; f < n_features_; ++f)
        still_nearest_[f * n_classes_ + c] = come_nearer_[f * n_classes_ + c] = 0;
    }
    listed_.clear();
    std::fill(has_nearer_.begin(), has_nearer_.end(), std::uint8_t{0});
  }

  void add(const AbstractSearch& search, const AbstractCases& cases) {
    for (const Row group : search.nearest()) {
      counts(cases, group, [&](Label c, double n) { all_[c] += n; });
      if (search.n_disagreements() > 0) add_at(still_nearest_, search, cases, group, &has_nearer_);
    }
    for (const Row group : search.next()) add_at(come_nearer_, search, cases, group, nullptr);
  }

  bool has_nearer(std::size_t f) const { return has_nearer_[f] != 0; }

  // The class predicted without feature f (with all, if f is the number of features), if a case of `label` with
  // `weight` is left out of the training frequencies, and out of the votes if it was counted there.
  Label choose(std::size_t f, Label label, double weight, bool is_counted, const Preference& prefer) const {
    const bool is_all = f == n_features_;
    const double* votes = is_all ? all_.data() : &still_nearest_[f * n_classes_];
    const double* more = nullptr;
    if (!is_all && !has_nearer(f)) {
      votes = all_.data();
      more = &come_nearer_[f * n_classes_];
    }
    Label best = 0;
    double top = -1, top_frequency = 0;
    for (const Label c : listed_) {
      const double held_out = c == label ? weight : 0.0;
      const double n = votes[c] + (more == nullptr ? 0.0 : more[c]) - (is_counted ? held_out : 0.0);
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
      if (is_listed_[c] == 0) {
        is_listed_[c] = 1;
        listed_.push_back(c);
      }
      visit(c, cases.count[i]);
    }
  }

  void add_at(std::vector<double>& votes, const AbstractSearch& search, const AbstractCases& cases, Row group,
              std::vector<std::uint8_t>* mark) {
    for (std::size_t f = 0; f < n_features_; ++f) {
      if (!search.disagrees(group, f)) continue;
      if (mark != nullptr) (*mark)[f] = 1;
      counts(cases, group, [&](Label c, double n) { votes[f * n_classes_ + c] += n; });
    }
  }

  std::size_t n_features_, n_classes_;
  std::vector<double> all_, still_nearest_, come_nearer_;
  std::vector<std::uint8_t> has_nearer_, is_listed_;
  std::vector<Label> listed_;
};

}  // namespace detail

// The errors on held-out groups [begin, end).
inline Elimination eliminate(const AbstractCases& cases, const HeldOut& held_out, std::size_t begin, std::size_t end,
                             std::size_t n_classes, const Preference& prefer, bool each_feature, unsigned n_threads) {
  const std::size_t n_features = cases.columns.size(), first = each_feature ? 0 : n_features;
  constexpr std::size_t kBlock = 8;
  Elimination out{std::vector<double>(n_features + 1), std::vector<std::uint32_t>(end - begin)};
  std::vector<double> in_block((end - begin + kBlock - 1) / kBlock * (n_features + 1));
  struct Tool {
    AbstractSearch search;
    detail::Tallies tallies;
    std::vector<std::uint32_t> asked;
  };
  auto make_tool = [&] {
    return Tool{{cases, each_feature}, {n_features, n_classes}, std::vector<std::uint32_t>(n_features)};
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
      tool.search.find(tool.asked, is_alone ? own : detail::kNoGroup, held_out.at_most[q]);
      out.disagreements[q - begin] = static_cast<std::uint32_t>(search.n_disagreements());
      tool.tallies.clear();
      tool.tallies.add(search, cases);
      const bool has_own = held_out.are_stored && !is_alone;
      const auto is_among = [&](const std::vector<Row>& groups) {
        return has_own && std::find(groups.begin(), groups.end(), own) != groups.end();
      };
      const bool is_nearest = is_among(search.nearest()), is_next = !is_nearest && is_among(search.next());
      for (std::size_t f = first; f <= n_features; ++f) {
        bool is_counted = is_nearest;
        if (f < n_features && tool.tallies.has_nearer(f))
          is_counted = is_nearest && search.disagrees(own, f);
        else if (f < n_features && is_next)
          is_counted = search.disagrees(own, f);
        for (std::uint64_t i = kind; i < last_kind; ++i) {
          const double left_out = held_out.are_stored ? held_out.left_out[i] : 0.0;
          // If no stored case is left to vote, no prediction is correct.
          if (search.nearest().empty() ||
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
