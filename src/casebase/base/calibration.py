"""Calibration: what held-out cases say about a model's votes, kept beside the model in its file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self, get_args

from casebase.measures.smoothing import Smoothing

How = Literal["leave-one-out", "folds", "nothing"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """How votes are smoothed, and how that was found out.

    `how` names the cases that the smoothing fits: all or some of the training cases, each left out of the memory
    ("leave-one-out") or answered by a model of other folds ("folds"); or "nothing", because there were no cases to hold
    out, or no training cases any more. Then it is one vote, shared by the classes in proportion to their frequency.
    """

    how: How = "nothing"
    n_cases: int = 0
    smoothing: Smoothing = Smoothing()

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration in a form that JSON can represent."""
        return {"how": self.how, "n_cases": self.n_cases, "smoothing": asdict(self.smoothing)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the calibration of a model file, after checking it."""
        numbers = {name: float(record["smoothing"][name]) for name in asdict(Smoothing())}
        if not all(0 <= number < float("inf") for number in numbers.values()) or record["how"] not in get_args(How):
            raise ValueError("its calibration is damaged")
        return cls(record["how"], int(record["n_cases"]), Smoothing(**numbers))
