"""casebase train"""

import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from casebase import methods
from casebase.base.method import Method
from casebase.base.model import format_count, is_incomplete
from casebase.base.parameters import plain_parameters
from casebase.base.settings import Settings
from casebase.cli.changes import hold
from casebase.cli.ids import new_ids
from casebase.cli.in_parts import InParts, parts_options
from casebase.cli.methods import MethodCommand, learner_option, settings_from
from casebase.cli.numbers import say_numbers
from casebase.cli.options import (
    COLUMN_PARAMETERS,
    FILE_PARAMETERS,
    DataFile,
    class_and_header,
    file_options,
    kind_options,
    n_threads,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import say, say_kinds
from casebase.confidence import calibrate, calibrate_by, is_calibrated_when_trained, split_apart
from casebase.data import Cases
from casebase.formats.source import is_model_file
from casebase.methods import method_named
from casebase.render.progress_bar import progress_bar


@click.command("train", cls=MethodCommand)
@click.argument("data", metavar="DATA…|MODEL", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="MODEL", help="Save the model here.")
@learner_option
@click.option("--ids", metavar="FILE", help="Read the ids of the cases, one per line; 0, 1, 2 … by default.")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Keep this share of the cases apart, such as 0.2, and do not learn from them: the sets of `casebase predict "
    "--confidence` then have their exact guarantee.",
)
@parts_options
@kind_options
@threads_option
@file_options
def command(
    data: tuple[str, ...],
    output: str,
    learner: str,
    threads: int | None,
    ids: str | None,
    held_out: float | None,
    memory: str | None,
    scratch: str | None,
    workers: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Train a model on DATA, or on the records of another MODEL, and save it.

    DATA is a file of cases; '-' is standard input. An existing model is replaced only when the new one is complete.
    Several files, or a pattern in quotes ('data/*.parquet'), are one table, which is read in parts.

    Without --learner the autopilot finds the kinds of the columns, reads the cases in several ways, and combines the
    readings that answer held-out cases best. `casebase inspect MODEL` shows what it chose.

    Ctrl-C ends the autopilot early: the model has the readings that are ready, is saved, and the exit code is 0. So it
    does with OBLIVION's search and with IB1's learned weights: the best features or weights so far are kept. Before the
    first result, and with the other learners, nothing is saved and the exit code is 130.

    \b
    Examples:  casebase train words.tsv -o words.cb
               casebase train words.tsv -o words.cb --learner igtree --target tag
               casebase train words.cb -o tree.cb --learner c45
               casebase train titanic.csv -o t.cb --target survived --id-column passenger --ignore name --keep source
    """
    path = writable(output, *data, ids)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    method = method_named(learner)
    settings = settings_from(method.settings, options)
    start, name = time.perf_counter(), data[0]
    in_parts = InParts(memory, scratch, workers, scheduler)
    if in_parts.is_asked_for(*data):
        file = DataFile.from_options(name, options, threads, finds_kinds=method.finds_kinds)
        _warn_of_kept(file, method, settings)
        _check_ids(file, ids)
        in_parts.train(data, path, method, settings, file, ids=ids, held_out=held_out)
        return
    training = _of_model(name) if is_model_file(name) else _of_table(name, method, settings, ids, threads, options)
    say_kinds(training.cases.schema)
    cases, apart = split_apart(training.cases, held_out)
    with progress_bar(learner) as progress, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Interrupted")  # the command says it below
        model = method.fit(cases, settings, n_jobs=n_threads(threads), progress=progress)
    calibration = None
    if is_calibrated_when_trained(model) or apart is not None:
        calibration = calibrate(model, cases, n_jobs=n_threads(threads))
    if apart is not None:
        assert calibration is not None
        asked = model.schema.recode(apart)
        calibration = calibrate_by(model, calibration, asked, apart.known_labels, n_jobs=n_threads(threads))
    methods.save(
        path,
        model,
        training.estimator,
        calibration=calibration,
    )
    say_numbers(model.schema, settings)
    if is_incomplete(model):
        say("Interrupted: the model has only what was ready; it is saved, and answers.")
    say(
        f"{learner}: {format_count(cases.n_cases, 'case')}, {format_count(cases.n_features, 'feature')}, "
        f"{format_count(cases.n_classes, 'class')}; {training.found}; "
        f"{model.summary().size}; {time.perf_counter() - start:.2f} s. Saved to {output}."
    )


@dataclass(frozen=True)
class Training:
    """The cases to learn from, what an estimator that loads the model needs to learn again, and what was found."""

    cases: Cases
    estimator: dict[str, Any]
    found: str


def _of_table(
    data: str, method: Method, settings: Settings, ids: str | None, threads: int | None, options: dict[str, Any]
) -> Training:
    """Return the cases of a data file."""
    file = DataFile.from_options(data, options, threads, finds_kinds=method.finds_kinds)
    table = file.table()
    _warn_of_kept(file, method, settings)
    _check_ids(file, ids)
    cases = file.cases_of(table, new_ids(ids, table.n_rows))
    # The estimator that is loaded from the file has the same kinds, so that it can learn again; some find them anyway.
    plain = replace(file, finds_kinds=False) if method.finds_kinds else file
    own = {
        "kinds": plain.kinds(table),
        "ignore": list(file.ignore),
        "keep": list(file.keep),
        "data_file": None if data == "-" else Path(data).name,
    }
    known = plain_parameters({name: value for name, value in own.items() if value})
    return Training(cases, known, class_and_header(table))


def _check_ids(file: DataFile, ids: str | None) -> None:
    if ids is not None and file.id_column is not None:
        raise click.UsageError("--ids and --id-column exclude each other.")


def _warn_of_kept(file: DataFile, method: Method, settings: Settings) -> None:
    if file.keep and not (method.stores_cases and getattr(settings, "keep_cases", True)):
        say(f"Warning: {method.name} stores no cases, so the columns to keep are left out, and not kept.")


def _of_model(path: str) -> Training:
    """Return the records that a model keeps, with the columns as it knows them."""
    refuse_given((*FILE_PARAMETERS, *COLUMN_PARAMETERS, "ids"), "is for data files: a model knows its columns.")
    saved = methods.load(path)
    stored = methods.stored_records(saved.model)
    for note in stored.notes:
        say(note)
    return Training(stored.cases, saved.estimator, f"class {saved.model.schema.target}, the records of {path}")
