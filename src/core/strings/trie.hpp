// Pieces of strings in a trie, each with the place in it that it is about: hyphenation patterns, and string rules.
//
// All pieces are in one trie, those of each kind below a root of their own: letters, letter classes, classes around the
// letter at the place, and letters and classes anywhere in the string. From each letter of a string the trie is walked
// as far as possible; a node where a piece ends has what was said about it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

class PatternTrie {
 public:
  static constexpr Letter edge = '.';
  enum Root : std::uint32_t { letters, classes, around, letters_anywhere, classes_anywhere, n_roots };
  static constexpr std::size_t no_place = std::numeric_limits<std::uint32_t>::max();

  explicit PatternTrie(std::size_t n_letters_in_all) : nodes_(n_roots) {
    std::size_t size = 16;
    while (size < 2 * n_letters_in_all + 16) size *= 2;
    keys_.assign(size, 0);
    children_.assign(size, 0);
  }

  // Sets the class of a letter; a letter without a class matches no class pattern.
  void set_class(Letter letter, Letter name) { class_of_.set(letter, symbol(name)); }

  void add(const Letter* text, std::size_t n, Root root, std::uint32_t offset, std::uint16_t level) {
    std::uint32_t node = root;
    for (std::size_t i = 0; i < n; ++i) node = child_or_new(node, symbol(text[i]));
    nodes_[node].said.push_back({offset, level, n_patterns_++});
    longest_ = std::max(longest_, n);
  }

  std::uint32_t n_patterns() const { return n_patterns_; }

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
    for (const Root root : {letters, classes}) {
      if (nodes_[root].children == 0) continue;
      fill(word, n, root, true, tool.row.data());
      for (std::size_t begin = 0; begin < n + 2; ++begin)
        walk(root, tool.row.data(), begin, n + 2, [&](const Said& said) { found(begin + said.offset, said); });
    }
  }

  // Calls found(said) for each piece that occurs around a place of the string, and for each that occurs anywhere in it
  // on one side of the place. The place is before letter `place`; without one, all of the string is one side.
  template <class Found>
  void for_each_around(const Letter* word, std::size_t n, std::size_t place, bool has_edges, Tool& tool,
                       Found&& found) const {
    const std::size_t length = n + 2 * has_edges, at = place + has_edges;
    tool.row.resize(length);
    for (std::uint32_t number = 0; number < n_roots; ++number) {
      const Root root = static_cast<Root>(number);
      if (nodes_[root].children == 0) continue;
      fill(word, n, root, has_edges, tool.row.data());
      if (root >= letters_anywhere) {
        const std::size_t middle = place == no_place ? length : at;
        for (std::size_t begin = 0; begin < length; ++begin)
          walk(root, tool.row.data(), begin, begin < middle ? middle : length, found);
        continue;
      }
      if (place == no_place) continue;
      if (root == around && place < n) tool.row[at] = symbol_of(word[place]);
      for (std::size_t begin = at > longest_ ? at - longest_ : 0; begin <= at && begin < length; ++begin)
        walk(root, tool.row.data(), begin, length, [&](const Said& said) {
          if (begin + said.offset == at) found(said);
        });
    }
  }

 private:
  struct Node {
    std::uint64_t children = 0;  // bit s % 64 for each child by symbol s
    std::vector<Said> said;
  };

  // The symbols of a string's letters, or of their classes, between edges if it has any.
  void fill(const Letter* word, std::size_t n, Root root, bool has_edges, std::uint32_t* row) const {
    const bool has_classes = root == classes || root == around || root == classes_anywhere;
    if (has_edges) row[0] = row[n + 1] = symbol_of_[edge];
    for (std::size_t i = 0; i < n; ++i)
      row[i + has_edges] = has_classes && word[i] != edge ? class_of_[word[i]] : symbol_of(word[i]);
  }

  // A full stop inside a word is not a word edge.
  std::uint32_t symbol_of(Letter letter) const { return letter == edge ? 0 : symbol_of_[letter]; }

  // Calls found(said) for each piece that begins at `begin` and ends before `end`.
  template <class Found>
  void walk(std::uint32_t root, const std::uint32_t* row, std::size_t begin, std::size_t end, Found&& found) const {
    std::uint32_t node = root;
    for (std::size_t i = begin; i < end && row[i] && (node = child(node, row[i])); ++i)
      for (const Said& said : nodes_[node].said) found(said);
  }

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
  std::vector<Node> nodes_;  // the roots first
  std::size_t longest_ = 0;
};

}  // namespace casebase
