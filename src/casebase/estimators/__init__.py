"""The scikit-learn face: one class per file, imported on first use.

A tagger or a hyphenator is loaded by the same `load`, and never needs scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from casebase.estimators._load import load
    from casebase.estimators.c45 import C45Classifier
    from casebase.estimators.c45rules import C45RulesClassifier
    from casebase.estimators.discretiser import MDLPDiscretizer
    from casebase.estimators.focus import FocusSelector
    from casebase.estimators.ib1 import IB1Classifier
    from casebase.estimators.ib2 import IB2Classifier
    from casebase.estimators.id3 import ID3Classifier
    from casebase.estimators.igtree import IGTreeClassifier
    from casebase.estimators.oblivion import OblivionClassifier, OblivionSelector
    from casebase.estimators.oblivious_graph import ObliviousGraphClassifier
    from casebase.estimators.perceptron_tree import PerceptronTreeClassifier
    from casebase.estimators.relief import ReliefSelector
    from casebase.estimators.rules import HierarchicalRuleClassifier
    from casebase.estimators.smile import SMILEClassifier
    from casebase.estimators.tribl import TRIBLClassifier
    from casebase.estimators.tribl2 import TRIBL2Classifier

_HOME = {
    "C45Classifier": "c45",
    "C45RulesClassifier": "c45rules",
    "FocusSelector": "focus",
    "HierarchicalRuleClassifier": "rules",
    "IB1Classifier": "ib1",
    "IB2Classifier": "ib2",
    "ID3Classifier": "id3",
    "IGTreeClassifier": "igtree",
    "MDLPDiscretizer": "discretiser",
    "OblivionClassifier": "oblivion",
    "OblivionSelector": "oblivion",
    "ObliviousGraphClassifier": "oblivious_graph",
    "PerceptronTreeClassifier": "perceptron_tree",
    "ReliefSelector": "relief",
    "SMILEClassifier": "smile",
    "TRIBL2Classifier": "tribl2",
    "TRIBLClassifier": "tribl",
    "load": "_load",
}

__all__ = [
    "C45Classifier",
    "C45RulesClassifier",
    "FocusSelector",
    "HierarchicalRuleClassifier",
    "IB1Classifier",
    "IB2Classifier",
    "ID3Classifier",
    "IGTreeClassifier",
    "MDLPDiscretizer",
    "OblivionClassifier",
    "OblivionSelector",
    "ObliviousGraphClassifier",
    "PerceptronTreeClassifier",
    "ReliefSelector",
    "SMILEClassifier",
    "TRIBL2Classifier",
    "TRIBLClassifier",
    "load",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"casebase.estimators.{_HOME[name]}"), name)
    raise AttributeError(f"module 'casebase.estimators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
