// A committee of memories: an ensemble of context trees with back-off smoothing, and tagging with it.
//
// A memory is a tree whose levels are features in a given order; every node has the tag counts of its context. On the
// way down, the estimate of the wider context is interpolated with the counts of the narrower one, which weigh more the
// more often it was seen. The score of a tag is the log of the estimate without context, and what every context of
// every memory changes about it, each with a weight of its own: a log-linear model. Only the candidate tags of a word
// are scored, and a word with a single candidate needs no estimate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/tagging/beam.hpp"

namespace casebase {

constexpr std::uint32_t kOfTag = 0xFFFFFFFEu;  // a placeholder: use the code of the token's tag

// The source of a value: the code of the token `offset` places away, or of its tag.
struct ContextFeature {
  const std::uint32_t* codes;      // by token; nullptr: kOfTag for all
  const std::uint32_t* tag_codes;  // by tag; nullptr: tags are not used
  std::ptrdiff_t offset;
  std::uint32_t outside;  // the code of places before and after the sentence

  std::uint32_t value(std::size_t token, std::size_t begin, std::size_t end, const std::uint32_t* tags) const {
    const std::size_t at = token + static_cast<std::size_t>(offset);  // wraps around below the first token
    if (at < begin || at >= end) return outside;
    const std::uint32_t code = codes != nullptr ? codes[at] : kOfTag;
    return code == kOfTag && tag_codes != nullptr ? tag_codes[tags[at]] : code;
  }
};

// Nodes level by level: the children of node i are first_child[i] to first_child[i + 1], by ascending value; its counts
// begin at first_count[i].
struct ContextTree {
  std::vector<std::uint32_t> first_child, value, first_count, count_tag, count;
};

// Asks for memory that is read soon: a search through a large tree waits for little else.
inline void will_read(const void* place) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(place);
#else
  static_cast<void>(place);
#endif
}

// The first of some ascending numbers that is not below the wanted one, or the last; without branches, because they
// cannot be predicted. There is at least one number.
inline const std::uint32_t* first_not_below(const std::uint32_t* numbers, std::size_t n, std::uint32_t wanted) {
  while (n > 1) {
    const std::size_t half = n / 2;
    numbers += half * static_cast<std::size_t>(numbers[half - 1] < wanted);
    n -= half;
  }
  return numbers;
}

class LiveTree;
std::uint32_t added_child(const LiveTree& tree, std::uint32_t node, std::uint32_t value);

// The children of node i end at end_child[i], its counts at end_count[i]: for a tree that was grown at once, where
// those of the next node begin. A tree that changes has further children, and nodes without counts, which are not
// there.
struct ContextTreeView {
  const std::uint32_t *first_child, *end_child, *value, *first_count, *end_count, *count_tag, *count;
  const LiveTree* live = nullptr;

  static constexpr std::uint32_t kNone = 0;  // the root is not a child

  std::uint32_t child(std::uint32_t node, std::uint32_t wanted) const {
    std::uint32_t found = grown_child(node, wanted);
    if (live == nullptr) return found;
    if (found == kNone) found = added_child(*live, node, wanted);
    return found != kNone && first_count[found] < end_count[found] ? found : kNone;
  }

 private:
  std::uint32_t grown_child(std::uint32_t node, std::uint32_t wanted) const {
    const std::uint32_t *begin = value + first_child[node], *end = value + end_child[node];
    if (begin == end) return kNone;
    if (wanted < static_cast<std::size_t>(end - begin) &&
        begin[wanted] == wanted)  // codes are consecutive: no search needed
      return static_cast<std::uint32_t>(begin + wanted - value);
    const std::uint32_t* found = first_not_below(begin, static_cast<std::size_t>(end - begin), wanted);
    return *found == wanted ? static_cast<std::uint32_t>(found - value) : kNone;
  }
};

struct TaggedCorpus {
  const std::uint64_t* first;  // the first token of each sentence, and the end
  std::size_t n_sentences;
  const std::uint32_t* tags;
  std::size_t n_tags;

  // The sentence of each token.
  std::vector<std::uint32_t> sentences() const {
    std::vector<std::uint32_t> sentence(first[n_sentences]);
    for (std::size_t s = 0; s < n_sentences; ++s)
      for (std::size_t token = first[s]; token < first[s + 1]; ++token) sentence[token] = static_cast<std::uint32_t>(s);
    return sentence;
  }
};

// Grows the trees of memories. A context that was seen once is not refined further; nor is one with a single tag,
// unless `splits_pure`.
class ContextGrower {
 public:
  ContextGrower(const TaggedCorpus& corpus, const std::vector<std::uint32_t>& sentence, bool splits_pure)
      : corpus_(corpus), sentence_(sentence), splits_pure_(splits_pure), seen_(corpus.n_tags) {}

  // `tokens` must be ascending. Without tokens or levels the tree is only a root.
  ContextTree grow(const std::vector<ContextFeature>& levels, std::vector<std::uint32_t> tokens) {
    tokens_ = std::move(tokens);
    tree_ = {};
    std::vector<Run> runs, next;
    runs.push_back({0, tokens_.size(), true});
    add_node(0, runs.back());
    for (const ContextFeature& feature : levels) {
      next.clear();
      for (const Run& run : runs) {
        tree_.first_child.push_back(static_cast<std::uint32_t>(tree_.value.size()));
        if (run.is_open) split(feature, run, next);
      }
      std::swap(runs, next);
    }
    tree_.first_child.resize(tree_.value.size() + 1, static_cast<std::uint32_t>(tree_.value.size()));
    tree_.first_count.push_back(static_cast<std::uint32_t>(tree_.count.size()));
    return std::move(tree_);
  }

 private:
  struct Run {
    std::size_t begin, end;
    bool is_open;  // may have children
  };

  void split(const ContextFeature& feature, const Run& run, std::vector<Run>& next) {
    keys_.clear();
    std::uint32_t largest = 0;
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t token = tokens_[i], s = sentence_[token];
      const std::uint32_t value = feature.value(token, corpus_.first[s], corpus_.first[s + 1], corpus_.tags);
      largest = std::max(largest, value);
      keys_.push_back(std::uint64_t{value} << 32 | token);
    }
    sort_keys(largest);
    for (std::size_t i = 0; i < keys_.size();) {
      const std::uint64_t value = keys_[i] >> 32;
      Run child{run.begin + i, 0, true};
      for (; i < keys_.size() && keys_[i] >> 32 == value; ++i)
        tokens_[run.begin + i] = static_cast<std::uint32_t>(keys_[i]);
      child.end = run.begin + i;
      add_node(static_cast<std::uint32_t>(value), child);
      next.push_back(child);
    }
  }

  void add_node(std::uint32_t value, Run& run) {
    tree_.value.push_back(value);
    tree_.first_count.push_back(static_cast<std::uint32_t>(tree_.count.size()));
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::uint32_t tag = corpus_.tags[tokens_[i]];
      if (seen_[tag]++ == 0) met_.push_back(tag);
    }
    std::sort(met_.begin(), met_.end());
    for (const std::uint32_t tag : met_) {
      tree_.count_tag.push_back(tag);
      tree_.count.push_back(std::exchange(seen_[tag], 0));
    }
    run.is_open = met_.size() > 1 || (splits_pure_ && run.end - run.begin > 1);
    met_.clear();
  }

  void sort_keys(std::uint32_t largest) {
    constexpr std::size_t kFew = 512;
    constexpr int kDigit = 11;
    if (keys_.size() < kFew) return std::sort(keys_.begin(), keys_.end());
    spare_.resize(keys_.size());
    for (int done = 0; done < 32 && largest >> done != 0; done += kDigit) {  // stable, and tokens are already ascending
      std::vector<std::size_t> start((std::size_t{1} << kDigit) + 1);
      auto digit = [&](std::uint64_t key) { return key >> (32 + done) & ((std::uint64_t{1} << kDigit) - 1); };
      for (const std::uint64_t key : keys_) ++start[digit(key) + 1];
      for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
      for (const std::uint64_t key : keys_) spare_[start[digit(key)]++] = key;
      std::swap(keys_, spare_);
    }
  }

  const TaggedCorpus& corpus_;
  const std::vector<std::uint32_t>& sentence_;
  bool splits_pure_;
  std::vector<std::uint32_t> tokens_, seen_, met_;
  std::vector<std::uint64_t> keys_, spare_;
  ContextTree tree_;
};

// The training data of one memory: its levels and its tokens.
struct ContextLesson {
  std::vector<ContextFeature> levels;
  std::vector<std::uint32_t> tokens;
};

inline std::vector<ContextTree> grow_contexts(const std::vector<ContextLesson>& lessons, const TaggedCorpus& corpus,
                                              bool splits_pure, unsigned n_threads) {
  const std::vector<std::uint32_t> sentence = corpus.sentences();
  std::vector<ContextTree> trees(lessons.size());
  for_blocks(
      lessons.size(), 1, n_threads, [&] { return std::make_unique<ContextGrower>(corpus, sentence, splits_pure); },
      [&](std::unique_ptr<ContextGrower>& grower, std::size_t i, std::size_t, std::size_t) {
        trees[i] = grower->grow(lessons[i].levels, lessons[i].tokens);
      });
  return trees;
}

struct ContextMemory {
  ContextTreeView tree;
  std::vector<ContextFeature> levels;
  std::vector<double> weights;  // by level: of what its contexts change about the estimate
};

// Smoothing of a node's counts: the prior estimate weighs `constant`, plus `per_tag` for each tag seen at the node.
struct Caution {
  double constant, per_tag;
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
  WordTags words;
  bool is_form_of_word;  // the memories of forms use only the word itself
};

// The committee's scores for one token: the candidate tags, their joint log scores, what the estimates without context
// add to them, and for each memory used what it adds and the nodes on its path, the last of which is the narrowest
// known context.
struct CommitteeOpinion {
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

struct CommitteeText {
  const std::uint64_t* first;
  std::size_t n_sentences;
  const std::uint32_t* word;    // by token
  const std::int32_t* lexical;  // by word: its index in the lexicon, or −1
  std::size_t n_words;
};

// A tagger; each thread has its own.
class CommitteeTagger {
 public:
  CommitteeTagger(const Committee& committee, const CommitteeText& text, std::size_t beam)
      : committee_(committee),
        text_(text),
        beam_(beam),
        slot_(committee.words.n_tags, kNoSlot),
        share_(committee.words.n_tags) {
    if (committee.is_form_of_word) of_word_.assign(text.n_words, {0, 0});
    for (const MemoryGroup* group : {&committee.known, &committee.unknown})
      for (const ContextMemory& memory : group->memories)
        for (const ContextFeature& feature : memory.levels)
          if (feature.tag_codes != nullptr)
            look_back_ = std::max(look_back_, static_cast<std::size_t>(-feature.offset));
  }

  void tag(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    if (beam_.width() > 1 && begin < end) return tag_with_beam(begin, end, tags);
    for (std::size_t token = begin; token < end; ++token) {
      find_candidates(token, begin, end);
      std::size_t best = 0;
      if (n_candidates_ > 1) {
        weigh(token, begin, end, tags);
        best = static_cast<std::size_t>(std::max_element(score_.begin(), score_.end()) - score_.begin());
      }
      tags[token] = candidates_[best];
    }
  }

  // `tags` are those of the words before.
  CommitteeOpinion opinion(std::size_t token, std::size_t begin, std::size_t end, const std::uint32_t* tags) {
    find_candidates(token, begin, end);
    weigh(token, begin, end, tags);
    CommitteeOpinion opinion{{candidates_, candidates_ + n_candidates_}, score_, {}, {}, {}};
    const MemoryGroup& group = asked(token);
    for (std::size_t c = 0; c < n_candidates_; ++c) opinion.of_word.push_back(group.start * log_before_[c]);
    assign_slots();
    const std::uint32_t* nodes = nodes_.data();  // found when they were weighed
    for (const ContextMemory& memory : group.memories) {
      score_.assign(n_candidates_, 0.0);
      add(memory, group.caution, nodes);
      opinion.added.push_back(score_);
      const std::uint32_t* const end_of_path = std::find(nodes, nodes + memory.levels.size(), ContextTreeView::kNone);
      opinion.nodes.emplace_back(nodes, end_of_path);
      nodes += memory.levels.size();
    }
    clear_slots();
    return opinion;
  }

  // Appends the terms of the tokens that a group of memories is asked about.
  void append_terms(const MemoryGroup& group, std::size_t begin, std::size_t end, const std::uint32_t* tags,
                    CommitteeTerms& found) {
    std::size_t n_terms = 1;
    for (const ContextMemory& memory : group.memories) n_terms += memory.levels.size();
    for (std::size_t token = begin; token < end; ++token) {
      if (&asked(token) != &group) continue;
      find_candidates(token, begin, end);
      if (n_candidates_ < 2) continue;
      const std::size_t row = found.terms.size();
      found.terms.resize(row + n_candidates_ * n_terms);
      float* column = found.terms.data() + row;
      for (std::size_t c = 0; c < n_candidates_; ++c) column[c * n_terms] = static_cast<float>(log_before_[c]);
      ++column;
      assign_slots();
      for (const ContextMemory& memory : group.memories) {
        write_changes(memory, group.caution, token, begin, end, tags, column, n_terms);
        column += memory.levels.size();
      }
      clear_slots();
      found.token.insert(found.token.end(), n_candidates_, static_cast<std::uint32_t>(token));
      found.tag.insert(found.tag.end(), candidates_, candidates_ + n_candidates_);
    }
  }

  // The share of all tags but the assigned one, for each token of a tagged sentence. It stays exact where the share of
  // the assigned tag would round to 1. A word with one candidate has 0; a tag that is no candidate has 1.
  void doubt(std::size_t begin, std::size_t end, const std::uint32_t* tags, double* doubts) {
    for (std::size_t token = begin; token < end; ++token) {
      find_candidates(token, begin, end);
      const std::size_t own =
          static_cast<std::size_t>(std::find(candidates_, candidates_ + n_candidates_, tags[token]) - candidates_);
      doubts[token] = own < n_candidates_ ? 0.0 : 1.0;
      if (n_candidates_ == 1 || own == n_candidates_) continue;
      weigh(token, begin, end, tags);
      const double best = *std::max_element(score_.begin(), score_.end());
      double total = 0.0, others = 0.0;
      for (std::size_t c = 0; c < n_candidates_; ++c) {
        const double share = std::exp(score_[c] - best);
        total += share;
        if (c != own) others += share;
      }
      doubts[token] = others / total;
    }
  }

 private:
  // The memories for a token; if there are none for unknown words, those for known words.
  const MemoryGroup& asked(std::size_t token) const {
    const bool is_known = text_.lexical[text_.word[token]] >= 0 || committee_.unknown.memories.empty();
    return is_known ? committee_.known : committee_.unknown;
  }

  void tag_with_beam(std::size_t begin, std::size_t end, std::uint32_t* tags) {
    beam_.start();
    for (std::size_t token = begin; token < end; ++token) {
      find_candidates(token, begin, end);
      for (const Beam::Path& path : beam_.paths()) {
        if (n_candidates_ == 1) {
          beam_.offer(path, candidates_[0], 1.0);
          continue;
        }
        beam_.write_tags(path, token, token - std::min(look_back_, token - begin), tags);
        weigh(token, begin, end, tags);
        const double best = *std::max_element(score_.begin(), score_.end());
        double total = 0.0;
        for (double& score : score_) total += score = std::exp(score - best);
        for (std::size_t c = 0; c < n_candidates_; ++c) beam_.offer(path, candidates_[c], score_[c] / total);
      }
      beam_.advance();
    }
    beam_.write_tags(beam_.paths()[0], end, begin, tags);
  }

  // The candidate tags of a token, and their prior probabilities without context.
  void find_candidates(std::size_t token, std::size_t begin, std::size_t end) {
    const std::uint32_t word = text_.word[token];
    if (committee_.is_form_of_word && of_word_[word].n != 0) return use(of_word_[word]);
    const Found found = judge_form(token, begin, end);
    if (committee_.is_form_of_word) of_word_[word] = found;
    use(found);
  }

  struct Found {
    std::size_t first, n;
  };

  void use(const Found& found) {
    candidates_ = kept_tags_.data() + found.first;
    before_ = kept_shares_.data() + found.first;
    log_before_ = kept_logs_.data() + found.first;
    n_candidates_ = found.n;
  }

  Found judge_form(std::size_t token, std::size_t begin, std::size_t end) {
    const WordTags& words = committee_.words;
    const auto by_number = [](std::uint32_t tag) { return static_cast<std::size_t>(tag); };
    std::copy(words.share, words.share + words.n_tags, share_.begin());
    for (const ContextMemory& memory : committee_.form.memories)
      walk(memory, committee_.form.caution, token, begin, end, nullptr, share_.data(), words.n_tags, by_number);
    const std::int32_t lexical = text_.lexical[text_.word[token]];
    std::size_t next = lexical < 0 ? 0 : words.first[lexical];
    const std::size_t stop = lexical < 0 ? 0 : words.first[lexical + 1];
    correct(words.caution, words.tags + next, words.counts + next, stop - next, share_.data(), words.n_tags, by_number);
    if (!committee_.is_form_of_word) {
      kept_tags_.clear();
      kept_shares_.clear();
      kept_logs_.clear();
    }
    const std::size_t first = kept_tags_.size();
    auto keep = [&](std::uint32_t tag) {
      kept_tags_.push_back(tag);
      kept_shares_.push_back(std::max(share_[tag], kLeastShare));
      kept_logs_.push_back(std::log(kept_shares_.back()));
    };
    const bool is_certain = lexical >= 0 && words.frequency[lexical] >= words.certain_from;
    if (is_certain) {
      for (; next < stop; ++next)
        if (share_[words.tags[next]] >= words.least_share) keep(words.tags[next]);
    } else {
      for (std::uint32_t tag = 0; tag < words.n_tags; ++tag) {
        const bool is_own = next < stop && words.tags[next] == tag;
        next += is_own;
        if (is_own || share_[tag] >= words.least_share) keep(tag);
      }
    }
    if (kept_tags_.size() == first)
      keep(static_cast<std::uint32_t>(std::max_element(share_.begin(), share_.end()) - share_.begin()));
    return {first, kept_tags_.size() - first};
  }

  // The joint log score of each candidate over all memories, up to a constant.
  void weigh(std::size_t token, std::size_t begin, std::size_t end, const std::uint32_t* tags) {
    const MemoryGroup& group = asked(token);
    assign_slots();
    score_.resize(n_candidates_);
    for (std::size_t c = 0; c < n_candidates_; ++c) score_[c] = group.start * log_before_[c];
    find_contexts(group, token, begin, end, tags);
    const std::uint32_t* node = nodes_.data();
    for (const ContextMemory& memory : group.memories) {
      add(memory, group.caution, node);
      node += memory.levels.size();
    }
    clear_slots();
  }

  // Finds the contexts of a token in all memories of a group, level by level: while one tree is searched, the others'
  // nodes come from memory. Behind the narrowest context of a memory follow kNone.
  void find_contexts(const MemoryGroup& group, std::size_t token, std::size_t begin, std::size_t end,
                     const std::uint32_t* tags) {
    std::size_t n_nodes = 0, depth = 0;
    for (const ContextMemory& memory : group.memories) {
      n_nodes += memory.levels.size();
      depth = std::max(depth, memory.levels.size());
    }
    nodes_.assign(n_nodes, ContextTreeView::kNone);
    for (std::size_t level = 0; level < depth; ++level) {
      std::uint32_t* nodes = nodes_.data();
      for (const ContextMemory& memory : group.memories) {
        std::uint32_t* const node = nodes + level;
        nodes += memory.levels.size();
        if (level >= memory.levels.size() || (level > 0 && node[-1] == ContextTreeView::kNone)) continue;
        const ContextTreeView& tree = memory.tree;
        *node = tree.child(level == 0 ? 0 : node[-1], memory.levels[level].value(token, begin, end, tags));
        if (*node == ContextTreeView::kNone) continue;
        will_read(tree.first_child + *node);
        will_read(tree.first_count + *node);
      }
    }
    const std::uint32_t* node = nodes_.data();
    for (const ContextMemory& memory : group.memories)
      for (std::size_t level = 0; level < memory.levels.size(); ++level, ++node)
        if (*node != ContextTreeView::kNone) {
          will_read(memory.tree.count_tag + memory.tree.first_count[*node]);
          will_read(memory.tree.count + memory.tree.first_count[*node]);
        }
  }

  // Adds to the scores of the candidates, whose slots are assigned, what the contexts of one memory change, weighted.
  void add(const ContextMemory& memory, const Caution& caution, const std::uint32_t* nodes) {
    std::size_t level = 0;
    for (; level < memory.levels.size() && nodes[level] != ContextTreeView::kNone; ++level) {
      if (level == 0) {
        thought_.assign(before_, before_ + n_candidates_);
        log_thought_.assign(log_before_, log_before_ + n_candidates_);
      } else if (memory.weights[level] != memory.weights[level - 1]) {
        add_change(memory.weights[level - 1]);
      }
      correct_candidates(caution, memory.tree, nodes[level]);
    }
    if (level > 0) add_change(memory.weights[level - 1]);
  }

  // Updates the estimates of the candidates, whose slots are assigned, with the counts of a node.
  void correct_candidates(const Caution& caution, const ContextTreeView& tree, std::uint32_t node) {
    const std::uint32_t from = tree.first_count[node], n_counts = tree.end_count[node] - from;
    const std::uint32_t *tags = tree.count_tag + from, *counts = tree.count + from;
    constexpr std::size_t kMany = 8;  // times as many tags as candidates: then each of these is looked for
    if (tree.live != nullptr || n_counts < kMany * n_candidates_) {
      const auto slot = [&](std::uint32_t tag) { return static_cast<std::size_t>(slot_[tag]); };
      return correct(caution, tags, counts, n_counts, thought_.data(), n_candidates_, slot);
    }
    const auto [unit, kept] = smoothing(caution, counts, n_counts);
    for (std::size_t c = 0; c < n_candidates_; ++c) {
      const std::uint32_t* found = first_not_below(tags, n_counts, candidates_[c]);
      thought_[c] *= kept;
      if (*found == candidates_[c]) thought_[c] += counts[found - tags] * unit;
    }
  }

  // Writes what each level of a memory changes, to rows of `n_terms` for each candidate.
  void write_changes(const ContextMemory& memory, const Caution& caution, std::size_t token, std::size_t begin,
                     std::size_t end, const std::uint32_t* tags, float* column, std::size_t n_terms) {
    const ContextTreeView& tree = memory.tree;
    thought_.assign(before_, before_ + n_candidates_);
    std::uint32_t node = 0;
    for (const ContextFeature& feature : memory.levels) {
      node = tree.child(node, feature.value(token, begin, end, tags));
      if (node == ContextTreeView::kNone) return;
      log_thought_ = thought_;
      correct_candidates(caution, tree, node);
      for (std::size_t c = 0; c < n_candidates_; ++c)
        column[c * n_terms] = static_cast<float>(std::log(thought_[c] / log_thought_[c]));
      ++column;
    }
  }

  // Adds what the estimate has changed since the last time.
  void add_change(double weight) {
    for (std::size_t c = 0; c < n_candidates_; ++c) {
      const double now = std::log(thought_[c]);
      score_[c] += weight * (now - log_thought_[c]);
      log_thought_[c] = now;
    }
  }

  void assign_slots() {
    for (std::size_t c = 0; c < n_candidates_; ++c) slot_[candidates_[c]] = static_cast<std::uint32_t>(c);
  }

  void clear_slots() {
    for (std::size_t c = 0; c < n_candidates_; ++c) slot_[candidates_[c]] = kNoSlot;
  }

  template <class Place>
  void walk(const ContextMemory& memory, const Caution& caution, std::size_t token, std::size_t begin, std::size_t end,
            const std::uint32_t* tags, double* thought, std::size_t n, const Place& place) const {
    const ContextTreeView& tree = memory.tree;
    std::uint32_t node = 0;
    for (const ContextFeature& feature : memory.levels) {
      node = tree.child(node, feature.value(token, begin, end, tags));
      if (node == ContextTreeView::kNone) return;
      const std::uint32_t from = tree.first_count[node], n_counts = tree.end_count[node] - from;
      correct(caution, tree.count_tag + from, tree.count + from, n_counts, thought, n, place);
    }
  }

  // Updates prior estimates of the tags with the counts of a node; a node without counts changes nothing.
  template <class Place>
  static void correct(const Caution& caution, const std::uint32_t* tags, const std::uint32_t* counts,
                      std::size_t n_counts, double* thought, std::size_t n, const Place& place) {
    if (n_counts == 0) return;
    const auto [unit, kept] = smoothing(caution, counts, n_counts);
    for (std::size_t c = 0; c < n; ++c) thought[c] *= kept;
    for (std::size_t i = 0; i < n_counts; ++i)
      if (const std::size_t c = place(tags[i]); c < n) thought[c] += counts[i] * unit;
  }

  // What a count weighs, and what a prior estimate.
  static std::pair<double, double> smoothing(const Caution& caution, const std::uint32_t* counts,
                                             std::size_t n_counts) {
    const double doubt = caution.constant + caution.per_tag * static_cast<double>(n_counts);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < n_counts; ++i) total += counts[i];
    const double unit = 1.0 / (static_cast<double>(total) + doubt);
    return {unit, doubt * unit};
  }

  static constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
  static constexpr double kLeastShare = 1e-5;

  const Committee& committee_;
  const CommitteeText& text_;
  Beam beam_;
  std::size_t look_back_ = 0;
  std::vector<std::uint32_t> slot_;   // by tag: its index among the candidates
  std::vector<std::uint32_t> nodes_;  // the contexts of a token, memory by memory
  std::vector<double> share_, score_, thought_, log_thought_;
  std::vector<Found> of_word_;  // by word: a cache of candidates
  std::vector<std::uint32_t> kept_tags_;
  std::vector<double> kept_shares_, kept_logs_;
  const std::uint32_t* candidates_ = nullptr;
  const double *before_ = nullptr, *log_before_ = nullptr;
  std::size_t n_candidates_ = 0;
};

// Calls `work(tagger, begin, end)` for the tokens of each sentence; every thread has its own tagger.
template <class Work>
void for_sentences(const Committee& committee, const CommitteeText& text, std::size_t beam, unsigned n_threads,
                   const Work& work) {
  constexpr std::size_t kSentencesAtOnce = 64;
  for_blocks(
      text.n_sentences, kSentencesAtOnce, n_threads,
      [&] { return std::make_unique<CommitteeTagger>(committee, text, beam); },
      [&](std::unique_ptr<CommitteeTagger>& tagger, std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) work(*tagger, text.first[s], text.first[s + 1]);
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
    tagger.append_terms(of_unknown ? committee.unknown : committee.known, begin, end, tags, found);
  });
  return found;
}

// The share of all other tags, for every token of a tagged text.
inline std::vector<double> committee_doubts(const Committee& committee, const CommitteeText& text,
                                            const std::uint32_t* tags, unsigned n_threads) {
  std::vector<double> doubts(text.first[text.n_sentences]);
  for_sentences(committee, text, 1, n_threads, [&](CommitteeTagger& tagger, std::size_t begin, std::size_t end) {
    tagger.doubt(begin, end, tags, doubts.data());
  });
  return doubts;
}

}  // namespace casebase
