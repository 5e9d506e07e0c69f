// The trees of a committee's memories while the sentences of its corpus come and go.
//
// Only the tokens whose values a change of the corpus changes move in the trees. The tokens of a context that is
// refined for the first time are found by the indexes of the corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/tagging/live_corpus.hpp"
#include "core/tagging/live_tree.hpp"

namespace casebase {

// A corpus, and a tree for each of its windows.
class LiveCommittee {
 public:
  LiveCommittee(LiveCorpus& corpus, std::vector<LiveTree> trees) : corpus_(corpus), trees_(std::move(trees)) {}

  const std::vector<LiveTree>& trees() const { return trees_; }

  void apply(const LiveChange& change) {
    const std::vector<WindowChange> changes = corpus_.apply(change);
    for (std::size_t w = 0; w < trees_.size(); ++w) correct(corpus_.windows()[w], changes[w], trees_[w]);
  }

 private:
  // Takes tokens out of a tree as they were, and puts tokens in as they are.
  void correct(const LiveWindow& window, const WindowChange& change, LiveTree& tree) {
    for (std::size_t i = 0; i < change.gone.size(); ++i)
      tree.remove({corpus_.tokens().tag[change.gone[i]], change.gone_values.data() + i * window.levels.size()});
    std::vector<std::uint32_t> values;
    tree.add(placed(window, change.came, values), [&](const std::uint32_t* path, std::size_t depth) {
      std::vector<std::size_t> levels(depth);
      std::iota(levels.begin(), levels.end(), std::size_t{0});
      return placed(window, corpus_.matching(window, levels, path), fetched_);
    });
  }

  std::vector<PlacedToken> placed(const LiveWindow& window, const std::vector<std::uint32_t>& tokens,
                                  std::vector<std::uint32_t>& values) const {
    values.clear();
    for (const std::uint32_t token : tokens) corpus_.append_values(window, token, values);
    std::vector<PlacedToken> found;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      found.push_back({corpus_.tokens().tag[tokens[i]], values.data() + i * window.levels.size()});
    return found;
  }

  LiveCorpus& corpus_;
  std::vector<LiveTree> trees_;
  std::vector<std::uint32_t> fetched_;  // the values of tokens that were fetched last
};

}  // namespace casebase
