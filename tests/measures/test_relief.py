"""RELIEF's weights by hand, and what must not change them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import casebase as cb
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.relief import by_weight, relief, sample
from casebase.measures.weights import WEIGHTINGS, feature_weights
from casebase.methods import method_named
from casebase.neighbours import correction, ib1
from tests.strategies import tasks


def weights_of(rows, labels, k=1, **options):
    cases = Cases.from_table(rows, y=labels, weights=options.pop("weights", None))
    return relief(cases, range(cases.n_features), n_neighbours=k, **options).tolist()


def test_a_feature_that_decides_and_one_that_misleads():
    """The nearest case of the own class differs in the second feature, that of the other class in the first."""
    rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]]

    assert weights_of(rows, list("PPQQ")) == [1, -1]


def test_parity():
    """Features that tell something only together are seen, where all weights from counts are 0.

    A string of bits has neighbours that differ in one bit: a relevant one (three misses, each takes a third of the one
    place) or an irrelevant one (two hits, a half each).
    """
    bits = cb.datasets.load_parity(3, n_irrelevant=2)
    cases = Cases.from_table(bits.data, y=bits.target)

    assert relief(cases, range(5), n_neighbours=1).tolist() == pytest.approx([1 / 3] * 3 + [-1 / 2] * 2)
    for weighting in "gain_ratio", "information_gain", "chi_squared", "shared_variance":
        assert feature_weights(cases, weighting).tolist() == [0] * 5


def test_other_classes_count_by_their_share():
    """P twice with value a: Q has a too, R has c. For P both others count a half, for Q and R it is 2 to 1.

    P: 1/2 · 0 + 1/2 · 1, twice; Q: 2/3 · 0 + 1/3 · 1; R: 2/3 · 1 + 1/3 · 1; the hits are equal.
    """
    assert weights_of([["a"], ["a"], ["a"], ["c"]], list("PPQR")) == pytest.approx([(1 / 2 + 1 / 2 + 1 / 3 + 1) / 4])


def test_numbers_differ_by_their_share_of_the_range():
    """0 and 1 are P, 3 and 4 are Q: hits differ by 1/4, misses by 3/4 and 2/4."""
    assert weights_of([[0.0], [1.0], [3.0], [4.0]], list("PPQQ")) == pytest.approx([(2 * 0.5 + 2 * 0.25) / 4])


def test_a_missing_value_differs_by_what_is_expected_in_its_class():
    """Of class P one has a, one has b, one misses it: it differs from each by a half, and from c, of Q, entirely.

    a and b: hits differ by 1 and 1/2, the miss by 1; the missing one: hits 1/2 and 1/2, the miss 1; c has misses only.
    """
    assert weights_of([["a"], ["b"], [None], ["c"]], list("PPPQ"), k=10) == pytest.approx([(0.25 + 0.25 + 0.5 + 1) / 4])


def test_a_missing_number_differs_by_the_mean():
    """Of class P, 0 and 1: the missing one differs from each by 1/2 in the mean, and from 2 (all of the range 2)."""
    w = weights_of([[0.0], [1.0], [np.nan], [2.0]], list("PPPQ"), k=10)

    hits = [(0.5 + 0.25) / 2, (0.5 + 0.25) / 2, 0.25]
    misses = [1, 0.5, 0.75, (1 + 0.5 + 0.75) / 3]
    assert w == pytest.approx([(sum(misses) - sum(hits)) / 4])


def test_cases_at_one_distance_share_the_places():
    """Three cases of the other class at the same distance: of two places each has two thirds."""
    rows = [["a", "x", "u"], ["b", "x", "u"], ["a", "y", "u"], ["a", "x", "v"]]
    w = weights_of(rows, list("PQQQ"), k=2)

    # P has misses only, a third for each feature. Each Q has two hits that differ in two features, and P as a miss.
    assert w == pytest.approx([(1 / 3 + (0 + 1) + (-1 / 2) * 2 - 1) / 4] * 3)


def test_only_as_many_neighbours_as_there_are():
    """More neighbours than cases: all of them."""
    rows = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "z"]]

    assert weights_of(rows, list("PPQQQ"), k=3) == weights_of(rows, list("PPQQQ"), k=1000)


def test_features_that_tell_nothing():
    """Constant features, and those without any value, have weight 0."""
    rows = [["c", 1.0, None, np.nan, "a"], ["c", 1.0, None, np.nan, "b"], ["c", 1.0, None, np.nan, "a"]]
    frame = {name: [row[i] for row in rows] for i, name in enumerate("vwxyz")}
    assert weights_of([dict(zip(frame, values)) for values in zip(*frame.values())], list("PQP"))[:4] == [0, 0, 0, 0]


def test_one_class_has_no_misses():
    """Then features can only lose, and none is selected."""
    selector = cb.ReliefSelector().fit([["a", "x"], ["b", "x"]], ["P", "P"])

    assert selector.weights_.tolist() == [-1, 0]
    assert selector.support_.tolist() == [False, False]
    assert feature_weights(Cases.from_table([["a"], ["b"]], y=["P", "P"]), "relief").tolist() == [0]


def test_one_case():
    """It has no neighbours."""
    assert weights_of([["a"]], ["P"]) == [0]


@given(tasks(max_rows=9), st.integers(1, 4), st.randoms())
def test_rows_columns_and_threads_do_not_matter(task, k, random):
    """Shuffled rows, shuffled named columns and several threads give the same bits."""
    cases = task.cases()
    names = [f"n{i}" for i in range(cases.n_features)]
    records = [dict(zip(names, cases.values(i))) for i in range(cases.n_cases)]
    counts = np.ones(len(records)) if cases.weights is None else cases.weights
    kinds = {name: feature.kind for name, feature in zip(names, cases.schema.features)}
    expected = relief(_named(records, cases.labels, counts, names, kinds), range(len(names)), n_neighbours=k)
    order = random.sample(range(len(records)), len(records))
    shuffled_names = random.sample(names, len(names))
    other = _named([records[i] for i in order], cases.labels[order], counts[order], shuffled_names, kinds)
    found = relief(other, range(len(names)), n_neighbours=k, n_jobs=2)

    assert found.tolist() == [expected[names.index(name)] for name in shuffled_names]


def _named(records, labels, counts, names, kinds):
    return Cases.from_table([{n: r[n] for n in names} for r in records], y=labels, weights=counts, kinds=kinds)


@given(tasks(max_rows=6, counts=False), st.integers(1, 4), st.data())
def test_a_case_of_weight_n_is_n_cases(task, k, data):
    """Copies and weights are the same."""
    rows, labels = task.rows, task.labels
    counts = data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    copies = [i for i, n in enumerate(counts) for _ in range(n)]

    weighted = cb.ReliefSelector(n_neighbors=k).fit(rows, labels, sample_weight=counts).weights_
    copied = cb.ReliefSelector(n_neighbors=k).fit([rows[i] for i in copies], [labels[i] for i in copies]).weights_
    assert weighted.tolist() == copied.tolist()


def random_bits(n=200, n_features=6, seed=0):
    bits = np.random.default_rng(seed).integers(0, 2, (n, n_features))
    return bits, bits[:, 0] ^ bits[:, 1]


def test_a_sample_is_like_the_whole():
    """The weights of a sample are near those of all cases, and follow from the seed alone."""
    bits, odd = random_bits(2000, 12)
    whole = cb.ReliefSelector().fit(bits, odd)
    some = cb.ReliefSelector(n_samples=100).fit(bits, odd)
    again = cb.ReliefSelector(n_samples=100).fit(bits[::-1], odd[::-1])
    other = cb.ReliefSelector(n_samples=100, random_state=1).fit(bits, odd)

    assert np.abs(some.weights_ - whole.weights_).max() < 0.1
    assert some.weights_.tolist() == again.weights_.tolist()
    assert some.weights_.tolist() != other.weights_.tolist()
    assert cb.ReliefSelector(n_samples=5000).fit(bits, odd).weights_.tolist() == whole.weights_.tolist()


def test_a_sample_draws_each_case_at_most_once():
    """A point of weight n is n cases; larger ones are drawn more often."""
    assert sorted(sample(np.ones(10), 4, 0).tolist()) == [0] * 6 + [1] * 4
    drawn = sum(sample(np.array([1.0, 3.0, 0.5, 3.5]), 4, seed) for seed in range(2000)) / 2000
    assert drawn.tolist() == pytest.approx([0.5, 1.5, 0.25, 1.75], abs=0.05)


def test_equal_weights_are_ranked_by_name():
    """By name where the columns have names, else by position; a hair is no difference."""
    rows = [["a", "x"], ["b", "y"]]
    named = Cases.from_table([{"z": a, "b": b} for a, b in rows], y=[0, 1])

    assert by_weight(named, [0, 1], np.array([0.2 + 1e-12, 0.2])) == [1, 0]
    assert by_weight(Cases.from_table(rows, y=[0, 1]), [0, 1], np.array([0.2, 0.2 + 1e-12])) == [0, 1]


def test_selector():
    """What exceeds the threshold is selected, or so many as asked for."""
    bits, odd = random_bits()

    assert cb.ReliefSelector().fit(bits, odd).support_.tolist()[:2] == [True, True]
    assert cb.ReliefSelector(threshold=0.15).fit(bits, odd).support_.tolist() == [True] * 2 + [False] * 4
    assert cb.ReliefSelector(n_features_to_select=2).fit_transform(bits, odd).tolist() == bits[:, :2].tolist()
    one = cb.ReliefSelector(n_features_to_select=1).fit(bits, odd)
    assert one.get_support(indices=True).tolist() == [int(np.argmax(one.weights_))]
    assert sorted(one.ranking_.tolist()) == [1, 2, 3, 4, 5, 6]
    assert one.ranking_[np.argmax(one.weights_)] == 1
    # A constant feature is at 0 but for rounding, and does not exceed it.
    constant = np.column_stack([bits, np.zeros(len(bits), dtype=int)])
    assert not cb.ReliefSelector().fit(constant, odd).support_[-1]


@pytest.mark.parametrize(
    "options",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 2.5},
        {"n_samples": 0},
        {"n_samples": "all"},
        {"n_features_to_select": 7},
        {"n_features_to_select": True},
        {"threshold": "high"},
        {"threshold": np.nan},
        {"n_samples": 3, "random_state": None},
        {"n_jobs": 0},
    ],
)
def test_bad_parameters(options):
    """The message names the parameter."""
    with pytest.raises(CasebaseError, match=list(options)[-1]):
        cb.ReliefSelector(**options).fit(*random_bits(20))


# As a weighting.


@pytest.mark.parametrize("learner", ["ib1", "ib2", "igtree", "tribl", "tribl2"])
def test_learners_take_it(learner):
    """IB1 and its kin weigh features by RELIEF; what would be negative is 0."""
    bits, odd = random_bits()
    cases = Cases.from_table(bits, y=odd)
    expected = relief(cases, range(6))
    model = method_named(learner).fit(cases, weighting="relief")

    assert model.weights.tolist() == np.where(expected > 0, expected, 0).tolist()
    assert (model.weights == 0).any()
    assert (cases.known_labels == model.answer(cases).label).mean() > 0.9


def test_it_is_a_weighting_like_others():
    """Messages, options and the command line list it."""
    assert "relief" in WEIGHTINGS
    with pytest.raises(CasebaseError, match="Did you mean 'relief'"):
        cb.IB1Classifier(weighting="relieff").fit([["a"]], ["P"])


def test_timbl_has_none():
    """compat="timbl" refuses what TiMBL does not know."""
    with pytest.raises(CasebaseError, match="TiMBL has no weighting 'relief'"):
        cb.IB1Classifier(weighting="relief", compat="timbl").fit([["a"], ["b"]], ["P", "Q"])


def test_leave_one_out_keeps_all_weights_only_when_asked():
    """Exact leave-one-out would learn the weights anew for every case: refused; sloppy weights are those of all."""
    bits, odd = random_bits(60)
    cases = Cases.from_table(bits, y=odd)

    with pytest.raises(CasebaseError, match=r"again for every case.*sloppy=True"):
        ib1.leave_one_out(cases, weighting="relief")
    given = feature_weights(cases, "relief")
    expected = ib1.leave_one_out(cases, weighting=given, sloppy=True)
    assert ib1.leave_one_out(cases, weighting="relief", sloppy=True).label.tolist() == expected.label.tolist()


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl", "tribl2"])
def test_a_corrected_memory_has_the_weights_of_a_new_fit(learner):
    """Cases that come and go change the weights of RELIEF: they are learnt again."""
    bits, odd = random_bits(40)
    fit = method_named(learner).fit
    model = fit(Cases.from_table(bits[:30], y=odd[:30]), weighting="relief")
    model = correction.insert(model, bits[30:], odd[30:])
    assert model.weights.tolist() == fit(Cases.from_table(bits, y=odd), weighting="relief").weights.tolist()
    model, _ = correction.remove(model, list(range(10)))
    expected = fit(Cases.from_table(bits[10:], y=odd[10:]), weighting="relief")

    assert model.weights.tolist() == expected.weights.tolist()
    asked = expected.answer(expected.schema.encode(bits)).label
    assert model.answer(model.schema.encode(bits)).label.tolist() == asked.tolist()


def test_weights_below_a_tree_follow_too():
    """TRIBL with RELIEF below the tree is fitted again as well."""
    bits, odd = random_bits(40)
    parameters = {"weighting_below": "relief", "switch": 1}
    model = method_named("tribl").fit(Cases.from_table(bits[:30], y=odd[:30]), **parameters)
    model = correction.insert(model, bits[30:], odd[30:])
    expected = method_named("tribl").fit(Cases.from_table(bits, y=odd), **parameters)

    assert model.below.weights.tolist() == expected.below.weights.tolist()


def test_saved_and_loaded(tmp_path):
    """A model file keeps the weights, and the loaded model can be corrected."""
    bits, odd = random_bits(40)
    clf = cb.IB1Classifier(weighting="relief").fit(bits[:30], odd[:30])
    clf.save(tmp_path / "model.cb")
    again = cb.load(tmp_path / "model.cb")

    assert again.weights_.tolist() == clf.weights_.tolist()
    assert again.insert(bits[30:], odd[30:]).weights_.tolist() == clf.insert(bits[30:], odd[30:]).weights_.tolist()
