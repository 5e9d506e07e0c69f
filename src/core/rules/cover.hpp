// Greedy weighted set cover, for all concepts of a level: the cost of covering the examples of each with rules of the
// level before.
//
// A cover of few examples touches few concepts. An index from examples to their concepts finds these, and counts the
// examples in each. When an example is covered, the same lists show which counts decrease. So a cover visits each
// (example, concept) pair of its examples twice, however many concepts there are. Counts only decrease, so the priority
// queue is lazy: a candidate on top with an outdated count goes back into the queue.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace casebase {

struct Extents {
  const std::uint64_t* first;     // n_concepts + 1
  const std::uint32_t* examples;  // ascending within a concept
  std::size_t n_concepts, n_examples;
  const double* weights;  // of the examples; null: 1 each

  double weight(std::uint32_t example) const { return weights ? weights[example] : 1.0; }
};

constexpr double kNoCover = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNoConcept = 0xFFFFFFFFu;

// The concepts that covers may use, those of finite cost, indexed by example.
struct PricedConcepts {
  std::vector<double> cost;
  std::vector<std::uint64_t> first;  // n_examples + 1
  std::vector<std::uint32_t> concepts;
  std::vector<std::uint32_t> cheapest;  // the cheapest concept of each example

  PricedConcepts() = default;
  PricedConcepts(const Extents& extents, const double* given)
      : cost(given, given + extents.n_concepts),
        first(extents.n_examples + 1),
        cheapest(extents.n_examples, kNoConcept) {
    const auto each = [&](auto&& see) {
      for (std::size_t c = 0; c < extents.n_concepts; ++c)
        if (std::isfinite(cost[c]))
          for (auto i = extents.first[c]; i < extents.first[c + 1]; ++i) see(static_cast<std::uint32_t>(c), i);
    };
    each([&](std::uint32_t, std::uint64_t i) { ++first[extents.examples[i] + 1]; });
    for (std::size_t x = 0; x < extents.n_examples; ++x) first[x + 1] += first[x];
    concepts.resize(first.back());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    each([&](std::uint32_t c, std::uint64_t i) {
      const auto x = extents.examples[i];
      concepts[next[x]++] = c;
      if (cheapest[x] == kNoConcept || cost[c] < cost[cheapest[x]]) cheapest[x] = c;
    });
  }
};

struct Chosen {
  std::vector<std::uint32_t> concepts;  // in the order in which they are chosen
  std::vector<double> gains;            // the weight of the examples that each newly covers
  std::vector<std::uint32_t> uncovered;
};

// Computes one cover after another, reusing its buffers; each thread has its own.
class GreedyCover {
 public:
  GreedyCover(const Extents& extents, const PricedConcepts& priced)
      : extents_(extents),
        priced_(priced),
        count_(extents.n_concepts),
        gain_(extents.weights ? extents.n_concepts : 0),
        is_left_(extents.n_examples),
        lightest_(extents.weights && extents.n_examples
                      ? *std::min_element(extents.weights, extents.weights + extents.n_examples)
                      : 1.0) {}

  // The cost of covering the examples of a concept; infinite if some cannot be covered.
  double cost_of(std::size_t target) {
    const auto* begin = extents_.examples + extents_.first[target];
    const auto* end = extents_.examples + extents_.first[target + 1];
    for (const auto* x = begin; x < end; ++x)
      if (priced_.cheapest[*x] == kNoConcept) return kNoCover;
    if (end - begin == 1) return priced_.cost[priced_.cheapest[*begin]];
    double total = 0.0;
    run(begin, end, [&](std::uint32_t concept_number, double) { total += priced_.cost[concept_number]; });
    return total;
  }

  // The concepts that cover the examples of a concept, as far as they can be covered.
  Chosen cover(std::size_t target) {
    Chosen chosen;
    const auto* begin = extents_.examples + extents_.first[target];
    const auto* end = extents_.examples + extents_.first[target + 1];
    for (const auto* x = begin; x < end; ++x)
      if (priced_.cheapest[*x] == kNoConcept) chosen.uncovered.push_back(*x);
    run(begin, end, [&](std::uint32_t concept_number, double gain) {
      chosen.concepts.push_back(concept_number);
      chosen.gains.push_back(gain);
    });
    return chosen;
  }

 private:
  struct Candidate {
    double ratio, gain;
    std::uint32_t concept_number;
  };

  // Whether candidate a is worse than b: the order of a heap with the best on top.
  static bool is_later(const Candidate& a, const Candidate& b) {
    if (a.ratio != b.ratio) return a.ratio > b.ratio;
    if (a.gain != b.gain) return a.gain < b.gain;
    return a.concept_number > b.concept_number;
  }

  // A sum below the lightest example is a rounding error of additions and subtractions.
  double gain(std::uint32_t c) const { return extents_.weights ? std::max(gain_[c], lightest_) : count_[c]; }

  Candidate candidate(std::uint32_t c) const {
    const double g = gain(c);
    return {priced_.cost[c] / g, g, c};
  }

  template <class Take>
  void run(const std::uint32_t* begin, const std::uint32_t* end, Take&& take) {
    std::size_t n_left = 0;
    for (const auto* x = begin; x < end; ++x) {
      if (priced_.cheapest[*x] == kNoConcept) continue;
      ++n_left;
      is_left_[*x] = 1;
      for (auto i = priced_.first[*x]; i < priced_.first[*x + 1]; ++i) {
        const auto c = priced_.concepts[i];
        if (count_[c]++ == 0) touched_.push_back(c);
        if (extents_.weights) gain_[c] += extents_.weights[*x];
      }
    }
    heap_.clear();
    for (const auto c : touched_) heap_.push_back(candidate(c));
    std::make_heap(heap_.begin(), heap_.end(), is_later);
    while (n_left > 0) {
      const Candidate best = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), is_later);
      if (count_[best.concept_number] == 0) {
        heap_.pop_back();
        continue;
      }
      const Candidate now = candidate(best.concept_number);
      if (now.gain != best.gain) {
        heap_.back() = now;
        std::push_heap(heap_.begin(), heap_.end(), is_later);
        continue;
      }
      heap_.pop_back();
      take(best.concept_number, best.gain);
      newly_.clear();
      collect(best.concept_number, begin, end);
      n_left -= newly_.size();
      if (n_left == 0) break;
      for (const auto x : newly_)
        for (auto i = priced_.first[x]; i < priced_.first[x + 1]; ++i) {
          const auto c = priced_.concepts[i];
          --count_[c];
          if (extents_.weights) gain_[c] -= extents_.weights[x];
        }
    }
    for (const auto c : touched_) {
      count_[c] = 0;
      if (extents_.weights) gain_[c] = 0.0;
    }
    touched_.clear();
  }

  // Marks the remaining examples of a concept as covered, walking the shorter of two lists.
  void collect(std::uint32_t c, const std::uint32_t* begin, const std::uint32_t* end) {
    const auto* held = extents_.examples + extents_.first[c];
    const auto* held_end = extents_.examples + extents_.first[c + 1];
    const auto see = [&](std::uint32_t x) {
      is_left_[x] = 0;
      newly_.push_back(x);
    };
    if (held_end - held <= 8 * (end - begin)) {
      for (; held < held_end; ++held)
        if (is_left_[*held]) see(*held);
    } else {
      for (const auto* x = begin; x < end; ++x)
        if (is_left_[*x] && std::binary_search(held, held_end, *x)) see(*x);
    }
  }

  const Extents& extents_;
  const PricedConcepts& priced_;
  std::vector<std::uint32_t> count_;  // per concept: the number of its remaining examples
  std::vector<double> gain_;          // per concept: their weight
  std::vector<std::uint8_t> is_left_;
  double lightest_;
  std::vector<std::uint32_t> touched_, newly_;
  std::vector<Candidate> heap_;
};

}  // namespace casebase
