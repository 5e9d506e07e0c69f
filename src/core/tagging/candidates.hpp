// The candidate tags of words, and their estimates without context.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simd.hpp"
#include "core/tagging/committee.hpp"

namespace casebase {

// Finds candidates, once for each word if the memories of forms use only the word itself; each thread has its own.
class CandidateTags {
 public:
  // A list of candidates by ascending tag.
  struct List {
    std::size_t first, n;
  };

  CandidateTags(const Committee& committee, const CommitteeText& text)
      : committee_(committee), text_(text), share_(committee.words.n_tags) {
    if (committee.is_form_of_word) of_word_.assign(text.n_words, {0, 0});
  }

  List of(std::size_t token, std::size_t begin, std::size_t end) {
    if (!committee_.is_form_of_word) return judge(token, begin, end);
    List& list = of_word_[text_.word[token]];
    if (list.n == 0) list = judge(token, begin, end);
    return list;
  }

  // Until further lists are asked for.
  const std::uint32_t* tags(const List& list) const { return tags_.data() + list.first; }
  const double* shares(const List& list) const { return shares_.data() + list.first; }
  const double* logs(const List& list) const { return logs_.data() + list.first; }

  // Gives lists up that will not be used again.
  void forget() {
    if (committee_.is_form_of_word) return;
    tags_.clear();
    shares_.clear();
    logs_.clear();
  }

 private:
  List judge(std::size_t token, std::size_t begin, std::size_t end) {
    const WordTags& words = committee_.words;
    std::copy(words.share, words.share + words.n_tags, share_.begin());
    for (const ContextMemory& memory : committee_.form.memories) walk(memory, token, begin, end);
    const std::int32_t lexical = text_.lexical[text_.word[token]];
    std::size_t next = lexical < 0 ? 0 : words.first[lexical];
    const std::size_t stop = lexical < 0 ? 0 : words.first[lexical + 1];
    met_.clear();
    for (std::size_t i = next; i < stop; ++i) met_.push_back({words.tags[i], words.counts[i]});
    correct(words.caution, met_.data(), met_.size(), lexical < 0 ? 0 : words.frequency[lexical]);
    const std::size_t first = tags_.size();
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
    if (tags_.size() == first)
      keep(static_cast<std::uint32_t>(std::max_element(share_.begin(), share_.end()) - share_.begin()));
    return {first, tags_.size() - first};
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

  // Updates the estimates of all tags with counts of some; without counts nothing changes.
  void correct(const Caution& caution, const TagCount* counts, std::size_t n_counts, std::uint64_t total) {
    if (n_counts == 0) return;
    const auto [unit, kept] = caution.shares(n_counts, total);
    best_version(
        [](double* shares, std::size_t n, double factor) CASEBASE_INLINE_LAMBDA {
          for (std::size_t i = 0; i < n; ++i) shares[i] *= factor;
        },
        share_.data(), share_.size(), kept);
    for (std::size_t i = 0; i < n_counts; ++i) share_[counts[i].tag] += counts[i].count * unit;
  }

  static constexpr double kLeastShare = 1e-5;

  const Committee& committee_;
  const CommitteeText& text_;
  std::vector<double> share_;  // by tag: the estimate for a word
  std::vector<TagCount> met_;  // the tags of a word of the lexicon
  std::vector<List> of_word_;  // by word; without candidates: not asked about yet
  std::vector<std::uint32_t> tags_;
  std::vector<double> shares_, logs_;
};

}  // namespace casebase
