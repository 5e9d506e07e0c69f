"""casebase explain"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from casebase.about import about_model
from casebase.base.evidence import Explanation
from casebase.base.leave_out import explain_without_itself, rows_of_queries, stored_queries
from casebase.base.model import format_count
from casebase.cli.evidence import Display, html_option, with_known_classes
from casebase.cli.flips import FlipOptions, flip_options
from casebase.cli.ids import convert_ids
from casebase.cli.models import load_model
from casebase.cli.options import DataFile, file_options, id_column_option, json_option
from casebase.cli.output import say
from casebase.formats.line import line_table
from casebase.formats.source import STANDARD_INPUT
from casebase.render.page import TITLE

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
@click.option(
    "--id", "ids", multiple=True, metavar="ID", help="Explain a stored case, by its id, instead of a file. Repeatable."
)
@click.option(
    "--leave-out/--no-leave-out",
    default=None,
    help="Answer a stored case from the memory without it. By default so with --id; with DATA, a row is a stored case "
    "if it has the id of one.",
)
@flip_options
@html_option
@json_option
@id_column_option
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
               casebase explain titanic.cb --case 'sex=male, pclass=3'
               casebase explain words.cb --id 318
               casebase explain titanic.cb --case "3,male,25" --flip --freeze sex
    """
    asked_flip = FlipOptions.from_options(flip, to, freeze, flip_limit)
    if (data is not None) + (case is not None) + bool(ids) != 1:
        raise click.UsageError("Give DATA, or one case with --case, or stored cases with --id.")
    if case is not None and leave_out is not None:
        raise click.UsageError("--leave-out and --no-leave-out are for stored cases: --id, or rows of DATA.")
    display = Display.from_options(html, as_json, model, data)
    saved = load_model(model, model, data)
    learned = saved.model
    table, rows = None, None
    if ids:
        cases, rows = stored_queries(learned, convert_ids(learned, ids, "--id"))
    elif case is not None:
        cases = learned.schema.encode(line_table(case, learned.schema))
    else:
        cases, table = DataFile.from_options(str(data), options).queries(learned.schema)
    shown = np.arange(min(first or (SHOWN_CASES if display.is_text else cases.n_cases), cases.n_cases))
    some = cases.take(shown)
    evidence: Sequence[Explanation]
    title = TITLE
    left_out = None
    if leave_out or (ids and leave_out is None):
        left_out = (rows_of_queries(learned, cases) if rows is None else rows)[shown]
    if asked_flip is not None:
        evidence, title = asked_flip.flips(learned, some, left_out), "What would change these predictions"
    elif left_out is not None:
        evidence = with_known_classes(explain_without_itself(learned, some, left_out, limit=limit), cases, table)
    else:
        evidence = with_known_classes(learned.explain(some, limit=limit), cases, table)
    display.show(
        evidence,
        lambda: (
            about_model(learned, saved.data_file, len(saved.log)) | _about_queries(data, len(evidence), cases.n_cases)
        ),
        title,
        None if some.ids is None else some.ids.tolist(),
    )
    n_more = cases.n_cases - len(evidence)
    if display.is_text and n_more:
        say(f"\n{format_count(n_more, 'more case')}; --first N shows more, --json all.")


def _about_queries(data: str | None, n_explained: int, n_queries: int) -> dict[str, str]:
    """Return where the queries come from, and how many of them are explained."""
    some = "" if n_explained == n_queries else f"the first {n_explained:,} of "
    where = "" if data is None else f" in {STANDARD_INPUT if data == '-' else Path(data).name}"
    return {"Queries": f"{some}{format_count(n_queries, 'query')}{where}"}
