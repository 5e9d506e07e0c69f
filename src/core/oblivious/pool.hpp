// Prediction with abstract cases: the nearest ones pool their class counts.
#pragma once

#include <vector>

#include "core/oblivious/abstract_cases.hpp"
#include "core/parallel.hpp"
#include "core/votes.hpp"

namespace casebase {

struct Pooled {
  std::vector<Label> label;
  std::vector<std::uint8_t> is_tied;
  std::vector<std::uint32_t> disagreements;
  std::vector<std::uint32_t> n_groups, n_votes;  // per question; groups and votes are concatenated
  std::vector<Row> groups;
  std::vector<Label> vote_label;
  std::vector<double> votes;
};

inline Pooled pool_nearest(const AbstractCases& cases, const std::vector<Column>& asked, std::size_t n_asked,
                           std::size_t n_classes, const Preference& prefer, bool list_groups, const ValueLists* lists,
                           unsigned n_threads) {
  constexpr std::size_t kBlock = 1024;
  const std::size_t n_features = cases.columns.size();
  std::vector<Pooled> blocks((n_asked + kBlock - 1) / kBlock);
  struct Tool {
    AbstractSearch search;
    Ballot ballot;
    std::vector<std::uint32_t> asked;
  };
  auto make_tool = [&] {
    return Tool{AbstractSearch(cases, lists), Ballot(n_classes), std::vector<std::uint32_t>(n_features)};
  };
  auto work = [&](Tool& tool, std::size_t block, std::size_t begin, std::size_t end) {
    Pooled& out = blocks[block];
    for (std::size_t q = begin; q < end; ++q) {
      for (std::size_t f = 0; f < n_features; ++f) tool.asked[f] = asked[f].code(q);
      tool.search.find(tool.asked, detail::kNoGroup, detail::kNoGroup, n_features, AbstractSearch::Next::no,
                       !list_groups);
      std::size_t n_groups = tool.search.nearest().size();
      for (const auto& set : tool.search.nearest_sets()) {
        n_groups += tool.search.n_groups(set);
        tool.search.sum(set, [&](Label label, double n) { tool.ballot.add(label, n); });
      }
      for (const Row group : tool.search.nearest())
        for (std::uint64_t i = cases.first_count[group]; i < cases.first_count[group + 1]; ++i)
          tool.ballot.add(cases.count_label[i], cases.count[i]);
      const Choice choice = tool.ballot.choose(prefer);
      out.label.push_back(choice.label);
      out.is_tied.push_back(choice.is_tied);
      out.disagreements.push_back(static_cast<std::uint32_t>(tool.search.n_disagreements()));
      const auto& groups = tool.search.nearest();
      out.n_groups.push_back(static_cast<std::uint32_t>(n_groups));
      if (list_groups) out.groups.insert(out.groups.end(), groups.begin(), groups.end());
      out.n_votes.push_back(static_cast<std::uint32_t>(tool.ballot.labels().size()));
      for (const Label c : tool.ballot.labels()) {
        out.vote_label.push_back(c);
        out.votes.push_back(tool.ballot.votes(c));
      }
      tool.ballot.clear();
    }
  };
  for_blocks(n_asked, kBlock, n_threads, make_tool, work);
  Pooled all;
  const auto join = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const Pooled& block : blocks) {
    join(all.label, block.label);
    join(all.is_tied, block.is_tied);
    join(all.disagreements, block.disagreements);
    join(all.n_groups, block.n_groups);
    join(all.n_votes, block.n_votes);
    join(all.groups, block.groups);
    join(all.vote_label, block.vote_label);
    join(all.votes, block.votes);
  }
  return all;
}

}  // namespace casebase
