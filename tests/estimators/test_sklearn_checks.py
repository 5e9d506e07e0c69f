"""The contract of scikit-learn, checked by its own suite on every public estimator."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import casebase as cb

# Settings that are off by default, each tried on the estimators that have the parameters.
SETTINGS = [
    {},
    {"k": 3},
    {"weighting": "none"},
    {"weighting": "chi_squared", "k": 2},
    {"missing": "unknown"},
    {"compat": "timbl"},
    {"switch": 1, "weighting_below": "gain_ratio"},
    {"switch": "cv", "discretise": "mdlp"},
    {"metric": "numeric"},
    {"n_jobs": 2},
    {"criterion": "gain_ratio", "missing": "value"},
    {"criterion": "information_gain", "subtree_raising": True},
    {"theory_weight": 0.0, "confidence": 0.5},
    {"alpha": 1, "discretise": "equal_frequency"},
    {"alpha": 0, "discretise": "none"},
    {"strategy": "equal_width"},
    {"strategy": "equal_frequency", "n_bins": 3},
]


def public_estimators():
    """Every estimator class among the names that casebase offers, but the one that learns from strings."""
    found = [getattr(cb, name) for name in cb.__all__ if name != "StringRuleClassifier"]
    return [one for one in found if isinstance(one, type) and issubclass(one, BaseEstimator)]


def with_settings():
    return [
        estimator(**setting)
        for estimator in public_estimators()
        for setting in SETTINGS
        if set(setting) <= set(estimator().get_params())
        # A check takes the largest share for the answer; of tied classes TiMBL takes the one that it saw first.
        and (estimator, setting) != (cb.IB2Classifier, {"compat": "timbl"})
        and not (setting == {"missing": "unknown"} and (hasattr(estimator, "n_leaves_") or estimator is cb.C45Selector))
    ]


def test_all_estimators_are_found():
    """The loop below sees all classifiers."""
    names = {"IB1Classifier", "IB2Classifier", "IGTreeClassifier", "TRIBLClassifier", "TRIBL2Classifier"}
    names |= {"SMILEClassifier", "HierarchicalRuleClassifier"}
    assert names <= {e.__name__ for e in public_estimators()}


@parametrize_with_checks(with_settings())
def test_scikit_learn_contract(estimator, check):
    """scikit-learn's own check passes."""
    check(estimator)


@pytest.mark.parametrize("estimator", public_estimators())
def test_docstring_names_every_parameter(estimator):
    """What can be set is described."""
    assert [name for name in estimator().get_params() if name not in estimator.__doc__] == []


@pytest.mark.parametrize("estimator", public_estimators())
def test_docstring_names_every_attribute(estimator):
    """What a fitted estimator tells about itself is described."""
    fitted = estimator().fit([[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 6.0]], ["P", "P", "Q", "Q"])
    # What an estimator has not, such as a fingerprint without cases, is left out by `dir` only in newer scikit-learn.
    attributes = [name for name in dir(fitted) if name.endswith("_") and name[0] != "_" and hasattr(fitted, name)]

    assert [name for name in attributes if f"{name} " not in estimator.__doc__.replace(",", " ")] == []


def test_rules_over_strings_are_described():
    """Parameters and attributes of the estimator that takes strings and no tables."""
    fitted = cb.StringRuleClassifier().fit(["ab", "ba", "aa"], ["P", "Q", "P"])
    names = [name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")]
    described = fitted.__doc__.replace(",", " ")
    assert [name for name in (*fitted.get_params(), *names) if f"{name} " not in described] == []


@pytest.mark.parametrize("estimator", [*with_settings(), cb.IGTreeClassifier(keep_cases=False)], ids=repr)
def test_what_a_fitted_estimator_has_can_be_listed(estimator):
    """`dir`, which tab completion calls, asks for every property: on IB2 it raised what was no AttributeError."""
    X = [[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 6.0]]

    assert "fit" in dir(estimator.fit(X, ["P", "Q", "P", "Q"]))
