// The Levenshtein distance with transpositions (optimal string alignment), by bits.
//
// A text is a sequence of characters; the caller decides whether these are code points or bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/simd.hpp"

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
      pause();
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
        const std::uint64_t right_out = right >> 63, others = left >> 63;
        right = (right << 1) | right_in;
        left = (left << 1) | left_in;
        right_in = right_out;
        left_in = others;
        word.up = left | ~(word.diagonal | right);
        word.down = right & word.diagonal;
        word.last_places = here;
      }
    }
    return distance;
  }

  // Two texts of a million letters are compared for minutes: now and then Ctrl-C is heard meanwhile.
  void pause() const {
    n_done_ += n_words_;
    if (n_done_ < kWordsPerPause) return;
    n_done_ = 0;
    if (between_blocks != nullptr) between_blocks();
  }

  std::uint64_t places(std::uint32_t c) const {
    if (c < 256) return low_[c];
    const auto found = places_.find(c);
    return found == places_.end() ? 0 : found->second[0];
  }

  static constexpr std::size_t kWordsPerPause = std::size_t{1} << 24;  // some hundredths of a second

  mutable std::size_t n_done_ = 0;  // words since the last pause
  Text asked_;
  bool swaps_at_start_;
  std::size_t n_words_;
  std::uint64_t low_[256] = {};  // where each of the commonest characters is, if the text fits a word
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> places_;
};

// Stored texts of a few letters, compared with one text of at most 16 letters, 64 of them at a time: the column of
// edits of a text is a number of 8 or 16 bits, and processors calculate with 32 or 64 of these at once.
class ShortTexts {
 public:
  static constexpr std::size_t kMostAsked = 16;

  ShortTexts() = default;
  // Takes the texts of at most `most` letters, and lists the others.
  ShortTexts(const Texts& texts, std::size_t most, std::vector<std::uint32_t>& others) {
    std::vector<std::vector<std::uint32_t>> by_length(most + 1);
    for (std::uint32_t v = 0; v < texts.size(); ++v) {
      const Text text(texts, v);
      const bool is_short = text.length <= most && std::all_of(text.characters, text.characters + text.length,
                                                               [this](std::uint32_t c) { return has_number(c); });
      (is_short ? by_length[text.length] : others).push_back(v);
    }
    for (std::size_t length = 0; length <= most; ++length)
      for (std::size_t first = 0; first < by_length[length].size(); first += kLanes)
        add_block(texts, length, by_length[length].data() + first, std::min(kLanes, by_length[length].size() - first));
  }

  // Calculates the distances of the texts from one of at most 16 letters, up to `most`; a larger distance may come out
  // too small, but not below `most`.
  void from(const Text& asked, bool swaps_at_start, std::size_t most, double* out) const {
    Letters letters{};
    for (std::size_t i = 0; i < asked.length; ++i) letters[i] = number(asked.characters[i]);
    std::array<std::uint8_t, kLanes> distances;
    for (const Block& block : blocks_) {
      const std::size_t apart = std::max(block.length, asked.length) - std::min(block.length, asked.length);
      const Lanes* others = letters_.data() + block.first;
      if (apart >= most || asked.length == 0)
        distances.fill(static_cast<std::uint8_t>(apart));
      else if (asked.length <= 8)
        compare<std::uint8_t>(letters, asked.length, swaps_at_start, others, block.length, distances.data());
      else
        compare<std::uint16_t>(letters, asked.length, swaps_at_start, others, block.length, distances.data());
      for (std::size_t lane = 0; lane < block.n_texts; ++lane) out[block.text[lane]] = distances[lane];
    }
  }

 private:
  static constexpr std::size_t kLanes = 64;
  static constexpr std::uint8_t kNowhere = 0, kNoLetter = 255;  // numbers of a letter of no text, and of no letter
  using Lanes = std::array<std::uint8_t, kLanes>;
  using Letters = std::array<std::uint8_t, kMostAsked>;

  // Texts of one length. Their first letters come first, then their second ones, and so on.
  struct Block {
    std::size_t length, n_texts, first;
    std::array<std::uint32_t, kLanes> text;
  };

  // Letters are numbered as they are met; in scripts with very many letters the later ones have no number.
  bool has_number(std::uint32_t c) {
    if (numbers_.size() + 1 < kNoLetter) numbers_.try_emplace(c, static_cast<std::uint8_t>(numbers_.size() + 1));
    return numbers_.contains(c);
  }

  std::uint8_t number(std::uint32_t c) const {
    const auto found = numbers_.find(c);
    return found == numbers_.end() ? kNowhere : found->second;
  }

  void add_block(const Texts& texts, std::size_t length, const std::uint32_t* values, std::size_t n) {
    Block block{length, n, letters_.size(), {}};
    std::copy_n(values, n, block.text.begin());
    for (std::size_t j = 0; j < length; ++j) {
      Lanes& letters = letters_.emplace_back();
      letters.fill(kNoLetter);
      for (std::size_t lane = 0; lane < n; ++lane) letters[lane] = number(Text(texts, values[lane]).characters[j]);
    }
    blocks_.push_back(block);
  }

  // Takes the same steps as EditDistance, for texts of one length.
  template <class Word>
  static void compare(const Letters& asked, std::size_t n_asked, bool swaps_at_start, const Lanes* others,
                      std::size_t n_others, std::uint8_t* distances) {
    best_version(
        [](const std::uint8_t* asked, std::size_t n_asked, bool swaps_at_start, const Lanes* others,
           std::size_t n_others, std::uint8_t* distances) CASEBASE_INLINE_LAMBDA {
          constexpr Word kAll = static_cast<Word>(~Word{0});
          const Word last_bit = static_cast<Word>(1u << (n_asked - 1));
          Word up[kLanes], down[kLanes] = {}, diagonal[kLanes] = {}, last_places[kLanes] = {}, here[kLanes];
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            up[lane] = kAll;
            distances[lane] = static_cast<std::uint8_t>(n_asked);
          }
          for (std::size_t j = 0; j < n_others; ++j) {
            const std::uint8_t* letters = others[j].data();
            for (std::size_t lane = 0; lane < kLanes; ++lane) here[lane] = 0;
            for (std::size_t i = 0; i < n_asked; i += 4) {
              const Word bit = static_cast<Word>(1u << i), second = static_cast<Word>(2u << i),
                         third = static_cast<Word>(4u << i), fourth = static_cast<Word>(8u << i);
              for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::uint8_t letter = letters[lane];
                const Word found = letter == asked[i] ? bit : Word{0},
                           or_second = letter == asked[i + 1] ? second : Word{0},
                           or_third = letter == asked[i + 2] ? third : Word{0},
                           or_fourth = letter == asked[i + 3] ? fourth : Word{0};
                here[lane] = static_cast<Word>(here[lane] | found | or_second | or_third | or_fourth);
              }
            }
            const Word may_swap = swaps_at_start ? kAll : j < 2 ? Word{0} : static_cast<Word>(~Word{2});
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
              const Word at = here[lane], u = up[lane], d = down[lane];
              const Word swapped = static_cast<Word>(((~diagonal[lane] & at) << 1) & last_places[lane] & may_swap);
              const Word sum = static_cast<Word>((at & u) + u);
              const Word diag = static_cast<Word>((sum ^ u) | at | d | swapped);
              const Word right = static_cast<Word>(d | ~(diag | u)), left = static_cast<Word>(diag & u);
              const std::uint8_t more = (right & last_bit) != 0 ? 1 : 0, less = (left & last_bit) != 0 ? 1 : 0;
              distances[lane] = static_cast<std::uint8_t>(distances[lane] + more - less);
              const Word next = static_cast<Word>((right << 1) | 1);
              up[lane] = static_cast<Word>((left << 1) | ~(diag | next));
              down[lane] = static_cast<Word>(next & diag);
              diagonal[lane] = diag;
              last_places[lane] = at;
            }
          }
        },
        asked.data(), n_asked, swaps_at_start, others, n_others, distances);
  }

  std::unordered_map<std::uint32_t, std::uint8_t> numbers_;
  std::vector<Lanes> letters_;
  std::vector<Block> blocks_;
};

}  // namespace casebase
