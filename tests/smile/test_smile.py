"""SMILE: examples by hand, the choice of alpha, and what must not change an answer."""

import pickle
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase import methods
from casebase.base import files
from casebase.data import Cases
from casebase.errors import CasebaseError, SchemaError
from casebase.memory.intervals import discretisation_of
from casebase.smile import alpha as alpha_choice
from casebase.smile import images, smile
from casebase.smile.alpha import candidates
from casebase.smile.evidence import SmileEvidence
from tests.base.results import ask
from tests.strategies import tasks

TOYS = [
    ["red", "ball", "1", "keep"],
    ["red", "cube", "2", "keep"],
    ["green", "ball", "3", "mend"],
    ["green", "cube", "4", "mend"],
    ["blue", "ball", "5", "keep"],
    ["blue", "ring", "1", "sell"],
    ["red", "ring", "2", "mend"],
]


def toys(**options):
    return smile.fit(Cases.from_table(TOYS, target=-1), **options)


def test_every_maximal_set_speaks_at_alpha_0():
    """{colour, shape} has one case and {shape, age} another; smaller sets are covered. keep comes first of two."""
    assert ask(toys(alpha=0), [["red", "ball", "3"]]) == [("keep", {"keep": 1, "mend": 1})]


def test_small_pools_do_not_speak():
    """At alpha 1 the sets of two features have too few cases, so colour and shape speak, each with three."""
    assert ask(toys(alpha=1), [["red", "ball", "3"]]) == [("keep", {"keep": 4, "mend": 2})]


def test_a_case_counts_once_for_every_pool():
    """The red ball is in both pools: three cases each, five different ones."""
    (evidence,) = toys(alpha=1).explain(toys().schema.encode([["red", "ball", "3"]]))
    assert [(pool.features, pool.n_cases) for pool in evidence.pools] == [(("f1",), 3), (("f2",), 3)]
    assert evidence.n_cases == 5
    assert [(case.id, case.pools) for case in evidence.cases[:2]] == [(0, (0, 1)), (2, (1,))]


@pytest.mark.parametrize(("pools", "votes"), [("size", {"mend": 1.5, "keep": 0.5}), ("cases", {"mend": 2, "keep": 1})])
def test_a_pool_weighs_by_its_features(pools, votes):
    """{colour, shape} has toy 6; {age} has toys 2 and 4, whose votes are halves of it: a feature fewer."""
    rows = [[*row[:2], "5" if row[2] == "3" else row[2], row[3]] for row in TOYS]
    model = smile.fit(Cases.from_table(rows, target=-1), pools=pools)
    ((label, found),) = ask(model, [["red", "ring", "5"]])
    assert (label, found) == ("mend", votes)


def test_evidence_says_what_a_pool_weighs():
    """In words, beside every pool, and for every record; the records with most votes come first."""
    model = toys()
    (evidence,) = model.explain(model.schema.encode([["red", "ring", "3"]]))
    lines = str(evidence).splitlines()
    assert lines[0] == "f4 = mend: 1.5 of 1.5 votes from 2 records; no other class has any."
    assert "  a record has one vote for a set of 2 features, and half as many for every feature fewer" in lines
    assert "        1     1/2  mend 1   f3 = 3" in lines
    assert [line.split()[:4] for line in lines[-2:]] == [["6", "mend", "1", "1"], ["2", "mend", "1", "0.5"]]
    assert '<td class="cb-num">1/2</td>' in evidence._repr_html_()
    assert SmileEvidence.from_dict(evidence.to_dict()).pools == evidence.pools


def test_pools_of_a_record_without_weights_weigh_one():
    """JSON from before pools had weights is read as what it meant."""
    model = toys(pools="cases")
    (evidence,) = model.explain(model.schema.encode([["red", "ring", "3"]]))
    record = evidence.to_dict()
    for pool in record["pools"]:
        del pool["weight"]
    assert SmileEvidence.from_dict(record).pools == evidence.pools


def test_a_file_without_the_setting_counts_every_case_once(tmp_path):
    """Models that were saved before there was a choice answer as they did."""
    old = toys(alpha=0, pools="cases")
    header, arrays = {"learner": "smile", "settings": old.settings.to_dict(), "estimator": {}}, {}
    methods.method_named("smile").write(old, header, arrays)
    del header["settings"]["pools"]
    files.write(tmp_path / "old.cb", header, arrays)
    loaded = methods.load(tmp_path / "old.cb").model
    asked = [["red", "ring", "3"]]
    assert loaded.settings.pools == "cases"
    assert ask(loaded, asked) == ask(old, asked) == [("mend", {"mend": 2})]


def test_sets_of_more_features_than_a_number_has_powers():
    """Weights are shares of that of the largest set: they do not overflow, and those that are too small are none."""
    n = 1200
    rows = [["a"] * (n - 1) + ["z"], ["z"] * (n - 1) + ["a"]]
    model = smile.fit(Cases.from_table(rows, y=["P", "Q"]))
    assert ask(model, [["a"] * n]) == [("P", {"P": 1})]
    (evidence,) = model.explain(model.schema.encode([["a"] * n]))
    assert [pool.weight for pool in evidence.pools] == [1.0, 0.0]


def test_the_default():
    """Every set counts, by its size."""
    assert (smile.Settings().alpha, smile.Settings().pools) == (0, "size")


def test_all_cases_vote_if_no_pool_is_large_enough():
    """The answer is the most frequent class, with the shares of all."""
    assert ask(toys(alpha=3), [["red", "ball", "3"]]) == [("keep", {"keep": 3, "mend": 3, "sell": 1})]


@pytest.mark.parametrize("alpha", [7, 10**6, 10**30])
def test_alpha_larger_than_the_memory(alpha):
    """Every question is answered by all cases."""
    assert ask(toys(alpha=alpha), [["red", "ball", "1"]]) == [("keep", {"keep": 3, "mend": 3, "sell": 1})]


def test_values_never_seen_agree_with_nothing():
    """One unknown value leaves the others to speak, three leave none."""
    assert ask(toys(alpha=0), [["pink", "ring", "9"], ["pink", "disc", "9"]]) == [
        ("mend", {"mend": 1, "sell": 1}),
        ("keep", {"keep": 3, "mend": 3, "sell": 1}),
    ]


def test_missing_values_agree_with_nothing():
    """Neither with a value nor with each other."""
    rows = [[None, "x", "P"], [None, "y", "Q"], ["a", "y", "Q"], ["a", None, "P"]]
    model = smile.fit(Cases.from_table(rows, target=-1), alpha=0)
    assert ask(model, [[None, "x"], ["a", None], [None, None]]) == [
        ("P", {"P": 1}),
        ("P", {"P": 1, "Q": 1}),
        ("P", {"P": 2, "Q": 2}),
    ]


def test_all_values_missing():
    """Then there is nothing to agree on: all cases vote."""
    rows = [[None, None, "P"], [None, None, "Q"], [None, None, "Q"]]
    model = smile.fit(Cases.from_table(rows, target=-1), alpha="auto")
    assert ask(model, [[None, None], ["a", "b"]]) == [("Q", {"P": 1, "Q": 2})] * 2
    assert model.alpha == 0


@pytest.mark.parametrize("alpha", ["auto", 0, 5])
def test_one_class_and_one_case(alpha):
    """There is only one answer to give."""
    assert (
        ask(smile.fit(Cases.from_table([["a", "P"]], target=-1), alpha=alpha), [["a"], ["b"]]) == [("P", {"P": 1})] * 2
    )


def test_more_classes_than_cases_that_agree():
    """Every case has a class of its own: the most similar one is found, ties go to the first label."""
    rows = [["a", "x", "P"], ["a", "y", "Q"], ["b", "y", "R"]]
    model = smile.fit(Cases.from_table(rows, target=-1), alpha=0)
    assert [label for label, _ in ask(model, [["a", "x"], ["b", "y"], ["b", "x"]])] == ["P", "R", "P"]


def test_class_ties_go_to_the_more_frequent_class():
    """Equal votes: the class with more stored cases, though its label comes later."""
    rows = [["a", "x", "P"], ["a", "y", "Q"], ["b", "z", "Q"]]
    assert ask(smile.fit(Cases.from_table(rows, target=-1), alpha=1), [["a", "w"]]) == [("Q", {"P": 1, "Q": 1})]


@pytest.mark.parametrize("n_features", [15, 16, 17, 32, 33, 64, 65, 128, 130])
def test_sets_that_span_words(n_features):
    """The first case agrees on all features but the last, the second on the last alone, the third on the first."""
    asked = ["a"] * n_features
    rows = [[*asked[:-1], "z"], [*["z"] * (n_features - 1), "a"], ["a", *["z"] * (n_features - 1)]]
    model = smile.fit(Cases.from_table(rows, y=["P", "Q", "R"]), alpha=0)
    (evidence,) = model.explain(model.schema.encode([asked]))
    assert [len(pool.features) for pool in evidence.pools] == [n_features - 1, 1]
    assert evidence.pools[1].features == (f"f{n_features}",)
    assert ask(model, [asked]) == [("P", {"P": 1, "Q": 2.0 ** (2 - n_features)})]


def test_more_pools_than_a_block_holds():
    """A thousand cases that agree on three features each, no set within another: each speaks."""
    draw, n_features = random.Random(0), 60
    sets = {tuple(sorted(draw.sample(range(n_features), 3))) for _ in range(1000)}
    rows = [["a" if f in joint else "z" for f in range(n_features)] for joint in sets]
    labels = [draw.choice("PQ") for _ in rows]
    ((_, votes),) = ask(smile.fit(Cases.from_table(rows, y=labels), alpha=0), [["a"] * n_features])
    assert votes == {"P": labels.count("P"), "Q": labels.count("Q")}


def test_numbers_agree_within_an_interval():
    """The classes part at 2.5: what lies left of it agrees with all that does."""
    cases = Cases.from_table([[1.0], [2.0], [3.0], [4.0], [1.5], [3.5]], y=list("PPQQPQ"))
    assert ask(smile.fit(cases, alpha=2), [[0.0], [9.0], [None]]) == [
        ("P", {"P": 3}),
        ("Q", {"Q": 3}),
        ("P", {"P": 3, "Q": 3}),
    ]


def test_numbers_that_are_not_cut_are_equal_or_not():
    """With discretise="none" only the same number agrees."""
    cases = Cases.from_table([[1.0], [2.0], [2.0]], y=list("PPQ"))
    assert ask(smile.fit(cases, alpha=0, discretise="none"), [[2.0], [2.5]]) == [
        ("P", {"P": 1, "Q": 1}),
        ("P", {"P": 2, "Q": 1}),
    ]


def test_features_can_be_ignored_or_made_numbers():
    """As in the other learners, the metric of a feature says so."""
    rows = [["1", "x", "P"], ["2", "x", "P"], ["8", "y", "Q"], ["9", "y", "Q"]]
    model = smile.fit(
        Cases.from_table(rows, target=-1),
        alpha=1,
        metric={0: "numeric", 1: "ignored"},
        n_bins=2,
        discretise="equal_width",
    )
    assert ask(model, [["3", "y"]]) == [("P", {"P": 2})]
    (evidence,) = model.explain(model.schema.encode([["3", "y"]]))
    assert evidence.pools[0].values == ("≤ 5",)
    assert evidence.cases[0].agrees == (True, None)


@pytest.mark.parametrize("alpha", [-1, 1.5, True, None, "many", np.nan, [1]])
def test_alpha_that_cannot_be(alpha):
    """alpha is a number of cases."""
    with pytest.raises(CasebaseError, match="a whole number of at least 0, or 'auto'"):
        toys(alpha=alpha)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discretise": "magic"}, "mdlp, equal_width, equal_frequency, none"),
        ({"discretise": None}, "mdlp, equal_width"),
        ({"n_bins": 0}, "n_bins"),
        ({"metric": "mvdm"}, "asks whether values agree"),
        ({"metric": "numeric"}, "'blue' is not a number"),
        ({"normalisation": "some"}, "normalisation"),
        ({"pools": "features"}, "'size' or 'cases'; got 'features'"),
        ({"pools": None}, "'size' or 'cases'; got None"),
    ],
)
def test_parameters_that_cannot_be(options, message):
    """The message says what is expected."""
    with pytest.raises(CasebaseError, match=message):
        toys(alpha=1, **options)


def test_text_for_a_number():
    """A question with a word in the place of a number names feature, row and word."""
    model = smile.fit(Cases.from_table([[1.5], [2.5]], y=list("PQ")), alpha=0)
    with pytest.raises(SchemaError, match="'f1' is numeric, but row 2 of 2 has 'tall'"):
        model.schema.encode([["1.5"], ["tall"]])


def held_out_errors(rows, labels, alpha):
    """Count the errors by fitting without each case in turn."""
    errors = 0
    for i, row in enumerate(rows):
        rest = [j for j in range(len(rows)) if j != i]
        if not rest:
            return 1
        model = smile.fit(Cases.from_table([rows[j] for j in rest], y=[labels[j] for j in rest]), alpha=alpha)
        errors += ask(model, [row])[0][0] != labels[i]
    return errors


@pytest.mark.slow
@settings(deadline=None)
@given(tasks(numbers=False, counts=False, min_rows=1))
def test_chosen_alpha_has_fewest_errors(task):
    """The errors are those of memories without each case; of equally good alphas the smallest is taken."""
    model = smile.fit(task.cases(), alpha="auto")
    errors = {alpha: held_out_errors(task.rows, task.labels, alpha) for alpha in candidates(len(task.rows))}
    assert model.alpha_errors == errors
    assert model.alpha == min(alpha for alpha in errors if errors[alpha] == min(errors.values()))


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.5, 1.5, 2.5, 7.0]), st.sampled_from("ab"), st.sampled_from("PQ")),
        min_size=2,
        max_size=24,
    ),
    st.sampled_from(["mdlp", "equal_width"]),
)
def test_numbers_are_cut_without_the_case_that_is_held_out(table, discretise):
    """Each case is asked with cuts from the other nine parts of the cases, dealt by value; equal ones share a part."""
    rows, labels = [list(row[:2]) for row in table], [row[2] for row in table]
    cases = Cases.from_table(rows, y=labels)
    values = sorted({(row[1], row[0]) for row in rows})  # symbols before numbers, as they are stored
    part = np.array([values.index((row[1], row[0])) % 10 for row in rows])
    errors = dict.fromkeys(candidates(len(rows)), 0)
    for i in range(len(rows)):
        others = np.flatnonzero(part != part[i])
        cuts = discretisation_of(cases.take(others) if len(others) else cases, discretise, 2)
        coded = [cuts.apply(cases).values(j) for j in range(len(rows))]
        rest = [j for j in range(len(rows)) if j != i]
        for alpha in errors:
            memory = Cases.from_table([coded[j] for j in rest], y=[labels[j] for j in rest])
            errors[alpha] += ask(smile.fit(memory, alpha=alpha), [coded[i]])[0][0] != labels[i]

    assert smile.fit(cases, alpha="auto", discretise=discretise, n_bins=2).alpha_errors == errors


def test_given_alpha_is_not_tried():
    """Then there are no errors to tell of."""
    assert toys(alpha=2).alpha_errors is None


def test_candidates_end_at_half_of_the_cases():
    """And at 987, however many there are."""
    assert candidates(7) == [0, 1, 2, 3]
    assert candidates(10**9)[-3:] == [377, 610, 987]


@given(tasks(min_rows=2))
def test_copies(task):
    """A case of weight n is n cases, also to the choice of alpha."""
    counts = [int(n) for n in task.counts or [2] * len(task.rows)]
    copies = task.take([i for i, n in enumerate(counts) for _ in range(n)])
    kinds = {f: "numeric" if f in task.numeric else "symbolic" for f in range(task.n_features)}
    weighted = smile.fit(Cases.from_table(task.rows, y=task.labels, kinds=kinds, weights=counts), alpha="auto")
    copied = smile.fit(Cases.from_table(copies.rows, y=copies.labels, kinds=kinds), alpha="auto")
    assert weighted.alpha_errors == copied.alpha_errors
    assert ask(weighted, task.queries) == ask(copied, task.queries)


@given(tasks(min_rows=2), st.data())
def test_row_order(task, data):
    """The order of the cases changes neither alpha nor an answer."""
    shuffled = task.take(data.draw(st.permutations(range(len(task.rows)))))
    one, other = (smile.fit(t.cases(), alpha="auto") for t in (task, shuffled))
    assert one.alpha_errors == other.alpha_errors
    assert ask(one, task.queries) == ask(other, task.queries)


@given(tasks(gaps=False), st.data())
def test_column_order(task, data):
    """Columns with names may come in any order."""
    names = ["size", "shape", "holes", "colour"][: task.n_features]
    frame, asked = pd.DataFrame(task.rows, columns=names), pd.DataFrame(task.queries, columns=names)
    order = data.draw(st.permutations(names))
    weights = [0.1 + 0.7 * i for i in range(len(task.rows))]
    cases = (Cases.from_table(frame[c], y=task.labels, weights=weights) for c in (names, order))
    one, other = (smile.fit(some, alpha="auto") for some in cases)
    assert ask(one, asked) == ask(other, asked[order[::-1]])


def many(n, n_features=12, seed=1):
    draw = random.Random(seed)
    rows = [[draw.choice("abcd") for _ in range(n_features)] for _ in range(n)]
    return rows, [draw.choice("PQR") for _ in rows]


def test_threads():
    """One thread and two give the same alpha and the same answers."""
    rows, labels = many(300)
    one, two = (smile.fit(Cases.from_table(rows, y=labels), alpha="auto", n_jobs=n) for n in (1, 2))
    assert one.alpha_errors == two.alpha_errors
    asked, _ = many(500, seed=2)
    assert ask(one, asked, n_jobs=1) == ask(two, asked, n_jobs=2)


def test_blocks_of_questions(monkeypatch):
    """Questions that are asked in several blocks are answered as in one, and their progress is told."""
    rows, labels = many(50)
    model = smile.fit(Cases.from_table(rows, y=labels), alpha=1)
    whole, told = ask(model, rows), []
    monkeypatch.setattr(images, "FIRST_BLOCK", 7)
    monkeypatch.setattr(images, "BLOCK", 7)
    assert ask(model, rows, progress=lambda done, total: told.append((done, total))) == whole
    assert told == [*((done, 50) for done in range(7, 50, 7)), (50, 50)]


def test_a_large_memory_holds_out_some_of_its_cases(monkeypatch):
    """As many as the limit says, and the same ones whatever the order of the rows."""
    rows, labels = many(200)
    monkeypatch.setattr(alpha_choice, "N_HELD_OUT", 40)
    model = smile.fit(Cases.from_table(rows, y=labels), alpha="auto")
    again = smile.fit(Cases.from_table(rows[::-1], y=labels[::-1]), alpha="auto")
    assert max(model.alpha_errors.values()) <= 40
    assert model.alpha_errors == again.alpha_errors


def test_exemplar_weights_have_no_effect(tmp_path):
    """Nothing is near or far here; a model that was given some can be saved and loaded."""
    rows = [row[:-1] for row in TOYS]
    model = smile.fit(Cases.from_table(rows, y=[row[-1] for row in TOYS], exemplars=[5.0] * 7), alpha=1)
    methods.save(tmp_path / "m.cb", model)
    assert ask(methods.load(tmp_path / "m.cb").model, rows) == ask(toys(alpha=1), rows)


def test_a_copy_holds_its_cases_once():
    """A pickle has neither the codes nor the merged cases, and answers all the same."""
    rows, labels = many(300)
    fresh = smile.fit(Cases.from_table(rows, y=labels), alpha=1)
    size, answers = len(pickle.dumps(fresh)), ask(fresh, rows)
    assert len(pickle.dumps(fresh)) < 1.1 * size
    assert ask(pickle.loads(pickle.dumps(fresh)), rows) == answers


def test_no_questions():
    """Nothing asked, nothing answered."""
    assert len(toys(alpha=1).answer(toys(alpha=1).schema.encode(pd.DataFrame([], columns=["a", "b", "c"]))).label) == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_evidence_is_the_same_whether_or_not_patterns_of_agreement_are_numbers(monkeypatch, weighted):
    draw = np.random.default_rng(3)
    rows = [[f"v{v}" for v in row] for row in draw.integers(0, 3, (200, 7))]
    weights = draw.uniform(0.1, 3.0, 200) if weighted else None
    cases = Cases.from_table(rows, y=draw.choice(list("PQR"), 200).tolist(), weights=weights)
    asked = [[f"v{v}" for v in row] for row in draw.integers(0, 4, (20, 7))]
    model = smile.fit(cases, alpha=1)
    as_numbers = model.explain(model.schema.encode(asked))
    assert all(one.pools and one.cases for one in as_numbers)  # read now: fields are made when they are read
    monkeypatch.setattr("casebase.smile.evidence.AT_ONCE", 1)
    assert model.explain(model.schema.encode(asked)) == as_numbers
    monkeypatch.setattr("casebase.smile.evidence.MOST_BITS", 3)
    assert model.explain(model.schema.encode(asked)) == as_numbers
