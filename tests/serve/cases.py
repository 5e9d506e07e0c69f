"""Small models for the tests of desks, and the oracle: a list that gets the same corrections, and training anew."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from casebase import methods
from casebase.confidence import calibrate
from casebase.data import Cases
from casebase.memory.fingerprints import hexadecimal
from casebase.methods import method_named
from casebase.neighbours import correction
from casebase.serve.desks.desk import Desk

NOUNS = [
    ("Blume", "f", "m", "e", "n"),
    ("Lampe", "f", "p", "e", "n"),
    ("Frau", "f", "a", "u", "en"),
    ("Uhr", "f", "h", "r", "en"),
    ("Tag", "m", "a", "g", "e"),
    ("Hund", "m", "n", "d", "e"),
    ("Tisch", "m", "c", "h", "e"),
    ("Kind", "n", "n", "d", "er"),
    ("Bild", "n", "l", "d", "er"),
    ("Haus", "n", "u", "s", "er"),
]
COLUMNS = ("source", "gender", "before", "last", "plural")


@dataclass
class Oracle:
    """Cases by id, as a list of rows would have them."""

    learner: str = "ib1"
    cases: dict[Any, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of_nouns(cls, learner: str = "ib1") -> "Oracle":
        return cls(learner, {i: dict(zip(COLUMNS, noun)) for i, noun in enumerate(NOUNS)})

    def trained(self) -> Any:
        """Return a model of the present cases; `source` is provenance."""
        rows = list(self.cases.values())
        ids = np.array(list(self.cases), dtype=np.int64)
        method = method_named(self.learner)
        cases = Cases.from_table(rows, target="plural", ids=ids, keep=["source"])
        return method.fit(cases, method.settings())

    def version(self) -> str:
        return hexadecimal(correction.fingerprint(self.trained()))

    def save(self, path: Path, *, is_calibrated: bool = False) -> Path:
        model = self.trained()
        methods.save(path, model, calibration=calibrate(model) if is_calibrated else None)
        return path

    def insert(self, case: int, values: dict[str, Any]) -> None:
        self.cases[case] = values

    def update(self, case: int, values: dict[str, Any]) -> None:
        self.cases[case] = self.cases[case] | values

    def remove(self, case: int) -> None:
        del self.cases[case]


def split(values: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return the values of a case without its class, and the class."""
    return {name: value for name, value in values.items() if name != "plural"}, values["plural"]


def noun(*values: str) -> dict[str, str]:
    return dict(zip(COLUMNS, values))


def insert(desk: Desk, values: dict[str, Any], **options: Any) -> Any:
    row, label = split(values)
    return desk.insert([row], [label], **options)


def abandon(desk: Desk) -> None:
    """Leave a desk as a killed process would: files stay as they are, and the lock is free."""
    desk._keeper.stop()
    desk._is_open = False
    if desk._journal is not None:
        desk._journal.close()
    if desk._file_lock is not None:
        desk._file_lock.release()
