"""casebase insert"""

import time
from typing import Any

import click

from casebase import methods
from casebase.base.log import Author
from casebase.base.model import format_count
from casebase.base.parameters import parameters_for
from casebase.base.threads import n_cores
from casebase.cli.changes import hold
from casebase.cli.ids import ids_for
from casebase.cli.models import load_model
from casebase.cli.options import DataFile, author_options, file_options, id_column_option, threads_option, writable
from casebase.cli.output import say
from casebase.confidence import calibration_after
from casebase.errors import CasebaseError
from casebase.neighbours import correction, logged_correction


@click.command("insert")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", metavar="OUT", help="Save the new model here; by default it replaces MODEL.")
@click.option(
    "--ids", metavar="FILE", help="Read the ids of the cases, one per line; by default count on from the largest id."
)
@id_column_option
@author_options
@threads_option
@file_options
def command(
    model: str,
    data: str,
    output: str | None,
    ids: str | None,
    by: str | None,
    note: str | None,
    threads: int | None,
    **options: Any,
) -> None:
    """Add the cases of DATA to MODEL.

    The result equals a model trained on all cases at once, and the file has an entry in its log. It is replaced only
    when the new one is complete.

    \b
    Examples:  casebase insert words.cb more.tsv
               casebase insert words.cb more.tsv --by ann --note "second delivery"
    """
    path = writable(output or model, data, ids)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    start = time.perf_counter()
    saved = load_model(model, model, data, ids)
    stored = correction.correctable(saved.model)
    table, labels = DataFile.from_options(data, options, threads).labelled(stored.schema)
    if ids is not None and table.ids is not None:
        raise click.UsageError("--ids and --id-column exclude each other.")
    new_ids = ids_for(stored, ids, table.n_rows) if table.ids is None else table.ids
    try:
        larger, log = logged_correction.insert(stored, saved.log, table, labels, ids=new_ids, author=Author(by, note))
    except CasebaseError as error:
        raise type(error)(f"{data}: {error}") from error
    calibration = calibration_after(saved, larger, n_jobs=n_cores())
    own = parameters_for(saved.estimator, larger.schema.classes)
    methods.save(path, larger, own, calibration=calibration, log=log)
    say(
        f"{saved.method.name}: {format_count(table.n_rows, 'case')} inserted; {larger.summary().size}; "
        f"{time.perf_counter() - start:.2f} s. Saved to {path}."
    )
