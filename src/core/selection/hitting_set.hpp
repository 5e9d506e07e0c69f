// Hitting sets by branch and bound: at most so many elements that hit every one of many sets.
//
// The sets need not be known in advance. When a choice of elements hits all sets that are known, the caller checks it,
// and either accepts it or names further sets, which it does not hit. The search goes on where it was: what it has
// ruled out stays ruled out, because sets are only added.
//
// It branches on the elements of a set that has the fewest candidates left; an element that failed is no candidate
// further down. Two lower bounds prune: pairwise disjoint sets need one element each, and the most frequent elements
// must together hit as many sets as there are left. Sets are numbered, and each element has one bit per set, so that 64
// sets are counted at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/simd.hpp"

namespace casebase {

class HittingSets {
 public:
  using Elements = std::vector<std::uint32_t>;

  explicit HittingSets(std::size_t n_elements) : of_(n_elements), is_candidate_(n_elements) {}

  std::size_t n_elements() const { return of_.size(); }

  void add(Elements set) {
    if (n_sets_ % 64 == 0)
      for (auto& bits : of_) bits.push_back(0);
    for (const auto e : set) of_[e][n_sets_ / 64] |= std::uint64_t{1} << n_sets_ % 64;
    sets_.push_back(std::move(set));
    ++n_sets_;
  }

  // Adds at most `size` candidates to the chosen elements so that they hit all sets; false if that is impossible.
  // check() looks at chosen() and returns whether it is accepted; if not, it adds a set that is not hit. step() is
  // called for every branch: there may be as many as there are sets of `size` candidates.
  template <class Check, class Step>
  bool find(Elements chosen, const Elements& candidates, std::size_t size, Check&& check, Step&& step) {
    chosen_ = std::move(chosen);
    is_candidate_.assign(n_elements(), 0);
    for (const auto e : candidates) is_candidate_[e] = 1;
    nodes_.resize(std::max(nodes_.size(), size + 1));
    nodes_[0].left.clear();
    nodes_[0].n_known = 0;
    nodes_[0].candidates = candidates;
    return hit(0, size, check, step);
  }

  const Elements& chosen() const { return chosen_; }

 private:
  using Bits = std::vector<std::uint64_t>;   // one per set
  static constexpr std::size_t kCounts = 6;  // sets with so many candidates or more are not told apart

  struct Node {
    Bits left;            // the sets that are not hit
    std::size_t n_known;  // the sets that `left` knows of
    Elements candidates, branches, most;
    std::vector<std::uint32_t> frequency;  // of the candidates, among the sets that are left
    std::array<Bits, kCounts> at_least;    // the sets that are left with at least 1, 2, … candidates
    Bits apart;
  };

  // Adds the sets that came after those that the node knows of.
  void refresh(Node& node) const {
    node.left.resize((n_sets_ + 63) / 64);
    for (; node.n_known < n_sets_; ++node.n_known) {
      const std::size_t s = node.n_known;
      const bool is_hit = std::any_of(chosen_.begin(), chosen_.end(), [&](auto e) { return has(e, s); });
      if (!is_hit) node.left[s / 64] |= std::uint64_t{1} << s % 64;
    }
  }

  bool has(std::uint32_t e, std::size_t s) const { return of_[e][s / 64] >> s % 64 & 1; }

  static bool is_empty(const Bits& bits) {
    return std::all_of(bits.begin(), bits.end(), [](auto word) { return word == 0; });
  }

  template <class Check, class Step>
  bool hit(std::size_t depth, std::size_t size, Check& check, Step& step) {
    step();
    Node& node = nodes_[depth];
    refresh(node);
    if (is_empty(node.left)) {
      if (check()) return true;
      refresh(node);
    }
    if (size == 0) return false;
    if (size == 1) return hit_by_one(node, check);
    const std::size_t n_left = count(node);
    if (!is_empty(without(node.left, node.at_least[0], node.apart))) return false;
    node.most = node.frequency;
    const std::size_t n_most = std::min(size, node.most.size());
    std::partial_sort(node.most.begin(), node.most.begin() + n_most, node.most.end(), std::greater<>());
    std::size_t others = 0;  // an upper bound of what the elements besides a branch's own can hit
    for (std::size_t i = 0; i + 1 < size && i < n_most; ++i) others += node.most[i];
    if (others + (n_most == size ? node.most[size - 1] : 0) < n_left) return false;
    if (has_disjoint(node, size + 1)) return false;
    branch_on_smallest(node);
    bool is_found = false;
    for (const auto e : node.branches) {
      const std::size_t i = std::find(node.candidates.begin(), node.candidates.end(), e) - node.candidates.begin();
      const std::size_t frequency = node.frequency[i];
      if (frequency + others < n_left) break;  // nor will any later element do: they are less frequent
      node.frequency.erase(node.frequency.begin() + i);
      node.candidates.erase(node.candidates.begin() + i);
      is_candidate_[e] = 0;
      refresh(node);
      Node& child = nodes_[depth + 1];
      without(node.left, of_[e], child.left);
      child.n_known = node.n_known;
      child.candidates = node.candidates;
      chosen_.push_back(e);
      is_found = hit(depth + 1, size - 1, check, step);
      if (is_found) break;
      chosen_.pop_back();
    }
    for (const auto e : node.branches) is_candidate_[e] = 1;
    return is_found;
  }

  template <class Check>
  bool hit_by_one(Node& node, Check& check) {
    for (const auto e : node.candidates) {
      if (!is_empty(without(node.left, of_[e], node.apart))) continue;
      chosen_.push_back(e);
      if (check()) return true;
      chosen_.pop_back();
      refresh(node);
    }
    return false;
  }

  static const Bits& without(const Bits& all, const Bits& some, Bits& rest) {
    rest.resize(all.size());
    for (std::size_t w = 0; w < all.size(); ++w) rest[w] = all[w] & ~some[w];
    return rest;
  }

  // Counts the sets that each candidate would hit, and the candidates of each set; returns the number of sets.
  std::size_t count(Node& node) const {
    const std::size_t n_words = node.left.size();
    std::array<std::uint64_t*, kCounts> counted;
    for (std::size_t c = 0; c < kCounts; ++c) {
      node.at_least[c].assign(n_words, 0);
      counted[c] = node.at_least[c].data();
    }
    node.frequency.resize(node.candidates.size());
    const std::uint64_t* left = node.left.data();
    const auto loop = [](const std::uint64_t* of, const std::uint64_t* left, std::size_t n_words,
                         std::uint64_t* const* counted) CASEBASE_INLINE_LAMBDA {
      std::uint64_t n = 0;
      for (std::size_t w = 0; w < n_words; ++w) {
        const std::uint64_t hits = of[w] & left[w];
        n += static_cast<std::uint64_t>(std::popcount(hits));
        std::uint64_t carry = hits;
        for (std::size_t c = 0; c < kCounts; ++c) {
          const std::uint64_t before = counted[c][w];
          counted[c][w] = before | carry;
          carry &= before;
        }
      }
      return n;
    };
    for (std::size_t i = 0; i < node.candidates.size(); ++i)
      node.frequency[i] =
          static_cast<std::uint32_t>(best_version(loop, of_[node.candidates[i]].data(), left, n_words, counted.data()));
    std::size_t n_left = 0;
    for (const auto word : node.left) n_left += static_cast<std::size_t>(std::popcount(word));
    return n_left;
  }

  // A set with as few candidates as any, among those that are left; `left` must not be empty.
  static std::size_t smallest(const Node& node, const Bits& left) {
    for (std::size_t c = 1; c < kCounts; ++c)
      for (std::size_t w = 0; w < left.size(); ++w)
        if (const auto few = left[w] & ~node.at_least[c][w])
          return 64 * w + static_cast<std::size_t>(std::countr_zero(few));
    for (std::size_t w = 0;; ++w)
      if (left[w]) return 64 * w + static_cast<std::size_t>(std::countr_zero(left[w]));
  }

  // Orders the candidates of a smallest set by frequency, the most frequent first.
  void branch_on_smallest(Node& node) const {
    const std::size_t s = smallest(node, node.left);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranked;
    for (std::size_t i = 0; i < node.candidates.size(); ++i)
      if (has(node.candidates[i], s)) ranked.emplace_back(~node.frequency[i], node.candidates[i]);
    std::sort(ranked.begin(), ranked.end());
    node.branches.clear();
    for (const auto& [rank, e] : ranked) node.branches.push_back(e);
  }

  // Whether a greedy choice finds n sets of which no two have a candidate in common.
  bool has_disjoint(Node& node, std::size_t n) const {
    node.apart = node.left;
    while (n && !is_empty(node.apart)) {
      for (const auto e : sets_[smallest(node, node.apart)])
        if (is_candidate_[e]) without(node.apart, of_[e], node.apart);
      --n;
    }
    return n == 0;
  }

  std::vector<Bits> of_;  // for each element, the sets that contain it
  std::vector<Elements> sets_;
  std::vector<std::uint8_t> is_candidate_;
  std::vector<Node> nodes_;
  Elements chosen_;
  std::size_t n_sets_ = 0;
};

}  // namespace casebase
