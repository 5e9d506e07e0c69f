// Pieces of strings, and rules that ask for them, for Python: letters are code points, strings are concatenated.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/words.hpp"
#include "core/strings/matching.hpp"
#include "core/strings/pieces.hpp"

using namespace casebase;

namespace {

class StringPatterns {
 public:
  StringPatterns(const Letters& text, const Vector<std::uint64_t>& first, const Vector<std::uint8_t>& kind,
                 const Vector<std::uint32_t>& offset, const Letters& letters, const Letters& classes, bool has_edges)
      : trie_(text.shape(0)), has_edges_(has_edges) {
    const Words pieces = as_words(text, first);
    require(kind.shape(0) == pieces.n && offset.shape(0) == pieces.n, "every piece has a kind and a place");
    require(letters.shape(0) == classes.shape(0), "every letter has one class");
    for (std::size_t i = 0; i < pieces.n; ++i) {
      const std::size_t n = pieces.first[i + 1] - pieces.first[i];
      require(n > 0 && offset.data()[i] <= n, "a piece has letters, and a place in them");
      require(kind.data()[i] < PatternTrie::n_roots, "there is no such kind of piece");
      trie_.add(pieces.text + pieces.first[i], n, static_cast<PatternTrie::Root>(kind.data()[i]), offset.data()[i], 1);
    }
    for (std::size_t i = 0; i < letters.shape(0); ++i) trie_.set_class(letters.data()[i], classes.data()[i]);
  }

  auto first_match(const Letters& text, const Vector<std::uint64_t>& first, const Vector<std::uint32_t>& word,
                   const Vector<std::uint32_t>& place, unsigned n_threads) const {
    const AskedStrings asked = as_asked(text, first, word, place);
    std::vector<std::uint32_t> found;
    {
      nb::gil_scoped_release unlocked;
      found = find_first_matches(trie_, asked, has_edges_, n_threads);
    }
    return to_numpy(std::move(found));
  }

  nb::tuple matches(const Letters& text, const Vector<std::uint64_t>& first, const Vector<std::uint32_t>& word,
                    const Vector<std::uint32_t>& place) const {
    const AskedStrings asked = as_asked(text, first, word, place);
    Matches found;
    {
      nb::gil_scoped_release unlocked;
      found = find_matches(trie_, asked, has_edges_);
    }
    return nb::make_tuple(to_numpy(std::move(found.pattern)), to_numpy(std::move(found.example)));
  }

 private:
  static AskedStrings as_asked(const Letters& text, const Vector<std::uint64_t>& first,
                               const Vector<std::uint32_t>& word, const Vector<std::uint32_t>& place) {
    const Words words = as_words(text, first);
    const std::size_t n = word.shape(0);
    require(place.shape(0) == n, "every example has a string and a place");
    for (std::size_t x = 0; x < n; ++x) {
      require(word.data()[x] < words.n, "an example is one of the strings");
      const std::uint64_t w = word.data()[x], length = words.first[w + 1] - words.first[w];
      require(place.data()[x] == PatternTrie::no_place || place.data()[x] <= length, "a place lies in its string");
    }
    return {words, word.data(), place.data(), n};
  }

  PatternTrie trie_;
  bool has_edges_;
};

nb::dict find_pieces_py(const std::vector<Letters>& rows, const Vector<std::uint32_t>& place,
                        const Vector<std::uint32_t>& begin, const Vector<std::uint32_t>& end,
                        const std::vector<std::size_t>& max_length, bool has_place, bool has_anywhere, bool has_around,
                        Letter mark, const PieceFinder::Forbidden& forbidden) {
  const std::size_t n = place.shape(0);
  require((rows.size() == 1 || rows.size() == 2) && begin.shape(0) == n && end.shape(0) == n,
          "every example has a place in a string of letters, and perhaps of classes");
  require(max_length.size() == 2, "pieces of letters and of classes have a greatest length each");
  require(n < 0xFFFFFFFFu, "there are more examples than 32 bits can count");
  std::vector<const Letter*> texts;
  for (const auto& row : rows) {
    require(row.shape(0) == rows[0].shape(0), "letters and classes must be those of the same strings");
    texts.push_back(row.data());
  }
  std::size_t n_letters = 0;
  for (std::size_t x = 0; x < n; ++x) {
    require(begin.data()[x] <= place.data()[x] && place.data()[x] <= end.data()[x] && end.data()[x] <= rows[0].shape(0),
            "a place lies in its string, and a string in the text");
    n_letters += end.data()[x] - begin.data()[x];
  }
  require(!has_anywhere || n_letters < 0xFFFFFFFFu, "the strings have more letters than 32 bits can count");
  for (const auto& piece : forbidden) require(!piece.second.empty(), "what is forbidden has a name");
  Pieces found;
  {
    nb::gil_scoped_release unlocked;
    const AskedPlaces places{place.data(), begin.data(), end.data(), n};
    found = PieceFinder(texts, places, max_length, {has_place, has_anywhere, has_around}, mark, forbidden).find();
  }
  std::vector<std::uint32_t> at, before, after;
  std::vector<std::uint8_t> kind;
  for (const Piece& piece : found.pieces) {
    at.push_back(piece.place);
    before.push_back(piece.before);
    after.push_back(piece.after);
    kind.push_back(static_cast<std::uint8_t>(piece.row + piece.is_anywhere * PatternTrie::letters_anywhere));
  }
  nb::dict out;
  out["place"] = to_numpy(std::move(at));
  out["before"] = to_numpy(std::move(before));
  out["after"] = to_numpy(std::move(after));
  out["kind"] = to_numpy(std::move(kind));
  out["first"] = to_numpy(std::move(found.first));
  out["examples"] = to_numpy(std::move(found.examples));
  return out;
}

}  // namespace

void bind_strings(nb::module_& m) {
  nb::class_<StringPatterns>(m, "StringPatterns")
      .def(nb::init<const Letters&, const Vector<std::uint64_t>&, const Vector<std::uint8_t>&,
                    const Vector<std::uint32_t>&, const Letters&, const Letters&, bool>(),
           nb::arg("text"), nb::arg("first"), nb::arg("kind"), nb::arg("offset"), nb::arg("letters"),
           nb::arg("classes"), nb::arg("has_edges"))
      .def("first_match", &StringPatterns::first_match, nb::arg("text"), nb::arg("first"), nb::arg("word"),
           nb::arg("place"), nb::arg("n_threads"))
      .def("matches", &StringPatterns::matches, nb::arg("text"), nb::arg("first"), nb::arg("word"), nb::arg("place"));
  m.def("find_pieces", &find_pieces_py, nb::arg("rows"), nb::arg("place"), nb::arg("begin"), nb::arg("end"),
        nb::arg("max_length"), nb::arg("has_place"), nb::arg("has_anywhere"), nb::arg("has_around"), nb::arg("mark"),
        nb::arg("forbidden"));
}
