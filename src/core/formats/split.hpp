// Splits the lines of a text into columns of codes.
//
// Every line is a case, every field a value. A column keeps its distinct values in the order in
// which they first appear, and for every line the code of its value. A text may be cut into
// chunks at line ends and split by several threads; the values of the chunks are then merged in the
// order of the text, so the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/arff.hpp"
#include "core/formats/values.hpp"

namespace casebase {

// How a line is split. A separator at the end of the line is ignored, so an empty field always has fields after
// it. Empty fields are refused: dropping them would move the others into wrong columns. Lines of ARFF data have rules
// of their own (arff.hpp).
struct SplitRule {
  enum class Kind { blanks, separator, width, arff };
  Kind kind = Kind::blanks;
  char separator = '\t';   // Kind::separator
  bool trim = false;       // Kind::separator: fields lose the blanks around them
  bool final_dot = false;  // Kind::separator: one full stop may end the line
  std::size_t width = 1;   // Kind::width: UTF-8 characters per field
};

// Wider lines are treated as a mistake: every column takes memory, even if it has only one value.
inline constexpr std::size_t kMaxFields = 100'000;

struct SplitProblem {
  enum class Kind { fields, wide, nul, full, braces, quote };
  Kind kind;
  std::size_t line;          // 1-based; 0 for `full`: the values of one column pass 2 GB
  std::size_t n_fields = 0;  // of the line (Kind::fields, Kind::wide)
  const char* at = nullptr;  // the field that cannot be read (Kind::quote)
};

inline constexpr std::uint32_t kMissing = ~std::uint32_t{0};  // the code of a missing value, in ARFF data alone

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

struct SplitColumn {
  DistinctValues values;
  std::vector<std::uint32_t> codes;
};

struct SplitText {
  std::vector<SplitColumn> columns;
  std::size_t n_lines = 0;  // blank ones included
  std::optional<SplitProblem> problem;
};

// Call `emit(i, begin, n_bytes)` for every field of a line; return how many there are, 0 if the line cannot
// be cut: characters are left over, or a field is empty.
template <class Emit>
std::size_t for_each_field(const SplitRule& rule, const char* begin, const char* end, Emit&& emit) {
  std::size_t i = 0;
  if (rule.kind == SplitRule::Kind::width) {
    if (begin != end && end[-1] == '\r') --end;
    for (const char* p = begin; p != end; ++i) {
      const char* field = p;
      std::size_t n_chars = 0;
      // A character ends where the next byte does not continue it (10xxxxxx).
      for (; p != end && n_chars < rule.width; ++n_chars) do
          ++p;
        while (p != end && (*p & 0xC0) == 0x80);
      if (n_chars < rule.width) return 0;
      emit(i, field, static_cast<std::size_t>(p - field));
    }
    return i;
  }
  if (rule.kind == SplitRule::Kind::blanks) {
    for (const char* p = begin;;) {
      while (p != end && is_blank(*p)) ++p;
      if (p == end) return i;
      const char* field = p;
      while (p != end && !is_blank(*p)) ++p;
      emit(i++, field, static_cast<std::size_t>(p - field));
    }
  }
  if (begin != end && end[-1] == '\r') --end;
  const auto trim_end = [&] {
    while (begin != end && is_blank(end[-1])) --end;
  };
  if (rule.trim) trim_end();
  if (rule.final_dot && begin != end && end[-1] == '.') {
    --end;
    trim_end();
  }
  bool has_gap = false;
  for (const char* p = begin; p < end;) {
    const void* found = std::memchr(p, rule.separator, static_cast<std::size_t>(end - p));
    const char* next = found ? static_cast<const char*>(found) : end;
    const char* last = next;
    if (rule.trim) {
      while (p != last && is_blank(*p)) ++p;
      while (p != last && is_blank(last[-1])) --last;
    }
    if (p == last) {
      has_gap = true;
    } else {
      if (has_gap) return 0;
      emit(i++, p, static_cast<std::size_t>(last - p));
    }
    p = next + 1;
  }
  return i;
}

inline bool is_blank_line(const char* begin, const char* end) { return std::all_of(begin, end, is_blank); }

// Call `use(begin, end)` for every line until it returns false; return how many lines were used.
template <class Use>
std::size_t for_each_line(const char* begin, const char* end, Use&& use) {
  std::size_t n_lines = 0;
  while (begin != end) {
    const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin));
    const char* next = found ? static_cast<const char*>(found) : end;
    ++n_lines;
    if (!use(begin, next)) break;
    begin = next == end ? end : next + 1;
  }
  return n_lines;
}

// Split a line of ARFF data that has no white space around it; return what stops it.
template <class Emit>
std::optional<SplitProblem> split_arff_line(const char* begin, const char* end, const char* limit, std::size_t n_fields,
                                            std::string& plain, Emit&& emit) {
  if (*begin == '{') return SplitProblem{SplitProblem::Kind::braces, 0};
  if (std::memchr(begin, 0, static_cast<std::size_t>(end - begin))) return SplitProblem{SplitProblem::Kind::nul, 0};
  const ArffLine line = for_each_value(begin, end, limit, plain, emit);
  if (line.stray) return SplitProblem{SplitProblem::Kind::quote, 0, 0, line.stray};
  if (line.n_values != n_fields) return SplitProblem{SplitProblem::Kind::fields, 0, line.n_values};
  return std::nullopt;
}

inline SplitText split_chunk(const char* begin, const char* end, const SplitRule& rule, std::size_t n_fields) {
  SplitText text;
  text.columns.resize(n_fields);
  // A line has at least one byte per field, so even odd texts (many blank lines) reserve no more than their size.
  const auto n_ends = static_cast<std::size_t>(std::count(begin, end, '\n')) + 1;
  const auto n_most = std::min(n_ends, static_cast<std::size_t>(end - begin) / std::max<std::size_t>(n_fields, 1) + 1);
  for (SplitColumn& column : text.columns) column.codes.reserve(n_most);
  const auto add = [&](std::size_t i, const char* field, std::size_t n, const char* limit) {
    if (i >= n_fields) return;
    SplitColumn& column = text.columns[i];
    column.codes.push_back(field ? column.values.code(field, n, limit) : kMissing);
  };
  std::string plain;
  const auto read_arff_line = [&](const char* line, const char* line_end) {
    line = after_white_space(line, line_end);
    line_end = before_white_space(line, line_end);
    if (line == line_end || *line == '%' || *line == '@') return true;
    text.problem = split_arff_line(line, line_end, end, n_fields, plain, add);
    return !text.problem;
  };
  const auto read_line = [&](const char* line, const char* line_end) {
    if (is_blank_line(line, line_end)) return true;
    const std::size_t n_found = for_each_field(
        rule, line, line_end, [&](std::size_t i, const char* field, std::size_t n) { add(i, field, n, end); });
    if (n_found != n_fields) text.problem = {SplitProblem::Kind::fields, 0, n_found};
    return n_found == n_fields;
  };
  text.n_lines = rule.kind == SplitRule::Kind::arff ? for_each_line(begin, end, read_arff_line)
                                                    : for_each_line(begin, end, read_line);
  if (text.problem) text.problem->line = text.n_lines;
  return text;
}

// Append the lines of `chunk` to those of `column`.
inline void append_chunk(SplitColumn& column, SplitColumn&& chunk) {
  std::vector<std::uint32_t> recoded(chunk.values.size());
  const char* bytes = chunk.values.bytes.data();
  for (std::size_t v = 0; v < recoded.size(); ++v) {
    const auto from = static_cast<std::size_t>(chunk.values.offsets[v]);
    const auto n = static_cast<std::size_t>(chunk.values.offsets[v + 1]) - from;
    recoded[v] = column.values.code(bytes + from, n, bytes + chunk.values.bytes.size());
  }
  column.values.is_full |= chunk.values.is_full;
  if (column.values.is_full) return;
  column.codes.reserve(column.codes.size() + chunk.codes.size());
  for (const std::uint32_t code : chunk.codes) column.codes.push_back(code == kMissing ? kMissing : recoded[code]);
  chunk = {};
}

// Call `read(begin, end)` for about equal chunks of a text, each in a thread of its own, and return the results in
// their order. Chunks end at line ends.
template <class Read>
auto read_chunks(const char* begin, const char* end, std::size_t n_threads, const Read& read) {
  using Chunk = decltype(read(begin, end));
  std::vector<std::future<Chunk>> futures;
  const char* from = begin;
  for (std::size_t c = 1; c <= n_threads && from != end; ++c) {
    const auto n_rest = static_cast<std::size_t>(end - from);
    const char* to = c == n_threads ? end : std::find(from + n_rest / (n_threads - c + 1), end, '\n');
    if (to != end) ++to;
    const auto policy = n_threads == 1 ? std::launch::deferred : std::launch::async;
    futures.push_back(std::async(policy, read, from, to));
    from = to;
  }
  std::vector<Chunk> chunks;
  for (auto& future : futures) chunks.push_back(future.get());
  return chunks;
}

// The number of fields of the first line that is not blank, and the number of that line; nothing if all are blank.
struct FirstLine {
  std::size_t number;
  std::size_t n_fields;
};

inline std::optional<FirstLine> first_line(const char* begin, const char* end, const SplitRule& rule) {
  std::optional<std::size_t> n_fields;
  const std::size_t number = for_each_line(begin, end, [&](const char* line, const char* line_end) {
    if (is_blank_line(line, line_end)) return true;
    n_fields = for_each_field(rule, line, line_end, [](std::size_t, const char*, std::size_t) {});
    return false;
  });
  return n_fields ? std::optional(FirstLine{number, *n_fields}) : std::nullopt;
}

// Split a text into columns; if `n_fields` is 0, the first line that is not blank gives the number. ARFF data declare
// it.
inline SplitText split_text(const char* begin, const char* end, const SplitRule& rule, std::size_t n_fields,
                            std::size_t n_threads) {
  SplitText text;
  const auto fail = [&](const SplitProblem& problem) {
    text.columns.clear();
    text.problem = problem;
    return std::move(text);
  };
  if (begin == end) return text;
  if (rule.kind != SplitRule::Kind::arff) {
    if (const void* nul = std::memchr(begin, 0, static_cast<std::size_t>(end - begin))) {
      const auto n_before = std::count(begin, static_cast<const char*>(nul), '\n');
      return fail({SplitProblem::Kind::nul, static_cast<std::size_t>(n_before) + 1});
    }
    const std::optional<FirstLine> first = first_line(begin, end, rule);
    if (!first) return text;
    if (n_fields == 0) n_fields = first->n_fields;
    // Checked before any column is allocated: a wrong separator could ask for a million columns.
    if (first->n_fields > kMaxFields) return fail({SplitProblem::Kind::wide, first->number, first->n_fields});
    if (first->n_fields != n_fields || n_fields == 0)
      return fail({SplitProblem::Kind::fields, first->number, first->n_fields});
  }
  std::vector<SplitText> chunks = read_chunks(
      begin, end, n_threads, [&](const char* from, const char* to) { return split_chunk(from, to, rule, n_fields); });
  for (SplitText& chunk : chunks) {
    if (chunk.problem) {
      chunk.problem->line += text.n_lines;
      return fail(*chunk.problem);
    }
    text.n_lines += chunk.n_lines;
  }
  text.columns = std::move(chunks[0].columns);
  std::vector<std::future<void>> merges;
  for (std::size_t t = 0; t < n_threads && chunks.size() > 1; ++t)
    merges.push_back(std::async(std::launch::async, [&, t] {
      for (std::size_t i = t; i < n_fields; i += n_threads)
        for (std::size_t c = 1; c < chunks.size(); ++c) append_chunk(text.columns[i], std::move(chunks[c].columns[i]));
    }));
  for (auto& merge : merges) merge.get();
  for (const SplitColumn& column : text.columns)
    if (column.values.is_full) return fail({SplitProblem::Kind::full, 0});
  return text;
}

}  // namespace casebase
