"""The measures of the checkup agree with plain loops over all records and coalitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase.checkup.distinct import distinct_records
from casebase.checkup.held_out import HeldOut, held_out
from casebase.checkup.influence import Influence
from casebase.checkup.redundant import Support
from casebase.checkup.shapley import ShapleyValues
from casebase.neighbours import ib1
from tests.oracles import checkup as oracle

UNWEIGHTED = ib1.Settings(weighting="none")


def tables(largest: int) -> st.SearchStrategy[tuple[list[list[str]], list[str]]]:
    """Small tables with many ties and equal rows."""
    row = st.lists(st.sampled_from("ab"), min_size=3, max_size=3) | st.lists(
        st.sampled_from("abc"), min_size=3, max_size=3
    )
    record = st.tuples(row, st.sampled_from("PQR"))
    return st.lists(record, min_size=2, max_size=largest).map(lambda found: tuple(map(list, zip(*found))))


def search_of(rows: list[list[str]], labels: list[str], metric: ib1.Settings = UNWEIGHTED) -> HeldOut:
    return held_out(distinct_records(cb.Cases.from_table(rows, y=labels)), metric)


def measured(search: HeldOut, n_needed: int) -> tuple[np.ndarray, Influence, np.ndarray]:
    values, influence, support = ShapleyValues(search), Influence(search), Support(search)
    for ranks in search.ranks(n_needed):
        values.add(ranks)
        answer, is_tied = influence.add(ranks)
        support.add(ranks, answer, is_tied, influence.lead[ranks.asked])
    return values.values(), influence, support.redundant()


@settings(max_examples=25, deadline=None)
@given(tables(6))
def test_shapley_values_equal_enumeration(table):
    """The closed form equals the sum over all coalitions."""
    rows, labels = table
    search = search_of(rows, labels)

    values, _, _ = measured(search, len(rows))

    np.testing.assert_allclose(
        values[search.distinct.which], [float(v) for v in oracle.shapley(rows, labels)], atol=1e-12
    )


def test_far_records_are_one_group():
    """Values with a cut are those of a vote in which all records beyond it are equally far."""
    rows = [["a"] * i + ["b"] * (8 - i) for i in range(9)]  # at distances 1, 2, … from each other
    labels = list("PPQPQQPQP")
    search = search_of(rows, labels)

    values, _, _ = measured(search, 5)

    expected = [float(value) for value in oracle.shapley(rows, labels, n_near=5)]
    np.testing.assert_allclose(values[search.distinct.which], expected, atol=1e-12)
    assert not np.allclose(expected, [float(value) for value in oracle.shapley(rows, labels)])


def test_far_records_change_a_value_by_at_most_epsilon():
    """Records beyond the nearest 1/ε count as equally far: the error for an asked record is at most ε, of the sum 0."""
    draw = np.random.default_rng(0)
    rows = draw.integers(0, 3, size=(300, 6)).astype(str).tolist()
    search = search_of(rows, draw.choice(list("PQ"), 300).tolist())
    exact, _, _ = measured(search, 300)

    cut, _, _ = measured(search, 5)

    assert max(ranks.n_near.max() for ranks in search.ranks(5)) < 299
    assert 1e-6 < np.abs(cut - exact).max() / 300 <= 1 / 5
    count = search.distinct.count
    assert (cut * count).sum() == pytest.approx((exact * count).sum())


@settings(max_examples=60, deadline=None)
@given(tables(14))
def test_answers_and_decided_records_equal_plain_loops(table):
    rows, labels = table
    search = search_of(rows, labels)
    which, classes = search.distinct.which, search.distinct.cases.schema.classes

    _, influence, _ = measured(search, 4)

    found = [None if label < 0 else classes[label] for label in influence.answer[which]]
    assert found == oracle.answers(rows, labels, range(len(rows)))
    decided = list(zip(influence.n_decided[which].tolist(), influence.n_decided_right[which].tolist()))
    assert decided == oracle.n_decided(rows, labels)


@settings(max_examples=60, deadline=None)
@given(tables(16))
def test_redundant_records_can_be_removed_together(table):
    """Every record, removed or not, has the same answer from the records that are left."""
    rows, labels = table
    search = search_of(rows, labels)
    _, _, removed = measured(search, 6)
    gone = {int(i) for kind, n in enumerate(removed.tolist()) if n for i in search.distinct.records(kind)[-n:]}

    left = [i for i in range(len(rows)) if i not in gone]

    assert left
    assert oracle.answers(rows, labels, left) == oracle.answers(rows, labels, range(len(rows)))


def test_redundant_records_are_found():
    """Of two clusters far apart a few records are enough."""
    rows = [[*"aaaa", str(i)] for i in range(10)] + [[*"bbbb", str(i)] for i in range(10)]
    search = search_of(rows, ["P"] * 10 + ["Q"] * 10)

    _, _, removed = measured(search, 20)

    assert removed.sum() == 16  # an answer needs another record beside its own


@pytest.mark.parametrize("metric", [{}, {"metric": "mvdm"}, {"weighting": "none"}, {"weighting": "chi_squared"}])
@pytest.mark.parametrize("has_numbers", [False, True])
def test_answers_are_those_of_leave_one_out(metric, has_numbers):
    """Merging equal records changes no answer, whatever the metric: weights and differences are those without each."""
    draw = np.random.default_rng(1)
    symbols = draw.integers(0, 3, size=(120, 3)).astype(str).astype(object)
    rows = np.column_stack([symbols, np.round(draw.normal(size=120), 1)]) if has_numbers else symbols
    labels = np.where(draw.random(120) < 0.2, "R", np.where(symbols[:, 0] == "0", "P", "Q"))
    cases = cb.Cases.from_table(rows.tolist(), y=labels)
    search = held_out(distinct_records(cases), ib1.Settings(**metric))
    influence = Influence(search)

    for ranks in search.ranks(10):
        influence.add(ranks)

    expected = ib1.leave_one_out(cases, exact_match="never", **metric)
    assert (influence.answer[search.distinct.which] == expected.label).all()
    assert influence.distance[search.distinct.which] == pytest.approx(expected.distance)


def test_many_records_with_numbers_keep_the_weights_of_all():
    """The ranges of numbers are found without each record; the weights are those of all."""
    draw = np.random.default_rng(2)
    rows = np.round(draw.normal(size=(2_100, 2)), 3)
    rows[0, 0] = 40.0  # without this record the range of the first column is much smaller
    cases = cb.Cases.from_table(rows, y=np.where(rows[:, 1] > 0, "P", "Q"))
    search = held_out(distinct_records(cases), UNWEIGHTED)

    nearest = next(iter(search.ranks(1, search.distinct.which[:1]))).distance[0]

    others = rows[1:]
    span = np.ptp(others, axis=0)
    assert nearest == pytest.approx((np.abs(others - rows[0]) / span).sum(axis=1).min())


def test_the_search_ends_with_enough_cases():
    """The groups are the nearest ones, whole, and no more than needed."""
    draw = np.random.default_rng(3)
    rows = draw.integers(0, 4, size=(200, 5)).astype(str).tolist()
    cases = cb.Cases.from_table(rows, y=draw.choice(list("PQ"), 200))
    model = ib1.fit(cases)
    questions = model.questions(cases)

    every = model.nearby.nearest(questions, 200)
    some = model.nearby.nearest(questions, 200, enough=7)

    for query in range(200):
        first, first_some = every.first_group[query], some.first_group[query]
        sizes = every.n_rows[first : every.first_group[query + 1]]
        n_groups = int(np.searchsorted(np.cumsum(sizes), 7)) + 1
        assert some.n_groups[query] == n_groups
        assert some.n_rows[first_some : first_some + n_groups].tolist() == sizes[:n_groups].tolist()
        kept = slice(first_some, first_some + n_groups)
        assert some.distance[kept].tolist() == every.distance[first : first + n_groups].tolist()
