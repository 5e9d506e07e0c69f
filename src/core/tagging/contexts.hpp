// Contexts of words: where the values of a memory's features come from, and the tree of a memory.
//
// A memory is a tree whose levels are features in a given order; every node has the tag counts of its context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

class ChildIndex;
class LiveTree;
std::uint32_t added_child(const LiveTree& tree, std::uint32_t node, std::uint32_t value);

// How often a tag was met.
struct TagCount {
  std::uint32_t tag, count;
};

inline std::uint32_t key_of(std::uint32_t number) { return number; }
inline std::uint32_t key_of(const TagCount& count) { return count.tag; }

// The first of some ascending entries whose key is not below the wanted one, or the last; without branches, because
// they cannot be predicted. There is at least one entry.
template <class Entry>
const Entry* first_not_below(const Entry* entries, std::size_t n, std::uint32_t wanted) {
  while (n > 1) {
    const std::size_t half = n / 2;
    entries += half * static_cast<std::size_t>(key_of(entries[half - 1]) < wanted);
    n -= half;
  }
  return entries;
}

// How often a tag was met; there is at least one count. Few counts are compared one by one, without branches.
inline std::uint32_t count_of(std::uint32_t tag, const TagCount* counts, std::size_t n) {
  constexpr std::size_t kFew = 8;
  if (n > kFew) {
    const TagCount found = *first_not_below(counts, n, tag);
    return found.tag == tag ? found.count : 0;
  }
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < n; ++i) found |= counts[i].tag == tag ? counts[i].count : 0;
  return found;
}

// A node's children have the values from first_child to end_child, its counts are those from first_count to end_count,
// and their sum is `total`. What a search reads together stands together. A node with many counts has a row as well,
// with a number for every tag, zeros included: most searches begin at such nodes.
struct ContextNode {
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

  std::uint32_t first_child, end_child, first_count, end_count, total, row = kNoRow;
};

// A tree to search: values and counts ascend, by value and by tag. A tree that changes has further children, and nodes
// without counts, which are not there.
struct ContextTreeView {
  const ContextNode* nodes;
  const std::uint32_t* values;  // by node
  const TagCount* counts;
  const std::uint32_t* rows = nullptr;  // one after the other
  std::size_t n_tags = 0;               // numbers in each
  const LiveTree* live = nullptr;
  const ChildIndex* index = nullptr;  // of a tree that does not change, if there is one
  bool is_dense = false;              // whether the values of the root's children are 0, 1, 2, …

  static constexpr std::uint32_t kNone = 0;  // the root is not a child

  std::uint32_t child(std::uint32_t node, std::uint32_t wanted) const {
    const std::uint32_t* begin = values + nodes[node].first_child;
    const std::size_t n = nodes[node].end_child - nodes[node].first_child;
    if (n == 0) return met(node, wanted, kNone);
    const bool is_in_place = wanted < n && begin[wanted] == wanted;  // codes are consecutive: no search needed
    return met(node, wanted, at(is_in_place ? begin + wanted : first_not_below(begin, n, wanted), wanted));
  }

  // The counts of a node by tag, or nullptr if it has no row.
  const std::uint32_t* row_of(const ContextNode& node) const {
    return node.row == ContextNode::kNoRow ? nullptr : rows + node.row * n_tags;
  }

  // The node at a place among the values, if it has the wanted one.
  std::uint32_t at(const std::uint32_t* place, std::uint32_t wanted) const {
    return *place == wanted ? static_cast<std::uint32_t>(place - values) : kNone;
  }

  // The child with a value, if it has counts; `grown` is the one that was grown with the tree, or kNone.
  std::uint32_t met(std::uint32_t node, std::uint32_t wanted, std::uint32_t grown) const {
    if (live == nullptr) return grown;
    if (grown == kNone) grown = added_child(*live, node, wanted);
    return grown != kNone && nodes[grown].first_count < nodes[grown].end_count ? grown : kNone;
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

}  // namespace casebase
