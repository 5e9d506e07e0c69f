"""The metric of each feature, and the native search that applies it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from casebase import _native
from casebase.base.answers import Preference
from casebase.data import Feature, Schema
from casebase.data.arrow import pa
from casebase.data.checks import is_number, is_whole
from casebase.data.vocabulary import Vocabulary
from casebase.errors import CasebaseError
from casebase.measures.counts import Counts
from casebase.measures.distances import BY_CLASSES, BY_LETTERS, OF_WHOLE_ROWS
from casebase.measures.quirks import USUAL, Quirks
from casebase.memory.segments import Memory

KERNELS = {"overlap": "overlap", "numeric": "numeric", "euclidean": "squared", "cosine": "numeric", "dot": "numeric"}
CLIP = 10.0  # the default of TiMBL's -c
SMALLEST = float(np.nextafter(0.0, 1.0))
MISSING_TEXT = 0xFFFFFFFF


@dataclass(frozen=True, eq=False)
class Comparing:
    """The metric of each feature of a memory, by rank, with the statistics and options that it needs.

    `tables` has the class counts of each value for metrics that compare class distributions, and None for the others;
    a value with fewer than `threshold` cases is at distance 1 from all others. `quirks` are departures from the usual
    definitions; one of them uses `clip` to decide for which features an unknown value costs nothing. The distance
    `is_euclidean` as a whole if one feature has that metric.
    """

    metrics: tuple[str, ...]
    tables: tuple[Counts | None, ...]
    threshold: int = 1
    quirks: Quirks = USUAL
    clip: float = CLIP
    is_euclidean: bool = False

    @property
    def similarity(self) -> str:
        """The name of a metric of whole rows, or "none"."""
        name = self.metrics[0] if self.metrics else "none"
        if name not in OF_WHOLE_ROWS:
            return "none"
        return "cosine_unrounded" if name == "cosine" and self.quirks.unrounded_cosine else name

    @property
    def is_rooted(self) -> bool:
        """Whether a distance is the square root of the sum of the features' costs."""
        return self.is_euclidean and not self.quirks.root_per_feature

    def search(self, memory: Memory, schema: Schema, preference: Preference, missing_agrees: bool) -> _native.Search:
        """Return the native search index of the memory."""
        comparisons = [
            self._comparison(rank, schema.features[memory.order[rank]], preference, missing_agrees)
            for rank in range(len(self.metrics))
        ]
        segments = [(list(s.columns), s.labels, s.removed, self._divisors(s.exemplars)) for s in memory.segments]
        return _native.Search(segments, comparisons, missing_agrees, self.is_rooted, self.similarity)

    def _comparison(self, rank: int, feature: Feature, preference: Preference, missing_agrees: bool) -> object:
        metric, table = self.metrics[rank], self.tables[rank]
        if metric in BY_LETTERS:
            assert feature.vocabulary is not None
            kind = (
                "levenshtein_no_swap_at_start" if metric == "levenshtein" and self.quirks.no_swap_at_start else metric
            )
            costs_nothing = self.unknown_cost(len(feature.vocabulary)) == 0.0
            texts = stored_texts(feature.vocabulary, self.quirks.letters_are_bytes)
            return _native.TextDistance(kind, texts, 0.0 if costs_nothing else -1.0)
        if metric in BY_CLASSES:
            assert table is not None
            assert feature.vocabulary is not None
            outcast = None if missing_agrees else feature.vocabulary.missing
            return self._value_difference(metric, table, self._class_order(preference), outcast)
        return "root_of_squares" if metric == "euclidean" and self.quirks.root_per_feature else KERNELS[metric]

    def _value_difference(
        self, metric: str, table: Counts, class_order: np.ndarray, outcast: int | None
    ) -> _native.ValueDifference:
        """Return the differences of values by their class distributions; the value `outcast` has no distribution."""
        label = class_order[table.label].astype(np.uint32)
        cells = np.argsort(table.value * len(class_order) + label, kind="stable")  # fast: most tables are in order
        if outcast is not None:
            cells = cells[table.value[cells] != outcast]
        n_cells = np.bincount(table.value[cells], minlength=table.n_values)
        start = np.concatenate([[0], np.cumsum(n_cells)]).astype(np.uint64)
        # With a threshold of 1 every value that occurs is frequent enough, even if its cases weigh less than 1.
        at_least = float(self.threshold) if self.threshold > 1 else SMALLEST
        return _native.ValueDifference(
            metric,
            start,
            label[cells],
            table.count[cells].astype(float),
            len(class_order),
            at_least,
            self.unknown_cost(table.n_seen),
            self.quirks.lists_emptied_classes,
        )

    def unknown_cost(self, n_values: int) -> float:
        """Return the cost of an unknown value; as a quirk it is 0 if TiMBL's table of differences is complete."""
        is_complete = round(self.clip * float(np.log(max(n_values, 1)))) == 0
        return 0.0 if self.quirks.unknown_may_be_free and is_complete else 1.0

    def _class_order(self, preference: Preference) -> np.ndarray:
        """Return the order in which classes are summed: that of their codes, or as a quirk that of first appearance."""
        return preference.rank if self.quirks.classes_as_met else np.arange(len(preference.rank), dtype=np.uint32)

    def own_labels(self, labels: np.ndarray, preference: Preference) -> np.ndarray:
        """Return the classes of held-out cases, numbered as in the tables of differences."""
        return np.ascontiguousarray(self._class_order(preference)[labels], dtype=np.uint32)

    def _divisors(self, exemplars: np.ndarray | None) -> np.ndarray | None:
        if exemplars is None:
            return None
        return exemplars + 2.0**-52 if self.quirks.exemplars_above_zero else exemplars

    def part(self, ranks: list[int]) -> Comparing:
        """Return the comparison of some of the features, in the order given."""
        return replace(self, metrics=tuple(self.metrics[r] for r in ranks), tables=tuple(self.tables[r] for r in ranks))


def stored_texts(vocabulary: Vocabulary, by_byte: bool) -> _native.Texts:
    return texts_of(vocabulary.texts, by_byte)


def texts_of(values: list[str | None], by_byte: bool) -> _native.Texts:
    """Return texts as sequences of code points, or of bytes; a missing value is a letter of its own."""
    coded = [_letters(value, by_byte) for value in values]
    start = np.concatenate([[0], np.cumsum([len(text) for text in coded])]).astype(np.int64)
    return _native.Texts(np.concatenate([*coded, np.empty(0, np.uint32)]), start)


def _letters(value: str | None, by_byte: bool) -> np.ndarray:
    if value is None:
        return np.array([MISSING_TEXT], dtype=np.uint32)
    if by_byte:
        return np.frombuffer(value.encode(), dtype=np.uint8).astype(np.uint32)
    return np.frombuffer(value.encode("utf-32-le"), dtype=np.uint32)


def asked_texts(
    codes: np.ndarray, source: pa.Array | None, feature: Feature, by_byte: bool
) -> tuple[np.ndarray, _native.Texts]:
    """Return the codes with a new code for each unknown value, and the texts of the unknown values.

    New codes follow the known ones. Unknown values share one code otherwise, but their letters still give a distance.
    Without `source` the only unknown values are missing values that agree with no value.
    """
    vocabulary = feature.vocabulary
    assert vocabulary is not None
    unknown = np.flatnonzero(codes == vocabulary.unknown)
    wide = codes.astype(np.uint32)
    values = [None] * len(unknown) if source is None else feature.learned_texts(source.take(pa.array(unknown)))
    code_of = {value: len(vocabulary) + i for i, value in enumerate(dict.fromkeys(values))}
    wide[unknown] = [code_of[value] for value in values]
    return wide, texts_of(list(code_of), by_byte)


def checked_threshold(threshold: object) -> int:
    if not is_whole(threshold, 1):
        raise CasebaseError(
            "threshold is the smallest number of cases for which a value is compared by its classes: 1, 2, 3 …; "
            f"got {threshold!r}."
        )
    return int(threshold)


def checked_clip(clip: object) -> float:
    """Return TiMBL's `clip` after checking it: a number of at least 0."""
    if not is_number(clip) or not 0.0 <= clip < np.inf:
        raise CasebaseError(f"clip is a number of values, of at least 0; got {clip!r}.")
    return float(clip)
