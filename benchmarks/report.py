"""A line of the report, and what all benchmarks share."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casebase.formats import read_table
from casebase.learners import Model

REPEATS = 5
HAS_TIMBL = shutil.which("timbl") is not None


@dataclass(frozen=True)
class Row:
    """One line of the report. `target` is the ratio asked for; for costs (`is_cost`) lower is better."""

    work: str
    ours: str
    peer: str
    ratio: float
    target: float
    is_cost: bool = False

    @property
    def is_met(self) -> bool:
        return self.ratio <= self.target if self.is_cost else self.ratio >= self.target


def answer_file(model: Model, test: Path, out: Path, n_jobs: int = 1) -> None:
    """From a text file to a file of answers, as `casebase predict` does it."""
    cases = model.schema.encode(model.schema.with_target_found(read_table(test)))
    names = np.array(model.schema.classes, dtype=object)
    out.write_text("\n".join(names[model.answer(cases, n_jobs=n_jobs).label].tolist()) + "\n")
