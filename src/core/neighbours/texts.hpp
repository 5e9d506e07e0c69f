// String distances: Levenshtein with transpositions (optimal string alignment), and Dice's coefficient of bigrams.
// (Texts of one character have no bigrams: then single characters are compared.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/neighbours/edits.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

// The set of the letters of a text, hashed to 64 bits.
inline std::uint64_t letters_of(const Text& text) {
  std::uint64_t letters = 0;
  for (std::size_t i = 0; i < text.length; ++i) letters |= std::uint64_t{1} << (text.characters[i] % 64);
  return letters;
}

// The distinct n-grams of a text, ascending: bigrams, or single characters.
inline std::vector<std::uint64_t> parts_of(const Text& text, bool by_pairs) {
  std::vector<std::uint64_t> parts;
  for (std::size_t i = by_pairs ? 1 : 0; i < text.length; ++i)
    parts.push_back(by_pairs ? (std::uint64_t{text.characters[i - 1]} << 32) | text.characters[i] : text.characters[i]);
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

// Dice's distance: 1 - 2 · |common n-grams| / (|n-grams of a| + |n-grams of b|).
inline double dice_distance(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  if (a.empty() && b.empty()) return 0.0;
  std::size_t common = 0, i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    common += a[i] == b[j];
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a;
    j += step_b;
  }
  return 1.0 - 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

// The stored values of a feature as texts, and how to compare them.
class TextDistance {
 public:
  enum class Kind : std::uint8_t { levenshtein, levenshtein_no_swap_at_start, dice };

  // If `unknown_cost` is not negative, it is the distance of a text that is not stored from all stored ones.
  TextDistance(Kind kind, Texts stored, double unknown_cost)
      : kind_(kind), stored_(std::move(stored)), unknown_cost_(unknown_cost) {
    if (kind != Kind::dice) short_ = ShortTexts(stored_, ShortTexts::kMostAsked + kMostEdits, others_);
    for (std::size_t v = 0; v < stored_.size(); ++v) {
      letters_.push_back(letters_of(text(v)));
      lengths_.push_back(static_cast<std::int32_t>(text(v).length));
      if (is_missing(text(v))) missing_.push_back(static_cast<std::uint32_t>(v));
      if (kind != Kind::dice) continue;
      pairs_.push_back(parts_of(text(v), true));
      singles_.push_back(parts_of(text(v), false));
    }
  }

  std::size_t n_values() const { return stored_.size(); }
  double cap() const { return kind_ == Kind::dice ? 1.0 : static_cast<double>(kMostEdits); }
  Text text(std::size_t i) const { return {stored_, i}; }

  // The text of a question, prepared for comparison with many stored ones.
  class Asked {
   public:
    Asked(const TextDistance& stored, const Text& text, bool is_stored)
        : stored_(stored),
          text_(text),
          letters_(letters_of(text)),
          constant_(is_missing(text) ? 1.0
                    : is_stored      ? -1.0
                                     : stored.unknown_cost_),
          edits_(text, stored.kind_ == Kind::levenshtein) {
      if (stored.kind_ == Kind::dice) {
        pairs_ = parts_of(text, true);
        singles_ = parts_of(text, false);
      }
    }

    // The distance from a stored text.
    double from(std::uint32_t other) const {
      if (constant_ >= 0.0) return constant_;
      const Text text = stored_.text(other);
      if (is_missing(text)) return 1.0;
      if (stored_.kind_ != Kind::dice) return edits_.from(text);
      const bool by_pairs = text_.length > 1 && text.length > 1;
      return by_pairs ? dice_distance(pairs_, stored_.pairs_[other]) : dice_distance(singles_, stored_.singles_[other]);
    }

    // A lower bound of the distance from each stored text; among words, the distance itself, up to the cap.
    void at_most(double* out) const {
      const std::size_t n = stored_.n_values();
      if (constant_ >= 0.0) {
        std::fill_n(out, n, constant_);
      } else if (stored_.kind_ == Kind::dice) {
        for (std::uint32_t v = 0; v < n; ++v) out[v] = from(v);
      } else {
        if (text_.length <= ShortTexts::kMostAsked) {
          stored_.short_.from(text_, stored_.kind_ == Kind::levenshtein, kMostEdits, out);
          for (const std::uint32_t v : stored_.others_) bound(v, v + 1, out);
        } else {
          bound(0, n, out);
        }
        for (const std::uint32_t v : stored_.missing_) out[v] = 1.0;
      }
    }

   private:
    // An edit changes the length, or the set of letters of either text, by at most one.
    void bound(std::size_t begin, std::size_t end, double* out) const {
      best_version(
          [](const std::uint64_t* letters, const std::int32_t* lengths, std::size_t n, std::uint64_t own,
             std::int32_t length, double* out) CASEBASE_INLINE_LAMBDA {
            for (std::size_t v = 0; v < n; ++v) {
              const int longer = std::abs(length - lengths[v]);
              const int gone = std::popcount(own & ~letters[v]), come = std::popcount(letters[v] & ~own);
              out[v] = static_cast<double>(std::max(longer, std::max(gone, come)));
            }
          },
          stored_.letters_.data() + begin, stored_.lengths_.data() + begin, end - begin, letters_,
          static_cast<std::int32_t>(text_.length), out + begin);
    }

    const TextDistance& stored_;
    Text text_;
    std::uint64_t letters_;
    double constant_;  // the distance from all stored texts, or negative
    EditDistance edits_;
    std::vector<std::uint64_t> pairs_, singles_;
  };

 private:
  static constexpr std::size_t kMostEdits = 8;  // more of them do not matter for a bound

  Kind kind_;
  Texts stored_;
  double unknown_cost_;
  std::vector<std::uint64_t> letters_;  // by value
  std::vector<std::int32_t> lengths_;   // the same
  std::vector<std::uint32_t> missing_;  // the values that are missing ones
  std::vector<std::uint32_t> others_;   // the values that are not among the short texts
  ShortTexts short_;
  std::vector<std::vector<std::uint64_t>> pairs_, singles_;  // for Dice's coefficient
};

}  // namespace casebase
