"""A corrected model is the model that a new fit on the changed cases gives."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase import methods
from casebase.data import Cases
from casebase.measures import counts as changing
from casebase.memory import store as storing
from casebase.methods import method_named
from casebase.neighbours import correction
from casebase.neighbours import correction as correcting
from tests.neighbours.correction.histories import Step, Table, histories, refitted, taken
from tests.strategies import missing_policies

WEIGHTINGS = ["gain_ratio", "information_gain", "chi_squared", "shared_variance", "none"]
SYMBOLIC_METRICS = ["overlap", "mvdm", "jeffrey", "jensen_shannon", "levenshtein", "dice"]

parameters = st.fixed_dictionaries(
    {
        "weighting": st.sampled_from(WEIGHTINGS),
        "missing": missing_policies,
        "compat": st.sampled_from([None, None, None, "timbl"]),
        "diversify": st.sampled_from([False, False, True]),
    }
)
of_neighbours = st.fixed_dictionaries(
    {
        "k": st.integers(1, 3),
        "vote": st.sampled_from(["equal", "inverse_distance", "inverse_linear", "exponential"]),
        "metric": st.sampled_from(SYMBOLIC_METRICS),
        "threshold": st.sampled_from([1, 1, 2]),
        "exact_match": st.sampled_from([False, True]),
    }
)
OF_LEARNER = {
    "ib1": of_neighbours,
    "tribl2": of_neighbours,
    "tribl": st.builds(
        lambda neighbours, switch, below: neighbours | {"switch": switch, "weighting_below": below},
        of_neighbours,
        st.sampled_from(["auto", 0, 1, 2]),
        st.sampled_from(["none", "gain_ratio"]),
    ),
    "igtree": st.just({}),
}
# How soon segments are joined, how much may be out of order, and how many cells may have changed beside a table.
THRESHOLDS = [(2, 1.0, 4), (0, 1.0, 4096), (10**9, 1.0, 0), (2, 0.25, 4096), (2, 0.6, 1)]


def assert_equal_models(corrected, fresh, queries, n_explained=None):
    """Both models give the same answers, votes, distances and evidence, and have the same weights, classes and ids.

    Answers are compared for all queries. Evidence, which costs a hundred times as much, is compared for the first
    `n_explained`: enough where every step has other cases and other queries.
    """
    assert corrected.schema.classes == fresh.schema.classes
    np.testing.assert_array_equal(corrected.weights, fresh.weights)
    mine, theirs = (model.answer(model.schema.encode(queries)) for model in (corrected, fresh))
    for name in ("label", "first_vote", "vote_label", "votes", "distance", "was_tied", "depth", "at_leaf"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    explained = queries[:n_explained]
    said = [[e.to_dict() for e in model.explain(model.schema.encode(explained))] for model in (corrected, fresh)]
    assert said[0] == said[1]
    assert correction.fingerprint(corrected) == correction.fingerprint(fresh)
    if hasattr(corrected, "tree"):
        assert branches(corrected) == branches(fresh)


def branches(model):
    """Return the nodes of a model's tree: the values on the way to each, its class and its counts."""
    schema, tree = model.schema, model.tree
    order = model.order if hasattr(model, "order") else model.below.memory.order
    found, level = {}, [(0, ())]
    for feature in [*order.tolist(), None]:
        below = []
        for node, path in level:
            counts = {schema.classes[c]: n for c, n in tree.counts(node).items()}
            found[path] = (schema.classes[tree.label[node]], counts)
            for child in range(int(tree.first_child[node]), int(tree.first_child[node + 1])):
                value = schema.features[feature].vocabulary.value(int(tree.value[child]))
                below.append((child, (*path, value)))
        level = below
    assert len(found) == tree.n_nodes
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all files: making thousands of them would take longer than the files."""
    return tmp_path_factory.mktemp("models")


def file_of(model, folder) -> bytes:
    methods.save(folder / "model.cb", model)
    return (folder / "model.cb").read_bytes()


def reloaded(model, folder):
    methods.save(folder / "model.cb", model)
    return methods.load(folder / "model.cb").model


@pytest.mark.slow
@pytest.mark.parametrize("learner", OF_LEARNER)
@given(data=st.data())
def test_any_history_ends_in_the_model_of_a_new_fit(learner, folder, data):
    """After every correction all answers are those of a new fit, and so is the file, to the last byte."""
    history = data.draw(histories())
    options = data.draw(parameters) | data.draw(OF_LEARNER[learner])
    join, disorder, n_beside = data.draw(st.sampled_from(THRESHOLDS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storing, "MERGE_RATIO", join)
        patch.setattr(correcting, "DISORDER", disorder)
        patch.setattr(changing, "MAX_DIFFERENCES", n_beside)
        table = deepcopy(history.table)
        model = refitted(learner, table, options)
        for step in history.steps:
            model = reloaded(model, folder) if step.what == "save" else taken(model, table, step)
            fresh = refitted(learner, table, options)
            is_last = step is history.steps[-1]
            assert_equal_models(model, fresh, history.queries, n_explained=None if is_last else 1)
        assert file_of(model, folder) == file_of(fresh, folder)


@pytest.mark.slow
@pytest.mark.parametrize("learner", OF_LEARNER)
@pytest.mark.parametrize("seed", range(3))
def test_long_histories_of_larger_memories(learner, seed, folder, monkeypatch):
    """Hundreds of corrections, with new values that need wider codes, most of them without fitting again."""
    monkeypatch.setattr(correcting, "DISORDER", 0.9)
    n_fits = []
    kind = method_named(learner).model
    monkeypatch.setattr(kind, "refit", _counting(kind.refit, n_fits))
    draw = np.random.default_rng(seed)
    table = Table((False,) * 5, weighted=seed == 1)
    n_values = [3, 400, 6, 2, 10]
    for i in range(300):
        table.rows[i] = _random_case(draw, n_values)
    options = {"weighting": [0.5, 0.4, 0.3, 0.2, 0.1]} if seed == 2 else {}
    model = refitted(learner, table, options)
    for step in range(40):
        new = tuple(_random_case(draw, n_values) for _ in range(5))
        which = tuple(draw.integers(0, 1000, 4).tolist())
        model = taken(model, table, Step(("insert", "remove", "update")[step % 3], which, new))
        queries = [_random_case(draw, n_values)[0] for _ in range(30)]
        fresh = refitted(learner, table, options)
        assert_equal_models(model, fresh, queries, n_explained=2)
    assert len(n_fits) < 20
    assert_equal_models(model, fresh, queries)
    assert file_of(model, folder) == file_of(fresh, folder)


def _counting(function, calls):
    def counted(*arguments):
        calls.append(1)
        return function(*arguments)

    return counted


def _random_case(draw, n_values):
    row = [f"v{min(int(draw.exponential(n / 3)), n - 1)}" for n in n_values]
    label = f"c{int(draw.exponential(2))}" if draw.random() < 0.3 else f"c{row[1][-1]}"
    return row, label, float(draw.integers(1, 4))


def test_equal_weights_keep_the_order_of_the_columns_after_loading(folder):
    """The order in which a loaded model counted its features once decided between weights that had become equal."""
    rows = [*[["x", "u"]] * 5, ["y", "v"], ["y", "v"], ["x", "v"]]
    table = Table((False,) * 2, weighted=False, rows={i: (row, "PPPPPQQQ"[i], 1.0) for i, row in enumerate(rows)})
    model = reloaded(refitted("igtree", table, {}), folder)
    assert model.order.tolist() == [1, 0]

    model = taken(model, table, Step("remove", (7,), ()))

    assert model.order.tolist() == [0, 1]
    assert_equal_models(model, refitted("igtree", table, {}), rows)


def test_distances_are_grouped_alike_in_all_segments():
    """Where all weights are tiny, distances that differ by less than the last bit of 1 are equal.

    Sums of steps that were far apart once bounded the k-th distance, though the distances were equal.
    """
    settings = {"k": 2, "weighting": [2.0**-52] * 4, "metric": "jeffrey", "order_by": [4.0, 3.0, 2.0, 1.0]}
    for seed in range(10):
        draw = np.random.default_rng(seed)
        rows, queries = (draw.choice(list("abcdefgh"), (n, 4)).tolist() for n in (20, 5))
        labels, weights = draw.choice(list("PQR"), 20).tolist(), draw.choice([0.1, 0.7, 17.1], 20)
        fresh = method_named("ib1").fit(Cases.from_table(rows, y=labels, weights=weights), **settings)
        first = method_named("ib1").fit(Cases.from_table(rows[:15], y=labels[:15], weights=weights[:15]), **settings)
        corrected = correction.insert(first, rows[15:], labels[15:], weights=weights[15:])

        answers, expected = (model.answer(model.schema.encode(queries)) for model in (corrected, fresh))

        assert answers.votes.tolist() == expected.votes.tolist()
