// How different two texts are: Levenshtein's distance with swaps, and Dice's coefficient of letter pairs.
//
// A text is a row of characters; who makes the lists decides whether these are letters or bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// Texts one behind the other: text i is characters start[i] to start[i + 1].
struct Texts {
  std::vector<std::uint32_t> characters;
  std::vector<std::uint64_t> start{0};

  std::size_t size() const { return start.size() - 1; }
};

struct Text {
  const std::uint32_t* characters = nullptr;
  std::size_t length = 0;

  Text() = default;
  Text(const Texts& texts, std::size_t i)
      : characters(texts.characters.data() + texts.start[i]), length(texts.start[i + 1] - texts.start[i]) {}
};

namespace detail {

// Insertions, deletions, substitutions and swaps of neighbours, each counted once, no part edited twice.
// The whole table, for texts that are longer than a machine word; three rows of it at a time.
inline std::size_t edits_by_table(const Text& a, const Text& b, bool swaps_at_start) {
  const std::size_t n = b.length, first_swap = swaps_at_start ? 2 : 3;
  std::vector<std::size_t> before(n + 1), last(n + 1), now(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.length; ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= n; ++j) {
      const bool differs = a.characters[i - 1] != b.characters[j - 1];
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + differs});
      if (i >= first_swap && j >= first_swap && a.characters[i - 1] == b.characters[j - 2] &&
          a.characters[i - 2] == b.characters[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[n];
}

}  // namespace detail

// One text compared with many: what can be prepared once is.
//
// Up to 64 characters a column of the table of edits is two machine words (Hyyrö 2003).
class EditDistance {
 public:
  EditDistance(const Text& asked, bool swaps_at_start) : asked_(asked), swaps_at_start_(swaps_at_start) {
    if (asked.length > 64) return;
    for (std::size_t i = 0; i < asked.length; ++i) {
      const auto c = asked.characters[i];
      (c < 256 ? low_[c] : high_[c]) |= std::uint64_t{1} << i;
    }
  }

  double from(const Text& other) const {
    if (asked_.length == 0) return static_cast<double>(other.length);
    if (asked_.length > 64) return static_cast<double>(detail::edits_by_table(asked_, other, swaps_at_start_));
    std::uint64_t up = ~std::uint64_t{0}, down = 0, diagonal = 0, last_places = 0;
    const std::uint64_t last_bit = std::uint64_t{1} << (asked_.length - 1);
    std::size_t distance = asked_.length;
    for (std::size_t j = 0; j < other.length; ++j) {
      const std::uint64_t here = places(other.characters[j]);
      std::uint64_t swapped = ((~diagonal & here) << 1) & last_places;
      if (!swaps_at_start_) swapped &= j < 2 ? 0 : ~std::uint64_t{2};
      diagonal = (((here & up) + up) ^ up) | here | down | swapped;
      std::uint64_t right = down | ~(diagonal | up);
      const std::uint64_t left = diagonal & up;
      distance += (right & last_bit) != 0;
      distance -= (left & last_bit) != 0;
      right = (right << 1) | 1;
      up = (left << 1) | ~(diagonal | right);
      down = right & diagonal;
      last_places = here;
    }
    return static_cast<double>(distance);
  }

 private:
  std::uint64_t places(std::uint32_t c) const {
    if (c < 256) return low_[c];
    const auto found = high_.find(c);
    return found == high_.end() ? 0 : found->second;
  }

  Text asked_;
  bool swaps_at_start_;
  std::uint64_t low_[256] = {};
  std::unordered_map<std::uint32_t, std::uint64_t> high_;
};

// 1 less twice the pairs of neighbouring characters in common, as a share of all pairs. Texts of one character have
// no pairs: then single characters are compared.
class DiceDistance {
 public:
  explicit DiceDistance(const Text& asked) : asked_(asked), pairs_(parts(asked, true)), singles_(parts(asked, false)) {}

  double from(const Text& other) const {
    const bool by_pairs = asked_.length > 1 && other.length > 1;
    const auto& mine = by_pairs ? pairs_ : singles_;
    const auto theirs = parts(other, by_pairs);
    std::size_t common = 0;
    for (const auto part : theirs) common += mine.count(part);
    if (mine.empty() && theirs.empty()) return 0.0;
    return 1.0 - 2.0 * static_cast<double>(common) / static_cast<double>(mine.size() + theirs.size());
  }

 private:
  static std::unordered_set<std::uint64_t> parts(const Text& text, bool by_pairs) {
    std::unordered_set<std::uint64_t> found;
    for (std::size_t i = by_pairs ? 1 : 0; i < text.length; ++i)
      found.insert(by_pairs ? (std::uint64_t{text.characters[i - 1]} << 32) | text.characters[i] : text.characters[i]);
    return found;
  }

  Text asked_;
  std::unordered_set<std::uint64_t> pairs_, singles_;
};

// The stored values of a feature as texts, and how to compare them.
class TextDistance {
 public:
  enum class Kind : std::uint8_t { levenshtein, levenshtein_no_swap_at_start, dice };

  // Where `unknown_cost` is not negative, a text that is not stored is that far from all that are.
  TextDistance(Kind kind, Texts stored, double unknown_cost)
      : kind_(kind), stored_(std::move(stored)), unknown_cost_(unknown_cost) {}

  std::size_t n_values() const { return stored_.size(); }
  double cap() const { return kind_ == Kind::dice ? 1.0 : 8.0; }
  Text text(std::size_t i) const { return {stored_, i}; }

  // The distances of an asked text from all stored ones.
  void from_all(const Text& asked, bool is_stored, double* out) const {
    if (!is_stored && unknown_cost_ >= 0.0) {
      std::fill_n(out, n_values(), unknown_cost_);
      return;
    }
    auto fill = [&](const auto& distance) {
      for (std::size_t v = 0; v < n_values(); ++v) out[v] = distance.from(text(v));
    };
    if (kind_ == Kind::dice)
      fill(DiceDistance(asked));
    else
      fill(EditDistance(asked, kind_ == Kind::levenshtein));
  }

 private:
  Kind kind_;
  Texts stored_;
  double unknown_cost_;
};

}  // namespace casebase
