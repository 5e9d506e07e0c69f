"""casebase select"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

from casebase.base.model import format_count
from casebase.base.settings import Settings
from casebase.cli.methods import MethodCommand, settings_from
from casebase.cli.options import (
    DataFile,
    file_options,
    found_kind_options,
    id_column_option,
    ignore_option,
    json_option,
    n_threads,
    parse_metric,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import console, grid, print_json, say, say_kinds
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.distances import resolve_metrics
from casebase.measures.weights import used_features
from casebase.oblivious.draw.selection import draw_selection
from casebase.oblivious.elimination import SearchSettings, select
from casebase.render.drawing import checked_name, save
from casebase.render.feature_weights import draw_weights
from casebase.render.progress_bar import progress_bar
from casebase.selection import focus, relief
from casebase.selection.subsets import kept_and_dropped
from casebase.trees import tested_features
from casebase.trees.c45 import TreeSettings

NONE_HELPS = "No feature helps: the most frequent class is the best answer to every case."
NONE_ALONE = "No feature helps alone; a backward search finds features that help only together."

Result = tuple[dict[str, Any], Callable[[dict[str, Any]], None]]  # the record, and the function that prints it


class SelectCommand(MethodCommand):
    """A command whose options depend on the selection method."""

    chooser = "--method"
    default = "oblivion"

    def methods(self) -> Iterable[str]:
        return SELECTORS

    def title_of(self, name: str) -> str:
        return SELECTORS[name].title

    def settings_of(self, name: str) -> type[Settings]:
        return SELECTORS[name].settings


@click.command("select", cls=SelectCommand)
@click.argument("data")
@click.option(
    "--method",
    type=click.Choice(["oblivion", "focus", "relief", "c45"]),
    default="oblivion",
    show_default=True,
    help="Selection method.",
)
@click.option(
    "--metric",
    default="overlap",
    show_default=True,
    metavar="NAME|FEATURE=NAME,…",
    help="Metric, as for train: it says which features are numeric or ignored.",
)
@click.option(
    "--plot", metavar="FILE", help="Plot OBLIVION's accuracy per step, or RELIEF's weights: .svg, .png or .pdf."
)
@found_kind_options
@ignore_option
@id_column_option
@json_option
@threads_option
@file_options
def command(data: str, method: str, plot: str | None, as_json: bool, threads: int | None, **options: Any) -> None:
    """Select the features of DATA that matter.

    OBLIVION drops features while no more cases are misclassified, and prints the estimated accuracy after every step;
    Ctrl-C stops the search and shows the best set so far. FOCUS finds the smallest set that separates the classes.
    RELIEF weights features by how much near cases of different classes differ in them. C4.5 keeps the features that a
    decision tree tests.

    Example:  casebase select plants.csv --target kind --plot steps.svg
    """
    selector = SELECTORS[method]
    if not selector.draws:
        refuse_given(["plot"], f"has no meaning for the method {method}.")
    picture = None if plot is None else writable(str(checked_name(plot)), data)
    cases = DataFile.from_options(data, options, threads).cases()
    say_kinds(cases.schema)
    cases, _ = resolve_metrics(cases, parse_metric(options["metric"]))
    settings = settings_from(selector.settings, options)
    record, show = selector.run(cases, settings, n_threads(threads), picture)
    record = {"method": method} | record
    if as_json:
        print_json(record)
        return
    show(record)
    out = console()
    for title in ("kept", "dropped"):
        names = record[title]
        out.print(f"{title} {len(names)}: {', '.join(names) if names else 'none'}", markup=False)
    if not record["kept"] and method not in (
        "relief",
        "c45",
    ):  # the threshold may be too high, and a tree may be pruned to one leaf
        out.print(NONE_ALONE if record.get("direction") == "forward" else NONE_HELPS)


def _oblivion(cases: Cases, settings: SearchSettings, n_jobs: int, picture: str | None) -> Result:
    try:
        with progress_bar("selecting") as progress:
            found = select(cases, settings, n_jobs=n_jobs, progress=progress)
    except KeyboardInterrupt:
        say("Interrupted before the first accuracy was estimated: there is no result yet.")
        raise click.exceptions.Exit(130) from None
    if found.was_interrupted:
        say(f"Interrupted after {format_count(len(found.trials) - 1, 'step')}; this is the best set so far.")
    if picture is not None:
        _draw(draw_selection(found, cases.schema, settings.direction), picture)
    held_out = "each case left out in turn" if settings.cv == "loo" else f"in {settings.cv} folds"
    if settings.beam > 1:
        held_out += f"; the best {settings.beam} sets kept after each step"
    return {"direction": settings.direction, "beam": settings.beam} | found.to_dict(cases), partial(
        _show_steps, held_out
    )


def _draw(figure: Any, path: str) -> None:
    save(figure, path)
    say(f"Drawn to {path}.")


def _show_steps(held_out: str, record: dict[str, Any]) -> None:
    out = console()
    is_backward = record["direction"] == "backward"
    steps = grid("dropped" if is_backward else "added", "features", "errors", "accuracy")
    for step in record["steps"]:
        name = step["feature"] if step["feature"] is not None else "(all features)" if is_backward else "(none)"
        steps.add_row(name, str(step["n_features"]), f"{step['errors']:,.6g}", f"{step['accuracy']:.4f}")
    out.print(steps, markup=False)
    out.print(f"(accuracy of OBLIVION's abstract cases, {held_out})\n", markup=False)


def _focus(cases: Cases, settings: focus.Settings, n_jobs: int, picture: str | None) -> Result:
    with progress_bar("selecting") as progress:
        found = focus.focus(cases, settings, progress=progress)
    if found.was_interrupted:
        say(f"Interrupted: these features suffice, but only sets of {list(found.sizes)} features are ruled out.")
    return found.to_dict(cases), _show_focus


def _show_focus(record: dict[str, Any]) -> None:
    out = console()
    conflicts = record["n_conflicts"]
    outcome = (
        f"{conflicts:,.6g} {'case is' if conflicts == 1 else 'cases are'} in conflict, as with all features"
        if conflicts
        else "all classes are told apart"
    )
    out.print(
        f"{outcome}; {format_count(record['n_subsets'], 'set')} tried, of which {record['n_checked']:,} on the cases"
    )
    out.print()


def _relief(cases: Cases, settings: relief.Settings, n_jobs: int, picture: str | None) -> Result:
    n_used, n_kept, names = len(used_features(cases)), settings.n_features_to_select, cases.schema.names
    if n_kept is not None and n_kept > n_used:
        raise CasebaseError(f"--keep is a number of features, from 0 to {n_used}; got {n_kept}.")
    with progress_bar("weighing") as progress:
        found = relief.select(cases, settings, n_jobs=n_jobs, progress=progress)
    if picture is not None:
        bars = [(names[i], float(found.weights[i]), i in found.features) for i in found.ranked]
        _draw(draw_weights(bars, "Weights of RELIEF"), picture)
    return found.to_dict(cases), _show_weights


def _show_weights(record: dict[str, Any]) -> None:
    out = console()
    weights = grid("feature", "weight")
    for name, weight in record["weights"].items():
        weights.add_row(name, f"{weight:.6f}")
    out.print(weights, markup=False)
    out.print()


def _c45(cases: Cases, settings: TreeSettings, n_jobs: int, picture: str | None) -> Result:
    found = tested_features.select(cases, settings)
    return kept_and_dropped(found.features, cases) | found.to_dict(), _show_tests


def _show_tests(record: dict[str, Any]) -> None:
    out = console()
    tests = grid("feature", "tests", "first level", "cases")
    for one in record["tested"]:
        tests.add_row(one["feature"], str(one["n_tests"]), str(one["first_level"]), f"{one['n_cases']:,.6g}")
    if record["tested"]:
        out.print(tests, markup=False)
    out.print(f"(a C4.5 tree of {format_count(record['n_nodes'], 'node')})\n", markup=False)


@dataclass(frozen=True)
class Selector:
    """A selection method: its settings, the function that runs it, and whether it can draw a picture."""

    title: str
    settings: type[Settings]
    run: Callable[[Cases, Any, int, str | None], Result]
    draws: bool


SELECTORS = {
    "oblivion": Selector("OBLIVION: drop features while accuracy does not fall", SearchSettings, _oblivion, True),
    "focus": Selector("FOCUS: smallest set of features that separates the classes", focus.Settings, _focus, False),
    "relief": Selector(
        "RELIEF: weights from near cases of the same and of other classes", relief.Settings, _relief, True
    ),
    "c45": Selector("C4.5: the features that a decision tree tests", TreeSettings, _c45, False),
}
