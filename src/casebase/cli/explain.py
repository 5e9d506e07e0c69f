"""casebase explain"""

from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.cli.evidence import Display, html_option
from casebase.cli.options import DataFile, file_options, id_column_option, json_option
from casebase.cli.output import say
from casebase.formats.line import line_table

SHOWN_CASES = 20


@click.command("explain")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "--case",
    "case",
    metavar="LINE",
    help="Explain one case instead of a file: a line as in the training file (an empty field is missing), or values by "
    "name, 'sex=male, pclass=3'; columns that are not named are missing.",
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
@html_option
@json_option
@id_column_option
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
    """Show the evidence behind MODEL's predictions for the cases of DATA.

    \b
    Examples:  casebase explain words.cb new.tsv --html why.html
               casebase explain words.cb --case "the old man"
               casebase explain titanic.cb --case 'sex=male, pclass=3'
    """
    if (data is None) == (case is None):
        raise click.UsageError("Give DATA, or one case with --case.")
    display = Display.from_options(html, as_json, model, data)
    learned = methods.load(model).model
    if case is not None:
        cases = learned.schema.encode(line_table(case, learned.schema))
    else:
        cases, _ = DataFile.from_options(str(data), options).queries(learned.schema)
    n_shown = first or (SHOWN_CASES if display.is_text else cases.n_cases)
    asked = cases.take(np.arange(min(n_shown, cases.n_cases)))
    evidence = learned.explain(asked, limit=limit)
    display.show(evidence, None if asked.ids is None else asked.ids.tolist())
    if display.is_text and len(evidence) < cases.n_cases:
        say(f"\n{cases.n_cases - len(evidence):,} more cases; --first N shows more, --json all.")
