"""casebase insert"""

import time
from typing import Any

import click

from casebase import persist
from casebase.cli.ids import ids_for
from casebase.cli.options import DataFile, file_options, threads_option, writable
from casebase.cli.output import counted, say
from casebase.cli.summary import size_of
from casebase.learners import correcting


@click.command("insert")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", metavar="OUT", help="Where to save the model; by default MODEL is replaced.")
@click.option(
    "--ids", metavar="FILE", help="The ids of the cases, one a line; by default numbers that follow the largest."
)
@threads_option
@file_options
def command(model: str, data: str, output: str | None, ids: str | None, threads: int | None, **options: Any) -> None:
    """Add the cases of DATA to MODEL, which is then the model of all of them.

    The model file is replaced only when the new one is complete.

    Example:  casebase insert words.cb more.tsv
    """
    path = writable(output or model)
    if path is None:
        raise click.UsageError("A model is not written to standard output; name a file with -o.")
    start = time.perf_counter()
    saved = persist.load(model)
    stored = correcting.correctable(saved.model)
    table, labels = DataFile.from_options(data, options, threads).labelled(stored.schema)
    larger = correcting.insert(stored, table, labels, ids=ids_for(stored, ids))
    persist.save(path, larger, persist.parameters_for(saved.parameters, larger.schema.classes))
    say(
        f"{saved.learner}: {counted(table.n_rows, 'case')} inserted; {size_of(larger)}; "
        f"{time.perf_counter() - start:.2f} s. Saved to {path}."
    )
