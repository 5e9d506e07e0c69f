"""The features of a tagger, by name or by the letters of MBT's patterns.

    tag-2 tag-1 ambitag ambitag+1          the same as MBT's ddfa
    tag-1 word suffix3 shape suffix2+1     names with an offset from the word to tag

Most features are functions of a word alone, so they are computed once for each distinct word of a text. Only the tags
to the left depend on earlier decisions.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Cases, Feature, Schema, Vocabulary
from casebase.data.arrays import as_integers, as_numpy, as_strings
from casebase.data.vocabulary import Codes, in_order, vocabulary_of
from casebase.errors import CasebaseError, unknown_name
from casebase.tagging.lexicon import FEW, Lexicon
from casebase.tagging.sentences import Sentences, codes_in

OUTSIDE = "=="  # the value of words and tags before the first and after the last token of a sentence
LETTERS = "dfFawWpshcn"
LONGEST_SHAPE = 8
LONGEST_WORD = 15
_NAME = re.compile(r"([a-z]+)(\d*)([+-]\d+)?")


def _first(words: pa.Array, n: int) -> pa.Array:
    return _letter(pc.utf8_slice_codeunits(words, n - 1, n))


def _last(words: pa.Array, n: int) -> pa.Array:
    return _letter(pc.utf8_slice_codeunits(pc.utf8_reverse(words), n - 1, n))


def _letter(letters: pa.Array) -> pa.Array:
    shown = pc.if_else(pc.equal(letters, ""), "=", letters)
    return pc.binary_join_element_wise("_", shown, "")


def _prefix(words: pa.Array, n: int) -> pa.Array:
    return pc.utf8_slice_codeunits(words, 0, n)


def _suffix(words: pa.Array, n: int) -> pa.Array:
    return pc.utf8_reverse(pc.utf8_slice_codeunits(pc.utf8_reverse(words), 0, n))


def _lower(words: pa.Array, n: int) -> pa.Array:
    return pc.utf8_lower(words)


_SIGNS_OF_ALL = ((r"[\p{Ll}\p{Lo}\p{Lm}\p{M}]+", "a"), (r"[\p{Lu}\p{Lt}]+", "A"), (r"\p{Nd}+", "9"))
_SIGNS_OF_ASCII = (("[a-z]+", "a"), ("[A-Z]+", "A"), ("[0-9]+", "9"))


def _shape(words: pa.Array, n: int) -> pa.Array:
    """Runs of capitals, other letters and digits as one A, a and 9 each; other characters as they are."""
    is_ascii = pc.all(pc.string_is_ascii(words)).as_py()  # the classes of Unicode take five times as long
    for kind, sign in _SIGNS_OF_ASCII if is_ascii else _SIGNS_OF_ALL:
        words = pc.replace_substring_regex(words, kind, sign)
    return pc.utf8_slice_codeunits(words, 0, LONGEST_SHAPE)


def _length(words: pa.Array, n: int) -> pa.Array:
    return pc.min_element_wise(pc.utf8_length(words), LONGEST_WORD).cast(pa.string())


def _flag(pattern: str, sign: str) -> Callable[[pa.Array, int], pa.Array]:
    def flag(words: pa.Array, n: int) -> pa.Array:
        return pc.if_else(pc.match_substring_regex(words, pattern), f"_{sign}", "_0")

    return flag


_CAPITAL, _DIGIT, _HYPHEN = r"^[\p{Lu}\p{Lt}]", r"\p{Nd}", "-"
_BYTE_CAPITAL, _BYTE_DIGIT = "^[A-Z]", "[0-9]"

# Features of the spelling alone: name → function(words, number after the name).
OF_SPELLING: dict[str, Callable[[pa.Array, int], pa.Array]] = {
    "first": _first,
    "last": _last,
    "prefix": _prefix,
    "suffix": _suffix,
    "lower": _lower,
    "shape": _shape,
    "length": _length,
    "hyphen": _flag(_HYPHEN, "H"),
    "capital": _flag(_CAPITAL, "C"),
    "digit": _flag(_DIGIT, "N"),
}
# Words as bytes in Latin-1: letters beyond ASCII have no case there.
_OF_BYTES = OF_SPELLING | {"capital": _flag(_BYTE_CAPITAL, "C"), "digit": _flag(_BYTE_DIGIT, "N")}
KINDS = ("tag", "ambitag", "word", "wordclass", "wordtag", "stem", "lastpart", "othercase", *OF_SPELLING, "column")
ASSIGNED = ("tag", "wordtag")
LONGEST_ENDING = 5
SHORTEST_STEM = 3
NO_STEM = "-"  # also of words without a hyphen or without another case
NUMBERED = ("first", "last", "prefix", "suffix", "column")


# The same for single words: for a few words Arrow costs more than the work, since it compiles a regex for each call.
OF_ONE_WORD: dict[str, Callable[[str, int], str]] = {
    "first": lambda word, n: f"_{word[n - 1 : n] or '='}",
    "last": lambda word, n: f"_{word[-n] if n <= len(word) else '='}",
    "prefix": lambda word, n: word[:n],
    "suffix": lambda word, n: word[-n:],
    "lower": lambda word, n: word.lower(),
    "shape": lambda word, n: _shape_of(word),
    "length": lambda word, n: str(min(len(word), LONGEST_WORD)),
    "hyphen": lambda word, n: "_H" if "-" in word else "_0",
    "capital": lambda word, n: "_C" if begins_with_capital(word) else "_0",
    "digit": lambda word, n: "_N" if any("0" <= letter <= "9" for letter in word) else "_0",
}
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# Below this, except for İ, Arrow and Python agree on categories and lower case.
LATIN_END, DOTTED_I = "\u0180", "\u0130"
_SIGNS = {"Ll": "a", "Lo": "a", "Lm": "a", "Lu": "A", "Nd": "9"}


def is_latin(word: str) -> bool:
    """Whether Arrow and Python agree on all letters of a word."""
    return word.isascii() or (max(word) < LATIN_END and DOTTED_I not in word)


def begins_with_capital(word: str) -> bool:
    return unicodedata.category(word[0]) == "Lu"


@cache
def _sign_of(letter: str) -> str:
    return _SIGNS.get(unicodedata.category(letter), "")


def _shape_of(word: str) -> str:
    shape, last = [], ""
    for letter in word:
        sign = _sign_of(letter)
        if not sign or sign != last:
            shape.append(sign or letter)
        last = sign
    return "".join(shape[:LONGEST_SHAPE])


@dataclass(frozen=True)
class TagFeature:
    """A kind of feature, its offset (0 is the word to tag), and its number if it has one.

    >>> TagFeature.parse("suffix3-1"), TagFeature.parse("suffix3-1").name
    (TagFeature(kind='suffix', offset=-1, n=3), 'suffix3-1')
    """

    kind: str
    offset: int = 0
    n: int = 0

    @property
    def name(self) -> str:
        return f"{self.kind}{self.n or ''}{f'{self.offset:+d}' if self.offset else ''}"

    @cached_property
    def here(self) -> "TagFeature":
        """The same feature of the word to tag."""
        return TagFeature(self.kind, 0, self.n)

    @cached_property
    def base(self) -> str:
        """Its name without the offset."""
        return self.here.name

    @property
    def n_column(self) -> int:
        """The number of the further column that it looks at; 0 for the words."""
        return self.n if self.kind == "column" else 0

    @property
    def is_assigned(self) -> bool:
        """Whether it depends on the tags of earlier words."""
        return self.kind in ASSIGNED

    @staticmethod
    def parse(name: str) -> "TagFeature":
        found = _NAME.fullmatch(name)
        if found is None or found[1] not in KINDS:
            shown = [f"{kind}N" if kind in NUMBERED else kind for kind in KINDS]
            raise CasebaseError(
                f"{unknown_name('feature', name, shown)} An offset may follow, such as word-1 or suffix3+1."
            )
        kind, number, offset = found[1], found[2], int(found[3] or 0)
        if (kind in NUMBERED) != bool(number) or number == "0":
            wanted = "a number from 1 behind it" if kind in NUMBERED else "no number"
            raise CasebaseError(f"The feature {kind!r} has {wanted}, such as {_example(kind)!r}; got {name!r}.")
        if kind in ASSIGNED and offset >= 0:
            raise CasebaseError(
                f"Tags are known to the left only: {kind}-1 is the tag of the word before; got {name!r}. "
                "Of the words to the right there are the classes, such as ambitag+1."
            )
        return TagFeature(kind, offset, int(number or 0))


def _example(kind: str) -> str:
    return f"{kind}3" if kind in NUMBERED else kind


@dataclass(frozen=True)
class Pattern:
    """The features of a case base in the order of its columns, and the text they were parsed from.

    >>> Pattern.parse("ddfa").names
    ('tag-2', 'tag-1', 'ambitag', 'ambitag+1')
    """

    features: tuple[TagFeature, ...]
    text: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @staticmethod
    def parse(pattern: "str | Iterable[str] | Pattern") -> "Pattern":
        """Return the features that names, or the letters of MBT, stand for."""
        if isinstance(pattern, Pattern):
            return pattern
        names = pattern.replace(",", " ").split() if isinstance(pattern, str) else list(pattern)
        if not names or not all(isinstance(name, str) for name in names):
            raise CasebaseError(
                f"Features are names, such as 'tag-1 ambitag ambitag+1', or letters of MBT, such as 'ddfa'; "
                f"got {pattern!r}."
            )
        features: list[TagFeature] = []
        for name in names:
            features += _parse_letters(name) if set(name) <= set(LETTERS) else [TagFeature.parse(name)]
        repeated = [f.name for i, f in enumerate(features) if f in features[:i]]
        if repeated:
            raise CasebaseError(f"The feature {repeated[0]!r} is there twice: each is one column of the case base.")
        return Pattern(tuple(features), " ".join(names))

    def with_columns(self, n: int) -> "Pattern":
        """Return the pattern followed by `n` further columns of the text."""
        more = [f"column{i}" for i in range(1, n + 1) if TagFeature("column", n=i) not in self.features]
        return Pattern.parse(" ".join([self.text, *more]))


def _parse_letters(pattern: str) -> tuple[TagFeature, ...]:
    """Return the features of a pattern of MBT's letters, in the order in which MBT writes them.

    >>> [feature.name for feature in _parse_letters("psdwFWawchn")]
    ['first1', 'word-1', 'word', 'word+1', 'tag-1', 'ambitag+1', 'last1', 'hyphen', 'capital', 'digit']
    """
    letters = re.sub("(?<![fF])W", "FW", pattern)
    foci = [at for at, letter in enumerate(letters) if letter in "fF"]
    if len(foci) != 1:
        raise CasebaseError(
            f"The pattern {pattern!r} has {len(foci) or 'no'} places for the word to be tagged: exactly one f or F."
        )
    left, focus, right = letters[: foci[0]], letters[foci[0]], letters[foci[0] + 1 :]
    if "d" in right:
        raise CasebaseError(f"In the pattern {pattern!r} a d stands right of the focus, where no tags are known yet.")
    tags = [letter for letter in left if letter in "da"]
    words = [letter for letter in left if letter == "w"]
    tag_slots = [
        TagFeature("tag" if letter == "d" else "ambitag", place - len(tags)) for place, letter in enumerate(tags)
    ]
    word_slots = [TagFeature("word", place - len(words)) for place in range(len(words))]
    if focus == "f":
        tag_slots.append(TagFeature("ambitag"))
    if "W" in right:
        word_slots.append(TagFeature("word"))
    tag_slots += [TagFeature("ambitag", place + 1) for place in range(right.count("a"))]
    word_slots += [TagFeature("word", place + 1) for place in range(right.count("w"))]
    n_first, n_last = letters.count("p"), letters.count("s")
    flags = [
        TagFeature(kind) for letter, kind in (("h", "hyphen"), ("c", "capital"), ("n", "digit")) if letter in letters
    ]
    return (
        *(TagFeature("first", n=n) for n in range(1, n_first + 1)),
        *word_slots,
        *tag_slots,
        *(TagFeature("last", n=n) for n in range(n_last, 0, -1)),
        *flags,
    )


@dataclass(frozen=True, eq=False)
class Text:
    """Tokens as numbers of their distinct words, and these words' places in the lexicon (−1: not there)."""

    words: pa.Array
    word: np.ndarray
    first: np.ndarray
    lexical: np.ndarray
    columns: tuple[tuple[pa.Array, np.ndarray], ...] = ()

    @staticmethod
    def of(sentences: Sentences, lexicon: Lexicon) -> "Text":
        words = sentences.words.dictionary
        return Text(words, codes_in(sentences.words), sentences.first, lexicon.find(words), columns_of(sentences))

    @cached_property
    def few_words(self) -> list[str] | None:
        """The distinct words if they are few and Latin; None if Arrow must handle them."""
        if len(self.words) > FEW:
            return None
        words: list[str] = self.words.to_pylist()
        return words if all(map(is_latin, words)) else None

    @cached_property
    def is_known(self) -> np.ndarray:
        """Whether each token's word is in the lexicon."""
        is_known: np.ndarray = self.lexical[self.word] >= 0
        return is_known

    @cached_property
    def known(self) -> np.ndarray:
        """The distinct words that are in the lexicon."""
        return np.flatnonzero(self.lexical >= 0)

    @cached_property
    def unknown(self) -> "tuple[np.ndarray, Text]":
        """The distinct words that are not in the lexicon, and a text of them."""
        rows = np.flatnonzero(self.lexical < 0)
        return rows, self.part(rows)

    def part(self, words: np.ndarray) -> "Text":
        """Return some of the distinct words, without tokens."""
        few = self.words.take(as_integers(words))
        return Text(few, np.empty(0, np.int64), np.zeros(1, np.int64), self.lexical[words])

    def entries(self, feature: TagFeature) -> np.ndarray:
        """Return which distinct word, or text of a column, each token has."""
        if feature.kind != "column":
            return self.word
        if feature.n > len(self.columns):
            raise CasebaseError(
                f"The feature {feature.name!r} asks for further column {feature.n} of the text, "
                f"which has {len(self.columns) or 'none'}."
            )
        return self.columns[feature.n - 1][1]

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        lengths = np.diff(self.first)
        return np.repeat(self.first[:-1], lengths), np.repeat(self.first[1:], lengths)

    def shifted(self, entries: np.ndarray, offset: int, outside: int, rows: np.ndarray) -> np.ndarray:
        """Return the entries of the tokens `offset` places from some tokens, `outside` beyond their sentence."""
        if not offset:
            here: np.ndarray = entries[rows]
            return here
        begin, end = self._bounds
        at = rows + offset
        is_inside = (at >= begin[rows]) & (at < end[rows])
        return np.where(is_inside, entries[np.where(is_inside, at, 0)], outside)


def empty_text(text: Text) -> Text:
    """Return a text with the same distinct words and without tokens."""
    return Text(text.words, text.word[:0], np.zeros(1, np.int64), text.lexical)


def columns_used(features: Iterable[TagFeature]) -> int:
    """Return how many columns beside the words features use."""
    return max((feature.n for feature in features if feature.kind == "column"), default=0)


def text_with_columns(sentences: Sentences, lexicon: Lexicon, n_columns: int) -> Text:
    """Return sentences as numbers of their words; those without the columns that features use are refused."""
    if len(sentences.extra) < n_columns:
        raise CasebaseError(
            f"Its features use {n_columns} columns beside the words, but these sentences have {len(sentences.extra)}. "
            f"Give every token as (word, {', '.join(['…'] * n_columns)})."
        )
    return Text.of(sentences, lexicon)


def columns_of(sentences: Sentences) -> tuple[tuple[pa.Array, np.ndarray], ...]:
    """Return the further columns of sentences: distinct texts, and which of them each token has."""
    return tuple((column.dictionary, codes_in(column)) for column in sentences.extra)


@dataclass(frozen=True, eq=False)
class Describer:
    """Computes the values of features of words, with a lexicon.

    `is_frequent` marks the words of the lexicon that word features distinguish (None: all). `is_common` marks the words
    that stand for themselves where other words are replaced by their class or tag (None: all). With `as_bytes` a word
    is its bytes in UTF-8, as in MBT 3.6, instead of its characters.
    """

    lexicon: Lexicon
    is_frequent: np.ndarray | None = None
    as_bytes: bool = False
    is_common: np.ndarray | None = None

    def values(self, feature: TagFeature, text: Text) -> pa.Array:
        """Return a feature's value for every distinct word, or distinct text of its column."""
        if feature.kind == "column":
            return text.columns[feature.n - 1][0]
        if feature.kind == "ambitag":
            return self.lexicon.ambitag_texts(text.lexical)
        if feature.kind == "word":
            return self._words(text)
        if feature.kind == "wordclass":
            classes = self.lexicon.ambitag_texts(text.lexical)
            return pc.if_else(pa.array(self.are_common(text)), text.words, mark_tags(classes))
        if feature.kind == "stem":
            return self._stems(text.words)
        if feature.kind == "lastpart":
            return self._last_parts(text.words)
        if feature.kind == "othercase":
            return self._other_cases(text.words)
        functions = _OF_BYTES if self.as_bytes else OF_SPELLING
        return functions[feature.kind](self._characters(text.words), feature.n)

    def codes(self, feature: TagFeature, text: Text, vocabulary: Vocabulary) -> np.ndarray:
        """Return the codes of a feature's value for every distinct word, or distinct text of its column."""
        few = self.few_values(feature, text)
        return vocabulary.encode(self.values(feature, text)) if few is None else vocabulary.encode_few(few)

    def few_values(self, feature: TagFeature, text: Text) -> list[str] | None:
        """Return the same as `values`, one by one, if the words are few; else None."""
        words = text.few_words
        if words is None or feature.kind == "column" or (self.as_bytes and not all(map(str.isascii, words))):
            return None
        if feature.kind == "ambitag":
            return self.lexicon.few_ambitags(text.lexical)
        if feature.kind == "word":
            return self._few_words(words, text)
        if feature.kind == "wordclass":
            classes = self.lexicon.few_ambitags(text.lexical)
            are_common = self.are_common(text).tolist()
            return [word if common else f"/{ambitag}" for word, ambitag, common in zip(words, classes, are_common)]
        if feature.kind == "stem":
            return list(map(self._stem, words))
        if feature.kind == "lastpart":
            return list(map(self._last_part, words))
        if feature.kind == "othercase":
            return list(map(self._other_case, words))
        of_word, n = OF_ONE_WORD[feature.kind], feature.n
        return [of_word(word, n) for word in words]

    def are_common(self, text: Text) -> np.ndarray:
        """Return which distinct words stand for themselves where others are replaced by their class or tag."""
        are_common: np.ndarray = self._are_common[text.lexical]
        return are_common

    @cached_property
    def _are_common(self) -> np.ndarray:
        """Whether each word of the lexicon stands for itself; last, that others do not."""
        marks = np.ones(len(self.lexicon), dtype=bool) if self.is_common is None else self.is_common
        return np.append(marks, False)

    def _stem(self, word: str) -> str:
        code = self.lexicon.find_one
        for n in range(1, min(LONGEST_ENDING, len(word) - SHORTEST_STEM) + 1):
            found = code(word[:-n])
            if found is None:
                found = code(word[:-n].lower())
            if found is not None:
                return f"{word[-n:]}/{self.lexicon.few_ambitags(np.array([found]))[0]}"
        return NO_STEM

    def _stems(self, words: pa.Array) -> pa.Array:
        """Return the ending and the class of the stem of each word, where the stem is a word of the lexicon.

        The ending is the shortest one that leaves a known word, as it is spelled or in lower case.
        """
        stems = pa.repeat(pa.scalar(NO_STEM), len(words))
        rows = np.arange(len(words))
        for n in range(1, LONGEST_ENDING + 1):
            long_enough = pc.greater_equal(pc.utf8_length(words), SHORTEST_STEM + n)
            rows, words = rows[as_flags(long_enough)], words.filter(long_enough)
            stem = pc.utf8_slice_codeunits(words, 0, -n)
            found = self.lexicon.find(stem)
            lower = pc.utf8_lower(stem)
            others = np.flatnonzero((found < 0) & as_flags(pc.not_equal(lower, stem)))
            found[others] = self.lexicon.find(lower.take(as_integers(others)))
            is_found = found >= 0
            if is_found.any():
                endings = pc.utf8_slice_codeunits(words.filter(pa.array(is_found)), -n)
                classes = self.lexicon.ambitag_texts(found[is_found])
                marks = np.zeros(len(stems), dtype=bool)
                marks[rows[is_found]] = True
                stems = pc.replace_with_mask(stems, pa.array(marks), pc.binary_join_element_wise(endings, classes, "/"))
            rows, words = rows[~is_found], words.filter(pa.array(~is_found))
        return stems

    def _class_of(self, word: str) -> str | None:
        found = self.lexicon.find_one(word)
        return None if found is None else self.lexicon.few_ambitags(np.array([found]))[0]

    def _last_part(self, word: str) -> str:
        """Return the class of the part behind the last hyphen, or its last letters if it is no word of the lexicon."""
        first, _, last = word.rpartition("-")
        if not first or not last:
            return NO_STEM
        found = self._class_of(last) or self._class_of(last.lower())
        return last[-3:] if found is None else f"/{found}"

    def _last_parts(self, words: pa.Array) -> pa.Array:
        has_hyphen = pc.match_substring(words, "-")
        parts = [self._last_part(word) for word in words.filter(has_hyphen).to_pylist()]
        return pc.replace_with_mask(pa.repeat(pa.scalar(NO_STEM), len(words)), has_hyphen, pa.array(parts, pa.string()))

    def _other_case(self, word: str) -> str:
        """Return the class of the same word in lower case, or else with a capital only at its beginning."""
        lower = word.lower()
        for other in (lower, word[:1] + lower[1:]) if word != lower else (_capitalised(word),):
            if other != word and (found := self._class_of(other)) is not None:
                return found
        return NO_STEM

    def _other_cases(self, words: pa.Array) -> pa.Array:
        lower = pc.utf8_lower(words)
        is_lower = pc.equal(lower, words)
        capital = pc.if_else(is_lower, pc.utf8_upper(_letters(words, 0, 1)), _letters(words, 0, 1))
        second = pc.binary_join_element_wise(capital, _letters(lower, 1, None), "")
        classes = pa.repeat(pa.scalar(NO_STEM), len(words))
        for other in (second, lower):  # the second choice first, so that the first one replaces it
            found = np.where(as_flags(pc.equal(other, words)), -1, self.lexicon.find(other))
            classes = pc.if_else(pa.array(found >= 0), self.lexicon.ambitag_texts(found), classes)
        return classes

    def _characters(self, words: pa.Array) -> pa.Array:
        if not self.as_bytes or pc.all(pc.string_is_ascii(words)).as_py():
            return words
        return as_strings([word.encode().decode("latin-1") for word in words.to_pylist()])

    def _few_words(self, words: list[str], text: Text) -> list[str]:
        if self.is_frequent is None:
            return words
        is_frequent = [self._are_frequent[i] for i in text.lexical.tolist()]
        return [word if frequent else _kind_of(word) for word, frequent in zip(words, is_frequent)]

    @cached_property
    def _are_frequent(self) -> np.ndarray:
        """Whether each word of the lexicon is told apart; last, that others are not."""
        assert self.is_frequent is not None
        return np.append(self.is_frequent, False)

    def _words(self, text: Text) -> pa.Array:
        """Return frequent words as they are, and the others as one of a few kinds."""
        if self.is_frequent is None:
            return text.words
        kinds = _OF_BYTES if self.as_bytes else OF_SPELLING
        characters = self._characters(text.words)
        signs = [
            pc.if_else(pc.equal(kinds[kind](characters, 0), "_0"), "", sign)
            for kind, sign in (("hyphen", "H"), ("capital", "C"), ("digit", "N"))
        ]
        kind = pc.binary_join_element_wise("HAPAX-", *signs, "")
        kind = pc.if_else(pc.equal(kind, "HAPAX-"), "HAPAX-0", kind)
        is_frequent = self._are_frequent[text.lexical]
        return pc.if_else(pa.array(is_frequent), text.words, kind)


def last_parts(words: pa.Array) -> list[tuple[str, ...]]:
    """Return the words that `lastpart` looks up for each word."""
    parts = (word.rpartition("-") for word in words.to_pylist())
    return [(last, last.lower()) if first and last else () for first, _, last in parts]


def other_cases(words: pa.Array) -> list[tuple[str, ...]]:
    """Return the words that `othercase` may look up for each word."""
    lower = pc.utf8_lower(words)
    beginnings = (_letters(words, 0, 1), pc.utf8_upper(_letters(words, 0, 1)))
    by_arrow = [lower, *(pc.binary_join_element_wise(one, _letters(lower, 1, None), "") for one in beginnings)]
    by_python = [(w.lower(), w[:1] + w.lower()[1:], _capitalised(w)) for w in words.to_pylist()]
    return [(*one, *other) for one, other in zip(zip(*(words.to_pylist() for words in by_arrow)), by_python)]


def _letters(words: pa.Array, first: int, end: int | None) -> pa.Array:
    return pc.utf8_slice_codeunits(words, first, end)


def _capitalised(word: str) -> str:
    first = word[:1].upper()
    return first + word[1:] if len(first) == 1 else word


def _kind_of(word: str) -> str:
    """Return the kind of an infrequent word: whether it has a hyphen, a capital, a digit."""
    signs = (("hyphen", "_H"), ("capital", "_C"), ("digit", "_N"))
    found = "".join(sign[1] for kind, sign in signs if OF_ONE_WORD[kind](word, 0) == sign)
    return f"HAPAX-{found or '0'}"


def as_flags(flags: pa.Array) -> np.ndarray:
    """Return truth values as numpy has them."""
    return as_numpy(flags.cast(pa.uint8())).astype(bool)


def mark_tags(names: pa.Array) -> pa.Array:
    """Return tags or classes with a slash in front, so that they differ from words."""
    return pc.binary_join_element_wise("/", names, "")


def instances(
    pattern: Pattern, describer: Describer, text: Text, tags: np.ndarray, rows: np.ndarray, *, is_named: bool = True
) -> Cases:
    """Return the cases of some tokens of a tagged text: one column per feature, and the tag as the class."""
    columns = []
    for feature in pattern.features:
        known, codes, entries = coded_feature(feature, describer, text)
        at = text.shifted(tags if entries is None else entries, feature.offset, len(codes) - 1, rows)
        columns.append((known, codes[at]))
    return cases_of(pattern, columns, describer.lexicon.tags, tags[rows], rows, is_named=is_named)


def coded_feature(feature: TagFeature, describer: Describer, text: Text) -> tuple[Vocabulary, Codes, np.ndarray | None]:
    """Return a feature's vocabulary, the codes of the values of `feature_values`, and the index of each token's value.

    The last code is that of places outside of a sentence.
    """
    values, entries = feature_values(feature, describer, text)
    return *vocabulary_of(values.dictionary_encode()), entries


def cases_of(
    pattern: Pattern,
    columns: Iterable[tuple[Vocabulary, Codes]],
    tags: Vocabulary,
    labels: np.ndarray,
    rows: np.ndarray,
    *,
    is_named: bool,
) -> Cases:
    """Return the cases of some tokens with the values that occur: `rows` are their ids, `labels` the codes of tags."""
    tidy = [in_order(known, codes) for known, codes in columns]
    features = tuple(Feature(one.name, "symbolic", known) for one, (known, _) in zip(pattern.features, tidy))
    used, codes = in_order(tags, labels)
    schema = Schema(features, tuple(used.values.to_pylist()), "tag", is_named)
    return Cases(schema, tuple(column for _, column in tidy), codes.astype(np.uint32), ids=rows, n_cases=len(rows))


def questions(
    pattern: Pattern, describer: Describer, schema: Schema, text: Text, tags: np.ndarray, rows: np.ndarray
) -> Cases:
    """Return some tokens as new cases in the codes of a schema; `tags` are the decided ones, by number."""
    columns, source = [], []
    for feature, known in zip(pattern.features, schema.features):
        assert known.vocabulary is not None
        values, entries = feature_values(feature, describer, text)
        at = text.shifted(tags if entries is None else entries, feature.offset, len(values) - 1, rows)
        columns.append(known.vocabulary.encode(values)[at])
        source.append(values.take(as_integers(at)))
    return Cases(schema, tuple(columns), None, ids=rows, n_cases=len(rows), source=tuple(source))


def feature_values(feature: TagFeature, describer: Describer, text: Text) -> tuple[pa.Array, np.ndarray | None]:
    """Return a feature's values, the one outside of sentences last, and the index of each token's value.

    For a feature of tags the index is None: its values are all tags, and tagging decides which one a token has.
    """
    if feature.is_assigned:
        values, entries = describer.lexicon.tags.values, None
    else:
        entries = text.entries(feature)
        values = describer.values(feature, text)
    return pa.concat_arrays([values, pa.array([OUTSIDE], values.type)]), entries


def merge_equal(cases: Cases) -> Cases:
    """Merge equal cases into one with their count, in the order of their first occurrence.

    >>> from casebase.data import Cases
    >>> one = merge_equal(Cases.from_table([["b", "P"], ["a", "Q"], ["b", "P"]], target=-1))
    >>> one.columns[0].tolist(), one.weights.tolist()
    ([1, 0], [2.0, 1.0])
    """
    keys = [*cases.columns, cases.known_labels]
    order = _native.lexicographic_order(keys, cases.n_cases)
    is_first = np.zeros(cases.n_cases, dtype=bool)
    is_first[:1] = True
    for key in keys:
        ordered = key[order]
        is_first[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_first)
    counts = np.diff(np.append(starts, cases.n_cases)).astype(float)
    rows = order[starts]  # the sort is stable: the first of each
    back = np.argsort(rows)
    return cases.take(rows[back].astype(np.int64)).with_weights(counts[back])
