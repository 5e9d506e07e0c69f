// Substrings of words around a marked place ("pieces"), each with the examples it occurs in.
//
// An example is a place in a word; a piece has a letters before the place and b after it. Pieces are found in the order
// of length. The piece (a, b) of an example is determined by its two parts (a - 1, b) and (a, b - 1), so examples are
// grouped by the numbers of these two groups, and no text is compared. A piece that occurs in a single example is not
// extended, because every longer one occurs in that example alone. So most pieces of a word are never visited. A piece
// with the same examples as one of its parts is extended but not listed, because the shorter one is equivalent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/hyphenation/patterns.hpp"

namespace casebase {

// Examples: the place is before letter `place` of the text; the word is [begin, end), edges included.
struct BreakPlaces {
  const std::uint32_t *place, *begin, *end;
  std::size_t n;
};

struct Piece {
  std::uint32_t place;  // its first occurrence
  std::uint32_t before, after;
  std::uint32_t row;  // 0: letters, 1: classes

  std::size_t length() const { return std::size_t{before} + after; }
};

struct Pieces {
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> first;
  std::vector<std::uint32_t> examples;
};

// The pieces of one text, or of two texts of the same words (letters, and their classes). Letter 0 matches nothing.
class PieceFinder {
 public:
  PieceFinder(std::vector<const Letter*> rows, const BreakPlaces& places, std::vector<std::size_t> max_length,
              Letter mark, const std::vector<std::pair<std::uint32_t, std::vector<Letter>>>& forbidden)
      : rows_(std::move(rows)),
        at_(places),
        max_length_(std::move(max_length)),
        mark_(mark),
        forbidden_(forbidden.begin(), forbidden.end()) {
    for (const auto& [row, name] : forbidden_) longest_forbidden_ = std::max(longest_forbidden_, name.size() - 1);
  }

  Pieces find() {
    alone_.assign(at_.n, Piece{0, 0, 0, 0});
    for (std::uint32_t row = 0; row < rows_.size(); ++row) grow(row);
    for (std::uint32_t x = 0; x < at_.n; ++x)
      if (alone_[x].length()) {
        found_.pieces.push_back(alone_[x]);
        found_.examples.push_back(x);
        found_.first.push_back(found_.examples.size());
      }
    return in_order();
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  using Groups = std::vector<std::uint32_t>;  // the group of each example

  void grow(std::uint32_t row) {
    std::vector<Groups> shorter{Groups(at_.n, 0)};
    size_.assign(1, at_.n + 1);  // the empty piece: one more, so that no piece is equivalent to it
    for (std::size_t length = 1; length <= max_length_[row]; ++length) {
      std::vector<Groups> longer(length + 1);
      std::vector<std::size_t> size;
      for (std::size_t before = 0; before <= length; ++before)
        group(row, before, length - before, shorter, longer[before], size);
      if (size.empty()) return;
      shorter = std::move(longer);
      size_ = std::move(size);
    }
  }

  // Groups the examples by the piece (before, after), and lists the new groups.
  void group(std::uint32_t row, std::size_t before, std::size_t after, const std::vector<Groups>& shorter,
             Groups& groups, std::vector<std::size_t>& size) {
    const Groups* left = before ? &shorter[before - 1] : nullptr;  // without its first letter
    const Groups* right = after ? &shorter[before] : nullptr;      // without its last letter
    if ((left && left->empty()) || (right && right->empty())) return;
    members_.clear();
    keys_.clear();
    for (std::uint32_t x = 0; x < at_.n; ++x) {
      if ((left && (*left)[x] == none) || (right && (*right)[x] == none)) continue;
      if (before > at_.place[x] - at_.begin[x] || after > at_.end[x] - at_.place[x]) continue;
      // With letters on one side only, the added letter distinguishes the extensions.
      const Letter added = !left ? rows_[row][at_.place[x] + after - 1] : rows_[row][at_.place[x] - before];
      if ((!left || !right) && added == 0) continue;
      const std::uint64_t high = left ? (*left)[x] : (*right)[x], low = left && right ? (*right)[x] : added;
      members_.push_back(x);
      keys_.push_back(high << 32 | low);
    }
    if (members_.empty()) return;
    number_keys();
    groups.assign(at_.n, none);
    // A piece as frequent as one of its parts is equivalent to it, but a longer piece may not be.
    std::vector<std::uint32_t> kept(n_numbers_, none);
    std::vector<std::uint8_t> is_listed(n_numbers_, 0);
    for (std::uint32_t g = 0; g < n_numbers_; ++g) {
      const std::uint32_t x = members_[first_member_[g]];
      const std::size_t n = count_[g];
      const Piece piece{at_.place[x], static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after), row};
      const bool is_allowed = !is_forbidden(piece);
      if (n > 1 || !is_allowed) {  // a piece with one example cannot become rarer
        kept[g] = static_cast<std::uint32_t>(size.size());
        size.push_back(is_allowed ? n : none);  // a forbidden piece is no substitute for longer ones
      }
      if (!is_allowed || (left && n >= size_[(*left)[x]]) || (right && n >= size_[(*right)[x]])) continue;
      if (n == 1) {
        keep_alone(x, piece);
        continue;
      }
      is_listed[g] = 1;
      found_.pieces.push_back(piece);
      next_[g] = found_.examples.size();
      found_.examples.resize(found_.examples.size() + n);
      found_.first.push_back(found_.examples.size());
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::uint32_t g = number_[i];
      groups[members_[i]] = kept[g];
      if (is_listed[g]) found_.examples[next_[g]++] = members_[i];
    }
  }

  // Numbers the distinct keys from 0, and counts each.
  void number_keys() {
    std::size_t n_slots = 64;
    while (n_slots < 2 * keys_.size()) n_slots *= 2;
    slots_.assign(n_slots, none);
    number_.resize(keys_.size());
    first_member_.clear();
    count_.clear();
    n_numbers_ = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::uint64_t hash = keys_[i] * 0x9E3779B97F4A7C15u;
      std::size_t at = (hash ^ hash >> 32) & (n_slots - 1);
      while (slots_[at] != none && keys_[first_member_[slots_[at]]] != keys_[i]) at = (at + 1) & (n_slots - 1);
      if (slots_[at] == none) {
        slots_[at] = n_numbers_++;
        first_member_.push_back(static_cast<std::uint32_t>(i));
        count_.push_back(0);
      }
      number_[i] = slots_[at];
      ++count_[slots_[at]];
    }
    next_.assign(n_numbers_, 0);
  }

  // Of the pieces of a single example, only the first by length and name is listed.
  void keep_alone(std::uint32_t x, const Piece& piece) {
    if (alone_[x].length() == 0 || comes_before(piece, alone_[x])) alone_[x] = piece;
  }

  bool comes_before(const Piece& a, const Piece& b) const {
    if (a.length() != b.length()) return a.length() < b.length();
    for (std::size_t i = 0; i <= a.length(); ++i) {
      const Letter x = letter(a, i), y = letter(b, i);
      if (x != y) return x < y;
    }
    return a.row < b.row;
  }

  // Letter i of the piece's name: its letters, with a mark at the place.
  Letter letter(const Piece& piece, std::size_t i) const {
    const Letter* text = rows_[piece.row] + piece.place - piece.before;
    return i < piece.before ? text[i] : i == piece.before ? mark_ : text[i - 1];
  }

  bool is_forbidden(const Piece& piece) const {
    if (piece.length() > longest_forbidden_) return false;
    std::vector<Letter> name;
    for (std::size_t i = 0; i <= piece.length(); ++i) name.push_back(letter(piece, i));
    return forbidden_.contains({piece.row, name});
  }

  Pieces in_order() const {
    std::vector<std::size_t> order(found_.pieces.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return comes_before(found_.pieces[a], found_.pieces[b]); });
    Pieces sorted;
    sorted.pieces.reserve(order.size());
    sorted.examples.reserve(found_.examples.size());
    sorted.first.reserve(order.size() + 1);
    sorted.first.push_back(0);
    for (const std::size_t i : order) {
      sorted.pieces.push_back(found_.pieces[i]);
      const std::uint64_t begin = i ? found_.first[i - 1] : 0;
      sorted.examples.insert(sorted.examples.end(), found_.examples.begin() + begin,
                             found_.examples.begin() + found_.first[i]);
      sorted.first.push_back(sorted.examples.size());
    }
    return sorted;
  }

  std::vector<const Letter*> rows_;
  BreakPlaces at_;
  std::vector<std::size_t> max_length_;  // of each text
  Letter mark_;
  std::set<std::pair<std::uint32_t, std::vector<Letter>>> forbidden_;
  std::size_t longest_forbidden_ = 0;
  Pieces found_;  // until sorted, first[i] is the end of piece i
  std::vector<Piece> alone_;
  std::vector<std::size_t> size_;
  // Buffers of one grouping, kept to save allocations.
  std::vector<std::uint32_t> members_, slots_, number_, first_member_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> count_, next_;
  std::uint32_t n_numbers_ = 0;
};

}  // namespace casebase
