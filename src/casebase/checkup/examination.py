"""The examination: one leave-one-out pass over the records, and all findings from it."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from casebase import methods
from casebase.base.model import HasRecords, Model
from casebase.base.parameters import restored_parameters
from casebase.base.threads import n_threads
from casebase.checkup import columns, equal, importance, metrics, mislabelled, outliers, values
from casebase.checkup.distinct import Distinct, distinct_records
from casebase.checkup.findings import Commands, Finding
from casebase.checkup.held_out import HeldOut, held_out, weights_are_held
from casebase.checkup.influence import Influence
from casebase.checkup.passing import RunSpans, pass_over
from casebase.checkup.record import KINDS, Health, Scores
from casebase.checkup.suspicion import Opinions, opinions
from casebase.checkup.training import ignored_columns, kept_options, model_commands
from casebase.data import Cases, Table
from casebase.data.checks import is_number
from casebase.data.kinds import Kinds, cases_with_kinds
from casebase.data.sources import Columns
from casebase.errors import CasebaseError
from casebase.formats import read_table
from casebase.formats.source import is_model_file
from casebase.memory.store import Store
from casebase.neighbours import ib1
from casebase.neighbours.correctable import Correctable
from casebase.progress import Progress

EPSILON = 0.01
COMPARISONS = 400_000_000  # of whole records with numbers, which are searched one by one: a minute or so on two cores
FEWEST_ASKED = 1_000
MOST_LOOKED_UP = 1_000  # suspects whose nearest others are looked up where not all records are asked


def health(
    X: Any,
    y: Any = None,
    *,
    metric: Any = "auto",
    weighting: Any = "auto",
    epsilon: float = EPSILON,
    kinds: Kinds = "auto",
    target: str | int | None = None,
    ignore: Columns = None,
    keep: Columns = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    commands: Commands | None = None,
    run: RunSpans | None = None,
) -> Health:
    """Examine the records of a table or a model: which are suspect, and why.

    Every record is answered by all the others, as if it had not been stored (leave-one-out, exactly, at k = 1). From
    this pass follow contradictions, pivotal, redundant and outlying records; a forest of cases says which records are
    probably mislabelled.

    Parameters
    ----------
    X : table, Cases, classifier or path
        A data frame, array or list of rows with `y`; `Cases` with classes; the path of a data file; or a fitted
        classifier that keeps its cases, or the path of its model file. A model is examined under its own metric.
    y : array-like, optional
        The class of each record of a table.
    metric, weighting : optional
        How records are compared, as in `IB1Classifier`; by default whichever of unweighted overlap, overlap weighted by
        gain ratio, and MVDM answers best by leave-one-out.
    epsilon : float, default=0.01
        Error of a Shapley value for one asked record, at most: records beyond the nearest 1/epsilon count as equally
        far. 0 takes all distances.
    kinds : "auto", dict or None
        Kinds of the columns of a table or data file, as for the classifiers; found by default.
    target : str or int, optional
        The column with the class, by name or number, where `y` is not given; of a data file the last one by default.
    ignore, keep : str, int or list, optional
        Columns of a table or data file to leave out, as for the classifiers.
    n_jobs : int, optional
        Number of threads; 1 by default, -1 for all cores.
    progress : callable, optional
        Called with the number of records asked about so far, and of all.
    commands : Commands, optional
        The names of files for the commands that mend a finding.
    run : callable, optional
        Runs the tasks that ask about records, for `casebase.scale`; by default this process does.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "round"], ["red", "round"], ["green", "long"], ["green", "long"]] * 4
    >>> report = health(rows, ["apple", "apple", "bean", "bean", "bean"] * 4)
    >>> report.ceiling, len(report.of("contradiction")), report.of("contradiction")[0].suggested
    (0.8, 4, 'apple')
    """
    own = {"target": target, "ignore": ignore, "keep": keep}
    given = _given(X)
    cases, settings, notes = _examined_cases(X, given.model, y, kinds, own)
    if not is_number(epsilon) or not 0 <= epsilon <= 1:
        raise CasebaseError(f"epsilon bounds the error of a Shapley value: a number from 0 to 1; got {epsilon!r}.")
    if progress is not None and not callable(progress):
        raise CasebaseError(f"progress is a function of the records asked so far and of all; got {progress!r}.")
    jobs = n_threads(n_jobs)
    if cases.n_cases < 2:
        raise CasebaseError("Health compares records with each other: at least two are needed, got one.")
    if metric != metrics.AUTO or weighting != metrics.AUTO:
        chosen = {"metric": metric, "weighting": weighting}
        settings = ib1.Settings(**{name: value for name, value in chosen.items() if value is not metrics.AUTO})
    distinct = distinct_records(cases)
    if settings is None:
        settings, search = metrics.chosen(distinct, jobs)
    else:
        search = held_out(distinct, settings, jobs)
    passed = _pass(search, opinions(cases, jobs), epsilon, progress, run)
    commands = replace(commands or _commands(given, cases, target), compared=compared_by(metric, weighting, epsilon))
    findings = _findings(distinct, passed, commands)
    counts = Counter(one.kind for one in findings)
    notes += _notes(distinct, settings, passed)
    asked = passed.asked
    is_right = passed.influence.answer[asked] == search.labels[asked]
    n_asked = int(distinct.count[asked].sum())
    return Health(
        n_cases=cases.n_cases,
        n_features=sum(feature.kind != "ignored" for feature in cases.schema.features),
        n_classes=cases.n_classes,
        target=cases.schema.target,
        metric=metrics.description(settings),
        accuracy=float(distinct.count[asked][is_right].sum() / n_asked),
        baseline=float(search.class_counts.max() / cases.n_cases),
        ceiling=equal.ceiling(distinct),
        n_asked=n_asked,
        epsilon=float(epsilon),
        counts={kind: counts[kind] for kind in KINDS},
        findings=tuple(findings),
        notes=tuple(notes),
        scores=_scores(distinct, passed),
        commands=commands,
    )


@dataclass(frozen=True, eq=False)
class _Passed:
    """What the pass over the records has given; `removed` is None unless all records were asked about."""

    asked: np.ndarray
    opinions: Opinions
    influence: Influence
    values: np.ndarray
    removed: np.ndarray | None
    nearest: dict[int, mislabelled.Nearest]


def _pass(
    search: HeldOut, opinion: Opinions, epsilon: float, progress: Progress | None, run: RunSpans | None
) -> _Passed:
    distinct = search.distinct
    asked = _asked(distinct)
    n_needed = distinct.cases.n_cases if epsilon == 0 else int(np.ceil(1 / epsilon))
    suspects = distinct.which[mislabelled.suspects(opinion)]
    is_suspect = np.zeros(distinct.n_kinds, dtype=bool)
    is_suspect[suspects] = True
    is_all = len(asked) == distinct.n_kinds
    found = pass_over(search, asked, n_needed, is_suspect, has_support=is_all, progress=progress, run=run)
    nearest = found.nearest
    if not is_all:
        is_asked = np.isin(suspects, asked)
        for ranks in search.ranks(mislabelled.N_NEAREST, np.unique(suspects[~is_asked][:MOST_LOOKED_UP])):
            nearest |= mislabelled.nearest_others(search, ranks, is_suspect)
    # Values are sums over the asked records: a sample stands for all.
    share = distinct.count[asked].sum() / distinct.cases.n_cases
    removed = found.support.redundant() if is_all else None
    return _Passed(asked, opinion, found.influence, found.shapley.values() / share, removed, nearest)


def _asked(distinct: Distinct) -> np.ndarray:
    """Return the kinds of records to ask about: all, or a sample if many records have numbers."""
    if all(feature.kind != "numeric" for feature in distinct.cases.schema.features):
        return np.arange(distinct.n_kinds)
    return metrics.sample(distinct, max(FEWEST_ASKED, COMPARISONS // distinct.n_kinds))


def _findings(distinct: Distinct, passed: _Passed, commands: Commands) -> list[Finding]:
    cases, influence = distinct.cases, passed.influence
    found = mislabelled.mislabelled(distinct, passed.opinions, passed.nearest, commands)
    found += equal.contradictions(distinct, commands)
    found += equal.duplicates(distinct, commands)
    found += outliers.outliers(distinct, influence.distance, commands)
    found += values.rare_values(distinct, commands)
    found += columns.suspicious_columns(cases, commands)
    found += importance.pivotal(distinct, influence, passed.values, commands)
    if passed.removed is not None:
        found += importance.redundant(distinct, passed.removed, passed.values, commands)
    return found


def _scores(distinct: Distinct, passed: _Passed) -> Scores:
    which, influence = distinct.which, passed.influence
    classes = np.array([*distinct.cases.schema.classes, None], dtype=object)
    return Scores(
        ids=distinct.cases.case_ids(),
        suspicion=passed.opinions.score,
        shapley=passed.values[which],
        n_decided=influence.n_decided[which],
        distance=influence.distance[which],
        answer=classes[influence.answer[which]],
    )


def _notes(distinct: Distinct, settings: ib1.Settings, passed: _Passed) -> list[str]:
    cases, notes = distinct.cases, []
    if cases.n_classes == 1:
        notes.append("All records have one class: nothing can contradict it.")
    n_asked = int(distinct.count[passed.asked].sum())
    if n_asked < cases.n_cases:
        notes.append(
            f"{n_asked:,} records, drawn at random, were asked about: records with numbers are compared one by one. "
            "Shapley values and pivotal records are estimates from them, outliers were looked for among them, and "
            "redundant records were not looked for."
        )
    if weights_are_held(cases, settings) and settings.weighting != "none":
        notes.append("The weights of the features are those of all records, not those without the asked record.")
    return notes


def _examined_cases(
    X: Any, model: Model | None, y: Any, kinds: Kinds, own: dict[str, Any]
) -> tuple[Cases, ib1.Settings | None, list[str]]:
    """Return the records, the metric of a model, and what to know about them; `own` says what the columns are."""
    if model is not None or isinstance(X, Cases):
        for name, value in {"y": y, **own}.items():
            if value is not None:
                raise CasebaseError(
                    f"{name} is for tables: a model and Cases have their classes and columns already; leave out {name}."
                )
        cases, notes = (X, []) if model is None else _stored(model)
    else:
        cases, notes = _table_cases(X, y, kinds, own), []
    if cases.labels is None:
        raise CasebaseError("These cases have no class: health compares the classes of records.")
    if cases.weights is not None or cases.exemplars is not None:
        notes.append("The records have weights; here each counts once.")
        cases = replace(cases.with_weights(None), exemplars=None)
    if all(feature.kind == "ignored" for feature in cases.schema.features):
        raise CasebaseError("All columns are left out: there is nothing to compare the records by.")
    return cases, None if model is None else settings_of(model), notes


@dataclass(frozen=True)
class _Given:
    """What was given to examine: a model and the kinds that it was trained with, or a table; `path` is its file."""

    model: Model | None = None
    kinds: Kinds = None
    path: str | None = None


def _given(X: Any) -> _Given:
    if isinstance(X, str | os.PathLike):
        path = os.fspath(X)
        if not is_model_file(path):
            return _Given(path=path)
        saved = methods.load(path)
        return _Given(saved.model, restored_parameters(saved.estimator).get("kinds"), path)
    model = getattr(X, "model_", X)
    if all(hasattr(model, name) for name in ("method", "schema", "settings")):
        return _Given(model, getattr(X, "kinds", None))
    if hasattr(X, "fit"):
        raise CasebaseError(f"This {type(X).__name__} is not fitted yet: call fit, or pass a table and its classes.")
    return _Given()


def _table_cases(X: Any, y: Any, kinds: Kinds, own: dict[str, Any]) -> Cases:
    """Return the records of a table or of a data file."""
    if isinstance(X, str | os.PathLike):
        if y is not None:
            raise CasebaseError(f"{X} has its classes already: leave out y, and name their column with target.")
        X, own = read_table(X if isinstance(X, str) else Path(X), target=own["target"]), {**own, "target": None}
    elif y is None and own["target"] is None and not (isinstance(X, Table) and X.target is not None):
        raise CasebaseError(
            "There is no class: pass the class of each record as y, the column that has it as target, or Cases with "
            "classes."
        )
    return cases_with_kinds(X, y, kinds=kinds, or_plain=True, **own)


def _commands(given: _Given, cases: Cases, target: str | int | None) -> Commands:
    """Return the commands for what was examined; DATA and MODEL stand for files without a name."""
    if given.model is not None:
        return model_commands(given.model, given.kinds, given.path)
    schema = cases.schema
    if given.path is None:
        return Commands(schema.target)
    options = [] if target is None else ["--target", schema.target]
    return Commands(
        schema.target, given.path, options=(*options, *kept_options(schema)), ignored=ignored_columns(schema)
    )


def compared_by(metric: Any, weighting: Any, epsilon: float) -> tuple[str, ...]:
    """Return the options of `casebase health` that compare records as here."""
    if isinstance(metric, dict):
        metric = ",".join(f"{name}={each}" for name, each in metric.items())
    if not isinstance(weighting, str):
        weighting = ",".join(map(str, weighting))
    options: dict[str, tuple[Any, Any]] = {"--metric": (metric, metrics.AUTO), "--weighting": (weighting, metrics.AUTO)}
    options["--epsilon"] = (epsilon, EPSILON)
    chosen = ((option, str(value)) for option, (value, usual) in options.items() if value != usual)
    return tuple(word for pair in chosen for word in pair)


def _stored(model: Model) -> tuple[Cases, list[str]]:
    """Return the cases that a model keeps, and what to know about them."""
    name, instead = model.method, "give the data that it was trained on (casebase health DATA)"
    if not isinstance(model, HasRecords):
        raise CasebaseError(f"A model of {name} keeps no cases, so there are no records to examine: {instead}.")
    memory = model.stored_memory()
    if memory is None:
        raise CasebaseError(f"This {name} model was trained without keeping its cases (keep_cases=False): {instead}.")
    notes = []
    if name == "ib2":
        notes.append("A model of ib2 keeps only some of the cases that it was trained on; these were examined.")
    if not isinstance(model, Correctable):
        notes.append(
            f"A model of {name} cannot be corrected: mend the data and train again. MODEL in the commands stands for a "
            "model of the same data that can be corrected, such as one of ib1."
        )
    return Store(model.schema, memory, None).cases(), notes


def settings_of(model: Any) -> ib1.Settings | None:
    """Return how a model of the IB1 family compares its cases; None for other models."""
    names = ("weighting", "metric", "missing", "diversify", "threshold", "feature_limit")
    given = {name: getattr(model.settings, name) for name in names if hasattr(model.settings, name)}
    return ib1.Settings(**given) if "weighting" in given else None
