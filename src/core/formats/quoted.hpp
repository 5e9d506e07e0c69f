// Where the rows of a delimited text end: at a line end that is not inside a quoted field.
//
// A quote opens a field only at the field's start; inside it two quotes are one, and a single one closes it. What
// follows the closing quote is read like any other text. These are the rules of the reader that splits the rows
// (Arrow's).
#pragma once

#include <cstddef>

namespace casebase {

struct RowEnds {
  std::size_t last = 0;  // the position after the last line feed that ends a row; 0 if there is none
  bool is_open = false;  // the text ends inside a quoted field
};

// The text begins with a row. Rows end at `\n`, `\r\n` or `\r`; only positions after a `\n` count as ends.
inline RowEnds row_ends(const char* begin, const char* end, char separator) {
  RowEnds found;
  const char* p = begin;
  bool starts_field = true;
  while (p != end) {
    if (starts_field && *p == '"') {
      for (++p; p != end; ++p) {
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') break;
        ++p;
      }
      if (p == end) {
        found.is_open = true;
        return found;
      }
      ++p;  // the closing quote
      starts_field = false;
      continue;
    }
    const char c = *p++;
    starts_field = c == separator || c == '\n' || c == '\r';
    if (c == '\n') found.last = static_cast<std::size_t>(p - begin);
  }
  return found;
}

}  // namespace casebase
