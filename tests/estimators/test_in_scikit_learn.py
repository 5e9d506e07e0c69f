"""Inside scikit-learn's own tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import casebase as cb
from casebase.errors import CasebaseError


def test_pipeline():
    """A classifier may stand at the end of a pipeline."""
    X, y = [[1.0, 0.0], [2.0, 0.0], [9.0, 0.0]], ["P", "P", "Q"]

    assert make_pipeline(VarianceThreshold(), cb.IB1Classifier()).fit(X, y).predict([[8.0, 5.0]]).tolist() == ["Q"]


def test_grid_search(weather):
    """k and the weighting can be searched."""
    grid = {"k": [1, 3], "weighting": ["none", "gain_ratio"]}
    search = GridSearchCV(cb.IB1Classifier(), grid, cv=2).fit(*weather)

    assert set(search.best_params_) == {"k", "weighting"}
    assert search.cv_results_["mean_test_score"].shape == (4,)


def test_cross_validation(classifier, weather):
    """Scores come one per fold."""
    assert cross_val_score(classifier(), *weather, cv=3).shape == (3,)


def test_grid_search_over_a_frame(weather):
    """Folds of a data frame keep the names of its columns."""
    rows, labels = weather
    frame = pd.DataFrame(rows, columns=["sky", "heat", "wind"])
    search = GridSearchCV(cb.TRIBLClassifier(), {"switch": [0, 1, "auto"]}, cv=2).fit(frame, labels)

    assert search.best_estimator_.feature_names_in_.tolist() == ["sky", "heat", "wind"]


def test_tags(classifier):
    """Tools can ask what tables are allowed."""
    tags = get_tags(classifier())

    assert tags.estimator_type == "classifier"
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert tags.input_tags.allow_nan


def test_html_in_notebooks(classifier, weather):
    """A notebook shows the classifier and its parameters."""
    html = classifier(weighting="chi_squared").fit(*weather)._repr_html_()

    assert classifier.__name__ in html
    assert "chi_squared" in html


def test_pickle(classifier, weather):
    """A pickled classifier answers the same."""
    rows, labels = weather
    model = classifier().fit(rows, labels)
    again = pickle.loads(pickle.dumps(model))

    assert again.predict_proba(rows).tolist() == model.predict_proba(rows).tolist()
    assert again.explain(rows[:2]) == model.explain(rows[:2])


@pytest.mark.parametrize("setting", [{"k": 1}, {"k": 5}])
def test_set_params_takes_effect_at_the_next_fit(weather, setting):
    """Parameters that are set are those that are used."""
    rows, labels = weather
    expected = cb.IB1Classifier(**setting).fit(rows, labels).predict_proba(rows)

    assert cb.IB1Classifier().set_params(**setting).fit(rows, labels).predict_proba(rows).tolist() == expected.tolist()


def test_a_classifier_that_has_answered_can_be_copied(classifier, weather):
    """What answers leave behind, such as a search that is ready, does not stand in the way of pickling."""
    rows, labels = weather
    fitted = classifier().fit(rows, labels)
    answers = fitted.predict(rows).tolist()

    assert pickle.loads(pickle.dumps(fitted)).predict(rows).tolist() == answers


@pytest.mark.parametrize(
    "seed", [np.random.RandomState(0), None, -1, 0.5, True], ids=["generator", "none", "negative", "share", "flag"]
)
def test_random_states_are_whole_numbers(seed):
    """Rules and hyphenators took a generator, or none, and two fits could differ."""
    chances = [cb.OblivionClassifier(cv=2), cb.PerceptronTreeClassifier(), cb.HierarchicalRuleClassifier()]
    for clf in chances:
        with pytest.raises(CasebaseError, match="random_state is a whole number"):
            clf.set_params(random_state=seed).fit([["a"], ["b"], ["a"], ["b"]], list("PQPQ"))
    with pytest.raises(CasebaseError, match="random_state is a whole number"):
        cb.Hyphenator(random_state=seed).fit(["ta-lo"])
