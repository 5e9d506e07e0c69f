// Values that depend on the spelling of a word alone, as codes: its beginning, its end, its shape, and the classes of
// words of the lexicon that are parts of it.
//
// Only words of ASCII are described here: for others the tables of Unicode are needed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace casebase {

// Texts one after the other.
struct TextsView {
  const char* bytes;
  const std::int32_t* offsets;  // where each begins, and the end
  std::size_t n;

  std::string_view operator[](std::size_t i) const {
    return {bytes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

// The numbers of distinct texts, which must stay alive.
class TextIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  explicit TextIndex(const TextsView& texts) : texts_(texts), slots_(std::bit_ceil(2 * texts.n + 1), Slot{0, kNone}) {
    for (std::size_t i = 0; i < texts.n; ++i) {
      const std::size_t hash = hashed(texts[i]);
      std::size_t at = hash & (slots_.size() - 1);
      while (slots_[at].number != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {mark(hash), static_cast<std::uint32_t>(i)};
    }
  }

  std::uint32_t find(std::string_view text) const {
    const std::size_t hash = hashed(text);
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone || (slot.mark == mark(hash) && texts_[slot.number] == text)) return slot.number;
    }
  }

 private:
  struct Slot {
    std::uint32_t mark, number;
  };

  static std::size_t hashed(std::string_view text) { return std::hash<std::string_view>{}(text); }
  static std::uint32_t mark(std::size_t hash) { return static_cast<std::uint32_t>(hash >> (4 * sizeof hash)); }

  TextsView texts_;
  std::vector<Slot> slots_;
};

// The words of a lexicon, and the ambiguity class of each.
struct ClassedWords {
  const TextIndex* words;
  const std::int64_t* class_of;
  TextsView classes;
};

enum class SpellingKind { itself, lower, prefix, suffix, shape, length, capital, stem, last_part, other_case };

// Writes the value of each kind for one word after the other.
class Spelling {
 public:
  Spelling(SpellingKind kind, std::size_t n, const ClassedWords& lexicon) : kind_(kind), n_(n), lexicon_(lexicon) {}

  // Until the next word.
  std::string_view of(std::string_view word) {
    switch (kind_) {
      case SpellingKind::itself:
        return word;
      case SpellingKind::lower:
        return lower(word);
      case SpellingKind::prefix:
        return word.substr(0, n_);
      case SpellingKind::suffix:
        return word.substr(word.size() - std::min(n_, word.size()));
      case SpellingKind::shape:
        return shape(word);
      case SpellingKind::length:
        return value_ = std::to_string(std::min(word.size(), kLongestWord));
      case SpellingKind::capital:
        return !word.empty() && is_upper(word.front()) ? "_C" : "_0";
      case SpellingKind::stem:
        return stem(word);
      case SpellingKind::last_part:
        return last_part(word);
      default:
        return other_case(word);
    }
  }

 private:
  static constexpr std::size_t kLongestShape = 8, kLongestWord = 15, kLongestEnding = 5, kShortestStem = 3;
  static constexpr std::string_view kNothing = "-";

  static bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }
  static char lowered(char letter) { return is_upper(letter) ? static_cast<char>(letter + ('a' - 'A')) : letter; }

  std::string_view lower(std::string_view word) {
    lower_.assign(word);
    std::transform(lower_.begin(), lower_.end(), lower_.begin(), lowered);
    return lower_;
  }

  std::string_view shape(std::string_view word) {
    value_.clear();
    char last = 0;
    for (const char letter : word) {
      const char sign = is_upper(letter)                 ? 'A'
                        : letter >= 'a' && letter <= 'z' ? 'a'
                        : letter >= '0' && letter <= '9' ? '9'
                                                         : 0;
      if (sign == 0 || sign != last) value_ += sign == 0 ? letter : sign;
      last = sign;
      if (value_.size() > kLongestShape) break;
    }
    return std::string_view(value_).substr(0, kLongestShape);
  }

  std::uint32_t find_in_any_case(std::string_view word) {
    const std::uint32_t found = lexicon_.words->find(word);
    return found != TextIndex::kNone ? found : lexicon_.words->find(lower(word));
  }

  std::string_view class_of(std::uint32_t word) const {
    return lexicon_.classes[static_cast<std::size_t>(lexicon_.class_of[word])];
  }

  // The shortest ending that leaves a word of the lexicon, and the class of this word.
  std::string_view stem(std::string_view word) {
    for (std::size_t n = 1; n <= kLongestEnding && word.size() >= kShortestStem + n; ++n) {
      const std::uint32_t found = find_in_any_case(word.substr(0, word.size() - n));
      if (found == TextIndex::kNone) continue;
      value_.assign(word.substr(word.size() - n));
      value_ += '/';
      return value_ += class_of(found);
    }
    return kNothing;
  }

  // The class of the part behind the last hyphen, or its last letters if it is no word of the lexicon.
  std::string_view last_part(std::string_view word) {
    const std::size_t at = word.rfind('-');
    if (at == std::string_view::npos || at == 0 || at + 1 == word.size()) return kNothing;
    const std::string_view last = word.substr(at + 1);
    const std::uint32_t found = find_in_any_case(last);
    if (found == TextIndex::kNone) return last.substr(last.size() - std::min<std::size_t>(3, last.size()));
    value_.assign("/");
    return value_ += class_of(found);
  }

  // The class of the same word in lower case, or else with a capital only at its beginning.
  std::string_view other_case(std::string_view word) {
    lower(word);
    const bool is_lower = lower_ == word;
    if (!is_lower)
      if (const std::uint32_t found = lexicon_.words->find(lower_); found != TextIndex::kNone) return class_of(found);
    if (lower_.empty()) return kNothing;
    const char first = word.front();
    lower_.front() = is_lower && first >= 'a' && first <= 'z' ? static_cast<char>(first - ('a' - 'A')) : first;
    if (lower_ == word) return kNothing;
    const std::uint32_t found = lexicon_.words->find(lower_);
    return found == TextIndex::kNone ? kNothing : class_of(found);
  }

  SpellingKind kind_;
  std::size_t n_;
  ClassedWords lexicon_;
  std::string value_, lower_;
};

// The codes of the values of words in a vocabulary, which are the numbers of its texts; `unknown` for other values, and
// `not_asked` for words that are not of ASCII.
inline std::vector<std::uint32_t> spelling_codes(Spelling& spelling, const TextsView& words,
                                                 const TextIndex& vocabulary, std::uint32_t unknown,
                                                 std::uint32_t not_asked) {
  std::vector<std::uint32_t> codes(words.n);
  for (std::size_t i = 0; i < words.n; ++i) {
    const std::string_view word = words[i];
    if (std::any_of(word.begin(), word.end(), [](char letter) { return static_cast<unsigned char>(letter) > 127; })) {
      codes[i] = not_asked;
    } else {
      const std::uint32_t found = vocabulary.find(spelling.of(word));
      codes[i] = found == TextIndex::kNone ? unknown : found;
    }
  }
  return codes;
}

}  // namespace casebase
