"""A text as codes, the way the memories of a committee take it.

The value of most features depends on a word alone, so a code is worked out once for each distinct word (or text of a
column), and the tokens have the codes of their words.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casebase import _native
from casebase.data import Vocabulary
from casebase.data.arrays import as_integers, bytes_of
from casebase.data.vocabulary import vocabulary_of
from casebase.tagging.features import (
    OUTSIDE,
    PUNCTUATION,
    Describer,
    Pattern,
    TagFeature,
    Text,
    as_flags,
    begins_with_capital,
    mark_tags,
)
from casebase.tagging.lexicon import Lexicon, index_of

NEVER_SEEN = 0xFFFFFFFF
OF_TAG = 0xFFFFFFFE  # stands for the code of the token's tag
NOT_ASKED = 0xFFFFFFFD  # no code yet
# What depends on the spelling alone; the core describes words of ASCII.
SPELLED = frozenset(("lower", "prefix", "suffix", "shape", "length", "capital", "stem", "lastpart", "othercase"))
ALIKE = frozenset(("ambitag", "wordclass", "wordtag"))  # have the same value for all words that are not in the lexicon
CLASSES = frozenset(("ambitag", "wordclass"))
LATIN = 0x80  # bytes of letters that are not of ASCII begin here
_IS_MARK = np.isin(np.arange(256), list(map(ord, PUNCTUATION)))
_IS_CAPITAL = np.isin(np.arange(256), list(range(ord("A"), ord("Z") + 1)))


def looked_up(text: Text, lexicon: Lexicon, is_new: np.ndarray) -> Text:
    """Return a text in which new words at the beginning of sentences are those of the lexicon in lower case.

    `is_new` says which distinct words may be replaced. A sentence also begins behind a first punctuation mark.
    """
    if not len(text.word):
        return text
    tokens = first_words(text.first, text.word, begin_with_mark(text), is_new & begin_with_capital(text))
    if not len(tokens):
        return text
    lowered = Lowered.of(text, lexicon, np.unique(text.word[tokens]))
    word = text.word.astype(np.int64)
    word[tokens] = lowered.number[word[tokens]]
    return Text(lowered.words, word, text.first, lowered.lexical, text.columns)


def first_words(first: np.ndarray, word: np.ndarray, is_mark: np.ndarray, is_asked: np.ndarray) -> np.ndarray:
    """Return the tokens at the beginning of sentences, or behind a first mark, whose words are asked for."""
    begins, ends = (edges[np.diff(first) > 0] for edges in (first[:-1], first[1:]))
    behind = begins[is_mark[word[begins]] & (begins + 1 < ends)] + 1
    tokens = np.concatenate([begins, behind])
    found: np.ndarray = tokens[is_asked[word[tokens]]]
    return found


@dataclass(frozen=True, eq=False)
class Lowered:
    """The distinct words of a text and behind them some in lower case; `number` is what a word is replaced by."""

    words: pa.Array
    lexical: np.ndarray
    number: np.ndarray

    @classmethod
    def of(cls, text: Text, lexicon: Lexicon, kinds: np.ndarray) -> "Lowered":
        """Replace these words, ascending, where the lexicon has them in lower case."""
        lowered = pc.utf8_lower(text.words.take(as_integers(kinds)))
        found = lexicon.find(lowered)
        is_found = found >= 0
        number = np.arange(len(text.words))
        number[kinds[is_found]] = len(text.words) + np.arange(int(is_found.sum()))
        words = pa.concat_arrays([text.words, lowered.filter(pa.array(is_found))])
        return cls(words, np.concatenate([text.lexical, found[is_found]]), number)


def begin_with_mark(text: Text) -> np.ndarray:
    """Return which distinct words begin with a punctuation mark of ASCII."""
    if text.few_words is None:
        are_marks: np.ndarray = _IS_MARK[_first_bytes(text.words)]
        return are_marks
    return np.array([word[0] in PUNCTUATION for word in text.few_words])


def begin_with_capital(text: Text) -> np.ndarray:
    """Return which distinct words begin with a capital."""
    if text.few_words is None:
        first = _first_bytes(text.words)
        are_capital: np.ndarray = _IS_CAPITAL[first]
        others = np.flatnonzero(first >= LATIN)
        are_capital[others] = as_flags(pc.match_substring_regex(text.words.take(as_integers(others)), r"^\p{Lu}"))
        return are_capital
    return np.array([begins_with_capital(word) for word in text.few_words])


def _first_bytes(words: pa.Array) -> np.ndarray:
    content, offsets = bytes_of(words)
    first: np.ndarray = content[offsets[:-1]]
    return first


@dataclass(frozen=True, eq=False)
class Coder:
    """Words as the codes of their values; the code behind the last value is that of places outside of a sentence."""

    describer: Describer
    vocabularies: Mapping[str, Vocabulary]

    @cached_property
    def _of_tags(self) -> dict[str, np.ndarray]:
        tags = self.describer.lexicon.tags
        codes = {"tag": np.arange(len(tags), dtype=np.uint32)}
        if "wordtag" in self.vocabularies:
            codes["wordtag"] = self._encode("wordtag", mark_tags(tags.values))
        return codes

    def of_tags(self, kind: str) -> np.ndarray | None:
        """Return the code of every tag, for a feature that looks at tags."""
        return self._of_tags.get(kind)

    def outside(self, feature: TagFeature) -> int:
        return len(self.vocabularies[feature.base].given)  # values that were added later come behind it

    def of_entries(self, feature: TagFeature, text: Text) -> np.ndarray | None:
        """Return the code of every distinct word, or distinct text of a column; None where only a tag counts."""
        if feature.kind == "tag":
            return None
        if feature.kind == "word":
            return np.where(text.lexical < 0, NEVER_SEEN, text.lexical).astype(np.uint32)
        if feature.kind == "column" or text.few_words is not None:
            return self._worked_out(feature, text)
        return self._remembered(feature, text)

    def _worked_out(self, feature: TagFeature, text: Text) -> np.ndarray:
        if feature.kind == "wordtag":
            codes = self._encode("wordtag", text.words)
            return np.where(self.describer.are_common(text), codes, OF_TAG).astype(np.uint32)
        vocabulary = self.vocabularies[feature.base]
        if text.few_words is None and not self._has_changed(vocabulary):
            if feature.kind in SPELLED:
                return self._spelled(feature, text)
            if feature.kind in CLASSES:
                return self._classed(feature, text)
        return _or_never_seen(self.describer.codes(feature, text, vocabulary), vocabulary)

    def _has_changed(self, vocabulary: Vocabulary) -> bool:
        """Whether values came or went since training."""
        return not (vocabulary.is_ordered and self.describer.lexicon.words.is_ordered)

    def _spelled(self, feature: TagFeature, text: Text) -> np.ndarray:
        """Return the codes of values that depend on the spelling alone."""
        vocabulary = self.vocabularies[feature.base]
        asked = self._index(feature.base), *bytes_of(text.words), NEVER_SEEN, NOT_ASKED
        codes: np.ndarray = self._spelling.codes(feature.kind, feature.n, *asked)
        others = np.flatnonzero(codes == NOT_ASKED)
        if len(others):
            found = self.describer.codes(feature, text.part(others), vocabulary)
            codes[others] = _or_never_seen(found, vocabulary)
        return codes

    def _classed(self, feature: TagFeature, text: Text) -> np.ndarray:
        """Return the codes of ambiguity classes, or of the words themselves where these are common."""
        lexicon = self.describer.lexicon
        if feature.base not in self._of_classes:
            classes = lexicon.ambitags_of_all
            self._of_classes[feature.base] = self._encode(
                feature.base, classes if feature.kind == "ambitag" else mark_tags(classes)
            )
        codes: np.ndarray = self._of_classes[feature.base][lexicon.ambitag_of_all[text.lexical]]
        if feature.kind == "wordclass":
            common = np.flatnonzero(self.describer.are_common(text))
            found = self._index(feature.base).find(*bytes_of(text.words.take(as_integers(common))))
            codes[common] = np.where(found < 0, NEVER_SEEN, found)
        return codes

    @cached_property
    def _of_classes(self) -> dict[str, np.ndarray]:
        """The code of each class of the lexicon, and last that of words that it does not have, by kind of feature."""
        return {}

    def _index(self, base: str) -> Any:
        if base not in self._indexes:
            self._indexes[base] = index_of(self.vocabularies[base])
        return self._indexes[base]

    @cached_property
    def _spelling(self) -> Any:
        lexicon = self.describer.lexicon
        return _native.Spelling(lexicon.index, lexicon.ambitag_of, *bytes_of(lexicon.ambitags))

    @cached_property
    def _indexes(self) -> dict[str, Any]:
        """The numbers of the values of each kind of feature, to find many."""
        return {}

    def _remembered(self, feature: TagFeature, text: Text) -> np.ndarray:
        """Return the codes of many words; those of words of the lexicon are worked out once."""
        known = self._of_known.setdefault(feature.base, np.full(len(self.describer.lexicon), NOT_ASKED, np.uint32))
        lexical = text.lexical[text.known]
        of_known = known[lexical]
        new = np.flatnonzero(of_known == NOT_ASKED)
        if len(new):
            of_known[new] = known[lexical[new]] = self._worked_out(feature, text.part(text.known[new]))
        codes = np.empty(len(text.words), np.uint32)
        codes[text.known] = of_known
        rows, unknown = text.unknown
        if len(rows):
            is_alike = feature.kind in ALIKE
            codes[rows] = self._worked_out(feature, unknown.part(np.array([0])) if is_alike else unknown)
        return codes

    @cached_property
    def _of_known(self) -> dict[str, np.ndarray]:
        """The codes of the words of the lexicon that were asked about, by kind of feature."""
        return {}

    def _encode(self, base: str, values: pa.Array) -> np.ndarray:
        vocabulary = self.vocabularies[base]
        return _or_never_seen(vocabulary.encode(values), vocabulary)


def _or_never_seen(codes: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
    wide = codes.astype(np.uint32)
    wide[codes == vocabulary.unknown] = NEVER_SEEN
    return wide


class CodedText:
    """A text's tokens as codes, kind by kind of feature, each worked out when it is first asked for."""

    def __init__(self, coder: Coder, text: Text) -> None:
        self.coder, self.text = coder, text
        self._of_entries: dict[str, np.ndarray | None] = {}
        self._codes: dict[str, np.ndarray | None] = {}
        self._values: dict[str, list[str | None]] = {}

    @staticmethod
    def training(describer: Describer, text: Text, features: Iterable[TagFeature]) -> "CodedText":
        """Return a training text, whose distinct words define the vocabularies of the features."""
        lexicon = describer.lexicon
        vocabularies: dict[str, Vocabulary] = {}
        coded = CodedText(Coder(describer, vocabularies), text)
        for feature in {feature.base: feature.here for feature in features}.values():
            if feature.kind in ("word", "tag"):
                vocabularies[feature.base] = lexicon.words if feature.kind == "word" else lexicon.tags
            elif feature.kind == "wordtag":
                common = text.words.filter(pa.array(describer.are_common(text)))
                values = pa.concat_arrays([common, mark_tags(lexicon.tags.values)])
                vocabularies[feature.base] = vocabulary_of(values.dictionary_encode())[0]
            else:
                values = describer.values(feature, text)
                vocabularies[feature.base], codes = vocabulary_of(values.dictionary_encode())
                coded._of_entries[feature.base] = codes.astype(np.uint32)
        return coded

    def of_entries(self, feature: TagFeature) -> np.ndarray | None:
        """Return the code of every distinct word, or distinct text of a column; None where only a tag counts."""
        if feature.base not in self._of_entries:
            self._of_entries[feature.base] = self.coder.of_entries(feature.here, self.text)
        return self._of_entries[feature.base]

    def codes(self, feature: TagFeature) -> np.ndarray | None:
        """Return the code of every token; None where only its tag counts."""
        if feature.base not in self._codes:
            codes = self.of_entries(feature)
            self._codes[feature.base] = None if codes is None else codes[self.text.entries(feature)]
        return self._codes[feature.base]

    def levels(self, pattern: Pattern) -> list[tuple[np.ndarray | None, np.ndarray | None, int, int]]:
        """Return where the values of a memory's features come from, as the kernel takes it."""
        return [
            (self.codes(feature), self.coder.of_tags(feature.kind), feature.offset, self.coder.outside(feature))
            for feature in pattern.features
        ]

    def at(self, feature: TagFeature, tags: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return a feature's codes for some tokens, whose words before have these tags."""
        said = codes_said(self.codes(feature), self.coder.of_tags(feature.kind), tags)
        return self.text.shifted(said, feature.offset, self.coder.outside(feature), rows)

    def value_of(self, feature: TagFeature, code: int, token: int) -> str:
        """Return the value behind a code that a token has."""
        if code == self.coder.outside(feature):
            return OUTSIDE
        if code == NEVER_SEEN:
            entry = int(self.text.entries(feature)[token + feature.offset])
            if feature.base not in self._values:
                self._values[feature.base] = self.coder.describer.values(feature.here, self.text).to_pylist()
            return self._values[feature.base][entry] or ""
        return self.coder.vocabularies[feature.base].value(code) or ""


def codes_said(codes: np.ndarray | None, of_tags: np.ndarray | None, tags: np.ndarray) -> np.ndarray:
    """Return the code of each token, that of its tag where this one counts."""
    if of_tags is None:
        assert codes is not None
        return codes
    said: np.ndarray = of_tags[tags]
    return said if codes is None else np.where(codes == OF_TAG, said, codes)
