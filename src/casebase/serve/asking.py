"""A question and its answer: the prediction, how sure it is, what decided, and what would change it."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from casebase import methods
from casebase.base.calibration import Calibration
from casebase.base.evidence import Evidence
from casebase.base.flips import Flip
from casebase.base.model import Model
from casebase.confidence import calibrate, prediction_sets, probabilities
from casebase.confidence.calibration import stored_cases
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.methods import Saved

CONFIDENCE = 0.9
MOST_CALIBRATED = 20_000  # records of a model without a calibration that gets one on request
MOST_LEARNED = 20_000  # records that another method learns from while somebody waits
T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """The answer to one question; without a calibration, probabilities are shares of the votes and there is no set."""

    label: Any
    probabilities: dict[str, float]
    set: tuple[Any, ...] | None
    remark: str
    guarantee: str
    evidence: Evidence
    flip: Flip | None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        return {
            "label": self.label,
            "probabilities": self.probabilities,
            "set": None if self.set is None else list(self.set),
            "remark": self.remark or None,
            "guarantee": self.guarantee or None,
            "evidence": self.evidence.to_dict(),
            "flip": None if self.flip is None else self.flip.to_dict(),
        }


def ask(saved: Saved, version: str, cases: Cases, *, limit: int = 10, has_flip: bool = True) -> Answer:
    """Answer one question with a model."""
    model = saved.model
    answers = model.answer(cases)
    calibration = calibration_of(saved, version)
    shares = probabilities(model, answers, calibration)[0]
    found, remark, guarantee = None, "", ""
    if calibration is not None and calibration.scores is not None:
        sets = prediction_sets(model, calibration, cases, CONFIDENCE)
        found, remark, guarantee = sets[0], sets.remark(0), sets.guarantee
    likeliest = np.argsort(-shares, kind="stable")
    classes = model.schema.classes
    return Answer(
        classes[int(answers.label[0])],
        {str(classes[c]): float(shares[c]) for c in likeliest.tolist() if shares[c] > 0},
        found,
        remark,
        guarantee,
        model.explain(cases, limit=limit)[0],
        methods.flip(model, cases)[0] if has_flip else None,
    )


class Kept:
    """Results that cost some time, kept for the last versions that were asked for."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: OrderedDict[tuple[str, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...], make: Callable[[], T]) -> T:
        """Return the result for a key; the first who asks makes it, and others wait for it."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
                if len(self._found) > self.most:
                    self._found.popitem(last=False)
            self._found.move_to_end(key)
            found: T = self._found[key]
            return found


_CALIBRATIONS = Kept(8)
_OTHERS = Kept(16)


def calibration_of(saved: Saved, version: str) -> Calibration | None:
    """Return the calibration of a model: that of its file, or one that is made now if this is quick."""
    if saved.calibration is not None:
        return saved.calibration
    cases = stored_cases(saved.model)
    if cases is None or cases.n_cases > MOST_CALIBRATED:
        return None
    return _CALIBRATIONS.get((version, saved.model.method), lambda: calibrate(saved.model))


def learned_by(method: str, saved: Saved, version: str) -> Saved:
    """Return what another method learns from the records of a model."""
    cases = stored_cases(saved.model)
    if cases is None:
        raise CasebaseError("This model keeps no records, so no other method can learn from them.")
    if cases.n_cases > MOST_LEARNED:
        raise CasebaseError(
            f"{cases.n_cases:,} records are too many to learn from while you wait. Learn a model with {method} from "
            "the table, and compare the two."
        )

    def learn() -> Saved:
        model: Model = methods.method_named(method).fit(cases)
        return Saved(model, calibration=calibrate(model, cases))

    return _OTHERS.get((version, method), learn)
