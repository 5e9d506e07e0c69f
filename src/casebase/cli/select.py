"""casebase select"""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from casebase.base.model import counted
from casebase.cli.methods import options_for, settings_from
from casebase.cli.options import (
    DataFile,
    file_options,
    json_option,
    metric_named,
    n_threads,
    refuse_given,
    threads_option,
    together,
    writable,
)
from casebase.cli.output import console, grid, print_json, say
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.measures.distances import compared_by
from casebase.measures.relief import N_NEIGHBOURS, by_weight, relief, selected
from casebase.measures.weights import used_features
from casebase.oblivious.draw.selection import draw_selection
from casebase.oblivious.elimination import SearchSettings, select
from casebase.render.drawing import checked_name, save
from casebase.render.feature_weights import draw_weights
from casebase.render.progress_bar import progress_bar, progress_to
from casebase.selection.focus import focus

OPTIONS_OF = {
    "oblivion": (*SearchSettings.public(), "plot"),
    "focus": ("max_size", "missing"),
    "relief": ("n_neighbors", "n_samples", "threshold", "keep", "random_state", "plot"),
}


def search_options(command: Any) -> Any:
    """Add the options of OBLIVION's search, as its settings have them."""
    command.__dict__.setdefault("__click_params__", []).extend(reversed(options_for(SearchSettings)))
    return command


NONE_HELPS = "No feature helps: the most frequent class is the best answer to every case."
NONE_ALONE = "No feature helps alone; what several tell together is found backward."

other_options = together(
    click.option("--max-size", type=int, help="FOCUS: how many features may be kept."),
    click.option(
        "--n-neighbors",
        type=int,
        default=N_NEIGHBOURS,
        show_default=True,
        help="RELIEF: near cases of each class that a case is compared with.",
    ),
    click.option(
        "--n-samples", type=int, help="RELIEF: how many cases are compared with their neighbours; all by default."
    ),
    click.option(
        "--threshold",
        type=float,
        default=0.0,
        show_default=True,
        help="RELIEF: features with a larger weight are kept.",
    ),
    click.option("--keep", type=int, metavar="N", help="RELIEF: keep this many features, whatever the threshold."),
)


@click.command("select")
@click.argument("data")
@click.option(
    "--method", type=click.Choice(list(OPTIONS_OF)), default="oblivion", show_default=True, help="The method."
)
@search_options
@other_options
@click.option(
    "--metric",
    default="overlap",
    show_default=True,
    metavar="NAME|FEATURE=NAME,…",
    help="As for train: which features are numeric or ignored.",
)
@click.option(
    "--plot", metavar="FILE", help="Draw OBLIVION's accuracy step by step, or RELIEF's weights: .svg, .png or .pdf."
)
@json_option
@threads_option
@file_options
def command(data: str, method: str, plot: str | None, as_json: bool, threads: int | None, **options: Any) -> None:
    """Find out which features of DATA matter.

    OBLIVION drops features as long as no more cases are answered wrongly, and prints every step with the accuracy that
    is estimated then; Ctrl-C ends the search and shows the best so far. FOCUS finds the smallest set that tells the
    classes apart, RELIEF weighs features by how near cases of different classes differ.

    Example:  casebase select plants.csv --target kind --plot steps.svg
    """
    others = {name for names in OPTIONS_OF.values() for name in names} - set(OPTIONS_OF[method])
    refuse_given(others, f"has no meaning for the method {method}.")
    picture = None if plot is None else writable(str(checked_name(plot)), data)
    cases, _ = compared_by(DataFile.from_options(data, options, threads).cases(), metric_named(options["metric"]))
    chosen = {name: options[name] for name in OPTIONS_OF[method] if name != "plot"}
    record, show = METHODS[method](cases, chosen, n_threads(threads), picture)
    record = {"method": method} | record
    if as_json:
        print_json(record)
        return
    show(record)
    out = console()
    for title in ("kept", "dropped"):
        names = record[title]
        out.print(f"{title} {len(names)}: {', '.join(names) if names else 'none'}", markup=False)
    if not record["kept"] and method != "relief":  # whose threshold may be too high
        out.print(NONE_ALONE if record.get("direction") == "forward" else NONE_HELPS)


Found = tuple[dict[str, Any], Callable[[dict[str, Any]], None]]


def _oblivion(cases: Cases, chosen: dict[str, Any], n_jobs: int, picture: str | None) -> Found:
    settings = settings_from(SearchSettings, chosen)
    assert isinstance(settings, SearchSettings)
    try:
        with progress_to("selecting") as progress:
            found = select(cases, settings, n_jobs=n_jobs, progress=progress)
    except KeyboardInterrupt:
        say("Interrupted before the first accuracy was known: there is no best so far.")
        raise click.exceptions.Exit(130) from None
    if found.was_interrupted:
        say(f"Interrupted after {counted(len(found.trials) - 1, 'step')}; this is the best so far.")
    if picture is not None:
        _draw(draw_selection(found, cases.schema, settings.direction), picture)
    held_out = "each case left out in turn" if settings.cv == "loo" else f"in {settings.cv} folds"
    return {"direction": settings.direction} | found.to_dict(cases), partial(_show_steps, held_out)


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


def _focus(cases: Cases, chosen: dict[str, Any], n_jobs: int, picture: str | None) -> Found:
    n_features = len(used_features(cases))
    with progress_to("selecting") as progress:
        found = focus(cases, **chosen, progress=lambda size, _: progress(size, n_features))
    if found.was_interrupted:
        say(f"Interrupted: these features are enough, but only sets of {list(found.sizes)} features are ruled out.")
    return _split(found.features, cases) | found.to_dict(cases.schema.names), _show_focus


def _show_focus(record: dict[str, Any]) -> None:
    out = console()
    conflicts = record["n_conflicts"]
    told = (
        "all classes are told apart"
        if not conflicts
        else f"{conflicts:,.6g} cases are in conflict, as with all features"
    )
    out.print(f"{told}; {counted(record['n_subsets'], 'set')} tried, of which {record['n_checked']:,} on the cases")
    out.print()


def _relief(cases: Cases, chosen: dict[str, Any], n_jobs: int, picture: str | None) -> Found:
    used, names = used_features(cases), cases.schema.names
    if chosen["keep"] is not None and not 0 <= chosen["keep"] <= len(used):
        raise CasebaseError(f"--keep is a number of features, from 0 to {len(used)}; got {chosen['keep']}.")
    with progress_bar("weighing", chosen["n_samples"] or cases.n_cases) as advance:
        weights = relief(
            cases,
            used,
            n_neighbours=chosen["n_neighbors"],
            n_samples=chosen["n_samples"],
            random_state=chosen["random_state"],
            n_jobs=n_jobs,
            progress=advance,
        )
    ranked = by_weight(cases, used, weights)
    kept = selected(weights, ranked, chosen["threshold"], chosen["keep"])
    if picture is not None:
        _draw(draw_weights([(names[i], float(weights[i]), i in kept) for i in ranked], "Weights of RELIEF"), picture)
    return _split(kept, cases) | {"weights": {names[i]: float(weights[i]) for i in ranked}}, _show_weights


def _show_weights(record: dict[str, Any]) -> None:
    out = console()
    weights = grid("feature", "weight")
    for name, weight in record["weights"].items():
        weights.add_row(name, f"{weight:.6f}")
    out.print(weights, markup=False)
    out.print()


def _split(kept: Any, cases: Cases) -> dict[str, Any]:
    used, names = used_features(cases), cases.schema.names
    return {
        "kept": [names[i] for i in used if i in kept],
        "dropped": [names[i] for i in used if i not in kept],
    }


METHODS: dict[str, Callable[[Cases, dict[str, Any], int, str | None], Found]] = {
    "oblivion": _oblivion,
    "focus": _focus,
    "relief": _relief,
}
