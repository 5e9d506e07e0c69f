"""Evaluations in parts give the reports of memory, however the table is cut."""

from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import casebase as cb
from casebase import evaluate, methods
from casebase.cli import cli
from casebase.data.kinds import cases_with_kinds
from casebase.data.roles import Roles
from casebase.errors import CasebaseError
from casebase.formats.read import read_table
from casebase.neighbours import correction, ib1
from casebase.scale import evaluating
from casebase.scale.counting import counts_of, without
from tests.cli.conftest import invoke
from tests.scale.tables import in_memory, pieces, write_mixed, write_words


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    return write_words(tmp_path_factory.mktemp("words") / "words.csv", 150, n_features=3)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    return write_mixed(tmp_path_factory.mktemp("mixed") / "mixed.csv", 120)


run = partial(invoke, cli)


def same(report, expected):
    assert report.to_dict() == expected.to_dict()
    assert report.n_correct < report.n_cases  # something can go wrong


@pytest.mark.parametrize("settings", [{}, {"k": 3, "metric": "mvdm"}, {"weighting": "chi_squared", "k": 2}])
def test_leave_one_out(words, tmp_path, settings):
    """Of a table, and of a model; the weights and value differences are those without the case."""
    given = ib1.Settings(**settings)
    expected = evaluate.leave_one_out(cb.read_cases(words), given)
    for rows, n_threads in ((17, 1), (60, 2)):
        same(evaluating.leave_one_out(words, given, pieces(rows, n_threads=n_threads)).report, expected)
    in_memory(words, tmp_path / "m.cb", "ib1", **settings)
    same(evaluating.leave_one_out_model(tmp_path / "m.cb", pieces(40)), expected)


def test_leave_one_out_with_numbers(mixed):
    """The range and the bins of a number change with the case that is left out."""
    expected = evaluate.leave_one_out(cb.read_cases(mixed), ib1.Settings())
    same(evaluating.leave_one_out(mixed, ib1.Settings(), pieces(33)).report, expected)


@pytest.mark.parametrize(
    ("learner", "table"),
    [
        ("ib1", "words"),
        ("ib1", "mixed"),
        ("igtree", "mixed"),
        ("tribl", "words"),
        ("c45", "mixed"),
        ("oblivion", "words"),
    ],
)
def test_cross_validation(request, learner, table):
    """The same folds, and models that know the values of all cases, as in memory."""
    path = request.getfixturevalue(table)
    method = methods.method_named(learner)
    fit = partial(method.fit, settings=method.settings())
    expected = evaluate.cross_validate(cb.read_cases(path), fit, 3, seed=4)
    for rows, n_threads in ((23, 1), (80, 2)):
        found = evaluating.cross_validate(path, method, method.settings(), 3, pieces(rows, n_threads=n_threads), seed=4)
        same(found.report, expected)


def test_counts_without_some_cases():
    """Numbers that only these cases have are gone; texts stay, as in the vocabulary of all cases."""
    numbers, texts, classes = [1.5, 2.5, 3.5, 2.5], ["u", "v", "w", "v"], ["a", "b", "a", "b"]

    def counted(rows):
        columns = [pa.array([numbers[i] for i in rows]), pa.array([texts[i] for i in rows]).dictionary_encode()]
        return counts_of(["x", "y"], columns, pa.array([classes[i] for i in rows]).dictionary_encode())

    rest, expected = without(counted(range(4)), counted([2])), counted([0, 1, 3])
    found = rest.columns[0].that_occur()
    for name in ("values", "value", "label", "count"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected.columns[0], name))
    assert rest.per_class.tolist() == expected.per_class.tolist() == [1, 2]
    assert rest.columns[1].that_occur().values.to_pylist() == ["u", "v", "w"]
    assert rest.columns[1].times.tolist() == [1, 2, 0]


def test_cross_validation_with_kinds(mixed):
    """Kinds are found from all cases, and not fold by fold."""
    method, roles = methods.method_named("ib1"), Roles({}, True, None, "size")
    cases = cases_with_kinds(read_table(mixed), kinds="auto", ignore="size")
    expected = evaluate.cross_validate(cases, partial(method.fit, settings=method.settings(k=3)), 4)
    same(evaluating.cross_validate(mixed, method, method.settings(k=3), 4, pieces(50), roles=roles).report, expected)


def test_a_test_file(words, tmp_path):
    """A class that the model does not know is one of the report."""
    in_memory(words, tmp_path / "m.cb", "igtree")
    data = write_words(tmp_path / "test.csv", 90, seed=7, n_features=3, n_classes=4)
    model = methods.load(tmp_path / "m.cb").model
    table = cb.read_cases(data)
    asked = model.schema.encode([list(values) for values in table.all_values()])
    names = [model.schema.classes[code] for code in model.answer(asked).label]
    expected = evaluate.report([table.schema.classes[code] for code in table.known_labels], names)
    for rows, n_threads in ((11, 2), (90, 1)):
        same(evaluating.score_model(tmp_path / "m.cb", str(data), pieces(rows, n_threads=n_threads)), expected)
    bare = tmp_path / "bare.csv"
    bare.write_text("f0,f1,f2\nw1,w1,w1\n")
    with pytest.raises(CasebaseError, match="has no class column 'class' to compare with: it has 3 columns"):
        evaluating.score_model(tmp_path / "m.cb", str(bare), pieces(10))


def test_the_command_line(words, mixed, tmp_path):
    """The report, what is said about the columns, and the refusals are those of memory."""
    in_memory(words, tmp_path / "m.cb", "ib1")
    test = write_words(tmp_path / "test.csv", 40, seed=9, n_features=3)
    parts = ("--memory", "300MB", "-j", "1")
    for command in (
        [tmp_path / "m.cb"],
        [tmp_path / "m.cb", words],
        [words, "--learner", "ib1", "--loo", "-k", "3"],
        [words, "--learner", "ib1", "--loo", "--errors", "-"],
        [tmp_path / "m.cb", "--errors", "-"],
        [tmp_path / "m.cb", "--cv", "4", "--seed", "2"],
        [tmp_path / "m.cb", test, "--errors", "-", "--json"],
        [mixed, "--learner", "igtree", "--cv", "3", "--errors", "-"],
        [mixed, "--learner", "ib1", "--cv", "3", "--keep", "size", "--errors", "-", "--json"],
        [mixed, "--learner", "igtree", "--cv", "4", "--seed", "3", "--ignore", "size", "--kinds", "auto", "--json"],
    ):
        whole, given = (run("evaluate", *command, *more) for more in ((), parts))
        assert (given.code, given.out, given.err) == (0, whole.out, whole.err)
    for command, message in (
        ([words, "--cv", "3", "--learner", "smile"], "smile cannot learn from a table that is larger than memory"),
        ([tmp_path / "m.cb", "--cv", "3", "--errors", "-"], "leave out --errors"),
        ([words, "--cv", "3", "--scheduler", "tcp://x"], "give --scratch"),
    ):
        given = run("evaluate", *command, *parts)
        assert given.code
        assert message in given.err


def test_leave_one_out_of_other_learners(tmp_path):
    """They learn once without each case, as in memory, and the command says so."""
    few = write_words(tmp_path / "few.csv", 9, n_features=2)
    whole, given = (
        run("evaluate", few, "--loo", "--learner", "igtree", "--errors", "-", *more)
        for more in ((), ("--memory", "300MB"))
    )
    assert (given.code, given.out) == (0, whole.out)
    assert "igtree learns once without each case" in given.err


def test_wrong_answers_are_those_of_memory(words):
    """With their rows, ids, values and nearest records, however the table is cut."""
    method = methods.method_named("ib1")
    fit = partial(method.fit, settings=method.settings())
    expected = evaluate.cross_validate(cb.read_cases(words), fit, 3, nearest=3)
    found = evaluating.cross_validate(words, method, method.settings(), 3, pieces(31), nearest=3)
    assert found.report.errors == expected.errors
    expected = evaluate.leave_one_out(cb.read_cases(words), nearest=3)
    assert evaluating.leave_one_out(words, ib1.Settings(), pieces(31), nearest=3).report.errors == expected.errors
    assert len(expected.errors) > 5


@pytest.mark.parametrize(
    ("learner", "table"),
    [("ib1", "mixed"), ("igtree", "words"), ("tribl", "mixed"), ("tribl2", "words"), ("forest", "mixed")],
)
def test_the_records_of_a_model_in_folds(request, tmp_path, learner, table):
    """Models that learn again from the records, some of which were removed, answer as in memory."""
    settings = {"n_trees": 5} if learner == "forest" else {}
    in_memory(request.getfixturevalue(table), tmp_path / "m.cb", learner, **settings)
    model = methods.load(tmp_path / "m.cb").model
    if learner != "forest":
        model, _ = correction.remove(model, [3, 50, 51])
        methods.save(tmp_path / "m.cb", model)
    expected = evaluate.held_out_records(model, n_folds=2, seed=4)
    report, n = evaluating.held_out_records(tmp_path / "m.cb", 2, pieces(60), seed=4)
    same(report, expected.report)
    assert n == expected.n_folds


def test_how_many_folds_the_records_of_a_model_get(tmp_path):
    """As many as the largest class has records, as in memory, if that is less than ten."""
    cb.IGTreeClassifier().fit([["a"], ["b"], ["a"], ["b"], ["a"]], list("xyxyy")).save(tmp_path / "m.cb")
    report, n = evaluating.held_out_records(tmp_path / "m.cb", None, pieces(40))
    expected = evaluate.held_out_records(methods.load(tmp_path / "m.cb").model)
    assert n == expected.n_folds == 3
    assert report.to_dict() == expected.report.to_dict()


def test_records_that_are_no_table(tmp_path):
    """Weights and classes that are numbers would be lost in a table of texts."""
    rows = [["a"], ["b"], ["a"], ["b"]]
    cb.IGTreeClassifier().fit(rows, [1, 2, 1, 2]).save(tmp_path / "numbers.cb")
    with pytest.raises(CasebaseError, match="Classes that are not texts need memory"):
        evaluating.held_out_records(tmp_path / "numbers.cb", 2, pieces(10))
    cb.IGTreeClassifier().fit(rows, list("xyxy"), sample_weight=[1, 2, 3, 4]).save(tmp_path / "weights.cb")
    with pytest.raises(CasebaseError, match="Records with weights need memory"):
        evaluating.held_out_records(tmp_path / "weights.cb", 2, pieces(10))


def test_what_is_refused(words, tmp_path):
    in_memory(words, tmp_path / "m.cb", "igtree")
    with pytest.raises(CasebaseError, match="only ib1 leaves one out in parts"):
        evaluating.leave_one_out_model(tmp_path / "m.cb", pieces(40))
    with pytest.raises(CasebaseError, match="does not support these settings"):
        evaluating.leave_one_out(words, ib1.Settings(feature_limit=2), pieces(40))
    method = methods.method_named("ib1")
    with pytest.raises(CasebaseError, match="Dealing 150 cases to folds takes some"):
        evaluating.cross_validate(words, method, method.settings(), 3, replace(pieces(40), memory=1000))
