"""OBLIVION by hand: what is dropped, what abstract cases answer, and where the search ends."""

import pickle
import warnings

import numpy as np
import pyarrow as pa
import pytest

from casebase import _native
from casebase.data import Cases
from casebase.data.folds import folds
from casebase.errors import CasebaseError
from casebase.memory import distinct
from casebase.memory.distinct import AbstractCases
from casebase.neighbours import ib1
from casebase.oblivious import cross_validation, elimination, oblivion
from casebase.oblivious.elimination import select


def parity(n_cases, n_relevant=3, n_irrelevant=2, seed=0):
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n_cases, n_relevant + n_irrelevant))
    return Cases.from_table(bits.astype(str), y=(bits[:, :n_relevant].sum(axis=1) % 2).astype(str))


def steps(selection):
    return [(trial.feature, trial.n_features, trial.errors) for trial in selection.trials]


# f1 is the class; f2 says nothing; f3 has a value of its own for every case.
TOYS = Cases.from_table(
    [["a", "x", "1", "P"], ["a", "y", "2", "P"], ["b", "x", "3", "Q"], ["b", "y", "4", "Q"]], target=-1
)


def test_what_says_nothing_is_dropped():
    """By hand: with all features each case has two neighbours, one of its class and one of the other."""
    found = select(TOYS)

    # Ties between P and Q: without the case, the other class is more frequent, so all four are wrong.
    # Without f1 the nearest case is of the other class; without f2 or f3 the one with the same f1 is as near as before,
    # or nearest alone: f2 goes. Then f3 goes before f1, because f1 alone answers all.
    assert steps(found) == [(None, 3, 4.0), (1, 2, 0.0), (2, 1, 0.0)]
    assert found.kept == (0,)
    assert found.ranking.tolist() == [1, 3, 2]
    assert found.otherwise == {0: 4.0}
    assert found.accuracy(found.trials[-1]) == 1.0


def test_interacting_features_stay():
    """Parity: no feature tells anything alone, and dropping one of them costs much."""
    assert select(parity(200)).kept == (0, 1, 2)


def test_forward_cannot_see_interactions():
    """Every single bit of a parity is worthless: adding them one at a time never begins."""
    cases = Cases.from_table([[a, b, str(int(a != b))] for a in "01" for b in "01"] * 3, target=-1)

    assert select(cases, direction="forward").kept == ()
    assert select(cases, direction="backward").kept == (0, 1)


def test_forward_adds_the_best_first():
    found = select(TOYS, direction="forward")

    assert steps(found) == [(None, 0, 4.0), (0, 1, 0.0)]
    assert found.otherwise == {1: 4.0, 2: 0.0}
    assert found.ranking.tolist() == [1, 3, 2]


def test_equal_features_the_earlier_column_goes():
    """Two copies of one feature: either may go, and it is the first."""
    cases = Cases.from_table([["a", "a", "P"], ["a", "a", "P"], ["b", "b", "Q"], ["b", "b", "Q"]], target=-1)

    assert select(cases).kept == (1,)


def test_equal_features_with_names_go_by_name():
    """With names, the order of the columns does not matter."""
    rows = {"z": ["a", "a", "b", "b"], "y": ["a", "a", "b", "b"]}
    for names in (["y", "z"], ["z", "y"]):
        table = pa.table({name: rows[name] for name in names} | {"kind": ["P", "P", "Q", "Q"]})
        cases = Cases.from_table(table, target="kind")
        assert [names[i] for i in select(cases).kept] == ["z"]


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"max_steps": 1}, (0, 2)),
        ({"min_features": 2}, (0, 2)),
        ({"max_steps": 0}, (0, 1, 2)),
        ({"min_features": 3}, (0, 1, 2)),
    ],
)
def test_limits(limits, kept):
    assert select(TOYS, **limits).kept == kept


def test_nothing_matters():
    """Classes drawn by chance: no feature is kept, and the most frequent class is the answer."""
    rng = np.random.default_rng(1)
    cases = Cases.from_table(rng.integers(0, 3, (80, 3)).astype(str), y=np.where(rng.random(80) < 0.25, "P", "Q"))
    model = oblivion.fit(cases)

    assert model.selection.kept == ()
    assert model.n_abstract_cases == 1
    assert {cases.schema.classes[c] for c in model.answer(cases).label} == {"Q"}
    assert model.explain(cases)[0].kept == ()


def test_answers_are_those_of_unweighted_neighbours():
    """Pooled abstract cases are the nearest cases on the features kept."""
    cases = parity(60, seed=3)
    model = oblivion.fit(cases)
    ignored = {i: "ignored" for i in range(cases.n_features) if i not in model.selection.kept}
    plain = ib1.fit(cases, weighting="none", metric=ignored)
    asked = parity(200, seed=4)
    ours, theirs = (m.answer(m.schema.recode(asked)) for m in (model, plain))

    assert ours.label.tolist() == theirs.label.tolist()
    assert [ours.votes_of(i) for i in range(200)] == [theirs.votes_of(i) for i in range(200)]


@pytest.mark.parametrize("cv", ["loo", 4])
def test_threads_do_not_show(cv):
    one, two = (select(parity(300, 4, 4), cv=cv, n_jobs=n) for n in (1, 2))

    assert steps(one) == steps(two)


def test_many_groups_in_several_calls(monkeypatch):
    """The groups are asked in parts, so that progress can be shown; the parts add up."""
    cases = parity(300, 4, 4)
    whole, done = steps(select(cases)), []
    monkeypatch.setattr(cross_validation, "MOST_AT_ONCE", 7)

    assert steps(select(cases, progress=lambda n, total: done.append(n / total))) == whole
    assert done == sorted(done)
    assert 0 < done[0] < done[-1] <= 1


def test_the_more_groups_are_stored_the_fewer_are_asked_at_once():
    """A table with numbers has nearly as many groups as cases: Ctrl-C was not heard for a minute."""
    numbers = np.random.default_rng(0).random((20_000, 1))
    cases = Cases.from_table(numbers.astype(str), y=(numbers[:, 0] > 0.5).astype(int))
    done = []

    def progress(n, total):
        done.append(n / total)
        if len(done) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select(cases, progress=progress)
    assert (done[1] - done[0]) * 2 * 20_000 * 20_000 < 1e8


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_interruption_keeps_the_best_so_far(direction):
    """Ctrl-C in the second step: what was found in the first stays."""
    bits = np.random.default_rng(0).integers(0, 2, (120, 6))
    cases = Cases.from_table(bits.astype(str), y=bits[:, :3] @ [4, 2, 1])

    def progress(done, total):
        if done / total > 0.3:
            raise KeyboardInterrupt

    found, whole = select(cases, direction=direction, progress=progress), select(cases, direction=direction)

    assert found.was_interrupted
    assert not whole.was_interrupted
    assert 1 <= len(found.trials) <= len(whole.trials)
    assert steps(found) == steps(whole)[: len(found.trials)]


def test_interruption_before_the_first_step_ends_the_search():
    def progress(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select(TOYS, progress=progress)


def test_given_splits_are_folds():
    """Pairs of positions hold out what folds would."""
    cases = parity(40)
    fold = folds(cases.known_labels, 4, 0)
    splits = [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(4)]

    assert steps(select(cases, cv=splits)) == steps(select(cases, cv=4))


def test_more_than_255_features():
    """Counts of disagreements that no byte can hold."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (12, 300)).astype(str)
    model = oblivion.fit(Cases.from_table(bits, y=bits[:, 7]), max_steps=2)
    answers = model.answer(model.schema.encode(np.where(bits == "0", "1", "0")))

    assert model.order.size == 298
    assert answers.distance.max() <= 298
    assert answers.distance.min() > 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"direction": "sideways"}, "direction 'sideways'"),
        ({"cv": 1}, "between 2 and the number of cases"),
        ({"cv": 5}, r"between 2 and the number of cases \(4\); got 5"),
        ({"cv": "none"}, 'cv is "loo"'),
        ({"cv": True}, 'cv is "loo"'),
        ({"cv": [([0, 1], [9])]}, "names case 9"),
        ({"cv": [3]}, 'cv is "loo"'),
        ({"cv": [([], [])]}, "hold out no case"),
        ({"beam": 0}, "beam is how many sets"),
        ({"beam": 1.5}, "beam is how many sets"),
        ({"max_steps": -1}, "max_steps is a number of features"),
        ({"min_features": 4}, "there are only 3 features to keep"),
        ({"min_features": 1.5}, "min_features is a number of features"),
        ({"missing": "maybe"}, "missing is 'value'"),
        ({"random_state": None}, "random_state is a whole number"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(CasebaseError, match=message):
        select(TOYS, **options)


def test_a_beam_finds_what_greed_misses():
    """Parity among irrelevant bits: greed drops a relevant one by chance; of five sets one is on the way."""
    cases = parity(120, 4, 6, seed=19)
    greedy, beam = select(cases), select(cases, beam=5)

    assert greedy.kept != (0, 1, 2, 3)
    assert beam.kept == (0, 1, 2, 3)
    assert beam.trials[-1].errors < greedy.trials[-1].errors


def test_no_set_of_the_beam_is_evaluated_twice(monkeypatch):
    """With one class no set makes errors, and all sets of a size are on the beam: each is counted once."""
    marks, plain = [], _native.eliminate

    def eliminate(*arguments):
        marks.append((len(arguments[0]), int(arguments[15].sum())))
        return plain(*arguments)

    monkeypatch.setattr(cross_validation._native, "eliminate", eliminate)
    select(Cases.from_table([list("aaaa"), list("abab"), list("bbaa")], y=list("PPP")), beam=20)

    n_counted = [sum(n for n_features, n in marks if n_features == size) for size in (4, 3, 2, 1)]
    assert n_counted == [4, 6, 4, 1]  # the sets of 3, 2, 1 and 0 of four features


def test_interruption_of_a_beam_keeps_the_best_set_met():
    """Ctrl-C in the second step, after the first set of the beam: the sets after it count."""
    cases, whole = parity(120, 4, 6, seed=19), []

    def progress(done, total):
        whole.append(done / total)
        if done / total > 0.13:
            raise KeyboardInterrupt

    found = select(cases, beam=5, progress=progress)
    assert found.was_interrupted
    assert 1 <= len(found.trials) - 1 <= 2
    assert found.trials[-1].errors <= found.trials[0].errors


def word_windows(n_values, weights=None, n=1200, n_features=7, exponent=1.1):
    """Cases that nearly all differ; the fewer values, the more features two of them share."""
    drawn = np.random.default_rng(n_values).zipf(exponent, (n, n_features)) % n_values
    y = (drawn[:, 0] + drawn[:, 1]) % 3
    if weights is not None:
        weights = np.random.default_rng(1).choice(weights, n)
    return Cases.from_table(drawn.astype(str), y=y, weights=weights)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0], [0.25, 1.5]])
@pytest.mark.parametrize("n_values", [100, 300, 20_000])
def test_groups_found_by_their_values(n_values, weights, monkeypatch):
    """Features with many values: looking groups up by values gives what comparing all gives."""
    cases = word_windows(n_values, weights)
    fast = select(cases, n_jobs=2, max_steps=2)
    monkeypatch.setattr(AbstractCases, "is_diverse", False)
    slow = select(cases, max_steps=2)

    assert steps(fast) == steps(slow)
    assert fast.otherwise == slow.otherwise


@pytest.mark.parametrize("n_features", [2, 3, 5, 9, 12])
@pytest.mark.parametrize("options", [{}, {"cv": 3}, {"missing": "unknown"}], ids=str)
def test_groups_found_by_sets_of_values(options, n_features, monkeypatch):
    """Frequent values, alone and together, repeated cases, missing values, folds: as comparing all, step by step."""
    rng = np.random.default_rng(n_features)
    drawn = rng.zipf(1.4, (900, n_features)) % 5000
    drawn[:100] = drawn[100:200]  # these abstract cases have two cases each
    drawn[:, 0] = np.arange(900) % 700  # so that two cases agree on few features
    rows = drawn.astype(str).astype(object)
    rows[rng.random(rows.shape) < 0.05] = None
    cases = Cases.from_table(rows, y=drawn[:, -1] % 3)
    monkeypatch.setattr(distinct, "LARGEST_SHARE", 1.0)
    fast = select(cases, max_steps=2, **options)
    monkeypatch.setattr(AbstractCases, "is_diverse", False)
    slow = select(cases, max_steps=2, **options)

    assert steps(fast) == steps(slow)
    assert fast.otherwise == slow.otherwise


@pytest.mark.parametrize("n_values", [100, 300, 20_000])
def test_predictions_by_values(n_values, monkeypatch):
    """Many questions at a time look abstract cases up by their values, and get the answers of comparing all."""
    cases = word_windows(n_values, n=1500)
    model = oblivion.fit(cases.take(np.arange(1200)), max_steps=0)
    asked = cases.take(np.arange(1200, 1500))
    fast = model.answer(asked)
    assert model._lists is not None
    monkeypatch.setattr(oblivion, "FEWEST_BY_LISTS", 10_000)
    slow = model.answer(asked)

    assert fast.label.tolist() == slow.label.tolist()
    assert fast.distance.tolist() == slow.distance.tolist()
    assert fast.was_tied.tolist() == slow.was_tied.tolist()
    assert [fast.votes_of(i) for i in range(300)] == [slow.votes_of(i) for i in range(300)]


def test_a_model_with_lists_can_be_pickled():
    """The native lists are left behind; the copy answers alike."""
    cases = word_windows(200)
    model = oblivion.fit(cases, max_steps=0)
    before = model.answer(cases)
    copy = pickle.loads(pickle.dumps(model))

    assert copy.answer(cases).label.tolist() == before.label.tolist()


def test_one_case():
    """Nobody is left to ask: every set of features is as bad as another, so none is kept."""
    assert select(Cases.from_table([["a", "b", "P"]], target=-1)).kept == ()


def test_all_values_missing():
    """Missing values agree with each other, or with nothing; either way they tell nothing."""
    cases = Cases.from_table([[None, None]] * 5, y=list("PPPQQ"))
    for missing in ("value", "unknown"):
        model = oblivion.fit(cases, missing=missing)
        assert model.selection.kept == ()
        assert set(model.answer(model.schema.encode([[None, "new"]])).votes_of(0).values()) == {3.0, 2.0}


def test_more_classes_than_agree():
    """As many classes as cases: every held-out case is wrong, whatever is kept."""
    found = select(Cases.from_table([["a", "x"], ["b", "x"], ["c", "y"]], y=list("PQR")))

    assert [trial.errors for trial in found.trials] == [3.0, 3.0, 3.0]


def groups(**changes):
    """Arguments of the kernel: two groups of one feature, with two classes."""
    column, ones = np.array([0, 1], np.uint8), np.ones(2)
    first, labels = np.array([0, 1, 2], np.uint64), np.array([0, 1], np.uint32)
    return {
        "columns": [column],
        "first_count": first,
        "count_label": labels,
        "count": ones,
        "asked": [column],
        "are_stored": True,
        "at_most": np.ones(2, np.uint32),
        "first_kind": first,
        "label": labels,
        "left_out": ones,
        "amount": ones,
        "begin": 0,
        "end": 2,
        "frequency": ones,
        "rank": np.arange(2, dtype=np.uint32),
        "wanted": np.ones(1, np.uint8),
        "lists": None,
        "n_threads": 1,
    } | changes


def test_kernel_by_hand():
    """Two cases of different classes, each alone: the other one answers, with the feature and without it."""
    errors, disagreements = _native.eliminate(**groups())

    assert errors.tolist() == [2.0, 2.0]
    assert disagreements.tolist() == [1, 1]


@pytest.mark.parametrize(
    "changes",
    [
        {"count_label": np.array([0, 7], np.uint32)},
        {"label": np.array([0, 7], np.uint32)},
        {"first_count": np.array([0, 1, 9], np.uint64)},
        {"first_kind": np.array([0, 2, 2], np.uint64)},
        {"first_count": np.array([0], np.uint64)},
        {"at_most": np.ones(1, np.uint32)},
        {"end": 3},
        {"amount": np.ones(3)},
        {"asked": []},
        {"asked": [np.zeros(1, np.uint8)]},
        {"asked": [np.array([0, 256], np.uint16)]},  # 256 would be taken for 0
        {"columns": [np.zeros(2)]},
        {"first_kind": np.array([0, 1, 1, 2], np.uint64)},
        {"frequency": np.ones(3)},
        {"wanted": np.ones(2, np.uint8)},
    ],
    ids=str,
)
def test_kernel_refuses_what_would_lead_it_astray(changes):
    with pytest.raises(ValueError, match=r"\w"):
        _native.eliminate(**groups(**changes))


@pytest.mark.parametrize(("beam", "expected"), [(1, "up to 110 s more"), (5, "up to 550 s more")])
def test_a_long_search_is_announced_once(beam, expected):
    """The first evaluation of all took ten seconds; eleven steps may follow, each with as many sets as the beam has."""
    times = iter([0.0, 1.0, 10.0, 11.0])
    report = elimination._Report(None, 400_000, 11, beam, lambda: next(times))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report.of(0)(0.0)
        report.of(0)(0.1)
        report.of(0)(1.0)
        report.of(1)(0.1)

    (message,) = (str(warning.message) for warning in caught)
    assert "on 400,000 cases" in message
    assert expected in message


def test_the_progress_of_a_search_with_a_beam_counts_its_evaluations():
    """With five sets on the beam a later step is five evaluations of the total, however many sets it has."""
    seen = []
    report = elimination._Report(lambda done, total: seen.append(done / total), 100, 4, 5)
    report.of(0)(1.0)
    report.of(1)(1.0)
    report.of(2, member=1, n_members=2)(0.5)
    report.of(4, member=4, n_members=5)(1.0)

    assert seen == pytest.approx([1 / 21, 6 / 21, (6 + 3.75) / 21, 1.0], abs=1e-4)
