"""The work of jobs: to train, to evaluate, to compare methods, and to examine records. Each result is a JSON record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from casebase import evaluate as evaluation
from casebase.base.model import Model
from casebase.base.parameters import plain_parameters
from casebase.base.threads import n_cores
from casebase.checkup import health as examine
from casebase.confidence.calibration import stored_cases
from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError, unknown_name
from casebase.formats import read_table
from casebase.method_comparison import compare_methods
from casebase.methods import METHODS, Saved, method_named
from casebase.neighbours import ib1
from casebase.serve.api.fields import Check, WrongField, checked, mapping, text, texts, whole
from casebase.serve.jobs import Job
from casebase.serve.learning import learn
from casebase.serve.problems import Pointed, Problem
from casebase.serve.shelf import Shelf, safe_name

DEFAULT = "auto"
Work = Callable[[Job], Any]


@dataclass(frozen=True)
class Data:
    """Where cases come from: a table, with what a request says of its columns, or the records of a model."""

    name: str
    table: Path | None
    model: Model | None
    given: Mapping[str, Any]

    def cases(self, *, finds_kinds: bool) -> Cases:
        """Return the cases."""
        if self.model is not None:
            cases = stored_cases(self.model)
            if cases is None:
                raise CasebaseError(f"{self.name} keeps no cases. Name the table that it learned from instead.")
            return cases
        assert self.table is not None
        table = read_table(self.table, target=self.given.get("target"), n_threads=n_cores())
        left_out = {name: self.given[name] for name in ("ignore", "keep") if name in self.given}
        return cases_with_kinds(table, kinds=self.kinds(finds_kinds), find_others=finds_kinds, **left_out)

    def kinds(self, finds_kinds: bool) -> Any:
        """Return the kinds of columns as the library takes them."""
        given = dict(self.given.get("kinds", {}))
        if "id" in self.given:
            given[self.given["id"]] = "id"
        return given or ("auto" if finds_kinds else None)


READ: dict[str, Check] = {
    "table": text,
    "target": text,
    "ignore": texts,
    "keep": texts,
    "id": text,
    "kinds": mapping,
}


def _data(shelf: Shelf, given: Mapping[str, Any], *, takes_models: bool) -> Data:
    """Return the data that a request names, by `table` or `model`."""
    named = [name for name in ("table", "model") if name in given]
    if len(named) != 1 or (named == ["model"] and not takes_models):
        expected = "Name a table" + (" or a model" if takes_models else "") + " of this server."
        raise Problem(422, expected, errors=[Pointed("/table", expected)])
    if named == ["table"]:
        return Data(given["table"], shelf.table(given["table"]), None, given)
    desk = shelf.desk(given["model"])
    saved = desk.snapshot.saved
    if not isinstance(saved, Saved):
        raise CasebaseError(f"{desk.name} is a {desk.kind}; a job takes a classifier or a table.")
    others = [name for name in READ if name in given]
    if others:
        raise CasebaseError(f"{others[0]} is for tables: a model knows its columns.")
    return Data(desk.name, None, saved.model, given)


def _learner(value: Any) -> str:
    if not isinstance(value, str) or value not in METHODS:
        raise WrongField(f"one of {', '.join(METHODS)}")
    return value


def _settings(learner: str, given: Mapping[str, Any]) -> Any:
    """Return the checked settings of a method."""
    method = method_named(learner)
    public = method.settings.public()
    for name in given:
        if name not in public:
            detail = unknown_name("setting", name, public)
            raise Problem(422, detail, errors=[Pointed(f"/settings/{name}", detail)])
    try:
        return method.settings.of(None, given)
    except CasebaseError:
        raise
    except (TypeError, ValueError, AttributeError, KeyError):
        raise CasebaseError(f"The settings of {learner} are not usable: {', '.join(given)}.") from None


def train(shelf: Shelf, body: Mapping[str, Any]) -> tuple[str, Work]:
    """Prepare the training of a model on a table; the model goes on the shelf."""
    given = checked(body, READ | {"learner": _learner, "settings": mapping, "name": text})
    data = _data(shelf, given, takes_models=False)
    learner = given.get("learner", DEFAULT)
    method, settings = method_named(learner), _settings(learner, given.get("settings", {}))
    name = given.get("name", f"{data.name}-{learner}")
    if safe_name(name) != name:
        raise CasebaseError(f"A name has up to 60 letters a to z, digits, '.', '_' and '-'; got {name!r:.80}.")
    shelf.writable_folder()

    def work(job: Job) -> dict[str, Any]:
        kinds = {"kinds": data.kinds(False), "ignore": given.get("ignore"), "keep": given.get("keep")}
        own = plain_parameters({one: value for one, value in kinds.items() if value})
        cases = data.cases(finds_kinds=method.finds_kinds)
        learned = learn(shelf, name, cases, learner, job, settings=settings, estimator=own)
        job.place = f"/m/{learned.name}"
        version = shelf.desk(learned.name).snapshot.version
        return {"model": learned.name, "version": version, "size": learned.size}

    return f"{learner} learns {data.name}", work


def autopilot(shelf: Shelf, body: Mapping[str, Any]) -> tuple[str, Work]:
    """Prepare the training by the autopilot."""
    if body.get("learner", DEFAULT) != DEFAULT:
        raise CasebaseError("The autopilot chooses how to learn: a job of the kind train takes a learner.")
    return train(shelf, {**body, "learner": DEFAULT})


def evaluate(shelf: Shelf, body: Mapping[str, Any]) -> tuple[str, Work]:
    """Prepare an evaluation by leave-one-out or cross-validation, as `casebase evaluate` does it."""
    options = {"model": text, "learner": _learner, "settings": mapping, "cv": whole(2, 1_000), "seed": whole(0, 2**31)}
    given = checked(body, READ | options)
    data = _data(shelf, given, takes_models=True)
    learner = given.get("learner", DEFAULT if data.model is None else data.model.method)
    method = method_named(learner)
    settings = _settings(learner, given.get("settings", {}))
    if data.model is not None and "learner" not in given and not given.get("settings"):
        settings = data.model.settings
    cv = given.get("cv")

    def work(job: Job) -> dict[str, Any]:
        cases = data.cases(finds_kinds=method.finds_kinds)
        shared: dict[str, Any] = {"n_jobs": n_cores(), "progress": job}
        if cv is None and isinstance(settings, ib1.Settings):
            return evaluation.leave_one_out(cases, settings, **shared).to_dict()
        fit = partial(method.fit, settings=settings, n_jobs=n_cores())
        n_folds = cases.n_cases if cv is None else cv
        return evaluation.cross_validate(cases, fit, n_folds, seed=given.get("seed", 0), **shared).to_dict()

    return f"Evaluation of {learner} on {data.name}", work


def compare(shelf: Shelf, body: Mapping[str, Any]) -> tuple[str, Work]:
    """Prepare a comparison of methods on the same folds, as `casebase methods` does it."""
    options = {
        "model": text,
        "methods": texts,
        "cv": whole(2, 100),
        "seed": whole(0, 2**31),
        "seconds": whole(1, 86_400),
    }
    given = checked(body, READ | options)
    data = _data(shelf, given, takes_models=True)
    for name in given.get("methods", []):
        if name not in METHODS:
            detail = unknown_name("method", name, METHODS)
            raise Problem(422, detail, errors=[Pointed("/methods", detail)])

    def work(job: Job) -> dict[str, Any]:
        return compare_methods(
            data.cases(finds_kinds=False),
            methods=given.get("methods"),
            cv=given.get("cv", 5),
            time_budget=given.get("seconds"),
            random_state=given.get("seed", 0),
            n_jobs=n_cores(),
            progress=job,
        ).to_dict()

    return f"Methods on {data.name}", work


def health(shelf: Shelf, body: Mapping[str, Any]) -> tuple[str, Work]:
    """Prepare the examination of records, as `casebase health` does it."""
    given = checked(body, READ | {"model": text})
    data = _data(shelf, given, takes_models=True)

    def work(job: Job) -> dict[str, Any]:
        return examine(data.cases(finds_kinds=True), n_jobs=n_cores(), progress=job).to_dict()

    return f"Health of {data.name}", work
