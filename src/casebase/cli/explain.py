"""casebase explain"""

from collections.abc import Sequence
from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.base.evidence import Explanation
from casebase.cli.evidence import Display, html_option
from casebase.cli.flips import FlipOptions, flip_options
from casebase.cli.options import DataFile, file_options, json_option
from casebase.cli.output import say
from casebase.data import Cases, Schema
from casebase.errors import SchemaError

SHOWN_CASES = 20


@click.command("explain")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "--case",
    "case",
    metavar='"V1 V2 …"',
    help="Explain one case instead of a file: its values, separated by spaces, tabs or commas.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Cases to list per prediction.",
)
@click.option(
    "--first",
    type=click.IntRange(min=1),
    help=f"Explain the first N cases of DATA; by default {SHOWN_CASES}, or all with --json or --html.",
)
@flip_options
@html_option
@json_option
@file_options
def command(
    model: str,
    data: str | None,
    case: str | None,
    limit: int,
    first: int | None,
    html: str | None,
    as_json: bool,
    flip: bool,
    to: str | None,
    freeze: str | None,
    flip_limit: int | None,
    **options: Any,
) -> None:
    """Show the evidence behind MODEL's predictions for the cases of DATA.

    \b
    Examples:  casebase explain words.cb new.tsv --html why.html
               casebase explain words.cb --case "the old man"
               casebase explain titanic.cb --case "3,male,25" --flip --freeze sex
    """
    asked_flip = FlipOptions.from_options(flip, to, freeze, flip_limit)
    if (data is None) == (case is None):
        raise click.UsageError("Give DATA, or one case with --case.")
    display = Display.from_options(html, as_json, model, data)
    learned = methods.load(model).model
    if case is not None:
        cases = _one_case(case, learned.schema)
    else:
        cases, _ = DataFile.from_options(str(data), options).queries(learned.schema)
    n_shown = first or (SHOWN_CASES if display.is_text else cases.n_cases)
    shown = cases.take(np.arange(min(n_shown, cases.n_cases)))
    evidence: Sequence[Explanation] = (
        learned.explain(shown, limit=limit) if asked_flip is None else asked_flip.flips(learned, shown)
    )
    if asked_flip is None:
        display.show(evidence)
    else:
        display.show(evidence, "What would change these predictions")
    if display.is_text and len(evidence) < cases.n_cases:
        say(f"\n{cases.n_cases - len(evidence):,} more cases; --first N shows more, --json all.")


def _one_case(text: str, schema: Schema) -> Cases:
    """Return the case whose values are separated by tabs, commas or spaces, whichever gives one value per feature."""
    splits = [[value.strip() for value in text.split(separator)] for separator in ("\t", ",", None)]
    values = next((split for split in splits if len(split) == len(schema.column_names)), None)
    if values is None:
        got = max(splits, key=len) if text.strip() else []
        raise SchemaError(
            f"Expected {len(schema.column_names)} values ({', '.join(schema.column_names)}), "
            f"got {len(got)}{': ' if got else ''}{', '.join(got)}."
        )
    return schema.encode([values])
