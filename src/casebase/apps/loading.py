"""A model file as what it was saved from: a classifier, a hyphenator, or a tagger."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Union

from casebase.apps.hyphenator import Hyphenator
from casebase.apps.tagger import Tagger
from casebase.persist.files import read
from casebase.persist.hyphenator import is_hyphenation
from casebase.persist.tagger import is_tagger, tagger_from

if TYPE_CHECKING:
    from casebase.estimators._base import CaseClassifier


def load(path: str | os.PathLike[str]) -> Union["CaseClassifier", Hyphenator, Tagger]:
    """Return the classifier, the hyphenator or the tagger that was saved to a file."""
    header, arrays = read(path)
    if is_tagger(header):
        return Tagger._of(*tagger_from(path, header, arrays))
    if is_hyphenation(header):
        return Hyphenator.load(path)
    # As the package itself imports its names: scikit-learn takes longer to load than any tagger.
    classifier: CaseClassifier = import_module("casebase.estimators").load(path)
    return classifier
