"""Kernel vote: answers and held-out answers are those of two plain loops.

Distances are float32, so answers agree to about 1e-5.
"""

import numpy as np
import pytest

from casebase import _native
from casebase.autopilot import kernel
from casebase.autopilot.inputs import Features
from tests.autopilot.tables import TABLES, plain_cases, stored_of
from tests.oracles import kernel_vote as oracle


def learned(stored, seed=0):
    """Return the vote under random weights."""
    weights = np.random.default_rng(seed).uniform(0.2, 4.0, 2 * stored.inputs.n_features)
    return kernel.learn(stored, {"weights": weights.tolist(), "seed": seed})


def naive(reading, stored, case, i=None):
    scales = [oracle.Scale(s.low, s.width, s.middle, s.ranked.tolist()) for s in reading.scales]
    return oracle.shares(
        case,
        plain_cases(stored.inputs),
        stored.labels.tolist(),
        stored.case_weights.tolist(),
        reading.voters.tolist(),
        scales,
        reading.plan["weights"],
        stored.n_classes,
        i,
    )


@pytest.fixture(params=TABLES)
def table(request):
    return TABLES[request.param]


def test_answers_are_votes_of_all_cases(table):
    """New cases, with missing and unseen values, too."""
    cases = table.cases()
    stored = stored_of(cases)
    reading = learned(stored)
    asked = Features.of(cases.schema).inputs(cases.schema.encode(table.asked))
    found = reading.shares(asked)
    for i, case in enumerate(plain_cases(asked)):
        np.testing.assert_allclose(found[i], naive(reading, stored, case), atol=1e-5)


def test_a_held_out_case_neither_votes_nor_counts(table):
    """The case is left out of the votes, of the frequencies, and of the counts of its own values."""
    stored = stored_of(table.cases())
    reading = learned(stored)
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i, case in enumerate(plain_cases(stored.inputs)):
        np.testing.assert_allclose(held[i], naive(reading, stored, case, i), atol=1e-5)


def test_some_cases_vote_of_many(monkeypatch):
    """With more cases than may vote, a sample does; the others are asked as they are."""
    monkeypatch.setattr(kernel, "MOST_VOTERS", 15)
    stored = stored_of(TABLES["mixed"].cases())
    reading = learned(stored)
    assert len(reading.voters) == 15
    held = reading.held_out(stored, np.arange(stored.n_cases))
    for i, case in enumerate(plain_cases(stored.inputs)):
        np.testing.assert_allclose(held[i], naive(reading, stored, case, i), atol=1e-5)


def test_scales_are_ranges_and_ranks():
    """The lowest number, the range and the middle of the known ones."""
    numbers = np.array([3.0, np.nan, 1.0, 9.0, 4.0])
    scale = kernel.Scale.of(numbers)
    assert (scale.low, scale.width, scale.middle) == (1.0, 8.0, 4.0)
    assert scale.ranked.tolist() == [1.0, 3.0, 4.0, 9.0]
    assert kernel.Scale.of(np.array([np.nan])).width == 1.0


def test_the_loss_and_its_gradient():
    """The loss is that of the plain loops, and the gradient that of small steps."""
    draw = np.random.default_rng(3)
    differences = draw.uniform(0, 1, (4, 9, 9)).astype(np.float32)
    labels = draw.integers(0, 3, 9).astype(np.uint32)
    logs = draw.normal(size=4)
    value, slope = _native.kernel_loss(differences, labels, 3, logs, 1)
    plain = [oracle.loss(differences, labels.tolist(), np.exp(logs), 3)]
    assert value == pytest.approx(plain[0], abs=1e-6)
    for f in range(4):
        step = np.zeros(4)
        step[f] = 1e-5
        up, down = (oracle.loss(differences, labels.tolist(), np.exp(logs + s), 3) for s in (step, -step))
        assert slope[f] == pytest.approx((up - down) / 2e-5, abs=1e-5)


def test_judges_are_answered_by_weights_they_had_no_part_in():
    """The held-out answer of a judge does not depend on its class, as long as nothing else counts it."""
    stored = stored_of(TABLES["numeric"].cases())  # without symbols there are no value differences
    rows = np.arange(stored.n_cases)
    held = kernel.choose(stored, rows, 0)[1]
    for i in (0, 7, 23):
        labels = stored.labels.copy()
        labels[i] = (labels[i] + 1) % stored.n_classes
        other = kernel.choose(type(stored)(stored.inputs, labels, None, stored.n_classes), rows, 0)[1]
        np.testing.assert_allclose(other[i], held[i], atol=1e-6)
        assert not np.allclose(other, held, atol=1e-6)
