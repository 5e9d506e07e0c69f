"""A stored case that is explained can be left out: the answer is that of the other cases, with the same weights."""

import json

import numpy as np
import pytest

import casebase as cb
from casebase.base.leave_out import explain_without_itself, stored_queries
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.neighbours import correction, ib1

X = [["red", "ball"], ["red", "cube"], ["green", "ball"], ["green", "cube"], ["blue", "ring"]]
Y = ["keep", "keep", "mend", "mend", "sell"]
HELD = {"ib1": {"k": 2}, "igtree": {}, "tribl": {"switch": 1}, "tribl2": {}}


def random_cases(seed: int, n_cases: int = 12) -> Cases:
    """Few values and rare ones: some occur in one case only, and so do some classes."""
    rng = np.random.default_rng(seed)
    rows = [[f"v{rng.integers(2 + 3 * f)}" for f in range(4)] for _ in range(n_cases)]
    return Cases.from_table(rows, y=[f"c{rng.integers(4)}" for _ in rows], weights=rng.integers(1, 3, n_cases))


def without_id(evidence) -> dict:
    """Return a record without what tells that a case was left out, and without the last bits of sums."""
    record = json.loads(
        json.dumps(evidence.with_actual(None).to_dict()), parse_float=lambda text: round(float(text), 9)
    )
    return record | {"left_out": None, "classes": sorted(record["classes"]), "votes": sorted(record["votes"].items())}


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("seed", range(4))
def test_the_evidence_is_that_of_a_fit_on_the_other_cases_with_the_same_weights(name, seed):
    """Answers, votes, distances, paths and unseen values: as if the case had never been stored."""
    cases, fit = random_cases(seed), method_named(name).fit
    model = fit(cases, **HELD[name])

    found = explain_without_itself(model, *stored_queries(model, np.arange(cases.n_cases)), limit=20)

    for i, evidence in enumerate(found):
        rest = [row for row in range(cases.n_cases) if row != i]
        table = [list(cases.values(row)) for row in rest]
        labels = [cases.schema.classes[cases.labels[row]] for row in rest]
        others = Cases.from_table(table, y=labels, weights=cases.weights[rest], ids=np.array(rest))
        settings = HELD[name] | {"weighting": model.weights.tolist()}
        refitted = fit(others, **settings)
        (expected,) = refitted.explain(refitted.schema.encode([cases.values(i)]), limit=20)
        assert (evidence.left_out, evidence.actual) == (i, cases.schema.classes[cases.labels[i]])
        assert without_id(evidence) == without_id(expected)


@pytest.mark.parametrize(
    "settings", [{"metric": "mvdm"}, {"metric": "levenshtein"}, {"k": 3, "vote": "inverse_distance"}]
)
def test_the_answers_are_those_of_leave_one_out_with_the_weights_of_all_cases(settings):
    """Whatever the metric and the vote."""
    cases = random_cases(9, 20)
    model = ib1.fit(cases, **settings)

    found = explain_without_itself(model, *stored_queries(model, np.arange(cases.n_cases)))

    answers = ib1.leave_one_out(cases, sloppy=True, **settings)
    assert [one.label for one in found] == [cases.schema.classes[label] for label in answers.label]


def test_numbers_keep_their_range():
    """A case with an extreme number is compared by the range of all cases, itself included."""
    clf = cb.IB1Classifier(weighting="none").fit([[0.0], [1.0], [10.0]], ["a", "b", "c"])

    (evidence,) = clf.explain(ids=[2])

    assert (evidence.label, evidence.distances) == ("b", (0.9,))


def test_a_committee_learns_from_the_others_with_the_same_choice():
    """As `remove` does."""
    clf = cb.OpinionPoolClassifier().fit(X * 3, Y * 3)

    (evidence,) = clf.explain(ids=[4])

    smaller, _ = correction.remove(clf.model_, [4])
    (expected,) = smaller.explain(smaller.schema.encode([X[4]]))
    assert without_id(evidence) == without_id(expected)


def test_smile_keeps_its_alpha():
    """The pools are those of the other cases."""
    clf = cb.SMILEClassifier(alpha=1).fit(X * 2, Y * 2)

    (evidence,) = clf.explain(ids=[4])

    rest = [i for i in range(10) if i != 4]
    fresh = cb.SMILEClassifier(alpha=1).fit([(X * 2)[i] for i in rest], [(Y * 2)[i] for i in rest], ids=rest)
    assert without_id(evidence) == without_id(fresh.explain([X[4]])[0])


def test_ib2_leaves_out_a_case_that_it_kept():
    """A case that was not kept is not stored, so it has no id there."""
    clf = cb.IB2Classifier().fit([["a"], ["a"], ["b"]], ["P", "P", "Q"])

    assert clf.explain(ids=[2])[0].label == "P"
    with pytest.raises(CasebaseError, match="No stored case has the id 1"):
        clf.explain(ids=[1])


def test_what_is_left_out_by_default():
    """A case asked for by its id is left out; rows of a table are not."""
    clf = cb.IB1Classifier().fit(X, Y)

    by_id, kept, rows, left_out = (
        clf.explain(ids=[4])[0],
        clf.explain(ids=[4], leave_out=False)[0],
        clf.explain(X)[4],
        clf.explain(X, leave_out=True)[4],
    )

    assert [one.label for one in (by_id, kept, rows, left_out)] == ["keep", "sell", "sell", "keep"]
    assert [one.left_out for one in (by_id, kept, rows, left_out)] == [4, None, None, 4]
    assert "record 4 itself was left out; weights and settings are those of all records" in str(by_id)
    assert [one.actual for one in (by_id, kept, rows, left_out)] == ["sell", None, None, "sell"]
    assert "recorded as sell: the others disagree" in str(by_id)
    assert "recorded as keep: the others agree" in str(clf.explain(ids=[0])[0])
    assert "left out" not in str(kept)
    assert cb.evidence_from_dict(by_id.to_dict()) == by_id


def test_rows_that_are_not_stored_are_answered_by_all_cases():
    """Only a row with the id of a stored case leaves one out."""
    clf = cb.IB1Classifier().fit(X, Y, ids=["a", "b", "c", "d", "e"])

    stored, new = clf.explain([X[4], X[4]], ids=["e", "new"], leave_out=True)

    assert (stored.left_out, new.left_out, stored.label, new.label) == ("e", None, "keep", "sell")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda clf: clf.explain([["red", "ring"]], leave_out=True), "other values: f2 is ring here and ball there"),
        (lambda clf: clf.explain([X[0]], ids=["zero"], leave_out=True), "No query has the id of a stored case"),
        (lambda clf: clf.explain(), "nothing to explain"),
        (lambda clf: clf.explain(ids=[]), "at least one id"),
        (lambda clf: clf.explain(ids=[7]), "No stored case has the id 7"),
        (lambda clf: clf.explain(ids=[1, 1]), "given twice: 1"),
        (lambda clf: clf.explain(ids=["one"]), "whole numbers; got 'one'"),
        (lambda clf: clf.explain(X, ids=[1, 2], leave_out=True), "one id per case"),
    ],
)
def test_what_cannot_be_left_out_is_told(ask, message):
    """A wrong id, an id with other values, or none at all."""
    with pytest.raises(CasebaseError, match=message):
        ask(cb.IB1Classifier().fit(X, Y))


def test_learners_without_cases_say_so():
    """Trees keep none; rules keep them, but know what they know from all of them; a single case has no others."""
    with pytest.raises(CasebaseError, match="A model of c45 keeps no cases"):
        cb.C45Classifier().fit(X, Y).explain(ids=[0])
    with pytest.raises(CasebaseError, match="without keeping its cases"):
        cb.IGTreeClassifier(keep_cases=False).fit(X, Y).explain(ids=[0])
    rules = cb.HierarchicalRuleClassifier().fit(X, Y)
    with pytest.raises(CasebaseError, match="learned from all cases together"):
        rules.explain(ids=[0])
    assert rules.explain(ids=[0], leave_out=False)[0].label == "keep"
    with pytest.raises(CasebaseError, match="only this one case"):
        cb.IB1Classifier().fit([["a"]], ["P"]).explain(ids=[0])


def test_a_missing_value_that_no_other_case_has():
    """Missing values and numbers are compared with what is stored; equal ones are no difference."""
    rows = [["a", 1.5], ["b", float("nan")], [None, 2.5], ["b", 1.0]]
    clf = cb.IB1Classifier().fit(rows, ["P", "Q", "Q", "P"])

    found = clf.explain(rows, leave_out=True)

    assert [one.left_out for one in found] == [0, 1, 2, 3]
    assert found[2].values == (None, 2.5)


@pytest.mark.parametrize("seed", range(3))
def test_after_a_removal_a_value_that_one_case_is_left_with_is_unseen_without_it(seed):
    """Removed cases are marked, not gone: they do not count, for one query and for many."""
    model, _ = correction.remove(ib1.fit(random_cases(seed, 24)), [1, 5, 9])
    sorted_again = model.in_order()
    ids = [i for i in range(24) if i not in (1, 5, 9)]

    many = explain_without_itself(model, *stored_queries(model, ids))
    expected = explain_without_itself(sorted_again, *stored_queries(sorted_again, ids))
    for case, one, other in zip(ids, many, expected):
        (alone,) = explain_without_itself(model, *stored_queries(model, [case]))
        assert alone.unseen == one.unseen == other.unseen
    assert any(one.unseen for one in many)
