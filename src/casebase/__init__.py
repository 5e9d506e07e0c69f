"""casebase learns by remembering: it keeps the cases, and shows with each answer the cases that decided it.

The names below are the API. They are imported on first use, so that the command line starts fast and programs that do
not use scikit-learn do not load it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Alignment": "casebase.alignment",
    "Annotator": "casebase.tagging.annotator",
    "C45Selector": "casebase.estimators.tested_features",
    "Cases": "casebase.data",
    "Comparison": "casebase.representations",
    "Evidence": "casebase.base.evidence",
    "FocusSelector": "casebase.estimators.focus",
    "Health": "casebase.checkup",
    "Hyphenator": "casebase.hyphenation.hyphenator",
    "LanguageModel": "casebase.language_model",
    "Lemmatizer": "casebase.tagging.lemmas.lemmatizer",
    "MDLPDiscretizer": "casebase.estimators.discretiser",
    "MethodComparison": "casebase.method_comparison",
    "OblivionSelector": "casebase.estimators.oblivion",
    "Receipt": "casebase.neighbours.correction",
    "Recognised": "casebase.formats",
    "ReliefSelector": "casebase.estimators.relief",
    "StringRuleClassifier": "casebase.estimators.strings",
    "Tagger": "casebase.tagging.tagger",
    "align": "casebase.alignment",
    "check": "casebase.methods",
    "column_kinds": "casebase.data.kinds",
    "compare_methods": "casebase.method_comparison",
    "compare_representations": "casebase.representations",
    "search_representations": "casebase.representations",
    "health": "casebase.checkup",
    "load": "casebase.estimators._load",
    "predict_parts": "casebase.batches",
    "read_cases": "casebase.formats",
    "read_corpus": "casebase.tagging.corpora",
    "read_pronunciations": "casebase.alignment",
    "recognise": "casebase.formats",
    "evidence_from_dict": "casebase.kinds",
    "render_html": "casebase.render.page",
    "render_text": "casebase.render.text",
}

_MODULES = {name: f"casebase.{name}" for name in ("datasets", "evaluate", "representations", "scale")}

__all__ = [
    "Alignment",
    "Annotator",
    "AutoClassifier",
    "C45Classifier",
    "C45RulesClassifier",
    "C45Selector",
    "CaseForestClassifier",
    "Cases",
    "Comparison",
    "DiscriminantClassifier",
    "Evidence",
    "FocusSelector",
    "Health",
    "HierarchicalRuleClassifier",
    "Hyphenator",
    "IB1Classifier",
    "IB2Classifier",
    "ID3Classifier",
    "IGTreeClassifier",
    "KernelVoteClassifier",
    "LanguageModel",
    "Lemmatizer",
    "MDLPDiscretizer",
    "MethodComparison",
    "OblivionClassifier",
    "OblivionSelector",
    "ObliviousGraphClassifier",
    "OpinionPoolClassifier",
    "PerceptronTreeClassifier",
    "Receipt",
    "Recognised",
    "ReliefSelector",
    "SMILEClassifier",
    "StringRuleClassifier",
    "TRIBL2Classifier",
    "TRIBLClassifier",
    "Tagger",
    "__version__",
    "align",
    "check",
    "column_kinds",
    "compare_methods",
    "compare_representations",
    "datasets",
    "evaluate",
    "evidence_from_dict",
    "health",
    "load",
    "predict_parts",
    "read_cases",
    "read_corpus",
    "read_pronunciations",
    "recognise",
    "render_html",
    "render_text",
    "representations",
    "scale",
    "search_representations",
]

if TYPE_CHECKING:
    from casebase import datasets, evaluate, representations, scale
    from casebase.alignment import Alignment, align, read_pronunciations
    from casebase.base.evidence import Evidence
    from casebase.batches import predict_parts
    from casebase.checkup import Health, health
    from casebase.data import Cases
    from casebase.data.kinds import column_kinds
    from casebase.estimators._load import load
    from casebase.estimators.auto import AutoClassifier
    from casebase.estimators.c45 import C45Classifier
    from casebase.estimators.c45rules import C45RulesClassifier
    from casebase.estimators.discretiser import MDLPDiscretizer
    from casebase.estimators.discriminant import DiscriminantClassifier
    from casebase.estimators.focus import FocusSelector
    from casebase.estimators.forest import CaseForestClassifier
    from casebase.estimators.ib1 import IB1Classifier
    from casebase.estimators.ib2 import IB2Classifier
    from casebase.estimators.id3 import ID3Classifier
    from casebase.estimators.igtree import IGTreeClassifier
    from casebase.estimators.kernel import KernelVoteClassifier
    from casebase.estimators.oblivion import OblivionClassifier, OblivionSelector
    from casebase.estimators.oblivious_graph import ObliviousGraphClassifier
    from casebase.estimators.opinions import OpinionPoolClassifier
    from casebase.estimators.perceptron_tree import PerceptronTreeClassifier
    from casebase.estimators.relief import ReliefSelector
    from casebase.estimators.rules import HierarchicalRuleClassifier
    from casebase.estimators.smile import SMILEClassifier
    from casebase.estimators.strings import StringRuleClassifier
    from casebase.estimators.tested_features import C45Selector
    from casebase.estimators.tribl import TRIBLClassifier
    from casebase.estimators.tribl2 import TRIBL2Classifier
    from casebase.formats import Recognised, read_cases, recognise
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.kinds import evidence_from_dict
    from casebase.language_model import LanguageModel
    from casebase.method_comparison import MethodComparison, compare_methods
    from casebase.methods import check
    from casebase.neighbours.correction import Receipt
    from casebase.render.page import render_html
    from casebase.render.text import render_text
    from casebase.representations import Comparison, compare_representations, search_representations
    from casebase.tagging.annotator import Annotator
    from casebase.tagging.corpora import read_corpus
    from casebase.tagging.lemmas.lemmatizer import Lemmatizer
    from casebase.tagging.tagger import Tagger


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in __all__:  # the classifiers: the list of methods has their names
        listed = import_module("casebase.methods").METHODS
        method = next(method for method, each in listed.items() if each.estimator == name)
        return getattr(import_module(f"casebase.estimators.{method}"), name)
    raise AttributeError(f"module 'casebase' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
