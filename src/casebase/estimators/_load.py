"""A model file as what it was saved from: a classifier, a hyphenator, or a tagger."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Union

import numpy as np

from casebase import methods
from casebase.base.files import read
from casebase.base.parameters import restored_parameters
from casebase.errors import ModelFileError
from casebase.hyphenation.files import is_hyphenation
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.tagging.files.tagger import is_tagger, tagger_from
from casebase.tagging.tagger import Tagger

if TYPE_CHECKING:
    from casebase.estimators._base import CaseClassifier

ESTIMATORS = {
    "c45": "C45Classifier",
    "c45rules": "C45RulesClassifier",
    "ib1": "IB1Classifier",
    "ib2": "IB2Classifier",
    "id3": "ID3Classifier",
    "igtree": "IGTreeClassifier",
    "oblivion": "OblivionClassifier",
    "oblivious_graph": "ObliviousGraphClassifier",
    "perceptron_tree": "PerceptronTreeClassifier",
    "rules": "HierarchicalRuleClassifier",
    "smile": "SMILEClassifier",
    "tribl": "TRIBLClassifier",
    "tribl2": "TRIBL2Classifier",
}


def load(path: str | os.PathLike[str]) -> Union["CaseClassifier", Hyphenator, Tagger]:
    """Return the classifier, the hyphenator or the tagger that was saved to a file."""
    header, arrays = read(path)
    if is_tagger(header):
        return Tagger._of(*tagger_from(path, header, arrays))
    if is_hyphenation(header):
        return Hyphenator.load(path)
    return _classifier(path)


def _classifier(path: str | os.PathLike[str]) -> "CaseClassifier":
    """Return the classifier that was saved to a file, by `save` or by `casebase train`."""
    saved = methods.load(path)
    parameters = restored_parameters(saved.parameters)
    class_dtype = parameters.pop("class_dtype", None)
    names = parameters.pop("feature_names_in", None)
    schema = saved.model.schema
    try:
        # As the package itself imports its names: scikit-learn takes longer to load than any tagger.
        estimator: CaseClassifier = getattr(import_module("casebase.estimators"), ESTIMATORS[saved.learner])(
            **parameters
        )
        dtype = np.array(schema.classes).dtype if class_dtype is None else np.dtype(class_dtype)
        estimator._with_model(saved.model, dtype)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{path} has parameters that this version of casebase does not know: {error}.") from error
    estimator.n_features_in_ = len(schema.features)
    if names is None and schema.is_named:
        names = list(schema.names)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return estimator
