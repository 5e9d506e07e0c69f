// Tagging, for Python: by case bases that answer one question at a time, and by committees of memories.
#include "core/tagging/tagging.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/context_trees.hpp"
#include "bindings/search.hpp"
#include "core/tagging/committee_tagger.hpp"
#include "core/tagging/context_stream.hpp"

using namespace casebase;

namespace {

struct TreeOfArrays {
  Vector<std::uint32_t> first_child, value;
  Vector<Label> label;
  Vector<std::uint64_t> first_count;
  Vector<Label> count_label;
  Vector<double> count;
};

TreeView checked_tree(const TreeOfArrays& tree, std::size_t n_classes) {
  const std::size_t n_nodes = tree.value.shape(0), n_counts = tree.count.shape(0);
  const char* message = "not the arrays of a tree";
  require(n_nodes > 0 && tree.first_child.shape(0) == n_nodes + 1 && tree.first_child.data()[n_nodes] == n_nodes &&
              tree.label.shape(0) == n_nodes && tree.first_count.shape(0) == n_nodes + 1 &&
              tree.count_label.shape(0) == n_counts && tree.first_count.data()[n_nodes] == n_counts,
          message);
  for (std::size_t node = 0; node < n_nodes; ++node)  // children come after their parents: every walk ends
    require(
        node < tree.first_child.data()[node] && tree.first_child.data()[node] <= tree.first_child.data()[node + 1] &&
            tree.first_count.data()[node] <= tree.first_count.data()[node + 1] && tree.label.data()[node] < n_classes,
        message);
  for (std::size_t i = 0; i < n_counts; ++i) require(tree.count_label.data()[i] < n_classes, "a label is out of range");
  return {tree.first_child.data(), tree.value.data(),       tree.label.data(),
          tree.first_count.data(), tree.count_label.data(), tree.count.data()};
}

Vote vote_named(const std::string& name) {
  if (name == "equal") return Vote::equal;
  if (name == "inverse_distance") return Vote::inverse_distance;
  if (name == "inverse_linear") return Vote::inverse_linear;
  if (name == "exponential") return Vote::exponential;
  require(name == "exponential_above_zero", "an unknown vote");
  return Vote::exponential_above_zero;
}

// Stored cases in the form that Python passes: a search, a metric, classes and counts by segment, and voting rules.
struct CasesOfArrays {
  const Search* search;
  Vector<double> weights, ranges;
  Vector<std::uint32_t> sum_order;
  std::vector<std::tuple<Vector<Label>, Numbers>> segments;
  std::size_t n_cases, k;
  std::string exact, vote;
  bool retries_exact;
  double alpha, beta;
};

StoredCases checked_cases(const CasesOfArrays& arrays, std::size_t n_classes) {
  const Memory& memory = arrays.search->memory();
  const std::size_t n = memory.n_features;
  require(memory.n_symbolic == n, "questions that follow from answers are asked in codes, not in numbers");
  require(arrays.weights.shape(0) == n && arrays.ranges.shape(0) == n && arrays.sum_order.shape(0) == n,
          "weights, ranges and the order of summation must have one number per feature");
  for (std::size_t f = 0; f < n; ++f) {
    require(std::isfinite(arrays.weights.data()[f]) && arrays.weights.data()[f] >= 0.0,
            "weights must be finite and not negative");
    require(arrays.sum_order.data()[f] < n, "the order of summation names a feature that is not there");
    require(arrays.search->comparisons().features[f].kind != Comparison::Kind::text,
            "questions that follow from answers cannot be compared by their letters");
  }
  require(arrays.k >= 1 && arrays.n_cases >= 1, "k and the number of cases must be at least 1");
  require(arrays.segments.size() == memory.segments.size(), "one list of classes per segment");
  StoredCases cases{
      &arrays.search->searches(),
      &arrays.search->comparisons(),
      {arrays.weights.data(), arrays.ranges.data(), arrays.sum_order.data()},
      {},
      arrays.n_cases,
      {arrays.k, exact_named(arrays.exact), arrays.retries_exact, vote_named(arrays.vote), arrays.alpha, arrays.beta}};
  for (std::size_t s = 0; s < memory.segments.size(); ++s) {
    const auto& [labels, counts] = arrays.segments[s];
    const std::size_t n_rows = memory.segments[s].n_rows;
    require(labels.shape(0) == n_rows, "one class per stored case");
    for (std::size_t i = 0; i < n_rows; ++i) require(labels.data()[i] < n_classes, "a label is out of range");
    cases.labelled.segments.push_back({memory.segments[s].first_row, labels.data(), optional_data(counts, n_rows)});
  }
  return cases;
}

// A case base that keeps the arrays that it was built from.
class CaseBaseOfArrays {
 public:
  CaseBaseOfArrays(std::size_t n_features, std::optional<TreeOfArrays> tree, std::size_t n_levels,
                   std::optional<CasesOfArrays> cases, nb::object search, Vector<double> frequency,
                   Vector<std::uint32_t> rank)
      : tree_(std::move(tree)),
        cases_(std::move(cases)),
        search_(std::move(search)),
        frequency_(std::move(frequency)),
        rank_(std::move(rank)) {
    require(tree_ || cases_, "a case base has a tree, or cases, or both");
    require(n_levels <= n_features && (tree_ || n_levels == 0), "a tree has at most as many levels as features");
    base_ = {n_features, std::nullopt, n_levels, std::nullopt, as_preference(frequency_, rank_), rank_.shape(0)};
    if (tree_) base_.tree = checked_tree(*tree_, base_.n_classes);
    if (cases_) {
      base_.cases = checked_cases(*cases_, base_.n_classes);
      require(cases_->search->memory().n_features == n_features, "cases must have one column per feature");
    }
  }

  const CaseBase& base() const { return base_; }

  // The number of codes of a feature, if questions must not have others.
  std::size_t n_values(std::size_t f) const {
    if (!cases_) return kNeverSeen;
    const Comparison& comparison = cases_->search->comparisons().features[f];
    return comparison.is_graded() ? comparison.n_values() : kNeverSeen;
  }

 private:
  std::optional<TreeOfArrays> tree_;
  std::optional<CasesOfArrays> cases_;
  nb::object search_;
  Vector<double> frequency_;
  Vector<std::uint32_t> rank_;
  CaseBase base_;
};

using Entries = std::optional<Vector<std::uint32_t>>;
using Asked = std::tuple<const CaseBaseOfArrays*, std::vector<std::tuple<Entries, std::ptrdiff_t, AnyVector>>,
                         Vector<std::uint32_t>>;

std::vector<WordBase> word_bases(const std::vector<Asked>& asked, std::size_t n_tokens, std::size_t n_tags) {
  std::vector<WordBase> bases;
  for (const auto& [base, features, tag_of_class] : asked) {
    require(features.size() == base->base().n_features, "one source per feature");
    require(tag_of_class.shape(0) == base->base().n_classes, "one tag per class");
    for (std::size_t c = 0; c < tag_of_class.shape(0); ++c)
      require(tag_of_class.data()[c] < n_tags, "a tag is out of range");
    WordBase word_base{base->base(), {}, tag_of_class.data()};
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto& [entries, offset, codes] = features[f];
      const Column column = as_column(codes);
      const std::size_t n_codes = codes.shape(0);
      require(!column.is_numeric() && n_codes > 0, "a feature has codes, the last one for places outside");
      for (std::size_t i = 0; i < n_codes; ++i)
        require(column.code(i) == kNeverSeen || column.code(i) < base->n_values(f), "a code is out of range");
      if (entries) {
        require(entries->shape(0) == n_tokens, "one entry per token");
        for (std::size_t i = 0; i < n_tokens; ++i)
          require(entries->data()[i] + std::size_t{1} < n_codes, "an entry is out of range");
      } else {
        require(offset < 0 && n_codes == n_tags + 1, "tags are known to the left, and each has a code");
      }
      word_base.features.push_back({entries ? entries->data() : nullptr, offset, column, n_codes});
    }
    bases.push_back(std::move(word_base));
  }
  return bases;
}

auto tag_text_py(const std::vector<Asked>& asked, const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& which,
                 std::size_t n_tags, std::size_t beam, unsigned n_threads) {
  const std::size_t n_tokens = which.shape(0);
  require(beam >= 1, "a beam has at least one path");
  require(first.shape(0) > 0 && first.data()[0] == 0 && first.data()[first.shape(0) - 1] == n_tokens,
          "sentences and tokens do not fit");
  for (std::size_t s = 0; s + 1 < first.shape(0); ++s)
    require(first.data()[s] <= first.data()[s + 1], "sentences must follow each other");
  for (std::size_t i = 0; i < n_tokens; ++i) require(which.data()[i] < asked.size(), "there is no such case base");
  const std::vector<WordBase> bases = word_bases(asked, n_tokens, n_tags);
  const TaggedText text{first.data(), first.shape(0) - 1, which.data()};
  std::vector<std::uint32_t> tags;
  {
    nb::gil_scoped_release unlocked;
    tags = tag_text(bases, text, beam, n_threads);
  }
  return to_numpy(std::move(tags));
}

using Levels =
    std::vector<std::tuple<std::optional<Numbers32>, std::optional<Numbers32>, std::ptrdiff_t, std::uint32_t>>;
using Lesson = std::tuple<Levels, Numbers32>;
using Memories =
    std::tuple<std::vector<std::tuple<const AskedTree*, Levels, std::vector<double>>>, double, double, double>;
using Early = std::tuple<Memories, double>;  // and the share of a tag from which they decide
using Words = std::tuple<Vector<std::uint64_t>, Numbers32, Numbers32, Numbers32, double, double, std::uint32_t, double,
                         Vector<double>>;

std::vector<ContextFeature> checked_levels(const Levels& levels, std::size_t n_tokens, std::size_t n_tags) {
  std::vector<ContextFeature> features;
  for (const auto& [codes, tag_codes, offset, outside] : levels) {
    require(codes || tag_codes, "a level has codes by token, or by tag, or both");
    require(!codes || codes->shape(0) == n_tokens, "one code per token");
    require(!tag_codes || (tag_codes->shape(0) == n_tags && offset < 0),
            "tags are known to the left, and each has a code");
    features.push_back({codes ? codes->data() : nullptr, tag_codes ? tag_codes->data() : nullptr, offset, outside});
  }
  return features;
}

Caution checked_caution(double constant, double per_tag) {
  require(std::isfinite(constant) && constant > 0.0 && std::isfinite(per_tag) && per_tag >= 0.0,
          "caution is a number above 0, and one of at least 0 for each tag");
  return {constant, per_tag};
}

MemoryGroup checked_group(const Memories& given, std::size_t n_tokens, std::size_t n_tags) {
  const auto& [memories, constant, per_tag, start] = given;
  require(std::isfinite(start), "the weight of a word itself must be finite");
  MemoryGroup group{{}, checked_caution(constant, per_tag), start};
  for (const auto& [tree, levels, weights] : memories) {
    require(weights.size() == levels.size(), "one weight per level of a memory");
    for (const double weight : weights) require(std::isfinite(weight), "the weights of a memory must be finite");
    require(tree->n_tags() == n_tags, "the memories of a committee have the same tags");
    tree->expect(n_tokens);
    group.memories.push_back({tree->view(), checked_levels(levels, n_tokens, n_tags), weights});
  }
  return group;
}

std::size_t checked_sentences(const Vector<std::uint64_t>& first, std::size_t n_tokens) {
  require(first.shape(0) > 0, "sentences and tokens do not fit");
  require_offsets(first, first.shape(0) - 1, n_tokens, "sentences and tokens do not fit");
  return first.shape(0) - 1;
}

// A checked committee and text; both are views of arrays that must stay alive.
struct AskedCommittee {
  Committee committee;
  CommitteeText text;

  AskedCommittee(const Memories& form, const Memories& known, const Memories& unknown, const Early& early,
                 const Words& words, const Vector<std::uint64_t>& first, const Numbers32& word,
                 const Vector<std::int32_t>& lexical, bool is_form_of_word, KeptCandidates* kept = nullptr) {
    const auto& [first_tag, tags, counts, frequency, constant, per_tag, certain_from, least_share, share] = words;
    const std::size_t n_tokens = word.shape(0), n_tags = share.shape(0), n_lexical = frequency.shape(0);
    require(n_tags > 0, "there are no tags");
    const auto& [early_memories, early_share] = early;
    require(early_share > 0.0 && early_share <= 1.0, "the share that decides early is above 0, and at most 1");
    require_offsets(first_tag, n_lexical, tags.shape(0), "the tags of words are not those of a lexicon");
    require_below(tags, n_tags, "a tag is out of range");
    require(counts.shape(0) == tags.shape(0), "one count per tag of a word");
    for (std::size_t w = 0; w < n_lexical; ++w)
      require(first_tag.data()[w] < first_tag.data()[w + 1], "a word of the lexicon has no tag");
    for (std::size_t t = 0; t < n_tags; ++t)
      require(std::isfinite(share.data()[t]) && share.data()[t] > 0.0, "the share of every tag is a number above 0");
    require_below(word, lexical.shape(0), "a word is out of range");
    for (std::size_t w = 0; w < lexical.shape(0); ++w)
      require(lexical.data()[w] < 0 || static_cast<std::size_t>(lexical.data()[w]) < n_lexical,
              "a word of the lexicon is out of range");
    committee = {checked_group(form, n_tokens, n_tags),
                 checked_group(known, n_tokens, n_tags),
                 checked_group(unknown, n_tokens, n_tags),
                 checked_group(early_memories, n_tokens, n_tags),
                 early_share,
                 {first_tag.data(), tags.data(), counts.data(), frequency.data(), checked_caution(constant, per_tag),
                  certain_from, least_share, share.data(), n_tags},
                 is_form_of_word,
                 kept};
    require(kept == nullptr || kept->n_words() == n_lexical, "candidates are kept for the words of the lexicon");
    for (const ContextMemory& memory : committee.form.memories)
      for (const ContextFeature& feature : memory.levels) {
        require(feature.tag_codes == nullptr, "which tags a word may have does not depend on other tags");
        committee.is_form_of_word &= feature.offset == 0;
      }
    text = {first.data(), checked_sentences(first, n_tokens), word.data(), lexical.data(), lexical.shape(0)};
  }
};

nb::tuple tree_arrays(ContextTree&& tree) {
  return nb::make_tuple(to_numpy(std::move(tree.first_child)), to_numpy(std::move(tree.value)),
                        to_numpy(std::move(tree.first_count)), to_numpy(std::move(tree.count_tag)),
                        to_numpy(std::move(tree.count)));
}

auto grow_contexts_py(const std::vector<Lesson>& lessons, const Vector<std::uint64_t>& first, const Numbers32& tags,
                      std::size_t n_tags, bool splits_pure, unsigned n_threads) {
  const std::size_t n_tokens = tags.shape(0);
  require(n_tokens < 0xFFFF0000u, "there are more tokens than 32 bits can count");
  require_below(tags, n_tags, "a tag is out of range");
  const TaggedCorpus corpus{first.data(), checked_sentences(first, n_tokens), tags.data(), n_tags};
  std::vector<ContextLesson> given;
  for (const auto& [levels, tokens] : lessons) {
    require_below(tokens, n_tokens, "a token is out of range");
    require(std::is_sorted(tokens.data(), tokens.data() + tokens.shape(0)), "tokens must be in rising order");
    given.push_back({checked_levels(levels, n_tokens, n_tags), {tokens.data(), tokens.data() + tokens.shape(0)}});
  }
  std::vector<ContextTree> trees;
  {
    nb::gil_scoped_release unlocked;
    trees = grow_contexts(given, corpus, splits_pure, n_threads);
  }
  nb::list grown;
  for (ContextTree& tree : trees) grown.append(tree_arrays(std::move(tree)));
  return grown;
}

// A stream that is checked block by block, and can be finished once.
class CheckedContextStream {
 public:
  CheckedContextStream(std::size_t n_levels, std::size_t n_tags, bool splits_pure)
      : stream_(n_levels, n_tags, splits_pure) {}

  void add(const std::vector<Numbers32>& columns, const Numbers32& tags, const Numbers32& times) {
    require(!is_finished_, "the tree is finished");
    require(columns.size() == stream_.n_levels(), "a level needs a column of codes");
    require(times.shape(0) == tags.shape(0), "one number of times per row");
    std::vector<const std::uint32_t*> levels;
    for (const Numbers32& column : columns) {
      require(column.shape(0) == tags.shape(0), "one code per row");
      levels.push_back(column.data());
    }
    nb::gil_scoped_release unlocked;
    require_below(tags, stream_.n_tags(), "a tag is out of range");
    for (std::size_t i = 0; i < times.shape(0); ++i) {
      require(times.data()[i] > 0, "a context was seen at least once");
      n_seen_ += times.data()[i];
    }
    require(n_seen_ < 0xFFFF0000u, "there are more tokens than 32 bits can count");
    stream_.add(levels, tags.data(), times.data(), tags.shape(0));
  }

  nb::tuple finish() {
    require(!is_finished_, "the tree is finished");
    is_finished_ = true;
    ContextTree tree;
    {
      nb::gil_scoped_release unlocked;
      tree = stream_.finish();
    }
    return tree_arrays(std::move(tree));
  }

 private:
  ContextStream stream_;
  std::uint64_t n_seen_ = 0;
  bool is_finished_ = false;
};

auto tag_by_committee_py(const Memories& form, const Memories& known, const Memories& unknown, const Early& early,
                         const Words& words, const Vector<std::uint64_t>& first, const Numbers32& word,
                         const Vector<std::int32_t>& lexical, bool form_of_word, KeptCandidates& kept, std::size_t beam,
                         unsigned n_threads) {
  require(beam >= 1, "a beam has at least one path");
  const AskedCommittee asked(form, known, unknown, early, words, first, word, lexical, form_of_word, &kept);
  std::vector<std::uint32_t> tags;
  {
    nb::gil_scoped_release unlocked;
    tags = tag_by_committee(asked.committee, asked.text, beam, n_threads);
  }
  return to_numpy(std::move(tags));
}

auto committee_doubts_py(const Memories& form, const Memories& known, const Memories& unknown, const Early& early,
                         const Words& words, const Vector<std::uint64_t>& first, const Numbers32& word,
                         const Vector<std::int32_t>& lexical, bool form_of_word, KeptCandidates& kept,
                         const Numbers32& tags, unsigned n_threads) {
  const AskedCommittee asked(form, known, unknown, early, words, first, word, lexical, form_of_word, &kept);
  require(tags.shape(0) == word.shape(0), "one tag per token");
  require_below(tags, asked.committee.words.n_tags, "a tag is out of range");
  std::vector<double> doubts;
  {
    nb::gil_scoped_release unlocked;
    doubts = committee_doubts(asked.committee, asked.text, tags.data(), n_threads);
  }
  return to_numpy(std::move(doubts));
}

auto committee_terms_py(const Memories& form, const Memories& known, const Memories& unknown, const Early& early,
                        const Words& words, const Vector<std::uint64_t>& first, const Numbers32& word,
                        const Vector<std::int32_t>& lexical, bool form_of_word, const Numbers32& tags,
                        bool of_unknown) {
  const AskedCommittee asked(form, known, unknown, early, words, first, word, lexical, form_of_word);
  require(tags.shape(0) == word.shape(0), "one tag per token");
  require_below(tags, asked.committee.words.n_tags, "a tag is out of range");
  CommitteeTerms found;
  {
    nb::gil_scoped_release unlocked;
    found = committee_terms(asked.committee, asked.text, tags.data(), of_unknown);
  }
  return nb::make_tuple(to_numpy(std::move(found.token)), to_numpy(std::move(found.tag)),
                        to_numpy(std::move(found.terms)));
}

auto committee_opinion_py(const Memories& form, const Memories& known, const Memories& unknown, const Early& early,
                          const Words& words, const Vector<std::uint64_t>& first, const Numbers32& word,
                          const Vector<std::int32_t>& lexical, const Numbers32& tags, std::size_t token) {
  const AskedCommittee asked(form, known, unknown, early, words, first, word, lexical, false);
  require(tags.shape(0) == word.shape(0) && token < word.shape(0), "one tag per token");
  require_below(tags, asked.committee.words.n_tags, "a tag is out of range");
  const std::uint64_t* end = std::upper_bound(first.data(), first.data() + first.shape(0), token);
  CommitteeOpinion opinion =
      CommitteeTagger(asked.committee, asked.text, 1).opinion(token, *(end - 1), *end, tags.data());
  return std::make_tuple(opinion.is_early, std::move(opinion.tags), std::move(opinion.scores),
                         std::move(opinion.of_word), std::move(opinion.added), std::move(opinion.nodes));
}

}  // namespace

void bind_tagging(nb::module_& m) {
  nb::class_<TreeOfArrays>(m, "TreeOfArrays")
      .def(nb::init<Vector<std::uint32_t>, Vector<std::uint32_t>, Vector<Label>, Vector<std::uint64_t>, Vector<Label>,
                    Vector<double>>(),
           nb::arg("first_child"), nb::arg("value"), nb::arg("label"), nb::arg("first_count"), nb::arg("count_label"),
           nb::arg("count"));
  nb::class_<CasesOfArrays>(m, "CasesOfArrays")
      .def(nb::init<const Search*, Vector<double>, Vector<double>, Vector<std::uint32_t>,
                    std::vector<std::tuple<Vector<Label>, Numbers>>, std::size_t, std::size_t, std::string, std::string,
                    bool, double, double>(),
           nb::keep_alive<1, 2>(), nb::arg("search"), nb::arg("weights"), nb::arg("ranges"), nb::arg("sum_order"),
           nb::arg("segments"), nb::arg("n_cases"), nb::arg("k"), nb::arg("exact"), nb::arg("vote"),
           nb::arg("retries_exact"), nb::arg("alpha"), nb::arg("beta"));
  nb::class_<CaseBaseOfArrays>(m, "CaseBase")
      .def(nb::init<std::size_t, std::optional<TreeOfArrays>, std::size_t, std::optional<CasesOfArrays>, nb::object,
                    Vector<double>, Vector<std::uint32_t>>(),
           nb::arg("n_features"), nb::arg("tree").none(), nb::arg("n_levels"), nb::arg("cases").none(),
           nb::arg("search").none(), nb::arg("frequency"), nb::arg("rank"));
  m.def("tag_text", &tag_text_py, nb::arg("asked"), nb::arg("first"), nb::arg("which"), nb::arg("n_tags"),
        nb::arg("beam"), nb::arg("n_threads"));
  nb::class_<AskedTree>(m, "AskedTree");
  nb::class_<ContextTreeOfArrays, AskedTree>(m, "ContextTree")
      .def(nb::init<Numbers32, Numbers32, Numbers32, Numbers32, Numbers32, std::size_t>(), nb::arg("first_child"),
           nb::arg("value"), nb::arg("first_count"), nb::arg("count_tag"), nb::arg("count"), nb::arg("n_tags"));
  nb::class_<KeptCandidates>(m, "KeptCandidates").def(nb::init<std::size_t>(), nb::arg("n_words"));
  nb::class_<CheckedContextStream>(m, "ContextStream")
      .def(nb::init<std::size_t, std::size_t, bool>(), nb::arg("n_levels"), nb::arg("n_tags"), nb::arg("splits_pure"))
      .def("add", &CheckedContextStream::add, nb::arg("columns"), nb::arg("tags"), nb::arg("times"))
      .def("finish", &CheckedContextStream::finish);
  m.def("grow_contexts", &grow_contexts_py, nb::arg("lessons"), nb::arg("first"), nb::arg("tags"), nb::arg("n_tags"),
        nb::arg("splits_pure"), nb::arg("n_threads"));
  m.def("tag_by_committee", &tag_by_committee_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"),
        nb::arg("early"), nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"),
        nb::arg("form_of_word"), nb::arg("kept"), nb::arg("beam"), nb::arg("n_threads"));
  m.def("committee_terms", &committee_terms_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"), nb::arg("early"),
        nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"), nb::arg("form_of_word"),
        nb::arg("tags"), nb::arg("of_unknown"));
  m.def("committee_doubts", &committee_doubts_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"),
        nb::arg("early"), nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"),
        nb::arg("form_of_word"), nb::arg("kept"), nb::arg("tags"), nb::arg("n_threads"));
  m.def("committee_opinion", &committee_opinion_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"),
        nb::arg("early"), nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"), nb::arg("tags"),
        nb::arg("token"));
}
