// The candidate tags of words, and their estimates without context.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/simd.hpp"
#include "core/tagging/committee.hpp"

namespace casebase {

// Finds candidates, once for each word if the memories of forms use only the word itself; each thread has its own.
class CandidateTags {
 public:
  CandidateTags(const Committee& committee, const CommitteeText& text)
      : committee_(committee), text_(text), share_(committee.words.n_tags) {
    if (committee.is_form_of_word) of_word_.assign(text.n_words, nullptr);
  }

  // The list stays until all lists are given up.
  const CandidateList& of(std::size_t token, std::size_t begin, std::size_t end) {
    if (!committee_.is_form_of_word) return own(judge(token, begin, end));
    const std::uint32_t word = text_.word[token];
    const CandidateList*& list = of_word_[word];
    if (list == nullptr) list = &find(word, token, begin, end);
    return *list;
  }

  // Gives lists up that will not be used again.
  void forget() {
    if (!committee_.is_form_of_word) lists_.clear();
  }

 private:
  // Counts that correct an estimate: that of a wider context, or of all rare words.
  struct Correction {
    const TagCount* counts;
    std::size_t n_counts;
    double unit, kept;  // what a count weighs, and what the estimate does
  };

  const CandidateList& find(std::uint32_t word, std::size_t token, std::size_t begin, std::size_t end) {
    const std::int32_t lexical = text_.lexical[word];
    if (lexical < 0 || committee_.kept == nullptr) return own(judge(token, begin, end));
    const auto entry = static_cast<std::size_t>(lexical);
    const CandidateList* const kept = committee_.kept->of(entry);
    return kept != nullptr ? *kept : *committee_.kept->keep(entry, judge(token, begin, end));
  }

  const CandidateList& own(std::unique_ptr<const CandidateList> list) {
    lists_.push_back(std::move(list));
    return *lists_.back();
  }

  std::unique_ptr<const CandidateList> judge(std::size_t token, std::size_t begin, std::size_t end) {
    const WordTags& words = committee_.words;
    const std::int32_t lexical = text_.lexical[text_.word[token]];
    const std::size_t own = lexical < 0 ? 0 : words.first[lexical];
    const std::size_t end_own = lexical < 0 ? 0 : words.first[lexical + 1];
    corrections_.clear();
    for (const ContextMemory& memory : committee_.form.memories) walk(memory, token, begin, end);
    met_.clear();
    for (std::size_t i = own; i < end_own; ++i) met_.push_back({words.tags[i], words.counts[i]});
    correct(words.caution, met_.data(), met_.size(), lexical < 0 ? 0 : words.frequency[lexical]);
    tags_.clear();
    shares_.clear();
    logs_.clear();
    if (lexical >= 0 && words.frequency[lexical] >= words.certain_from) keep_likely(words.tags + own, end_own - own);
    if (tags_.empty()) {
      estimate_all();
      if (lexical < 0 || words.frequency[lexical] < words.certain_from)
        keep_likely_or_own(words.tags + own, words.tags + end_own);
    }
    if (tags_.empty())
      keep(static_cast<std::uint32_t>(std::max_element(share_.begin(), share_.end()) - share_.begin()));
    return std::make_unique<const CandidateList>(tags_.data(), shares_.data(), logs_.data(), tags_.size());
  }

  // Keeps those of a word's own tags that are likely; no other tag is looked at.
  void keep_likely(const std::uint32_t* own, std::size_t n_own) {
    for (std::size_t i = 0; i < n_own; ++i) {
      double& share = share_[own[i]];
      share = committee_.words.share[own[i]];
      for (const Correction& by : corrections_)
        share = share * by.kept + count_of(own[i], by.counts, by.n_counts) * by.unit;
      if (share >= committee_.words.least_share) keep(own[i]);
    }
  }

  void keep_likely_or_own(const std::uint32_t* own, const std::uint32_t* end_own) {
    const auto n_tags = static_cast<std::uint32_t>(share_.size());
    for (std::uint32_t tag = 0;; ++tag) {
      const std::uint32_t next_own = own < end_own ? *own++ : n_tags;
      for (; tag < next_own; ++tag)
        if (share_[tag] >= committee_.words.least_share) keep(tag);
      if (tag == n_tags) return;
      keep(tag);
    }
  }

  // Updates the estimates of all tags, correction by correction.
  void estimate_all() {
    std::copy(committee_.words.share, committee_.words.share + share_.size(), share_.begin());
    for (const Correction& by : corrections_) {
      best_version(
          [](double* shares, std::size_t n, double factor) CASEBASE_INLINE_LAMBDA {
            for (std::size_t i = 0; i < n; ++i) shares[i] *= factor;
          },
          share_.data(), share_.size(), by.kept);
      for (std::size_t i = 0; i < by.n_counts; ++i) share_[by.counts[i].tag] += by.counts[i].count * by.unit;
    }
  }

  void keep(std::uint32_t tag) {
    tags_.push_back(tag);
    shares_.push_back(std::max(share_[tag], kLeastShare));
    logs_.push_back(std::log(shares_.back()));
  }

  void walk(const ContextMemory& memory, std::size_t token, std::size_t begin, std::size_t end) {
    const ContextTreeView& tree = memory.tree;
    std::uint32_t node = 0;
    for (const ContextFeature& feature : memory.levels) {
      node = tree.child(node, feature.value(token, begin, end, nullptr));
      if (node == ContextTreeView::kNone) return;
      const ContextNode& met = tree.nodes[node];
      correct(committee_.form.caution, tree.counts + met.first_count, met.end_count - met.first_count, met.total);
    }
  }

  // Without counts nothing changes.
  void correct(const Caution& caution, const TagCount* counts, std::size_t n_counts, std::uint64_t total) {
    if (n_counts == 0) return;
    const auto [unit, kept] = caution.shares(n_counts, total);
    corrections_.push_back({counts, n_counts, unit, kept});
  }

  static constexpr double kLeastShare = 1e-5;

  const Committee& committee_;
  const CommitteeText& text_;
  std::vector<double> share_;  // by tag: the estimate for a word
  std::vector<Correction> corrections_;
  std::vector<TagCount> met_;                  // the tags of a word of the lexicon
  std::vector<const CandidateList*> of_word_;  // by word; nullptr: not asked about yet
  std::vector<std::unique_ptr<const CandidateList>> lists_;
  std::vector<std::uint32_t> tags_;  // of the word that is judged
  std::vector<double> shares_, logs_;
};

}  // namespace casebase
