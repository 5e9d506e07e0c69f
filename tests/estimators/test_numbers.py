"""What the estimators say about numbers that they compare as symbols."""

import warnings

import pytest

import casebase as cb

ROWS = [[i / 4] for i in range(30)]
LABELS = ["high" if i > 15 else "low" for i in range(30)]
CONSISTENT = cb.ObliviousGraphClassifier(method="consistent")
BY_SYMBOLS = [cb.IGTreeClassifier(), cb.TRIBLClassifier(switch=1), cb.OblivionClassifier(min_features=1), CONSISTENT]


@pytest.mark.parametrize("clf", BY_SYMBOLS, ids=lambda clf: type(clf).__name__)
def test_numbers_as_symbols_are_told(clf):
    """Regression: classifiers that can be corrected, such as IGTree, did not warn; only the command line did."""
    with pytest.warns(UserWarning, match="30 different numbers.* compared as symbols: .*discretise='mdlp'"):
        clf.fit(ROWS, LABELS)


@pytest.mark.parametrize("clf", [cb.IGTreeClassifier(discretise="mdlp"), cb.IB1Classifier(), cb.IB2Classifier()])
def test_numbers_that_are_cut_or_measured_need_no_warning(clf):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.fit(ROWS, LABELS)
