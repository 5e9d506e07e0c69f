"""casebase methods"""

import shlex
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from casebase.cli.models import load_model
from casebase.cli.options import (
    COLUMN_PARAMETERS,
    FILE_PARAMETERS,
    DataFile,
    file_options,
    json_option,
    kind_options,
    n_threads,
    random_state_option,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import console, echo, print_grid, print_json, say, write_text
from casebase.data import Cases
from casebase.formats.source import is_model_file
from casebase.method_comparison import MethodComparison, compare_methods, summary
from casebase.method_comparison.comparison import slow_methods
from casebase.method_comparison.page import render_page
from casebase.methods import stored_records
from casebase.render.progress_bar import progress_bar
from casebase.render.report import wrap

WIDTH = 118
LONG = 60.0  # seconds from which an estimate is worth a message


@click.command("methods")
@click.argument("data", metavar="DATA|MODEL")
@click.option("--methods", "names", metavar="A,B,…", help="Compare only these methods; all by default.")
@click.option(
    "--peers",
    is_flag=True,
    help="Add scikit-learn's random forest and histogram boosting, and LightGBM where it is installed.",
)
@click.option("--cv", type=click.IntRange(min=2), default=5, show_default=True, metavar="N", help="Number of folds.")
@click.option(
    "--time-budget",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Seconds for each method: one that has used them up skips its remaining folds.",
)
@random_state_option("the folds and the methods' own")
@click.option("--html", metavar="FILE", help="Write an HTML page with a plot and the table; '-' for standard output.")
@json_option
@click.option(
    "--differences", is_flag=True, help="Add the cases on which the methods differ to --json, with every answer."
)
@kind_options
@threads_option
@file_options
def command(
    data: str,
    names: str | None,
    peers: bool,
    cv: int,
    time_budget: float | None,
    random_state: int,
    html: str | None,
    as_json: bool,
    differences: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Compare all methods on DATA, or on the records of MODEL, by cross-validation on the same folds.

    The table has the accuracy, log loss, time and size of each method with its default settings, and of always
    answering the most frequent class. McNemar's test tells which methods are within the noise of the best. Ctrl-C
    stops the comparison and shows the methods that have finished.

    This compares methods on one file; `casebase compare` compares representations of the same examples for one method.

    \b
    Examples:
      casebase methods words.tsv --target tag
      casebase methods words.cb
      casebase methods words.tsv --methods ib1,igtree,c45 --peers --html methods.html
    """
    if as_json and html == "-":
        raise click.UsageError("--json and --html - both write to standard output: give --html a file.")
    if differences and not as_json:
        raise click.UsageError("--differences lists cases in JSON: give --json, too.")
    page = None if html is None else writable(html, data)
    chosen = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    cases, notes = _cases(data, options, threads)
    n_jobs = n_threads(threads)
    if time_budget is None:
        for name, seconds in slow_methods(cases, chosen, cv=cv, n_jobs=n_jobs).items():
            if seconds > LONG:
                say(f"{name} takes about {summary.seconds(seconds)}; --time-budget or --methods can leave it out.")
    with progress_bar("comparing") as progress:
        comparison = compare_methods(
            cases,
            methods=chosen,
            peers=peers,
            cv=cv,
            time_budget=time_budget,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
    comparison = replace(comparison, notes=(*notes, *comparison.notes))
    if html is not None:
        write_text(page, render_page(comparison))
        if page is not None:
            say(f"Written to {page}.")
    if as_json:
        print_json(comparison.to_dict(differences=differences))
    elif html != "-":
        _show(comparison, _next_command(data, comparison.best_method))
    if comparison.was_interrupted:
        click.get_current_context().exit(130)


def _cases(source: str, options: dict[str, Any], threads: int | None) -> tuple[Cases, tuple[str, ...]]:
    """Return the cases of a data file, or the records of a model and what to know about them."""
    if not is_model_file(source):
        return DataFile.from_options(source, options, threads).cases(), ()
    refuse_given((*FILE_PARAMETERS, *COLUMN_PARAMETERS), "is for data files: a model knows its columns.")
    stored = stored_records(load_model(source).model)
    return stored.cases, stored.notes


def _show(comparison: MethodComparison, next_command: str | None) -> None:
    out = console()
    out.print(wrap(summary.headline(comparison), WIDTH), style="bold", markup=False)
    out.print(f"\n{wrap(summary.how(comparison), WIDTH)}\n", markup=False)
    grid = summary.grid(comparison)
    print_grid(out, grid)
    out.print(wrap(grid.caption, WIDTH), style="dim", markup=False)
    for remark in summary.remarks(comparison):
        out.print(f"\n{wrap(remark, WIDTH)}", markup=False)
    if next_command is not None:
        echo(f"\nNext: {next_command}")


def _next_command(data: str, method: str | None) -> str | None:
    """Return the command that trains the best method, with the options that the user gave to read the file."""
    if method is None:
        return None
    context = click.get_current_context()
    words = ["casebase", "train", "DATA" if data == "-" else data, "-o", "model.cb", "--learner", method]
    for parameter in context.command.params:
        name = str(parameter.name)
        if (
            name in (*FILE_PARAMETERS, *COLUMN_PARAMETERS)
            and context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        ):
            value = context.params[name]
            if isinstance(value, bool):
                words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            else:
                for one in value if isinstance(value, tuple) else [value]:
                    words += [parameter.opts[0], str(one)]
    return shlex.join(words)
