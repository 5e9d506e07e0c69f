"""Contestants: methods, peers and the baseline, each as a function from training cases to a trained classifier."""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal, Protocol

import numpy as np

from casebase import methods
from casebase.base.calibration import Calibration
from casebase.base.method import Method, power_of_n
from casebase.base.model import Model, is_incomplete
from casebase.confidence import calibrate, has_smoothing, probabilities
from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name
from casebase.methods import METHODS, all_methods, method_named
from casebase.progress import Progress

MAJORITY = "majority"
Role = Literal["method", "peer", "baseline"]


class Trained(Protocol):
    """A trained classifier: label codes with probabilities, and the size of its file."""

    def answer(self, cases: Cases) -> tuple[np.ndarray, np.ndarray]: ...
    def n_bytes(self) -> int | None: ...


@dataclass(frozen=True)
class Contestant:
    """A named classifier that can be trained; `cost` is the complexity of training, where it is known.

    A classifier of casebase reports the progress of its training, so that whoever follows it can stop it.
    """

    name: str
    title: str
    role: Role
    fit: Callable[[Cases, Progress | None], Trained]
    cost: str = ""

    @property
    def exponent(self) -> int:
        """The power of n in the cost of training; 1 for all that is not worse than n log n."""
        return power_of_n(self.cost)


@dataclass(frozen=True)
class TrainedModel:
    """A model of casebase."""

    model: Model
    n_threads: int
    calibration: Calibration | None = None

    def answer(self, cases: Cases) -> tuple[np.ndarray, np.ndarray]:
        answers = self.model.answer(self.model.schema.recode(cases), n_jobs=self.n_threads)
        return answers.label, probabilities(self.model, answers, self.calibration)

    def calibrated(self, training: Cases) -> "TrainedModel":
        """Return the model with smoothed probabilities, as its estimator gives them."""
        if not has_smoothing(self.model):
            return self
        return replace(self, calibration=calibrate(self.model, training, n_jobs=self.n_threads))

    def n_bytes(self) -> int:
        """Return the size of the model file, which is written to find out."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.cb")
            methods.save(path, self.model)
            return os.path.getsize(path)


@dataclass(frozen=True)
class Majority:
    """The baseline: always the most frequent class, with the shares of the classes as probabilities."""

    shares: np.ndarray

    def answer(self, cases: Cases) -> tuple[np.ndarray, np.ndarray]:
        labels = np.full(cases.n_cases, int(self.shares.argmax()))
        return labels, np.tile(self.shares, (cases.n_cases, 1))

    def n_bytes(self) -> None:
        return None


def contestants(names: Sequence[str] | None, *, peers: bool, random_state: int, n_threads: int) -> list[Contestant]:
    """Return the methods with these names (None for all), the peers on request, and the baseline."""
    chosen = all_methods() if names is None else [method_named(name) for name in _checked(names)]
    found = [_of_method(method, random_state, n_threads) for method in chosen]
    if peers:  # imports scikit-learn
        others = import_module("casebase.peers").installed_peers(random_state, n_threads)
        found += [Contestant(peer.name, peer.title, "peer", _without_progress(peer.fit)) for peer in others]
    return [*found, Contestant(MAJORITY, "always the most frequent class", "baseline", _without_progress(_majority))]


def _checked(names: Sequence[str]) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise CasebaseError(f"methods is a list of names, such as ['ib1', 'c45']; got {names!r}.")
    if not names:
        raise CasebaseError(f"methods is empty: name one or more of {', '.join(METHODS)}.")
    for name in names:
        if name not in METHODS:
            raise CasebaseError(unknown_name("method", name, METHODS))
    return list(dict.fromkeys(names))


def _of_method(method: Method, random_state: int, n_threads: int) -> Contestant:
    has_seed = "random_state" in method.settings.public()
    settings = method.settings.of(None, {"random_state": random_state} if has_seed else {})

    def fit(cases: Cases, progress: Progress | None) -> TrainedModel:
        model = method.fit(cases, settings, n_jobs=n_threads, progress=progress)
        if is_incomplete(model):  # its accuracy is not that of the method
            raise KeyboardInterrupt
        return TrainedModel(model, n_threads)

    return Contestant(method.name, method.title, "method", fit, method.cost)


def _without_progress(fit: Callable[[Cases], Trained]) -> Callable[[Cases, Progress | None], Trained]:
    return lambda cases, _: fit(cases)


def _majority(cases: Cases) -> Majority:
    return Majority(cases.class_counts / cases.class_counts.sum())
