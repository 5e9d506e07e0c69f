"""casebase explain"""

from typing import Any

import click
import numpy as np

from casebase.base.leave_out import explain_without_itself, rows_of_queries, stored_queries
from casebase.base.model import format_count
from casebase.cli.evidence import Display, html_option
from casebase.cli.ids import convert_ids
from casebase.cli.models import load_model
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
@click.option(
    "--id", "ids", multiple=True, metavar="ID", help="Explain a stored case, by its id, instead of a file. Repeatable."
)
@click.option(
    "--leave-out/--no-leave-out",
    default=None,
    help="Answer a stored case from the memory without it. By default so with --id; with DATA, a row is a stored case "
    "if it has the id of one.",
)
@html_option
@json_option
@file_options
def command(
    model: str,
    data: str | None,
    case: str | None,
    ids: tuple[str, ...],
    leave_out: bool | None,
    limit: int,
    first: int | None,
    html: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Show the evidence behind MODEL's predictions for the cases of DATA.

    \b
    Examples:  casebase explain words.cb new.tsv --html why.html
               casebase explain words.cb --case "the old man"
               casebase explain words.cb --id 318
    """
    if (data is not None) + (case is not None) + bool(ids) != 1:
        raise click.UsageError("Give DATA, or one case with --case, or stored cases with --id.")
    if case is not None and leave_out is not None:
        raise click.UsageError("--leave-out and --no-leave-out are for stored cases: --id, or rows of DATA.")
    display = Display.from_options(html, as_json, model, data)
    learned = load_model(model, model, data).model
    rows = None
    if ids:
        cases, rows = stored_queries(learned, convert_ids(learned, ids, "--id"))
    elif case is not None:
        cases = _one_case(case, learned.schema)
    else:
        cases, _ = DataFile.from_options(str(data), options).queries(learned.schema)
    shown = np.arange(min(first or (SHOWN_CASES if display.is_text else cases.n_cases), cases.n_cases))
    some = cases.take(shown)
    if leave_out or (ids and leave_out is None):
        rows = rows_of_queries(learned, cases) if rows is None else rows
        evidence = explain_without_itself(learned, some, rows[shown], limit=limit)
    else:
        evidence = learned.explain(some, limit=limit)
    display.show(evidence)
    n_more = cases.n_cases - len(evidence)
    if display.is_text and n_more:
        say(f"\n{format_count(n_more, 'more case')}; --first N shows more, --json all.")


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
