// Hyphenation patterns, for Python: letters are code points, words are concatenated.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/words.hpp"
#include "core/hyphenation/levels.hpp"
#include "core/hyphenation/patterns.hpp"

using namespace casebase;

namespace {

class Patterns {
 public:
  Patterns(const Letters& text, const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& is_classes,
           const Vector<std::uint32_t>& offset, const Vector<std::uint16_t>& level, const Letters& letters,
           const Letters& classes, bool default_allows, std::size_t left_min, std::size_t right_min)
      : trie_(text.shape(0)), default_allows_(default_allows), margins_{left_min, right_min} {
    const Words pieces = as_words(text, first);
    require(is_classes.shape(0) == pieces.n && offset.shape(0) == pieces.n && level.shape(0) == pieces.n,
            "every pattern has a kind, a place and a level");
    require(letters.shape(0) == classes.shape(0), "every letter has one class");
    require(left_min >= 1 && right_min >= 1, "a break leaves at least one letter on each side");
    for (std::size_t i = 0; i < pieces.n; ++i) {
      const std::size_t n = pieces.first[i + 1] - pieces.first[i];
      require(n > 0 && offset.data()[i] <= n && level.data()[i] > 0, "a pattern has letters, a place in them, a level");
      trie_.add(pieces.text + pieces.first[i], n, is_classes.data()[i] ? PatternTrie::classes : PatternTrie::letters,
                offset.data()[i], level.data()[i]);
    }
    for (std::size_t i = 0; i < letters.shape(0); ++i) trie_.set_class(letters.data()[i], classes.data()[i]);
  }

  auto breaks(const Letters& text, const Vector<std::uint64_t>& first, const Letters& marks, unsigned n_threads) const {
    const Words words = as_words(text, first);
    LetterTable is_mark;
    for (std::size_t i = 0; i < marks.shape(0); ++i) is_mark.set(marks.data()[i], 1);
    std::vector<std::uint8_t> found;
    {
      nb::gil_scoped_release unlocked;
      found = find_breaks(trie_, words, is_mark, default_allows_, margins_, n_threads);
    }
    return to_numpy(std::move(found));
  }

  // The hyphenation points of one ASCII word, without the cost of arrays.
  std::vector<std::size_t> places(const std::string& word) const {
    const std::vector<Letter> text(word.begin(), word.end());
    for (const Letter letter : text) require(letter < 128, "the word must be ASCII");
    std::vector<std::uint8_t> found(text.size(), 0);
    PatternTrie::Tool tool;
    find_breaks_of(trie_, text.data(), text.size(), no_marks_, default_allows_, margins_, tool, found.data());
    std::vector<std::size_t> at;
    for (std::size_t p = 0; p < found.size(); ++p)
      if (found[p]) at.push_back(p);
    return at;
  }

  nb::tuple occurrences(const Letters& text, const Vector<std::uint64_t>& first) const {
    const Words words = as_words(text, first);
    Occurrences found;
    {
      nb::gil_scoped_release unlocked;
      found = find_occurrences(trie_, words);
    }
    return nb::make_tuple(to_numpy(std::move(found.pattern)), to_numpy(std::move(found.letter)));
  }

 private:
  PatternTrie trie_;
  LetterTable no_marks_;  // ASCII has none
  bool default_allows_;
  Margins margins_;
};

nb::tuple separate_py(const Letters& text, const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& is_break,
                      const Letters& separator) {
  const Words words = as_words(text, first);
  require(is_break.shape(0) == text.shape(0), "every letter says whether there is a break before it");
  Separated found;
  {
    nb::gil_scoped_release unlocked;
    found = separated(words, is_break.data(), separator.data(), separator.shape(0));
  }
  return nb::make_tuple(to_numpy(std::move(found.text)), to_numpy(std::move(found.first)));
}

using Step = std::tuple<std::size_t, std::size_t, double, bool>;
using ForbiddenPiece = std::tuple<std::uint32_t, std::uint32_t, std::vector<Letter>>;  // kind, offset, letters

nb::dict find_levels_py(const std::vector<Letters>& rows, const Vector<std::uint32_t>& place,
                        const Vector<std::uint32_t>& begin, const Vector<std::uint32_t>& end,
                        const Vector<std::uint8_t>& is_break, const std::optional<Vector<double>>& weights,
                        const Vector<std::uint8_t>& given_breaks, const Vector<std::uint8_t>& given_bonds,
                        const std::vector<std::size_t>& max_length, const std::vector<Step>& steps,
                        const std::vector<ForbiddenPiece>& forbidden) {
  const std::size_t n = place.shape(0);
  require((rows.size() == 1 || rows.size() == 2) && begin.shape(0) == n && end.shape(0) == n && n < 0xFFFFFFFFu,
          "every example has a place in a string of letters, and perhaps of classes");
  require(is_break.shape(0) == n && given_breaks.shape(0) == n && given_bonds.shape(0) == n,
          "every example says whether there is a break");
  require(!weights || weights->shape(0) == n, "every example has a weight");
  require(max_length.size() == 2, "pieces of letters and of classes have a greatest length each");
  require(steps.size() < 0xFFFFu, "levels of patterns go up to 65535");
  std::vector<const Letter*> texts;
  for (const auto& row : rows) {
    require(row.shape(0) == rows[0].shape(0), "letters and classes must be those of the same strings");
    texts.push_back(row.data());
  }
  for (std::size_t x = 0; x < n; ++x)
    require(begin.data()[x] <= place.data()[x] && place.data()[x] <= end.data()[x] && end.data()[x] <= rows[0].shape(0),
            "a place lies in its string, and a string in the text");
  LevelSearch::Forbidden refused;
  for (const auto& [kind, offset, letters] : forbidden) {
    require(kind < rows.size() && offset <= letters.size(), "what is forbidden is a piece with a place");
    const auto after = static_cast<std::uint32_t>(letters.size()) - offset;
    refused.push_back({Piece{0, offset, after, kind}, letters});
  }
  std::vector<LevelStep> taken;
  for (const auto& [shortest, longest, least, is_pure] : steps) {
    require(shortest >= 1, "a piece has a letter");
    taken.push_back({shortest, longest, least, is_pure});
  }
  std::vector<LeveledPiece> found;
  std::vector<std::uint32_t> wrong;
  {
    nb::gil_scoped_release unlocked;
    LevelSearch search(texts, {place.data(), begin.data(), end.data(), n}, max_length, refused);
    const PlaceLabels labels{is_break.data(), weights ? weights->data() : nullptr, given_breaks.data(),
                             given_bonds.data()};
    found = search.find(labels, taken, wrong);
  }
  std::vector<std::uint32_t> at, before, after;
  std::vector<std::uint8_t> kind;
  std::vector<std::uint16_t> level;
  for (const LeveledPiece& one : found) {
    at.push_back(one.piece.place);
    before.push_back(one.piece.before);
    after.push_back(one.piece.after);
    kind.push_back(static_cast<std::uint8_t>(one.piece.row));
    level.push_back(one.level);
  }
  nb::dict out;
  out["place"] = to_numpy(std::move(at));
  out["before"] = to_numpy(std::move(before));
  out["after"] = to_numpy(std::move(after));
  out["kind"] = to_numpy(std::move(kind));
  out["level"] = to_numpy(std::move(level));
  out["wrong"] = to_numpy(std::move(wrong));
  return out;
}

}  // namespace

void bind_hyphenation(nb::module_& m) {
  nb::class_<Patterns>(m, "Patterns")
      .def(nb::init<const Letters&, const Vector<std::uint64_t>&, const Vector<std::uint8_t>&,
                    const Vector<std::uint32_t>&, const Vector<std::uint16_t>&, const Letters&, const Letters&, bool,
                    std::size_t, std::size_t>(),
           nb::arg("text"), nb::arg("first"), nb::arg("is_classes"), nb::arg("offset"), nb::arg("level"),
           nb::arg("letters"), nb::arg("classes"), nb::arg("default_allows"), nb::arg("left_min"), nb::arg("right_min"))
      .def("breaks", &Patterns::breaks, nb::arg("text"), nb::arg("first"), nb::arg("marks"), nb::arg("n_threads"))
      .def("places", &Patterns::places, nb::arg("word"))
      .def("occurrences", &Patterns::occurrences, nb::arg("text"), nb::arg("first"));
  m.def("separate", &separate_py, nb::arg("text"), nb::arg("first"), nb::arg("is_break"), nb::arg("separator"));
  m.def("find_levels", &find_levels_py, nb::arg("rows"), nb::arg("place"), nb::arg("begin"), nb::arg("end"),
        nb::arg("is_break"), nb::arg("weights").none(), nb::arg("given_breaks"), nb::arg("given_bonds"),
        nb::arg("max_length"), nb::arg("steps"), nb::arg("forbidden"));
}
