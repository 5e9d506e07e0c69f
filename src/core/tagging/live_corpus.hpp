// A tagged corpus while sentences come and go, and what windows over its tokens see of it.
//
// A sentence changes more than its own tokens: if a word gets another ambiguity class, or becomes frequent, the tokens
// around all its occurrences have other values. Indexes of the tokens by word, by tag and by further column find these.
// What a change costs depends on the tokens whose values it changes, not on the corpus.
//
// Lists of tokens are never shortened: a token that went away, or has another word now, is left out when they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tagging/contexts.hpp"
#include "core/tagging/postings.hpp"

namespace casebase {

// What a feature looks at: the code of a token's word or of its text in a further column, or the code of its tag.
struct LiveBase {
  std::size_t column;                    // 0: the words
  std::vector<std::uint32_t> codes;      // by entry of the column; empty: tags alone count
  std::vector<std::uint32_t> tag_codes;  // by tag; empty: tags do not count
  std::uint32_t outside;
  Postings entries;  // by code
};

struct LiveLevel {
  std::size_t base;
  std::ptrdiff_t offset;
};

// The values that a memory sees of a token.
struct LiveWindow {
  std::vector<LiveLevel> levels;
  bool is_of_rare;  // over the tokens of rare words alone
};

// Tokens: the word, the entry of each column (of column 0: the word that it is looked up as), and the tag.
struct LiveTokens {
  std::vector<std::uint32_t> word;
  std::vector<std::vector<std::uint32_t>> columns;
  std::vector<std::uint32_t> tag;
};

struct NewCode {
  std::uint32_t entry, code;
};

struct LiveChange {
  std::vector<std::uint32_t> removed;  // sentences, by number
  LiveTokens added;
  std::vector<std::uint64_t> first;                            // of the added sentences
  std::vector<std::vector<NewCode>> recoded;                   // by base
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moved;  // tokens that are looked up as another word
  std::vector<std::pair<std::uint32_t, bool>> rare;            // words that are rare now, or not any more
  std::vector<std::size_t> n_entries;                          // of each column, with the new ones
};

// The tokens that a window lost, with the values that they had, level by level, and those that it gained. A token whose
// values changed is among both.
struct WindowChange {
  std::vector<std::uint32_t> gone, gone_values, came;
};

class LiveCorpus {
 public:
  LiveCorpus(LiveTokens tokens, const std::vector<std::uint64_t>& first, std::vector<std::uint8_t> is_rare,
             std::vector<LiveBase> bases, std::vector<LiveWindow> windows, std::size_t n_tags,
             const std::vector<std::size_t>& n_entries)
      : tokens_(std::move(tokens)),
        is_rare_(std::move(is_rare)),
        bases_(std::move(bases)),
        windows_(std::move(windows)),
        by_tag_(tokens_.tag, n_tags) {
    for (std::size_t column = 0; column < n_entries.size(); ++column)
      by_entry_.emplace_back(tokens_.columns[column], n_entries[column]);
    for (std::uint32_t token = 0; token < tokens_.word.size(); ++token)
      if (tokens_.columns[0][token] != tokens_.word[token]) by_entry_[0].add(tokens_.word[token], token);
    append_sentences(first, 0);
  }

  const std::vector<LiveWindow>& windows() const { return windows_; }
  std::size_t n_sentences() const { return begin_.size(); }
  std::size_t n_tokens() const { return tokens_.tag.size(); }
  std::size_t n_bases() const { return bases_.size(); }
  std::size_t column_of(std::size_t base) const { return bases_[base].column; }
  std::size_t n_columns() const { return tokens_.columns.size(); }
  const LiveTokens& tokens() const { return tokens_; }
  std::uint32_t sentence_of(std::uint32_t token) const { return sentence_[token]; }
  std::uint32_t begin_of(std::uint32_t sentence) const { return begin_[sentence]; }
  bool is_there(std::uint32_t sentence) const { return is_there_[sentence] != 0; }

  // The tokens of a word that are there.
  std::vector<std::uint32_t> tokens_of(std::uint32_t word) const {
    std::vector<std::uint32_t> found;
    by_entry_[0].each(word, [&](std::uint32_t token) {
      if (tokens_.word[token] == word && is_there_[sentence_[token]]) found.push_back(token);
    });
    return sorted(std::move(found));
  }

  // The tokens that are looked up as a word.
  std::vector<std::uint32_t> tokens_looked_up_as(std::uint32_t word) const { return tokens_with(0, word); }

  // Whether a token is there, and seen by a window.
  bool sees(const LiveWindow& window, std::uint32_t token) const {
    return is_there_[sentence_[token]] && (!window.is_of_rare || is_rare_[tokens_.word[token]]);
  }

  std::uint32_t value(const LiveLevel& level, std::uint32_t token) const {
    const std::uint32_t sentence = sentence_[token];
    const std::size_t at = token + static_cast<std::size_t>(level.offset);  // wraps around below the first token
    const LiveBase& base = bases_[level.base];
    if (at < begin_[sentence] || at >= end_[sentence]) return base.outside;
    const std::uint32_t code = base.codes.empty() ? kOfTag : base.codes[tokens_.columns[base.column][at]];
    return code == kOfTag && !base.tag_codes.empty() ? base.tag_codes[tokens_.tag[at]] : code;
  }

  // Visits every token whose feature has a value, and maybe others.
  template <class Work>
  void each_with(const LiveLevel& level, std::uint32_t value, const Work& work) const {
    const LiveBase& base = bases_[level.base];
    if (value == base.outside) each_at_edge(level.offset, work);  // a word may be written like this value, too
    auto visit = [&](std::uint32_t place) { seen_from(place, level.offset, work); };
    base.entries.each(value, [&](std::uint32_t entry) { by_entry_[base.column].each(entry, visit); });
    for (std::uint32_t tag = 0; tag < base.tag_codes.size(); ++tag)
      if (base.tag_codes[tag] == value) by_tag_.each(tag, visit);
  }

  // Takes over a change, and returns what it changes for each window.
  std::vector<WindowChange> apply(const LiveChange& change) {
    const std::vector<std::vector<std::uint32_t>> touched = touched_by(change);
    std::vector<std::vector<std::uint32_t>> before(windows_.size());
    std::vector<std::vector<std::uint8_t>> was_there(windows_.size());
    for (std::size_t w = 0; w < windows_.size(); ++w)
      for (const std::uint32_t token : touched[w]) {
        was_there[w].push_back(sees(windows_[w], token));
        append_values(windows_[w], token, before[w]);
      }
    const auto first_new = static_cast<std::uint32_t>(n_tokens());
    take_over(change);
    std::vector<WindowChange> changes;
    for (std::size_t w = 0; w < windows_.size(); ++w)
      changes.push_back(change_of(windows_[w], touched[w], before[w], was_there[w], first_new));
    return changes;
  }

  void append_values(const LiveWindow& window, std::uint32_t token, std::vector<std::uint32_t>& values) const {
    for (const LiveLevel& level : window.levels) values.push_back(value(level, token));
  }

  // The tokens of a window that have these values at these levels, in the order of their numbers.
  std::vector<std::uint32_t> matching(const LiveWindow& window, const std::vector<std::size_t>& levels,
                                      const std::uint32_t* values) const {
    std::vector<std::uint32_t> found;
    auto offer = [&](std::uint32_t token) {
      if (!sees(window, token)) return;
      for (std::size_t i = 0; i < levels.size(); ++i)
        if (value(window.levels[levels[i]], token) != values[i]) return;
      found.push_back(token);
    };
    std::size_t least = n_tokens(), rarest = levels.size();
    for (std::size_t i = 0; i < levels.size(); ++i)
      if (const std::size_t n = n_with(window.levels[levels[i]], values[i]); n < least) least = n, rarest = i;
    if (rarest == levels.size()) {
      for (std::uint32_t token = 0; token < n_tokens(); ++token) offer(token);
    } else {
      each_with(window.levels[levels[rarest]], values[rarest], offer);
    }
    return sorted(std::move(found));
  }

 private:
  static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  std::vector<std::uint32_t> tokens_with(std::size_t column, std::uint32_t entry) const {
    std::vector<std::uint32_t> found;
    by_entry_[column].each(entry, [&](std::uint32_t token) {
      if (tokens_.columns[column][token] == entry && is_there_[sentence_[token]]) found.push_back(token);
    });
    return sorted(std::move(found));
  }

  // Calls `work(token)` for the token from which a place is seen at an offset, if it is in the same sentence.
  template <class Work>
  void seen_from(std::uint32_t place, std::ptrdiff_t offset, const Work& work) const {
    const std::size_t token = place - static_cast<std::size_t>(offset);
    const std::uint32_t sentence = sentence_[place];
    if (token >= begin_[sentence] && token < end_[sentence]) work(static_cast<std::uint32_t>(token));
  }

  // At most how many tokens `each_with` visits.
  std::size_t n_with(const LiveLevel& level, std::uint32_t value) const {
    const LiveBase& base = bases_[level.base];
    const auto reach = static_cast<std::size_t>(level.offset < 0 ? -level.offset : level.offset);
    std::size_t n = value == base.outside ? n_sentences() * reach : 0;
    base.entries.each(value, [&](std::uint32_t entry) { n += by_entry_[base.column].size(entry); });
    for (std::uint32_t tag = 0; tag < base.tag_codes.size(); ++tag)
      if (base.tag_codes[tag] == value) n += by_tag_.size(tag);
    return n;
  }

  template <class Work>
  void each_at_edge(std::ptrdiff_t offset, const Work& work) const {
    for (std::size_t s = 0; s < begin_.size(); ++s) {
      const std::uint32_t reach = static_cast<std::uint32_t>(offset < 0 ? -offset : offset);
      const std::uint32_t n = std::min(reach, end_[s] - begin_[s]);
      for (std::uint32_t i = 0; i < n; ++i) work(offset < 0 ? begin_[s] + i : end_[s] - 1 - i);
    }
  }

  // For each window the tokens whose values may change, or that come or go; not those of new sentences.
  std::vector<std::vector<std::uint32_t>> touched_by(const LiveChange& change) const {
    std::vector<std::vector<std::uint32_t>> places(bases_.size()), touched(windows_.size());
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      const LiveBase& base = bases_[b];
      for (const NewCode& one : change.recoded[b])
        if (one.entry < base.codes.size() && base.codes[one.entry] != one.code)
          for (const std::uint32_t token : tokens_with(base.column, one.entry)) places[b].push_back(token);
      if (base.column == 0 && !base.codes.empty())
        for (const auto& [token, word] : change.moved) places[b].push_back(token);
    }
    for (std::size_t w = 0; w < windows_.size(); ++w) {
      auto touch = [&](std::uint32_t token) { touched[w].push_back(token); };
      for (const LiveLevel& level : windows_[w].levels)
        for (const std::uint32_t place : places[level.base]) seen_from(place, level.offset, touch);
      for (const std::uint32_t sentence : change.removed)
        for (std::uint32_t token = begin_[sentence]; token < end_[sentence]; ++token) touch(token);
      if (windows_[w].is_of_rare)
        for (const auto& [word, is_rare] : change.rare)
          for (const std::uint32_t token : tokens_of(word)) touch(token);
      touched[w] = sorted(std::move(touched[w]));
    }
    return touched;
  }

  void take_over(const LiveChange& change) {
    for (const std::uint32_t sentence : change.removed) is_there_[sentence] = 0;
    is_rare_.resize(change.n_entries[0], 0);
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      LiveBase& base = bases_[b];
      if (base.codes.empty()) continue;
      base.codes.resize(change.n_entries[base.column], kNeverSeen);
      for (const NewCode& one : change.recoded[b])
        if (std::exchange(base.codes[one.entry], one.code) != one.code) base.entries.add(one.code, one.entry);
    }
    for (const auto& [token, word] : change.moved) {
      tokens_.columns[0][token] = word;
      by_entry_[0].add(word, token);
    }
    for (const auto& [word, is_rare] : change.rare) is_rare_[word] = is_rare;
    const auto start = static_cast<std::uint32_t>(n_tokens());
    append(tokens_.word, change.added.word);
    append(tokens_.tag, change.added.tag);
    for (std::size_t c = 0; c < n_columns(); ++c) append(tokens_.columns[c], change.added.columns[c]);
    for (std::uint32_t token = start; token < n_tokens(); ++token) {
      by_tag_.add(tokens_.tag[token], token);
      for (std::size_t c = 0; c < n_columns(); ++c) by_entry_[c].add(tokens_.columns[c][token], token);
      if (tokens_.columns[0][token] != tokens_.word[token]) by_entry_[0].add(tokens_.word[token], token);
    }
    append_sentences(change.first, start);
  }

  void append_sentences(const std::vector<std::uint64_t>& first, std::uint32_t start) {
    for (std::size_t s = 0; s + 1 < first.size(); ++s) {
      const auto number = static_cast<std::uint32_t>(begin_.size());
      begin_.push_back(start + static_cast<std::uint32_t>(first[s]));
      end_.push_back(start + static_cast<std::uint32_t>(first[s + 1]));
      is_there_.push_back(1);
      sentence_.insert(sentence_.end(), first[s + 1] - first[s], number);
    }
  }

  static void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  WindowChange change_of(const LiveWindow& window, const std::vector<std::uint32_t>& touched,
                         const std::vector<std::uint32_t>& before, const std::vector<std::uint8_t>& was_there,
                         std::uint32_t first_new) const {
    const std::size_t n = window.levels.size();
    WindowChange change;
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      values.clear();
      append_values(window, touched[i], values);
      const bool is_there = sees(window, touched[i]);
      const auto old = before.begin() + static_cast<std::ptrdiff_t>(i * n);
      if (is_there && was_there[i] && std::equal(values.begin(), values.end(), old)) continue;
      if (was_there[i]) {
        change.gone.push_back(touched[i]);
        change.gone_values.insert(change.gone_values.end(), old, old + static_cast<std::ptrdiff_t>(n));
      }
      if (is_there) change.came.push_back(touched[i]);
    }
    for (std::uint32_t token = first_new; token < n_tokens(); ++token)
      if (sees(window, token)) change.came.push_back(token);
    return change;
  }

  static constexpr std::uint32_t kNeverSeen = 0xFFFFFFFFu;

  LiveTokens tokens_;
  std::vector<std::uint8_t> is_rare_;  // by word
  std::vector<LiveBase> bases_;
  std::vector<LiveWindow> windows_;
  Postings by_tag_;
  std::vector<Postings> by_entry_;                     // by column
  std::vector<std::uint32_t> sentence_, begin_, end_;  // of each token; of each sentence
  std::vector<std::uint8_t> is_there_;                 // by sentence
};

}  // namespace casebase
