"""The bench of classifiers on mixed tables: scores by hand, folds shared by all, results kept."""

import json
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
import pytest

from lab.bench import autopilot, mixed_tables
from lab.bench.mixed_tables import Mixed

# Eight cases of two classes, and one of a third that no model can know when it is held out.
TABLE = Mixed(
    pd.DataFrame({"symbol": [*"abababab", "c"], "number": range(9)}), pd.Series([*"xyxyxyxy", "z"], dtype=object)
)
THRICE = Mixed(pd.concat([TABLE.X] * 3, ignore_index=True), pd.concat([TABLE.y] * 3, ignore_index=True))


class Shares:
    """Answers with the shares of the classes; remembers what it was taught."""

    taught: list[list[int]]

    def fit(self, X: pd.DataFrame, y: pd.Series) -> Self:
        self.taught.append(X.index.tolist())
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares = counts / len(y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return np.tile(self.shares, (len(X), 1))


@pytest.fixture
def shares() -> type[Shares]:
    class Fresh(Shares):
        taught: list[list[int]] = []  # noqa: RUF012 (all classifiers of one test write into it)

    return Fresh


def test_a_class_missing_from_the_training_fold_has_the_least_probability(shares: type[Shares]) -> None:
    result = autopilot.evaluate(TABLE, shares, n_folds=2)
    expected = 0.0
    for train in shares.taught:
        classes = TABLE.y[train].value_counts(normalize=True)
        held_out = TABLE.y.drop(train)
        expected -= sum(np.log(classes.get(label, 1e-15)) for label in held_out)
    assert result.log_loss == pytest.approx(expected / 9)
    assert result.log_loss > -np.log(1e-15) / 9


def test_all_methods_learn_from_the_same_folds(shares: type[Shares]) -> None:
    autopilot.evaluate(TABLE, shares, n_folds=2)
    autopilot.evaluate(TABLE, shares, n_folds=2)
    assert shares.taught[:2] == shares.taught[2:]
    assert sorted(set(range(9)) - set(shares.taught[0])) == sorted(shares.taught[1])


def test_calibration_error_weighs_bins_by_their_answers() -> None:
    # Three answers at 0.9, two of them right, and one at 0.6, wrong: 3/4 |2/3 - 0.9| + 1/4 |0 - 0.6|.
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.9, 0.1], [0.6, 0.4]])
    error = autopilot.calibration_error(probabilities, np.array([0, 0, 1, 1]))
    assert error == pytest.approx(0.75 * (0.9 - 2 / 3) + 0.25 * 0.6)


def test_answers_of_full_confidence_are_in_the_last_bin() -> None:
    assert autopilot.calibration_error(np.array([[1.0, 0.0], [0.99, 0.01]]), np.array([1, 0])) == pytest.approx(0.495)


def test_stored_pairs_are_not_computed_again(tmp_path: Path, shares: type[Shares]) -> None:
    out = tmp_path / "results.json"
    tables = {"thrice": lambda: THRICE}
    autopilot.run(tables, {"shares": shares}, out)
    n_fits = len(shares.taught)
    autopilot.run(tables, {"shares": shares, "again": shares}, out)
    assert n_fits == autopilot.N_FOLDS
    assert len(shares.taught) == 2 * n_fits
    assert set(autopilot.read(out)["results"]["thrice"]) == {"shares", "again"}
    assert autopilot.read(out)["tables"]["thrice"] == {
        "cases": 27, "symbols": 1, "numbers": 1, "missing": 0, "classes": 3
    }  # fmt: skip


def test_stored_learning_times_are_not_measured_again(tmp_path: Path, shares: type[Shares]) -> None:
    out = tmp_path / "results.json"
    autopilot.run_generated({"shares": shares}, out, [20])
    autopilot.run_generated({"shares": shares}, out, [20, 30])
    assert [len(rows) for rows in shares.taught] == [20, 30]
    assert list(autopilot.read(out)["generated"]["shares"]) == ["20", "30"]


def test_a_failure_is_said_and_not_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def fails() -> Shares:
        raise ValueError("no model today")

    autopilot.run({"thrice": lambda: THRICE}, {"broken": fails}, tmp_path / "results.json")
    assert "failed: ValueError: no model today" in capsys.readouterr().out
    assert not (tmp_path / "results.json").exists()


def test_means_and_ranks_are_over_the_tables_that_all_methods_have() -> None:
    def result(accuracy: float) -> dict[str, float]:
        return {"accuracy": accuracy, "log_loss": 1, "ece": 0, "learning": 1, "answers_per_second": 1}

    record = {
        "tables": {name: {"cases": 10} for name in "abc"},
        "results": {
            "a": {"one": result(0.5), "two": result(0.7)},
            "b": {"one": result(0.5), "two": result(0.5)},
            "c": {"one": result(0.0)},
        },
    }
    text = autopilot.markdown(record, ["a", "b", "c", "absent"]).splitlines()
    assert text[4:9] == [
        "| a | 10 | 50.00 | 70.00 |",
        "| b | 10 | 50.00 | 50.00 |",
        "| c | 10 | 0.00 |  |",
        "| **mean** of 2 tables |  | 50.00 | 60.00 |",
        "| **mean rank** of 2 tables |  | 1.75 | 1.25 |",
    ]


def test_methods_are_named_in_three_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    methods = autopilot.methods_of(["forest", "lab.bench.autopilot:majority", "mine=lab.bench.autopilot:majority"])
    assert list(methods) == ["forest", "lab.bench.autopilot:majority", "mine"]
    assert methods["mine"] is autopilot.majority
    monkeypatch.setattr(autopilot, "find_spec", lambda name: None)
    assert "lightgbm" not in autopilot.methods_of(["peers"])


@pytest.mark.parametrize("name", ["majority", "logistic", "forest", "histboost", "lightgbm"])
def test_peers_take_missing_values_and_unknown_symbols(name: str) -> None:
    if name not in autopilot.methods_of([name]):
        pytest.skip(f"{name} is not installed")
    symbols = pd.Series(["a", "b", np.nan] * 20, dtype=object)
    X = pd.DataFrame({"symbol": symbols, "word": [f"w{i}" for i in range(60)], "number": [1.0, np.nan, 3.0] * 20})
    model = autopilot.PEERS[name]().fit(X, pd.Series(["x", "y", "z"] * 20))
    new = X.assign(symbol="new")
    assert model.predict_proba(new).sum(axis=1) == pytest.approx(np.ones(60))
    if name != "majority":
        assert (model.classes_[model.predict_proba(X).argmax(axis=1)] == ["x", "y", "z"] * 20).all()


def test_symbols_with_too_many_values_are_ordered_codes() -> None:
    X = pd.DataFrame({"word": [f"w{i}" for i in range(300)], "few": ["a", "b"] * 150})
    model = autopilot.HistBoosting().fit(X, pd.Series(["x", "y"] * 150))
    assert model._model.is_categorical_.tolist() == [False, True]


def test_columns_have_their_kinds() -> None:
    X, y = mixed_tables.STUDY["breast"]()
    assert (len(X), len(mixed_tables.symbols(X)), mixed_tables.numbers(X)) == (277, 8, ["x6"])
    X, y = mixed_tables.DEVELOP["flare-F"]()
    assert X["x1"].unique().tolist() == list(dict.fromkeys(X["x1"].str.strip()))
    assert set(y) == {"negative", "positive"}
    assert X["x3"].dtype == int


def test_missing_values_are_nan() -> None:
    X, _ = mixed_tables._mixed([["a", "?"], [1.5, np.nan], [1.0, 2.0]], ["s", "n", "whole"], ["x", "y"])
    assert X.isna().to_numpy().tolist() == [[False, False, False], [True, True, False]]
    assert [str(dtype) for dtype in X.dtypes] == ["object", "float64", "int64"]


def test_unseen_tables_are_cut_at_random() -> None:
    X, y = mixed_tables.UNSEEN["ring"]()
    whole = mixed_tables._from_keel("ring")
    assert (len(X), len(whole.X)) == (5_000, 7_400)
    assert not X.equals(whole.X[:5_000])
    both = whole.X.assign(label=whole.y).drop_duplicates()
    assert X.assign(label=y).merge(both).shape[0] == 5_000


def test_the_tables_of_the_page_are_those_of_the_stored_figures():
    """`python -m lab.bench.autopilot --write --out docs/autopilot.json` would change nothing."""
    page = autopilot.PAGE.read_text(encoding="utf-8")
    record = json.loads((autopilot.DOCS / "autopilot.json").read_text(encoding="utf-8"))
    assert "| **mean** |  |" in page
    assert autopilot.with_report(page, record) == page
