// Taggers that are corrected while they tag, for Python: their corpus, and the trees of a committee.
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
#include "core/tagging/first_met.hpp"

using namespace casebase;

namespace {

// Codes by entry and by tag, either may be missing; the code outside of sentences; and how many codes there are.
using BaseOfArrays =
    std::tuple<std::size_t, std::optional<Numbers32>, std::optional<Numbers32>, std::uint32_t, std::size_t>;
// The base and the offset of each level, and whether it is over rare words alone.
using WindowOfLevels = std::tuple<std::vector<std::tuple<std::size_t, std::ptrdiff_t>>, bool>;
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

class LiveCorpusOfArrays {
 public:
  LiveCorpusOfArrays(const Numbers32& word, const std::vector<Numbers32>& columns, const Numbers32& tags,
                     const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& is_rare,
                     const std::vector<BaseOfArrays>& bases, const std::vector<WindowOfLevels>& windows,
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
    std::vector<LiveWindow> live;
    for (const auto& [levels, is_of_rare] : windows) {
      std::vector<LiveLevel> own;
      for (const auto& [base, offset] : levels) {
        require(base < bases.size(), "a base is out of range");
        own.push_back({base, offset});
      }
      live.push_back({std::move(own), is_of_rare});
    }
    corpus_ =
        std::make_unique<LiveCorpus>(checked_tokens(word, columns, tags, n_tags), checked_first(first, word.shape(0)),
                                     std::vector<std::uint8_t>(is_rare.data(), is_rare.data() + is_rare.shape(0)),
                                     std::move(given), std::move(live), n_tags, n_entries);
  }

  // Takes over a change. Returns for each window the tokens that it lost, the values that they had, the tokens that it
  // gained, and the values that they have.
  auto apply(const Numbers32& removed, const Numbers32& word, const std::vector<Numbers32>& columns,
             const Numbers32& tags, const Vector<std::uint64_t>& first, const std::vector<Recoded>& recoded,
             const Recoded& moved, const RareWords& rare, const std::vector<std::size_t>& n_entries,
             const std::optional<Numbers32>& places) {
    const LiveChange change = checked_change(removed, word, columns, tags, first, recoded, moved, rare, n_entries);
    if (places) check_places(*places, corpus_->n_sentences() + change.first.size() - 1);
    std::vector<WindowChange> changes = corpus_->apply(change);
    nb::list out;
    for (std::size_t w = 0; w < changes.size(); ++w) {
      if (w < met_.size() && places) met_[w].apply(changes[w], copied(*places));
      std::vector<std::uint32_t> values;
      for (const std::uint32_t token : changes[w].came) corpus_->append_values(corpus_->windows()[w], token, values);
      out.append(nb::make_tuple(to_numpy(std::move(changes[w].gone)), to_numpy(std::move(changes[w].gone_values)),
                                to_numpy(std::move(changes[w].came)), to_numpy(std::move(values))));
    }
    return out;
  }

  // From now on it keeps where values are first met; changes then come with the places of the sentences.
  void keep_first(const Numbers32& places) {
    check_places(places, corpus_->n_sentences());
    met_.clear();
    for (std::size_t w = 0; w < corpus_->windows().size(); ++w) met_.emplace_back(*corpus_, w, copied(places));
  }

  auto first_met(std::size_t window, std::size_t level) const {
    require(window < met_.size() && level < corpus_->windows()[window].levels.size(), "there is no such level");
    return to_numpy(met_[window].places(level));
  }

  auto matching(std::size_t window, const std::vector<std::size_t>& levels, const Numbers32& values) const {
    require(window < corpus_->windows().size() && values.shape(0) == levels.size(), "there is no such context");
    for (const std::size_t level : levels)
      require(level < corpus_->windows()[window].levels.size(), "there is no such level");
    return to_numpy(corpus_->matching(corpus_->windows()[window], levels, values.data()));
  }

  auto tokens_of(std::uint32_t word) const { return to_numpy(corpus_->tokens_of(word)); }
  auto tokens_looked_up_as(std::uint32_t word) const { return to_numpy(corpus_->tokens_looked_up_as(word)); }

  // For each token: its sentence, its place there, its word, the word that it is looked up as, and its tag.
  auto about(const Numbers32& tokens) const {
    require_below(tokens, corpus_->n_tokens(), "a token is out of range");
    std::vector<std::uint32_t> sentence, place, word, entry, tag;
    for (std::size_t i = 0; i < tokens.shape(0); ++i) {
      const std::uint32_t token = tokens.data()[i];
      sentence.push_back(corpus_->sentence_of(token));
      place.push_back(token - corpus_->begin_of(sentence.back()));
      word.push_back(corpus_->tokens().word[token]);
      entry.push_back(corpus_->tokens().columns[0][token]);
      tag.push_back(corpus_->tokens().tag[token]);
    }
    return nb::make_tuple(to_numpy(std::move(sentence)), to_numpy(std::move(place)), to_numpy(std::move(word)),
                          to_numpy(std::move(entry)), to_numpy(std::move(tag)));
  }

  std::uint32_t first_word(std::uint32_t sentence) const {
    require(sentence < corpus_->n_sentences(), "a sentence is out of range");
    return corpus_->tokens().word[corpus_->begin_of(sentence)];
  }

  std::size_t n_tokens() const { return corpus_->n_tokens(); }

 protected:
  LiveChange checked_change(const Numbers32& removed, const Numbers32& word, const std::vector<Numbers32>& columns,
                            const Numbers32& tags, const Vector<std::uint64_t>& first,
                            const std::vector<Recoded>& recoded, const Recoded& moved, const RareWords& rare,
                            const std::vector<std::size_t>& n_entries) {
    LiveChange change;
    require(columns.size() == corpus_->n_columns() && n_entries.size() == columns.size(), "a column is missing");
    for (std::size_t c = 0; c < columns.size(); ++c) {
      require(n_entries[c] >= n_entries_[c], "entries do not go away");
      require_below(columns[c], n_entries[c], "an entry is out of range");
    }
    require_below(word, n_entries[0], "a word is out of range");
    require_below(removed, corpus_->n_sentences(), "a sentence is out of range");
    require(recoded.size() == corpus_->n_bases(), "new codes come by base");
    change.removed = copied(removed);
    for (const std::uint32_t sentence : change.removed)
      require(corpus_->is_there(sentence), "a sentence was removed already");
    change.added = checked_tokens(word, columns, tags, n_tags_);
    require(corpus_->n_tokens() + word.shape(0) < 0xFFFF0000u, "there are more tokens than 32 bits can count");
    change.first = checked_first(first, word.shape(0));
    for (const auto& [entries, codes] : recoded) {
      require(entries.shape(0) == codes.shape(0), "one code per entry");
      require_below(entries, n_entries[corpus_->column_of(change.recoded.size())], "an entry is out of range");
      auto& own = change.recoded.emplace_back();
      for (std::size_t i = 0; i < entries.shape(0); ++i) own.push_back({entries.data()[i], codes.data()[i]});
    }
    const auto& [tokens, words] = moved;
    require(tokens.shape(0) == words.shape(0), "one word per token");
    require_below(tokens, corpus_->n_tokens(), "a token is out of range");
    require_below(words, n_entries[0], "a word is out of range");
    for (std::size_t i = 0; i < tokens.shape(0); ++i) change.moved.push_back({tokens.data()[i], words.data()[i]});
    const auto& [rare_words, flags] = rare;
    require(rare_words.shape(0) == flags.shape(0), "one flag per word");
    require_below(rare_words, n_entries[0], "a word is out of range");
    for (std::size_t i = 0; i < flags.shape(0); ++i)
      change.rare.push_back({rare_words.data()[i], flags.data()[i] != 0});
    change.n_entries = n_entries_ = n_entries;
    return change;
  }

  static void check_places(const Numbers32& places, std::size_t n_sentences) {
    require(places.shape(0) == n_sentences, "every sentence has a place");
  }

  std::size_t n_tags_;
  std::vector<std::size_t> n_entries_;
  std::unique_ptr<LiveCorpus> corpus_;
  std::vector<FirstMet> met_;  // by window, if it is kept
};

class LiveCommitteeOfArrays : public LiveCorpusOfArrays {
 public:
  LiveCommitteeOfArrays(const Numbers32& word, const std::vector<Numbers32>& columns, const Numbers32& tags,
                        const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& is_rare,
                        const std::vector<BaseOfArrays>& bases, const std::vector<WindowOfLevels>& windows,
                        std::size_t n_tags, const std::vector<std::size_t>& n_entries,
                        const std::vector<std::tuple<const ContextTreeOfArrays*, bool>>& trees)
      : LiveCorpusOfArrays(word, columns, tags, first, is_rare, bases, windows, n_tags, n_entries) {
    require(trees.size() == windows.size(), "every memory has a window and a tree");
    std::vector<LiveTree> live;
    for (const auto& [tree, splits_pure] : trees) {
      require(tree->n_tags() == n_tags, "the memories of a committee have the same tags");
      const std::size_t n_levels = corpus_->windows()[live.size()].levels.size();
      live.emplace_back(tree->view(), tree->n_nodes(), n_levels, splits_pure);
    }
    live_ = std::make_unique<LiveCommittee>(*corpus_, std::move(live));
    for (const LiveTree& tree : live_->trees()) trees_.emplace_back(tree, n_tags);
  }

  void apply(const Numbers32& removed, const Numbers32& word, const std::vector<Numbers32>& columns,
             const Numbers32& tags, const Vector<std::uint64_t>& first, const std::vector<Recoded>& recoded,
             const Recoded& moved, const RareWords& rare, const std::vector<std::size_t>& n_entries) {
    const LiveChange change = checked_change(removed, word, columns, tags, first, recoded, moved, rare, n_entries);
    nb::gil_scoped_release unlocked;
    live_->apply(change);
  }

  const TreeOfLive& tree(std::size_t memory) const {
    require(memory < trees_.size(), "there is no such memory");
    return trees_[memory];
  }

  std::size_t n_nodes() const {
    std::size_t n = 0;
    for (const LiveTree& tree : live_->trees()) n += tree.n_nodes();
    return n;
  }

 private:
  std::unique_ptr<LiveCommittee> live_;
  std::vector<TreeOfLive> trees_;
};

std::vector<std::pair<std::uint32_t, std::uint32_t>> counts_at(const TreeOfLive& tree, std::size_t node) {
  require(node < tree.tree().n_nodes(), "there is no such node");
  const ContextTreeView view = tree.view();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts;
  for (auto i = view.nodes[node].first_count; i < view.nodes[node].end_count; ++i)
    counts.push_back({view.counts[i].tag, view.counts[i].count});
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
  nb::class_<LiveCorpusOfArrays>(m, "LiveCorpus")
      .def(nb::init<const Numbers32&, const std::vector<Numbers32>&, const Numbers32&, const Vector<std::uint64_t>&,
                    const Vector<std::uint8_t>&, const std::vector<BaseOfArrays>&, const std::vector<WindowOfLevels>&,
                    std::size_t, const std::vector<std::size_t>&>(),
           nb::arg("word"), nb::arg("columns"), nb::arg("tags"), nb::arg("first"), nb::arg("is_rare"), nb::arg("bases"),
           nb::arg("windows"), nb::arg("n_tags"), nb::arg("n_entries"))
      .def("apply", &LiveCorpusOfArrays::apply, nb::arg("removed"), nb::arg("word"), nb::arg("columns"),
           nb::arg("tags"), nb::arg("first"), nb::arg("recoded"), nb::arg("moved"), nb::arg("rare"),
           nb::arg("n_entries"), nb::arg("places") = nb::none())
      .def("keep_first", &LiveCorpusOfArrays::keep_first, nb::arg("places"))
      .def("first_met", &LiveCorpusOfArrays::first_met, nb::arg("window"), nb::arg("level"))
      .def("matching", &LiveCorpusOfArrays::matching, nb::arg("window"), nb::arg("levels"), nb::arg("values"))
      .def("tokens_of", &LiveCorpusOfArrays::tokens_of, nb::arg("word"))
      .def("tokens_looked_up_as", &LiveCorpusOfArrays::tokens_looked_up_as, nb::arg("word"))
      .def("about", &LiveCorpusOfArrays::about, nb::arg("tokens"))
      .def("first_word", &LiveCorpusOfArrays::first_word, nb::arg("sentence"))
      .def_prop_ro("n_tokens", &LiveCorpusOfArrays::n_tokens);
  nb::class_<LiveCommitteeOfArrays, LiveCorpusOfArrays>(m, "LiveCommittee")
      .def(nb::init<const Numbers32&, const std::vector<Numbers32>&, const Numbers32&, const Vector<std::uint64_t>&,
                    const Vector<std::uint8_t>&, const std::vector<BaseOfArrays>&, const std::vector<WindowOfLevels>&,
                    std::size_t, const std::vector<std::size_t>&,
                    const std::vector<std::tuple<const ContextTreeOfArrays*, bool>>&>(),
           nb::arg("word"), nb::arg("columns"), nb::arg("tags"), nb::arg("first"), nb::arg("is_rare"), nb::arg("bases"),
           nb::arg("windows"), nb::arg("n_tags"), nb::arg("n_entries"), nb::arg("trees"))
      .def("apply", &LiveCommitteeOfArrays::apply, nb::arg("removed"), nb::arg("word"), nb::arg("columns"),
           nb::arg("tags"), nb::arg("first"), nb::arg("recoded"), nb::arg("moved"), nb::arg("rare"),
           nb::arg("n_entries"))
      .def("tree", &LiveCommitteeOfArrays::tree, nb::arg("memory"), nb::rv_policy::reference_internal)
      .def_prop_ro("n_nodes", &LiveCommitteeOfArrays::n_nodes);
}
