"""A language model that is a memory of windows: IGTree or TRIBL2 over the words before a word.

The words that followed a context in the text vote. With IGTree, their shares are mixed with those of shorter and
shorter contexts, which are the nodes above in the tree, and with both methods with the frequencies of all words, so
that a word that never followed has a probability too: a context that was followed by t different words in n places has
the weight n / (n + t) (Witten and Bell), and so has the whole text, whose rest is for words that it does not have.

IGTree does not store a context that changes no answer: the shorter one speaks for it. A tree of all contexts gives
higher perplexities.

References: A. van den Bosch, "Scalable classification-based word prediction and confusible correction" (2006);
I. Witten, T. Bell, "The zero-frequency problem" (1991).
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from casebase import methods
from casebase.base.answers import Answers
from casebase.base.files import CheckedArrays, Header, Target
from casebase.base.state import StateIsFile
from casebase.base.threads import n_threads
from casebase.data import Cases
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, ModelFileError, unknown_name
from casebase.language_model.windows import asked_cases, names_of, training_cases
from casebase.memory.segments import Memory
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.tribl2 import TRIBL2
from casebase.progress import Progress
from casebase.tagging.features import OUTSIDE
from casebase.tagging.sentences import Sentences, codes_in, sentences_of

LEARNERS = ("igtree", "tribl2")
MOST_WORDS = 100  # before the next one: every one of them is a column of the memory
AT_ONCE = 256  # queries: each may have votes for thousands of words


@dataclass(frozen=True)
class Place:
    """A place in the text: the words before it, the word that followed, and its number among the words, from 0."""

    words: tuple[str, ...]
    word: str
    number: int

    def __str__(self) -> str:
        return f"{' '.join(self.words)} [{self.word}] (word {self.number + 1:,})"


@dataclass(frozen=True)
class Continuation:
    """A word that may follow: its probability, how often it followed the context that was met, and some places."""

    word: str
    probability: float
    count: float
    places: tuple[Place, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the continuation as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class LanguageScores:
    """How well a text was predicted, word by word; `n_unknown` words are not in the training text."""

    n_words: int
    n_right: int
    n_unknown: int
    perplexity: float

    @property
    def accuracy(self) -> float:
        return self.n_right / self.n_words

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as JSON has them."""
        return {**asdict(self), "accuracy": self.accuracy}


class LanguageModel(StateIsFile):
    """Predict the next word from the words before it, after training on a text.

    Parameters
    ----------
    n_words : int, default 3
        The number of words before that it looks at, at most 100.
    learner : "igtree" or "tribl2"
        The method that stores the windows.
    options : dict, optional
        Options of the method, such as ``{"weighting": "gain_ratio", "compat": "timbl"}``.
    n_jobs : int, optional
        Threads; None for one, -1 for all cores.

    Examples
    --------
    >>> model = LanguageModel(n_words=2).fit([["the", "dog", "barks"], ["the", "dog", "runs"], ["a", "dog", "barks"]])
    >>> [(one.word, one.count) for one in model.predict(["the", "dog"], n=2)]
    [('barks', 2.0), ('runs', 1.0)]
    """

    _model: IGTree | TRIBL2 | None = None
    _in_file: ClassVar[frozenset[str]] = frozenset({"_model", "_shares"})

    def __init__(
        self,
        n_words: int = 3,
        learner: str = "igtree",
        *,
        options: dict[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_words, self.learner, self.options, self.n_jobs = n_words, learner, options, n_jobs

    def get_params(self) -> dict[str, Any]:
        """Return the parameters of the constructor."""
        return {name: getattr(self, name) for name in ("n_words", "learner", "options", "n_jobs")}

    def __repr__(self) -> str:
        defaults = LanguageModel().get_params()
        changes = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"LanguageModel({', '.join(f'{name}={value!r}' for name, value in changes.items())})"

    def fit(self, sentences: Any, *, progress: Progress | None = None) -> Self:
        """Learn from sentences: lists of words, or a corpus that was read from a file."""
        if self.learner not in LEARNERS:
            raise CasebaseError(unknown_name("learner of a language model", self.learner, LEARNERS))
        if not is_whole(self.n_words, 1, MOST_WORDS):
            raise CasebaseError(f"n_words is the number of words before, from 1 to {MOST_WORDS}; got {self.n_words!r}.")
        if not isinstance(self.options, Mapping | None):
            raise CasebaseError(f"options is a dict of settings of {self.learner}; got {self.options!r}.")
        method = methods.method_named(self.learner)
        settings = method.settings.of(None, self.options or {})
        cases = training_cases(sentences_of(sentences, tagged=False), self.n_words)
        self._take(method.fit(cases, settings, n_jobs=n_threads(self.n_jobs), progress=progress))
        return self

    def _take(self, model: Any) -> None:
        self._model = model
        self.__dict__.pop("_shares", None)

    def _has_learned(self) -> bool:
        return self._model is not None

    @property
    def model_(self) -> IGTree | TRIBL2:
        """The immutable model of the windows."""
        if self._model is None:
            raise CasebaseError("This LanguageModel has learned nothing yet. Call fit with sentences.")
        return self._model

    @property
    def words_(self) -> tuple[str, ...]:
        """The words of the training text."""
        return tuple(map(str, self.model_.schema.classes))

    @cached_property
    def _shares(self) -> np.ndarray:
        """The share of each word in the text, and last that of all words that it does not have."""
        frequency = self._frequency
        shares: np.ndarray = np.append(frequency, len(frequency)) / (frequency.sum() + len(frequency))
        return shares

    @property
    def _frequency(self) -> np.ndarray:
        model = self.model_
        frequency: np.ndarray = (
            model.preference if isinstance(model, IGTree) else model.below.voting.preference
        ).frequency
        return frequency

    def predict(self, words: Iterable[str], n: int = 5, *, n_places: int = 0) -> list[Continuation]:
        """Return the n most probable next words after some words, the most probable first.

        With `n_places`, each has up to that many places in the text where it followed the context that was met.
        """
        model = self.model_
        if not is_whole(n, 1) or not is_whole(n_places, 0):
            raise CasebaseError(f"n is at least 1, and n_places at least 0; got {n!r} and {n_places!r}.")
        before = [OUTSIDE] * self.n_words + _checked_words(words)
        query = model.schema.encode([before[len(before) - self.n_words :]])
        shares = self._shares[:-1].copy()
        for contexts, is_met in self._contexts(query):
            if is_met[0]:
                n_places_met, n_different = contexts.votes.sum(), len(contexts.votes)
                shares *= n_different / (n_places_met + n_different)
                shares[contexts.vote_label] += contexts.votes / (n_places_met + n_different)
        answers = model.answer(query)
        counts = dict(zip(answers.vote_label.tolist(), answers.votes.tolist()))
        # Equally probable words: the answer of the method comes first, then the order of spelling.
        labels = np.arange(len(shares))
        best = np.lexsort((labels, labels != answers.label[0], -shares))[:n]
        rows = self._deciding_rows(query, answers) if n_places else np.empty(0, np.int64)
        return [
            Continuation(
                str(model.schema.classes[i]),
                float(shares[i]),
                counts.get(i, 0.0),
                self._places(rows, i, n_places) if n_places and i in counts else (),
            )
            for i in best.tolist()
        ]

    def evaluate(self, sentences: Any, *, progress: Progress | None = None) -> LanguageScores:
        """Return how well each word of a text is predicted from the words before it."""
        text = sentences_of(sentences, tagged=False)
        truth, log_shares, n_right = self._truth(text), 0.0, 0
        queries = asked_cases(text, self.model_.schema)
        for begin in range(0, text.n_tokens, AT_ONCE):
            part = queries.take(np.arange(begin, min(begin + AT_ONCE, text.n_tokens)))
            words = truth[begin : begin + part.n_cases]
            shares = self._shares[words]
            for contexts, is_met in self._contexts(part):
                shares = np.where(is_met, _mixed(contexts, words, shares), shares)
            n_right += int((contexts.label == words).sum())
            log_shares += float(np.log2(shares).sum())
            if progress:
                progress(begin + len(words), text.n_tokens)
        unknown = int((truth == len(self._frequency)).sum())
        return LanguageScores(text.n_tokens, n_right, unknown, float(2 ** (-log_shares / text.n_tokens)))

    def _contexts(self, queries: Cases) -> Iterator[tuple[Answers, np.ndarray]]:
        """Yield the answers to longer and longer parts of the contexts, at last to all, and which were met so far.

        In a part of a context, the less relevant words count as never seen.
        """
        model = self.model_
        if isinstance(model, TRIBL2):  # no tree has the shorter contexts
            yield model.answer(queries, n_jobs=n_threads(self.n_jobs)), np.ones(queries.n_cases, dtype=bool)
            return
        order = model.order.tolist()
        for length in range(1, len(order) + 1):
            columns = list(queries.columns)
            for feature in order[length:]:
                vocabulary = model.schema.features[feature].vocabulary
                assert vocabulary is not None
                columns[feature] = np.full_like(columns[feature], vocabulary.unknown)
            answers = model.answer(replace(queries, columns=tuple(columns)), n_jobs=n_threads(self.n_jobs))
            assert answers.depth is not None
            yield answers, answers.depth == length

    def most_likely(self, sentences: Any) -> list[str]:
        """Return for each word of a text, sentence after sentence, the word that was expected in its place."""
        model = self.model_
        queries = asked_cases(sentences_of(sentences, tagged=False), model.schema)
        words: list[str] = []
        for begin in range(0, queries.n_cases, AT_ONCE):
            part = queries.take(np.arange(begin, min(begin + AT_ONCE, queries.n_cases)))
            labels = model.answer(part, n_jobs=n_threads(self.n_jobs)).label
            words += [str(model.schema.classes[label]) for label in labels.tolist()]
        return words

    def _truth(self, text: Sentences) -> np.ndarray:
        """Return the class of each token; the number behind the last one for words that are not in the memory."""
        code_of = {word: code for code, word in enumerate(self.model_.schema.classes)}
        words = text.words.dictionary.to_pylist()
        codes = np.array([code_of.get(word, len(code_of)) for word in words], dtype=np.int64)
        of_tokens: np.ndarray = codes[codes_in(text.words)]
        return of_tokens

    def _deciding_rows(self, query: Cases, answers: Answers) -> np.ndarray:
        """Return the stored windows that voted, in the order of the text."""
        model, memory = self.model_, self._memory
        if isinstance(model, TRIBL2):
            rows = model.deciding(query).rows.astype(np.int64)
        else:
            assert answers.depth is not None
            rows = np.arange(memory.n_cases)
            segment = memory.segments[0]
            for level, feature in enumerate(memory.order[: int(answers.depth[0])].tolist()):
                column = segment.columns[level][rows]
                first, end = (np.searchsorted(column, query.columns[feature][0], side) for side in ("left", "right"))
                rows = rows[first:end]
        return rows[np.argsort(memory.given(rows), kind="stable")]

    @property
    def _memory(self) -> Memory:
        model = self.model_
        memory = model.memory if isinstance(model, IGTree) else model.below.memory
        if memory is None:
            raise CasebaseError("The model was saved without its windows (keep_cases=False): it cannot show places.")
        return memory

    def _places(self, rows: np.ndarray, label: int, limit: int) -> tuple[Place, ...]:
        memory, schema = self._memory, self.model_.schema
        rows = rows[memory.labels(rows) == label][:limit]
        segment, places = memory.segments[0], []
        for row, number in zip(rows.tolist(), memory.ids(rows).tolist()):
            words = [""] * len(schema.features)
            for level, feature in enumerate(memory.order.tolist()):
                vocabulary = schema.features[feature].vocabulary
                assert vocabulary is not None
                words[feature] = vocabulary.value(int(segment.columns[level][row])) or ""
            shown = tuple(word for word in words if word != OUTSIDE)
            places.append(Place(shown, str(schema.classes[label]), number))
        return tuple(places)

    def save(self, path: Target) -> None:
        """Write the model to a file, which is also a model of its method."""
        with self._saving(path):
            methods.save(path, self.model_)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, n_jobs: int | None = None) -> Self:
        """Return the language model that was saved to a file."""
        model: Self = cls._from_path(path)
        model.n_jobs = n_jobs
        return model

    @classmethod
    def _from_file(cls, name: str, header: Header, arrays: CheckedArrays) -> Self:
        found: Any = methods.model_of(name, header, arrays).model
        is_of_words = found.schema.names == names_of(len(found.schema.features))
        if not isinstance(found, IGTree | TRIBL2) or not is_of_words:
            raise ModelFileError(
                f"{name} is a model of {found.method!r} with the features {', '.join(found.schema.names[:3])}, not a "
                "language model, whose features are words before."
            )
        model = cls(len(found.schema.features), found.method)
        model._take(found)
        return model


def _checked_words(words: Any) -> list[str]:
    given = None if isinstance(words, str) or not isinstance(words, Iterable) else list(words)
    if given is None or not all(isinstance(word, str) and word for word in given):
        raise CasebaseError(f"Expected a list of words, such as ['in', 'the']; got {words!r}.")
    return given


def _mixed(contexts: Answers, words: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the probability of one word per context, given its probability in a shorter one."""
    query = np.repeat(np.arange(len(words)), contexts.n_votes)
    n = np.bincount(query, contexts.votes, minlength=len(words))
    own = np.bincount(query, contexts.votes * (contexts.vote_label == words[query]), minlength=len(words))
    mixed: np.ndarray = (own + contexts.n_votes * shares) / (n + contexts.n_votes)
    return mixed
