"""Calibration: what held-out cases say about a model's votes, kept beside the model in its file."""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, get_args

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.data.checks import is_whole
from casebase.measures.smoothing import Smoothing

How = Literal["leave-one-out", "folds", "nothing"]
Guarantee = Literal["split", "jackknife+", "approximate"]

NO_CLASS = 0xFFFFFFFF  # the class of a held-out case that the model does not know


@dataclass(frozen=True, eq=False)
class Scores:
    """How badly held-out cases fit their own classes: a score and a class code per case; larger is stranger.

    `are_distances` tells how: how much farther the nearest case of the class is than the nearest of another class; if
    not, it is 1 minus the probability of the class. `guarantee` names the conformal method that the scores allow: cases
    that were kept apart ("split"), cases left out of a memory ("jackknife+"), or held-out answers of other models than
    the one that predicts ("approximate").
    """

    guarantee: Guarantee
    are_distances: bool
    scores: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True, eq=False)
class Calibration:
    """How votes are smoothed, and how that was found out.

    `how` names the cases that the smoothing fits: all or some of the training cases, each left out of the memory
    ("leave-one-out") or answered by a model of other folds ("folds"); or "nothing", because there were no cases to hold
    out, or no training cases any more. Then it is one vote, shared by the classes in proportion to their frequency.
    """

    how: How = "nothing"
    n_cases: int = 0
    smoothing: Smoothing = field(default_factory=Smoothing)
    scores: Scores | None = None

    @property
    def has_distances(self) -> bool:
        return self.scores is not None and self.scores.are_distances

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration without its scores in a form that JSON can represent."""
        return {"how": self.how, "n_cases": self.n_cases, "smoothing": asdict(self.smoothing)}

    def write(self, header: Header, arrays: Arrays) -> None:
        """Add the calibration to the content of a model file."""
        record = self.to_dict()
        if self.scores is not None:
            record |= {"guarantee": self.scores.guarantee, "are_distances": self.scores.are_distances}
            arrays |= {"calibration.scores": self.scores.scores, "calibration.labels": self.scores.labels}
        header["calibration"] = record

    @classmethod
    def read(cls, header: Header, arrays: CheckedArrays, n_classes: int) -> Self | None:
        """Return the calibration of a model with these classes, after checking it; None if the file has none."""
        record = header.get("calibration")
        if record is None:
            return None
        numbers = {name: float(record["smoothing"][name]) for name in asdict(Smoothing())}
        if not all(0 <= number < float("inf") for number in numbers.values()) or record["how"] not in get_args(How):
            raise ValueError("its calibration is damaged")
        if not is_whole(record["n_cases"], 0):
            raise ValueError("the number of cases of its calibration is not a whole number")
        scores = None
        if "guarantee" in record:
            values = arrays.get("calibration.scores", "float64")
            labels = arrays.get("calibration.labels", "uint32", len(values))
            is_known = (labels < n_classes) | (labels == NO_CLASS)
            if np.isnan(values).any() or not is_known.all() or record["guarantee"] not in get_args(Guarantee):
                raise ValueError("its calibration is damaged")
            if not isinstance(record["are_distances"], bool):
                raise ValueError("its calibration does not say whether its scores are distances")
            scores = Scores(record["guarantee"], record["are_distances"], values, labels)
        return cls(record["how"], record["n_cases"], Smoothing(**numbers), scores)
