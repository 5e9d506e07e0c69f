"""A lemmatizer for any language, learned from words with their tags and lemmas.

A word that occurred with its tag gets its most frequent lemma. For another one, a tree of suffixes predicts the edit
script: the longest ending that is known decides.
"""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.state import StateIsFile
from casebase.errors import CasebaseError
from casebase.tagging.lemmas.evidence import LemmaEvidence
from casebase.tagging.lemmas.files import lemmas_from, save_lemmas
from casebase.tagging.lemmas.model import N_LAST, NO_LETTER, Lemmas, features_of, learn, table_of
from casebase.tagging.lemmas.scripts import script_of
from casebase.tagging.scores import Share

Lemmatized = Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class LemmaScores:
    """How many lemmas are right: of all words, and of those with and without their tag among the training words."""

    all: Share
    known: Share
    unknown: Share

    def to_dict(self) -> dict[str, Any]:
        return {name: share.to_dict() for name, share in vars(self).items()}


class Lemmatizer(StateIsFile):
    """Find the lemmas of words, after training on words with their tags and lemmas.

    Attributes
    ----------
    model_ : the immutable model.
    n_words_ : the number of different (word, tag, lemma) of the training corpus.
    n_scripts_ : the number of different edit scripts.

    Examples
    --------
    >>> sentences = [[("Cities", "NOUN", "city"), ("grow", "VERB", "grow")], [("bodies", "NOUN", "body")]]
    >>> lemmatizer = Lemmatizer().fit(sentences)
    >>> lemmatizer.lemmatize(["parties", "grow"], ["NOUN", "VERB"])
    ['party', 'grow']
    """

    model_: Lemmas
    _in_file: ClassVar[frozenset[str]] = frozenset({"model_"})

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor: there are none."""
        return {}

    def __repr__(self) -> str:
        return "Lemmatizer()"

    def fit(self, sentences: Iterable[Lemmatized]) -> Self:
        """Learn from sentences, lists of (word, tag, lemma)."""
        counts = Counter(_checked(token, i, j) for i, one in enumerate(sentences) for j, token in enumerate(one))
        if not counts:
            raise CasebaseError("There are no words. Expected at least one sentence with one (word, tag, lemma).")
        self.model_ = learn(counts)
        return self

    @property
    def _model(self) -> Lemmas:
        if not hasattr(self, "model_"):
            raise CasebaseError("This Lemmatizer has learned nothing yet. Call fit with (word, tag, lemma).")
        return self.model_

    @property
    def n_words_(self) -> int:
        return len(self._model.words)

    @property
    def n_scripts_(self) -> int:
        return len(self._model.scripts)

    def knows(self, words: Sequence[str], tags: Sequence[str]) -> list[bool]:
        """Return for each word whether it occurred with its tag in the training corpus."""
        return [key in self._model.lexicon for key in _pairs(words, tags)]

    def lemmatize(self, words: Sequence[str], tags: Sequence[str]) -> list[str]:
        """Return the lemmas of words with their tags."""
        model, asked = self._model, _pairs(words, tags)
        row_of = model.lexicon
        others = list(dict.fromkeys(key for key in asked if key not in row_of))
        found = dict(zip(others, (lemma for lemma, _ in self._predicted(others))))
        return [model.lemmas[row_of[key]] if key in row_of else found[key] for key in asked]

    def lemmatize_many(self, sentences: Iterable[Sequence[tuple[str, str]]]) -> list[list[str]]:
        """Return the lemmas of many sentences, lists of (word, tag)."""
        given = [list(sentence) for sentence in sentences]
        flat = [token for sentence in given for token in sentence]
        lemmas = iter(self.lemmatize([token[0] for token in flat], [token[1] for token in flat]))
        return [[next(lemmas) for _ in sentence] for sentence in given]

    def _predicted(self, asked: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        """Return the lemma by the tree of each (word, tag), and the depth of its walk."""
        if not asked:
            return []
        model = self._model
        words, tags = zip(*asked)
        answers = model.tree.answer(model.tree.schema.encode(table_of(words, tags)))
        assert answers.depth is not None
        found = []
        for i, (word, label, depth) in enumerate(zip(words, answers.label.tolist(), answers.depth.tolist())):
            votes = answers.votes_of(i)
            ranked = [label, *sorted(votes, key=lambda one: (-votes[one], one))]  # others if the word is too short
            lemmas = (model.scripts[one].apply(word) for one in ranked)
            found.append((next((lemma for lemma in lemmas if lemma), word), int(depth)))
        return found

    def explain(self, word: str, tag: str, limit: int = 5) -> LemmaEvidence:
        """Return why a word with its tag has its lemma: its occurrences, or the words with the ending that decided."""
        model = self._model
        row = model.lexicon.get((word, tag))
        if row is not None:
            others = [i for i, key in enumerate(zip(model.words, model.tags)) if key == (word, tag) and i != row]
            rivals = tuple((model.lemmas[i], int(model.counts[i])) for i in others)
            script = script_of(word, model.lemmas[row])
            return LemmaEvidence(
                word, tag, model.lemmas[row], True, str(script), int(model.counts[row]), rivals, None, ()
            )
        lemma, depth = self._predicted([(word, tag)])[0]
        script, compared = script_of(word, lemma), features_of(word, tag)[:depth]
        like = [
            i
            for i, key in enumerate(zip(model.words, model.tags))
            if features_of(*key)[:depth] == compared and script_of(key[0], model.lemmas[i]) == script
        ]
        like.sort(key=lambda i: (-int(model.counts[i]), i))
        examples = tuple((model.words[i], model.lemmas[i]) for i in like[:limit])
        ending = "".join(reversed(compared[1 : N_LAST + 1])).replace(NO_LETTER, "")
        return LemmaEvidence(word, tag, lemma, False, str(script), len(like), (), ending, examples)

    def evaluate(self, sentences: Iterable[Lemmatized]) -> LemmaScores:
        """Return the scores on sentences, lists of (word, tag, lemma)."""
        tokens = [_checked(token, i, j) for i, one in enumerate(sentences) for j, token in enumerate(one)]
        words, tags = [token[0] for token in tokens], [token[1] for token in tokens]
        is_right = np.array([a == b[2] for a, b in zip(self.lemmatize(words, tags), tokens)], dtype=bool)
        is_known = np.array(self.knows(words, tags), dtype=bool)
        return LemmaScores(
            *(Share(int(which.sum()), int(is_right[which].sum())) for which in (is_known | True, is_known, ~is_known))
        )

    def summary(self) -> dict[str, Any]:
        """Return what the lemmatizer is: how many words and scripts it has."""
        return {
            "learner": "lemmatizer",
            "n_tokens": int(self._model.counts.sum()),
            "n_words": self.n_words_,
            "n_scripts": self.n_scripts_,
        }

    def save(self, path: Target) -> None:
        """Write the lemmatizer to a file; `casebase.load` reads it."""
        model = self._model
        with self._saving(path):
            save_lemmas(path, model)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the lemmatizer that was saved to a file."""
        lemmatizer: Self = cls._from_path(path)
        return lemmatizer

    @classmethod
    def _of(cls, model: Lemmas) -> Self:
        lemmatizer = cls()
        lemmatizer.model_ = model
        return lemmatizer

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        return cls._of(lemmas_from(name, header, arrays))


def _pairs(words: Sequence[str], tags: Sequence[str]) -> list[tuple[str, str]]:
    if isinstance(words, str) or isinstance(tags, str) or len(words) != len(tags):
        raise CasebaseError("Expected a list of words and a list of as many tags.")
    for word, tag in zip(words, tags):
        _checked((word, tag, word), 0, 0)
    return list(zip(words, tags))


def _checked(token: Any, sentence: int, place: int) -> tuple[str, str, str]:
    is_triple = isinstance(token, tuple | list) and len(token) == 3
    if not is_triple or not all(isinstance(part, str) and part for part in token):
        raise CasebaseError(
            f"Sentence {sentence + 1}, token {place + 1}: expected (word, tag, lemma), three texts; got {token!r}."
        )
    word, tag, lemma = token
    return word, tag, lemma
