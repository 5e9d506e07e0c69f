"""A model file as an estimator that is ready to answer."""

import os

import numpy as np

from casebase import persist
from casebase.errors import ModelFileError
from casebase.estimators._base import CaseClassifier
from casebase.estimators.c45 import C45Classifier
from casebase.estimators.c45rules import C45RulesClassifier
from casebase.estimators.ib1 import IB1Classifier
from casebase.estimators.ib2 import IB2Classifier
from casebase.estimators.id3 import ID3Classifier
from casebase.estimators.igtree import IGTreeClassifier
from casebase.estimators.oblivion import OblivionClassifier
from casebase.estimators.oblivious_graph import ObliviousGraphClassifier
from casebase.estimators.perceptron_tree import PerceptronTreeClassifier
from casebase.estimators.rules import HierarchicalRuleClassifier
from casebase.estimators.smile import SMILEClassifier
from casebase.estimators.tribl import TRIBLClassifier
from casebase.estimators.tribl2 import TRIBL2Classifier

ESTIMATORS: dict[str, type[CaseClassifier]] = {
    estimator.learner: estimator
    for estimator in (
        C45Classifier,
        C45RulesClassifier,
        HierarchicalRuleClassifier,
        IB1Classifier,
        IB2Classifier,
        ID3Classifier,
        IGTreeClassifier,
        OblivionClassifier,
        ObliviousGraphClassifier,
        PerceptronTreeClassifier,
        SMILEClassifier,
        TRIBLClassifier,
        TRIBL2Classifier,
    )
}


def load(path: str | os.PathLike[str]) -> CaseClassifier:
    """Return the classifier that was saved to a file, by `save` or by `casebase train`."""
    saved = persist.load(path)
    parameters = persist.restored_parameters(saved.parameters)
    class_dtype = parameters.pop("class_dtype", None)
    names = parameters.pop("feature_names_in", None)
    schema = saved.model.schema
    try:
        estimator = ESTIMATORS[saved.learner](**parameters)
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
