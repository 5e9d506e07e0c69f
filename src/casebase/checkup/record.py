"""The health of a table as plain records; reports and files contain nothing else."""

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from casebase.checkup.findings import TITLES, Commands, Finding, Kind
from casebase.checkup.page import render_fragment, render_text
from casebase.formats.written import row_writer

CSV_COLUMNS = ("kind", "record", "label", "suggested", "score", "column", "value", "others", "reason", "command")


@dataclass(frozen=True, eq=False)
class Scores:
    """Figures for every record, in the order given.

    `suspicion` is by how much another class is likelier than the recorded one (-1 to 1). `shapley` is the sum of the
    record's values over all asked records, `n_decided` the number of answers that change without it. `distance` is
    that of the nearest other record, and `answer` the class that it votes for by leave-one-out: None, infinity and
    None where a record was not asked about.
    """

    ids: np.ndarray
    suspicion: np.ndarray
    shapley: np.ndarray
    n_decided: np.ndarray
    distance: np.ndarray
    answer: np.ndarray


@dataclass(frozen=True)
class Health:
    """What is odd about the records of a table.

    `accuracy` is that of leave-one-out at k = 1 with the `metric`, `baseline` that of always answering the most
    frequent class, `ceiling` the highest that any function of the features can have. `n_asked` records were asked
    about, all of them unless that would take too long. `epsilon` bounds the error of a Shapley value for one asked
    record. `counts` has the number of findings of each kind that was looked for, `notes` are sentences that a reader
    must know, `scores` has figures for every record, and `commands` has the names of files for the commands.
    """

    n_cases: int
    n_features: int
    n_classes: int
    target: str
    metric: str
    accuracy: float
    baseline: float
    ceiling: float
    n_asked: int
    epsilon: float
    counts: dict[Kind, int]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    scores: Scores = field(repr=False, compare=False)
    commands: Commands = field(repr=False, compare=False)

    def of(self, kind: str) -> tuple[Finding, ...]:
        """Return the findings of one kind, highest score first."""
        return tuple(finding for finding in self.findings if finding.kind == kind)

    def records(self, kind: str) -> list[int | str]:
        """Return the ids of the records of one kind of finding, each once; for duplicates, the copies."""
        found = [each for one in self.of(kind) for each in (one.others if kind == "duplicate" else (one.record,))]
        return list(dict.fromkeys(each for each in found if each is not None))

    def to_dict(self) -> dict[str, Any]:
        """Return the report in a form that JSON can represent, without the figures for every record."""
        names = ("n_cases", "n_features", "n_classes", "target", "metric", "accuracy", "baseline", "ceiling", "n_asked")
        record: dict[str, Any] = {name: getattr(self, name) for name in names}
        record |= {"epsilon": self.epsilon, "counts": dict(self.counts), "notes": list(self.notes)}
        return record | {"findings": [finding.to_dict() for finding in self.findings]}

    def to_csv(self) -> str:
        """Return the findings as comma-separated values, one line each, under a line of names."""
        text = io.StringIO()
        writer = row_writer(text)
        writer.writerow(CSV_COLUMNS)
        for finding in self.findings:
            row = finding.to_dict() | {"others": " ".join(map(str, finding.others))}
            writer.writerow(["" if row[name] is None else row[name] for name in CSV_COLUMNS])
        return text.getvalue()

    def __str__(self) -> str:
        return render_text(self)

    def _repr_html_(self) -> str:
        return render_fragment(self)


KINDS: tuple[Kind, ...] = tuple(TITLES)
