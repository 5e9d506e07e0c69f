"""The scikit-learn face: one class per file."""

from casebase.estimators._load import load
from casebase.estimators.ib1 import IB1Classifier
from casebase.estimators.igtree import IGTreeClassifier
from casebase.estimators.tribl import TRIBLClassifier

__all__ = ["IB1Classifier", "IGTreeClassifier", "TRIBLClassifier", "load"]
