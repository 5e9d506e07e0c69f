// Tagging: each word is a question, and the answers are among the features of the words that follow.
//
// A word that is in the lexicon is asked of one case base, any other of a second one. Features of words are looked up
// by the number of the word, or of a neighbour; features of tags by the tags that have been given. Sentences are
// independent of each other, so threads take them in blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/answering.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

namespace casebase {

// Where one feature of a question comes from: the token `offset` places away has an entry, the entry has a code. The
// last code is that of places outside of the sentence.
struct TokenFeature {
  const std::uint32_t* entries;  // by token; nullptr: the entry is the tag that was given to it
  std::ptrdiff_t offset;
  Column codes;
  std::size_t n_codes;
};

// A case base, where its features come from, and which tag each of its classes is.
struct WordBase {
  CaseBase base;
  std::vector<TokenFeature> features;
  const std::uint32_t* tag_of_class;
};

struct TaggedText {
  const std::uint64_t* first;  // the first token of each sentence, and the end of the last one
  std::size_t n_sentences;
  const std::uint8_t* which;  // by token: the case base that is asked
};

// One thread's tagger.
class SentenceTagger {
 public:
  SentenceTagger(const std::vector<WordBase>& bases, const TaggedText& text, std::size_t beam)
      : bases_(bases), text_(text), beam_(beam) {
    for (const WordBase& base : bases) {
      askers_.push_back(std::make_unique<Asker>(base.base));
      for (const TokenFeature& feature : base.features)
        if (feature.entries == nullptr) look_back_ = std::max(look_back_, static_cast<std::size_t>(-feature.offset));
    }
  }

  void tag(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    if (beam_ > 1) return tag_with_beam(begin, end, tags);
    for (std::size_t token = begin; token < end; ++token) {
      const std::uint8_t which = text_.which[token];
      tags[token] = bases_[which].tag_of_class[ask(which, token, begin, end, tags)];
    }
  }

 private:
  // A tag that was given to a word, and the link of the word before.
  struct Link {
    std::uint32_t tag;
    std::size_t before;
  };

  // The tags that were given to a sentence up to some word, as the last of their links, and how probable they are.
  struct Path {
    std::size_t last;
    double probability;
  };

  // The answer for a token, where the tags before it in the sentence are `tags`, by token.
  Label ask(std::uint8_t which, std::size_t token, std::size_t begin, std::size_t end, const std::uint32_t* tags) {
    Asker& asker = *askers_[which];
    std::uint32_t* codes = asker.codes();
    for (const TokenFeature& feature : bases_[which].features) {
      const std::size_t at = token + static_cast<std::size_t>(feature.offset);  // wraps around below the first token
      const bool is_inside = at >= begin && at < end;
      const std::uint32_t* entries = feature.entries != nullptr ? feature.entries : tags;
      *codes++ = feature.codes.code(is_inside ? entries[at] : feature.n_codes - 1);
    }
    return asker.answer();
  }

  // The best paths are kept. A new one must be better than the worst of them; of equal ones the earlier stays.
  void tag_with_beam(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    links_.clear();
    std::vector<Path> paths{{kNoLink, 1.0}}, next;
    for (std::size_t token = begin; token < end; ++token) {
      const std::uint8_t which = text_.which[token];
      next.clear();
      for (const Path& path : paths) {
        write_tags(path.last, token, token - std::min(look_back_, token - begin), tags);
        const Label chosen = ask(which, token, begin, end, tags);
        askers_[which]->candidates(chosen, candidates_);
        double total = 0.0;
        for (const Candidate& candidate : candidates_) total += candidate.votes;
        for (std::size_t c = 0; c < std::min(beam_, candidates_.size()); ++c) {
          const double probability = path.probability * (candidates_[c].votes / total);
          if (next.size() == beam_ && !(probability > next.back().probability)) continue;
          if (next.size() == beam_) next.pop_back();
          const auto place = std::upper_bound(next.begin(), next.end(), probability,
                                              [](double p, const Path& other) { return p > other.probability; });
          next.insert(place, {links_.size(), probability});
          links_.push_back({bases_[which].tag_of_class[candidates_[c].label], path.last});
        }
      }
      std::swap(paths, next);
      // Only proportions matter: long sentences are kept from becoming too improbable for a double.
      if (paths[0].probability < kFaint)
        for (Path& path : paths) path.probability /= kFaint;
    }
    write_tags(paths[0].last, end, begin, tags);
  }

  // The tags of a path, from its last word, before `token`, back to a first one.
  void write_tags(std::size_t link, std::size_t token, std::size_t first, std::uint32_t* tags) const {
    for (; token > first; link = links_[link].before) tags[--token] = links_[link].tag;
  }

  static constexpr std::size_t kNoLink = static_cast<std::size_t>(-1);
  static constexpr double kFaint = 0x1p-500;

  const std::vector<WordBase>& bases_;
  const TaggedText& text_;
  std::size_t beam_, look_back_ = 0;
  std::vector<Link> links_;
  std::vector<std::unique_ptr<Asker>> askers_;
  std::vector<Candidate> candidates_;
};

// The tag of every token.
inline std::vector<std::uint32_t> tag_text(const std::vector<WordBase>& bases, const TaggedText& text, std::size_t beam,
                                           unsigned n_threads) {
  constexpr std::size_t kSentencesAtOnce = 16;
  std::vector<std::uint32_t> tags(text.first[text.n_sentences]);
  for_blocks(
      text.n_sentences, kSentencesAtOnce, n_threads,
      [&] { return std::make_unique<SentenceTagger>(bases, text, beam); },
      [&](std::unique_ptr<SentenceTagger>& tagger, std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) tagger->tag(text.first[s], text.first[s + 1], tags.data());
      });
  return tags;
}

}  // namespace casebase
