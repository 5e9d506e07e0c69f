"""casebase explain"""

from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.cli.options import DataFile, file_options, json_option, writable
from casebase.cli.output import print_json, say, write_text
from casebase.data import Cases, Schema
from casebase.errors import SchemaError
from casebase.render.page import render_html
from casebase.render.text import render_text

SHOWN_CASES = 20


@click.command("explain")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "--case",
    "case",
    metavar='"V1 V2 …"',
    help="One case instead of a file: its values, separated by blanks, tabs or commas.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many cases to list per answer.",
)
@click.option(
    "--first",
    type=click.IntRange(min=1),
    help=f"Explain only the first N cases of DATA ({SHOWN_CASES} unless --json or --html).",
)
@click.option("--html", metavar="FILE", help="Write a page instead of text; '-' for standard output.")
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
    **options: Any,
) -> None:
    """Show the evidence for MODEL's answers to the cases of DATA.

    \b
    Examples:  casebase explain words.cb new.tsv --html why.html
               casebase explain words.cb --case "the old man"
    """
    if (data is None) == (case is None):
        raise click.UsageError("Give DATA, or one case with --case.")
    if as_json and html == "-":
        raise click.UsageError("--json and --html - both want standard output.")
    page = writable(html, model, data) if html is not None else None
    learned = methods.load(model).model
    if case is not None:
        cases = _one_case(case, learned.schema)
    else:
        cases, _ = DataFile.from_options(str(data), options).queries(learned.schema)
    n_shown = first or (cases.n_cases if as_json or html is not None else SHOWN_CASES)
    evidence = learned.explain(cases.take(np.arange(min(n_shown, cases.n_cases))), limit=limit)
    if as_json:
        print_json([record.to_dict() for record in evidence])
    if html is not None:
        write_text(page, render_html(evidence))
        if page is not None:
            say(f"Written to {page}.")
    elif not as_json:
        click.echo("\n\n".join(render_text(record) for record in evidence))
        if len(evidence) < cases.n_cases:
            say(f"\n{cases.n_cases - len(evidence):,} more cases; --first N shows more, --json all.")


def _one_case(text: str, schema: Schema) -> Cases:
    """Return the case whose values are separated by TABs, commas or blanks, whichever gives one value per feature."""
    splits = [[value.strip() for value in text.split(separator)] for separator in ("\t", ",", None)]
    values = next((split for split in splits if len(split) == len(schema.features)), None)
    if values is None:
        got = max(splits, key=len) if text.strip() else []
        raise SchemaError(
            f"Expected {len(schema.features)} values ({', '.join(schema.names)}), "
            f"got {len(got)}{': ' if got else ''}{', '.join(got)}."
        )
    return schema.encode([values])
