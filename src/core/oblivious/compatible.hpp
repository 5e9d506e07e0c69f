// Nodes of a level, and the first of them with which a new node is compatible.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/oblivious/graph_arrays.hpp"

namespace casebase {

// Two nodes are compatible if no value leads from them to different targets. Instead of comparing a new node with all
// nodes, those that some value rules out are crossed out: one by one for a value that few nodes have, 64 at a time
// for a value that many have.
class CompatibleNodes {
 public:
  std::size_t size() const { return nodes_.size(); }
  std::vector<Edges> edges() && { return std::move(nodes_); }

  std::size_t add(const Edges& edges) {
    nodes_.push_back({});
    extend(nodes_.size() - 1, edges);
    return nodes_.size() - 1;
  }

  void extend(std::size_t place, const Edges& edges) {
    Edges both;
    auto& node = nodes_[place];
    both.reserve(node.size() + edges.size());
    std::size_t i = 0;
    for (const auto& edge : edges) {
      while (i < node.size() && node[i].first < edge.first) both.push_back(node[i++]);
      if (i < node.size() && node[i].first == edge.first) {
        both.push_back(node[i++]);
      } else {
        both.push_back(edge);
        leads_[edge.first].add(place, edge.second);
      }
    }
    both.insert(both.end(), node.begin() + static_cast<std::ptrdiff_t>(i), node.end());
    node = std::move(both);
  }

  // The first compatible node, or size() if there is none.
  std::size_t first(const Edges& edges) {
    out_.assign((nodes_.size() + 63) / 64, 0);
    for (const auto& [value, target] : edges) {
      const auto at = leads_.find(value);
      if (at != leads_.end()) at->second.cross_out_others(target, out_);
    }
    for (std::size_t w = 0; w < out_.size(); ++w)
      if (out_[w] != ~std::uint64_t{0}) {
        std::size_t bit = 0;
        while (out_[w] >> bit & 1) ++bit;
        return std::min(w * 64 + bit, nodes_.size());
      }
    return nodes_.size();
  }

 private:
  // The nodes that have one value, by where it leads.
  class Leading {
   public:
    void add(std::size_t place, Target target) {
      by_target_[target].push_back(place);
      if (++n_ < kMany) return;
      if (n_ == kMany) {
        for (const auto& [_, places] : by_target_)
          for (const std::size_t p : places) set(all_, p);
      } else {
        set(all_, place);
      }
    }

    void cross_out_others(Target target, std::vector<std::uint64_t>& out) {
      if (all_.empty()) {
        for (const auto& [to, places] : by_target_)
          if (to != target)
            for (const std::size_t p : places) set(out, p);
        return;
      }
      const auto same = by_target_.find(target);
      rest_ = all_;
      if (same != by_target_.end())
        for (const std::size_t p : same->second) rest_[p / 64] &= ~(std::uint64_t{1} << (p % 64));
      for (std::size_t w = 0; w < rest_.size(); ++w) out[w] |= rest_[w];
    }

   private:
    static constexpr std::size_t kMany = 256;
    static void set(std::vector<std::uint64_t>& bits, std::size_t place) {
      if (bits.size() <= place / 64) bits.resize(place / 64 + 1, 0);
      bits[place / 64] |= std::uint64_t{1} << (place % 64);
    }

    std::size_t n_ = 0;
    std::unordered_map<Target, std::vector<std::size_t>> by_target_;
    std::vector<std::uint64_t> all_, rest_;
  };

  std::vector<Edges> nodes_;
  std::unordered_map<std::uint32_t, Leading> leads_;
  std::vector<std::uint64_t> out_;
};

}  // namespace casebase
