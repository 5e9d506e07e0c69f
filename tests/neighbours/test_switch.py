"""TRIBL's switch point by cross-validation of the training cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase import methods
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.memory.fingerprints import case_keys
from casebase.neighbours import correction, tribl
from tests.oracles.switch import cross_validated_errors

SYMBOLS = st.sampled_from("abc")
ROWS = st.lists(st.tuples(SYMBOLS, SYMBOLS, SYMBOLS, st.sampled_from("PQ")), min_size=2, max_size=30)


@settings(max_examples=15, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_errors_are_those_of_tribl_on_five_folds(rows, random):
    model = tribl.fit(Cases.from_table(rows, target=-1), switch="cv")
    keys = case_keys(Cases.from_table(rows, target=-1)).tolist()
    expected = cross_validated_errors([row[:-1] for row in rows], [row[-1] for row in rows], keys)

    assert model.switch_errors == expected
    assert model.switch == max(s for s, n in expected.items() if n == min(expected.values()))
    random.shuffle(rows)
    assert tribl.fit(Cases.from_table(rows, target=-1), switch="cv").switch_errors == expected


def test_features_of_equal_weight_keep_their_order():
    """The second and the third feature split the cases of one fold alike; the second is asked first."""
    rows = [tuple(row) for row in ("aaaP", "aacP", "aacQ", "aacQ", "abbP", "acaP", "abaP")]
    keys = case_keys(Cases.from_table(rows, target=-1)).tolist()
    expected = cross_validated_errors([row[:-1] for row in rows], [row[-1] for row in rows], keys)

    found = tribl.fit(Cases.from_table(rows, target=-1), switch="cv").switch_errors
    assert found == expected == {0: 3, 1: 4, 2: 4, 3: 4}


def noisy(n=120):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n, 4)).astype(str)
    return X, np.where(X[:, 0] == X[:, 1], "same", "other")


def test_the_choice_is_saved_and_summarised(tmp_path):
    X, y = noisy()
    clf = cb.TRIBLClassifier(switch="cv").fit(X, y)
    clf.save(tmp_path / "a.cb")
    loaded = methods.load(tmp_path / "a.cb").model

    assert loaded.switch_errors == clf.model_.switch_errors
    assert set(loaded.switch_errors) == {0, 1, 2, 3, 4}
    assert f"switch at {clf.switch_} of 4 (chosen by cross-validation)" in str(loaded.summary())
    assert loaded.settings.switch == "cv"
    assert loaded.settings.for_sample().switch == clf.switch_


def test_a_correction_chooses_again(tmp_path):
    X, y = noisy()
    model = tribl.fit(Cases.from_table(X, y=y, ids=range(len(X))), switch="cv")
    smaller, _ = correction.remove(model, range(60))
    retrained = tribl.fit(Cases.from_table(X[60:], y=y[60:], ids=range(60, len(X))), switch="cv")

    assert smaller.switch_errors == retrained.switch_errors
    assert smaller.switch == retrained.switch


def test_one_case_leaves_nothing_to_hold_out():
    model = tribl.fit(Cases.from_table([["a", "P"]], target=-1), switch="cv")
    assert model.switch == 0
    assert model.switch_errors == {}


def test_other_words_are_refused():
    with pytest.raises(CasebaseError, match="'auto' or 'cv'; got 'best'"):
        tribl.Settings(switch="best")
