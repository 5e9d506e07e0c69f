// The memories of a committee, and the corpus that they remember, while sentences come and go.
//
// A sentence changes more than its own tokens: if a word gets another ambiguity class, or becomes frequent, the tokens
// around all its occurrences have other values. Indexes of the tokens by word, by tag and by further column find these,
// and the tokens of a context that is refined for the first time. What a change costs depends on the tokens whose
// values it changes, not on the corpus.
//
// Lists of tokens are never shortened: a token that went away, or has another word now, is left out when they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tagging/live_tree.hpp"
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

struct LiveMemory {
  std::vector<LiveLevel> levels;
  bool is_of_rare;  // remembers rare words alone
  LiveTree tree;
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

class LiveCommittee {
 public:
  LiveCommittee(LiveTokens tokens, const std::vector<std::uint64_t>& first, std::vector<std::uint8_t> is_rare,
                std::vector<LiveBase> bases, std::vector<LiveMemory> memories, std::size_t n_tags,
                const std::vector<std::size_t>& n_entries)
      : tokens_(std::move(tokens)),
        is_rare_(std::move(is_rare)),
        bases_(std::move(bases)),
        memories_(std::move(memories)),
        by_tag_(tokens_.tag, n_tags) {
    for (std::size_t column = 0; column < n_entries.size(); ++column)
      by_entry_.emplace_back(tokens_.columns[column], n_entries[column]);
    for (std::uint32_t token = 0; token < tokens_.word.size(); ++token)
      if (tokens_.columns[0][token] != tokens_.word[token]) by_entry_[0].add(tokens_.word[token], token);
    append_sentences(first, 0);
  }

  const std::vector<LiveMemory>& memories() const { return memories_; }
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

  void apply(const LiveChange& change) {
    std::vector<std::vector<std::uint32_t>> touched = touched_by(change);
    std::vector<std::vector<std::uint32_t>> before(memories_.size());
    std::vector<std::vector<std::uint8_t>> was_there(memories_.size());
    for (std::size_t m = 0; m < memories_.size(); ++m)
      for (const std::uint32_t token : touched[m]) {
        was_there[m].push_back(remembers(memories_[m], token));
        append_values(memories_[m], token, before[m]);
      }
    const auto first_new = static_cast<std::uint32_t>(n_tokens());
    take_over(change);
    for (std::size_t m = 0; m < memories_.size(); ++m) correct(m, touched[m], before[m], was_there[m], first_new);
  }

  // The tokens of a memory whose first `depth` values are these, in the order of their numbers.
  std::vector<std::uint32_t> matching(const LiveMemory& memory, const std::uint32_t* values, std::size_t depth) const {
    std::vector<std::uint32_t> found;
    auto offer = [&](std::uint32_t token) {
      if (!remembers(memory, token)) return;
      for (std::size_t level = 0; level < depth; ++level)
        if (value(memory.levels[level], token) != values[level]) return;
      found.push_back(token);
    };
    std::size_t least = n_tokens(), rarest = depth;
    for (std::size_t level = 0; level < depth; ++level)
      if (const std::size_t n = n_with(memory.levels[level], values[level]); n < least) least = n, rarest = level;
    if (rarest == depth) {
      for (std::uint32_t token = 0; token < n_tokens(); ++token) offer(token);
    } else {
      each_with(memory.levels[rarest], values[rarest], offer);
    }
    return sorted(std::move(found));
  }

 private:
  static std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  bool remembers(const LiveMemory& memory, std::uint32_t token) const {
    return is_there_[sentence_[token]] && (!memory.is_of_rare || is_rare_[tokens_.word[token]]);
  }

  std::uint32_t value(const LiveLevel& level, std::uint32_t token) const {
    const std::uint32_t sentence = sentence_[token];
    const std::size_t at = token + static_cast<std::size_t>(level.offset);  // wraps around below the first token
    const LiveBase& base = bases_[level.base];
    if (at < begin_[sentence] || at >= end_[sentence]) return base.outside;
    const std::uint32_t code = base.codes.empty() ? kOfTag : base.codes[tokens_.columns[base.column][at]];
    return code == kOfTag && !base.tag_codes.empty() ? base.tag_codes[tokens_.tag[at]] : code;
  }

  void append_values(const LiveMemory& memory, std::uint32_t token, std::vector<std::uint32_t>& values) const {
    for (const LiveLevel& level : memory.levels) values.push_back(value(level, token));
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
    if (value == base.outside) return n_sentences() * reach;
    std::size_t n = 0;
    base.entries.each(value, [&](std::uint32_t entry) { n += by_entry_[base.column].size(entry); });
    for (std::uint32_t tag = 0; tag < base.tag_codes.size(); ++tag)
      if (base.tag_codes[tag] == value) n += by_tag_.size(tag);
    return n;
  }

  // Visits every token whose feature has a value, and maybe others.
  template <class Work>
  void each_with(const LiveLevel& level, std::uint32_t value, const Work& work) const {
    const LiveBase& base = bases_[level.base];
    if (value == base.outside) return each_at_edge(level.offset, work);
    auto visit = [&](std::uint32_t place) { seen_from(place, level.offset, work); };
    base.entries.each(value, [&](std::uint32_t entry) { by_entry_[base.column].each(entry, visit); });
    for (std::uint32_t tag = 0; tag < base.tag_codes.size(); ++tag)
      if (base.tag_codes[tag] == value) by_tag_.each(tag, visit);
  }

  template <class Work>
  void each_at_edge(std::ptrdiff_t offset, const Work& work) const {
    for (std::size_t s = 0; s < begin_.size(); ++s) {
      const std::uint32_t reach = static_cast<std::uint32_t>(offset < 0 ? -offset : offset);
      const std::uint32_t n = std::min(reach, end_[s] - begin_[s]);
      for (std::uint32_t i = 0; i < n; ++i) work(offset < 0 ? begin_[s] + i : end_[s] - 1 - i);
    }
  }

  // For each memory the tokens whose values may change, or that come or go; not those of new sentences.
  std::vector<std::vector<std::uint32_t>> touched_by(const LiveChange& change) const {
    std::vector<std::vector<std::uint32_t>> places(bases_.size()), touched(memories_.size());
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      const LiveBase& base = bases_[b];
      for (const NewCode& one : change.recoded[b])
        if (one.entry < base.codes.size() && base.codes[one.entry] != one.code)
          for (const std::uint32_t token : tokens_with(base.column, one.entry)) places[b].push_back(token);
      if (base.column == 0 && !base.codes.empty())
        for (const auto& [token, word] : change.moved) places[b].push_back(token);
    }
    for (std::size_t m = 0; m < memories_.size(); ++m) {
      auto touch = [&](std::uint32_t token) { touched[m].push_back(token); };
      for (const LiveLevel& level : memories_[m].levels)
        for (const std::uint32_t place : places[level.base]) seen_from(place, level.offset, touch);
      for (const std::uint32_t sentence : change.removed)
        for (std::uint32_t token = begin_[sentence]; token < end_[sentence]; ++token) touch(token);
      if (memories_[m].is_of_rare)
        for (const auto& [word, is_rare] : change.rare)
          for (const std::uint32_t token : tokens_of(word)) touch(token);
      touched[m] = sorted(std::move(touched[m]));
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

  // Takes touched tokens out of a memory as they were and puts them in as they are, and the new ones too.
  void correct(std::size_t m, const std::vector<std::uint32_t>& touched, const std::vector<std::uint32_t>& before,
               const std::vector<std::uint8_t>& was_there, std::uint32_t first_new) {
    LiveMemory& memory = memories_[m];
    const std::size_t n = memory.levels.size();
    std::vector<std::uint32_t> now, values;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      values.clear();
      append_values(memory, touched[i], values);
      const bool is_there = remembers(memory, touched[i]);
      const std::uint32_t* old = before.data() + i * n;
      if (is_there && was_there[i] && std::equal(values.begin(), values.end(), old)) continue;
      if (was_there[i]) memory.tree.remove({tokens_.tag[touched[i]], old});
      if (is_there) now.push_back(touched[i]);
    }
    for (std::uint32_t token = first_new; token < n_tokens(); ++token)
      if (remembers(memory, token)) now.push_back(token);
    std::vector<std::uint32_t> placed_values;
    memory.tree.add(placed(memory, now, placed_values), [&](const std::uint32_t* path, std::size_t depth) {
      return placed(memory, matching(memory, path, depth), fetched_);
    });
  }

  std::vector<PlacedToken> placed(const LiveMemory& memory, const std::vector<std::uint32_t>& tokens,
                                  std::vector<std::uint32_t>& values) const {
    values.clear();
    for (const std::uint32_t token : tokens) append_values(memory, token, values);
    std::vector<PlacedToken> found;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      found.push_back({tokens_.tag[tokens[i]], values.data() + i * memory.levels.size()});
    return found;
  }

  static constexpr std::uint32_t kNeverSeen = 0xFFFFFFFFu;

  LiveTokens tokens_;
  std::vector<std::uint8_t> is_rare_;  // by word
  std::vector<LiveBase> bases_;
  std::vector<LiveMemory> memories_;
  Postings by_tag_;
  std::vector<Postings> by_entry_;                     // by column
  std::vector<std::uint32_t> sentence_, begin_, end_;  // of each token; of each sentence
  std::vector<std::uint8_t> is_there_;                 // by sentence
  std::vector<std::uint32_t> fetched_;                 // the values of tokens that were fetched last
};

}  // namespace casebase
