"""`casebase.load`: a model file becomes a classifier, a hyphenator, a tagger, … again."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Union

import numpy as np

from casebase.base.files import CheckedArrays, Header, read
from casebase.base.parameters import restored_parameters
from casebase.base.saving import Origin
from casebase.errors import ModelFileError
from casebase.methods import METHODS, OTHERS, Saved, model_of, other_model

if TYPE_CHECKING:
    from casebase.estimators._base import CaseClassifier
    from casebase.estimators.strings import StringRuleClassifier
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.tagging.annotator import Annotator
    from casebase.tagging.lemmas.lemmatizer import Lemmatizer
    from casebase.tagging.tagger import Tagger


def load(
    path: str | os.PathLike[str],
) -> Union["Annotator", "CaseClassifier", "Hyphenator", "Lemmatizer", "StringRuleClassifier", "Tagger"]:
    """Load the classifier, hyphenator, tagger, lemmatizer or annotator that was saved to a file.

    It imports only the modules that the file needs.
    """
    origin = Origin.of(path)
    header, arrays = read(path)
    loaded: Annotator | CaseClassifier | Hyphenator | Lemmatizer | StringRuleClassifier | Tagger
    if header.get("learner") == "strings":
        loaded = _string_rules(path, header, arrays)
    elif header.get("learner") in OTHERS:
        loaded = other_model(path, header, arrays)
    else:
        loaded = classifier_of(path, model_of(path, header, arrays))
    loaded._origin, loaded._mapped = origin, arrays.file
    return loaded


def _string_rules(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> "StringRuleClassifier":
    model, extras = import_module("casebase.strings.files").strings_from(path, header, arrays)
    try:
        estimator: StringRuleClassifier = import_module("casebase.estimators.strings").StringRuleClassifier._of(
            model, extras
        )
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{path} has parameters that this version of casebase does not know: {error}.") from error
    return estimator


def estimator_of(method: str) -> "type[CaseClassifier]":
    """Return the estimator of a method; this imports scikit-learn, which takes longer to load than any tagger."""
    kind: type[CaseClassifier] = getattr(import_module(f"casebase.estimators.{method}"), METHODS[method].estimator)
    return kind


def classifier_of(path: str | os.PathLike[str], saved: Saved) -> "CaseClassifier":
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
