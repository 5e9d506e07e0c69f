// The values of one line of ARFF data.
//
// Commas separate values, and white space around them does not count. A value in single or double quotes may contain
// commas, blanks, and characters after a backslash. A bare question mark is a missing value; a quoted one is a value.
#pragma once

#include <cstddef>
#include <string>

namespace casebase {

// The number of bytes of the white space at `p`, 0 if there is none: Unicode's, in UTF-8, and four control characters,
// as Python strips them.
inline std::size_t white_space(const char* p, const char* end) {
  const auto byte = [p](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= 0x09 && first <= 0x0D) || (first >= 0x1C && first <= 0x20);
  if (first == 0xC2 && end - p >= 2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (end - p < 3) return 0;
  const unsigned pair = byte(1) << 8 | byte(2);
  if (first == 0xE1) return pair == 0x9A80 ? 3 : 0;
  if (first == 0xE3) return pair == 0x8080 ? 3 : 0;
  if (first != 0xE2) return 0;
  const bool is_space =
      (pair >= 0x8080 && pair <= 0x808A) || pair == 0x80A8 || pair == 0x80A9 || pair == 0x80AF || pair == 0x819F;
  return is_space ? 3 : 0;
}

inline const char* after_white_space(const char* p, const char* end) {
  while (p != end) {
    const std::size_t n = white_space(p, end);
    if (n == 0) break;
    p += n;
  }
  return p;
}

// Where the white space at the end of a text begins.
inline const char* before_white_space(const char* begin, const char* end) {
  while (begin != end) {
    const char* last = end - 1;
    while (last != begin && (*last & 0xC0) == 0x80) --last;  // the continuation of a character
    const std::size_t n = white_space(last, end);
    if (n == 0 || last + n != end) break;
    end = last;
  }
  return end;
}

struct ArffLine {
  std::size_t n_values = 0;
  const char* stray = nullptr;  // the field with a quote that is not closed, or is inside a value
};

// Put the text between two quotes into `plain`, without its backslashes.
inline void unescape(const char* begin, const char* end, std::string& plain) {
  plain.clear();
  for (const char* p = begin; p != end; ++p) {
    if (*p != '\\') {
      plain.push_back(*p);
      continue;
    }
    ++p;  // a closing quote is never escaped, so there is a character
    plain.push_back(*p == 'n' ? '\n' : *p == 't' ? '\t' : *p == 'r' ? '\r' : *p);
  }
}

// Call `emit(i, begin, n_bytes, limit)` for every value of a line without white space around it; `begin` is null for a
// missing value, and `limit` ends the readable memory after it: that after the line for values as they stand there.
// `plain` is memory to work with.
template <class Emit>
ArffLine for_each_value(const char* begin, const char* end, const char* limit, std::string& plain, Emit&& emit) {
  const auto is_quote = [](char c) { return c == '\'' || c == '"'; };
  std::size_t i = 0;
  for (const char* p = begin;; ++p, ++i) {
    const char* field = p;
    p = after_white_space(p, end);
    const char* value = p;
    if (p != end && is_quote(*p)) {
      const char quote = *p++;
      bool is_escaped = false;
      for (; p != end && *p != quote; ++p) {
        if (*p != '\\') continue;
        is_escaped = true;
        if (++p == end) break;
      }
      if (p == end) return {i, field};
      const char* close = p;
      p = after_white_space(p + 1, end);
      if (p != end && *p != ',') return {i, field};
      if (is_escaped) {
        unescape(value + 1, close, plain);
        emit(i, plain.data(), plain.size(), plain.data() + plain.size());
      } else {
        emit(i, value + 1, static_cast<std::size_t>(close - value - 1), limit);
      }
    } else {
      while (p != end && *p != ',' && !is_quote(*p)) ++p;
      if (p != end && *p != ',') return {i, field};
      const auto n = static_cast<std::size_t>(before_white_space(value, p) - value);
      emit(i, n == 1 && *value == '?' ? nullptr : value, n, limit);
    }
    if (p == end) return {i + 1};
  }
}

}  // namespace casebase
