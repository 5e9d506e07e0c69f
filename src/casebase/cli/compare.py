"""casebase compare"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from casebase.cli.compare_search import check_search, search, show
from casebase.cli.options import (
    DataFile,
    file_options,
    json_option,
    kind_options,
    n_threads,
    parse_metric,
    random_state_option,
    threads_option,
    writable,
)
from casebase.cli.output import console, print_grid, print_json, say, say_kinds, write_text
from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.distances import resolve_metrics
from casebase.methods import method_named
from casebase.render.drawing import checked_name, matplotlib, save
from casebase.render.progress_bar import progress_bar
from casebase.render.report import Report
from casebase.representations.comparison import GROWTH, MAX_RUNS, ORDERS, compare_representations
from casebase.representations.generators import vary
from casebase.representations.learners import comparable
from casebase.representations.page import render_page, report_of
from casebase.representations.search import GENERATORS, MAX_ROUNDS

AXES = ("bins", "method", "window", "ngrams", "features", "pairs")
WIDTH = 118


@click.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE… | DATA")
@click.option(
    "--learner",
    type=click.Choice(comparable()),
    default="id3",
    show_default=True,
    help="Method to train on each representation.",
)
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="WHAT=V1,V2,…",
    help=f"Derive representations from DATA by varying {', '.join(AXES)}. Repeatable.",
)
@click.option(
    "--search",
    "is_search",
    is_flag=True,
    help="Search: derive representations from DATA, keep what is better, go on from there, and check with held-out "
    "examples.",
)
@click.option(
    "--generate",
    metavar="HOW,…",
    help=f"With --search, how to derive representations: {', '.join(GENERATORS)}. By default all but windows.",
)
@click.option(
    "--held-out",
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="With --search, the share of examples that are kept apart for the check.",
)
@click.option(
    "--rounds",
    type=int,
    default=MAX_ROUNDS,
    show_default=True,
    help="With --search, the maximum number of changes, one on top of the other.",
)
@click.option("-o", "--output", metavar="FILE", help="With --search, write the examples as they are then: .csv.")
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the learner. Repeatable.",
)
@click.option(
    "--metric",
    metavar="NAME|FEATURE=NAME,…",
    default="overlap",
    show_default=True,
    help="Metric, as for train: it says which features are numeric or ignored.",
)
@click.option("--first-size", type=int, metavar="N", help="Size of the first sample; by default 4·√n of n examples.")
@click.option(
    "--growth",
    type=float,
    default=GROWTH,
    show_default="1.414",
    help="Factor by which each sample is larger than the one before.",
)
@click.option(
    "--confidence",
    type=float,
    show_default="0.99, with --search 0.95",
    help="Confidence level of the sign test and of Kendall's test; with --search, of all verdicts together.",
)
@click.option(
    "--max-runs",
    type=int,
    default=MAX_RUNS,
    show_default=True,
    help="Number of runs after which a pair stays undecided.",
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="Order of the examples in the test that errors are independent.",
)
@click.option(
    "--sensitivity/--no-sensitivity",
    default=True,
    show_default=True,
    help="Repeat the comparison for other sizes of the first sample.",
)
@random_state_option("samples")
@click.option(
    "--html", metavar="FILE", help="Write an HTML page with the curves and the tables; '-' for standard output."
)
@click.option("--plot", metavar="FILE", help="Plot codelength against sample size: .svg, .png or .pdf.")
@kind_options
@json_option
@threads_option
@file_options
def command(
    files: tuple[str, ...],
    learner: str,
    varied: tuple[str, ...],
    is_search: bool,
    generate: str | None,
    held_out: float,
    rounds: int,
    output: str | None,
    confidence: float | None,
    parameters: tuple[str, ...],
    metric: str,
    sensitivity: bool,
    random_state: int,
    html: str | None,
    plot: str | None,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Find the representation of the same examples that suits a learner best.

    Each FILE describes the same examples in the same order, in another representation; or --vary derives the
    representations from one file. The best representation has the shortest codelength: the bits of the hypothesis
    and of its corrections (ACR). Ctrl-C stops the comparison and shows what has been decided.

    This compares representations for one method; `casebase methods` compares the methods on one file.

    \b
    Examples:
      casebase compare --learner id3 pixels.csv strokes.csv --plot curves.svg
      casebase compare iris.csv --vary bins=3,5,10 --vary method=equal_width,equal_frequency
      casebase compare monks.csv --search -o better.csv
    """
    if is_search:
        paths = _paths_by_name(files)
        check_search(
            list(paths.values()), {"--vary": varied, "--plot": plot, "--json beside --html -": as_json and html == "-"}
        )
        given = {name: DataFile.from_options(path, options, threads).cases() for name, path in paths.items()}
        (cases,) = _apply_metric(given, metric).values()
        say_kinds(cases.schema)
        found = search(
            cases,
            output,
            html,
            list(paths.values()),
            learner=learner,
            parameters=_parameters(learner, parameters),
            generate=None if generate is None else [name.strip() for name in generate.split(",") if name.strip()],
            confidence=0.95 if confidence is None else confidence,
            held_out=held_out,
            max_rounds=rounds,
            max_runs=options["max_runs"],
            random_state=random_state,
            n_jobs=n_threads(threads),
        )
        show(found, as_json, _show)
        return
    for name, value in (("--generate", generate), ("--output", output)):
        if value is not None:
            raise click.UsageError(f"{name} goes with --search.")
    if as_json and html == "-":
        raise click.UsageError("--json and --html - both write to standard output: give --html a file.")
    axes = _axes(varied)
    paths = _paths_by_name(files)
    if axes and len(paths) > 1:
        raise click.UsageError(f"--vary derives representations from one file; got {len(paths)} files.")
    if not axes and len(paths) < 2:
        raise click.UsageError(
            "Give two or more files, one per representation of the same examples, or one file with --vary bins=3,5,10."
        )
    page = None if html is None else writable(html, *paths.values())
    picture = None if plot is None else writable(str(checked_name(plot)), *paths.values())
    if picture is not None:
        matplotlib()  # fails now, not after the comparison, if matplotlib is missing
    learner_parameters = _parameters(learner, parameters)
    representations = {name: DataFile.from_options(path, options, threads).cases() for name, path in paths.items()}
    for cases in representations.values():
        say_kinds(cases.schema)
    representations = _apply_metric(representations, metric)
    if axes:
        representations = vary(*representations.values(), **axes)
        if len(representations) < 2:
            only = next(iter(representations))
            raise CasebaseError(f"--vary gives only one representation ({only}): give two or more values.")
    how = {name: options[name] for name in ("first_size", "growth", "max_runs", "order")}
    with progress_bar("comparing") as progress:
        comparison = compare_representations(
            representations,
            learner=learner,
            parameters=learner_parameters,
            sensitivity=sensitivity,
            random_state=random_state,
            n_jobs=n_threads(threads),
            progress=progress,
            confidence=0.99 if confidence is None else confidence,
            **how,
        )
    if picture is not None:
        save(comparison.plot(), picture)
        say(f"Drawn to {picture}.")
    if html is not None:
        write_text(page, render_page(comparison))
        if page is not None:
            say(f"Written to {page}.")
    if as_json:
        print_json(comparison.to_dict())
    elif html != "-":
        _show(report_of(comparison))
    if comparison.was_interrupted:
        say("Interrupted: only finished runs count.")
        click.get_current_context().exit(130)


def _show(report: Report) -> None:
    out = console()
    out.print(report.headline, style="bold", markup=False)
    out.print(f"\n{_wrap(report.how)}\n", markup=False)
    for grid in report.grids:
        print_grid(out, grid)
        out.print(_wrap(grid.caption), style="dim", markup=False)
        out.print()
    for remark in report.remarks:
        out.print(_wrap(remark), markup=False)


def _wrap(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)


def _paths_by_name(files: Sequence[str]) -> dict[str, str]:
    """Return the path of each representation by name: the text before `=`, or the stem of the file."""
    pairs = []
    for text in files:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():  # a file may have `=` in its name
            pairs.append(("", text))
        elif not name or not path:
            raise click.UsageError(f"A representation is FILE or NAME=FILE; got {text!r}.")
        else:
            pairs.append((name, path))
    if sum(path == "-" for _, path in pairs) > 1:
        raise click.UsageError("Standard input can be read only once: give '-' for one representation only.")
    stems = Counter(_stem(path) for name, path in pairs if not name)
    paths: dict[str, str] = {}
    for name, path in pairs:
        # Files with the same stem in several folders keep their whole path as a name.
        name = name or (_stem(path) if stems[_stem(path)] == 1 else path)
        if name in paths:
            raise click.UsageError(f"Two representations are called {name!r}: name each, as in one={path} other=….")
        paths[name] = path
    return paths


def _stem(path: str) -> str:
    return "stdin" if path == "-" else Path(path.removesuffix(".gz")).stem


def _axes(varied: Sequence[str]) -> dict[str, list[str]]:
    """Parse the values of `--vary`, such as `bins=3,5,10`."""
    axes: dict[str, list[str]] = {}
    for text in varied:
        name, equals, values = text.partition("=")
        if name not in AXES:
            raise click.UsageError(f"--vary: {unknown_name('axis', name, AXES)}")
        parts = [value.strip() for value in values.split(",") if value.strip()]
        if not equals or not parts:
            raise click.UsageError(f"--vary takes a name and its values, such as {name}=…,…; got {text!r}.")
        axes.setdefault(name, []).extend(parts)
    return axes


def _parameters(learner: str, texts: Sequence[str]) -> dict[str, Any]:
    """Parse parameters such as `criterion=gain_ratio`; a value that is JSON (a number, true) is read as JSON."""
    known = list(method_named(learner).settings.public())
    parameters: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"--parameter takes NAME=VALUE; got {text!r}.")
        if name not in known:
            raise click.UsageError(unknown_name(f"parameter of {learner}", name, known))
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def _apply_metric(representations: dict[str, Cases], text: str) -> dict[str, Cases]:
    """Return the representations with the kinds that the metric gives to their features, where they have them."""
    metric = parse_metric(text)
    if isinstance(metric, str):
        return {name: resolve_metrics(cases, metric)[0] for name, cases in representations.items()}
    # A feature may be in some of the representations only, but not in none.
    known = dict.fromkeys(feature for cases in representations.values() for feature in cases.schema.names)
    unknown = next((feature for feature in metric if feature not in known), None)
    if unknown is not None:
        raise CasebaseError(unknown_name("feature", unknown, known))
    return {
        name: resolve_metrics(cases, {one: kind for one, kind in metric.items() if one in cases.schema.names})[0]
        for name, cases in representations.items()
    }
