// Tagging with a committee, and what it thinks of single words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/functions.hpp"
#include "core/parallel.hpp"
#include "core/tagging/beam.hpp"
#include "core/tagging/candidates.hpp"
#include "core/tagging/weighing.hpp"

namespace casebase {

// The committee's scores for one token: the candidate tags, their joint log scores, what the estimates without context
// add to them, and for each memory used what it adds and the nodes on its path, the last of which is the narrowest
// known context. The memories are the early ones if these were sure.
struct CommitteeOpinion {
  bool is_early = false;
  std::vector<std::uint32_t> tags;
  std::vector<double> scores;
  std::vector<double> of_word;
  std::vector<std::vector<double>> added;
  std::vector<std::vector<std::uint32_t>> nodes;
};

// The terms of the log-linear model, for words with several candidates: a row for each candidate of each token, with
// the log of its estimate without context and what each level of each memory changes about it (0: not met). The score
// of a candidate is the sum of its terms, weighted.
struct CommitteeTerms {
  std::vector<std::uint32_t> token, tag;
  std::vector<float> terms;
};

// A tagger; each thread has its own.
class CommitteeTagger {
 public:
  CommitteeTagger(const Committee& committee, const CommitteeText& text, std::size_t beam)
      : committee_(committee), text_(text), beam_(beam), candidates_(committee, text) {
    for (const MemoryGroup* group : {&committee.known, &committee.unknown})
      for (const ContextMemory& memory : group->memories)
        for (const ContextFeature& feature : memory.levels)
          if (feature.tag_codes != nullptr)
            look_back_ = std::max(look_back_, static_cast<std::size_t>(-feature.offset));
  }

  // Tags sentences, many side by side: each waits for the tags of its own words before, not for other sentences.
  void tag(std::size_t first_sentence, std::size_t end_sentence, std::uint32_t* tags) {
    if (beam_.width() > 1) {
      for (std::size_t s = first_sentence; s < end_sentence; ++s)
        if (text_.first[s] < text_.first[s + 1]) tag_with_beam(text_.first[s], text_.first[s + 1], tags);
      return;
    }
    std::vector<Lane> lanes;
    std::size_t next = first_sentence;
    for (;;) {
      forget_questions();
      while (lanes.size() < kLanes && next < end_sentence) {
        lanes.push_back({text_.first[next], text_.first[next], text_.first[next + 1]});
        ++next;
      }
      lanes.erase(
          std::remove_if(lanes.begin(), lanes.end(), [&](Lane& lane) { return !comes_to_question(lane, tags); }),
          lanes.end());
      if (weighing_.size() == 0 && next == end_sentence) return;
      weighing_.answer();
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        Lane& lane = lanes[i];
        lane.asks_all = !lane.asks_all && has_early(lane.token) && !is_sure(i);
        if (!lane.asks_all) tags[lane.token++] = best_tag(i);
      }
    }
  }

  // `tags` are those of the words before.
  CommitteeOpinion opinion(std::size_t token, std::size_t begin, std::size_t end, const std::uint32_t* tags) {
    CommitteeOpinion opinion;
    opinion.is_early = has_early(token);
    const CandidateList* list = &weigh(asked(token, opinion.is_early), token, begin, end, tags);
    if (opinion.is_early && list->size() > 1 && !is_sure(0)) {
      opinion.is_early = false;
      list = &weigh(asked(token, false), token, begin, end, tags);
    }
    const MemoryGroup& group = asked(token, opinion.is_early);
    const std::uint32_t* candidates = list->tags();
    const double *scores = weighing_.scores(0), *logs = list->logs();
    opinion.tags.assign(candidates, candidates + list->size());
    opinion.scores.assign(scores, scores + list->size());
    for (std::size_t c = 0; c < list->size(); ++c) opinion.of_word.push_back(group.start * logs[c]);
    opinion.added.assign(group.memories.size(), std::vector<double>(list->size()));
    opinion.nodes.resize(group.memories.size());
    weighing_.for_contexts(0, [&](const ContextMemory& memory, std::size_t level, std::uint32_t node, const double* now,
                                  const double* before) {
      const auto m = static_cast<std::size_t>(&memory - group.memories.data());
      for (std::size_t c = 0; c < list->size(); ++c)
        opinion.added[m][c] += memory.weights[level] * (now[c] - before[c]);
      opinion.nodes[m].push_back(node);
    });
    return opinion;
  }

  // Appends the terms of the tokens that a group of memories is asked about.
  void append_terms(const MemoryGroup& group, std::size_t begin, std::size_t end, const std::uint32_t* tags,
                    CommitteeTerms& found) {
    std::vector<std::size_t> column;  // by memory: that of its first level
    std::size_t n_terms = 1;
    for (const ContextMemory& memory : group.memories) {
      column.push_back(n_terms);
      n_terms += memory.levels.size();
    }
    for (std::size_t token = begin; token < end; ++token) {
      if (&asked(token, false) != &group) continue;
      const CandidateList& list = weigh(group, token, begin, end, tags);
      if (list.size() < 2) continue;
      const std::size_t row = found.terms.size();
      found.terms.resize(row + list.size() * n_terms);
      float* terms = found.terms.data() + row;
      for (std::size_t c = 0; c < list.size(); ++c) terms[c * n_terms] = static_cast<float>(list.logs()[c]);
      weighing_.for_contexts(0, [&](const ContextMemory& memory, std::size_t level, std::uint32_t, const double* now,
                                    const double* before) {
        float* term = terms + column[static_cast<std::size_t>(&memory - group.memories.data())] + level;
        for (std::size_t c = 0; c < list.size(); ++c) term[c * n_terms] = static_cast<float>(now[c] - before[c]);
      });
      found.token.insert(found.token.end(), list.size(), static_cast<std::uint32_t>(token));
      found.tag.insert(found.tag.end(), list.tags(), list.tags() + list.size());
    }
  }

  // The share of all tags but the assigned one, for each token of a tagged sentence: all memories are asked, also where
  // early ones decided. It stays exact where the share of the assigned tag would round to 1. A word with one candidate
  // has 0; a tag that is no candidate has 1.
  void doubt(std::size_t begin, std::size_t end, const std::uint32_t* tags, double* doubts) {
    forget_questions();
    asked_.clear();
    for (std::size_t token = begin; token < end; ++token) {
      const CandidateList& list = candidates_.of(token, begin, end);
      const std::uint32_t* candidates = list.tags();
      const std::size_t own =
          static_cast<std::size_t>(std::find(candidates, candidates + list.size(), tags[token]) - candidates);
      doubts[token] = own < list.size() ? 0.0 : 1.0;
      if (list.size() == 1 || own == list.size()) continue;
      weighing_.ask(asked(token, false), list, token, begin, end, tags);
      asked_.push_back({token, own});
    }
    weighing_.answer();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const std::size_t n = weighing_.candidates(i).size();
      const double *scores = weighing_.scores(i), best = *std::max_element(scores, scores + n);
      double total = 0.0, others = 0.0;
      for (std::size_t c = 0; c < n; ++c) {
        const double share = std::exp(scores[c] - best);
        total += share;
        if (c != asked_[i].own) others += share;
      }
      doubts[asked_[i].token] = others / total;
    }
  }

 private:
  // A sentence, and the token that is tagged next; whether its early memories were not sure.
  struct Lane {
    std::size_t token, begin, end;
    bool asks_all = false;
  };

  struct Doubtful {
    std::size_t token, own;  // its place among the candidates
  };

  bool is_known(std::size_t token) const { return text_.lexical[text_.word[token]] >= 0; }
  bool has_early(std::size_t token) const { return !committee_.early.memories.empty() && is_known(token); }

  // The memories for a token; if there are none for unknown words, those for known words.
  const MemoryGroup& asked(std::size_t token, bool is_early) const {
    if (is_early) return committee_.early;
    return is_known(token) || committee_.unknown.memories.empty() ? committee_.known : committee_.unknown;
  }

  // Whether a tag has the share that early memories decide with.
  bool is_sure(std::size_t question) const {
    const std::size_t n = weighing_.candidates(question).size();
    const double *scores = weighing_.scores(question), best = *std::max_element(scores, scores + n);
    double total = 0.0;
    for (std::size_t c = 0; c < n; ++c) total += portable_exp(scores[c] - best);
    return total * committee_.early_share <= 1.0;
  }

  void forget_questions() {
    weighing_.clear();
    candidates_.forget();
  }

  // Tags words with a single candidate, and asks about the next other one; false at the end of the sentence.
  bool comes_to_question(Lane& lane, std::uint32_t* tags) {
    for (; lane.token < lane.end; ++lane.token) {
      const CandidateList& list = candidates_.of(lane.token, lane.begin, lane.end);
      if (list.size() > 1) {
        const bool is_early = !lane.asks_all && has_early(lane.token);
        weighing_.ask(asked(lane.token, is_early), list, lane.token, lane.begin, lane.end, tags);
        return true;
      }
      tags[lane.token] = list.tags()[0];
    }
    return false;
  }

  std::uint32_t best_tag(std::size_t question) const {
    const CandidateList& list = weighing_.candidates(question);
    const double* scores = weighing_.scores(question);
    return list.tags()[std::max_element(scores, scores + list.size()) - scores];
  }

  const CandidateList& weigh(const MemoryGroup& group, std::size_t token, std::size_t begin, std::size_t end,
                             const std::uint32_t* tags) {
    forget_questions();
    const CandidateList& list = candidates_.of(token, begin, end);
    weighing_.ask(group, list, token, begin, end, tags);
    weighing_.answer();
    return list;
  }

  void tag_with_beam(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    beam_.start();
    for (std::size_t token = begin; token < end; ++token) {
      forget_questions();
      const CandidateList& list = candidates_.of(token, begin, end);
      if (list.size() > 1) {
        bool is_early = has_early(token);
        ask_paths(asked(token, is_early), list, token, begin, end, tags);
        for (std::size_t p = 0; is_early && p < beam_.paths().size(); ++p) is_early = is_sure(p);
        if (has_early(token) && !is_early) ask_paths(asked(token, false), list, token, begin, end, tags);
      }
      for (std::size_t p = 0; p < beam_.paths().size(); ++p) offer(beam_.paths()[p], p, list);
      beam_.advance();
    }
    beam_.write_tags(beam_.paths()[0], end, begin, tags);
  }

  // Weighs the candidates of a token behind every path.
  void ask_paths(const MemoryGroup& group, const CandidateList& list, std::size_t token, std::size_t begin,
                 std::size_t end, std::uint32_t* tags) {
    weighing_.clear();
    for (const Beam::Path& path : beam_.paths()) {
      beam_.write_tags(path, token, token - std::min(look_back_, token - begin), tags);
      weighing_.ask(group, list, token, begin, end, tags);
    }
    weighing_.answer();
  }

  // Offers the extensions of a path by each candidate, by their shares.
  void offer(const Beam::Path& path, std::size_t question, const CandidateList& list) {
    const std::uint32_t* candidates = list.tags();
    if (list.size() == 1) return beam_.offer(path, *candidates, 1.0);
    const double *scores = weighing_.scores(question), best = *std::max_element(scores, scores + list.size());
    shares_.clear();
    double total = 0.0;
    for (std::size_t c = 0; c < list.size(); ++c) {
      shares_.push_back(std::exp(scores[c] - best));
      total += shares_.back();
    }
    for (std::size_t c = 0; c < list.size(); ++c) beam_.offer(path, candidates[c], shares_[c] / total);
  }

  static constexpr std::size_t kLanes = 32;

  const Committee& committee_;
  const CommitteeText& text_;
  Beam beam_;
  CandidateTags candidates_;
  Weighing weighing_;
  std::size_t look_back_ = 0;
  std::vector<Doubtful> asked_;
  std::vector<double> shares_;
};

// Calls `work(tagger, begin, end)` for blocks of sentences; every thread has its own tagger.
template <class Work>
void for_sentences(const Committee& committee, const CommitteeText& text, std::size_t beam, unsigned n_threads,
                   const Work& work) {
  constexpr std::size_t kSentencesAtOnce = 256;
  for_blocks(
      text.n_sentences, kSentencesAtOnce, n_threads,
      [&] { return std::make_unique<CommitteeTagger>(committee, text, beam); },
      [&](std::unique_ptr<CommitteeTagger>& tagger, std::size_t, std::size_t begin, std::size_t end) {
        work(*tagger, begin, end);
      });
}

// The tag of every token.
inline std::vector<std::uint32_t> tag_by_committee(const Committee& committee, const CommitteeText& text,
                                                   std::size_t beam, unsigned n_threads) {
  std::vector<std::uint32_t> tags(text.first[text.n_sentences]);
  for_sentences(committee, text, beam, n_threads, [&](CommitteeTagger& tagger, std::size_t begin, std::size_t end) {
    tagger.tag(begin, end, tags.data());
  });
  return tags;
}

// The terms of the log-linear model, for the words of a tagged text that are asked about as known, or as unknown.
inline CommitteeTerms committee_terms(const Committee& committee, const CommitteeText& text, const std::uint32_t* tags,
                                      bool of_unknown) {
  CommitteeTerms found;
  for_sentences(committee, text, 1, 1, [&](CommitteeTagger& tagger, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s)
      tagger.append_terms(of_unknown ? committee.unknown : committee.known, text.first[s], text.first[s + 1], tags,
                          found);
  });
  return found;
}

// The share of all other tags, for every token of a tagged text.
inline std::vector<double> committee_doubts(const Committee& committee, const CommitteeText& text,
                                            const std::uint32_t* tags, unsigned n_threads) {
  std::vector<double> doubts(text.first[text.n_sentences]);
  for_sentences(committee, text, 1, n_threads, [&](CommitteeTagger& tagger, std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) tagger.doubt(text.first[s], text.first[s + 1], tags, doubts.data());
  });
  return doubts;
}

}  // namespace casebase
