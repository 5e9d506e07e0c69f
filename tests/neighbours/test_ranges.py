"""Ranges of a memory give the answers of the whole, bit by bit, wherever it is cut."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casebase import methods
from casebase.base import checksums, files
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.votes import VOTES
from casebase.neighbours import ib1
from casebase.neighbours.ranges import EPSILON, answer_from_ranges, ib1_range, merged, partial_answers, starts_of_groups
from tests.strategies import tasks

FIELDS = ("label", "first_vote", "vote_label", "votes", "distance", "was_tied", "depth", "at_leaf")


def ranges_of(model, cuts):
    """Return the model of each range between neighbouring cuts; some may be empty."""
    edges = [0, *sorted(cut % (model.memory.n_rows + 1) for cut in cuts), model.memory.n_rows]
    return [ib1_range(model, begin, end) for begin, end in pairwise(edges)]


def same(answers, expected):
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(answers, field), getattr(expected, field), strict=True, err_msg=field)


def sent(partials):
    """Return partials as another process gets them."""
    return pickle.loads(pickle.dumps(partials))


def distributed(models, cases):
    """Ask every range on its own, as a cluster does."""
    partials = sent([partial_answers(model, cases) for model in models])
    again = models[0].voting.k + 1
    return merged(
        models[-1], partials, lambda among: sent([partial_answers(m, cases.take(among), k=again) for m in models])
    )


@settings(max_examples=100, deadline=None)
@given(
    tasks(max_rows=16),
    st.lists(st.integers(0, 16), max_size=4),
    st.sampled_from([1, 3, 7]),
    st.sampled_from(sorted(VOTES)),
    st.sampled_from([False, True, "never"]),
    st.sampled_from(["overlap", "mvdm", "jeffrey", "levenshtein"]),
    st.sampled_from([None, None, "timbl"]),
    st.sampled_from(["value", "unknown"]),
)
def test_any_cut_gives_the_same_answers(task, cuts, k, vote, exact_match, metric, compat, missing):
    """For all votes and metrics, with duplicates, ties, weights and gaps; some ranges have fewer than k cases."""
    cases = task.cases()
    metrics = {i: "numeric" if i in task.numeric else metric for i in range(task.n_features)}
    values = {"k": k, "vote": vote, "exact_match": exact_match, "missing": missing, "compat": compat}
    model = ib1.fit(cases, metric=metrics, **values)
    asked = model.schema.encode(task.queries)
    expected, models = model.answer(asked), ranges_of(model, cuts)

    same(distributed(models, asked), expected)
    same(answer_from_ranges(models, asked), expected)
    same(answer_from_ranges(models[::-1], asked), expected)


def test_many_cases_and_questions():
    """Three hundred questions to two thousand cases of skewed values, of which many are equal."""
    rng = np.random.default_rng(5)
    table = np.minimum(rng.geometric(0.3, (2300, 6)), 9).astype(str).tolist()
    labels = rng.choice(list("ABCD"), 2000, p=[0.4, 0.3, 0.2, 0.1]).tolist()
    cases = Cases.from_table(table[:2000], y=labels)
    for values in ({"k": 1}, {"k": 3, "vote": "inverse_distance"}, {"k": 7, "metric": "mvdm"}):
        model = ib1.fit(cases, **values)
        asked, models = model.schema.encode(table[2000:]), ranges_of(model, [700, 701, 1500])
        same(distributed(models, asked), model.answer(asked))
        same(answer_from_ranges(models, asked), model.answer(asked))


def test_distances_that_differ_by_rounding_are_joined_across_ranges():
    """0.1 + 0.2 and 0.3 are one distance, in one range or in two; so the second nearest is another one."""
    rows = [["b", "b", "a", "a"], ["a", "a", "b", "a"], ["a", "a", "b", "b"]]
    model = ib1.fit(Cases.from_table(rows, y=["P", "Q", "R"]), k=2, weighting=[0.1, 0.2, 0.3, 0.7])
    asked = model.schema.encode([["a", "a", "a", "a"]])
    assert 0.1 + 0.2 != 0.3
    partials = [partial_answers(one, asked) for one in ranges_of(model, [1, 2])]

    assert len(set(np.concatenate([partial.distance for partial in partials]).tolist())) == 3
    expected = model.answer(asked)
    assert len(expected.votes) == 3
    same(distributed(ranges_of(model, [1, 2]), asked), expected)


def test_a_range_does_not_join_what_the_whole_does_not():
    """Of 0, ε/2 and ε above the nearest distance, the last two are one group in their range, but not in the whole."""
    weights = [0.5, 0.5 + EPSILON / 2, 0.5 + EPSILON]
    rows = [["b", "a", "a"], ["a", "b", "a"], ["a", "a", "b"]]
    model = ib1.fit(Cases.from_table(rows, y=["P", "Q", "R"]), k=1, weighting=weights)
    asked = model.schema.encode([["a", "a", "a"]])
    expected = model.answer(asked)
    assert len(model.nearest(asked).rows) == 2

    for cuts in ([1], [2], [1, 2]):
        same(distributed(ranges_of(model, cuts), asked), expected)


def test_a_tie_of_identical_cases():
    """Identical cases stay alone in the first group when the vote is repeated; others at distance 0 do not count."""
    rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "x"]]
    model = ib1.fit(Cases.from_table(rows, y=["P", "Q", "Q", "P"]), weighting=[1, 0])
    asked = model.schema.encode([["a", "x"], ["a", "z"]])
    expected = model.answer(asked)
    assert expected.votes.tolist()[:2] == [2.0, 1.0]

    for cut in (1, 2, 3):
        same(distributed(ranges_of(model, [cut]), asked), expected)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 12)), max_size=20))
def test_groups_are_those_of_the_definition(entries):
    """Each distance is compared with the first of its group, one after the other."""
    entries = sorted(entries)
    question = np.array([q for q, _ in entries], dtype=int)
    distance = np.array([d * EPSILON / 4 for _, d in entries])
    expected, first = [], None
    for q, d in zip(question.tolist(), distance.tolist()):
        if first is None or first[0] != q or d - first[1] >= EPSILON:
            first = (q, d)
            expected.append(True)
        else:
            expected.append(False)

    assert starts_of_groups(question, distance).tolist() == expected


def test_ranges_of_a_large_file(tmp_path, monkeypatch):
    """A range of a mapped file is a view: nothing is read before it is asked, and ids are those of the whole."""
    monkeypatch.setattr(checksums, "BLOCK", 16)
    monkeypatch.setattr(files, "AT_ONCE", 0)
    rows = [[a, b] for a in "abcdef" for b in "xyz"] * 2
    cases = Cases.from_table(rows, y=["PQR"[i % 3] for i in range(36)], ids=[f"id{i}" for i in range(36)])
    methods.save(tmp_path / "m.cb", ib1.fit(cases))
    model = methods.load(tmp_path / "m.cb").model
    models = ranges_of(model, [9, 20])

    same(distributed(models, cases), model.answer(cases))
    assert "ids" not in vars(model.memory.segments[0].arrival)
    assert np.shares_memory(models[1].memory.segments[0].labels, model.memory.segments[0].labels)
    assert models[1].memory.segments[0].ids.tolist() == model.memory.segments[0].ids[9:20].tolist()


def test_what_cannot_be_cut_or_merged():
    cases = Cases.from_table([["a"], ["b"]], y=["P", "Q"])
    model = ib1.fit(cases)
    for begin, end in ((-1, 1), (1, 0), (0, 3)):
        with pytest.raises(CasebaseError, match="A range of rows lies between 0 and 2"):
            ib1_range(model, begin, end)
    with pytest.raises(CasebaseError, match="corrected memory"):
        ib1_range(model.without(0), 0, 1)
    with pytest.raises(CasebaseError, match="at least one range"):
        merged(model, [], lambda among: [])
    with pytest.raises(CasebaseError, match="the same questions"):
        merged(model, [partial_answers(model, cases), partial_answers(model, cases.take(np.array([0])))], lambda a: [])


def test_exemplar_weights_of_timbl_are_refused():
    cases = Cases.from_table([["a"], ["b"]], y=["P", "Q"], exemplars=[1.0, 2.0])
    model = ib1.fit(cases, compat="timbl")
    with pytest.raises(CasebaseError, match="exemplar weights"):
        answer_from_ranges([model], cases)
