"""SMILE: lazy learning by a scan of the lattice of feature sets.

The stored cases that agree with a question on a set of features form its memory pool. Large sets have pools of few,
similar cases; small sets have large pools. SMILE scans from large sets to small ones and uses a set if it is exactly
what some stored case shares with the question, its pool has more than `alpha` cases, and no set used before contains
it. The cases of all pools are counted by class; a case in three pools counts three times. With pools="cases" the share
of a class is then L(C|F(t)) of Equation 4.14. With pools="size" a pool weighs 2^(number of its features): that many
subsets of its set have a copy of each of its cases.

Values either agree or not: numbers are discretised first, and a missing value agrees with nothing.

Reference: Han and Lam, "Lazy learning by scanning memory image lattice", Figure 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base import common, intervals
from casebase.base.answers import Answers, Preference, preference_of
from casebase.base.method import fit_with
from casebase.base.model import Summary, format_count, summary_of
from casebase.base.settings import Settings as BaseSettings
from casebase.base.settings import setting
from casebase.data import Cases, Schema
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError
from casebase.measures.distances import MetricNames
from casebase.measures.votes import Normalisation, checked_normalisation
from casebase.measures.weights import used_features
from casebase.memory.intervals import Discretisation, coded_memory, cut, discretisation_of, equal_or_not
from casebase.memory.segments import Memory, as_questions, relevance_order, sorted_segment, without_ignored_values
from casebase.memory.store import in_one_segment, without_rows
from casebase.progress import Progress
from casebase.smile.alpha import errors_by_alpha, errors_without_own_cuts
from casebase.smile.evidence import FoundPools, SmileEvidence, evidence_for
from casebase.smile.images import NO_CODE, Images, blocks, merged_and_placed

POOLS = ("size", "cases")


@dataclass(frozen=True, eq=False)
class SMILE:
    """All cases, the cuts of numeric features, and the size that a pool must exceed to be used.

    `alpha_errors` has the leave-one-out errors of every alpha that was tried; None if alpha was given. `known_images`
    are the images of the stored cases, if they have been computed already.
    """

    schema: Schema
    memory: Memory
    discretisation: Discretisation
    alpha: int
    preference: Preference
    normalisation: Normalisation = "probability"
    alpha_errors: dict[int, float] | None = None
    settings: "Settings" = field(default_factory=lambda: Settings())
    known_images: Images | None = None

    method: ClassVar[str] = "smile"

    def summary(self) -> Summary:
        """Return a summary of the model: its cases, alpha, cuts and classes."""
        n_cases = self.memory.n_cases
        counts = {
            "n_cases": n_cases,
            "alpha": self.alpha,
            "alpha_errors": self.alpha_errors,
            "cuts": self.discretisation.by_name(self.schema),
        }
        return summary_of(self, f"{format_count(n_cases, 'case')} in memory, alpha {self.alpha}", counts)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what a copy can compute for itself."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("coded", "images")}
        return kept | {"known_images": None}

    @cached_property
    def coded(self) -> Cases:
        """The stored cases in the order of the memory, with intervals for numbers; ignored features have no values."""
        return coded_memory(self.schema, self.memory, self.discretisation)

    @cached_property
    def images(self) -> Images:
        """The images of the stored cases."""
        if self.known_images is not None:
            return self.known_images
        return images_of(self.coded, self.memory.order, self.preference)[0]

    def stored_memory(self) -> Memory:
        return self.memory

    def without(self, row: int) -> "SMILE":
        """Return the memory without one case; alpha and the cuts of numbers stay the same."""
        memory = Memory(self.memory.order, (in_one_segment(without_rows(self.memory, np.array([row]))),))
        preference = self.preference.without(*self.memory.label_and_weight(row))
        return replace(self, memory=memory, preference=preference, known_images=None)

    def questions(self, cases: Cases) -> list[np.ndarray]:
        """Return new cases by column of the memory; a missing value has the code of an unseen one, to match nothing."""
        columns, order = self.discretisation.columns(cases), self.memory.order
        return as_questions([columns[i] for i in order.tolist()], self._compared, order, missing_agrees=False)

    @cached_property
    def _compared(self) -> Schema:
        """The schema in which numbers are intervals."""
        return self.discretisation.schema(self.schema)

    def answer(self, cases: Cases, *, n_jobs: int = 1, progress: Progress | None = None) -> Answers:
        """Return the class and the votes for every case: the cases of all pools, or all cases if there is no pool."""
        columns = self.questions(cases)
        parts: list[Answers] = []
        for block in blocks(cases.n_cases):
            asked = columns if block.stop >= cases.n_cases and not parts else [column[block] for column in columns]
            parts.append(self.images.answer(asked, len(asked[0]), self.alpha, self.settings.by_size, n_jobs))
            if progress:
                progress(min(block.stop, cases.n_cases), cases.n_cases)
        return Answers.concat(parts) if parts else Answers.none()

    def explain(self, cases: Cases, *, limit: int = 10) -> list[SmileEvidence]:
        """Return the pools that decided, for every case; `limit` bounds how many of their cases are listed."""
        columns, answers = self.questions(cases), self.answer(cases)
        evidence = []
        for i, case in enumerate(cases.one_by_one()):
            asked = [column[i : i + 1] for column in columns]
            codes, joints = [column.item() for column in asked], self.images.joints(asked, self.alpha)
            pools = FoundPools(self.schema, self.memory, self.coded, codes, joints, self.settings.by_size)
            evidence.append(evidence_for(pools, case, self.alpha, int(answers.label[i]), answers.votes_of(i), limit))
        return evidence


@dataclass(frozen=True, kw_only=True)
class Settings(BaseSettings):
    """Which pools vote, and how numbers are discretised."""

    first: ClassVar[str] = "alpha"

    alpha: int | str = setting(
        0,
        'int or "auto"',
        'A pool (the cases that agree on a set of features) votes if it has more than alpha cases. "auto" takes the '
        "alpha with the fewest leave-one-out errors; on few cases it can harm: in samples of 14 to 120 it was 0 to 1 "
        "point worse than 0 on average, and up to 24 points in one.",
        lambda alpha: checked_alpha(alpha),
        kind="whole",
        word="auto",
    )
    pools: str = setting(
        "size",
        '{"size", "cases"}',
        'How much a pool weighs. "size": 2 to the power of the number of its features, so that more similar cases '
        'count more. "cases": every case counts once for each of its pools, as in the paper.',
        lambda pools: checked_pools(pools),
        kind="choice",
        choices=POOLS,
    )
    discretise: str = intervals.discretise('with "none" two numbers agree if they are equal.')
    n_bins: int = intervals.n_bins()
    metric: MetricNames = intervals.metric()
    normalisation: Normalisation = common.normalisation()

    @property
    def by_size(self) -> bool:
        return self.pools == "size"

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the settings in a model file; files from before there was a choice count every case once."""
        return super().from_dict({"pools": "cases"} | dict(record))


@fit_with(Settings)
def fit(cases: Cases, settings: Settings, *, n_jobs: int = 1, progress: Progress | None = None) -> SMILE:
    """Return a memory of the cases; alpha="auto" is chosen by leave-one-out.

    >>> table = [["a", "x", "P"], ["a", "y", "P"], ["b", "x", "Q"], ["b", "y", "Q"]]
    >>> model = fit(Cases.from_table(table, target=-1), alpha=1)
    >>> model.answer(model.schema.encode([["a", "z"]])).votes_of(0)
    {0: 2.0}
    """
    given_alpha, normalisation = checked_alpha(settings.alpha), checked_normalisation(settings.normalisation)
    cases = equal_or_not(cases, settings.metric, "SMILE asks")
    cases, discretisation = cut(cases, settings.discretise, settings.n_bins)
    cases = replace(cases, exemplars=None)  # exemplar weights scale distances, and SMILE has none
    # By name, where features have names, so that sums are the same for any order of the columns.
    order = relevance_order(cases.schema, used_features(cases))
    order.sort(key=lambda i: cases.schema.features[i].kind == "numeric")
    memory = Memory(np.array(order, dtype=np.int64), (sorted_segment(cases, order),))
    schema, preference = without_ignored_values(cases.schema), preference_of(cases)

    model = SMILE(schema, memory, discretisation, given_alpha or 0, preference, normalisation, None, settings)
    if given_alpha is not None:
        return model
    # Cuts were learned from all cases: a held-out case would have a say in its own answer (see `alpha`).
    if any(cuts is not None for cuts in discretisation.cuts):
        errors = errors_without_own_cuts(
            cases,
            order,
            lambda some: discretisation_of(some, settings.discretise, settings.n_bins),
            lambda coded: images_of(coded, memory.order, preference),
            settings.by_size,
            n_jobs,
        )
    else:
        errors = errors_by_alpha(model.images, settings.by_size, n_jobs)
    best = min(errors, key=lambda alpha: (errors[alpha], alpha))
    return replace(model, alpha=best, alpha_errors=errors, known_images=model.images)


def images_of(coded: Cases, order: np.ndarray, preference: Preference) -> tuple[Images, np.ndarray]:
    """Return the images of cases whose numbers are intervals, and the entry that each case was merged into."""
    vocabularies = [coded.schema.features[position].vocabulary for position in order]
    missing = np.array([NO_CODE if v is None or v.missing is None else v.missing for v in vocabularies])
    columns = [coded.columns[position] for position in order]
    return merged_and_placed(columns, coded.known_labels, coded.weights, missing, preference)


def checked_pools(pools: object) -> None:
    """Raise an error unless there is such a way to weigh pools."""
    if pools not in POOLS:
        raise CasebaseError(f"pools says how much a pool weighs: 'size' or 'cases'; got {pools!r}.")


def checked_alpha(alpha: object) -> int | None:
    """Return alpha after checking it; None for "auto"."""
    if isinstance(alpha, str) and alpha == "auto":
        return None
    if not is_whole(alpha, 0):
        raise CasebaseError(
            "alpha is the number of cases that a pool must exceed to vote: a whole number of at least 0, or 'auto'; "
            f"got {alpha!r}."
        )
    return int(alpha)
