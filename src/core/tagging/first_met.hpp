// Where in a corpus the values of a window are first met, while sentences come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tagging/live_corpus.hpp"

namespace casebase {

class FirstMet {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // `place` has the place in the corpus of each sentence, by its number.
  FirstMet(const LiveCorpus& corpus, std::size_t window, std::vector<std::uint32_t> place)
      : corpus_(corpus), window_(window), place_(std::move(place)), first_(levels().size()) {
    for (std::uint32_t token = 0; token < corpus_.n_tokens(); ++token)
      if (corpus_.sees(own(), token)) offer(token);
  }

  // Follows a change of the corpus, which it has taken over already.
  void apply(const WindowChange& change, std::vector<std::uint32_t> place) {
    place_ = std::move(place);
    const std::size_t n = levels().size();
    for (std::size_t i = 0; i < change.gone.size(); ++i)
      for (std::size_t level = 0; level < n; ++level) {
        const std::uint32_t value = change.gone_values[i * n + level], token = change.gone[i];
        if (first_[level][value] == token && !has(level, value, token)) find_again(level, value);
      }
    for (const std::uint32_t token : change.came) offer(token);
  }

  // By value: the place of the sentence where it is first met, times 2^32, plus the place there.
  std::vector<std::uint64_t> places(std::size_t level) const {
    std::vector<std::uint64_t> places;
    for (const std::uint32_t token : first_[level]) places.push_back(token == kNone ? kNever : place_of(token));
    return places;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  const LiveWindow& own() const { return corpus_.windows()[window_]; }
  const std::vector<LiveLevel>& levels() const { return own().levels; }

  std::uint64_t place_of(std::uint32_t token) const {
    const std::uint32_t sentence = corpus_.sentence_of(token);
    return std::uint64_t{place_[sentence]} << 32 | (token - corpus_.begin_of(sentence));
  }

  bool has(std::size_t level, std::uint32_t value, std::uint32_t token) const {
    return corpus_.sees(own(), token) && corpus_.value(levels()[level], token) == value;
  }

  void offer(std::uint32_t token) {
    for (std::size_t level = 0; level < levels().size(); ++level)
      offer(level, corpus_.value(levels()[level], token), token);
  }

  void offer(std::size_t level, std::uint32_t value, std::uint32_t token) {
    std::vector<std::uint32_t>& first = first_[level];
    if (value >= first.size()) first.resize(std::size_t{value} + 1, kNone);
    if (first[value] == kNone || place_of(token) < place_of(first[value])) first[value] = token;
  }

  void find_again(std::size_t level, std::uint32_t value) {
    first_[level][value] = kNone;
    corpus_.each_with(levels()[level], value, [&](std::uint32_t token) {
      if (has(level, value, token)) offer(level, value, token);
    });
  }

  const LiveCorpus& corpus_;
  std::size_t window_;
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<std::uint32_t>> first_;  // by level and value: the token; kNone if no token has it
};

}  // namespace casebase
