"""Hierarchical rules over strings: a default, pieces of strings that are exceptions to it, and exceptions to those.

The first level with a rule whose piece occurs in a string decides its class; if no level has one, the default decides.

Reference: Kivinen, Mannila, Ukkonen, Vilo, "An algorithm for learning hierarchical classifiers" (1994), section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase.data.columns import spelling
from casebase.data.labels import coded_labels
from casebase.errors import CasebaseError, NoConsistentRuleError, unknown_name
from casebase.progress import Progress
from casebase.rules.windows import Round, windowed
from casebase.strings.classes import class_table
from casebase.strings.evidence import StringEvidence, asked_piece, evidence_for
from casebase.strings.inputs import AskedStrings, check_trainable
from casebase.strings.matcher import CompiledPieces, PlacesAsked
from casebase.strings.piece import LETTERS, Piece, is_classes
from casebase.strings.pieces import Choice, StringExamples, parse_piece
from casebase.strings.search import ForcedPiece, PieceRule, find_piece_rule
from casebase.strings.settings import Settings
from casebase.strings.texts import EDGE, as_codes, class_codes

N_SHOWN = 3  # strings in an error message


@dataclass(frozen=True)
class StringRule:
    """If the string has the piece, then the label. Levels count from 1, the level that is tried first."""

    level: int
    label: int
    piece: Piece


@dataclass(frozen=True, eq=False)
class StringRules:
    """Rules in the order in which they are tried, the default, and the training strings.

    Within a level, rules whose piece occurs in more strings come first. `n_levels` includes empty levels. `classes` are
    those of the strings, `letters` the classes of letters. The distinct strings are sorted, with a label and a weight
    each.
    """

    rules: tuple[StringRule, ...]
    default: int
    n_levels: int
    cost: float
    classes: tuple[Any, ...]
    letters: dict[str, str] | None
    asked: AskedStrings
    known_labels: np.ndarray
    weights: np.ndarray
    settings: Settings
    rounds: tuple[Round, ...] = ()
    target: str = "class"

    method: ClassVar[str] = "strings"

    @cached_property
    def compiled(self) -> CompiledPieces:
        """The pieces in a trie."""
        return CompiledPieces([rule.piece for rule in self.rules], self.letters, self.settings.edges)

    @cached_property
    def labels(self) -> np.ndarray:
        """The class of each rule, the default's last."""
        return np.array([*(rule.label for rule in self.rules), self.default], dtype=np.int64)

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """The letters of the training strings."""
        return frozenset("".join(self.asked.strings))

    @cached_property
    def fired(self) -> np.ndarray:
        """The rule that decides each training string; the default is one past the last."""
        return self.decided(self.asked)

    @cached_property
    def counts(self) -> np.ndarray:
        """The weight of the training strings that each rule decides, by class; the last row is the default's."""
        shape = len(self.rules) + 1, len(self.classes)
        cells = self.fired * shape[1] + self.known_labels
        return np.bincount(cells, self.weights, minlength=shape[0] * shape[1]).reshape(shape)

    @property
    def n_unexplained(self) -> float:
        """The weight of the training strings that the rules get wrong: the noise."""
        right = self.counts[np.arange(len(self.counts)), self.labels].sum()
        return float(self.counts.sum() - right)

    def level_of(self, number: int) -> int:
        """Return the level of a rule; the default comes after the last level."""
        return self.rules[number].level if number < len(self.rules) else self.n_levels + 1

    def decided(self, asked: AskedStrings, n_jobs: int = 1) -> np.ndarray:
        """Return the first rule that holds for each string; the default is one past the last."""
        self._check_places(asked)
        return self.compiled.first_match(PlacesAsked.of_strings(asked.strings, asked.places), n_jobs)

    def holding(self, asked: AskedStrings) -> list[int]:
        """Return the rules that hold for one string, in their order."""
        self._check_places(asked)
        numbers: list[int] = self.compiled.matches(PlacesAsked.of_strings(asked.strings, asked.places))[0].tolist()
        return numbers

    def answer(self, asked: AskedStrings, n_jobs: int = 1) -> np.ndarray:
        """Return the code of the class of each string."""
        codes: np.ndarray = self.labels[self.decided(asked, n_jobs)]
        return codes

    def shares(self, asked: AskedStrings, n_jobs: int = 1) -> np.ndarray:
        """Return the shares of the classes among the training strings that the deciding rule decides."""
        counts = self.counts.copy()
        counts[np.flatnonzero(counts.sum(axis=1) == 0), self.labels[counts.sum(axis=1) == 0]] = 1.0
        shares: np.ndarray = (counts / counts.sum(axis=1, keepdims=True))[self.decided(asked, n_jobs)]
        return shares

    def explain(self, asked: AskedStrings, limit: int = 5) -> list[StringEvidence]:
        """Return the rule that decided each string, with at most `limit` of the training strings it holds for."""
        return [evidence_for(self, asked, i, limit) for i in range(len(asked))]

    @cached_property
    def _matches(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rules that hold for the training strings, and these strings, by rule; and where each rule begins."""
        rule, example = self.compiled.matches(PlacesAsked.of_strings(self.asked.strings, self.asked.places))
        order = np.argsort(rule, kind="stable")
        return rule[order], example[order], np.searchsorted(rule[order], np.arange(len(self.rules) + 1))

    def extent(self, number: int) -> np.ndarray:
        """Return the training strings for which a rule holds; the default holds for all."""
        if number == len(self.rules):
            return np.arange(len(self.asked))
        _, example, first = self._matches
        return example[first[number] : first[number + 1]]

    def exceptions_to(self, number: int) -> list[int]:
        """Return the exceptions to a rule.

        These are the rules of the level before, with another class, that share a string of that class with the rule.
        """
        inside = np.zeros(len(self.asked), dtype=bool)
        inside[self.extent(number)] = True
        rule, example, _ = self._matches
        level = np.array([one.level for one in self.rules], dtype=np.int64)
        is_before = (level == self.level_of(number) - 1) & (self.labels[:-1] != self.labels[number])
        shared = is_before[rule] & inside[example] & (self.known_labels[example] == self.labels[rule])
        numbers: list[int] = np.unique(rule[shared]).tolist()
        return numbers

    def summary(self) -> dict[str, Any]:
        """Return what the model is: its numbers, settings, classes and rules."""
        frequencies = np.bincount(self.known_labels, self.weights, minlength=len(self.classes)).tolist()
        return {
            "learner": self.method,
            "parameters": self.settings.to_dict(),
            "target": self.target,
            "n_strings": float(self.weights.sum()),
            "n_distinct": len(self.asked),
            "has_places": self.asked.places is not None,
            "n_levels": self.n_levels,
            "n_rules": len(self.rules),
            "cost": self.cost,
            "n_unexplained": self.n_unexplained,
            "rounds": [[one.n_examples, one.n_wrong] for one in self.rounds],
            "letters": self.letters,
            "classes": [{"label": label, "frequency": n} for label, n in zip(self.classes, frequencies)],
            "rules": [vars(asked_piece(self, number)) for number in range(len(self.rules) + 1)],
        }

    def _check_places(self, asked: AskedStrings) -> None:
        if len(asked) and (asked.places is None) != (self.asked.places is None):
            mark = self.settings.mark
            expected = (
                f"a place: mark it, as in 'na{mark}tion', or give a pair of the string and a position"
                if asked.places is None
                else "no place, as those that the rules were learned from"
            )
            raise CasebaseError(f"Expected strings with {expected}; got {asked.marked(0, mark)!r}.")

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to copy or pickle; cached properties are computed again."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def fit(
    asked: AskedStrings,
    labels: Any,
    settings: Settings | None = None,
    *,
    weights: np.ndarray | None = None,
    names: Sequence[str] | None = None,
    target: str = "class",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> StringRules:
    """Return a near-shortest hierarchical rule for strings and their classes.

    >>> asked = AskedStrings(("walked", "talked", "walks", "red", "bed"), None)
    >>> model = fit(asked, ["verb", "verb", "verb", "noun", "noun"])
    >>> [(rule.piece.text, model.classes[rule.label]) for rule in model.rules], model.classes[model.default]
    ([('a', 'verb')], 'noun')
    """
    settings = settings or Settings()
    check_trainable(asked, edges=settings.edges, names=names)
    found, codes = coded_labels(np.asarray(labels))
    if len(codes) != len(asked) or not len(asked):
        raise CasebaseError(f"Expected a class for each string, and at least one: {len(asked)} strings, {len(codes)}.")
    classes = tuple(found.tolist())
    asked, known, amounts = _distinct(asked, codes.astype(np.int64), weights)
    table = class_table(settings.classes, asked.strings, amounts, reserved=f"{EDGE}{settings.mark}\0")
    letters = None if table is None else dict(sorted(table.items()))
    if settings.around and (letters is None or asked.places is None):
        raise CasebaseError("around=True needs classes of letters, and strings with a place: the letter at it stays.")
    if settings.by_letter and asked.places is None:
        raise CasebaseError("by_letter=True needs strings with a place: each letter after it has its own default.")
    search = _Search(asked, known, amounts, classes, letters, settings, n_jobs, progress)
    rounds: tuple[Round, ...] = ()
    everything = np.arange(len(asked))
    try:
        if settings.window is None:
            model = search.rules(everything)
        else:
            model, rounds = windowed(
                len(asked), search.rules, search.wrong, fraction=settings.window, seed=settings.random_state
            )
    except NoConsistentRuleError as error:
        raise search.failure(error) from None
    rules, default, n_levels, cost = model
    return StringRules(
        rules, default, n_levels, cost, classes, letters, asked, known, amounts, settings, rounds, target
    )


Found = tuple[tuple[StringRule, ...], int, int, float]


class _Search:
    """The search for rules that are right on a part of the strings."""

    def __init__(
        self,
        asked: AskedStrings,
        labels: np.ndarray,
        weights: np.ndarray,
        classes: tuple[Any, ...],
        letters: dict[str, str] | None,
        settings: Settings,
        n_jobs: int,
        progress: Progress | None,
    ) -> None:
        self.asked, self.labels, self.classes, self.letters = asked, labels, classes, letters
        self.settings, self.n_jobs, self.progress = settings, n_jobs, progress
        self.support, self.part = weights, np.zeros(0, dtype=np.int64)
        self.weights = None if (weights == weights[0]).all() else weights
        self.examples = examples_of(asked, letters, edges=settings.edges)
        names = sorted(set((letters or {}).values()))
        has_places = asked.places is not None

        def parsed(name: str) -> Piece:
            piece = parse_piece(name, settings.mark, names, has_places=has_places)
            if is_classes(piece.kind) and letters is None:
                raise CasebaseError(f"The piece {name!r} is one of classes, and there are none.")
            return piece

        self.forced = [_forced(one, parsed, classes) for one in settings.force or ()]
        if settings.by_letter:
            taken = {one.piece for one in self.forced}
            self.forced += [one for one in _by_letter(asked, labels, weights) if one.piece not in taken]
        self.choice = Choice(
            settings.cost,
            settings.max_length,
            settings.max_class_length,
            settings.anywhere,
            settings.around,
            tuple(parsed(name) for name in settings.forbid or ()),
            settings.mark,
        )

    def rules(self, part: np.ndarray) -> Found:
        """Return rules that are right on some of the strings, in the order in which they are tried."""
        self.part = part
        rule = find_piece_rule(
            self.examples,
            part,
            self.labels,
            self.choice,
            n_classes=len(self.classes),
            depth=self.settings.depth,
            noise=self.settings.noise,
            forced=self.forced,
            weights=self.weights,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        return self._in_order(rule), rule.default, len(rule.levels), rule.cost

    def wrong(self, found: Found) -> np.ndarray:
        """Return the strings that the rules get wrong."""
        rules, default, *_ = found
        labels = np.array([*(rule.label for rule in rules), default], dtype=np.int64)
        fired = self._compiled([rule.piece for rule in rules]).first_match(self.examples.asked, self.n_jobs)
        return np.flatnonzero(labels[fired] != self.labels)

    def _in_order(self, rule: PieceRule) -> tuple[StringRule, ...]:
        listed = [StringRule(n, label, piece) for n, level in enumerate(rule.levels, 1) for piece, label in level.rules]
        piece, example = self._compiled([one.piece for one in listed]).matches(self.examples.asked)
        support = np.bincount(piece, self.support[example], minlength=len(listed))
        order = sorted(range(len(listed)), key=lambda i: (listed[i].level, -support[i], i))
        return tuple(listed[i] for i in order)

    def _compiled(self, pieces: list[Piece]) -> CompiledPieces:
        return CompiledPieces(pieces, self.letters, self.settings.edges)

    def failure(self, error: NoConsistentRuleError) -> NoConsistentRuleError:
        """Return the error with strings in place of the numbers of examples."""
        rows = [int(self.part[x]) for x in error.conflicts]
        mark = self.settings.mark
        shown = ", ".join(f"{self.asked.marked(i, mark)} ({self.classes[self.labels[i]]})" for i in rows[:N_SHOWN])
        such = f" {len(rows)} strings are in conflict, such as {shown}." if shown else ""
        return NoConsistentRuleError(f"{error}{such}", error.n_conflicts, rows[: len(error.examples)], rows)


def examples_of(asked: AskedStrings, letters: dict[str, str] | None, *, edges: bool) -> StringExamples:
    """Return strings as examples; several places in one string share its text."""
    distinct = sorted(set(asked.strings))
    number = {string: i for i, string in enumerate(distinct)}
    word = np.array([number[string] for string in asked.strings], dtype=np.int64)
    edge = EDGE if edges else ""
    text = "".join(f"{edge}{string}{edge}" for string in distinct)
    first = np.concatenate([[0], np.cumsum([len(string) + 2 * len(edge) for string in distinct], dtype=np.int64)])
    place = first[word] + (0 if asked.places is None else len(edge) + np.array(asked.places, dtype=np.int64))
    codes = as_codes(text)
    return StringExamples(
        rows=(codes,) if letters is None else (codes, class_codes(text, letters)),
        first=first,
        word=word,
        place=place.astype(np.uint32),
        classes=letters,
        has_edges=edges,
        has_places=asked.places is not None,
    )


def _distinct(
    asked: AskedStrings, codes: np.ndarray, weights: np.ndarray | None
) -> tuple[AskedStrings, np.ndarray, np.ndarray]:
    """Return the distinct strings with their classes, sorted, and their summed weights.

    Sorting makes the first window, and the rules, independent of the order of the input.
    """
    amounts = np.ones(len(asked)) if weights is None else np.asarray(weights, dtype=float)
    if amounts.shape != (len(asked),) or not (np.isfinite(amounts).all() and (amounts >= 0).all() and amounts.any()):
        raise CasebaseError("weights needs a number of at least 0 for each string, and one above 0.")
    places = asked.places or (0,) * len(asked)
    total: dict[tuple[str, int, int], float] = {}
    for string, place, code, weight in zip(asked.strings, places, codes.tolist(), amounts.tolist()):
        if weight:
            total[string, place, code] = total.get((string, place, code), 0.0) + weight
    order = sorted(total)
    kept = AskedStrings(
        tuple(string for string, _, _ in order),
        None if asked.places is None else tuple(place for _, place, _ in order),
    )
    return kept, np.array([code for *_, code in order], dtype=np.int64), np.array([total[key] for key in order])


def _by_letter(asked: AskedStrings, labels: np.ndarray, weights: np.ndarray) -> list[ForcedPiece]:
    """Return the most frequent class of each letter after the place, where it is not that of all strings."""
    counts: dict[str, np.ndarray] = {}
    total = np.bincount(labels, weights)
    for string, place, label, weight in zip(asked.strings, asked.places or (), labels.tolist(), weights.tolist()):
        if place < len(string):
            counts.setdefault(string[place], np.zeros_like(total))[label] += weight
    most = int(total.argmax())
    found = {letter: int(row.argmax()) for letter, row in sorted(counts.items())}
    return [ForcedPiece(Piece(letter, 0, LETTERS), label) for letter, label in found.items() if label != most]


def _forced(given: Any, parsed: Any, classes: tuple[Any, ...]) -> ForcedPiece:
    if isinstance(given, str) or not 2 <= len(given) <= 3 or not isinstance(given[0], str):
        raise CasebaseError(
            f"force is a list of pairs of a piece and a class, such as [('|tion', 'SH')]; got {given!r}."
        )
    name, label, *level = given
    texts = [str(spelling(one)) for one in classes]
    if str(spelling(label)) not in texts:
        raise CasebaseError(unknown_name("class", label, texts))
    return ForcedPiece(parsed(name), texts.index(str(spelling(label))), level[0] if level else None)
