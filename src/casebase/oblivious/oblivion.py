"""OBLIVION: feature selection, then abstract cases over the selected features.

`elimination` drops the features that do not help prediction. The training cases are then merged into abstract cases:
one for every combination of values that occurs on the selected features, with its class counts. A case gets the
majority class of the abstract case that it matches. If none matches, the nearest abstract cases, those with the most
values in common, vote together.

Reference: Langley, Sage, "Oblivious decision trees and abstract cases" (1994).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from casebase import _native
from casebase.base import common
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.checks import checked_missing
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.quotes import unseen_values
from casebase.data import Cases, Schema
from casebase.measures import codelengths
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.memory.distinct import AbstractCases, kinds_of
from casebase.memory.segments import question_columns, relevance_order, with_symbols, without_ignored_values
from casebase.oblivious.elimination import SearchSettings, Selection, select
from casebase.oblivious.evidence import AbstractCase, AbstractEvidence
from casebase.progress import Progress

FEWEST_BY_LISTS = 256  # for fewer questions at a time it does not pay to sort the abstract cases by their values


@dataclass(frozen=True, eq=False)
class Oblivion:
    """Abstract cases over the selected features; `order` has their positions, the most useful feature first."""

    schema: Schema
    order: np.ndarray
    abstract: AbstractCases
    selection: Selection
    preference: Preference
    missing_agrees: bool
    n_cases: int
    normalisation: Normalisation = "probability"
    settings: "Settings" = field(default_factory=lambda: Settings())

    method: ClassVar[str] = "oblivion"

    @property
    def weights(self) -> np.ndarray:
        """1 for selected features, 0 for the others, in column order."""
        return np.isin(np.arange(len(self.schema.features)), self.order).astype(float)

    @property
    def was_interrupted(self) -> bool:
        return self.selection.was_interrupted

    @property
    def n_abstract_cases(self) -> int:
        return self.abstract.n_groups

    def summary(self) -> Summary:
        """Return the model's size: selected features, abstract cases, estimated accuracy and classes."""
        kept = f"{len(self.order)} of {format_count(len(self.schema.features), 'feature')} kept"
        counts = {
            "n_cases": self.n_cases,
            "n_abstract_cases": self.n_abstract_cases,
            "kept": [self.schema.names[i] for i in self.order],
            "estimated_accuracy": self.selection.accuracy(self.selection.trials[-1]),
            "beam": self.settings.beam,
        }
        if self.settings.beam > 1:
            kept += f" (beam of {self.settings.beam})"
        return summary_of(self, f"{kept}, {format_count(self.n_abstract_cases, 'abstract case')}", counts, self.weights)

    def codelength(self) -> float:
        """Return the description length in bits: selected features, combinations of values, class counts."""
        vocabularies = [self.schema.features[i].vocabulary for i in self.order]
        n_values = [len(vocabulary) for vocabulary in vocabularies if vocabulary is not None]
        starts, ends = self.abstract.first_count[:-1].tolist(), self.abstract.first_count[1:].tolist()
        counts = self.abstract.count.tolist()
        in_groups = [counts[start:end] for start, end in zip(starts, ends)]
        return codelengths.abstract_cases(n_values, len(self.schema.features), in_groups, len(self.schema.classes))

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the pooled counts for every case."""
        if cases.n_cases == 0:
            return Answers.none()
        found = self._pooled(cases, list_groups=False, n_jobs=n_jobs)
        if progress:
            progress(cases.n_cases, cases.n_cases)
        n_off = found["disagreements"]
        return Answers(
            found["label"],
            np.concatenate([[0], np.cumsum(found["n_votes"], dtype=np.int64)]).astype(np.uint64),
            found["vote_label"],
            found["votes"],
            distance=n_off.astype(float),
            was_tied=found["is_tied"].astype(bool),
            depth=len(self.order) - n_off,
            at_leaf=n_off == 0,
        )

    def _pooled(self, cases: Cases, *, list_groups: bool, n_jobs: int = 1) -> Any:
        abstract = self.abstract
        return _native.pool_nearest(
            list(abstract.columns),
            abstract.first_count,
            abstract.count_label,
            abstract.count,
            question_columns(cases, self.order, self.missing_agrees),
            cases.n_cases,
            self.preference.frequency,
            self.preference.rank,
            list_groups,
            self._lists if not list_groups and cases.n_cases >= FEWEST_BY_LISTS else None,
            n_jobs,
        )

    @cached_property
    def _lists(self) -> _native.ValueLists | None:
        """The abstract cases by their values, made for the first large batch of questions."""
        return self.abstract.lists()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the lists, which cannot be pickled; a copy makes its own."""
        return {name: value for name, value in vars(self).items() if name != "_lists"}

    def explain(self, cases: Cases, *, limit: int = 10) -> list[AbstractEvidence]:
        """Return for every case the abstract cases that decided; at most `limit` are listed."""
        return [self._evidence(case, limit) for case in cases.one_by_one()]

    def _evidence(self, case: Cases, limit: int) -> AbstractEvidence:
        found = self._pooled(case, list_groups=True)
        groups = found["groups"]
        n_cases = self._n_cases_of[groups]
        # Only those that are listed are written out; equal ones stay in the order in which they were found.
        listed = groups[np.argsort(-n_cases, kind="stable")[:limit]].tolist()
        values = tuple(case.values(0))
        return AbstractEvidence(
            features=self.schema.names,
            values=values,
            unseen=tuple(one for one in unseen_values(case, values) if one.feature in self._kept),
            label=self.schema.classes[found["label"][0]],
            votes={self.schema.classes[c]: n for c, n in zip(found["vote_label"].tolist(), found["votes"].tolist())},
            weights=self._shown_weights,
            target=self.schema.target,
            kept=self._kept,
            ignored=self._ignored,
            n_matched=len(self.order) - int(found["disagreements"][0]),
            n_abstract_cases=len(groups),
            abstract_cases=tuple(map(self.abstract_case, listed)),
            n_cases=sum(n_cases.tolist()),
        )

    @cached_property
    def _kept(self) -> tuple[str, ...]:
        return tuple(self.schema.names[i] for i in self.order)

    @cached_property
    def _ignored(self) -> tuple[str, ...]:
        kept = set(self.order.tolist())
        return tuple(name for i, name in enumerate(self.schema.names) if i not in kept)

    @cached_property
    def _shown_weights(self) -> tuple[float, ...]:
        return tuple(self.weights.tolist())

    @cached_property
    def _n_cases_of(self) -> np.ndarray:
        """How many cases each abstract case stands for, added up in the order of its classes."""
        groups = range(self.abstract.n_groups)
        return np.array([sum(self.abstract.counts_of(group).values()) for group in groups], dtype=float)

    def abstract_case(self, group: int) -> AbstractCase:
        """Return one abstract case with the values of the table."""
        counts = self.abstract.counts_of(group)
        return AbstractCase(
            tuple(
                self.schema.features[feature].value(column[group])
                for feature, column in zip(self.order, self.abstract.columns)
            ),
            {self.schema.classes[c]: n for c, n in counts.items()},
            sum(counts.values()),
        )


@dataclass(frozen=True, kw_only=True)
class Settings(SearchSettings):
    """How features are selected, and how votes become shares."""

    normalisation: Normalisation = common.normalisation()

    def for_sample(self) -> "Settings":
        return self if isinstance(self.cv, str | int) else replace(self, cv="loo")  # given splits are of all cases


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> Oblivion:
    """Return the abstract cases over the features that `select` selects.

    >>> cases = Cases.from_table([["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]], target=-1)
    >>> model = fit(cases)
    >>> model.n_abstract_cases, [cases.schema.classes[c] for c in model.answer(cases).label]
    (2, ['P', 'P', 'Q', 'Q'])
    """
    cases = with_symbols(cases, list(range(cases.n_features)))
    return abstracted(cases, select(cases, settings, n_jobs=n_jobs, progress=progress), settings)


def abstracted(cases: Cases, selection: Selection, settings: Settings) -> Oblivion:
    """Return the abstract cases over the features of a selection."""
    dropped = [i for i in range(cases.n_features) if i not in selection.kept]
    missed = np.array([selection.otherwise.get(i, 0.0) for i in range(cases.n_features)])
    order = relevance_order(cases.schema, list(selection.kept), missed)
    kinds = kinds_of([cases.columns[i] for i in order], cases.known_labels, cases.weights)
    cases = cases.with_kinds(dict.fromkeys(dropped, "ignored"))
    return Oblivion(
        without_ignored_values(cases.schema),
        np.array(order, dtype=np.int64),
        kinds.groups,
        selection,
        preference_of(cases),
        checked_missing(settings.missing),
        cases.n_cases,
        checked_normalisation(settings.normalisation),
        settings,
    )
