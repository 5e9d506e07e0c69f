// A committee that is corrected while it tags, for Python.
#include "core/tagging/live_committee.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/context_trees.hpp"

using namespace casebase;

namespace {

// Codes by entry and by tag, either may be missing; the code outside of sentences; and how many codes there are.
using BaseOfArrays =
    std::tuple<std::size_t, std::optional<Numbers32>, std::optional<Numbers32>, std::uint32_t, std::size_t>;
using MemoryOfArrays =
    std::tuple<const ContextTreeOfArrays*, std::vector<std::tuple<std::size_t, std::ptrdiff_t>>, bool, bool>;
using Recoded = std::tuple<Numbers32, Numbers32>;
using RareWords = std::tuple<Numbers32, Vector<std::uint8_t>>;

std::vector<std::uint32_t> copied(const Numbers32& numbers) {
  return {numbers.data(), numbers.data() + numbers.shape(0)};
}

LiveTokens checked_tokens(const Numbers32& word, const std::vector<Numbers32>& columns, const Numbers32& tags,
                          std::size_t n_tags) {
  require(word.shape(0) < 0xFFFF0000u, "there are more tokens than 32 bits can count");
  require(tags.shape(0) == word.shape(0) && !columns.empty(), "one word and one tag per token");
  require_below(tags, n_tags, "a tag is out of range");
  LiveTokens tokens{copied(word), {}, copied(tags)};
  for (const Numbers32& column : columns) {
    require(column.shape(0) == word.shape(0), "one entry per token");
    tokens.columns.push_back(copied(column));
  }
  return tokens;
}

std::vector<std::uint64_t> checked_first(const Vector<std::uint64_t>& first, std::size_t n_tokens) {
  require(first.shape(0) > 0, "sentences and tokens do not fit");
  require_offsets(first, first.shape(0) - 1, n_tokens, "sentences and tokens do not fit");
  return {first.data(), first.data() + first.shape(0)};
}

class LiveCommitteeOfArrays {
 public:
  LiveCommitteeOfArrays(const Numbers32& word, const std::vector<Numbers32>& columns, const Numbers32& tags,
                        const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& is_rare,
                        const std::vector<BaseOfArrays>& bases, const std::vector<MemoryOfArrays>& memories,
                        std::size_t n_tags, const std::vector<std::size_t>& n_entries)
      : n_tags_(n_tags), n_entries_(n_entries) {
    require(columns.size() == n_entries.size(), "every column has entries");
    require_below(word, is_rare.shape(0), "a word is out of range");
    for (std::size_t c = 0; c < columns.size(); ++c)
      require_below(columns[c], n_entries[c], "an entry is out of range");
    std::vector<LiveBase> given;
    for (const auto& [column, codes, tag_codes, outside, n_codes] : bases) {
      require(column < columns.size() && (codes || tag_codes), "a base has codes by entry, or by tag, or both");
      require(!codes || codes->shape(0) == n_entries[column], "one code per entry");
      require(!tag_codes || tag_codes->shape(0) == n_tags, "one code per tag");
      LiveBase base{column, {}, {}, outside, {}};
      if (codes) base.codes = copied(*codes);
      if (tag_codes) base.tag_codes = copied(*tag_codes);
      base.entries = Postings(base.codes, n_codes);
      given.push_back(std::move(base));
    }
    std::vector<LiveMemory> live;
    for (const auto& [tree, levels, is_of_rare, splits_pure] : memories) {
      require(tree->n_tags() == n_tags, "the memories of a committee have the same tags");
      std::vector<LiveLevel> own;
      for (const auto& [base, offset] : levels) {
        require(base < bases.size(), "a base is out of range");
        own.push_back({base, offset});
      }
      live.push_back({std::move(own), is_of_rare, LiveTree(tree->view(), tree->n_nodes(), levels.size(), splits_pure)});
    }
    live_ = std::make_unique<LiveCommittee>(
        checked_tokens(word, columns, tags, n_tags), checked_first(first, word.shape(0)),
        std::vector<std::uint8_t>(is_rare.data(), is_rare.data() + is_rare.shape(0)), std::move(given), std::move(live),
        n_tags, n_entries);
    for (const LiveMemory& memory : live_->memories()) trees_.emplace_back(memory.tree, n_tags);
  }

  void apply(const Numbers32& removed, const Numbers32& word, const std::vector<Numbers32>& columns,
             const Numbers32& tags, const Vector<std::uint64_t>& first, const std::vector<Recoded>& recoded,
             const Recoded& moved, const RareWords& rare, const std::vector<std::size_t>& n_entries) {
    LiveChange change;
    require(columns.size() == live_->n_columns() && n_entries.size() == columns.size(), "a column is missing");
    for (std::size_t c = 0; c < columns.size(); ++c) {
      require(n_entries[c] >= n_entries_[c], "entries do not go away");
      require_below(columns[c], n_entries[c], "an entry is out of range");
    }
    require_below(word, n_entries[0], "a word is out of range");
    require_below(removed, live_->n_sentences(), "a sentence is out of range");
    require(recoded.size() == live_->n_bases(), "new codes come by base");
    change.removed = copied(removed);
    for (const std::uint32_t sentence : change.removed)
      require(live_->is_there(sentence), "a sentence was removed already");
    change.added = checked_tokens(word, columns, tags, n_tags_);
    require(live_->n_tokens() + word.shape(0) < 0xFFFF0000u, "there are more tokens than 32 bits can count");
    change.first = checked_first(first, word.shape(0));
    for (const auto& [entries, codes] : recoded) {
      require(entries.shape(0) == codes.shape(0), "one code per entry");
      require_below(entries, n_entries[live_->column_of(change.recoded.size())], "an entry is out of range");
      auto& own = change.recoded.emplace_back();
      for (std::size_t i = 0; i < entries.shape(0); ++i) own.push_back({entries.data()[i], codes.data()[i]});
    }
    const auto& [tokens, words] = moved;
    require(tokens.shape(0) == words.shape(0), "one word per token");
    require_below(tokens, live_->n_tokens(), "a token is out of range");
    require_below(words, n_entries[0], "a word is out of range");
    for (std::size_t i = 0; i < tokens.shape(0); ++i) change.moved.push_back({tokens.data()[i], words.data()[i]});
    const auto& [rare_words, flags] = rare;
    require(rare_words.shape(0) == flags.shape(0), "one flag per word");
    require_below(rare_words, n_entries[0], "a word is out of range");
    for (std::size_t i = 0; i < flags.shape(0); ++i)
      change.rare.push_back({rare_words.data()[i], flags.data()[i] != 0});
    change.n_entries = n_entries_ = n_entries;
    nb::gil_scoped_release unlocked;
    live_->apply(change);
  }

  const TreeOfLive& tree(std::size_t memory) const {
    require(memory < trees_.size(), "there is no such memory");
    return trees_[memory];
  }

  auto matching(std::size_t memory, const Numbers32& values) const {
    require(memory < trees_.size() && values.shape(0) <= live_->memories()[memory].levels.size(),
            "there is no such context");
    return to_numpy(live_->matching(live_->memories()[memory], values.data(), values.shape(0)));
  }

  auto tokens_of(std::uint32_t word) const { return to_numpy(live_->tokens_of(word)); }
  auto tokens_looked_up_as(std::uint32_t word) const { return to_numpy(live_->tokens_looked_up_as(word)); }

  // For each token: its sentence, its place there, its word, the word that it is looked up as, and its tag.
  auto about(const Numbers32& tokens) const {
    require_below(tokens, live_->n_tokens(), "a token is out of range");
    std::vector<std::uint32_t> sentence, place, word, entry, tag;
    for (std::size_t i = 0; i < tokens.shape(0); ++i) {
      const std::uint32_t token = tokens.data()[i];
      sentence.push_back(live_->sentence_of(token));
      place.push_back(token - live_->begin_of(sentence.back()));
      word.push_back(live_->tokens().word[token]);
      entry.push_back(live_->tokens().columns[0][token]);
      tag.push_back(live_->tokens().tag[token]);
    }
    return nb::make_tuple(to_numpy(std::move(sentence)), to_numpy(std::move(place)), to_numpy(std::move(word)),
                          to_numpy(std::move(entry)), to_numpy(std::move(tag)));
  }

  std::uint32_t first_word(std::uint32_t sentence) const {
    require(sentence < live_->n_sentences(), "a sentence is out of range");
    return live_->tokens().word[live_->begin_of(sentence)];
  }

  std::size_t n_nodes() const {
    std::size_t n = 0;
    for (const LiveMemory& memory : live_->memories()) n += memory.tree.n_nodes();
    return n;
  }

 private:
  std::size_t n_tags_;
  std::vector<std::size_t> n_entries_;
  std::unique_ptr<LiveCommittee> live_;
  std::vector<TreeOfLive> trees_;
};

std::vector<std::pair<std::uint32_t, std::uint32_t>> counts_at(const TreeOfLive& tree, std::size_t node) {
  require(node < tree.tree().n_nodes(), "there is no such node");
  const ContextTreeView view = tree.view();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
  for (auto i = view.first_count[node]; i < view.end_count[node]; ++i)
    counts.push_back({view.count_tag[i], view.count[i]});
  return counts;
}

// The nodes of the contexts that were met, from the widest to the narrowest.
std::vector<std::uint32_t> path_to(const TreeOfLive& tree, const Numbers32& codes) {
  const ContextTreeView view = tree.view();
  std::vector<std::uint32_t> path;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::uint32_t node = view.child(path.empty() ? 0 : path.back(), codes.data()[i]);
    if (node == ContextTreeView::kNone) break;
    path.push_back(node);
  }
  return path;
}

}  // namespace

void bind_live_committee(nb::module_& m) {
  nb::class_<TreeOfLive, AskedTree>(m, "LiveTree")
      .def("counts", &counts_at, nb::arg("node"))
      .def("path", &path_to, nb::arg("codes"));
  nb::class_<LiveCommitteeOfArrays>(m, "LiveCommittee")
      .def(nb::init<const Numbers32&, const std::vector<Numbers32>&, const Numbers32&, const Vector<std::uint64_t>&,
                    const Vector<std::uint8_t>&, const std::vector<BaseOfArrays>&, const std::vector<MemoryOfArrays>&,
                    std::size_t, const std::vector<std::size_t>&>(),
           nb::arg("word"), nb::arg("columns"), nb::arg("tags"), nb::arg("first"), nb::arg("is_rare"), nb::arg("bases"),
           nb::arg("memories"), nb::arg("n_tags"), nb::arg("n_entries"))
      .def("apply", &LiveCommitteeOfArrays::apply, nb::arg("removed"), nb::arg("word"), nb::arg("columns"),
           nb::arg("tags"), nb::arg("first"), nb::arg("recoded"), nb::arg("moved"), nb::arg("rare"),
           nb::arg("n_entries"))
      .def("tree", &LiveCommitteeOfArrays::tree, nb::arg("memory"), nb::rv_policy::reference_internal)
      .def("matching", &LiveCommitteeOfArrays::matching, nb::arg("memory"), nb::arg("values"))
      .def("tokens_of", &LiveCommitteeOfArrays::tokens_of, nb::arg("word"))
      .def("tokens_looked_up_as", &LiveCommitteeOfArrays::tokens_looked_up_as, nb::arg("word"))
      .def("about", &LiveCommitteeOfArrays::about, nb::arg("tokens"))
      .def("first_word", &LiveCommitteeOfArrays::first_word, nb::arg("sentence"))
      .def_prop_ro("n_nodes", &LiveCommitteeOfArrays::n_nodes);
}
