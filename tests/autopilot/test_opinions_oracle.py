"""Opinions: answers and held-out answers are those of counting anew without the case."""

import numpy as np
import pytest

from casebase.autopilot import opinions
from casebase.autopilot.inputs import Features, binned, inner_edges
from casebase.methods import method_named
from casebase.neighbours import correction
from tests.autopilot.tables import TABLES, Table, one_case, plain_numbers, random_table, stored_of, without
from tests.oracles import opinions as oracle


def codes_by(opinion, inputs):
    """Return the values of the feature, or of the pair, in each case; cuts are held."""
    columns = []
    for feature, cuts in zip(opinion.features, opinion.edges):
        if cuts is None:
            columns.append(inputs.codes[feature - inputs.n_numbers].tolist())
        else:
            columns.append([oracle.bin_of(x, cuts.tolist()) for x in plain_numbers(inputs)[feature]])
    return list(zip(*columns))


def naive(reading, stored, asked, members):
    """Return the oracle's answer to one case from some of the stored cases."""
    singles, pairs = (
        [(codes_by(one, stored.inputs), codes_by(one, asked)[0], one.smoothing) for one in some]
        for some in (reading.singles, reading.pairs)
    )
    return oracle.shares(
        members,
        stored.labels.tolist(),
        stored.case_weights.tolist(),
        stored.n_classes,
        singles,
        reading.first.exponents.tolist(),
        np.exp(reading.first.bias).tolist(),
        pairs,
        reading.second.exponents.tolist(),
    )


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def chosen(table):
    stored = stored_of(table.cases())
    return stored, opinions.choose(stored, np.arange(stored.n_cases), 0)[0]


def test_answers_are_products_of_counted_opinions(table):
    """New cases, with values that no stored case has, are answered as the definition says."""
    stored, reading = chosen(table)
    cases = table.cases()
    asked = Features.of(cases.schema).inputs(cases.schema.encode(table.asked))
    found = reading.shares(asked)
    for i in range(asked.n_cases):
        expected = naive(reading, stored, asked.take(np.array([i])), range(stored.n_cases))
        np.testing.assert_allclose(found[i], expected, rtol=1e-12, atol=1e-14)


def test_a_held_out_answer_counts_all_other_cases(table):
    """Cuts and exponents are held, and the case is counted nowhere."""
    stored, reading = chosen(table)
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i in range(stored.n_cases):
        others = [j for j in range(stored.n_cases) if j != i]
        expected = naive(reading, stored, one_case(stored, i), others)
        np.testing.assert_allclose(held[i], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("weights", [None, [0.25, 1, 2.5]])
def test_a_held_out_answer_is_that_of_a_new_fit_to_the_last_bit(weights):
    """Symbols have no cuts, and counts are exact: learning by the same plan without the case changes no bit."""
    stored, reading = chosen(random_table("ssss", n=60, seed=11, gaps=0.1, weights=weights))
    assert reading.pairs
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i in range(stored.n_cases):
        refitted = opinions.learn(without(stored, i), reading.plan)
        np.testing.assert_array_equal(refitted.shares(one_case(stored, i))[0], held[i])


def test_some_table_has_pairs_of_numbers_and_symbols():
    """The oracle above sees pairs of each kind."""
    kinds = {tuple(n is None for n in pair.bins) for table in TABLES.values() for pair in chosen(table)[1].pairs}
    assert len(kinds) >= 2


def test_naive_bayes_is_a_special_case():
    """Without pairs, and with all exponents 1, the answer is that of naive Bayes with the same frequencies."""
    stored, reading = chosen(TABLES["symbolic"])
    plan = reading.plan | {"pairs": [], "second": [1.0], "bias": {}}
    plan |= {"first": [1.0] * len(plan["first"])}
    plan["singles"] = [one | {"smoothing": 1e-9} for one in plan["singles"]]
    bayes = opinions.learn(stored, plan)
    base = (stored.class_weights + 0.5) / (stored.class_weights + 0.5).sum()
    for i in range(stored.n_cases):
        product = base.copy()
        for column in stored.inputs.codes:
            like = np.bincount(stored.labels[column == column[i]], minlength=stored.n_classes)
            product = product * (like / like.sum() + 1e-30) / base
        np.testing.assert_allclose(bayes.shares(one_case(stored, i))[0], product / product.sum(), atol=1e-6)


@pytest.mark.parametrize("n_bins", [2, 3, 8, 40])
@pytest.mark.parametrize("seed", range(4))
def test_cuts_lie_halfway_between_neighbours(n_bins, seed):
    """Few values are all told apart; of many, each bin has about equally many numbers."""
    draw = np.random.default_rng(seed)
    numbers = np.round(draw.normal(size=60), seed % 3)
    numbers[:5] = np.nan
    values = np.unique(numbers[5:])
    cuts = inner_edges(numbers, n_bins)

    halves = (values[:-1] + values[1:]) / 2
    assert all(np.isclose(cut, halves, rtol=1e-15).any() for cut in cuts)
    assert len(cuts) == len(values) - 1 if len(values) <= n_bins else len(cuts) < n_bins
    sizes = np.bincount(binned(numbers, cuts)[5:])[1:]
    most = max(np.sum(numbers == value) for value in values)
    if len(values) > n_bins:
        assert sizes.max() <= 55 / n_bins + most
    assert binned(numbers, cuts)[:5].tolist() == [0] * 5


def test_a_class_keeps_its_bias_when_classes_come_and_go():
    """A plan has the bias by class: another class in front of it, or a class that was away, changes nothing."""
    rows = [[f"v{i % 3}", f"w{i % 5}"] for i in range(60)]
    labels = [("b", "b", "c", "d")[i % 4] for i in range(60)]
    model = method_named("opinions").fit(Table(rows, labels, []).cases())
    bias = dict(zip("bcd", model.readings["opinions"].first.bias.tolist()))
    assert len(set(bias.values())) >= 2  # two of them are alike, but for the rounding of an optimiser
    more = correction.insert(model, [["v0", "w0"]], ["a"], ids=[1000])
    assert dict(zip("abcd", more.readings["opinions"].first.bias.tolist())) == {"a": 0.0} | bias
    of_d = [i for i, label in enumerate(labels) if label == "d"]
    fewer, _ = correction.remove(model, of_d)
    assert dict(zip("bc", fewer.readings["opinions"].first.bias.tolist())) == {"b": bias["b"], "c": bias["c"]}
    again = correction.insert(fewer, [rows[i] for i in of_d], ["d"] * len(of_d), ids=of_d)
    assert dict(zip("bcd", again.readings["opinions"].first.bias.tolist())) == bias
