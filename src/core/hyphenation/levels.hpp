// Levels of patterns, one after the other: each has the exceptions to those below that the examples support best.
//
// A column has the pieces with the same number of letters before and after the place, so each example lies in at most
// one piece of a column. The piece (a, b) of an example is determined by its parts (a - 1, b) and (a, b - 1), whose
// numbers are the key of a hash table: no text is compared. A piece that occurs once is not extended. A level visits
// the columns from short to long pieces: one pass counts, for each piece, the examples that it would put right and
// those that it would spoil; what it takes is settled, and no longer counted in longer pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/strings/pieces.hpp"

namespace casebase {

// A level takes the pieces of shortest to longest letters whose gain, the weight put right minus the weight spoilt, is
// at least `least`; a pure level takes those that spoil nothing.
struct LevelStep {
  std::size_t shortest, longest;
  double least;
  bool is_pure;
};

struct LeveledPiece {
  Piece piece;
  std::uint16_t level;
};

// Where breaks are allowed, and the answers of patterns that are given; all by example.
struct PlaceLabels {
  const std::uint8_t* is_break;
  const double* weights;             // null: 1 each
  const std::uint8_t* given_breaks;  // settled at level 1
  const std::uint8_t* given_bonds;   // settled at level 2
};

class LevelSearch {
 public:
  using Forbidden = std::vector<std::pair<Piece, std::vector<Letter>>>;  // lengths and kind, and the letters

  LevelSearch(std::vector<const Letter*> rows, const AskedPlaces& at, std::vector<std::size_t> max_length,
              Forbidden forbidden)
      : rows_(std::move(rows)), at_(at), forbidden_(std::move(forbidden)) {
    columns_.resize(*std::max_element(max_length.begin(), max_length.end()) + 1);
    for (std::uint32_t row = static_cast<std::uint32_t>(rows_.size()); row-- > 0;) grow(row, max_length[row]);
    for (auto& of_length : columns_)
      std::stable_sort(of_length.begin(), of_length.end(), [](const Column& a, const Column& b) {
        if (a.row != b.row) return a.row > b.row;  // classes are more general than letters
        return a.off_centre() < b.off_centre();
      });
  }

  std::vector<LeveledPiece> find(const PlaceLabels& labels, const std::vector<LevelStep>& steps,
                                 std::vector<std::uint32_t>& wrong) {
    std::vector<LeveledPiece> found;
    std::vector<std::uint8_t> answer(at_.n, 0);
    std::uint16_t level = 0;
    for (const LevelStep& step : steps) {
      const std::uint8_t own = ++level % 2;
      state_.assign(at_.n, settled);
      for (std::size_t x = 0; x < at_.n; ++x)
        if (answer[x] != own) state_[x] = labels.is_break[x] == own ? is_wrong : is_right;
      const std::uint8_t* given = level == 1 ? labels.given_breaks : level == 2 ? labels.given_bonds : nullptr;
      if (given)
        for (std::size_t x = 0; x < at_.n; ++x)
          if (given[x]) settle(x, own, answer);
      for (std::size_t length = step.shortest; length <= step.longest && length < columns_.size(); ++length)
        for (const Column& column : columns_[length]) take(column, step, level, labels.weights, answer, found);
    }
    wrong.clear();
    for (std::size_t x = 0; x < at_.n; ++x)
      if (answer[x] != labels.is_break[x]) wrong.push_back(static_cast<std::uint32_t>(x));
    return found;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  enum State : std::uint8_t { settled, is_wrong, is_right };
  using Groups = std::vector<std::uint32_t>;

  struct Column {
    std::uint32_t before, after, row;
    std::vector<std::uint32_t> example, group;  // one each per occurrence
    std::vector<std::uint32_t> first;           // an example of each group

    std::uint32_t off_centre() const {
      const std::uint32_t middle = (before + after) / 2;
      return before > middle ? 2 * (before - middle) : middle == before ? 0 : 2 * (middle - before) - 1;
    }
  };

  void grow(std::uint32_t row, std::size_t longest) {
    std::vector<Groups> shorter{Groups(at_.n, 0)};
    for (std::size_t length = 1; length <= longest; ++length) {
      std::vector<Groups> longer(length + 1);
      bool has_any = false;
      for (std::size_t before = 0; before <= length; ++before) {
        listen_(8 * at_.n);
        Column column{static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(length - before), row, {}, {}, {}};
        has_any |= group(column, before ? &shorter[before - 1] : nullptr, before < length ? &shorter[before] : nullptr,
                         longer[before]);
        if (!column.first.empty()) columns_[length].push_back(std::move(column));
      }
      if (!has_any) return;
      shorter = std::move(longer);
    }
  }

  // Fills a column; `groups` gets the group of each example whose piece may be extended. False if there is none.
  bool group(Column& column, const Groups* left, const Groups* right, Groups& groups) {
    if ((left && left->empty()) || (right && right->empty())) return false;
    keys_.clear();
    for (std::uint32_t x = 0; x < at_.n; ++x) {
      if ((left && (*left)[x] == none) || (right && (*right)[x] == none)) continue;
      if (column.before > at_.place[x] - at_.begin[x] || column.after > at_.end[x] - at_.place[x]) continue;
      const Letter added = rows_[column.row][left ? at_.place[x] - column.before : at_.place[x] + column.after - 1];
      if ((!left || !right) && added == 0) continue;
      column.example.push_back(x);
      keys_.push_back(std::uint64_t{left ? (*left)[x] : (*right)[x]} << 32 | (left && right ? (*right)[x] : added));
    }
    std::size_t size = 16;
    while (size < 2 * keys_.size()) size *= 2;
    slots_.assign(size, none);
    count_.clear();
    std::vector<std::uint32_t> key_of;
    column.group.resize(keys_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::size_t at = (keys_[i] * 0x9E3779B97F4A7C15u >> 20) & (size - 1);
      while (slots_[at] != none && keys_[key_of[slots_[at]]] != keys_[i]) at = (at + 1) & (size - 1);
      if (slots_[at] == none) {
        slots_[at] = static_cast<std::uint32_t>(key_of.size());
        key_of.push_back(static_cast<std::uint32_t>(i));
        column.first.push_back(column.example[i]);
        count_.push_back(0);
      }
      column.group[i] = slots_[at];
      ++count_[slots_[at]];
    }
    bool may_grow = false;
    groups.assign(at_.n, none);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (count_[column.group[i]] > 1) {
        groups[column.example[i]] = column.group[i];
        may_grow = true;
      }
    if (!may_grow) groups.clear();
    return may_grow;
  }

  void take(const Column& column, const LevelStep& step, std::uint16_t level, const double* weights,
            std::vector<std::uint8_t>& answer, std::vector<LeveledPiece>& found) {
    listen_(4 * column.example.size());
    right_.assign(column.first.size(), 0.0);
    spoilt_.assign(column.first.size(), 0.0);
    for (std::size_t i = 0; i < column.example.size(); ++i) {
      const std::uint32_t x = column.example[i];
      if (state_[x] == settled) continue;
      (state_[x] == is_wrong ? right_ : spoilt_)[column.group[i]] += weights ? weights[x] : 1.0;
    }
    is_taken_.assign(column.first.size(), 0);
    bool takes_any = false;
    for (std::size_t g = 0; g < column.first.size(); ++g) {
      if (right_[g] <= 0.0 || (step.is_pure ? spoilt_[g] > 0.0 : right_[g] - spoilt_[g] < step.least)) continue;
      const Piece piece{at_.place[column.first[g]], column.before, column.after, column.row};
      if (is_forbidden(piece)) continue;
      is_taken_[g] = 1;
      takes_any = true;
      found.push_back({piece, level});
    }
    if (!takes_any) return;
    for (std::size_t i = 0; i < column.example.size(); ++i)
      if (is_taken_[column.group[i]]) settle(column.example[i], level % 2, answer);
  }

  void settle(std::size_t x, std::uint8_t own, std::vector<std::uint8_t>& answer) {
    state_[x] = settled;
    answer[x] = own;
  }

  bool is_forbidden(const Piece& piece) const {
    for (const auto& [other, letters] : forbidden_)
      if (piece.before == other.before && piece.after == other.after && piece.row == other.row &&
          std::equal(letters.begin(), letters.end(), rows_[piece.row] + piece.place - piece.before))
        return true;
    return false;
  }

  std::vector<const Letter*> rows_;
  AskedPlaces at_;
  Forbidden forbidden_;
  std::vector<std::vector<Column>> columns_;  // by length
  std::vector<std::uint8_t> state_, is_taken_;
  std::vector<double> right_, spoilt_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> slots_, count_;
  Listener listen_;
};

}  // namespace casebase
