"""Whatever was learned, the file holds all of it."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import methods
from casebase.methods import METHODS, method_named
from tests.strategies import compats, missing_policies, tasks, weightings


@pytest.mark.parametrize("learner", METHODS)
@given(task=tasks(), weighting=weightings, missing=missing_policies, compat=compats, k=st.integers(1, 3))
def test_save_then_load_changes_nothing(learner, task, weighting, missing, compat, k):
    """Answers, votes and evidence of a model are those of the model that was read back from its file."""
    options = {"weighting": weighting, "missing": missing, "compat": compat, "k": k, "alpha": "auto" if k == 3 else k}
    taken = set(method_named(learner).settings.public()) - ({"missing"} if learner in ("id3", "c45") else set())
    model = method_named(learner).fit(
        task.cases(), **{name: option for name, option in options.items() if name in taken}
    )
    with tempfile.TemporaryDirectory() as folder:
        methods.save(Path(folder) / "model.cb", model)
        loaded = methods.load(Path(folder) / "model.cb").model
    before, after = (m.answer(m.schema.encode(task.queries)) for m in (model, loaded))
    assert before.label.tolist() == after.label.tolist()
    assert before.votes.tolist() == after.votes.tolist()
    said = ([e.to_dict() for e in m.explain(m.schema.encode(task.queries))] for m in (model, loaded))
    assert next(said) == next(said)
