"""The scikit-learn face: one class per file."""

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
