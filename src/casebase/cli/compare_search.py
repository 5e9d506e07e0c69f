"""casebase compare --search: derive representations, keep what is better, check with held-out examples."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from casebase.cli.options import writable
from casebase.cli.output import print_json, say, write_text
from casebase.data import Cases
from casebase.data.columns import spelling
from casebase.errors import CasebaseError
from casebase.formats.written import row_writer
from casebase.render.progress_bar import progress_bar
from casebase.render.report import Report
from casebase.representations.found import Found
from casebase.representations.search import search_representations


def check_search(paths: Sequence[str], others: Mapping[str, object]) -> None:
    """Refuse several files, and options that a search does not have."""
    if len(paths) != 1:
        raise click.UsageError(f"--search derives representations from one file; got {len(paths)} files.")
    given = [name for name, value in others.items() if value]
    if given:
        raise click.UsageError(f"{given[0]} does not go with --search.")


def search(
    cases: Cases,
    output: str | None,
    html: str | None,
    inputs: Sequence[str],
    **options: Any,
) -> Found:
    """Run a search and write what was asked for; `inputs` are files that must not be overwritten."""
    if output is not None and Path(output).suffix.lower() != ".csv":
        raise CasebaseError(f"The examples are written as .csv; {output} has another ending.")
    table = None if output is None else writable(output, *inputs)
    page = None if html is None else writable(html, *inputs)
    with progress_bar("searching") as progress:
        found = search_representations(cases, progress=progress, **options)
    if table is not None:
        write_text(table, _as_csv(found.cases))
        say(f"Written to {table}.")
    if html is not None:
        write_text(page, found.report().page("Which representation?", ""))
        if page is not None:
            say(f"Written to {page}.")
    return found


def show(found: Found, as_json: bool, render: Any) -> None:
    """Print what was found; an interruption is the exit code."""
    if as_json:
        print_json(found.to_dict())
    else:
        report: Report = found.report()
        render(report)
    if found.was_interrupted:
        click.get_current_context().exit(130)


def _as_csv(cases: Cases) -> str:
    text = io.StringIO()
    writer = row_writer(text)
    classes, labels = cases.schema.classes, cases.known_labels.tolist()
    writer.writerow([*cases.schema.names, cases.schema.target])
    for i, label in enumerate(labels):
        writer.writerow([*("" if value is None else spelling(value) for value in cases.values(i)), classes[label]])
    return text.getvalue()
