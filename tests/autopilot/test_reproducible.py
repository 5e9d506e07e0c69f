"""The same seed gives the same model: with any number of threads, for rows in any order, for copies and weights."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase import methods
from casebase.autopilot import committee, kernel
from casebase.base import files
from casebase.methods import METHODS as ROWS_OF
from casebase.methods import method_named
from tests.autopilot.tables import METHODS, TABLES, random_table

every_method = pytest.mark.parametrize("name", METHODS)
TABLE = random_table("snsn", n=90, seed=31, gaps=0.1)


def bytes_of(model, path):
    methods.save(path / "model.cb", model)
    return (path / "model.cb").read_bytes()


def learned_part(model, path):
    """Return the readings and exponents as the file has them."""
    methods.save(path / "model.cb", model)
    header, arrays = files.read(path / "model.cb")
    entries = {name: header[name] for name in ("readings", "losses", "held_out_loss", "held_out_accuracy")}
    learned = {n: a.copy() for n, a in arrays._arrays.items() if n.startswith(("reading.", "exponents"))}
    return entries, learned


def assert_same_learned(one, other):
    assert one[0] == other[0]
    assert one[1].keys() == other[1].keys()
    for name, array in one[1].items():
        np.testing.assert_array_equal(array, other[1][name], err_msg=name)


@every_method
@pytest.mark.parametrize("table", ["mixed", "weighted", "missing"])
def test_threads_change_no_byte(name, table, tmp_path):
    """One thread or several: the files are equal."""
    cases = TABLES[table].cases()
    fitted = [bytes_of(method_named(name).fit(cases, n_jobs=n), tmp_path) for n in (1, 2, 3)]
    assert fitted[0] == fitted[1] == fitted[2]


@every_method
def test_threads_change_no_byte_of_a_larger_table(name, tmp_path, monkeypatch):
    """More cases than a block, more than may vote and more than judge."""
    monkeypatch.setattr(kernel, "MOST_VOTERS", 300)
    monkeypatch.setattr(committee, "JUDGED", 600)
    monkeypatch.setattr(committee, "FEWEST", 200)
    table = random_table("snsn", n=700, seed=32)
    models = [method_named(name).fit(table.cases(), n_jobs=n) for n in (1, 2)]
    assert bytes_of(models[0], tmp_path) == bytes_of(models[1], tmp_path)
    asked = models[0].schema.encode(table.asked)
    assert np.array_equal(models[0].answer(asked, n_jobs=1).votes, models[0].answer(asked, n_jobs=3).votes)


@every_method
@pytest.mark.parametrize("table", TABLES)
def test_the_order_of_the_rows_changes_nothing_that_is_learned(name, table, tmp_path):
    """Readings, exponents and losses of a table and of its rows in another order are equal to the last bit."""
    table = TABLES[table]
    order = np.random.default_rng(7).permutation(len(table.rows))
    one, other = (method_named(name).fit(t.cases()) for t in (table, table.take(order.tolist())))
    assert_same_learned(learned_part(one, tmp_path), learned_part(other, tmp_path))
    asked = one.schema.encode(table.asked)
    assert np.array_equal(one.answer(asked).votes, other.answer(other.schema.encode(table.asked)).votes)


@every_method
def test_the_same_seed_gives_the_same_file_and_another_may_not(name, tmp_path):
    cases = TABLE.cases()
    one, again, other = (bytes_of(method_named(name).fit(cases, random_state=seed), tmp_path) for seed in (4, 4, 5))
    assert one == again
    assert one != other  # the seed is in the file


def test_another_seed_grows_another_forest(tmp_path):
    one, other = (method_named("forest").fit(TABLE.cases(), random_state=seed) for seed in (4, 5))
    assert not np.array_equal(one.readings["forest"].nodes["at"], other.readings["forest"].nodes["at"])


@every_method
def test_a_weight_of_two_is_a_row_twice(name, tmp_path):
    """Whole weights teach the same as repeated rows, to the last bit."""
    weights = [1 + i % 3 for i in range(len(TABLE.rows))]
    weighted = replace(TABLE, weights=[float(w) for w in weights])
    rows = [i for i, w in enumerate(weights) for _ in range(w)]
    repeated = TABLE.take(rows)
    one, other = (method_named(name).fit(t.cases()) for t in (weighted, repeated))
    assert_same_learned(learned_part(one, tmp_path), learned_part(other, tmp_path))
    np.testing.assert_array_equal(
        one.answer(one.schema.encode(TABLE.asked)).votes, other.answer(other.schema.encode(TABLE.asked)).votes
    )


@every_method
def test_a_case_of_weight_zero_is_not_there(name):
    """It teaches nothing, not even the values that it alone has."""
    rows = [*TABLE.rows, ["only here", 55.5, "v0", 1.0]]
    weighted = replace(TABLE, rows=rows, labels=[*TABLE.labels, "c0"], weights=[*[1.0] * len(TABLE.rows), 0.0])
    one, other = (method_named(name).fit(t.cases()) for t in (weighted, TABLE))
    np.testing.assert_array_equal(
        one.answer(one.schema.encode(TABLE.asked)).votes, other.answer(other.schema.encode(TABLE.asked)).votes
    )


def test_equal_weights_of_any_size_are_no_weights_to_a_forest():
    """Gini's index and leaves have no unit: weights of 0.5 everywhere grow the same trees."""
    halves = replace(TABLE, weights=[0.5] * len(TABLE.rows))
    one, other = (method_named("forest").fit(t.cases()) for t in (halves, TABLE))
    shares = [m.shares(m.features.inputs(m.schema.encode(TABLE.asked))) for m in (one, other)]
    np.testing.assert_allclose(*shares, atol=1e-12)


@every_method
def test_the_order_of_named_columns_changes_nothing(name):
    """Columns with names are learned in the order of the names."""
    names = ["d", "b", "a", "c"]
    frame, asked = (pd.DataFrame(rows, columns=names) for rows in (TABLE.rows, TABLE.asked))
    kind = getattr(cb, ROWS_OF[name].estimator)
    one = kind().fit(frame, TABLE.labels)
    other = kind().fit(frame[sorted(names)], TABLE.labels)
    np.testing.assert_array_equal(one.predict_proba(asked), other.predict_proba(asked[sorted(names)]))
