"""FocusSelector: FOCUS with the manners of scikit-learn's selectors."""

import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.estimators import focus as module
from casebase.selection.focus import focus

X = pd.DataFrame({"b": ["0", "0", "1", "1"], "same": ["x", "x", "x", "x"], "a": ["0", "1", "0", "1"]})
Y = ["P", "Q", "Q", "P"]


def test_a_frame_stays_a_frame():
    """The selected columns keep their names and their order."""
    selector = cb.FocusSelector().set_output(transform="pandas").fit(X, Y)

    assert selector.transform(X).columns.tolist() == ["b", "a"]
    assert selector.ranking_.tolist() == [1, 2, 1]
    assert (selector.n_conflicts_, selector.n_subsets_) == (0, 5)


def test_sample_weight_counts():
    """A case that outweighs the others is the most frequent class of its group."""
    selector = cb.FocusSelector().fit([["u"], ["u"]], ["P", "Q"], sample_weight=[3, 1])

    assert selector.n_conflicts_ == 1


def test_one_class_keeps_nothing():
    """Nothing is to be told apart: no column is left, and scikit-learn says so."""
    selector = cb.FocusSelector().fit(X, ["P"] * 4)

    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(X).shape == (4, 0)


def test_a_limit_that_is_too_small():
    """The error is that of the learner."""
    with pytest.raises(CasebaseError, match="max_size=1 is too small"):
        cb.FocusSelector(max_size=1).fit(X, Y)


def test_interruption_warns(monkeypatch):
    """What was found until then is kept, with a warning that there may be fewer."""

    def stop(size, n_checked):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "focus", lambda cases, **options: focus(cases, progress=stop, **options))
    with pytest.warns(UserWarning, match="Interrupted: the 3 features found so far suffice"):
        selector = cb.FocusSelector().fit(X, Y)
    assert selector.result_.was_interrupted


def test_rows_of_numbers_stay_numbers():
    """A list of rows comes back as an array of what it held."""
    rows = [[0, 5.0], [0, 6.0], [0, 5.0]]

    assert cb.FocusSelector().fit(rows, [0, 1, 0]).transform(rows).dtype == float
    mixed = [["a", 5.0], ["a", 6.0], ["a", 5.0]]
    assert cb.FocusSelector().fit(mixed, [0, 1, 0]).transform(mixed).tolist() == [[5.0], [6.0], [5.0]]
