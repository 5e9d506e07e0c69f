"""casebase health"""

from typing import Any

import click
from click.core import ParameterSource

from casebase.checkup import Commands, Health, health
from casebase.checkup.findings import TITLES
from casebase.checkup.page import LIMIT, render_page, render_text
from casebase.cli.in_parts import InParts, resource_options
from casebase.cli.options import (
    COLUMN_PARAMETERS,
    FILE_PARAMETERS,
    DataFile,
    file_options,
    json_option,
    kind_options,
    n_threads,
    parse_metric,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import echo, print_json, say, say_kinds, write_text
from casebase.data import Schema
from casebase.errors import CasebaseError
from casebase.formats.source import is_model_file
from casebase.render.progress_bar import progress_bar

KINDS = tuple(kind.replace(" ", "-") for kind in TITLES if kind != "column")


@click.command("health")
@click.argument("source", metavar="DATA|MODEL")
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Findings of each kind.")
@click.option("--html", metavar="FILE", help="Write an HTML page; '-' for standard output.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write all findings as CSV; '-' for standard output.")
@json_option
@click.option(
    "--list",
    "listed",
    type=click.Choice(KINDS),
    help="Print only the ids of the records of one kind of finding, one per line, as `casebase remove --ids -` reads "
    "them; of duplicates, the copies.",
)
@click.option(
    "--metric",
    default="auto",
    show_default=True,
    help="How records are compared, as for `casebase train --learner ib1`; by default what answers best by "
    "leave-one-out, for a model its own.",
)
@click.option("--weighting", default="auto", show_default=True, help="Weights of the features, likewise.")
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 1),
    default=0.01,
    show_default=True,
    help="Error of a Shapley value for one asked record, at most; 0 takes all distances.",
)
@resource_options(
    "Examine the records in about this much memory, such as 2GB. The report is the same if all records fit, with some "
    "4 kB for each; if not, DATA or a MODEL of ib1 is examined in parts, and records that are probably mislabelled, "
    "pivotal or redundant are not looked for.",
    "Folder for the files in between, which are always removed; the system's folder for temporary files by default.",
    "Examine",
    "DATA, or MODEL, and the folder of --scratch",
)
@kind_options
@threads_option
@file_options
def command(
    source: str,
    limit: int,
    html: str | None,
    csv_file: str | None,
    as_json: bool,
    listed: str | None,
    metric: str,
    weighting: str,
    epsilon: float,
    memory: str | None,
    scratch: str | None,
    workers: int | None,
    scheduler: str | None,
    threads: int | None,
    **options: Any,
) -> None:
    """Show which records of DATA or MODEL are suspect, and why.

    Every record is answered by all the others (exact leave-one-out at k = 1). The report lists records that are
    probably mislabelled, contradict equal ones, are duplicates, outliers or redundant, or on which many others depend;
    rare values; and suspicious columns. Each has a reason, and a command that would mend it: MODEL and DATA stand for
    your files where a command does not know them. Nothing is changed.

    With --memory, --workers or --scheduler, or with a pattern such as 'data/*.parquet', the records are asked about in
    parts, on a cluster if there is one.

    \b
    Examples:  casebase health titanic.csv --target survived --html health.html
               casebase health titanic.cb --csv findings.csv
               casebase health titanic.cb --list redundant | casebase remove titanic.cb --ids -
    """
    outputs = [name for name, is_given in _to_standard_output(html, csv_file, as_json, listed).items() if is_given]
    if len(outputs) > 1:
        raise click.UsageError(f"{outputs[0]} and {outputs[1]} both write to standard output: give one of them a file.")
    page = None if html is None else writable(html, source)
    table = None if csv_file is None else writable(csv_file, source)
    in_parts = InParts(memory, scratch, workers, scheduler)
    if in_parts.is_asked_for(source):
        compared = {"metric": parse_metric(metric), "weighting": weighting, "epsilon": epsilon}
        report = _in_parts(source, listed, in_parts, n_threads(threads), options, **compared)
    else:
        report = _in_memory(source, parse_metric(metric), weighting, epsilon, threads, options)
    for path, given, text in ((page, html, render_page), (table, csv_file, Health.to_csv)):
        if given is not None:
            write_text(path, text(report))
            if path is not None:
                say(f"Written to {path}.")
    if as_json:
        print_json(report.to_dict())
    elif listed is not None:
        write_text(None, "".join(f"{record}\n" for record in report.records(listed.replace("-", " "))))
    elif not outputs:
        echo(render_text(report, limit))


def _in_memory(
    source: str, metric: Any, weighting: str, epsilon: float, threads: int | None, options: dict[str, Any]
) -> Health:
    examined, commands = _examined(source, threads, options)
    with progress_bar("health") as progress:
        return health(
            examined,
            metric=metric,
            weighting=weighting,
            epsilon=epsilon,
            n_jobs=n_threads(threads),
            progress=progress,
            commands=commands,
        )


def _in_parts(
    source: str,
    listed: str | None,
    in_parts: InParts,
    threads: int,
    options: dict[str, Any],
    **compared: Any,
) -> Health:
    """Examine records: all findings if they fit into the memory, else those of some rows at a time."""
    from casebase.scale.examining import examine, examine_table

    if in_parts.scheduler is not None and in_parts.scratch is None:
        raise click.UsageError("Workers keep files in a folder that they share: give --scratch.")
    if is_model_file(source):
        refuse_given((*FILE_PARAMETERS, *COLUMN_PARAMETERS), "is for data files: a model knows its columns.")
        with in_parts.ends_orderly(None), progress_bar("health") as progress:
            report = examine(source, in_parts.resources(threads), progress=progress, **compared)
    else:
        file = DataFile.from_options(source, options, threads, finds_kinds=True)
        with in_parts.ends_orderly(None), progress_bar("health") as progress:
            report, schema = examine_table(
                source,
                in_parts.resources(threads),
                lambda schema: _commands(source, schema, file),
                roles=file.roles,
                progress=progress,
                **compared,
                **file.reading,
            )
        say_kinds(schema)
    if listed is not None and listed.replace("-", " ") not in report.counts:
        raise CasebaseError(f"--list {listed} cannot be had in this memory. {report.notes[-1]}")
    return report


def _to_standard_output(html: str | None, csv_file: str | None, as_json: bool, listed: str | None) -> dict[str, bool]:
    return {"--html -": html == "-", "--csv -": csv_file == "-", "--json": as_json, "--list": listed is not None}


def _examined(source: str, threads: int | None, options: dict[str, Any]) -> tuple[Any, Commands | None]:
    """Return what to examine, a path of a model or the cases of a data file, and the names for the commands."""
    if is_model_file(source):
        refuse_given((*FILE_PARAMETERS, *COLUMN_PARAMETERS), "is for data files: a model knows its columns.")
        return source, None
    file = DataFile.from_options(source, options, threads, finds_kinds=True)
    cases = file.cases()
    say_kinds(cases.schema)
    return cases, _commands(source, cases.schema, file)


def _commands(source: str, schema: Schema, file: DataFile) -> Commands:
    """Return the commands that mend findings about a data file."""
    data = "DATA" if source == "-" else source
    return Commands(schema.target, data=data, options=_given_options(), ignored=file.ignore)


def _given_options() -> tuple[str, ...]:
    """Return the options that the user gave to read the file, except the columns to ignore, for other commands."""
    context, words = click.get_current_context(), []
    wanted = {*FILE_PARAMETERS, *COLUMN_PARAMETERS} - {"ignore"}
    for parameter in context.command.params:
        name = str(parameter.name)
        if name not in wanted or context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            continue
        for each in value if isinstance(value, tuple) else (value,):
            words += [parameter.opts[0], str(each)]
    return tuple(words)
