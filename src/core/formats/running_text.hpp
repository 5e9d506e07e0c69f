// Running text: tokens between blanks, line by line, and the same text with tags, `word/tag word/tag`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/values.hpp"

namespace casebase {

// The tokens of a text by the numbers of their values, and how many of them each line has.
struct TokenLines {
  std::vector<std::uint32_t> codes;
  DistinctValues values;
  std::vector<std::int64_t> n_tokens;
};

// The text has no NUL bytes; the end of its last line may be missing.
inline TokenLines token_lines(const char* begin, const char* end) {
  std::array<bool, 256> is_blank{};
  for (const char blank : {' ', '\t', '\r', '\f', '\v', '\n'}) is_blank[static_cast<unsigned char>(blank)] = true;
  TokenLines lines;
  std::size_t n_before = 0;
  const auto end_line = [&] {
    lines.n_tokens.push_back(static_cast<std::int64_t>(lines.codes.size() - n_before));
    n_before = lines.codes.size();
  };
  for (const char* at = begin; at < end;) {
    if (is_blank[static_cast<unsigned char>(*at)]) {
      if (*at++ == '\n') end_line();
      continue;
    }
    const char* const token = at;
    while (at < end && !is_blank[static_cast<unsigned char>(*at)]) ++at;
    lines.codes.push_back(lines.values.code(token, static_cast<std::size_t>(at - token), end));
  }
  if (begin < end && end[-1] != '\n') end_line();
  return lines;
}

// Words by number, and the tag of each.
struct TaggedWords {
  const std::int64_t* word;
  const char* bytes;
  const std::int32_t* offsets;  // of each word among the bytes, and the end
  const std::string_view* tags;
  std::size_t n;
};

// Lines of so many words each, which are all the words.
inline std::string tagged_lines(const TaggedWords& words, const std::int64_t* n_of_line, std::size_t n_lines) {
  std::size_t length = n_lines + 2 * words.n;
  for (std::size_t i = 0; i < words.n; ++i)
    length += static_cast<std::size_t>(words.offsets[words.word[i] + 1] - words.offsets[words.word[i]]) +
              words.tags[i].size();
  std::string text;
  text.reserve(length);
  std::size_t at = 0;
  for (std::size_t line = 0; line < n_lines; ++line) {
    const std::size_t first = at, end = at + static_cast<std::size_t>(n_of_line[line]);
    for (; at < end; ++at) {
      if (at > first) text += ' ';
      const std::int32_t begin = words.offsets[words.word[at]];
      text.append(words.bytes + begin, static_cast<std::size_t>(words.offsets[words.word[at] + 1] - begin));
      text += '/';
      text += words.tags[at];
    }
    text += '\n';
  }
  return text;
}

}  // namespace casebase
