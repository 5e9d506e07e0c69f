"""casebase select"""

from typing import Any

import click

from casebase.cli.options import (
    SEARCH_PARAMETERS,
    DataFile,
    file_options,
    folds_named,
    json_option,
    n_threads,
    search_options,
    threads_option,
    writable,
)
from casebase.cli.output import console, counted, grid, print_json, say
from casebase.data import Schema
from casebase.drawing import checked_name, save
from casebase.learners.eliminating import Selection, select
from casebase.pictures.selection_curve import draw_selection
from casebase.progress import progress_to


@click.command("select")
@click.argument("data")
@search_options
@click.option("--missing", type=click.Choice(["value", "unknown"]), default="value", show_default=True,
              help="Whether a missing value is a value like any other or agrees with nothing.")  # fmt: skip
@click.option("--plot", metavar="FILE", help="Draw the accuracy after every step: .svg, .png or .pdf.")
@json_option
@threads_option
@file_options
def command(data: str, missing: str, plot: str | None, as_json: bool, threads: int | None, **options: Any) -> None:
    """Find out which features of DATA matter: OBLIVION drops those without which no more cases are answered wrongly.

    Prints every step with the accuracy that is estimated then, and the features kept. Ctrl-C ends the search and shows
    the best so far.

    Example:  casebase select plants.csv --target kind --plot steps.svg
    """
    picture = None if plot is None else writable(str(checked_name(plot)))
    cases = DataFile.from_options(data, options, threads).cases()
    parameters = {name: options[name] for name in SEARCH_PARAMETERS}
    parameters["cv"] = folds_named(parameters.pop("folds"))
    with progress_to("selecting") as progress:
        found = select(cases, **parameters, missing=missing, n_jobs=n_threads(threads), progress=progress)
    record = as_record(found, cases.schema, options["direction"])
    if as_json:
        print_json(record)
    else:
        _show(record)
    if found.was_interrupted:
        say(f"Interrupted after {counted(len(found.trials) - 1, 'step')}; this is the best so far.")
    if picture is not None:
        save(draw_selection(found, cases.schema, options["direction"]), picture)
        say(f"Drawn to {picture}.")


def as_record(found: Selection, schema: Schema, direction: str) -> dict[str, Any]:
    """Return a selection as `--json` prints it."""
    names = schema.names
    return {
        "method": "oblivion",
        "direction": direction,
        "kept": [names[i] for i in found.kept],
        "dropped": [name for i, name in enumerate(names) if i not in found.kept],
        "accuracy": found.accuracy(found.trials[-1]),
        "steps": [
            {
                "feature": None if trial.feature is None else names[trial.feature],
                "n_features": trial.n_features,
                "errors": trial.errors,
                "accuracy": found.accuracy(trial),
            }
            for trial in found.trials
        ],
        "otherwise": {names[i]: errors for i, errors in found.otherwise.items()},
        "ranking": dict(zip(names, found.ranking.tolist())),
        "was_interrupted": found.was_interrupted,
    }


def _show(record: dict[str, Any]) -> None:
    out = console()
    is_backward = record["direction"] == "backward"
    steps = grid("dropped" if is_backward else "added", "features", "errors", "accuracy")
    for step in record["steps"]:
        name = step["feature"] if step["feature"] is not None else "(all features)" if is_backward else "(none)"
        steps.add_row(name, str(step["n_features"]), f"{step['errors']:,.6g}", f"{step['accuracy']:.4f}")
    out.print(steps, markup=False)
    out.print()
    for title in ("kept", "dropped"):
        names = record[title]
        out.print(f"{title} {len(names)}: {', '.join(names) if names else 'none'}", markup=False)
    if not record["kept"]:
        out.print("No feature helps: the most frequent class is the best answer to every case.")
