"""casebase evaluate"""

from functools import partial
from glob import has_magic
from typing import Any, ClassVar

import click
import numpy as np
from rich.console import Console

from casebase import evaluate
from casebase.base.model import LeavesOneOut, Model, format_count
from casebase.base.wrong_answers import Detail, details_of
from casebase.cli.error_files import NEAREST, ErrorFile
from casebase.cli.in_parts import InParts, resource_options
from casebase.cli.methods import DEFAULT, MethodCommand, given_options, learner_option, settings_from
from casebase.cli.models import load_model, refuse_exchanged
from casebase.cli.options import (
    DataFile,
    class_and_header,
    file_options,
    json_option,
    kind_options,
    n_threads,
    random_state_option,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import console, grid, print_json, say, say_kinds
from casebase.data import Schema, Table
from casebase.data.columns import as_text, spelling
from casebase.data.sources import ColumnKind
from casebase.errors import CasebaseError
from casebase.evaluate import Report
from casebase.formats.source import is_model_file
from casebase.methods import method_named
from casebase.neighbours import ib1
from casebase.render.progress_bar import progress_bar

SHOWN_CLASSES = 30
LONG = 100  # cases: leaving one out at a time takes the autopilot more than a minute
LOO_HELP = (
    "Leave one case of DATA out at a time (for IB1 exact and without refitting). The other learners learn once per "
    "case: --cv is meant for auto."
)
Outcome = tuple[Report, tuple[ColumnKind, ...]]  # the report, and the kinds of the columns


class EvaluateCommand(MethodCommand):
    """A method command whose seed is also the seed of the method."""

    taken: ClassVar[tuple[str, ...]] = ("random_state",)


@click.command("evaluate", cls=EvaluateCommand)
@click.argument("files", nargs=-1, required=True, metavar="MODEL TEST | MODEL | DATA")
@learner_option
@click.option("--cv", type=int, metavar="N", help="Cross-validate on DATA with N folds.")
@click.option("--loo", is_flag=True, help=LOO_HELP)
@random_state_option("the folds and the method's own")
@kind_options
@click.option(
    "--errors",
    metavar="FILE",
    help="List the wrong answers, with the query, its class, the prediction and the nearest records, as CSV, TSV "
    "(.tsv) or JSON (.json, or with --json). '-' is standard output; the report then goes to standard error.",
)
@json_option
@resource_options(
    "Evaluate in parts, in about this much memory, such as 2GB: TEST, DATA, or the records of MODEL may be larger. The "
    "report is the same.",
    "Folder for the files in between, which are always removed; the system's folder for temporary files by default.",
    "Evaluate",
    "the files and the folder of --scratch",
)
@threads_option
@file_options
def command(
    files: tuple[str, ...],
    learner: str,
    cv: int | None,
    loo: bool,
    errors: str | None,
    as_json: bool,
    memory: str | None,
    scratch: str | None,
    workers: int | None,
    scheduler: str | None,
    threads: int | None,
    **options: Any,
) -> None:
    """Measure the accuracy of MODEL on TEST, or of a learner on DATA with --cv or --loo.

    MODEL alone: on the records that it keeps, each answered by a model that has not seen it, with the same settings.
    IB1 leaves one record out at a time; other models learn again from ten folds, or as many as --cv says.

    With --memory, --workers or --scheduler, or with a pattern such as 'data/*.parquet', everything is done in parts, on
    a cluster if there is one, and gives the same report.

    Without --learner the autopilot learns, as with `casebase train`. `casebase methods` compares all learners.

    \b
    Examples:  casebase evaluate words.cb test.tsv
               casebase evaluate words.cb
               casebase evaluate words.tsv --cv 10
               casebase evaluate --learner tribl words.tsv --cv 10
               casebase evaluate words.tsv --cv 10 --errors wrong.csv
    """
    target = None if errors is None else ErrorFile(writable(errors, *files), errors, as_json)
    nearest = 0 if errors is None else NEAREST
    if cv is not None and loo:
        raise click.UsageError("--cv and --loo exclude each other.")
    kinds: tuple[ColumnKind, ...] = ()
    in_parts = InParts(memory, scratch, workers, scheduler)
    is_in_parts = in_parts.is_asked_for() or any(map(has_magic, files))
    if scheduler is not None and scratch is None:
        raise click.UsageError("Workers keep files in a folder that they share: give --scratch.")
    if len(files) == 1 and is_model_file(files[0]):
        _refuse_settings("is for DATA; a model keeps the settings it was trained with.", random_state=cv is None)
        if is_in_parts:
            if loo:
                _refuse_loo(files[0])
            result = _records_in_parts(files[0], cv, in_parts, n_threads(threads), options["random_state"], nearest)
        else:
            result = _with_records(files[0], cv, loo, n_threads(threads), options["random_state"], nearest)
    elif cv is not None or loo:
        if len(files) != 1:
            raise click.UsageError("--cv and --loo take one file: DATA.")
        if is_in_parts:
            result, kinds = _without_model_in_parts(
                files[0], learner, cv, in_parts, n_threads(threads), options, nearest
            )
        else:
            result, kinds = _without_model(files[0], learner, cv, n_threads(threads), options, nearest)
    else:
        if len(files) != 2:
            raise click.UsageError("Give MODEL and TEST, MODEL alone, or DATA with --cv N or --loo.")
        _refuse_settings("goes with --cv or --loo; a model keeps the settings it was trained with.")
        if is_in_parts:
            result = _with_model_in_parts(*files, in_parts, n_threads(threads), options, nearest)
        else:
            result = _with_model(*files, n_threads(threads), options, nearest)
    if as_json:
        record = result.to_dict() | ({"kinds": [column.to_dict() for column in kinds]} if kinds else {})
        is_printed = target is not None and target.path is None
        print_json(record | ({"errors": [one.to_dict() for one in result.errors]} if is_printed else {}))
        if target is not None and not is_printed:
            target.write(result.errors)
        return
    show_report(result, console(stderr=target is not None and target.path is None))
    if target is not None:
        target.write(result.errors)


def _refuse_settings(why: str, *, random_state: bool = True) -> None:
    """Refuse options for learning from a table: a model has learned already."""
    context = click.get_current_context()
    assert isinstance(context.command, MethodCommand)
    names = ["learner", "random_state", "kinds", "given_kinds", "ignore", "keep", "id_column"]
    refuse_given([name for name in names if random_state or name != "random_state"], why)
    for option in given_options(context, context.command):
        raise click.UsageError(f"{option} {why}")


def _with_records(model: str, cv: int | None, loo: bool, threads: int, seed: int, nearest: int) -> Report:
    """Evaluate a model on the records that it keeps, which are held out."""
    learned = _refuse_loo(model) if loo else load_model(model).model
    with progress_bar("evaluating") as progress:
        options = {"seed": seed, "n_jobs": threads, "nearest": nearest}
        found = evaluate.held_out_records(learned, n_folds=cv, progress=progress, **options)
    say(f"Held out by {found.how}.")
    return found.report


def _refuse_loo(path: str) -> Model:
    """Return a model that leaves one record out without learning again; an error for others."""
    learned = load_model(path).model
    if not (isinstance(learned, LeavesOneOut) and learned.leaves_one_out):
        raise click.UsageError(f"This model of {learned.method} would learn again without each record: give --cv N.")
    return learned


def _with_model(model: str, test: str, threads: int, options: dict[str, Any], nearest: int) -> Report:
    learned = load_model(model, model, test).model
    cases, table = DataFile.from_options(test, options, threads).queries(learned.schema)
    if table.target is None:
        raise CasebaseError(
            f"{test} has no class column {learned.schema.target!r} to compare with: it has {len(table.names)} columns, "
            f"the model {len(learned.schema.column_names)} features. Name the class column with --target."
        )
    with progress_bar("answering", cases.n_cases) as progress:
        answers = learned.answer(cases, n_jobs=threads, progress=progress)
    actual = ["" if a is None else a for a in as_text(table.columns[table.target]).to_pylist()]
    names = [str(spelling(label)) for label in learned.schema.classes]
    answered = [names[c] for c in answers.label]
    details: dict[int, Detail] = {}
    if nearest:
        wrong = np.flatnonzero([a != b for a, b in zip(actual, answered)])
        details |= zip(wrong.tolist(), details_of(learned, cases, wrong, nearest))
    return evaluate.report(actual, answered, ids=cases.case_ids().tolist(), details=details)


def _without_model(
    data: str, learner: str, cv: int | None, threads: int, options: dict[str, Any], nearest: int
) -> Outcome:
    method = method_named(learner)
    settings = settings_from(method.settings, options, random_state=options["random_state"])
    file = DataFile.from_options(data, options, threads, finds_kinds=method.finds_kinds)
    table = file.table()
    cases = file.cases_of(table)
    _say_found(learner, cases.schema, cases.n_cases, table, options)
    if cv is None and learner == DEFAULT and cases.n_cases > LONG:
        say(f"{learner} learns {cases.n_cases:,} times, once without each case; --cv 10 learns 10 times.")
    with progress_bar("evaluating", cases.n_cases) as progress:
        if cv is None and isinstance(settings, ib1.Settings):  # exact without refitting
            result = evaluate.leave_one_out(cases, settings, n_jobs=threads, progress=progress, nearest=nearest)
        else:
            result = evaluate.cross_validate(
                cases,
                partial(method.fit, settings=settings, n_jobs=threads),
                cases.n_cases if cv is None else cv,
                seed=options["random_state"],
                n_jobs=threads,
                progress=progress,
                nearest=nearest,
            )
    return result, cases.schema.kinds


def _say_found(learner: str, schema: Schema, n_cases: int, table: Table, options: dict[str, Any]) -> None:
    """Say what the table is: otherwise nobody would notice a wrong guess."""
    say_kinds(schema)
    if options["target"] is None:
        say(
            f"{learner}: {format_count(n_cases, 'case')}, {format_count(len(schema.features), 'feature')}, "
            f"{format_count(len(schema.classes), 'class')}; {class_and_header(table)}."
        )


def _records_in_parts(model: str, cv: int | None, in_parts: InParts, threads: int, seed: int, nearest: int) -> Report:
    """Evaluate a model on the records that it keeps, a part of them at a time."""
    from casebase.scale.evaluating import held_out_records

    with in_parts.ends_orderly(None), progress_bar("evaluating") as progress:
        report, n_folds = held_out_records(
            model, cv, in_parts.resources(threads), seed=seed, nearest=nearest, progress=progress
        )
    say(f"Held out by {evaluate.how_held_out(n_folds)}.")
    return report


def _with_model_in_parts(
    model: str, test: str, in_parts: InParts, threads: int, options: dict[str, Any], nearest: int
) -> Report:
    from casebase.scale.evaluating import score_model

    refuse_exchanged(model, test, name="TEST")
    file = DataFile.from_options(test, options, threads)
    with in_parts.ends_orderly(None), progress_bar("evaluating") as progress:
        return score_model(
            model,
            test,
            in_parts.resources(threads),
            questions=file.questions,
            nearest=nearest,
            progress=progress,
            **file.reading,
        )


def _without_model_in_parts(
    data: str,
    learner: str,
    cv: int | None,
    in_parts: InParts,
    threads: int,
    options: dict[str, Any],
    nearest: int,
) -> Outcome:
    """Evaluate a learner on a table that need not fit into memory."""
    from casebase.scale import evaluating

    method = method_named(learner)
    settings = settings_from(method.settings, options, random_state=options["random_state"])
    file = DataFile.from_options(data, options, threads, finds_kinds=method.finds_kinds)
    resources = in_parts.resources(threads)
    if cv is None and not isinstance(settings, ib1.Settings):
        say(f"{learner} learns once without each case, each time in parts; --cv 10 learns 10 times.")
    with in_parts.ends_orderly(None), progress_bar("evaluating") as progress:
        more: dict[str, Any] = {"roles": file.roles, "nearest": nearest, "progress": progress, **file.reading}
        if isinstance(settings, ib1.Settings) and cv is None:
            found = evaluating.leave_one_out(data, settings, resources, **more)
        else:
            seed = options["random_state"]
            found = evaluating.cross_validate(data, method, settings, cv, resources, seed=seed, **more)
    _say_found(learner, found.schema, found.n_cases, found.table, options)
    return found.report, found.schema.kinds


def show_report(result: Report, out: Console) -> None:
    """Print accuracy, scores per class and confusions."""
    low, high = result.interval
    of = f"{result.n_correct:,} of {result.n_cases:,}"
    out.print(f"accuracy  {result.accuracy:.4f}  ({of}; 95 % interval {low:.4f} to {high:.4f})")
    out.print(f"baseline  {result.baseline:.4f}  (always {result.majority})", markup=False)
    out.print(f"macro F   {result.macro_f:.4f}")
    if 1 < len(result.fold_accuracies) <= 100:
        shown = " ".join(f"{accuracy:.4f}" for accuracy in result.fold_accuracies)
        out.print(f"folds     {shown}")
    out.print()
    table = grid("class", "precision", "recall", "F", "cases", "answered")
    by_size = sorted(result.per_class, key=lambda score: -score.n_actual)
    for score in by_size[:SHOWN_CLASSES]:
        numbers = (score.precision, score.recall, score.f_score)
        shown_numbers = ["–" if x is None else f"{x:.4f}" for x in numbers]
        table.add_row(str(score.label), *shown_numbers, f"{score.n_actual:,}", f"{score.n_answered:,}")
    out.print(table, markup=False)
    if len(by_size) > SHOWN_CLASSES:
        out.print(f"… and {format_count(len(by_size) - SHOWN_CLASSES, 'smaller class')}; --json has them all")
    out.print()
    _show_confusion(result, out)


def _show_confusion(result: Report, out: Console) -> None:
    if len(result.labels) <= 12:
        table = grid("actual \\ answered", *(str(label) for label in result.labels))
        for label, row in zip(result.labels, result.confusion):
            table.add_row(str(label), *(f"{n:,}" if n else "·" for n in row))
        out.print(table, markup=False)
        return
    pairs = [
        (n, actual, answered)
        for actual, row in zip(result.labels, result.confusion)
        for answered, n in zip(result.labels, row)
        if n and actual != answered
    ]
    table = grid("actual", "answered", "cases", title="Most frequent confusions", first_left=2)
    for n, actual, answered in sorted(pairs, key=lambda pair: (-pair[0], str(pair[1]), str(pair[2])))[:15]:
        table.add_row(str(actual), str(answered), f"{n:,}")
    out.print(table, markup=False)
