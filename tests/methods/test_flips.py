"""Smallest flips equal those of a search through all combinations of values, for every method."""

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from casebase import methods
from casebase.base.flips.search import Ask
from casebase.data import Cases
from casebase.estimators._load import estimator_of
from casebase.methods import METHODS, method_named
from casebase.neighbours.removal import asked_of, find_removal
from tests.oracles.flips import changed, smallest_flips, smallest_removal, without

KEEPS_NO_NUMBERS = ("id3", "c45", "c45rules", "oblivious_graph")
BETWEEN = [x / 4 for x in range(-1, 14)]  # a number in every interval that cuts between 0, 1, 2 and 3 can make
SEARCHES = [{}, {"k": 2}, {"k": 3, "weighting": "none"}, {"metric": {0: "mvdm"}}, {"missing": "unknown"}]
SETTINGS = {
    "ib1": [*SEARCHES, {"k": 2, "vote": "inverse_distance"}, {"k": 3, "vote": "inverse_linear", "compat": "timbl"},
            {"metric": {0: "levenshtein"}, "weighting": "information_gain"}, {"exact_match": True, "k": 2}],
    "ib2": SEARCHES,
    "tribl": [*SEARCHES, {"switch": 1}, {"switch": 2, "k": 2}],
    "tribl2": SEARCHES,
    "igtree": [{}, {"missing": "unknown"}, {"weighting": "chi_squared"}],
    "c45": [{}, {"min_cases": 1, "pruned": False}, {"missing": "value", "min_cases": 1}],
    "c45rules": [{}, {"min_cases": 1}],
    "id3": [{}, {"criterion": "gain_ratio"}],
    "rules": [{}, {"depth": "auto", "pairs": True}, {"discretise": "none"}],
    "oblivion": [{}, {"missing": "unknown"}],
    "oblivious_graph": [{}, {"merge": "top_down"}, {"missing": "unknown"}],
    "smile": [{}, {"alpha": 1}, {"discretise": "none"}],
    "auto": [{"readings": ["opinions", "forest"]}],
    "forest": [{"n_trees": 5}],
}  # fmt: skip
SLOW = ("auto", "forest", "kernel", "opinions", "discriminant")
N_TABLES, N_SLOW_TABLES = 75, 4
N_QUERIES = 3


class Table:
    """A small random table of symbols and numbers with gaps, and the values of its columns."""

    def __init__(self, rng):
        self.rng = rng
        n_cases, n_features = int(rng.integers(3, 12)), int(rng.integers(2, 5))
        self.numeric = [bool(rng.random() < 0.25) for _ in range(n_features)]
        gaps = rng.random() < 0.3

        def value(is_number):
            if gaps and rng.random() < 0.2:
                return None
            return float(rng.integers(0, 4)) if is_number else "abc"[rng.integers(0, 3)]

        self.rows = [tuple(value(is_number) for is_number in self.numeric) for _ in range(n_cases)]
        self.labels = ["PQR"[rng.integers(0, 3)] for _ in range(n_cases)]
        self.weights = rng.integers(1, 4, n_cases).astype(float) if rng.random() < 0.2 else None
        kinds = {i: "numeric" if is_number else "symbolic" for i, is_number in enumerate(self.numeric)}
        self.cases = Cases.from_table(
            [list(row) for row in self.rows], y=self.labels, kinds=kinds, weights=self.weights
        )
        self.values = [sorted({row[i] for row in self.rows} - {None}) for i in range(n_features)]

    def query(self):
        """Return a random query; its values may be missing or unknown."""
        asked = []
        for values, is_number in zip(self.values, self.numeric):
            strange = [None, 7.5] if is_number else [None, "z"]
            pool = [*values, *(strange if self.rng.random() < 0.3 else [])] or strange
            asked.append(pool[self.rng.integers(0, len(pool))])
        return tuple(asked)


class Labels:
    """The classes that a model predicts for rows, asked alone; each row is asked once."""

    def __init__(self, model, spaces):
        self.model, self.known = model, {}
        self(list(product(*spaces)))

    def __call__(self, rows):
        new = [row for row in dict.fromkeys(rows) if row not in self.known]
        if new:
            cases = self.model.schema.encode([list(row) for row in new])
            if getattr(getattr(self.model, "settings", None), "compat", None) is not None:
                codes = [self.model.answer(case).label[0] for case in cases.one_by_one()]
            else:
                codes = self.model.answer(cases).label
            self.known |= {row: self.model.schema.classes[code] for row, code in zip(new, codes)}
        return [self.known[row] for row in rows]


def fitted(name, table, rng):
    settings = SETTINGS.get(name, [{}])
    chosen = dict(settings[rng.integers(0, len(settings))])
    if isinstance(chosen.get("metric"), dict) and table.numeric[0]:
        del chosen["metric"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return method_named(name).fit(table.cases, **chosen)


@pytest.mark.parametrize("name", METHODS)
def test_equals_brute_force(name):
    rng = np.random.default_rng(sum(map(ord, name)))
    n_found = n_none = 0
    for _ in range(N_SLOW_TABLES if name in SLOW else N_TABLES):
        table = Table(rng)
        if name in SLOW:
            table.weights = None
        model = fitted(name, table, rng)
        values = [
            BETWEEN if is_number and name in KEEPS_NO_NUMBERS else known
            for is_number, known in zip(table.numeric, table.values)
        ]
        if name == "ib2":  # it has the numbers of the cases that it kept
            kept = model.memory.part(model.memory.in_given_order)
            ranks = {int(position): rank for rank, position in enumerate(model.memory.order)}
            values = [
                sorted(set(kept.columns[ranks[i]][~np.isnan(kept.columns[ranks[i]])].tolist())) if is_number else known
                for i, (is_number, known) in enumerate(zip(table.numeric, values))
            ]
        if name == "perceptron_tree":  # it has numbers at even distances instead
            domains = method_named(name).flip.domains(model)
            values = [
                known if not is_number else [] if domain is None else domain.values.tolist()
                for is_number, known, domain in zip(table.numeric, values, domains)
            ]
        labels = Labels(model, values)
        queries = [table.query() for _ in range(N_QUERIES)]
        wanted = model.schema.classes[rng.integers(0, len(model.schema.classes))] if rng.random() < 0.3 else None
        frozen = [i for i in range(len(values)) if rng.random() < 0.2]
        limit = int(rng.integers(1, 4))
        cases = model.schema.encode([list(row) for row in queries])
        flips = methods.flip(model, cases, to=wanted, frozen=frozen, limit=limit, budget=10**6)
        for query, flip in zip(queries, flips):
            (before,) = labels([query])
            assert flip.label == before
            if wanted == before:
                assert flip.is_wanted_already
                assert not flip.changes
                continue
            expected = smallest_flips(labels, query, values, wanted=wanted, frozen=frozen, limit=limit)
            if expected.n_changes is None:
                assert (flip.changes, flip.new_label, flip.proved) == ((), None, limit), (query, flip)
                n_none += 1
                continue
            n_found += 1
            assert flip.n_changes == expected.n_changes, (name, query, flip, expected)
            assert flip.is_fewest
            assert flip.is_cheapest
            names = model.schema.names
            found = tuple((names.index(one.feature), one.new) for one in flip.changes)
            (after,) = labels([changed(query, found)])
            assert flip.new_label == after
            weights = getattr(model, "weights", np.ones(len(names)))
            is_number = [feature.vocabulary is None for feature in model.schema.features]  # not where it is a symbol
            costs = [cost(query, one, is_number, weights, values) for one in expected.changes]
            if not any(table.numeric):
                assert flip.cost == pytest.approx(min(costs), abs=1e-9)
                # Of the cheapest flips it is the first by column, then by value.
                assert found == min(one for one, c in zip(expected.changes, costs) if c <= min(costs) + 1e-9)
            elif name not in KEEPS_NO_NUMBERS:
                assert flip.cost <= min(costs) + 1e-9
    assert n_found > 1
    assert n_none > 1 or name in SLOW


def cost(query, changes, numeric, weights, values):
    total = 0.0
    for column, new in changes:
        share = 1.0
        if numeric[column] and query[column] is not None:
            span = max(*values[column], query[column]) - min(*values[column], query[column])
            share = abs(new - query[column]) / span
        total += weights[column] * share
    return total


@pytest.mark.parametrize("name", ["ib1", "ib2", "tribl", "tribl2"])
def test_removals_equal_brute_force(name):
    rng = np.random.default_rng(8)
    sizes, n_quick = set(), []
    for _ in range(40):
        table = Table(rng)
        model = fitted(name, table, rng)
        case = model.schema.encode([list(table.query())])
        label = int(model.answer(case).label[0])
        wanted = int(rng.integers(0, len(model.schema.classes))) if rng.random() < 0.3 else None
        if wanted == label or model.stored_memory().n_cases > 9:
            continue
        removal = find_removal(model, case, label, wanted)
        asked = asked_of(model, case)
        if removal is None:
            assert name == "tribl"
            assert asked is None
            continue
        scope = asked.nearby.nearest(asked.questions, 99).rows if name == "tribl" else None
        expected = smallest_removal(model, case, wanted, 3, scope=scope)
        sizes.add(expected)
        if expected is None:
            assert removal.proved >= min(3, model.stored_memory().n_cases - 1) or not removal.ids
            assert not removal.is_fewest or len(removal.ids) > 3
        else:
            assert (len(removal.ids), removal.is_fewest) == (expected, True)
        # Without trying all sets, what is found does change the answer, and what is proved holds.
        quick = find_removal(model, case, label, wanted, proved=0)
        n_quick.append(quick.is_fewest)
        if quick.ids:
            after = int(without(model, rows_of(model, quick.ids)).answer(case).label[0])
            assert model.schema.classes[after] == quick.label
            assert after != label if wanted is None else after == wanted
        assert quick.proved < (4 if expected is None else expected) or len(quick.ids) > 3
        if expected is not None:
            assert not quick.ids or len(quick.ids) >= expected
    assert sum(n_quick) > 5 or name == "tribl2"
    assert {1, 2, None} <= sizes


def rows_of(model, ids):
    memory = model.stored_memory()
    rows = memory.in_given_order
    return rows[np.isin(memory.ids(rows), ids)]


def test_equivalent_changes_are_tried_once(monkeypatch):
    """Of many values only some are tried, and the flip is the same."""
    monkeypatch.setattr("casebase.neighbours.flips.MANY", 0)
    rng = np.random.default_rng(5)
    n_saved = 0
    for _ in range(40):
        n = int(rng.integers(5, 40))
        rows = [[f"v{rng.integers(0, 12)}" for _ in range(3)] for _ in range(n)]
        cases = Cases.from_table(rows, y=["PQR"[rng.integers(0, 3)] for _ in rows], weights=rng.integers(1, 3, n))
        model = method_named("ib1").fit(cases, k=int(rng.integers(1, 4)))
        asked = model.schema.encode([[f"v{rng.integers(0, 13)}" for _ in range(3)] for _ in range(3)])
        quick = methods.flip(model, asked)
        with monkeypatch.context() as patch:
            patch.setattr("casebase.neighbours.flips.MANY", 10**9)
            slow = methods.flip(model, asked)
        assert [one.changes for one in quick] == [one.changes for one in slow]
        n_saved += sum(a.n_tried < b.n_tried for a, b in zip(quick, slow))
    assert n_saved > 40


@pytest.mark.parametrize("name", ["ib1", "ib2"])
def test_screen_rules_out_what_does_not_flip(name, monkeypatch):
    """Many changes are ruled out without a prediction, and every flip is the same."""
    monkeypatch.setattr("casebase.neighbours.screen.FEW", 0)
    monkeypatch.setattr("casebase.neighbours.screen.NEAR", 4)
    monkeypatch.setattr("casebase.neighbours.screen.AT_ONCE", 200)
    monkeypatch.setattr("casebase.base.flips.search.FIRST_BATCH", 1)
    n_asked = []
    answer = Ask.labels
    monkeypatch.setattr(Ask, "labels", lambda ask, cases: n_asked.append(cases.n_cases) or answer(ask, cases))
    rng = np.random.default_rng(8)
    n_quick = n_slow = 0
    for _ in range(60):
        n = int(rng.integers(8, 40))
        rows = [
            [float(rng.integers(0, 30)), 1e9 + float(rng.integers(0, 3)), "abcd"[rng.integers(0, 4)], rng.random()]
            for _ in range(n)
        ]
        labels = ["PQR"[int(row[0] // 10)] if rng.random() < 0.8 else "P" for row in rows]
        for row in rows:
            if rng.random() < 0.2:
                row[rng.integers(0, 4)] = None
        cases = Cases.from_table(rows, y=labels, weights=rng.integers(1, 3, n) if n % 5 == 0 else None)
        settings = {"k": int(rng.integers(1, 5)), "weighting": ["none", "gain_ratio"][n % 2]}
        if n % 3 == 0:
            settings["missing"] = "unknown"
        model = method_named(name).fit(cases, **settings)
        asked = model.schema.encode([[float(rng.integers(0, 30)), 1e9, "abcdz"[rng.integers(0, 5)], None]])
        n_asked.clear()
        quick = methods.flip(model, asked, limit=2)
        n_quick += sum(n_asked)
        with monkeypatch.context() as patch:
            patch.setattr("casebase.neighbours.screen.FEW", 10**9)
            n_asked.clear()
            slow = methods.flip(model, asked, limit=2)
            n_slow += sum(n_asked)
        assert [replace(one, removal=None) for one in quick] == [replace(one, removal=None) for one in slow]
    assert n_quick < 0.8 * n_slow


@pytest.mark.parametrize("name", ["ib1", "c45", "smile"])
def test_small_budget_proves_less(name):
    rng = np.random.default_rng(3)
    n_best_found = 0
    for _ in range(40):
        table = Table(rng)
        model = fitted(name, table, rng)
        asked = model.schema.encode([list(table.query()) for _ in range(3)])
        for whole, part in zip(methods.flip(model, asked), methods.flip(model, asked, budget=4)):
            assert part.proved <= whole.proved
            if part.changes:
                assert part.n_changes > part.proved
                assert part.n_changes >= whole.n_changes
                n_best_found += not part.is_cheapest
    assert n_best_found > 1


@pytest.mark.parametrize("name", ["igtree", "oblivious_graph", "oblivion"])
def test_a_date_is_changed_to_a_stored_one(name):
    """These models test days for equality, so the codes of the days are no days."""
    draw = np.random.default_rng(3)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(draw.integers(0, 900, 80), "D")
    texts = [day.strftime("%d/%m/%Y") for day in days]
    table = pd.DataFrame({"when": texts, "colour": draw.choice(["red", "blue"], 80)})
    labels = np.where(days > pd.Timestamp("2021-03-01"), "late", "early")
    own = {"method": "consistent"} if name == "oblivious_graph" else {}
    model = estimator_of(name)(kinds="auto", **own).fit(table, labels)
    asked = pd.concat([table[:4], pd.DataFrame({"when": ["05/05/2020", None], "colour": ["red", "green"]})])
    changed = [change.new for flip in model.flip(asked) for change in flip.changes if change.feature == "when"]
    assert changed
    if name == "oblivion":  # it keeps the years, and not the days
        assert {text[-4:] for text in changed} <= {text[-4:] for text in texts}
    else:
        assert set(changed) <= set(texts)
