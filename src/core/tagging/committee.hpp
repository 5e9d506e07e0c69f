// A committee of memories: an ensemble of context trees with back-off smoothing.
//
// On the way down a tree, the estimate of the wider context is interpolated with the counts of the narrower one, which
// weigh more the more often it was seen. The score of a tag is the log of the estimate without context, and what every
// context of every memory changes about it, each with a weight of its own: a log-linear model. Only the candidate tags
// of a word are scored, and a word with a single candidate needs no estimate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/tagging/contexts.hpp"
#include "core/tagging/kept_candidates.hpp"

namespace casebase {

struct ContextMemory {
  ContextTreeView tree;
  std::vector<ContextFeature> levels;
  std::vector<double> weights;  // by level: of what its contexts change about the estimate
};

// Smoothing of a node's counts: the prior estimate weighs `constant`, plus `per_tag` for each tag seen at the node.
struct Caution {
  double constant, per_tag;

  // What a count weighs, and what a prior estimate, where so many tags were met so many times in all.
  std::pair<double, double> shares(std::size_t n_tags, std::uint64_t n_times) const {
    const double doubt = constant + per_tag * static_cast<double>(n_tags);
    const double unit = 1.0 / (static_cast<double>(n_times) + doubt);
    return {unit, doubt * unit};
  }
};

struct MemoryGroup {
  std::vector<ContextMemory> memories;
  Caution caution;
  double start;  // the weight of the estimate without context
};

// The candidate tags of a word: those it had, and, if it was not seen often enough, those of words of its form. A
// frequent word's tags below `least_share` are none: errors of the corpus, mostly, which cost every other word a vote.
struct WordTags {
  const std::uint64_t* first;  // by word of the lexicon
  const std::uint32_t* tags;
  const std::uint32_t* counts;  // of each tag of the word
  const std::uint32_t* frequency;
  Caution caution;  // smoothing of these counts
  std::uint32_t certain_from;
  double least_share;
  const double* share;  // by tag: its share among rare words
  std::size_t n_tags;
};

struct Committee {
  MemoryGroup form, known, unknown;
  MemoryGroup early;   // a few short memories: where they are sure about a known word, no others are asked
  double early_share;  // the share of a tag that is sure
  WordTags words;
  bool is_form_of_word;            // the memories of forms use only the word itself
  KeptCandidates* kept = nullptr;  // those of the words of the lexicon, if they are kept beyond a text
};

struct CommitteeText {
  const std::uint64_t* first;
  std::size_t n_sentences;
  const std::uint32_t* word;    // by token
  const std::int32_t* lexical;  // by word: its index in the lexicon, or −1
  std::size_t n_words;
};

}  // namespace casebase
