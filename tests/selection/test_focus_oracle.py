"""FOCUS against its naive second version, and what must not change what it keeps."""

import random

import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.selection.focus import focus
from tests.oracles import focus as plain
from tests.strategies import LABELS, missing_policies, tasks

NAMES = ["size", "shape", "holes", "colour", "age", "mass"]


@st.composite
def tables(draw):
    """Up to ten cases of up to six features of two or three values, so that subsets of any size come up."""
    n_features = draw(st.integers(1, 6))
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(["a", "b", "c", None]), min_size=n_features, max_size=n_features),
            min_size=1,
            max_size=10,
        )
    )
    return rows, draw(st.lists(st.sampled_from(LABELS), min_size=len(rows), max_size=len(rows)))


@given(tasks(), missing_policies)
def test_subset(task, missing):
    """The subset and its conflicts are those of trying all subsets by size."""
    found = focus(task.cases(), missing=missing)
    kept = plain.smallest(task.rows, task.labels, task.counts, missing=missing)
    assert list(found.features) == kept
    assert found.n_conflicts == plain.conflicts(task.rows, task.labels, kept, task.counts, missing)


@given(tables(), missing_policies)
def test_selector(table, missing):
    """The same with more features, by the selector."""
    rows, labels = table
    selector = cb.FocusSelector(missing=missing).fit(rows, labels)
    kept = plain.smallest(rows, labels, missing=missing)
    assert selector.get_support(indices=True).tolist() == kept
    assert selector.n_conflicts_ == plain.conflicts(rows, labels, kept, missing=missing)
    assert selector.n_subsets_ == plain.breadth_first(len(rows[0])).index(tuple(kept)) + 1


@settings(max_examples=25)
@given(st.integers(0, 10**6), missing_policies, st.booleans())
def test_larger_tables(seed, missing, is_weighted):
    """Eight features and forty cases of up to twelve classes, a few of them in conflict."""
    rng = random.Random(seed)
    rows = [[rng.choice(["a", "b", "c", None][: rng.choice([2, 2, 3, 4])]) for _ in range(8)] for _ in range(40)]
    rows[:4] = rows[4:8]
    labels = [f"c{rng.randrange(12):02}" if rng.random() < 0.1 else str(row[2] == row[5]) for row in rows]
    weights = [rng.choice([0, 0.5, 1, 3]) for _ in rows] if is_weighted else None
    found = focus(Cases.from_table(rows, y=labels, weights=weights), missing=missing)
    kept = plain.smallest(rows, labels, weights, missing=missing)
    assert list(found.features) == kept
    assert found.n_conflicts == plain.conflicts(rows, labels, kept, weights, missing)


@given(tables(), missing_policies, st.integers(0, 6))
def test_size_limit(table, missing, max_size):
    """A limit changes nothing but that it may leave none: an error."""
    rows, labels = table
    selector = cb.FocusSelector(max_size=max_size, missing=missing)
    kept = plain.smallest(rows, labels, max_size=max_size, missing=missing)
    if kept is None:
        with pytest.raises(CasebaseError, match="max_size"):
            selector.fit(rows, labels)
    else:
        assert selector.fit(rows, labels).get_support(indices=True).tolist() == kept


@settings(max_examples=50)
@given(tables(), missing_policies, st.data())
def test_row_order(table, missing, data):
    """The order of the cases never matters."""
    rows, labels = table
    order = data.draw(st.permutations(range(len(rows))))
    one = cb.FocusSelector(missing=missing).fit(rows, labels)
    other = cb.FocusSelector(missing=missing).fit([rows[i] for i in order], [labels[i] for i in order])
    assert (one.support_ == other.support_).all()


@settings(max_examples=50)
@given(tables(), missing_policies, st.data())
def test_column_order(table, missing, data):
    """Features with names are the same in any order of the columns."""
    rows, labels = table
    names = NAMES[: len(rows[0])]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    order = data.draw(st.permutations(names))
    one, other = (cb.FocusSelector(missing=missing).fit(frame[columns], labels) for columns in (names, order))
    assert set(one.get_feature_names_out()) == set(other.get_feature_names_out())


@settings(max_examples=50)
@given(tables(), missing_policies)
def test_copies_change_nothing(table, missing):
    """A table twice over, at half weight or not, keeps the same features."""
    rows, labels = table
    one = cb.FocusSelector(missing=missing).fit(rows, labels)
    twice = cb.FocusSelector(missing=missing).fit(rows * 2, labels * 2)
    halved = cb.FocusSelector(missing=missing).fit(rows * 2, labels * 2, sample_weight=[0.5] * 2 * len(rows))
    assert one.support_.tolist() == twice.support_.tolist() == halved.support_.tolist()
    assert one.n_conflicts_ == pytest.approx(halved.n_conflicts_)
    assert 2 * one.n_conflicts_ == twice.n_conflicts_


@settings(max_examples=50)
@given(tables(), missing_policies)
def test_what_is_kept_is_enough(table, missing):
    """Fitted on what it kept, it keeps all of that."""
    rows, labels = table
    kept = cb.FocusSelector(missing=missing).fit(rows, labels).get_support(indices=True)
    assume(len(kept))
    again = cb.FocusSelector(missing=missing).fit([[row[f] for f in kept] for row in rows], labels)
    assert again.support_.all()
