// String distances: Levenshtein with transpositions (optimal string alignment), and Dice's coefficient of bigrams.
// (Texts of one character have no bigrams: then single characters are compared.)
//
// A text is a sequence of characters; the caller decides whether these are code points or bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

// Concatenated texts: text i has the characters start[i] … start[i + 1] - 1.
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

// A missing value is a text of this one character, at distance 1 from all others.
inline constexpr std::uint32_t kMissingText = 0xFFFFFFFFu;

inline bool is_missing(const Text& text) { return text.length == 1 && text.characters[0] == kMissingText; }

// One text compared with many: prepares once what all comparisons need.
//
// Insertions, deletions, substitutions and transpositions cost 1 each, and no substring is edited twice. A column of
// the table of edits is two bits per character, 64 characters in a machine word; what leaves a word at its upper end
// enters the next one (Hyyrö 2003).
class EditDistance {
 public:
  EditDistance(const Text& asked, bool swaps_at_start)
      : asked_(asked), swaps_at_start_(swaps_at_start), n_words_((asked.length + 63) / 64) {
    for (std::size_t i = 0; i < asked.length; ++i) {
      const auto c = asked.characters[i];
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      if (n_words_ == 1 && c < 256) {
        low_[c] |= bit;
        continue;
      }
      auto& words = places_[c];
      words.resize(n_words_);
      words[i / 64] |= bit;
    }
  }

  double from(const Text& other) const {
    if (asked_.length == 0) return static_cast<double>(other.length);
    return static_cast<double>(n_words_ == 1 ? in_a_word(other) : in_words(other));
  }

 private:
  // What is known of a column for the 64 characters of a word.
  struct Word {
    std::uint64_t up = ~std::uint64_t{0}, down = 0, diagonal = 0, last_places = 0;
  };

  std::size_t in_a_word(const Text& other) const {
    Word word;
    const std::uint64_t last_bit = std::uint64_t{1} << (asked_.length - 1);
    std::size_t distance = asked_.length;
    for (std::size_t j = 0; j < other.length; ++j) {
      const std::uint64_t here = places(other.characters[j]);
      std::uint64_t swapped = ((~word.diagonal & here) << 1) & word.last_places;
      if (!swaps_at_start_) swapped &= j < 2 ? 0 : ~std::uint64_t{2};
      word.diagonal = (((here & word.up) + word.up) ^ word.up) | here | word.down | swapped;
      std::uint64_t right = word.down | ~(word.diagonal | word.up);
      const std::uint64_t left = word.diagonal & word.up;
      distance += (right & last_bit) != 0;
      distance -= (left & last_bit) != 0;
      right = (right << 1) | 1;
      word.up = (left << 1) | ~(word.diagonal | right);
      word.down = right & word.diagonal;
      word.last_places = here;
    }
    return distance;
  }

  std::size_t in_words(const Text& other) const {
    std::vector<Word> column(n_words_);
    const std::vector<std::uint64_t> nowhere(n_words_);
    const std::uint64_t last_bit = std::uint64_t{1} << ((asked_.length - 1) % 64);
    std::size_t distance = asked_.length;
    for (std::size_t j = 0; j < other.length; ++j) {
      const auto found = places_.find(other.characters[j]);
      const auto& all_places = found == places_.end() ? nowhere : found->second;
      std::uint64_t right_in = 1, left_in = 0, swapped_in = 0;
      for (std::size_t w = 0; w < n_words_; ++w) {
        Word& word = column[w];
        const std::uint64_t here = all_places[w], may_swap = ~word.diagonal & here;
        std::uint64_t swapped = ((may_swap << 1) | swapped_in) & word.last_places;
        if (!swaps_at_start_) swapped &= j < 2 ? 0 : w == 0 ? ~std::uint64_t{2} : ~std::uint64_t{0};
        swapped_in = may_swap >> 63;
        const std::uint64_t equal = here | left_in;
        word.diagonal = (((equal & word.up) + word.up) ^ word.up) | equal | word.down | swapped;
        std::uint64_t right = word.down | ~(word.diagonal | word.up);
        std::uint64_t left = word.diagonal & word.up;
        if (w + 1 == n_words_) {
          distance += (right & last_bit) != 0;
          distance -= (left & last_bit) != 0;
        }
        const std::uint64_t right_out = right >> 63, left_out = left >> 63;
        right = (right << 1) | right_in;
        left = (left << 1) | left_in;
        right_in = right_out;
        left_in = left_out;
        word.up = left | ~(word.diagonal | right);
        word.down = right & word.diagonal;
        word.last_places = here;
      }
    }
    return distance;
  }

  std::uint64_t places(std::uint32_t c) const {
    if (c < 256) return low_[c];
    const auto found = places_.find(c);
    return found == places_.end() ? 0 : found->second[0];
  }

  Text asked_;
  bool swaps_at_start_;
  std::size_t n_words_;
  std::uint64_t low_[256] = {};  // where each of the commonest characters is, if the text fits a word
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> places_;
};

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
  double cap() const { return kind_ == Kind::dice ? 1.0 : 8.0; }
  Text text(std::size_t i) const { return {stored_, i}; }

  // The text of a question, prepared for comparison with many stored ones.
  class Asked {
   public:
    Asked(const TextDistance& stored, const Text& text, bool is_stored)
        : stored_(stored),
          text_(text),
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

    // A lower bound of the distance from each stored text: an edit changes the length, or the set of letters of either
    // text, by at most one.
    void at_most(double* out) const {
      const std::size_t n = stored_.n_values();
      if (constant_ >= 0.0) {
        std::fill_n(out, n, constant_);
        return;
      }
      if (stored_.kind_ == Kind::dice) {
        for (std::uint32_t v = 0; v < n; ++v) out[v] = from(v);
        return;
      }
      best_version(
          [](const std::uint64_t* letters, const std::int32_t* lengths, std::size_t n, std::uint64_t own,
             std::int32_t length, double* out) CASEBASE_INLINE_LAMBDA {
            for (std::size_t v = 0; v < n; ++v) {
              const int longer = std::abs(length - lengths[v]);
              const int gone = std::popcount(own & ~letters[v]), come = std::popcount(letters[v] & ~own);
              out[v] = static_cast<double>(std::max(longer, std::max(gone, come)));
            }
          },
          stored_.letters_.data(), stored_.lengths_.data(), n, letters_of(text_),
          static_cast<std::int32_t>(text_.length), out);
      for (const std::uint32_t v : stored_.missing_) out[v] = 1.0;
    }

   private:
    const TextDistance& stored_;
    Text text_;
    double constant_;  // the distance from all stored texts, or negative
    EditDistance edits_;
    std::vector<std::uint64_t> pairs_, singles_;
  };

 private:
  Kind kind_;
  Texts stored_;
  double unknown_cost_;
  std::vector<std::uint64_t> letters_;                       // by value
  std::vector<std::int32_t> lengths_;                        // the same
  std::vector<std::uint32_t> missing_;                       // the values that are missing ones
  std::vector<std::vector<std::uint64_t>> pairs_, singles_;  // for Dice's coefficient
};

}  // namespace casebase
