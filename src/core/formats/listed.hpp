// Lines that list the features with a value: `(2,red)(9,4.5) class` (Sparse) or `2,9,class` (Binary).
//
// Only what a line lists is kept, so the work is that of the text, however many features there are. A feature has the
// rows that list it, and the codes of its values there; code 0 is the value of the rows that do not. A text is cut into
// chunks for several threads as in split.hpp, and what the chunks have is added up in the order of the text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/split.hpp"

namespace casebase {

struct ListedRule {
  bool has_values = true;   // Sparse, not Binary
  bool has_class = true;    // every line ends in a class
  std::size_t n_most = 0;   // features above this number are outside
  std::string_view absent;  // the value of a feature that a line does not list
};

struct ListedProblem {
  // A NUL byte; no class; text after the pairs; what is no number; a number that is too long; a feature twice.
  enum class Kind { nul, no_class, stray, field, number, twice };
  Kind kind;
  std::size_t line = 0;   // 1-based
  std::string_view text;  // what came instead of what is expected
};

inline constexpr std::size_t kNowhere = ~std::size_t{0};

struct ListedFeature {
  std::size_t number;             // 1-based
  std::vector<std::size_t> rows;  // that list it
  SplitColumn column;             // the codes of these rows
};

// A feature that does not exist, and its line.
struct Outside {
  std::size_t line;
  std::size_t feature;
};

struct ListedText {
  std::vector<ListedFeature> features;  // in the order in which lines first list them
  SplitColumn classes;
  std::size_t n_rows = 0;
  std::size_t n_lines = 0;         // blank ones included
  std::size_t largest = 0;         // the largest number of a feature
  std::optional<Outside> outside;  // the first one
  std::optional<ListedProblem> problem;
  bool is_full = false;  // the values of a feature, or the classes, pass 2 GB
};

// One feature of a line, in the bytes of the text.
struct ListedField {
  std::string_view digits;
  std::string_view value;
};

// The fields of a line and its class, before their numbers are read.
struct ListedLine {
  std::vector<ListedField> fields;
  std::string_view label;
};

inline std::string_view without(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// A full stop may end a line.
inline std::string_view without_dot(std::string_view text) {
  if (!text.ends_with('.')) return text;
  text.remove_suffix(1);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The number of bytes of the pair `(digits,value)` with which a text begins; 0 if it does not.
inline std::size_t read_pair(std::string_view text, ListedField& field) {
  if (!text.starts_with('(')) return 0;
  std::size_t comma = 1;
  while (comma < text.size() && is_digit(text[comma])) ++comma;
  if (comma == 1 || comma == text.size() || text[comma] != ',') return 0;
  const std::size_t close = text.find_first_of("()", comma + 1);
  if (close == text.npos || close == comma + 1 || text[close] != ')') return 0;
  field = {text.substr(1, comma - 1), text.substr(comma + 1, close - comma - 1)};
  return close + 1;
}

inline std::optional<ListedProblem> read_sparse_line(std::string_view text, bool has_class, ListedLine& line) {
  using Kind = ListedProblem::Kind;
  line.fields.clear();
  ListedField field;
  while (const std::size_t n = read_pair(text, field)) {
    line.fields.push_back(field);
    text.remove_prefix(n);
  }
  line.label = without_dot(without(text, " \t"));
  if (has_class && line.label.empty()) return ListedProblem{Kind::no_class};
  if (line.label.starts_with('(') || (!has_class && !line.label.empty()))
    return ListedProblem{Kind::stray, 0, line.label};
  return std::nullopt;
}

inline std::optional<ListedProblem> read_binary_line(std::string_view text, bool has_class, ListedLine& line) {
  using Kind = ListedProblem::Kind;
  line.fields.clear();
  text = without_dot(text);
  for (;;) {
    const std::size_t comma = text.find(',');
    const bool is_last = comma == text.npos;
    const std::string_view field = without(text.substr(0, comma), " \t");
    if (is_last && has_class) {
      line.label = field;
      return field.empty() ? std::optional(ListedProblem{Kind::no_class}) : std::nullopt;
    }
    if (field.empty() || !std::all_of(field.begin(), field.end(), is_digit))
      return ListedProblem{Kind::field, 0, field};
    line.fields.push_back({field, "1"});
    if (is_last) return std::nullopt;
    text.remove_prefix(comma + 1);
  }
}

// The number of a feature; nothing if it has more than nine digits.
inline std::optional<std::size_t> number_of(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > 9) return std::nullopt;
  std::size_t number = 0;
  for (const char digit : digits) number = 10 * number + static_cast<std::size_t>(digit - '0');
  return number;
}

inline bool occurs_twice(std::vector<std::size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
}

// Adds lines to what a chunk lists.
class ListedReader {
 public:
  ListedReader(const ListedRule& rule, const char* limit) : rule_(rule), limit_(limit) {}

  ListedText read(const char* begin) {
    text.n_lines = for_each_line(begin, limit_, [&](const char* line, const char* line_end) {
      const auto stripped = without({line, static_cast<std::size_t>(line_end - line)}, " \t\r");
      ++n_lines_;
      if (stripped.empty()) return true;
      text.problem = read_line(stripped);
      return !text.problem;
    });
    if (text.problem) text.problem->line = text.n_lines;
    return std::move(text);
  }

  ListedText text;

 private:
  std::optional<ListedProblem> read_line(std::string_view line) {
    using Kind = ListedProblem::Kind;
    if (std::memchr(line.data(), 0, line.size())) return ListedProblem{Kind::nul};
    const auto read = rule_.has_values ? read_sparse_line : read_binary_line;
    if (const auto problem = read(line, rule_.has_class, line_)) return problem;
    numbers_.clear();
    for (const ListedField& field : line_.fields) {
      const std::optional<std::size_t> number = number_of(field.digits);
      if (!number) return ListedProblem{Kind::number, 0, field.digits};
      numbers_.push_back(*number);
    }
    // Most lines list their features in order, and nothing needs to be sorted.
    const bool is_ordered =
        std::adjacent_find(numbers_.begin(), numbers_.end(), std::greater_equal()) == numbers_.end();
    if (!is_ordered && occurs_twice(numbers_)) return ListedProblem{Kind::twice};
    for (std::size_t i = 0; i < numbers_.size(); ++i) add(numbers_[i], line_.fields[i].value);
    if (rule_.has_class) text.classes.codes.push_back(code_of(text.classes.values, line_.label, limit_));
    ++text.n_rows;
    return std::nullopt;
  }

  void add(std::size_t number, std::string_view value) {
    text.largest = std::max(text.largest, number);
    if (number < 1 || number > rule_.n_most) {
      if (!text.outside) text.outside = {n_lines_, number};
      return;
    }
    if (number >= places_.size()) places_.resize(number + 1, kNowhere);
    if (places_[number] == kNowhere) {
      places_[number] = text.features.size();
      text.features.push_back({number, {}, {}});
      code_of(text.features.back().column.values, rule_.absent, nullptr);
    }
    ListedFeature& feature = text.features[places_[number]];
    feature.rows.push_back(text.n_rows);
    // The value of a Binary line is not in the text.
    feature.column.codes.push_back(code_of(feature.column.values, value, rule_.has_values ? limit_ : nullptr));
  }

  // `limit` ends the readable memory after the value; null if that is the value's own end.
  static std::uint32_t code_of(DistinctValues& values, std::string_view value, const char* limit) {
    return values.code(value.data(), value.size(), limit ? limit : value.data() + value.size());
  }

  const ListedRule rule_;
  const char* limit_;
  std::size_t n_lines_ = 0;
  std::vector<std::size_t> places_;  // of the features, by their numbers
  ListedLine line_;
  std::vector<std::size_t> numbers_;
};

// Append the rows of a chunk to those of `text`.
inline void append_listed(ListedText& text, std::vector<std::size_t>& places, ListedText&& chunk) {
  if (chunk.problem) text.problem = {chunk.problem->kind, text.n_lines + chunk.problem->line, chunk.problem->text};
  if (chunk.outside && !text.outside) text.outside = {text.n_lines + chunk.outside->line, chunk.outside->feature};
  text.largest = std::max(text.largest, chunk.largest);
  for (ListedFeature& feature : chunk.features) {
    if (feature.number >= places.size()) places.resize(feature.number + 1, kNowhere);
    std::size_t& place = places[feature.number];
    for (std::size_t& row : feature.rows) row += text.n_rows;
    if (place == kNowhere) {
      place = text.features.size();
      text.features.push_back(std::move(feature));
      continue;
    }
    ListedFeature& known = text.features[place];
    known.rows.insert(known.rows.end(), feature.rows.begin(), feature.rows.end());
    append_chunk(known.column, std::move(feature.column));
  }
  append_chunk(text.classes, std::move(chunk.classes));
  text.n_rows += chunk.n_rows;
  text.n_lines += chunk.n_lines;
}

inline ListedText split_listed(const char* begin, const char* end, const ListedRule& rule, std::size_t n_threads) {
  ListedText text;
  std::vector<std::size_t> places;
  auto chunks = read_chunks(begin, end, n_threads,
                            [&](const char* from, const char* to) { return ListedReader(rule, to).read(from); });
  for (ListedText& chunk : chunks) {
    append_listed(text, places, std::move(chunk));
    if (text.problem) break;
  }
  text.is_full = text.classes.values.is_full;
  for (const ListedFeature& feature : text.features) text.is_full |= feature.column.values.is_full;
  return text;
}

// The code of every row.
inline std::vector<std::uint32_t> dense_codes(const ListedFeature& feature, std::size_t n_rows) {
  std::vector<std::uint32_t> codes(n_rows);
  for (std::size_t i = 0; i < feature.rows.size(); ++i) codes[feature.rows[i]] = feature.column.codes[i];
  return codes;
}

}  // namespace casebase
