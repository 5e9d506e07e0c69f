// Grows the trees of memories from a tagged corpus.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "core/tagging/contexts.hpp"

namespace casebase {

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

}  // namespace casebase
