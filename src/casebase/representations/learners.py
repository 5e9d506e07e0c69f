"""Learners for a comparison: from the rows of a sample to the errors on all examples and the codelength."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from casebase.base.method import Fit
from casebase.base.settings import Settings
from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name
from casebase.methods import METHODS, all_methods, method_named
from casebase.representations.inputs import Representation, class_values, rows_of
from casebase.representations.samples import Learn

REQUIRED_METHODS = ("fit", "predict", "codelength")


def checked_learner(learner: Any, parameters: Mapping[str, Any] | None) -> None:
    """Refuse a learner that cannot be used: an unknown name, a model without codelength, an object of another kind."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise CasebaseError(f'parameters is a dict, such as {{"criterion": "gain_ratio"}}; got {parameters!r}.')
    if isinstance(learner, str):
        known = comparable()
        if learner in METHODS and learner not in known:
            raise CasebaseError(
                f"The models of learner {learner!r} have no codelength: they store the cases themselves. "
                f"Learners that have one: {', '.join(known)}."
            )
        if learner not in known:
            raise CasebaseError(unknown_name("learner", learner, known))
        _check_parameters(learner, parameters or {})
        return
    absent = [name for name in REQUIRED_METHODS if not callable(getattr(learner, name, None))]
    if isinstance(learner, type) or absent:
        what = f"the class {learner.__name__}" if isinstance(learner, type) else f"{type(learner).__name__} without"
        raise CasebaseError(
            f"A learner is one of {', '.join(comparable())}, or an object with "
            f"fit, predict and codelength; got {what} {', '.join([] if isinstance(learner, type) else absent)}".rstrip()
            + "."
        )
    if parameters:
        raise CasebaseError("parameters go with a learner given by name; an object already has its own.")


def name_and_parameters(learner: Any, parameters: Mapping[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """Return a casebase classifier as the name and the parameters of its learner, other learners unchanged.

    A learner given by name gets cases that are encoded once for all samples. This is faster, and a sample keeps the
    codes of all values.
    """
    name = getattr(type(learner), "learner", None)
    if isinstance(name, str) and name in comparable() and hasattr(learner, "get_params"):
        known = _parameters_of(name)
        given = learner.get_params(deep=False).items()
        return name, {parameter: value for parameter, value in given if parameter in known}
    return learner, dict(parameters or {})


def comparable() -> list[str]:
    """Return the methods whose models have a codelength."""
    return [method.name for method in all_methods() if method.has_codelength]


def _parameters_of(learner: str) -> list[str]:
    return list(method_named(learner).settings.public())


def _check_parameters(learner: str, parameters: Mapping[str, Any]) -> None:
    known = _parameters_of(learner)
    for name in parameters:
        if name not in known:
            raise CasebaseError(unknown_name(f"parameter of {learner}", name, known))


def learner_name(learner: Any) -> str:
    """Return the name of a learner in a report."""
    return learner if isinstance(learner, str) else type(learner).__name__


def learn_function(learner: Any, parameters: Mapping[str, Any], representation: Representation) -> Learn:
    """Return a function that learns from a sample and returns the errors on all examples and the codelength."""
    if isinstance(learner, str):
        method = method_named(learner)
        return _EncodedLearner(method.fit, method.settings.of(None, parameters).for_sample(), representation.cases)
    return _ObjectLearner(learner, representation)


class _EncodedLearner:
    """A method of casebase: it gets cases that are encoded once, so a sample keeps the codes of all values."""

    def __init__(self, fit: Fit[Any, Any], settings: Settings, cases: Cases) -> None:
        self.fit, self.settings, self.cases = fit, settings, cases
        self.queries = cases.schema.recode(cases)  # with values beside the codes, since models recode by value

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, float]:
        model = self.fit(self.cases.take(rows), self.settings)
        predicted = model.answer(model.schema.recode(self.queries)).label
        return predicted != self.cases.known_labels, float(model.codelength())


class _ObjectLearner:
    """Any object with fit, predict and codelength; a copy of it learns each sample."""

    def __init__(self, learner: Any, representation: Representation) -> None:
        self.learner, self.given, self.cases = learner, representation.given, representation.cases
        self.classes = class_values(representation.cases)
        self.known = set(self.classes.tolist())

    def __call__(self, rows: np.ndarray) -> tuple[np.ndarray, float]:
        learner = deepcopy(self.learner)
        learner.fit(rows_of(self.given, self.cases, rows), self.classes[rows])
        predicted = np.asarray(learner.predict(rows_of(self.given, self.cases, None)))
        if predicted.shape != self.classes.shape:
            raise CasebaseError(
                f"{type(learner).__name__}.predict gave an array of shape {predicted.shape} for {len(self.classes)} "
                "examples: it must give one class per example."
            )
        unknown = set(predicted.tolist()) - self.known
        if unknown:
            raise CasebaseError(
                f"{type(learner).__name__}.predict gave classes that no example has: "
                f"{', '.join(sorted(map(repr, unknown))[:5])}; the examples have "
                f"{', '.join(sorted(map(repr, self.known))[:10])}."
            )
        bits = float(learner.codelength())
        if not np.isfinite(bits) or bits < 0:
            raise CasebaseError(f"{type(learner).__name__}.codelength gave {bits}: bits are finite and not negative.")
        return predicted != self.classes, bits
