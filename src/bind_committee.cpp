// Committees of memories for Python: grown from a corpus, asked about text.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/committee.hpp"

using namespace casebase;

namespace {

using Numbers32 = Vector<std::uint32_t>;

void require_below(const Numbers32& numbers, std::size_t end, const char* message) {
  const std::uint32_t* data = numbers.data();
  for (std::size_t i = 0; i < numbers.shape(0); ++i) require(data[i] < end, message);
}

template <class T>
void require_offsets(const Vector<T>& offsets, std::size_t n, std::size_t end, const char* message) {
  require(offsets.shape(0) == n + 1 && offsets.data()[0] == 0 && offsets.data()[n] == end, message);
  for (std::size_t i = 0; i < n; ++i) require(offsets.data()[i] <= offsets.data()[i + 1], message);
}

// A tree that was checked once, and keeps the arrays that it was made from.
class ContextTreeOfArrays {
 public:
  ContextTreeOfArrays(Numbers32 first_child, Numbers32 value, Numbers32 first_count, Numbers32 count_tag,
                      Numbers32 count, std::size_t n_tags)
      : first_child_(std::move(first_child)),
        value_(std::move(value)),
        first_count_(std::move(first_count)),
        count_tag_(std::move(count_tag)),
        count_(std::move(count)),
        n_tags_(n_tags) {
    const char* message = "not the arrays of a tree of contexts";
    const std::size_t n_nodes = value_.shape(0);
    require(n_nodes > 0 && first_child_.shape(0) == n_nodes + 1 && first_child_.data()[n_nodes] == n_nodes &&
                count_tag_.shape(0) == count_.shape(0),
            message);
    for (std::size_t node = 0; node < n_nodes; ++node)  // children stand behind their parents: no walk leaves or loops
      require(node < first_child_.data()[node] && first_child_.data()[node] <= first_child_.data()[node + 1], message);
    require_offsets(first_count_, n_nodes, count_.shape(0), message);
    require_below(count_tag_, n_tags, "a tag is out of range");
  }

  std::size_t n_tags() const { return n_tags_; }
  ContextTreeView view() const {
    return {first_child_.data(), value_.data(), first_count_.data(), count_tag_.data(), count_.data()};
  }

 private:
  Numbers32 first_child_, value_, first_count_, count_tag_, count_;
  std::size_t n_tags_;
};

using Levels =
    std::vector<std::tuple<std::optional<Numbers32>, std::optional<Numbers32>, std::ptrdiff_t, std::uint32_t>>;
using Lesson = std::tuple<Levels, Numbers32>;
using Memories = std::tuple<std::vector<std::tuple<const ContextTreeOfArrays*, Levels, double>>, double, double>;
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
  const auto& [memories, constant, per_tag] = given;
  MemoryGroup group{{}, checked_caution(constant, per_tag)};
  for (const auto& [tree, levels, weight] : memories) {
    require(std::isfinite(weight), "the weight of a memory must be finite");
    require(tree->n_tags() == n_tags, "the memories of a committee have the same tags");
    group.memories.push_back({tree->view(), checked_levels(levels, n_tokens, n_tags), weight});
  }
  return group;
}

std::size_t checked_sentences(const Vector<std::uint64_t>& first, std::size_t n_tokens) {
  require(first.shape(0) > 0, "sentences and tokens do not fit");
  require_offsets(first, first.shape(0) - 1, n_tokens, "sentences and tokens do not fit");
  return first.shape(0) - 1;
}

// A committee and a text, checked; both see arrays that must stay.
struct Asked {
  Committee committee;
  CommitteeText text;

  Asked(const Memories& form, const Memories& known, const Memories& unknown, const Words& words,
        const Vector<std::uint64_t>& first, const Numbers32& word, const Vector<std::int32_t>& lexical,
        bool is_form_of_word) {
    const auto& [first_tag, tags, counts, frequency, constant, per_tag, certain_from, least_share, share] = words;
    const std::size_t n_tokens = word.shape(0), n_tags = share.shape(0), n_lexical = frequency.shape(0);
    require(n_tags > 0, "there are no tags");
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
                 {first_tag.data(), tags.data(), counts.data(), frequency.data(), checked_caution(constant, per_tag),
                  certain_from, least_share, share.data(), n_tags},
                 is_form_of_word};
    for (const ContextMemory& memory : committee.form.memories)
      for (const ContextFeature& feature : memory.levels) {
        require(feature.tag_codes == nullptr, "which tags a word may have does not depend on other tags");
        committee.is_form_of_word &= feature.offset == 0;
      }
    text = {first.data(), checked_sentences(first, n_tokens), word.data(), lexical.data(), lexical.shape(0)};
  }
};

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
  for (ContextTree& tree : trees)
    grown.append(nb::make_tuple(to_numpy(std::move(tree.first_child)), to_numpy(std::move(tree.value)),
                                to_numpy(std::move(tree.first_count)), to_numpy(std::move(tree.count_tag)),
                                to_numpy(std::move(tree.count))));
  return grown;
}

auto tag_by_committee_py(const Memories& form, const Memories& known, const Memories& unknown, const Words& words,
                         const Vector<std::uint64_t>& first, const Numbers32& word, const Vector<std::int32_t>& lexical,
                         bool form_of_word, std::size_t beam, unsigned n_threads) {
  require(beam >= 1, "a beam has at least one path");
  const Asked asked(form, known, unknown, words, first, word, lexical, form_of_word);
  std::vector<std::uint32_t> tags;
  {
    nb::gil_scoped_release unlocked;
    tags = tag_by_committee(asked.committee, asked.text, beam, n_threads);
  }
  return to_numpy(std::move(tags));
}

auto committee_opinion_py(const Memories& form, const Memories& known, const Memories& unknown, const Words& words,
                          const Vector<std::uint64_t>& first, const Numbers32& word,
                          const Vector<std::int32_t>& lexical, const Numbers32& tags, std::size_t token) {
  const Asked asked(form, known, unknown, words, first, word, lexical, false);
  require(tags.shape(0) == word.shape(0) && token < word.shape(0), "one tag per token");
  require_below(tags, asked.committee.words.n_tags, "a tag is out of range");
  const std::uint64_t* end = std::upper_bound(first.data(), first.data() + first.shape(0), token);
  CommitteeOpinion opinion =
      CommitteeTagger(asked.committee, asked.text, 1).opinion(token, *(end - 1), *end, tags.data());
  return std::make_tuple(std::move(opinion.tags), std::move(opinion.scores), std::move(opinion.nodes));
}

}  // namespace

void bind_committee(nb::module_& m) {
  nb::class_<ContextTreeOfArrays>(m, "ContextTree")
      .def(nb::init<Numbers32, Numbers32, Numbers32, Numbers32, Numbers32, std::size_t>(), nb::arg("first_child"),
           nb::arg("value"), nb::arg("first_count"), nb::arg("count_tag"), nb::arg("count"), nb::arg("n_tags"));
  m.def("grow_contexts", &grow_contexts_py, nb::arg("lessons"), nb::arg("first"), nb::arg("tags"), nb::arg("n_tags"),
        nb::arg("splits_pure"), nb::arg("n_threads"));
  m.def("tag_by_committee", &tag_by_committee_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"),
        nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"), nb::arg("form_of_word"),
        nb::arg("beam"), nb::arg("n_threads"));
  m.def("committee_opinion", &committee_opinion_py, nb::arg("form"), nb::arg("known"), nb::arg("unknown"),
        nb::arg("words"), nb::arg("first"), nb::arg("word"), nb::arg("lexical"), nb::arg("tags"), nb::arg("token"));
}
