"""The list of methods: what each row promises holds for its model, its estimator and its command line."""

import inspect
import sys
from subprocess import run

import pytest

import casebase as cb
from casebase.base.method import Method
from casebase.estimators._load import estimator_of
from casebase.methods import METHODS, all_methods, method_named

OWN = {"kinds", "ignore", "keep", "n_jobs", "progress"}  # parameters that are no settings of a method
ROWS = [["a", "x"], ["b", "x"], ["c", "y"], ["a", "y"]]


@pytest.mark.parametrize("name", METHODS)
def test_a_row_is_that_of_its_model(name):
    """The name in the list, in the row and in the model is one."""
    method = method_named(name)

    assert isinstance(method, Method)
    assert method.name == method.model.method == name
    assert estimator_of(name).learner == name
    assert METHODS[name].estimator in cb.__all__


@pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.name)
def test_the_parameters_of_an_estimator_are_the_settings_of_its_method(method):
    """Only the first may be given without its name; those that all have, and OBLIVION's own, are no settings."""
    first, *others = list(inspect.signature(estimator_of(method.name)).parameters.values())

    assert first.name == next(iter(method.settings.public()))
    assert first.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert {one.kind for one in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert {one.name for one in (first, *others)} - OWN == set(method.settings.public())
    assert {one.name: one.default for one in (first, *others) if one.name in method.settings.public()} == {
        name: one.default for name, one in method.settings.public().items()
    }


@pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.name)
def test_every_parameter_is_in_the_docstring(method):
    documentation = inspect.getdoc(estimator_of(method.name))

    assert "{parameters}" not in documentation
    assert all(f"\n{name} : " in documentation for name in method.settings.public())


@pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.name)
def test_a_summary_is_a_record_of_the_library(method):
    """What `casebase inspect --json` prints comes from the model."""
    cases = cb.Cases.from_table(ROWS, y=["P", "Q", "Q", "P"])
    model = method.fit(cases)
    record = model.summary().to_dict()

    assert record["learner"] == method.name
    assert record["parameters"].keys() == method.settings.public().keys()
    assert [entry["label"] for entry in record["classes"]] == ["P", "Q"]
    assert str(model.summary()).startswith(f"{method.name}: ")
    assert ("codelength" in record) == method.has_codelength


@pytest.mark.parametrize("method", all_methods(), ids=lambda method: method.name)
def test_exports_are_text(method):
    cases = cb.Cases.from_table(ROWS, y=["P", "Q", "Q", "P"])
    model = method.fit(cases)

    assert all(export(model).strip() for export in method.exports.values())


def test_a_family_is_imported_when_it_is_asked_for():
    """The list itself knows names alone."""
    program = (
        "import sys; from casebase.methods import method_named; method_named('c45'); "
        "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('casebase.')}"
        " & {'neighbours', 'trees', 'oblivious', 'rules', 'smile', 'tagging', 'hyphenation', 'timbl', 'estimators'}))"
    )
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['trees']"
