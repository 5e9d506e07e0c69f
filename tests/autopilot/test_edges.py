"""Tables at the edge of what can be learned from, and settings that cannot be."""

import re
import warnings

import numpy as np
import pytest

import casebase as cb
from casebase.autopilot import committee, opinions
from casebase.errors import CasebaseError
from casebase.methods import METHODS as ROWS_OF
from casebase.methods import method_named
from tests.autopilot.tables import METHODS, TABLES, Table, random_table

every_method = pytest.mark.parametrize("name", METHODS)


def classifier(name, **parameters):
    return getattr(cb, ROWS_OF[name].estimator)(**parameters)


def probabilities(model, X):
    """Return the shares after checking that they are probabilities, and that the answer has the largest."""
    shares = model.predict_proba(X)
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)
    largest = shares.max(axis=1)
    answered = shares[np.arange(len(shares)), np.searchsorted(model.classes_, model.predict(X))]
    np.testing.assert_array_equal(answered, largest)
    assert all(str(one) for one in model.explain(X[:1]))
    return shares


@every_method
def test_one_class(name):
    """There is nothing to choose: the class is certain."""
    model = classifier(name).fit([["a", 1.5], ["b", 2.5], ["a", 3.5]], ["P", "P", "P"])
    assert probabilities(model, [["a", 1.5], ["zz", None]]).tolist() == [[1.0], [1.0]]
    assert model.readings_ == ()
    assert model.held_out_log_loss_ == 0.0
    assert model.held_out_accuracy_ == 1.0


@every_method
@pytest.mark.parametrize("n", [2, 3])
def test_two_and_three_rows(name, n):
    """Each stored case is answered with its own class."""
    X, y = [["a", 1.5], ["b", 2.5], ["c", 9.5]][:n], ["P", "Q", "P"][:n]
    model = classifier(name).fit(X, y)
    shares = probabilities(model, [*X, ["zz", None]])
    assert shares.shape == (n + 1, 2)


@every_method
@pytest.mark.parametrize("value", ["a", 1.5, None])
def test_constant_features(name, value):
    """Nothing tells the classes apart: the answer is near their frequencies."""
    model = classifier(name).fit([[value, value]] * 12, ["P"] * 9 + ["Q"] * 3)
    shares = probabilities(model, [[value, value], ["zz" if value == "a" else 7.5, None]])
    np.testing.assert_allclose(shares[0], [0.75, 0.25], atol=0.15)


@every_method
def test_a_constant_number_beside_nothing_else(name):
    """Regression: a discriminant without dimensions could not be learned."""
    cases = Table([[0.0], [0.0], [0.0]], ["P", "Q", "P"], [], (0,)).cases()
    model = method_named(name).fit(cases)
    shares = model.shares(model.features.inputs(model.schema.encode([[0.0], [5.0]])))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares[:, 0] > 0.5).all()


@every_method
def test_a_column_without_values(name):
    """It says nothing, and does not disturb the others."""
    table = random_table("sn", n=60, seed=51)
    model = classifier(name).fit([[*row, None] for row in table.rows], table.labels)
    probabilities(model, [[*row, None] for row in table.asked])
    probabilities(model, [[*row, 3.5] for row in table.asked])
    cases = Table([[*row, None] for row in table.rows], table.labels, [], (1, 2)).cases()
    learned = method_named(name).fit(cases)
    shares = learned.shares(learned.features.inputs(learned.schema.encode([[*row, 3.5] for row in table.asked])))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-9)


@every_method
@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_infinite_numbers_are_refused(name, number):
    """As by every other learner, in training and in questions."""
    X = [[1.5, 2.5], [number, 1.5], [0.5, 2.5], [0.7, 3.5]] * 3
    with pytest.raises(CasebaseError, match="contains infinity"):
        classifier(name).fit(X, ["P", "Q", "P", "Q"] * 3)
    model = classifier(name).fit([[1.5, 2.5], [0.5, 3.5]] * 4, ["P", "Q"] * 4)
    with pytest.raises(CasebaseError, match="infinity"):
        model.predict([[number, 1.5]])


@every_method
def test_very_large_and_very_small_numbers(name):
    """Numbers whose squares are infinite are answered with probabilities, and without a warning."""
    X = [[1e307, 1e-308], [-1e307, 2e-308], [1e307, 3e-308], [-1e307, 0.0]] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = classifier(name, kinds={0: "number", 1: "number"}).fit(X, ["P", "Q", "P", "Q"] * 4)
        probabilities(model, X)
    if name != "discriminant":  # a scale that is not finite is no dimension
        assert model.predict(X[:2]).tolist() == ["P", "Q"]


@every_method
def test_values_that_nobody_had(name):
    """A case of unseen values alone is answered with probabilities; the frequent class comes first."""
    table = random_table("sss", n=60, seed=52)
    labels = ["c0" if i % 4 else label for i, label in enumerate(table.labels)]
    model = classifier(name).fit(table.rows, labels)
    shares = probabilities(model, [["x1", "x2", "x3"], [None, None, None]])
    assert model.classes_[shares[0].argmax()] == "c0"


@every_method
def test_contradictory_copies(name):
    """Equal rows with different classes: the answer is near their proportion."""
    X = [["a", "x"]] * 12 + [["b", "y"]] * 12
    y = ["P"] * 9 + ["Q"] * 3 + ["Q"] * 10 + ["P"] * 2
    shares = probabilities(classifier(name).fit(X, y), [["a", "x"], ["b", "y"]])
    np.testing.assert_allclose(shares[:, 0], [0.75, 1 / 6], atol=0.2)


@every_method
def test_a_class_with_one_case(name):
    """It is known, and can be answered, although its case is never answered held-out."""
    table = random_table("sn", n=40, seed=53)
    model = classifier(name).fit([*table.rows, ["rare", 77.5]], [*table.labels, "rare"])
    shares = probabilities(model, [["rare", 77.5], *table.rows])
    assert model.classes_.tolist() == ["c0", "c1", "c2", "rare"]
    assert shares[0, 3] > shares[1:, 3].mean()


@every_method
def test_weights_with_zeros_and_fractions(name):
    """A case counts by its weight, and one of weight 0 not at all."""
    table = TABLES["mixed"]
    weights = np.array([(0.0, 0.25, 1.0, 2.5)[i % 4] for i in range(len(table.rows))])
    model = classifier(name).fit(table.rows, table.labels, sample_weight=weights)
    shares = probabilities(model, table.asked)
    kept = np.flatnonzero(weights)
    same = classifier(name).fit(
        [table.rows[i] for i in kept], [table.labels[i] for i in kept], sample_weight=weights[kept]
    )
    np.testing.assert_array_equal(shares, same.predict_proba(table.asked))


@pytest.mark.slow
@every_method
def test_many_classes(name):
    """180 tags, as of a corpus."""
    draw = np.random.default_rng(54)
    tags = draw.integers(0, 180, 2000)
    X = [[f"w{tag * 3 + int(draw.integers(3))}", f"p{tag % 7}", f"n{int(draw.integers(9))}"] for tag in tags]
    model = classifier(name).fit(X, [f"t{tag:03}" for tag in tags])
    shares = probabilities(model, [*X[:100], ["unseen", "p1", "n1"]])
    assert shares.shape == (101, 180)
    if name != "discriminant":  # a feature of so many values has no dimensions
        assert (model.predict(X[:100]) == [f"t{tag:03}" for tag in tags[:100]]).mean() > 0.8


@pytest.mark.slow
@every_method
def test_wide_tables(name):
    """500 features, of which two tell."""
    draw = np.random.default_rng(55)
    labels = draw.integers(0, 2, 300)
    X = draw.normal(size=(300, 500))
    X[:, 3] += 3 * labels
    X[:, 400] -= 3 * labels
    model = classifier(name).fit(X[:200], labels[:200])
    probabilities(model, X[200:])
    assert model.score(X[200:], labels[200:]) > 0.8


def test_a_budget_that_is_over_at_once_leaves_the_cheapest_reading():
    """One reading at least is chosen."""
    table = TABLES["mixed"]
    model = cb.AutoClassifier(time_budget=1e-9).fit(table.rows, table.labels)
    assert model.readings_ == ("discriminant",)
    assert model.weights_of_readings_.tolist() == [1.0]
    alone = cb.DiscriminantClassifier().fit(table.rows, table.labels)
    np.testing.assert_array_equal(model.predict_proba(table.asked), alone.predict_proba(table.asked))


def test_readings_as_list_and_as_text():
    """Names in a list or with commas, in any number; each counts once, in the order given."""
    table = TABLES["mixed"]
    listed, text, twice = (
        cb.AutoClassifier(readings=readings).fit(table.rows, table.labels)
        for readings in (
            ["opinions", "discriminant"],
            "opinions,discriminant",
            ["opinions", "discriminant", "opinions"],
        )
    )
    assert set(listed.readings_) <= {"opinions", "discriminant"}
    for other in (text, twice):
        np.testing.assert_array_equal(listed.predict_proba(table.asked), other.predict_proba(table.asked))


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("auto", {"readings": "forrest"}, "Did you mean 'forest'?"),
        ("auto", {"readings": []}, "readings is 'auto', or a list of some of"),
        ("auto", {"readings": ["forest", 3]}, "readings is 'auto', or a list of some of"),
        ("auto", {"readings": 3}, "readings is 'auto', or a list of some of"),
        ("auto", {"time_budget": 0}, "time_budget is a number of seconds above 0, or None; got 0"),
        ("auto", {"time_budget": float("nan")}, "time_budget is a number of seconds above 0"),
        ("auto", {"time_budget": True}, "time_budget is a number of seconds above 0"),
        ("auto", {"random_state": -1}, "random_state"),
        ("auto", {"random_state": 0.5}, "random_state"),
        ("forest", {"n_trees": 0}, "n_trees is a whole number of at least 1; got 0"),
        ("forest", {"n_trees": 2.0}, "n_trees is a whole number of at least 1; got 2.0"),
        ("forest", {"tried": "all"}, "tried is one of 'sqrt', 'half'; got 'all'"),
        ("forest", {"values": ["groups"]}, "values is one of 'single', 'groups'"),
        ("opinions", {"pairs": 1}, "pairs is True or False; got 1"),
    ],
)
def test_settings_that_cannot_be(name, parameters, message):
    """The message says what can be given."""
    with pytest.raises(CasebaseError, match=re.escape(message)):
        classifier(name, **parameters).fit([["a"], ["b"]], ["P", "Q"])


def interrupt(stored, judges, seed, n_jobs=1):
    raise KeyboardInterrupt


def test_an_interrupted_choice_keeps_the_readings_that_are_ready(monkeypatch):
    """Ctrl-C in the second reading: the first answers alone, with a warning."""
    monkeypatch.setitem(committee.READINGS, "opinions", interrupt)
    table = TABLES["mixed"]
    with pytest.warns(UserWarning, match=r"Interrupted: .*\(discriminant\)"):
        model = cb.AutoClassifier().fit(table.rows, table.labels)
    assert model.readings_ == ("discriminant",)
    alone = cb.DiscriminantClassifier().fit(table.rows, table.labels)
    np.testing.assert_array_equal(model.predict_proba(table.asked), alone.predict_proba(table.asked))


def test_an_interrupted_first_reading_is_an_interruption(monkeypatch):
    """There is nothing to answer with."""
    monkeypatch.setitem(committee.READINGS, "discriminant", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cb.AutoClassifier().fit(TABLES["mixed"].rows, TABLES["mixed"].labels)


def test_a_reading_without_exponent_is_left_out(monkeypatch):
    """A reading that says the opposite of the truth is not kept."""

    def misled(stored, judges, seed, n_jobs=1):
        reading, shares = opinions.choose(stored, judges, seed, n_jobs)
        shares = np.full_like(shares, 0.45)
        shares[np.arange(len(judges)), stored.labels[judges]] = 0.1
        return reading, shares

    monkeypatch.setitem(committee.READINGS, "opinions", misled)
    table = random_table("sn", n=120, seed=56)
    model = method_named("auto").fit(table.cases(), readings=["discriminant", "opinions"])
    assert list(model.readings) == ["discriminant"]
    assert len(model.pool.exponents) == 1
    assert set(model.losses) == {"discriminant", "opinions"}


def test_progress_is_reported_reading_by_reading():
    steps = []
    method_named("auto").fit(
        TABLES["mixed"].cases(), readings=["discriminant", "opinions"], progress=lambda *step: steps.append(step)
    )
    assert steps == [(1, 2), (2, 2)]


@every_method
def test_more_values_than_a_table_of_differences_holds(name):
    """Values that occur about once, more than have codes of their own in the kernel vote."""
    draw = np.random.default_rng(57)
    labels = draw.integers(0, 3, 1500)
    rows = [[f"v{i}", f"w{c if draw.random() < 0.8 else 0}"] for i, c in zip(draw.integers(0, 1300, 1500), labels)]
    model = classifier(name, kinds={0: "symbol", 1: "symbol"}).fit(rows, labels)
    probabilities(model, [*rows[:50], ["unseen", "w1"]])
    assert model.score(rows, labels) > 0.75
    assert model.predict([["unseen", "w1"]]).tolist() == [1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kernel", "opinions", "discriminant"])
def test_long_tables(name):
    """More cases than vote and than judge."""
    draw = np.random.default_rng(58)
    labels = draw.integers(0, 3, 12_000)
    X = np.column_stack([labels + draw.normal(size=12_000) / 2, draw.normal(size=12_000)])
    model = classifier(name).fit(X, labels)
    probabilities(model, X[:500])
    assert abs(model.score(X[:3000], labels[:3000]) - model.held_out_accuracy_) < 0.03
