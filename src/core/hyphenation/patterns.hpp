// Liang's competing patterns over the letters of words: at each place the highest level wins.
//
// All patterns are in one trie, those of letters below one root and those of letter classes below another. From each
// letter of a word the trie is walked as far as possible; a node where a pattern ends has the levels of its places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.hpp"

namespace casebase {

using Letter = std::uint32_t;  // a code point

// Maps letters to numbers, 0 by default, in pages of 256 letters; most pages share one empty page.
class LetterTable {
 public:
  LetterTable() : entries_(256, 0) {}

  void set(Letter letter, std::uint32_t number) {
    if (letter >= page_.size() * 256) return;
    if (page_[letter >> 8] == 0) {
      page_[letter >> 8] = static_cast<std::uint32_t>(entries_.size() >> 8);
      entries_.resize(entries_.size() + 256, 0);
    }
    entries_[std::size_t{page_[letter >> 8]} * 256 + (letter & 255)] = number;
  }

  std::uint32_t operator[](Letter letter) const {
    if (letter >= page_.size() * 256) return 0;
    return entries_[std::size_t{page_[letter >> 8]} * 256 + (letter & 255)];
  }

 private:
  std::array<std::uint32_t, 0x1100> page_{};  // Unicode ends at 0x10FFFF
  std::vector<std::uint32_t> entries_;
};

// Concatenated words: word w has the letters first[w] to first[w + 1].
struct Words {
  const Letter* text;
  const std::uint64_t* first;
  std::size_t n;
};

struct Margins {
  std::size_t left, right;
};

class PatternTrie {
 public:
  static constexpr Letter edge = '.';

  explicit PatternTrie(std::size_t n_letters_in_all) : nodes_(2) {
    std::size_t size = 16;
    while (size < 2 * n_letters_in_all + 16) size *= 2;
    keys_.assign(size, 0);
    children_.assign(size, 0);
  }

  // Sets the class of a letter; a letter without a class matches no class pattern.
  void set_class(Letter letter, Letter name) { class_of_.set(letter, symbol(name)); }

  void add(const Letter* letters, std::size_t n, bool is_classes, std::uint32_t offset, std::uint16_t level) {
    std::uint32_t node = is_classes;
    for (std::size_t i = 0; i < n; ++i) node = child_or_new(node, symbol(letters[i]));
    nodes_[node].said.push_back({offset, level, n_patterns_++});
  }

  // Working memory for one word.
  struct Tool {
    std::vector<std::uint32_t> row;
    std::vector<std::uint16_t> level;
  };

  // The highest level at each place of a word: level[p] for the place before letter p, 0 if no pattern applies.
  const std::uint16_t* levels(const Letter* word, std::size_t n, Tool& tool) const {
    tool.level.assign(n + 3, 0);
    for_each(word, n, tool,
             [&](std::size_t place, const Said& said) { tool.level[place] = std::max(tool.level[place], said.level); });
    return tool.level.data() + 1;
  }

  // The level of a pattern at one place; patterns are numbered in the order in which they were added.
  struct Said {
    std::uint32_t offset;
    std::uint16_t level;
    std::uint32_t pattern;
  };

  // Calls found(place + 1, said) for each occurrence of a pattern; the place before the word's edge is -1.
  template <class Found>
  void for_each(const Letter* word, std::size_t n, Tool& tool, Found&& found) const {
    tool.row.resize(n + 2);
    for (std::uint32_t root = 0; root < 2; ++root) {
      if (nodes_[root].children == 0) continue;
      tool.row[0] = tool.row[n + 1] = symbol_of_[edge];
      for (std::size_t i = 0; i < n; ++i) {
        // A full stop inside a word is not a word edge.
        tool.row[i + 1] = word[i] == edge ? 0 : root ? class_of_[word[i]] : symbol_of_[word[i]];
      }
      for (std::size_t begin = 0; begin < n + 2; ++begin) {
        std::uint32_t node = root;
        for (std::size_t i = begin; i < n + 2 && tool.row[i] && (node = child(node, tool.row[i])); ++i)
          for (const Said& said : nodes_[node].said) found(begin + said.offset, said);
      }
    }
  }

 private:
  struct Node {
    std::uint64_t children = 0;  // bit s % 64 for each child by symbol s
    std::vector<Said> said;
  };

  std::uint32_t symbol(Letter letter) {
    if (symbol_of_[letter] == 0) symbol_of_.set(letter, ++n_symbols_);
    return symbol_of_[letter];
  }

  static std::uint64_t key(std::uint32_t node, std::uint32_t symbol) {
    return (std::uint64_t{node} << 32 | symbol);  // symbols begin at 1, so no key is 0
  }

  std::size_t slot(std::uint64_t key) const {
    std::size_t at = (key * 0x9E3779B97F4A7C15u >> 20) & (keys_.size() - 1);
    while (keys_[at] != 0 && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    return at;
  }

  // The child, or 0. Most walks end at a node without such a child; its bits show this without a lookup.
  std::uint32_t child(std::uint32_t node, std::uint32_t symbol) const {
    if (!(nodes_[node].children >> (symbol & 63) & 1)) return 0;
    return children_[slot(key(node, symbol))];
  }

  std::uint32_t child_or_new(std::uint32_t node, std::uint32_t symbol) {
    const std::size_t at = slot(key(node, symbol));
    if (keys_[at] == 0) {
      keys_[at] = key(node, symbol);
      children_[at] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      nodes_[node].children |= std::uint64_t{1} << (symbol & 63);
    }
    return children_[at];
  }

  LetterTable symbol_of_, class_of_;
  std::uint32_t n_symbols_ = 0, n_patterns_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> children_;
  std::vector<Node> nodes_;  // 0 and 1 are the roots
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
