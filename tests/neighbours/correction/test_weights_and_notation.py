"""Case weights and written numbers after corrections are those of a new fit."""

import numpy as np
import pyarrow as pa
import pytest

from casebase import methods
from casebase.base.records import records_of
from casebase.data import Cases
from casebase.data.columns import spelling
from casebase.data.weights import exact_weights
from casebase.methods import method_named
from casebase.neighbours import correction

LEARNERS = ["ib1", "tribl", "tribl2", "igtree"]


def weighted(weights):
    rows = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]][: len(weights)]
    return Cases.from_table(rows, y=list("PQPQ")[: len(weights)], weights=weights)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("learned", [[0.1, 0.7, 0.3, 17.1], [1 / 3, 1e-3, 0.9, 1000.7]])
def test_weights_are_as_given_again_when_a_heavy_case_is_gone(learner, learned, tmp_path):
    """Weights are rounded to a grid that their sum decides; a smaller sum once kept what a larger one had rounded."""
    fit = method_named(learner).fit
    smaller, receipt = correction.remove(fit(weighted(learned)), [3])
    fresh = fit(weighted(learned[:3]))

    assert receipt.after == f"{correction.fingerprint(fresh):032x}"
    for name, model in (("corrected", smaller), ("fresh", fresh)):
        methods.save(tmp_path / name, model)
    assert (tmp_path / "corrected").read_bytes() == (tmp_path / "fresh").read_bytes()


def test_a_record_has_the_weight_that_was_given():
    """Not the one that was rounded so that sums are exact."""
    records = records_of(method_named("ib1").fit(weighted([0.1, 0.7, 1000.7])))

    assert records.weights.to_pylist() == [0.1, 0.7, 1000.7]


def test_no_weight_is_rounded_to_nothing():
    """A case that counts a little is a case."""
    assert (exact_weights([1e12, 1e-9], 2) > 0).all()


@pytest.mark.parametrize("learner", LEARNERS)
def test_inserted_numbers_keep_how_they_are_written(learner):
    """A tree that compares numbers as symbols once forgot how those of inserted cases were written."""
    texts = ["1.0", "2", "0.50", "7.000"]
    cases = Cases.from_table(pa.table({"n": texts[:2]}), y=["P", "Q"], kinds={"n": "numeric"})

    model = correction.insert(method_named(learner).fit(cases), pa.table({"n": texts[2:]}), ["P", "Q"])

    assert [spelling(row[1]) for row in records_of(model).rows()] == texts


@pytest.mark.parametrize("column", [pa.array([-0.0, 1.0]), pa.array(["-0", "1"])])
def test_minus_zero_is_zero(column):
    """Where numbers become symbols and numbers again, the sign of 0 was lost."""
    cases = Cases.from_table(pa.table({"n": column}), y=["P", "Q"], kinds={"n": "numeric"})

    assert not np.signbit(cases.columns[0]).any()


def test_exemplar_weights_that_a_learner_ignores_are_not_in_its_fingerprint():
    """The kernel keeps none, and the fingerprint after an insertion once counted them."""
    cases = Cases.from_table([["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]], y=list("PQPQ"))
    model = method_named("kernel").fit(cases)
    correction.fingerprint(model)

    larger = correction.insert(model, [["a", "x"]], ["P"], exemplars=[0.5])

    assert correction.fingerprint(larger) == correction.fingerprint(larger.refit(larger.store().cases()))


@pytest.mark.parametrize("options", [{"discretise": "equal_width", "n_bins": 3}, {}])
def test_numbers_that_are_compared_by_their_letters_are_spelled(options):
    """A number that no stored case has ended in an error of Python when TRIBL2 compared values by their letters."""
    cases = Cases.from_table(pa.table({"n": [0.0, 1.0, 9.0, 0.5], "s": list("abab")}), y=list("PQPQ"))
    model = method_named("tribl2").fit(cases, metric="levenshtein", **options)

    assert len(model.answer(model.schema.encode(pa.table({"n": [4.0, None], "s": ["a", "c"]}))).label) == 2
