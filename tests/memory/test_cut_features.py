"""Numbers cut into intervals before a method learns: it learns what it would from the names of the intervals."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casebase as cb
from casebase import methods
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.cuts import DISCRETISERS, discretiser_named
from casebase.methods import method_named
from casebase.neighbours import correction
from tests.oracles.intervals import interval_name

LEARNERS = ["ib1", "ib2", "igtree", "tribl", "tribl2", "oblivion", "oblivious_graph"]
NUMBERS = st.one_of(st.none(), st.sampled_from([-2.5, -1.0, 0.0, 0.25, 0.5, 1.0, 3.75, 10.0, 1e6]))
ROWS = st.lists(
    st.tuples(NUMBERS, NUMBERS, st.sampled_from(["a", "b", None]), st.sampled_from(["P", "Q", "R"])),
    min_size=4,
    max_size=25,
)


def table_of(rows):
    frame = pd.DataFrame(rows, columns=["long", "wide", "sort", "class"])
    return frame.astype({"long": float, "wide": float})


def cut_by_hand(frame, cuts):
    """Return the table with the names of intervals in place of numbers, found one by one."""
    by_hand = frame.copy()
    for name, places in cuts.items():
        by_hand[name] = [interval_name(number, places) for number in frame[name]]
    return by_hand


@settings(max_examples=40, deadline=None)
@given(ROWS, ROWS, st.sampled_from(LEARNERS), st.sampled_from(list(DISCRETISERS)), st.integers(1, 4))
def test_a_method_with_cuts_is_the_method_on_a_table_that_was_cut_by_hand(rows, queries, learner, discretise, n_bins):
    frame, asked = table_of(rows), table_of(queries).drop(columns="class")
    method, labels = method_named(learner), np.unique(frame["class"], return_inverse=True)
    model = method.fit(Cases.from_table(frame, target="class"), discretise=discretise, n_bins=n_bins)
    cuts = {
        name: discretiser_named(discretise)(frame[name].to_numpy(), labels[1], len(labels[0]), None, n_bins)
        for name in ("long", "wide")
    }
    by_hand = method.fit(Cases.from_table(cut_by_hand(frame, cuts), target="class"))

    found = model.answer(model.schema.encode(asked))
    expected = by_hand.answer(by_hand.schema.encode(cut_by_hand(asked, cuts)))

    assert found.label.tolist() == expected.label.tolist()
    assert [found.votes_of(i) for i in range(len(asked))] == [expected.votes_of(i) for i in range(len(asked))]
    weights = [feature["weight"] for feature in by_hand.summary().features]
    assert [feature["weight"] for feature in model.summary().features] == weights
    for name, places in model.summary().to_dict().get("cuts", {}).items():
        assert places == cuts[name].tolist()


@pytest.fixture(scope="module")
def iris():
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    return data.data.set_axis(["sepal_l", "sepal_w", "petal_l", "petal_w"], axis=1), data.target_names[data.target]


@pytest.mark.parametrize("learner", LEARNERS)
def test_files_have_the_cuts_and_the_numbers(tmp_path, iris, learner):
    X, y = iris
    model = method_named(learner).fit(Cases.from_table(X, y=y), discretise="mdlp")
    methods.save(tmp_path / "a.cb", model)
    loaded = methods.load(tmp_path / "a.cb").model
    methods.save(tmp_path / "b.cb", loaded)

    assert (tmp_path / "a.cb").read_bytes() == (tmp_path / "b.cb").read_bytes()
    asked = X.iloc[::10]
    before, after = (one.explain(one.schema.encode(asked)) for one in (model, loaded))
    assert [str(evidence) for evidence in before] == [str(evidence) for evidence in after]


def test_evidence_quotes_numbers_with_their_intervals(iris):
    X, y = iris
    clf = cb.IB1Classifier(discretise="mdlp").fit(X, y)
    evidence = clf.explain(X.iloc[[75]])[0]

    assert str(evidence.values[3]) == "1.4 (0.8 – 1.75)"
    assert evidence.values[3] == 1.4
    assert {str(near.values[2]) for near in evidence.neighbours} >= {"4.4 (2.45 – 4.75)", "4.7 (2.45 – 4.75)"}
    assert " 7 (> 6.15)" in str(evidence)
    assert "≠7" not in str(evidence)  # in the same interval as 6.6
    again = cb.evidence_from_dict(evidence.to_dict())
    assert str(again) == str(evidence)


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl", "tribl2"])
def test_a_corrected_model_is_the_one_that_retraining_gives(tmp_path, iris, learner):
    """Cuts depend on all cases: they are learned again, and stay where they are if nothing moves them."""
    X, y = iris
    settings = method_named(learner).settings(discretise="mdlp")
    fit = method_named(learner).fit
    model = fit(Cases.from_table(X.iloc[:120], y=y[:120]), settings)
    new = pd.concat([X.iloc[120:], X.iloc[:1]], ignore_index=True)
    model = correction.insert(model, new, [*y[120:], "other"], ids=range(120, 151))
    model, _ = correction.remove(model, [3, 77])
    model = correction.update(model, [5, 150], X.iloc[[110, 111]].reset_index(drop=True), y[[110, 111]])
    frame = pd.concat([X, X.iloc[:1]], ignore_index=True)
    labels = np.append(y, "other")
    frame.iloc[[5, 150]], labels[[5, 150]] = X.iloc[[110, 111]].to_numpy(), y[[110, 111]]
    kept = np.delete(np.arange(151), [3, 77])
    retrained = fit(Cases.from_table(frame.iloc[kept].reset_index(drop=True), y=labels[kept], ids=kept), settings)

    methods.save(tmp_path / "a.cb", model)
    methods.save(tmp_path / "b.cb", retrained)

    assert (tmp_path / "a.cb").read_bytes() == (tmp_path / "b.cb").read_bytes()
    assert correction.fingerprint(model) == correction.fingerprint(retrained)
    uncut = fit(Cases.from_table(frame.iloc[kept].reset_index(drop=True), y=labels[kept], ids=kept))
    assert correction.fingerprint(model) == correction.fingerprint(uncut)  # it is that of the numbers


@pytest.mark.parametrize("learner", ["ib1", "igtree"])
def test_removing_the_number_beside_a_cut_moves_it(tmp_path, iris, learner):
    """A cut halfway between 0.6 and 1 would still tell that there was a 0.6."""
    X, y = iris
    fit, alone = method_named(learner).fit, 43  # the only flower with petals of 0.6 cm
    model, _ = correction.remove(fit(Cases.from_table(X, y=y, ids=range(150)), discretise="mdlp"), [alone])
    kept = np.delete(np.arange(150), alone)
    retrained = fit(Cases.from_table(X.iloc[kept].reset_index(drop=True), y=y[kept], ids=kept), discretise="mdlp")

    assert model.schema.cuts["petal_w"][0] == retrained.schema.cuts["petal_w"][0] == 0.75
    methods.save(tmp_path / "a.cb", model)
    methods.save(tmp_path / "b.cb", retrained)
    assert (tmp_path / "a.cb").read_bytes() == (tmp_path / "b.cb").read_bytes()


def test_a_number_on_a_cut_belongs_to_the_interval_on_its_left():
    cases = Cases.from_table([[0.0], [5.0], [10.0]], y=["P", "P", "Q"])
    model = method_named("igtree").fit(cases, discretise="equal_width", n_bins=2)

    assert model.schema.cuts == {"f1": [5.0]}
    assert [str(value) for (value,) in model.schema.encode([[5.0], [5.5]]).all_values()] == ["5 (≤ 5)", "5.5 (> 5)"]
    assert model.answer(model.schema.encode([[5.0], [5.5]])).label.tolist() == [0, 1]


def test_a_change_that_moves_no_cut_needs_no_new_fit(iris, monkeypatch):
    X, y = iris
    model = method_named("ib1").fit(Cases.from_table(X, y=y), discretise="mdlp")
    monkeypatch.setattr(type(model), "refit", lambda self, cases: pytest.fail("was fitted again"))

    larger = correction.insert(model, X.iloc[[0]], ["setosa"])

    assert larger.memory.n_cases == 151


def test_cross_validation_cuts_in_every_fold(iris):
    """A fold that is held out has no say in the cuts, so the folds differ, and so does no fold from a fit by hand."""
    from casebase.evaluate import cross_validate

    X, y = iris
    seen = []

    def fit(cases):
        seen.append(method_named("igtree").fit(cases, discretise="mdlp"))
        return seen[-1]

    cross_validate(Cases.from_table(X, y=y), fit, n_folds=5)

    assert len({tuple(map(tuple, model.summary().to_dict()["cuts"].values())) for model in seen}) > 1


def test_leave_one_out_would_have_to_cut_again(iris):
    from casebase.evaluate import leave_one_out

    X, y = iris
    with pytest.raises(CasebaseError, match="cut the numbers again"):
        leave_one_out(Cases.from_table(X, y=y), {"discretise": "mdlp"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"discretise": "mdl"}, "discretise is the method"),
        ({"discretise": "mdlp", "n_bins": 0}, "n_bins"),
        ({"discretise": "mdlp", "metric": "cosine"}, "whole rows"),
    ],
)
def test_settings_that_mean_nothing_are_refused(iris, settings, message):
    X, y = iris
    with pytest.raises(CasebaseError, match=message):
        method_named("ib1").fit(Cases.from_table(X, y=y), **settings)


def test_a_text_in_place_of_a_number_is_refused(iris):
    X, y = iris
    clf = cb.IGTreeClassifier(discretise="mdlp").fit(X, y)
    with pytest.raises(CasebaseError, match=r"petal_w.*'wide'"):
        clf.predict(X.iloc[:1].astype(object).assign(petal_w="wide"))


def test_files_of_earlier_versions_were_not_cut(iris):
    X, y = iris
    model = method_named("igtree").fit(Cases.from_table(X, y=y))
    record = {name: value for name, value in model.settings.to_dict().items() if name not in ("discretise", "n_bins")}

    assert type(model.settings).from_dict(record) == model.settings
    assert replace(model.settings, discretise="mdlp") != model.settings
