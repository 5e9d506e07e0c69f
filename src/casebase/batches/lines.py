"""The lines of a file of answers: classes, probabilities, sets, JSON records, or the rows of the table with them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import Calibration
from casebase.batches.appended import with_answers
from casebase.confidence import PredictionSets, calibration_of, prediction_sets, probabilities
from casebase.data import Cases, Table
from casebase.errors import CasebaseError
from casebase.methods import Saved

MOST_IDS = 1_000_000  # of a long file, the first ones are looked through for ids that occur twice


@dataclass(frozen=True)
class Wanted:
    """What to write for each case."""

    proba: bool = False
    confidence: float | None = None
    class_conditional: bool = False
    abstain: bool = False
    append: bool = False
    as_json: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the classes is wanted."""
        return not (self.append or self.proba or self.as_json) and self.confidence is None

    @property
    def needs_calibration(self) -> bool:
        return self.proba or self.confidence is not None


@dataclass(frozen=True, eq=False)
class AnswerLines:
    """Makes the lines of one part after the other; `known_calibration` spares finding out that of the model."""

    saved: Saved
    wanted: Wanted
    n_jobs: int = 1
    known_calibration: Calibration | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.wanted.append or self.wanted.as_json:  # these quote what is in a class
            return
        ends = "\r\n" if self.wanted.is_plain else "\r\n\t"
        for label in map(str, self.saved.model.schema.classes):
            if any(end in label for end in ends):
                what = "tab" if "\t" in label else "line break"
                raise CasebaseError(
                    f"The class {label!r} has a {what} in it, so that lines could not be told apart. "
                    "Write JSON (--json) or a table (--append)."
                )

    @cached_property
    def calibration(self) -> Calibration:
        return self.known_calibration or calibration_of(self.saved, n_jobs=self.n_jobs)

    def sets(self, cases: Cases) -> PredictionSets | None:
        """Return the classes that cannot be excluded, if they are wanted."""
        if self.wanted.confidence is None:
            return None
        return prediction_sets(
            self.saved.model,
            self.calibration,
            cases,
            self.wanted.confidence,
            class_conditional=self.wanted.class_conditional,
            n_jobs=self.n_jobs,
        )

    @cached_property
    def names(self) -> np.ndarray:
        return np.array([str(label) for label in self.saved.model.schema.classes], dtype=object)

    def text(
        self, table: Table | None, cases: Cases, answers: Answers, sets: PredictionSets | None, *, is_first: bool
    ) -> str:
        """Return the lines of one part; its table is needed if its columns are written, the first with their names."""
        if self.wanted.is_plain:
            return "\n".join(self.names[answers.label].tolist()) + "\n"
        model, wanted = self.saved.model, self.wanted
        shares = probabilities(model, answers, self.calibration) if wanted.proba else None
        is_left_out = [False] * cases.n_cases if sets is None or not wanted.abstain else (~sets.is_decided).tolist()
        labels = ["" if left_out else self.names[c] for left_out, c in zip(is_left_out, answers.label.tolist())]
        texts = [] if sets is None else sets.texts()
        if wanted.append:
            assert table is not None
            return with_answers(table, model.schema, labels, None if sets is None else texts, shares, is_first=is_first)
        lines = []
        for i, code in enumerate(answers.label.tolist()):
            votes = self._votes(shares, i)
            if wanted.as_json:
                label = None if is_left_out[i] else model.schema.classes[code]
                lines.append(self._record(cases, i, label, sets, votes))
            else:
                ranking = sorted(votes, key=lambda pair: -pair[1])
                lines.append("\t".join([labels[i], *texts[i : i + 1], *(f"{c} {share:.6g}" for c, share in ranking)]))
        return "\n".join(lines) + "\n"

    def _votes(self, shares: np.ndarray | None, i: int) -> list[tuple[Any, float]]:
        classes = self.saved.model.schema.classes
        return [] if shares is None else [(classes[c], float(shares[i, c])) for c in np.flatnonzero(shares[i])]

    def _record(
        self, cases: Cases, i: int, label: Any, sets: PredictionSets | None, votes: Sequence[tuple[Any, float]]
    ) -> str:
        record: dict[str, Any] = {} if cases.ids is None else {"id": cases.ids[i : i + 1].tolist()[0]}
        record["label"] = label
        if sets is not None:
            record |= {"set": list(sets[i]), "remark": sets.remark(i) or None}
        if self.wanted.proba:
            record["distribution"] = {str(c): share for c, share in votes}
        return json.dumps(record, ensure_ascii=False)


def has_text_ids(cases: Cases) -> bool:
    """Return whether the ids of cases are texts: ids are numbers only if all of a file are."""
    return cases.ids is not None and cases.ids.dtype == object


def with_text_ids(cases: Cases) -> Cases:
    """Return cases whose ids are texts, if they have any."""
    if cases.ids is None or has_text_ids(cases):
        return cases
    return replace(cases, ids=np.array([str(one) for one in cases.ids.tolist()], dtype=object))
