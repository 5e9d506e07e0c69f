// Liang's competing patterns over the letters of words: at each place the highest level wins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"
#include "core/strings/trie.hpp"

namespace casebase {

struct Margins {
  std::size_t left, right;
};

// Writes for each letter of a word whether a break is allowed before it. `is_mark` letters stay with the letter before.
inline void find_breaks_of(const PatternTrie& trie, const Letter* word, std::size_t n, const LetterTable& is_mark,
                           bool default_allows, Margins margins, PatternTrie::Tool& tool, std::uint8_t* out) {
  if (n < 2 || margins.left >= n || margins.right >= n || margins.left + margins.right > n) return;
  const std::uint16_t* level = trie.levels(word, n, tool);
  for (std::size_t p = margins.left; p + margins.right <= n; ++p)
    out[p] = (level[p] ? level[p] % 2 == 1 : default_allows) && !is_mark[word[p]];
}

// The same for all words.
inline std::vector<std::uint8_t> find_breaks(const PatternTrie& trie, const Words& words, const LetterTable& is_mark,
                                             bool default_allows, Margins margins, unsigned n_threads) {
  std::vector<std::uint8_t> is_break(words.first[words.n] - words.first[0], 0);
  for_blocks(
      words.n, 1024, n_threads, [] { return PatternTrie::Tool(); },
      [&](PatternTrie::Tool& tool, std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t w = begin; w < end; ++w) {
          const Letter* word = words.text + words.first[w];
          find_breaks_of(trie, word, words.first[w + 1] - words.first[w], is_mark, default_allows, margins, tool,
                         is_break.data() + (words.first[w] - words.first[0]));
        }
      });
  return is_break;
}

// Which patterns apply at which place, given as the letter of the text after it. Only places between letters.
struct Occurrences {
  std::vector<std::uint32_t> pattern;
  std::vector<std::uint64_t> letter;
};

inline Occurrences find_occurrences(const PatternTrie& trie, const Words& words) {
  Occurrences out;
  PatternTrie::Tool tool;
  for (std::size_t w = 0; w < words.n; ++w) {
    const std::size_t n = words.first[w + 1] - words.first[w];
    trie.for_each(words.text + words.first[w], n, tool, [&](std::size_t place, const PatternTrie::Said& said) {
      if (place < 2 || place > n) return;  // before the first letter, or after the last
      out.pattern.push_back(said.pattern);
      out.letter.push_back(words.first[w] + place - 1);
    });
  }
  return out;
}

// The letters of all words with a separator at each break, and the new begin of each word.
struct Separated {
  std::vector<Letter> text;
  std::vector<std::uint64_t> first;
};

inline Separated separated(const Words& words, const std::uint8_t* is_break, const Letter* separator, std::size_t n) {
  Separated out;
  const std::size_t n_letters = words.first[words.n] - words.first[0];
  const auto n_breaks = static_cast<std::size_t>(std::count(is_break, is_break + n_letters, std::uint8_t{1}));
  out.text.reserve(n_letters + n_breaks * n);
  out.first.reserve(words.n + 1);
  for (std::size_t w = 0; w < words.n; ++w) {
    out.first.push_back(out.text.size());
    for (std::size_t i = words.first[w]; i < words.first[w + 1]; ++i) {
      if (is_break[i - words.first[0]] == 1) out.text.insert(out.text.end(), separator, separator + n);
      out.text.push_back(words.text[i]);
    }
  }
  out.first.push_back(out.text.size());
  return out;
}

}  // namespace casebase
