"""Random corrections end in the model of a new fit; the long run is a command of its own."""

import numpy as np
import pytest

from casebase.methods import method_named
from lab.faults.corrections import BY_COUNTS, Ledger, differences, sequence


@pytest.mark.slow
@pytest.mark.parametrize("learner", BY_COUNTS)
@pytest.mark.parametrize("seed", [1, 124])
def test_random_corrections_end_in_the_model_of_a_new_fit(learner, seed, tmp_path):
    """Answers, weights, fingerprint and file: seeds that once ended in others are among these."""
    _, counted = sequence(seed, tmp_path, most=12, learner=learner)

    assert not counted["differs"], counted


def test_a_model_of_other_cases_is_noticed(tmp_path):
    """The comparison finds a difference where there is one."""
    ledger = Ledger.drawn(np.random.default_rng(3))
    one = method_named("ib1").fit(ledger.cases())
    ledger.rows.popitem()
    queries = ledger.table(list(ledger.rows.values()))

    assert {"fingerprint", "file"} <= set(differences(one, method_named("ib1").fit(ledger.cases()), queries, tmp_path))
