"""An annotator: the columns of a Universal Dependencies treebank (UPOS, XPOS, FEATS, LEMMA), learned together.

Each column of tags has a tagger of its own, and a lemmatizer reads the words with their UPOS. The model file has the
model files of these parts.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.evidence import Explanation
from casebase.base.files import Arrays, CheckedArrays, Header, Target, read, read_content, write
from casebase.base.state import StateIsFile
from casebase.errors import CasebaseError, ModelFileError, unknown_name
from casebase.tagging.corpora.conllu import tokens_of_lines
from casebase.tagging.corpora.corpus import Corpus
from casebase.tagging.lemmas.lemmatizer import LemmaScores, Lemmatizer
from casebase.tagging.scores import TaggingScores
from casebase.tagging.sentences import Sentences, sentences_of
from casebase.tagging.tagger import Tagger
from casebase.tagging.universal import COLUMNS, NOTHING, TAGS, Token, checked_value, form_of, place, value_of, words_in

LEARNER = "annotator"  # the learner that the header names
Part = Tagger | Lemmatizer


class Annotator(StateIsFile):
    """Annotate words with the columns of a treebank, after training on one.

    Parameters
    ----------
    columns : sequence of "upos", "xpos", "feats" and "lemma", optional
        The columns to learn; by default those that the treebank has. Lemmas need "upos" too.
    n_jobs : int, optional
        Threads; None for one, -1 for all cores.

    Attributes
    ----------
    columns_ : the columns that were learned.
    parts_ : for each column its tagger, or the lemmatizer.

    Examples
    --------
    >>> dogs, bark = {"form": "Dogs", "upos": "NOUN", "lemma": "dog"}, {"form": "bark", "upos": "VERB", "lemma": "bark"}
    >>> annotator = Annotator().fit([[dogs, bark]])
    >>> annotator.columns_, annotator.annotate([["bark"]])
    (('upos', 'lemma'), [[{'form': 'bark', 'upos': 'VERB', 'lemma': 'bark'}]])
    """

    parts_: dict[str, Part]
    _in_file: ClassVar[frozenset[str]] = frozenset({"parts_"})

    def __init__(self, columns: Sequence[str] | None = None, *, n_jobs: int | None = None) -> None:
        self.columns = columns
        self.n_jobs = n_jobs

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor."""
        return {"columns": self.columns, "n_jobs": self.n_jobs}

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value is not None}
        return f"Annotator({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def fit(self, treebank: Iterable[Iterable[Token]] | Corpus) -> Self:
        """Learn from sentences, lists of tokens with `form` and the columns, or a corpus in CoNLL-U.

        Tokens are mappings, such as those that the package conllu reads.
        """
        tokens = tokens_of(treebank)
        if not any(tokens):
            raise CasebaseError("There are no words. Expected at least one sentence with one word.")
        self.parts_ = {}
        parts: dict[str, Part] = {}
        for column in self._columns(tokens):
            if column == "lemma":
                lemmatizer = Lemmatizer()
                parts[column] = lemmatizer.fit(table_of(_with_lemmas(tokens), ("upos", "lemma")))
            else:
                parts[column] = Tagger(n_jobs=self.n_jobs).fit(table_of(tokens, (column,)))
        self.parts_ = parts
        return self

    def _columns(self, tokens: list[list[Token]]) -> tuple[str, ...]:
        """Return the columns to learn: those asked for, or those in which some word has something."""
        if self.columns is None:
            flat = [token for sentence in tokens for token in sentence]
            found = [one for one in COLUMNS if any(value_of(token, one) not in (None, NOTHING) for token in flat)]
            return tuple(column for column in found if column != "lemma" or "upos" in found)
        asked = [self.columns] if isinstance(self.columns, str) else list(self.columns)
        for column in asked:
            if column not in COLUMNS:
                raise CasebaseError(unknown_name("column", column, COLUMNS))
        if "lemma" in asked and "upos" not in asked:
            raise CasebaseError("The lemma of a word depends on its tag: columns with 'lemma' need 'upos' too.")
        return tuple(column for column in COLUMNS if column in asked)

    @property
    def columns_(self) -> tuple[str, ...]:
        """The columns that were learned."""
        return tuple(self._parts)

    @property
    def _parts(self) -> dict[str, Part]:
        if not self._has_learned():
            raise CasebaseError("This Annotator has learned nothing yet. Call fit with the sentences of a treebank.")
        return self.parts_

    def _has_learned(self) -> bool:
        return bool(vars(self).get("parts_"))

    @property
    def tagger_(self) -> Tagger:
        """The tagger of the first column."""
        tagger = next(iter(self._parts.values()))
        assert isinstance(tagger, Tagger)
        return tagger

    def annotate(self, sentences: Iterable[Sequence[Any]] | Sentences) -> list[list[dict[str, str]]]:
        """Return the words of sentences as mappings: the form, and what was learned to say about it."""
        words = _forms(sentences)
        columns = self.columns_of(words)
        names = ("form", *columns)
        values = zip([word for sentence in words for word in sentence], *columns.values())
        return [[dict(zip(names, next(values))) for _ in sentence] for sentence in words]

    def columns_of(self, words: list[list[str]]) -> dict[str, list[str]]:
        """Return for each column what the words have there, sentence after sentence."""
        flat = [word for sentence in words for word in sentence]
        columns: dict[str, list[str]] = {}
        for name, part in self._parts.items():
            if isinstance(part, Tagger):
                part.n_jobs = self.n_jobs
                columns[name] = [tag for tags in part.tag_many(words) for tag in tags]
            else:
                columns[name] = part.lemmatize(flat, columns["upos"])
        return columns

    def evaluate(self, treebank: Iterable[Iterable[Token]] | Corpus) -> dict[str, TaggingScores | LemmaScores]:
        """Return the scores of each column on sentences like those for `fit`; lemmas are found with predicted tags."""
        tokens = tokens_of(treebank)
        scores: dict[str, TaggingScores | LemmaScores] = {}
        for name, part in self._parts.items():
            if isinstance(part, Tagger):
                scores[name] = part.evaluate(table_of(tokens, (name,)))
            else:
                tags = self._tagger("upos").tag_many(table_of(tokens, ()))
                answered = [[{**token, "upos": tag} for token, tag in zip(*one)] for one in zip(tokens, tags)]
                scores[name] = part.evaluate(table_of(_with_lemmas(answered), ("upos", "lemma")))
        return scores

    def explain(self, words: Sequence[str], column: str | None = None, limit: int = 5) -> list[Explanation]:
        """Return the evidence for what a column, by default the first, says about each word of a sentence."""
        name = self.columns_[0] if column is None else column
        if name not in self._parts:
            raise CasebaseError(unknown_name("column of this annotator", name, self.columns_))
        part = self._parts[name]
        if isinstance(part, Tagger):
            return list(part.explain(words, limit))
        return [part.explain(word, tag, limit) for word, tag in zip(words, self._tagger("upos").tag(words))]

    def _tagger(self, column: str) -> Tagger:
        part = self._parts[column]
        assert isinstance(part, Tagger)
        return part

    def summary(self) -> dict[str, Any]:
        """Return what the annotator is: its columns, and what each was learned from."""
        return {"learner": LEARNER, "columns": {name: part.summary() for name, part in self._parts.items()}}

    def save(self, path: Target) -> None:
        """Write the annotator to a file; `casebase.load` reads it."""
        arrays: Arrays = {}
        for name, part in self._parts.items():
            content = BytesIO()
            part.save(content)
            arrays[name] = np.frombuffer(content.getvalue(), dtype=np.uint8)
        with self._saving(path):
            write(path, {"learner": LEARNER, "columns": list(arrays)}, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the annotator that was saved to a file."""
        annotator: Self = cls._from_path(path)
        return annotator

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        if header.get("learner") != LEARNER:
            raise ModelFileError(f"{name} is a model of {header.get('learner')!r}, not an annotator.")
        columns = header.get("columns")
        if not isinstance(columns, list) or not columns or [one for one in COLUMNS if one in columns] != columns:
            raise ModelFileError(f"{name} is not a usable annotator: its columns are {columns!r}.")
        if "lemma" in columns and "upos" not in columns:
            raise ModelFileError(f"{name} is not a usable annotator: it has lemmas, but no tags for them.")
        annotator = cls(tuple(columns))
        annotator.parts_ = {}
        for column in columns:
            kind = Tagger if column in TAGS else Lemmatizer
            own = f"{name} ({column})"
            try:
                content = arrays.get(column, "uint8")
            except ValueError as error:
                raise ModelFileError(f"{name} is not a usable annotator: {error}.") from error
            annotator.parts_[column] = kind._from_file(own, *read_content(content, own))
        return annotator


def tagger_or_annotator(path: str | os.PathLike[str]) -> Tagger | Annotator:
    """Return the tagger or the annotator of a model file."""
    header, arrays = read(path)
    if header.get("learner") == LEARNER:
        return Annotator._from_file(str(path), header, arrays)
    return Tagger._from_file(str(path), header, arrays)


def tokens_of(treebank: Iterable[Iterable[Token]] | Corpus) -> list[list[Token]]:
    """Return the words of a treebank as mappings: of lists of tokens, or of a corpus in CoNLL-U."""
    if isinstance(treebank, Corpus):
        if treebank.format != "conllu":
            raise CasebaseError(f"{treebank.name} has the format {treebank.format}; an annotator learns from CoNLL-U.")
        tokens = tokens_of_lines(treebank.lines)  # type: ignore[arg-type]  # the lines of CoNLL-U are ColumnLines
        return [[next(tokens) for _ in range(n)] for n in treebank.sentences.lengths.tolist()]
    if isinstance(treebank, str | bytes | Mapping) or not isinstance(treebank, Iterable):
        raise CasebaseError(f"Expected a list of sentences, lists of tokens, got {type(treebank).__name__}.")
    found = []
    for i, sentence in enumerate(treebank):
        tokens_here = list(sentence) if isinstance(sentence, Iterable) and not isinstance(sentence, str) else [sentence]
        for token in tokens_here:
            if not isinstance(token, Mapping):
                raise CasebaseError(f"Sentence {i + 1}: expected tokens with form, upos, …, got {token!r}.")
        found.append(words_in(tokens_here))
    return found


def _with_lemmas(tokens: Iterable[Sequence[Token]]) -> list[list[Token]]:
    """Return the words that have a lemma: treebanks leave it out where a word has none, as in a part of a word."""
    return [[token for token in sentence if value_of(token, "lemma") is not None] for sentence in tokens]


def table_of(tokens: list[list[Token]], columns: Sequence[str]) -> list[list[Any]]:
    """Return sentences of (word, what it has in each column)."""
    return [
        [
            (form_of(token, place(i, j)), *(checked_value(token, column, place(i, j)) for column in columns))
            for j, token in enumerate(sentence)
        ]
        for i, sentence in enumerate(tokens)
    ]


def _forms(sentences: Iterable[Sequence[Any]] | Sentences) -> list[list[str]]:
    """Return the words of sentences, which may be mappings; there may be none, and they may be empty."""
    given = sentences if isinstance(sentences, Sentences) else [list(sentence) for sentence in sentences]
    if isinstance(given, Sentences):
        return given.lists()
    return [sentences_of([one], tagged=False).lists()[0] if one else [] for one in given]
