// Which pieces occur in strings, and which of them comes first in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "core/strings/trie.hpp"

namespace casebase {

// Examples: a string each, and a place in it, or PatternTrie::no_place. Several examples may ask about one string.
struct AskedStrings {
  Words words;
  const std::uint32_t *word, *place;
  std::size_t n;

  template <class Found>
  void for_each(const PatternTrie& trie, std::size_t x, bool has_edges, PatternTrie::Tool& tool, Found&& found) const {
    const std::uint64_t first = words.first[word[x]], n_letters = words.first[word[x] + 1] - first;
    trie.for_each_around(words.text + first, n_letters, place[x], has_edges, tool, found);
  }
};

// The first piece of each example; the number of pieces if none occurs.
inline std::vector<std::uint32_t> find_first_matches(const PatternTrie& trie, const AskedStrings& asked, bool has_edges,
                                                     unsigned n_threads) {
  std::vector<std::uint32_t> first(asked.n, trie.n_patterns());
  for_blocks(
      asked.n, 1024, n_threads, [] { return PatternTrie::Tool(); },
      [&](PatternTrie::Tool& tool, std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t x = begin; x < end; ++x)
          asked.for_each(trie, x, has_edges, tool,
                         [&](const PatternTrie::Said& said) { first[x] = std::min(first[x], said.pattern); });
      });
  return first;
}

// All pieces of each example, each once, in ascending order.
struct Matches {
  std::vector<std::uint32_t> pattern, example;
};

inline Matches find_matches(const PatternTrie& trie, const AskedStrings& asked, bool has_edges) {
  Matches out;
  PatternTrie::Tool tool;
  for (std::size_t x = 0; x < asked.n; ++x) {
    const std::size_t begin = out.pattern.size();
    asked.for_each(trie, x, has_edges, tool,
                   [&](const PatternTrie::Said& said) { out.pattern.push_back(said.pattern); });
    std::sort(out.pattern.begin() + begin, out.pattern.end());
    out.pattern.erase(std::unique(out.pattern.begin() + begin, out.pattern.end()), out.pattern.end());
    out.example.resize(out.pattern.size(), static_cast<std::uint32_t>(x));
  }
  return out;
}

}  // namespace casebase
