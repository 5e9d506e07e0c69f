// The spelling of words, for Python: texts are bytes in UTF-8, one after the other, and offsets.
#include "core/tagging/spelling.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "bindings/arrays.hpp"

using namespace casebase;

namespace {

using Bytes = Vector<std::uint8_t>;
using Offsets = Vector<std::int32_t>;

TextsView as_texts(const Bytes& bytes, const Offsets& offsets) {
  const std::size_t n = offsets.shape(0);
  require(n > 0, "texts have offsets");
  for (std::size_t i = 0; i < n; ++i)
    require((i ? offsets.data()[i - 1] : 0) <= offsets.data()[i] &&
                static_cast<std::size_t>(offsets.data()[i]) <= bytes.shape(0),
            "the texts are not among the bytes");
  return {reinterpret_cast<const char*>(bytes.data()), offsets.data(), n - 1};
}

SpellingKind kind_named(const std::string& name) {
  constexpr std::pair<const char*, SpellingKind> kKinds[] = {
      {"word", SpellingKind::itself},         {"lower", SpellingKind::lower}, {"prefix", SpellingKind::prefix},
      {"suffix", SpellingKind::suffix},       {"shape", SpellingKind::shape}, {"length", SpellingKind::length},
      {"capital", SpellingKind::capital},     {"stem", SpellingKind::stem},   {"lastpart", SpellingKind::last_part},
      {"othercase", SpellingKind::other_case}};
  for (const auto& [known, kind] : kKinds)
    if (name == known) return kind;
  throw nb::value_error("there is no such kind of spelling");
}

// An index that keeps the texts that it was made from.
class IndexedTexts {
 public:
  IndexedTexts(Bytes bytes, Offsets offsets)
      : bytes_(std::move(bytes)), offsets_(std::move(offsets)), index_(as_texts(bytes_, offsets_)) {}

  const TextIndex& index() const { return index_; }
  std::size_t size() const { return offsets_.shape(0) - 1; }

 private:
  Bytes bytes_;
  Offsets offsets_;
  TextIndex index_;
};

auto find_texts(const IndexedTexts& index, const Bytes& bytes, const Offsets& offsets) {
  const TextsView texts = as_texts(bytes, offsets);
  std::vector<std::int64_t> found(texts.n);
  for (std::size_t i = 0; i < texts.n; ++i) {
    const std::uint32_t number = index.index().find(texts[i]);
    found[i] = number == TextIndex::kNone ? -1 : static_cast<std::int64_t>(number);
  }
  return to_numpy(std::move(found));
}

// A lexicon and the classes of its words, to describe other words by.
class SpellingOfArrays {
 public:
  SpellingOfArrays(const IndexedTexts& lexicon, Vector<std::int64_t> class_of, Bytes bytes, Offsets offsets)
      : class_of_(std::move(class_of)),
        bytes_(std::move(bytes)),
        offsets_(std::move(offsets)),
        lexicon_{&lexicon.index(), class_of_.data(), as_texts(bytes_, offsets_)} {
    require(class_of_.shape(0) >= lexicon.size(), "every word of a lexicon has a class");
    for (std::size_t i = 0; i < class_of_.shape(0); ++i)
      require(class_of_.data()[i] >= 0 && static_cast<std::size_t>(class_of_.data()[i]) < lexicon_.classes.n,
              "a class is out of range");
  }

  auto codes(const std::string& kind, std::size_t n, const IndexedTexts& vocabulary, const Bytes& bytes,
             const Offsets& offsets, std::uint32_t unknown, std::uint32_t not_asked) const {
    Spelling spelling(kind_named(kind), n, lexicon_);
    return to_numpy(spelling_codes(spelling, as_texts(bytes, offsets), vocabulary.index(), unknown, not_asked));
  }

 private:
  Vector<std::int64_t> class_of_;
  Bytes bytes_;
  Offsets offsets_;
  ClassedWords lexicon_;
};

}  // namespace

void bind_spelling(nb::module_& m) {
  nb::class_<IndexedTexts>(m, "TextIndex")
      .def(nb::init<Bytes, Offsets>(), nb::arg("bytes"), nb::arg("offsets"))
      .def("find", &find_texts, nb::arg("bytes"), nb::arg("offsets"));
  nb::class_<SpellingOfArrays>(m, "Spelling")
      .def(nb::init<const IndexedTexts&, Vector<std::int64_t>, Bytes, Offsets>(), nb::keep_alive<1, 2>(),
           nb::arg("lexicon"), nb::arg("class_of"), nb::arg("bytes"), nb::arg("offsets"))
      .def("codes", &SpellingOfArrays::codes, nb::arg("kind"), nb::arg("n"), nb::arg("vocabulary"), nb::arg("bytes"),
           nb::arg("offsets"), nb::arg("unknown"), nb::arg("not_asked"));
}
