// Substrings of strings ("pieces"), each with the examples it occurs in: around a marked place, or anywhere.
//
// An example is a string, and a place in it if one is asked about; a piece around the place has a letters before it and
// b after it. Pieces are found in the order of length. The piece (a, b) of an example is determined by its two parts
// (a - 1, b) and (a, b - 1), so examples are grouped by the numbers of these two groups, and no text is compared. A
// piece that occurs in a single example is not extended, because every longer one occurs in that example alone. So most
// pieces of a string are never visited. A piece with the same examples as one of its parts is extended but not listed,
// because the shorter one is equivalent. Pieces anywhere are found in the same way: one of n letters is determined by
// its first and its last n - 1 letters; it does not reach over the place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "core/strings/trie.hpp"

namespace casebase {

// Examples: the place is before letter `place` of the text; the string is [begin, end), edges included if it has any.
struct AskedPlaces {
  const std::uint32_t *place, *begin, *end;
  std::size_t n;
};

struct Piece {
  std::uint32_t place;  // its first occurrence; of a piece anywhere, its first letter
  std::uint32_t before, after;
  std::uint32_t row;  // 0: letters, 1: classes, 2: classes around the letter at the place
  bool is_anywhere = false;

  std::size_t length() const { return std::size_t{before} + after; }
  std::size_t name_length() const { return length() + !is_anywhere; }  // with the mark
};

struct Pieces {
  std::vector<Piece> pieces;
  std::vector<std::uint64_t> first;
  std::vector<std::uint32_t> examples;
};

// Which pieces there are: around the place, anywhere, and of classes around the letter at the place.
struct PieceKinds {
  bool has_place, has_anywhere, has_around;
};

// The pieces of one text, or of two texts of the same strings (letters, and their classes). Letter 0 matches nothing.
class PieceFinder {
 public:
  using Forbidden = std::vector<std::pair<std::uint32_t, std::vector<Letter>>>;  // kind and name, with its mark

  PieceFinder(std::vector<const Letter*> rows, const AskedPlaces& places, std::vector<std::size_t> max_length,
              PieceKinds kinds, Letter mark, const Forbidden& forbidden)
      : rows_(std::move(rows)),
        at_(places),
        max_length_(std::move(max_length)),
        kinds_(kinds),
        mark_(mark),
        forbidden_(forbidden.begin(), forbidden.end()) {
    for (const auto& [row, name] : forbidden_) longest_forbidden_ = std::max(longest_forbidden_, name.size());
  }

  Pieces find() {
    alone_.assign(at_.n, Piece{0, 0, 0, 0});
    const std::uint32_t n_rows = static_cast<std::uint32_t>(rows_.size());
    if (kinds_.has_place)
      for (std::uint32_t row = 0; row < n_rows + (kinds_.has_around && n_rows == around); ++row) grow(row);
    if (kinds_.has_anywhere) {
      list_occurrences();
      for (std::uint32_t row = 0; row < n_rows; ++row) grow_anywhere(row);
    }
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
  static constexpr std::uint32_t around = 2;
  using Groups = std::vector<std::uint32_t>;  // the group of each example, or of each occurrence

  const Letter* text(std::uint32_t row) const { return rows_[row == around ? 1 : row]; }

  void grow(std::uint32_t row) {
    std::vector<Groups> shorter{Groups(at_.n, 0)};
    size_.assign(1, at_.n + 1);  // the empty piece: one more, so that no piece is equivalent to it
    for (std::size_t length = 1; length <= max_length_[row != 0]; ++length) {
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
      const std::size_t letter_at = !left ? at_.place[x] + after - 1 : at_.place[x] - before;
      const Letter added = (row == around && letter_at == at_.place[x] ? rows_[0] : text(row))[letter_at];
      if ((!left || !right) && added == 0) continue;
      const std::uint64_t high = left ? (*left)[x] : (*right)[x], low = left && right ? (*right)[x] : added;
      members_.push_back(x);
      keys_.push_back(high << 32 | low);
    }
    if (members_.empty()) return;
    number_keys();
    groups.assign(at_.n, none);
    // Without the letter at the place, or with it alone, the piece is one of classes or of letters.
    const bool is_new = row != around || (after > 0 && before + after > 1);
    list(
        is_new, groups, size, [](std::uint32_t x) { return x; },
        [&](std::uint32_t x) {
          return Piece{at_.place[x], static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(after), row};
        },
        [&](std::uint32_t x, std::size_t n) {
          return (left && n >= size_[(*left)[x]]) || (right && n >= size_[(*right)[x]]);
        });
  }

  // Where pieces may begin in each example, and the end of the side of the place on which they lie.
  void list_occurrences() {
    for (std::uint32_t x = 0; x < at_.n; ++x) {
      const std::uint32_t middle = kinds_.has_place ? at_.place[x] : at_.end[x];
      for (std::uint32_t i = at_.begin[x]; i < at_.end[x]; ++i) {
        begins_.push_back(i);
        ends_.push_back(i < middle ? middle : at_.end[x]);
        example_.push_back(x);
      }
    }
  }

  void grow_anywhere(std::uint32_t row) {
    Groups shorter(begins_.size() + 1, 0), longer;
    size_.assign(1, at_.n + 1);
    for (std::size_t length = 1; length <= max_length_[row != 0]; ++length) {
      members_.clear();
      keys_.clear();
      for (std::uint32_t o = 0; o < begins_.size(); ++o) {
        if (length > ends_[o] - begins_[o] || shorter[o] == none || shorter[o + 1] == none) continue;
        const Letter added = rows_[row][begins_[o]];
        if (length == 1 && added == 0) continue;
        members_.push_back(o);
        keys_.push_back(length == 1 ? added : std::uint64_t{shorter[o]} << 32 | shorter[o + 1]);
      }
      if (members_.empty()) return;
      number_keys();
      count_examples();
      longer.assign(begins_.size() + 1, none);
      std::vector<std::size_t> size;
      list(
          true, longer, size, [&](std::uint32_t o) { return example_[o]; },
          [&](std::uint32_t o) { return Piece{begins_[o], 0, static_cast<std::uint32_t>(length), row, true}; },
          [&](std::uint32_t o, std::size_t n) { return n >= size_[shorter[o]] || n >= size_[shorter[o + 1]]; });
      if (size.empty()) return;
      shorter.swap(longer);
      size_ = std::move(size);
    }
  }

  // Counts the examples of each group instead of its occurrences.
  void count_examples() {
    count_.assign(n_numbers_, 0);
    std::vector<std::uint32_t> last(n_numbers_, none);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::uint32_t x = example_[members_[i]], g = number_[i];
      if (last[g] != x) ++count_[g];
      last[g] = x;
    }
  }

  // Lists the new groups among the numbered keys of the members, and writes the group of each member. A member is an
  // example or an occurrence in one; a piece that is as frequent as one of its parts is equivalent to it, but a longer
  // one may not be.
  template <class ExampleOf, class PieceOf, class IsEquivalent>
  void list(bool is_new, Groups& groups, std::vector<std::size_t>& size, ExampleOf&& example_of, PieceOf&& piece_of,
            IsEquivalent&& is_equivalent) {
    std::vector<std::uint32_t> kept(n_numbers_, none);
    std::vector<std::uint8_t> is_listed(n_numbers_, 0);
    for (std::uint32_t g = 0; g < n_numbers_; ++g) {
      const std::uint32_t member = members_[first_member_[g]];
      const std::size_t n = count_[g];
      const Piece piece = piece_of(member);
      const bool is_allowed = !is_forbidden(piece);
      if (n > 1 || !is_allowed) {  // a piece with one example cannot become rarer
        kept[g] = static_cast<std::uint32_t>(size.size());
        size.push_back(is_allowed && is_new ? n : none);  // what is not listed is no substitute for longer ones
      }
      if (!is_allowed || !is_new || is_equivalent(member, n)) continue;
      if (n == 1) {
        keep_alone(example_of(member), piece);
        continue;
      }
      is_listed[g] = 1;
      found_.pieces.push_back(piece);
      next_[g] = found_.examples.size();
      found_.examples.resize(found_.examples.size() + n);
      found_.first.push_back(found_.examples.size());
    }
    std::vector<std::uint32_t> last(n_numbers_, none);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::uint32_t g = number_[i], x = example_of(members_[i]);
      groups[members_[i]] = kept[g];
      if (is_listed[g] && last[g] != x) found_.examples[next_[g]++] = x;
      last[g] = x;
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
    const std::size_t n = std::min(a.name_length(), b.name_length());
    for (std::size_t i = 0; i < n; ++i) {
      const Letter x = letter(a, i), y = letter(b, i);
      if (x != y) return x < y;
    }
    if (a.name_length() != b.name_length()) return a.name_length() < b.name_length();
    return a.row < b.row;
  }

  // Letter i of the piece's name: its letters, with a mark at the place.
  Letter letter(const Piece& piece, std::size_t i) const {
    if (piece.is_anywhere) return text(piece.row)[piece.place + i];
    if (i == piece.before) return mark_;
    const std::size_t at = piece.place - piece.before + i - (i > piece.before);
    return (piece.row == around && at == piece.place ? rows_[0] : text(piece.row))[at];
  }

  bool is_forbidden(const Piece& piece) const {
    if (piece.name_length() > longest_forbidden_) return false;
    std::vector<Letter> name;
    for (std::size_t i = 0; i < piece.name_length(); ++i) name.push_back(letter(piece, i));
    return forbidden_.contains({piece.is_anywhere ? piece.row + PatternTrie::letters_anywhere : piece.row, name});
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
  AskedPlaces at_;
  std::vector<std::size_t> max_length_;  // of pieces of letters, and of classes
  PieceKinds kinds_;
  Letter mark_;
  std::set<std::pair<std::uint32_t, std::vector<Letter>>> forbidden_;
  std::size_t longest_forbidden_ = 0;
  Pieces found_;  // until sorted, first[i] is the end of piece i
  std::vector<Piece> alone_;
  std::vector<std::size_t> size_;
  std::vector<std::uint32_t> begins_, ends_, example_;  // of each occurrence
  // Buffers of one grouping, kept to save allocations.
  std::vector<std::uint32_t> members_, slots_, number_, first_member_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> count_, next_;
  std::uint32_t n_numbers_ = 0;
};

}  // namespace casebase
