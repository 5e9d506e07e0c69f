"""A model file as what it was saved from: a classifier, or a hyphenator."""

import os

from casebase import estimators
from casebase.apps.hyphenator import Hyphenator
from casebase.estimators._base import CaseClassifier
from casebase.persist.files import read
from casebase.persist.hyphenator import is_hyphenation


def load(path: str | os.PathLike[str]) -> CaseClassifier | Hyphenator:
    """Return the classifier or the hyphenator that was saved to a file."""
    return Hyphenator.load(path) if is_hyphenation(read(path)[0]) else estimators.load(path)
