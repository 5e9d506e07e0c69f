"""casebase compare"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from casebase.cli.options import (
    DataFile,
    file_options,
    json_option,
    metric_named,
    n_threads,
    random_state_option,
    threads_option,
    writable,
)
from casebase.cli.output import console, print_grid, print_json, say, write_text
from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name
from casebase.measures.distances import resolve_metrics
from casebase.methods import method_named
from casebase.render.drawing import checked_name, matplotlib, save
from casebase.render.progress_bar import progress_bar
from casebase.representations import summary
from casebase.representations.comparison import GROWTH, MAX_RUNS, ORDERS, compare_representations
from casebase.representations.generators import vary
from casebase.representations.learners import comparable
from casebase.representations.page import render_page
from casebase.representations.record import Comparison

AXES = ("bins", "method", "window", "ngrams", "features")
WIDTH = 118


@click.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]FILE… | DATA")
@click.option(
    "--learner",
    type=click.Choice(comparable()),
    default="id3",
    show_default=True,
    help="The method that is to learn from the representations.",
)
@click.option(
    "--vary",
    "varied",
    multiple=True,
    metavar="WHAT=V1,V2,…",
    help=f"Make representations of DATA: {', '.join(AXES)}. May be repeated.",
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the learner; may be repeated.",
)
@click.option(
    "--metric",
    metavar="NAME|FEATURE=NAME,…",
    default="overlap",
    show_default=True,
    help="As for train: which features are numeric or ignored.",
)
@click.option(
    "--first-size", type=int, metavar="N", help="Examples in the first sample; by default 4·√n of n examples."
)
@click.option(
    "--growth",
    type=float,
    default=GROWTH,
    show_default="1.414",
    help="How many times larger each sample is than the one before.",
)
@click.option(
    "--confidence", type=float, default=0.99, show_default=True, help="Confidence level of the tests that decide."
)
@click.option(
    "--max-runs", type=int, default=MAX_RUNS, show_default=True, help="After this many runs a pair is left undecided."
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="The order in which errors are tested for independence.",
)
@click.option(
    "--sensitivity/--no-sensitivity",
    default=True,
    show_default=True,
    help="Whether other sizes of the first sample are tried, too.",
)
@random_state_option("samples")
@click.option("--html", metavar="FILE", help="Write a page with the curves and the tables; '-' for standard output.")
@click.option("--plot", metavar="FILE", help="Draw the codelength against the sample size: .svg, .png or .pdf.")
@json_option
@threads_option
@file_options
def command(
    files: tuple[str, ...],
    learner: str,
    varied: tuple[str, ...],
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
    """Find out which representation of the same examples suits a learner best.

    Each FILE has the same examples in the same order, told in another way; or --vary makes the representations of one
    file. The best one lets the learner say all examples in the fewest bits: hypothesis and corrections (ACR). Ctrl-C
    ends the comparison and shows what is decided.

    \b
    Examples:
      casebase compare --learner id3 pixels.csv strokes.csv --plot curves.svg
      casebase compare iris.csv --vary bins=3,5,10 --vary method=equal_width,equal_frequency
    """
    if as_json and html == "-":
        raise click.UsageError("--json and --html - both want standard output.")
    axes = _axes(varied)
    named = _named(files)
    if axes and len(named) > 1:
        raise click.UsageError(f"--vary makes representations of one file; got {len(named)}.")
    if not axes and len(named) < 2:
        raise click.UsageError(
            "Give two files or more, one per representation of the same examples, or one with --vary bins=3,5,10."
        )
    page = None if html is None else writable(html, *named.values())
    picture = None if plot is None else writable(str(checked_name(plot)), *named.values())
    if picture is not None:
        matplotlib()  # without it there is no picture, whatever was found
    given = _parameters(learner, parameters)
    made = {name: DataFile.from_options(path, options, threads).cases() for name, path in named.items()}
    made = _compared(made, metric)
    if axes:
        made = vary(*made.values(), **axes)
        if len(made) < 2:
            raise CasebaseError(f"--vary makes one representation only ({next(iter(made))}): give two values or more.")
    how = {name: options[name] for name in ("first_size", "growth", "confidence", "max_runs", "order")}
    with progress_bar("comparing") as progress:
        found = compare_representations(
            made,
            learner=learner,
            parameters=given,
            sensitivity=sensitivity,
            random_state=random_state,
            n_jobs=n_threads(threads),
            progress=progress,
            **how,
        )
    if picture is not None:
        save(found.plot(), picture)
        say(f"Drawn to {picture}.")
    if html is not None:
        write_text(page, render_page(found))
        if page is not None:
            say(f"Written to {page}.")
    if as_json:
        print_json(found.to_dict())
    elif html != "-":
        _show(found)
    if found.was_interrupted:
        say("Interrupted: only the runs that were finished are counted.")
        click.get_current_context().exit(130)


def _show(found: Comparison) -> None:
    out = console()
    out.print(summary.headline(found), style="bold", markup=False)
    out.print(f"\n{_wrapped(summary.how(found))}\n", markup=False)
    for shown in summary.grids(found):
        print_grid(out, shown)
        out.print(_wrapped(shown.caption), style="dim", markup=False)
        out.print()
    for remark in summary.remarks(found):
        out.print(_wrapped(remark), markup=False)


def _wrapped(text: str) -> str:
    return fill(text, WIDTH, break_on_hyphens=False)


def _named(files: Sequence[str]) -> dict[str, str]:
    """Return the files by the names of their representations: what stands before `=`, or the name of the file."""
    pairs = []
    for text in files:
        name, is_given, path = text.partition("=")
        if not is_given or Path(text).exists():
            pairs.append(("", text))
        elif not name or not path:
            raise click.UsageError(f"A representation is FILE or NAME=FILE; got {text!r}.")
        else:
            pairs.append((name, path))
    if sum(path == "-" for _, path in pairs) > 1:
        raise click.UsageError("Standard input can be read once: give '-' for one representation only.")
    stems = Counter(_stem(path) for name, path in pairs if not name)
    named: dict[str, str] = {}
    for name, path in pairs:
        name = name or (_stem(path) if stems[_stem(path)] == 1 else path)  # files of one name in several folders
        if name in named:
            raise click.UsageError(f"Two representations are called {name!r}: name each, as in one={path} other=….")
        named[name] = path
    return named


def _stem(path: str) -> str:
    return "stdin" if path == "-" else Path(path.removesuffix(".gz")).stem


def _axes(varied: Sequence[str]) -> dict[str, list[str]]:
    """Return what is to be varied, from texts such as `bins=3,5,10`."""
    axes: dict[str, list[str]] = {}
    for text in varied:
        name, is_given, values = text.partition("=")
        if name not in AXES:
            raise click.UsageError(f"--vary: {unknown_name('way', name, AXES)}")
        listed = [value.strip() for value in values.split(",") if value.strip()]
        if not is_given or not listed:
            raise click.UsageError(f"--vary takes what and its values, such as {name}=…,…; got {text!r}.")
        axes.setdefault(name, []).extend(listed)
    return axes


def _parameters(learner: str, given: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of a learner, from texts such as `criterion=gain_ratio`; numbers and true are JSON."""
    known = list(method_named(learner).settings.public())
    parameters: dict[str, Any] = {}
    for text in given:
        name, is_given, value = text.partition("=")
        if not is_given:
            raise click.UsageError(f"--parameter takes NAME=VALUE; got {text!r}.")
        if name not in known:
            raise click.UsageError(unknown_name(f"parameter of {learner}", name, known))
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    return parameters


def _compared(made: dict[str, Cases], metric: str) -> dict[str, Cases]:
    """Return the representations with each feature of the kind that was asked for, where they have it."""
    asked = metric_named(metric)
    if not isinstance(asked, dict):
        return {name: resolve_metrics(cases, asked)[0] for name, cases in made.items()}
    known = dict.fromkeys(feature for cases in made.values() for feature in cases.schema.names)
    unknown = next((feature for feature in asked if feature not in known), None)
    if unknown is not None:
        raise CasebaseError(unknown_name("feature", unknown, known))
    return {
        name: resolve_metrics(cases, {one: kind for one, kind in asked.items() if one in cases.schema.names})[0]
        for name, cases in made.items()
    }
