"""Inserted, removed and updated cases: the model of the changed cases, with the choice held or made again."""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings

import casebase as cb
from casebase import methods
from casebase.errors import CasebaseError
from casebase.methods import METHODS as ROWS_OF
from casebase.methods import method_named
from casebase.neighbours import correction
from tests.autopilot.tables import METHODS, random_table
from tests.neighbours.correction.histories import Step, Table, histories, taken

every_method = pytest.mark.parametrize("name", METHODS)
OPTIONS = {"forest": {"n_trees": 7}, "auto": {"readings": ["discriminant", "opinions", "kernel"]}}


def fitted(name, cases, **options):
    return method_named(name).fit(cases, **OPTIONS.get(name, {}), **options)


def file_of(model, folder):
    methods.save(folder / "model.cb", model)
    return (folder / "model.cb").read_bytes()


def assert_equal_models(one, other, queries, folder):
    """Both give the same shares and evidence, and the same file."""
    assert one.schema.classes == other.schema.classes
    mine, theirs = (model.answer(model.schema.encode(queries)) for model in (one, other))
    for part in ("label", "first_vote", "vote_label", "votes"):
        np.testing.assert_array_equal(getattr(mine, part), getattr(theirs, part), err_msg=part)
    said = [[e.to_dict() for e in model.explain(model.schema.encode(queries[:2]))] for model in (one, other)]
    assert said[0] == said[1]
    assert correction.fingerprint(one) == correction.fingerprint(other)
    assert file_of(one, folder) == file_of(other, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.mark.slow
@every_method
@settings(max_examples=10)
@given(history=histories(max_steps=3))
def test_any_history_is_a_refit_of_the_changed_cases(name, history, folder):
    """After every correction the model is the one that refits the present cases with the same choice."""
    table = deepcopy(history.table)
    # Held-out losses of a choice are judged with exponents that were fitted without the case's part, those of a refit
    # with the exponents that are held: so the history begins with a refit.
    chosen = fitted(name, table.cases())
    model = chosen.refit(table.cases())
    for step in history.steps:
        if step.what == "save":
            methods.save(folder / "model.cb", model)
            model = methods.load(folder / "model.cb").model
        else:
            model = taken(model, table, step)
        # With one class no reading is left, and none comes back until a choice is made.
        chosen = chosen if model.readings else model
        assert_equal_models(model, chosen.refit(table.cases()), history.queries, folder)


def table_of(n=40, kinds="snsn", seed=41):
    drawn = random_table(kinds, n=n, seed=seed)
    numeric = tuple(kind == "n" for kind in kinds)
    rows = {i: (row, label, 1.0) for i, (row, label) in enumerate(zip(drawn.rows, drawn.labels))}
    return Table(numeric, False, rows), drawn.asked


@every_method
def test_a_new_class_and_a_new_value(name, folder):
    """They are learned, although nobody had them when the readings were chosen."""
    table, asked = table_of()
    first = fitted(name, table.cases())
    new = tuple((["new", 50.5, "new", 50.5], "new", 1.0) for _ in range(4))
    model = taken(first, table, Step("insert", (3,), new))
    assert_equal_models(model, first.refit(table.cases()), [*asked, ["new", 50.5, "new", 50.5]], folder)
    answer = model.answer(model.schema.encode([["new", 50.5, "new", 50.5]]))
    assert model.schema.classes[answer.label[0]] == "new"
    np.testing.assert_allclose(sum(answer.votes_of(0).values()), 1.0)


@every_method
def test_the_last_cases_of_a_class_are_removed(name, folder):
    """The class is gone; with one class left there is nothing to choose between."""
    table, asked = table_of()
    first = model = fitted(name, table.cases())
    for label, left in (("c2", ("c0", "c1")), ("c1", ("c0",))):
        gone = [i for i, (_, c, _) in table.rows.items() if c == label]
        model, _ = correction.remove(model, gone)
        for i in gone:
            del table.rows[i]
        assert model.schema.classes == left
        assert_equal_models(model, first.refit(table.cases()), asked, folder)
    assert (model.shares(model.features.inputs(model.schema.encode(asked))) == 1.0).all()


@every_method
def test_a_class_comes_back_after_only_one_was_left(name):
    """With one class no reading is kept; a second class is answered by frequencies until a choice is made."""
    classifier = getattr(cb, ROWS_OF[name].estimator)().fit([["a"], ["b"], ["a"]], ["P", "P", "P"])
    assert classifier.readings_ == ()
    classifier.insert([["b"], ["c"]] * 3, ["Q"] * 6)
    assert classifier.classes_.tolist() == ["P", "Q"]
    np.testing.assert_allclose(classifier.predict_proba([["a"]]).sum(), 1.0)
    classifier.insert([["a"]], ["P"], refit="choose")
    assert classifier.readings_
    assert classifier.predict([["a"]]).tolist() == ["P"]


@every_method
def test_to_choose_again_is_a_new_fit(name, folder):
    """`refit="choose"` gives the model of `fit` on the same cases, whatever was done before."""
    drawn = random_table("snsn", n=40, seed=42)
    kind = getattr(cb, ROWS_OF[name].estimator)
    kinds = {0: "symbol", 1: "number", 2: "symbol", 3: "number"}
    corrected = kind(kinds=kinds).fit(drawn.rows[:30], drawn.labels[:30])
    corrected.insert(drawn.rows[30:], drawn.labels[30:])
    corrected.remove([3, 35])
    corrected.update([7], [drawn.rows[0]], ["c0"], refit="choose")
    rows, labels = [list(row) for row in drawn.rows], list(drawn.labels)
    rows[7], labels[7] = drawn.rows[0], "c0"
    left = [i for i in range(40) if i not in (3, 35)]
    fresh = kind(kinds=kinds).fit([rows[i] for i in left], [labels[i] for i in left], ids=left)

    assert corrected.readings_ == fresh.readings_
    np.testing.assert_array_equal(corrected.weights_of_readings_, fresh.weights_of_readings_)
    assert corrected.held_out_log_loss_ == fresh.held_out_log_loss_
    np.testing.assert_array_equal(corrected.predict_proba(drawn.asked), fresh.predict_proba(drawn.asked))
    assert corrected.fingerprint_ == fresh.fingerprint_


def test_the_choice_is_held_or_made_again():
    """Held: the same exponents. Anything but hold and choose is refused."""
    drawn = random_table("sn", n=40, seed=43)
    classifier = cb.AutoClassifier(readings=["discriminant", "opinions"]).fit(drawn.rows[:30], drawn.labels[:30])
    before = classifier.weights_of_readings_.copy()
    classifier.insert(drawn.rows[30:], drawn.labels[30:])
    np.testing.assert_array_equal(classifier.weights_of_readings_, before)
    classifier.remove([0], refit="choose")
    assert not np.array_equal(classifier.weights_of_readings_, before)
    n = len(classifier.ids_)
    with pytest.raises(CasebaseError, match="refit is 'hold' or 'choose'; got 'never'"):
        classifier.insert(drawn.rows[:1], drawn.labels[:1], refit="never")
    assert len(classifier.ids_) == n


def test_held_out_losses_are_those_of_the_present_cases():
    """A refit judges again: the losses are those of held-out answers with the choice held."""
    drawn = random_table("sn", n=40, seed=44)
    model = method_named("auto").fit(drawn.cases()).refit(drawn.take(range(30)).cases())
    rows, shares = model.held_out()
    labels = model.memory.segments[0].labels[rows]
    loss = -np.log(np.maximum(shares[np.arange(len(rows)), labels], 1e-6)).mean()
    assert model.held_out_loss == pytest.approx(loss, rel=1e-12)
    assert model.held_out_accuracy == pytest.approx((shares.argmax(axis=1) == labels).mean())


def test_corrections_check_exemplar_weights_and_do_not_use_them_as_in_fit():
    table = random_table("sn", 24)
    plain, weighted = (cb.DiscriminantClassifier().fit(table.rows, table.labels) for _ in range(2))
    for correct, others in ((weighted.update, ([3],)), (weighted.insert, ())):
        for wrong in ([1.0, 2.0], [-1.0]):
            with pytest.raises(CasebaseError, match="exemplar weight"):
                correct(*others, table.rows[:1], ["c1"], exemplar_weight=wrong)
    plain.update([3], table.rows[:1], ["c1"]).insert(table.rows[:1], ["c2"])
    weighted.update([3], table.rows[:1], ["c1"], exemplar_weight=[5.0])
    weighted.insert(table.rows[:1], ["c2"], exemplar_weight=[0.5])
    np.testing.assert_array_equal(plain.predict_proba(table.asked), weighted.predict_proba(table.asked))
