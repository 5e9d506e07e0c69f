"""The memories and weights of the committees of `casebase.tagging.presets`, fitted on held-out sentences.

    python -m lab.bench.tagger_weights chunks       the chunker, on fifths of CoNLL-2000's training file
    python -m lab.bench.tagger_weights known        known words, on ninths of Brown's training part
    python -m lab.bench.tagger_weights unknown      unknown words, on the same
    python -m lab.bench.tagger_weights early        the memories that are asked first about known words, on the same

The score of a tag is a weighted sum of terms: the logarithm of what the word itself lets one expect, and what each
level of each memory changes about it. So each held-out part is described by the terms that the memories of all other
parts give (`committee_terms` in the core), and the weights are those under which its tags are most probable, with a
normal prior: a conditional logit model. It begins with more memories than a tagger should have. Levels are then taken
from the ends of memories, those first that the likelihood misses least, by its second derivatives, as if the other
weights were fitted again; and the weights of what is left are fitted once more. Two parts are not used for that, and
show how well it does; the weights that are printed are fitted on all parts. The test parts are not read.

The memories that are asked first are the beginnings of a few others. Several choices are fitted on three parts; for
each the fourth shows how many words have a tag of a given share, which is then taken, and how many errors that adds.

The same files give the same lists; the third decimal of a weight may depend on the libraries of linear algebra.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from casebase import _native
from casebase.tagging.committee import Committee, CommitteeSettings, fit, settings_from
from casebase.tagging.presets import CHUNKS, WORDS
from casebase.tagging.sentences import Sentences, codes_in
from casebase.tagging.tagger import Tagger
from lab.bench.tagger_candidates import CHUNK_MEMORIES, KNOWN_MEMORIES, UNKNOWN_MEMORIES
from lab.bench.tagger_quality import Part, brown_parts, chunk_cells, chunk_parts, word_cells

PRIOR = 10.0  # the precision of the normal prior around 0
DECIMALS = 3
BLOCK = 20_000  # words whose second derivatives are added up at once


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of the candidates of held-out words: a row for each candidate, the first of word i at `first[i]`.

    Every word has exactly one candidate that `is_right`.
    """

    values: np.ndarray
    is_right: np.ndarray
    first: np.ndarray

    @staticmethod
    def of(model: Committee, held_out: Sentences, group: str) -> "Terms":
        """Describe the words that a group of memories is asked about; the tags to the left are the right ones.

        Words whose right tag is no candidate are left out: no weights help them.
        """
        assert held_out.tags is not None
        tags = model.tags.encode(held_out.tags.dictionary)[codes_in(held_out.tags)]
        is_new = (tags < 0) | (tags >= len(model.tags))
        asked = model._arguments(model._coded(held_out.untagged()))
        tokens, candidates, values = _native.committee_terms(
            **asked,
            form_of_word=model._is_form_of_word,
            tags=np.where(is_new, 0, tags).astype(np.uint32),
            of_unknown=group == "unknown",
        )
        is_right = (tags[tokens] == candidates) & ~is_new[tokens]
        found = Terms(values.reshape(len(tokens), -1), is_right, _runs(tokens))
        return found._of_words(np.add.reduceat(is_right, found.first, dtype=np.int64) == 1 if len(tokens) else [])

    @staticmethod
    def together(parts: Sequence["Terms"]) -> "Terms":
        """Return the words of several held-out parts."""
        offsets = np.cumsum([0, *(len(part.is_right) for part in parts[:-1])])
        return Terms(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.is_right for part in parts]),
            np.concatenate([part.first + offset for part, offset in zip(parts, offsets)]),
        )

    @property
    def n_words(self) -> int:
        return len(self.first)

    def columns(self, kept: Sequence[int]) -> "Terms":
        return Terms(np.ascontiguousarray(self.values[:, kept]), self.is_right, self.first)

    def _of_words(self, are_kept: Iterable[bool]) -> "Terms":
        n_rows = np.diff(np.append(self.first, len(self.is_right)))
        rows = np.repeat(np.fromiter(are_kept, bool, len(n_rows)), n_rows)
        words = np.repeat(np.arange(len(n_rows)), n_rows)[rows]
        return Terms(self.values[rows], self.is_right[rows], _runs(words))

    def shares(self, weights: np.ndarray) -> np.ndarray:
        """Return the probability of each candidate among those of its word."""
        scores = (self.values @ weights.astype(np.float32)).astype(np.float64)
        n_rows = np.diff(np.append(self.first, len(scores)))
        shares = np.exp(scores - np.repeat(np.maximum.reduceat(scores, self.first), n_rows))
        found: np.ndarray = shares / np.repeat(np.add.reduceat(shares, self.first), n_rows)
        return found

    def log_loss(self, weights: np.ndarray) -> float:
        """Return the sum over all words of −log(probability of the right tag)."""
        return float(-np.log(np.maximum(self.shares(weights)[self.is_right], 1e-300)).sum())

    def n_errors(self, weights: np.ndarray) -> int:
        shares = self.shares(weights)
        return int((shares[self.is_right] < np.maximum.reduceat(shares, self.first)).sum())

    def gradient(self, weights: np.ndarray) -> np.ndarray:
        missed = (self.shares(weights) - self.is_right).astype(np.float32)
        slope: np.ndarray = (missed @ self.values).astype(np.float64)
        return slope

    def curvature(self, weights: np.ndarray) -> np.ndarray:
        """Return the second derivatives of the log loss."""
        shares = self.shares(weights).astype(np.float32)[:, None]
        total = np.zeros((self.values.shape[1],) * 2)
        for begin in range(0, self.n_words, BLOCK):
            first = self.first[begin : begin + BLOCK]
            end = self.first[begin + BLOCK] if begin + BLOCK < self.n_words else len(shares)
            values, weighted = self.values[first[0] : end], self.values[first[0] : end] * shares[first[0] : end]
            means = np.add.reduceat(weighted, first - first[0])
            total += values.T @ weighted - means.T @ means
        return total


def _runs(numbers: np.ndarray) -> np.ndarray:
    """Return where each run of equal numbers begins."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])) if len(numbers) else np.empty(0, np.int64)


def fit_weights(terms: Terms, *, start: np.ndarray | None = None, prior: float = PRIOR, steps: int = 150) -> np.ndarray:
    """Return the weights of all terms with the smallest log loss and `prior / 2` times the sum of their squares."""

    def objective(weights: np.ndarray) -> tuple[float, np.ndarray]:
        loss = terms.log_loss(weights) + prior / 2 * float(weights @ weights)
        return loss, terms.gradient(weights) + prior * weights

    begin = np.zeros(terms.values.shape[1]) if start is None else start
    options = {"maxiter": steps, "maxcor": 20}
    weights: np.ndarray = minimize(objective, begin, jac=True, method="L-BFGS-B", options=options).x
    return weights


def eliminate(curvature: np.ndarray, weights: np.ndarray, memories: Sequence[Sequence[int]], n_left: int) -> list[int]:
    """Return how many levels of each memory to keep, `n_left` in all; a memory is a list of its levels' columns.

    The loss is taken as a quadratic around its minimum. Then leaving out the columns S costs ½ w_S' (C_SS)⁻¹ w_S, with
    C the inverse of the second derivatives, and the other weights move by −C_:S (C_SS)⁻¹ w_S.
    """
    inverse, weights = np.linalg.inv(curvature), weights.copy()
    alive = [list(columns) for columns in memories]

    def cheapest() -> tuple[int, int]:
        costs = []
        for m, columns in enumerate(alive):
            for n in range(1, len(columns) + 1):
                gone = columns[-n:]
                cost = weights[gone] @ np.linalg.solve(inverse[np.ix_(gone, gone)], weights[gone]) / 2
                costs.append((cost / (n + (n == len(columns))), m, n))  # a memory costs a search of its own
        return min(costs)[1:]

    while sum(map(len, alive)) > n_left:
        m, n = cheapest()
        gone, alive[m] = alive[m][-n:], alive[m][:-n]
        moved = np.linalg.solve(inverse[np.ix_(gone, gone)], np.column_stack([weights[gone], inverse[gone]]))
        weights = weights - inverse[:, gone] @ moved[:, 0]
        inverse = inverse - inverse[:, gone] @ moved[:, 1:]
    return [len(columns) for columns in alive]


def shortened(memories: Sequence[str], n_levels: Sequence[int]) -> dict[str, int]:
    """Return the memories that are left, with the number of the one that each came from; equal ones are one."""
    left: dict[str, int] = {}
    for i, (features, n) in enumerate(zip(memories, n_levels)):
        if n:
            left.setdefault(" ".join(features.split()[:n]), i)
    return left


def columns_of(memories: Iterable[str]) -> list[list[int]]:
    """Return the columns of each memory's levels; column 0 is the word itself.

    >>> columns_of(["word tag-1", "word"])
    [[1, 2], [3]]
    """
    columns, end = [], 1
    for features in memories:
        n = len(features.split())
        columns.append(list(range(end, end + n)))
        end += n
    return columns


def committee_with(group: str, memories: Sequence[str], weights: np.ndarray, rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a committee in which a group has these memories, with their weights, rounded."""
    rounded = [float(weight) for weight in np.round(weights, DECIMALS) + 0.0]
    of = {features: tuple(rounded[c] for c in columns) for features, columns in zip(memories, columns_of(memories))}
    if group == "known":
        rest = {**rest, "early": {}}  # its memories are beginnings of other ones
    return {**rest, group: of, f"{group}_start": rounded[0]}


@dataclass(frozen=True)
class Task:
    """A group of memories: `parts` are (what is learned from, what is held out); the first `n_fitted` choose levels."""

    group: str
    memories: Sequence[str]
    committee: Mapping[str, Any]
    parts: Sequence[Part]
    n_fitted: int
    n_left: int

    def settings(self, memories: Iterable[str]) -> CommitteeSettings:
        return settings_from({self.group: dict.fromkeys(memories, 1.0)}, self.committee)

    def terms(self) -> list[Terms]:
        settings = self.settings(self.memories)
        return [Terms.of(fit(learnt, settings, n_jobs=2), held_out, self.group) for learnt, held_out in self.parts]

    def run(self) -> Iterator[str | dict[str, Any]]:
        """Yield what was found on the way, and at the end the committee."""
        terms = self.terms()
        fitted = Terms.together(terms[: self.n_fitted])
        weights = fit_weights(fitted)
        yield f"{len(self.memories)} memories, {len(weights)} weights: {self._described(terms, weights)}"
        curvature = fitted.curvature(weights) + PRIOR * np.eye(len(weights))
        n_levels = eliminate(curvature, weights, columns_of(self.memories), self.n_left)
        left = shortened(self.memories, n_levels)
        names, all_columns = list(left), columns_of(self.memories)
        kept = [0, *(c for name, i in left.items() for c in all_columns[i][: len(name.split())])]
        terms = [part.columns(kept) for part in terms]
        weights = fit_weights(fitted.columns(kept), start=weights[kept])
        yield f"{len(names)} memories, {len(kept)} weights: {self._described(terms, weights)}"
        checked = committee_with(self.group, names, weights, self.committee)
        cells = chunk_cells if self.committee.get("form") == CHUNKS["form"] else word_cells
        for learnt, held_out in self.parts[self.n_fitted :]:
            scores = Tagger(committee=checked).fit(learnt).evaluate(held_out)
            yield f"a part that nothing was fitted on: {' / '.join(cells(scores))}"
        weights = fit_weights(Terms.together(terms), start=weights)
        yield committee_with(self.group, names, weights, self.committee)

    def _described(self, terms: Sequence[Terms], weights: np.ndarray) -> str:
        sums = [(part.log_loss(weights), part.n_errors(weights), part.n_words) for part in terms]
        return "; ".join(f"loss {loss:.0f}, {wrong} of {n} wrong" for loss, wrong, n in sums)


def ninths(numbers: Sequence[int]) -> list[Part]:
    """Return these ninths of Brown's training part, counted from 1, each with the other eight."""
    train, _ = brown_parts()
    every = np.arange(train.n_sentences)
    cuts = [train.n_sentences * i // 9 for i in range(10)]
    held_out = [every[cuts[i - 1] : cuts[i]] for i in numbers]
    return [(train.take(np.setdiff1d(every, rows)), train.take(rows)) for rows in held_out]


def task(name: str) -> Task:
    if name == "chunks":
        return Task("known", CHUNK_MEMORIES, CHUNKS, chunk_parts(), n_fitted=3, n_left=180)
    if name == "known":
        return Task("known", KNOWN_MEMORIES, WORDS, ninths([1, 3, 5, 6]), n_fitted=3, n_left=22)
    if name == "unknown":
        return Task("unknown", UNKNOWN_MEMORIES, WORDS, ninths([1, 2, 3, 4, 5, 6, 7]), n_fitted=5, n_left=40)
    sys.exit(__doc__)


EARLY = (  # the first is the default
    ("ambitag+1 word", "capital tag-1", "word wordclass-1"),
    ("ambitag ambitag+1", "capital tag-1"),
    ("word+1 word", "capital tag-1"),
    ("ambitag+1 word", "capital tag-1"),
    ("ambitag+1 word ambitag+2", "capital tag-1"),
    ("ambitag+1 word", "tag-1 tag-2"),
    ("ambitag+1 word", "word wordclass-1"),
    ("suffix3 tag-1 ambitag+1", "word+1 word"),
)
SHARES = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97)


def early() -> Iterator[str | dict[str, Any]]:
    """Yield what several choices of early memories decide, and at the end the committee with the first of them."""
    known = list(WORDS["known"])
    chosen = Task("known", known, WORDS, ninths([1, 3, 5, 6]), n_fitted=3, n_left=0)
    terms = chosen.terms()
    of_all = np.array([WORDS["known_start"], *(weight for memory in known for weight in WORDS["known"][memory])])
    shares = terms[-1].shares(of_all)
    for memories in EARLY:
        kept = _columns_of_beginnings(memories, known)
        held_out = terms[-1].columns(kept)
        early_shares = held_out.shares(fit_weights(Terms.together([part.columns(kept) for part in terms[:-1]])))
        largest = np.maximum.reduceat(early_shares, held_out.first)
        wrong, later = (_are_wrong(terms[-1], found) for found in (early_shares, shares))
        cells = []
        for share in SHARES:
            are_sure = largest >= share
            more = int(wrong[are_sure].sum()) - int(later[are_sure].sum())
            cells.append(f"{share}: {are_sure.mean():.3f} decided, {more:+} wrong")
        yield f"{', '.join(memories)}: {'; '.join(cells)} of {later.sum()}"
    weights = fit_weights(Terms.together([part.columns(_columns_of_beginnings(EARLY[0], known)) for part in terms]))
    yield committee_with("early", EARLY[0], weights, WORDS)


def _columns_of_beginnings(memories: Iterable[str], known: Sequence[str]) -> list[int]:
    """Return the columns of levels with which memories of known words begin; column 0 is the word itself."""
    columns = [0]
    for memory in memories:
        whole = next(i for i, other in enumerate(known) if f"{other} ".startswith(f"{memory} "))
        columns += columns_of(known)[whole][: len(memory.split())]
    return columns


def _are_wrong(terms: Terms, shares: np.ndarray) -> np.ndarray:
    wrong: np.ndarray = shares[terms.is_right] < np.maximum.reduceat(shares, terms.first)
    return wrong


def shown(committee: Mapping[str, Any], group: str) -> Iterator[str]:
    """Yield the lines of presets.py."""
    yield f'"{group}_start": {committee[f"{group}_start"]},'
    for features, weights in committee[group].items():
        yield f'"{features}": _weights("{" ".join(map(str, weights))}"),'


def main(name: str) -> None:
    group = {"chunks": "known"}.get(name, name)
    for found in early() if name == "early" else task(name).run():
        for line in [found] if isinstance(found, str) else shown(found, group):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
