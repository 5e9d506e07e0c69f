"""Conformal prediction sets: all classes that cannot be excluded, so that the true one is among them often enough.

A class is in the set unless its score is above the threshold of `measures.conformal`, a quantile of the scores of
held-out cases.

Where cases are left out of a memory (jackknife+), the score of a question without stored case i would have to be
compared with the score of case i. The two memories differ in case i alone. Leaving it out lowers the score of a class
only if it is the single nearest case of another class, so at most one of the n comparisons turns out otherwise: the
next larger score as a threshold gives sets that contain those of jackknife+.

References: Vovk, Gammerman, Shafer, "Algorithmic learning in a random world" (2005); Barber, Candès, Ramdas,
Tibshirani, "Predictive inference with the jackknife+" (2021); Romano, Sesia, Candès, "Classification with valid and
adaptive coverage" (2020); Sadinle, Lei, Wasserman, "Least ambiguous set-valued classifiers" (2019).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, overload

import numpy as np

from casebase.base.calibration import Scores
from casebase.data.checks import is_number
from casebase.errors import CasebaseError
from casebase.measures.conformal import threshold

LIKE_NOTHING, CANNOT_TELL = "like nothing stored", "cannot tell"


def checked_confidence(confidence: object) -> float:
    """Return the wanted coverage, after checking it."""
    if not is_number(confidence) or not 0 < confidence < 1:
        raise CasebaseError(f"confidence is a number between 0 and 1, such as 0.9; got {confidence!r}.")
    return float(confidence)


@dataclass(frozen=True, eq=False)
class PredictionSets(Sequence[tuple[Any, ...]]):
    """The classes that cannot be excluded, a tuple per case; `mask` has them as an array.

    A tuple begins with the prediction if it has it, then come the others, the likeliest first. `mask` has one row per
    case and one column per class, in the order of `classes`; `label_codes` has the column of each prediction.
    `guarantee` says how often the true class is in the set.
    """

    classes: np.ndarray
    label_codes: np.ndarray
    mask: np.ndarray
    scores: np.ndarray
    confidence: float
    guarantee: str

    def __len__(self) -> int:
        return len(self.mask)

    @overload
    def __getitem__(self, at: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, at: slice) -> list[tuple[Any, ...]]: ...
    def __getitem__(self, at: int | slice) -> tuple[Any, ...] | list[tuple[Any, ...]]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        present = np.flatnonzero(self.mask[at])
        # Classes may have equal scores where the vote, or the more frequent class, has decided between them.
        likeliest = present[np.lexsort([self.scores[at, present], present != self.label_codes[at]])]
        return tuple(self.classes[likeliest].tolist())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(list(self))

    @property
    def labels(self) -> np.ndarray:
        """The prediction for each case."""
        labels: np.ndarray = self.classes[self.label_codes]
        return labels

    @property
    def sizes(self) -> np.ndarray:
        """The number of classes in each set."""
        sizes: np.ndarray = self.mask.sum(axis=1)
        return sizes

    @property
    def is_decided(self) -> np.ndarray:
        """Whether a set says something: it is neither empty nor, with several classes, full."""
        is_full = (self.sizes == self.mask.shape[1]) & (self.mask.shape[1] > 1)
        is_decided: np.ndarray = (self.sizes > 0) & ~is_full
        return is_decided

    def remark(self, case: int) -> str:
        """Return what an empty or a full set means; nothing for any other."""
        if self.is_decided[case]:
            return ""
        return CANNOT_TELL if self.sizes[case] else LIKE_NOTHING

    def texts(self) -> list[str]:
        """Return each set as text, with the remark on an empty or full one."""
        return [" ".join(["{" + ", ".join(map(str, one)) + "}", self.remark(i)]).rstrip() for i, one in enumerate(self)]

    def answers(self) -> list[Any]:
        """Return the predictions, and None where the set is empty or full."""
        return [label if decided else None for label, decided in zip(self.labels.tolist(), self.is_decided.tolist())]


def thresholds(scores: Scores, n_classes: int, confidence: float, *, class_conditional: bool) -> np.ndarray:
    """Return the largest score with which each class is in the set.

    Held-out answers come from models of fewer cases. Where many cases have almost the same probability, as in a leaf,
    a threshold would fall among those of several models, above or below that of the model that predicts. So it is
    raised by 1 / √n, which is what the share of a leaf with a sixteenth of the cases differs by.
    """
    extra = 1 if scores.guarantee == "jackknife+" else 0
    raised = 1 / sqrt(max(len(scores.scores), 1)) if scores.guarantee == "approximate" else 0.0
    if not class_conditional:
        return np.full(n_classes, threshold(scores.scores, confidence, extra) + raised)
    each = [threshold(scores.scores[scores.labels == c], confidence, extra) for c in range(n_classes)]
    return np.array(each) + raised


def guarantee_of(scores: Scores, confidence: float, *, class_conditional: bool) -> str:
    """Say how often the true class is in the set."""
    n, each = len(scores.scores), " of each class" if class_conditional else ""
    if scores.guarantee == "split":
        return f"at least {confidence:.4g}{each} (split conformal, {n:,} cases kept apart)"
    if scores.guarantee == "jackknife+":
        least = max(0.0, 2 * confidence - 1)
        return f"at least {least:.4g}{each}, usually about {confidence:.4g} (jackknife+, {n:,} cases left out)"
    return f"about {confidence:.4g}{each}, without a guarantee ({n:,} held-out cases)"
