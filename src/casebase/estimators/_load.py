"""`casebase.load`: a model file becomes a classifier, a hyphenator or a tagger again."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Union

import numpy as np

from casebase.base.files import read
from casebase.base.parameters import restored_parameters
from casebase.errors import ModelFileError
from casebase.methods import METHODS, OTHERS, Saved, model_of, other_model

if TYPE_CHECKING:
    from casebase.estimators._base import CaseClassifier
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.tagging.tagger import Tagger


def load(path: str | os.PathLike[str]) -> Union["CaseClassifier", "Hyphenator", "Tagger"]:
    """Load the classifier, hyphenator or tagger that was saved to a file.

    It imports only the modules that the file needs.
    """
    header, arrays = read(path)
    if header.get("learner") in OTHERS:
        return other_model(path, header, arrays)
    return _classifier(path, model_of(path, header, arrays))


def estimator_of(method: str) -> "type[CaseClassifier]":
    """Return the estimator of a method; this imports scikit-learn, which takes longer to load than any tagger."""
    kind: type[CaseClassifier] = getattr(import_module(f"casebase.estimators.{method}"), METHODS[method].estimator)
    return kind


def _classifier(path: str | os.PathLike[str], saved: Saved) -> "CaseClassifier":
    """Return the classifier in a file that `save` or `casebase train` wrote."""
    extras = restored_parameters(saved.estimator)
    class_dtype, names = extras.pop("class_dtype", None), extras.pop("feature_names_in", None)
    extras.pop("data_file", None)
    schema, settings = saved.model.schema, saved.model.settings
    try:
        kind = estimator_of(saved.model.method)
        estimator = kind(**{name: getattr(settings, name) for name in settings.public()}, **extras)
        dtype = np.array(schema.classes).dtype if class_dtype is None else np.dtype(class_dtype)
        estimator._with_model(saved.model, dtype)._calibrated_by(saved.calibration)
        estimator._log, estimator._data_file = saved.log, saved.data_file
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{path} has parameters that this version of casebase does not know: {error}.") from error
    estimator.n_features_in_ = len(schema.column_names)
    if names is None and schema.is_named:
        names = list(schema.column_names)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return estimator
