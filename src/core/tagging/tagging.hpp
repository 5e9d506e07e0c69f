// Memory-based tagging: each word is a case to classify, and earlier tags are features of later words.
//
// Words in the lexicon use one case base, unknown words a second one. Word features are looked up by the number of the
// word or of a neighbour, tag features by the tags assigned so far. Sentences are independent, so threads take them in
// blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/parallel.hpp"
#include "core/tagging/answering.hpp"
#include "core/tagging/beam.hpp"
#include "core/types.hpp"

namespace casebase {

// The source of one feature: the token `offset` places away has an entry, and the entry has a code. The last code is
// for positions outside the sentence.
struct TokenFeature {
  const std::uint32_t* entries;  // by token; nullptr: the entry is its assigned tag
  std::ptrdiff_t offset;
  Column codes;
  std::size_t n_codes;
};

// A case base, the sources of its features, and the tag of each of its classes.
struct WordBase {
  CaseBase base;
  std::vector<TokenFeature> features;
  const std::uint32_t* tag_of_class;
};

struct TaggedText {
  const std::uint64_t* first;  // the first token of each sentence, and the end
  std::size_t n_sentences;
  const std::uint8_t* which;  // by token: its case base
};

// A tagger; each thread has its own.
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
    if (beam_.width() > 1 && begin < end) return tag_with_beam(begin, end, tags);
    for (std::size_t token = begin; token < end; ++token) {
      const std::uint8_t which = text_.which[token];
      tags[token] = bases_[which].tag_of_class[ask(which, token, begin, end, tags)];
    }
  }

 private:
  // The tag of a token; `tags` has the tags before it in the sentence, by token.
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

  void tag_with_beam(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    beam_.start();
    for (std::size_t token = begin; token < end; ++token) {
      const std::uint8_t which = text_.which[token];
      for (const Beam::Path& path : beam_.paths()) {
        beam_.write_tags(path, token, token - std::min(look_back_, token - begin), tags);
        const Label chosen = ask(which, token, begin, end, tags);
        askers_[which]->candidates(chosen, candidates_);
        double total = 0.0;
        for (const Candidate& candidate : candidates_) total += candidate.votes;
        for (std::size_t c = 0; c < std::min(beam_.width(), candidates_.size()); ++c)
          beam_.offer(path, bases_[which].tag_of_class[candidates_[c].label], candidates_[c].votes / total);
      }
      beam_.advance();
    }
    beam_.write_tags(beam_.paths()[0], end, begin, tags);
  }

  const std::vector<WordBase>& bases_;
  const TaggedText& text_;
  Beam beam_;
  std::size_t look_back_ = 0;
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
