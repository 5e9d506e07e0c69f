"""Comparisons of representations: the procedure, what it is given, and what it gives back."""

import json
import threading
from itertools import pairwise, product

import numpy as np
import pytest

import casebase as cb
from casebase.errors import CasebaseError
from casebase.measures import codelengths
from casebase.representations import Comparison, comparison, inputs, samples
from casebase.representations.contest import Contest
from casebase.representations.learners import comparable
from casebase.representations.record import Run


def clumps(n_pixels):
    """Black and white pixels, the transitions from white to black, and whether there are two clumps or more."""
    pixels = np.array(list(product((0, 1), repeat=n_pixels)))
    edges = np.diff(np.pad(pixels, ((0, 0), (1, 1))), axis=1) == 1
    return {"pixel": pixels, "edge": edges.astype(int)}, np.where(edges.sum(axis=1) >= 2, "many", "few")


def told(n=100):
    """One representation that tells the class, among other things, and one that is chance."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, n)
    return {"chance": rng.integers(0, 4, (n, 3)), "telling": np.c_[rng.integers(0, 4, (n, 2)), y]}, y


@pytest.fixture(scope="module")
def compared():
    X, y = told()
    return cb.compare_representations(X, y, learner="igtree", first_size=8)


class Stump:
    """Answers with the class most frequent at one value of the last feature; a hypothesis of ten bits."""

    def fit(self, X, y):
        self.default = max(set(y), key=list(y).count)
        self.answers = {}
        for value in {row[-1] for row in X}:
            here = [label for row, label in zip(X, y) if row[-1] == value]
            self.answers[value] = max(sorted(set(here)), key=here.count)
        return self

    def predict(self, X):
        return np.array([self.answers.get(row[-1], self.default) for row in X])

    def codelength(self):
        return 10.0


def test_edges_tell_clumps_better_than_pixels():
    """The first task of the paper, with ID3."""
    X, y = clumps(9)
    found = cb.compare_representations(X, y, sensitivity=False)
    assert found.best == "edge"


def test_the_better_one_wins_seven_of_seven_runs(compared):
    """Then the pair is decided, and the better one needs fewer bits per example."""
    assert compared.best == "telling"
    assert compared.ranking == ("telling", "chance")
    (pair,) = compared.pairs
    assert (pair.wins, pair.losses, pair.ties, pair.verdict) == (0, 7, 0, "telling")
    assert pair.p == 1 / 128
    assert compared.bits_per_example["telling"] < compared.bits_per_example["chance"]
    assert compared.undecided == compared.cycles == ()


def test_totals_are_hypothesis_and_corrections(compared):
    """Every sample's error bits are L(n, k, n) of its errors; the minimum is the least total."""
    for run in compared.runs:
        expected = [codelengths.exceptions(100, k) for k in run.n_errors]
        assert run.error_bits == pytest.approx(expected)
        assert run.minimum == min(h + e for h, e in zip(run.hypothesis_bits, run.error_bits))
        assert run.sizes[0] == 8


def test_runs_end_for_a_reason(compared):
    """The last sample, and no other, has what its reason says."""
    for run in compared.runs:
        *before, last = zip(run.n_errors, run.share_outside, run.p_increase)
        stops = {
            "no_errors": last[0] == 0,
            "independent": last[1] is not None and last[1] < 0.05,
            "increasing": last[2] is not None and last[2] < 0.01,
            "all_examples": run.sizes[-1] == 100,
        }
        assert stops[run.stopped]
        assert all(n and share >= 0.05 and (p is None or p >= 0.01) for n, share, p in before)


def test_a_hypothesis_that_is_wrong_everywhere_ends_the_run():
    """All errors are said by one bit: there is nothing left to learn."""
    wrong = samples.Examples("all wrong", lambda rows: (np.ones(40, dtype=bool), 1.0), None, 40, 2)

    run = samples.run(wrong, 0, 0, [10, 20, 40], {})
    assert (run.sizes, run.stopped) == ((10,), "no_errors")


def test_codelengths_that_differ_by_rounding_are_a_tie():
    """Sums of the same bits in another order favour no representation."""
    contest = Contest(["one", "other"], 10, 0.99)
    contest.add(
        {
            name: Run(0, name, (10,), bits, (0.3,), (1,), (None,), (None,), "all_examples")
            for name, bits in (("one", (0.1 + 0.2,)), ("other", (0.3,)))
        }
    )

    (pair,) = contest.pairs.values()
    assert (pair.wins, pair.losses, pair.ties) == (0, 0, 1)


def test_samples_are_nested():
    """Each sample of a run is the beginning of the next; runs differ, and a seed repeats them."""
    drawn = samples.sampling_order(0, 3, 50)
    assert sorted(drawn.tolist()) == list(range(50))
    np.testing.assert_array_equal(drawn, samples.sampling_order(0, 3, 50))
    assert (drawn != samples.sampling_order(0, 4, 50)).any()


@pytest.mark.parametrize(("n", "first", "growth"), [(100, 10, 1.5), (30, 30, 2.0), (10, 1, 1.01), (1000, 7, 1.2)])
def test_sample_sizes_grow_to_all_examples(n, first, growth):
    """The first is the first, the last is all, and each is larger than the one before."""
    sizes = samples.sample_sizes(n, first, growth)
    assert sizes[0] == first
    assert sizes[-1] == n
    assert all(a < b for a, b in pairwise(sizes))


def test_twice_the_first_size_shares_its_samples():
    """With a growth that doubles in a few steps, other first sizes need few hypotheses of their own."""
    assert set(samples.sample_sizes(1000, 32, 2**0.5)) <= set(samples.sample_sizes(1000, 16, 2**0.5))


def test_the_same_seed_gives_the_same_comparison_with_any_number_of_threads():
    """Threads change nothing; another seed draws other samples."""
    X, y = told()
    one, two, other = (
        cb.compare_representations(X, y, learner="igtree", first_size=4, n_jobs=jobs, random_state=seed)
        for jobs, seed in [(1, 0), (3, 0), (1, 1)]
    )
    assert one == two
    assert one.runs != other.runs


def test_pairs_that_are_decided_run_no_more():
    """Among three, the one that is decided against both others has fewer runs than those."""
    X, y = told()
    X["again"] = X["telling"].copy()
    found = cb.compare_representations(X, y, learner="igtree", first_size=4, max_runs=9, sensitivity=False)
    assert [len(found.runs_of(name)) for name in ("chance", "telling", "again")] == [7, 9, 9]
    assert found.best is None
    assert found.undecided == (("telling", "again"),)
    assert {(pair.first, pair.second): pair.ties for pair in found.pairs}["telling", "again"] == 9
    assert found.ranking == ("telling", "again", "chance")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_first_sizes_may_be_decided_at_different_runs(n_jobs):
    """One that is decided from one first size may still run for another: this was a KeyError once."""
    X, y = told()
    X["half"] = np.where(np.arange(100)[:, None] % 3 == 0, X["chance"], X["telling"])
    X["again"] = X["telling"].copy()
    found = cb.compare_representations(X, y, learner="igtree", first_size=8, max_runs=12, n_jobs=n_jobs)
    own = cb.compare_representations(X, y, learner="igtree", first_size=16, max_runs=12, sensitivity=False)
    assert found.sensitivity[2].pairs == own.pairs
    assert len({tuple(pair.n_runs for pair in one.pairs) for one in found.sensitivity}) > 1


def test_sensitivity_has_a_verdict_for_each_first_size(compared):
    """Half, twice and four times the first size, and itself: all agree here."""
    assert [(one.first_size, one.best) for one in compared.sensitivity] == [
        (4, "telling"),
        (8, "telling"),
        (16, "telling"),
        (32, "telling"),
    ]
    assert not compared.is_sensitive
    assert compared.sensitivity[1].pairs == compared.pairs


def test_a_first_size_in_sensitivity_is_that_of_a_comparison_of_its_own(compared):
    """What is shared between first sizes changes nothing."""
    X, y = told()
    own = cb.compare_representations(X, y, learner="igtree", first_size=16, sensitivity=False)
    assert own.pairs == compared.sensitivity[2].pairs
    assert len(own.sensitivity) == 1


def test_the_record_survives_json(compared):
    """to_dict, JSON, from_dict: the same comparison."""
    assert Comparison.from_dict(json.loads(json.dumps(compared.to_dict()))) == compared


@pytest.mark.parametrize("part", ["names", "runs", "pairs"])
def test_a_record_that_is_not_whole_is_refused(compared, part):
    """The message says what is not there; a run is looked into as well."""
    record = json.loads(json.dumps(compared.to_dict()))
    del record[part]
    with pytest.raises(CasebaseError, match=f"Comparison has no {part}"):
        Comparison.from_dict(record)
    record = json.loads(json.dumps(compared.to_dict()))
    del record["runs"][0]["sizes"]
    with pytest.raises(CasebaseError, match="Run has no sizes"):
        Comparison.from_dict(record)


def test_parameters_of_any_kind_survive_json():
    """Weights as an array, metrics by the number of a feature."""
    X, y = told()
    learner = cb.IGTreeClassifier(weighting=np.array([1.0, 2.0, 3.0]), metric={0: "ignored"})
    found = cb.compare_representations(X, y, learner=learner, max_runs=1, sensitivity=False)
    assert Comparison.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found.parameters["weighting"] == [1.0, 2.0, 3.0]


def test_any_object_with_fit_predict_and_codelength():
    """The learner is copied for every sample, never fitted itself."""
    X, y = told()
    stump = Stump()
    found = cb.compare_representations(X, y, learner=stump, first_size=8)
    assert found.best == "telling"
    assert found.learner == "Stump"
    assert not hasattr(stump, "answers")


def test_tables_of_every_kind_reach_an_object():
    """Lists of rows, data frames and arrays; a file's cases as lists of rows."""
    X, y = told()
    lists = {name: table.tolist() for name, table in X.items()}
    expected = cb.compare_representations(lists, y, learner=Stump(), first_size=8, sensitivity=False)
    for kind in (lambda table: table, lambda table: cb.Cases.from_table(table, y=y)):
        tables = {name: kind(table) for name, table in X.items()}
        found = cb.compare_representations(tables, y, learner=Stump(), first_size=8, sensitivity=False)
        assert found.pairs == expected.pairs


def test_classifiers_of_casebase_are_names_with_parameters():
    """An estimator gives what its learner gives."""
    X, y = told()
    settings = {"first_size": 8, "sensitivity": False}
    by_name = cb.compare_representations(X, y, learner="id3", parameters={"criterion": "gain_ratio"}, **settings)
    by_object = cb.compare_representations(X, y, learner=cb.ID3Classifier(criterion="gain_ratio"), **settings)
    assert by_object.runs == by_name.runs
    assert by_object.learner == "id3"
    assert by_object.parameters["criterion"] == "gain_ratio"


@pytest.mark.parametrize("learner", comparable())
def test_learners_by_name(learner):
    """Each of them prefers the representation that tells the class, and the answer can be written down."""
    X, y = told()
    found = cb.compare_representations(X, y, learner=learner, sensitivity=False)
    assert found.best == "telling"
    assert Comparison.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_cases_bring_their_classes():
    """Without y, every representation is of cases with classes."""
    X, y = told()
    tables = {name: cb.Cases.from_table(table, y=y) for name, table in X.items()}
    found = cb.compare_representations(tables, learner="igtree", first_size=8, sensitivity=False)
    assert found.pairs == cb.compare_representations(X, y, learner="igtree", first_size=8, sensitivity=False).pairs


def test_errors_are_ordered_by_value():
    """Lexicographic: first feature first, missing values and numbers in their places; equal rows as given."""
    rows = [["b", 2.0], ["a", 10.0], ["b", -1.0], [None, 3.0], ["a", None], ["a", 10.0]]
    order = inputs.Representation("x", cb.Cases.from_table(rows, y=list("PQPQPQ")), rows).order
    assert order.tolist() == [3, 4, 1, 5, 2, 0]


def test_the_given_order_can_be_kept():
    """In the order given, other runs look independent: what is learnt is the same, what stops is not."""
    X, y = told()
    found = cb.compare_representations(X, y, learner="igtree", first_size=8, order="given", sensitivity=False)
    assert found.order == "given"
    shuffled = np.random.default_rng(0).permutation(100)
    other = {name: table[shuffled] for name, table in X.items()}
    again = cb.compare_representations(other, y[shuffled], learner="igtree", first_size=8, order="given")
    assert again.runs != found.runs


def test_progress_is_told():
    """The number of runs done, of the most there can be, and all of them in the end."""
    X, y = told()
    said = []
    cb.compare_representations(X, y, learner="igtree", max_runs=20, progress=lambda *done: said.append(done))
    assert said[0] == (1, 20)
    assert said[-1] == (20, 20)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interruption_keeps_what_was_decided(n_jobs):
    """After three runs the comparison ends, marked, with the runs that it had."""
    X, y = told()

    def interrupt(done, of):
        if done == 3:
            raise KeyboardInterrupt

    before = threading.active_count()
    found = cb.compare_representations(X, y, learner="igtree", first_size=4, n_jobs=n_jobs, progress=interrupt)
    assert found.was_interrupted
    assert found.n_runs == 3
    assert found.undecided == (("chance", "telling"),)
    assert threading.active_count() == before


def test_an_interruption_before_the_first_run_is_one():
    """Nothing was decided, so there is nothing to keep."""
    X, y = told()

    class Interrupted(Stump):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cb.compare_representations(X, y, learner=Interrupted())


def test_contradictory_examples_are_counted():
    """Three examples with the same values, one of another class: three that no hypothesis gets right together."""
    X, y = told()
    X["coarse"] = X["telling"].copy()
    X["coarse"][:3] = 9
    assert set(y[:3]) == {0, 1}
    found = cb.compare_representations(X, y, learner="igtree", max_runs=1, sensitivity=False)
    assert found.n_contradictory == {"chance": found.n_contradictory["chance"], "telling": 0, "coarse": 3}
    assert any("3 of 100 examples" in note and "'coarse'" in note for note in found.notes)


def test_a_constant_representation_is_marked():
    """It can only say the most frequent class, and that is said."""
    X, y = told()
    X["constant"] = np.zeros((100, 2), dtype=int)
    found = cb.compare_representations(X, y, learner="igtree", first_size=8, sensitivity=False)
    assert found.constant == ("constant",)
    assert found.best == "telling"
    assert any(note.startswith("'constant' has the same values") for note in found.notes)


def test_missing_values_are_noted():
    """They are allowed, and the reader is told."""
    X, y = told()
    rows = X["telling"].astype(object)
    rows[5, 0] = None
    found = cb.compare_representations({**X, "telling": rows}, y, learner="igtree", max_runs=1, sensitivity=False)
    assert any(note.startswith("1 value is missing") for note in found.notes)


def test_numbers_as_classes_are_noted():
    """As many classes as examples: this is no classification."""
    X, _ = told()
    found = cb.compare_representations(X, np.arange(100) / 7, learner="igtree", max_runs=1, sensitivity=False)
    assert any(note.startswith("There are 100 classes for 100 examples") for note in found.notes)


def test_numbers_of_numpy_are_numbers():
    """Settings may come from arrays."""
    X, y = told()
    given = {"growth": np.float32(1.5), "confidence": np.float64(0.9), "first_size": np.int64(8)}
    found = cb.compare_representations(X, y, learner="igtree", max_runs=np.int32(3), random_state=np.int64(1), **given)
    assert json.loads(json.dumps(found.to_dict()))["growth"] == 1.5


def test_few_examples_are_noted():
    """The tests that cannot be made, or can hardly decide, are named."""
    X, y = told(16)
    found = cb.compare_representations(X, y, learner="igtree", max_runs=3, sensitivity=False)
    text = " ".join(found.notes)
    assert "4 autocorrelations" in text
    assert "No pair can be decided with 3 runs" in text


BAD = [
    ({"a": [[1], [2], [3], [4]]}, [0, 1, 0, 1], {}, "two representations.*only 'a'"),
    ({}, [0, 1], {}, "got none"),
    ([[1], [2]], [0, 1], {}, "by name"),
    ({"a": [[1]] * 5, "b": [[1]] * 6}, [0, 1, 0, 1, 0], {}, "'b'.*6 cases, 5 classes"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, None, {}, "pass y"),
    ({"a": [[1]] * 3, "b": [[1]] * 3}, [0, 1, 0], {}, "at least 4"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [1] * 5, {}, "All examples are of class 1"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"learner": "ib1"}, "have no codelength"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"learner": "igtre"}, "Did you mean 'igtree'"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"learner": object()}, "fit, predict and codelength"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"learner": Stump}, "the class Stump"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"learner": Stump(), "parameters": {"x": 1}}, "by name"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"parameters": {"weighing": 1}}, "Did you mean 'weighting'"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"parameters": ["weighting"]}, "is a dict"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"progress": 3}, "progress is a function"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"first_size": 6}, "from 1 to 5"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"growth": 1.0}, "growth"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"confidence": 1.0}, "confidence"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"max_runs": 0}, "max_runs"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"order": "random"}, "Unknown order"),
    ({"a": [[1]] * 5, "b": [[1]] * 5}, [0, 1, 0, 1, 1], {"random_state": -1}, "random_state"),
    ({"a": [[1]] * 5, 2: [[1]] * 5}, [0, 1, 0, 1, 1], {}, "named by text"),
]


@pytest.mark.parametrize(("X", "y", "settings", "message"), BAD)
def test_bad_input(X, y, settings, message):
    """Every mistake has a message that says what was expected and what came."""
    with pytest.raises(CasebaseError, match=message):
        cb.compare_representations(X, y, **{"learner": "igtree", **settings})


def test_other_labels_are_refused():
    """Cases that bring classes of their own must agree, example by example."""
    rows = [[str(i % 2)] for i in range(6)]
    one, other = (cb.Cases.from_table(rows, y=list(y)) for y in ("PQPQPQ", "PQPQQQ"))
    with pytest.raises(CasebaseError, match="1 of them have another class in 'b' than in 'a': first example 4"):
        cb.compare_representations({"a": one, "b": other}, learner="igtree")


def test_weighted_examples_are_refused():
    """An example has one place in the error vector."""
    rows = [[str(i % 2)] for i in range(6)]
    weighted = cb.Cases.from_table(rows, y=list("PQPQPQ"), weights=[1, 2, 1, 1, 1, 1])
    with pytest.raises(CasebaseError, match="Repeat examples"):
        cb.compare_representations({"a": weighted, "b": weighted}, learner="igtree")


def test_a_learner_that_fails_is_told_apart():
    """The message says in which representation and run; the cause is kept."""
    X, y = told()

    class Failing(Stump):
        def predict(self, X):
            raise RuntimeError("no answer")

    with pytest.raises(CasebaseError, match=r"In run 0, .* 'chance'.*RuntimeError: no answer"):
        cb.compare_representations(X, y, learner=Failing())


def test_classes_that_no_example_has_are_refused():
    """Else a learner that spells classes in another way would be wrong everywhere, which is said in few bits."""
    X, y = told()

    class Spelling(Stump):
        def predict(self, X):
            return super().predict(X).astype(str)

    with pytest.raises(CasebaseError, match="classes that no example has: '0', '1'; the examples have 0, 1"):
        cb.compare_representations(X, y, learner=Spelling())


@pytest.mark.parametrize("bits", [float("nan"), -1.0])
def test_codelengths_of_objects_are_checked(bits):
    """Bits are finite and not negative."""
    X, y = told()

    class Wrong(Stump):
        def codelength(self):
            return bits

    with pytest.raises(CasebaseError, match="finite and not negative"):
        cb.compare_representations(X, y, learner=Wrong())


@pytest.mark.parametrize(("n_examples", "first_size"), [(4, 1), (12, 3), (100, 25), (1024, 128), (4520, 268)])
def test_the_first_size_grows_with_the_root_of_the_examples(n_examples, first_size):
    """Four roots, and at most a quarter."""
    assert comparison._checked_first(None, n_examples) == first_size
