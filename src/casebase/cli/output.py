"""Output of commands: results go to standard output, messages and progress to standard error."""

import json
import shutil
import sys
from typing import Any

import click
from rich.console import Console
from rich.table import Table as Grid

from casebase.data import Schema, kinds
from casebase.errors import CasebaseError
from casebase.leftovers import whole_file
from casebase.render import grids
from casebase.render.text import WIDTH
from casebase.render.words import printable
from casebase.terminal import harmless, harmless_json


def text_width() -> int:
    """Return the width of text: that of the terminal, or 100 columns in a pipe or a file, which others read."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def echo(text: str = "") -> None:
    """Print text for people: of what data have in it, a terminal obeys nothing."""
    click.echo(harmless(text))


def say(message: str) -> None:
    """Print a message to standard error."""
    click.echo(harmless(message), err=True)


def say_kinds(schema: Schema) -> None:
    """Print the kinds of the columns in one line, and a warning for each risky choice, if kinds were asked for."""
    if schema.kinds:
        say(f"columns: {kinds.summary_of(schema.kinds)}")
        for warning in kinds.warnings_of(schema.kinds):
            say(f"Warning: {warning}")


def print_json(record: Any) -> None:
    click.echo(harmless_json(json.dumps(record, ensure_ascii=False, indent=2)))


class PipedConsole(Console):
    """A console that raises when its reader closes the pipe, which the command group handles.

    Text is printed as it is, but for what a terminal would obey: no markup, no names of pictures, no links.
    """

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(harmless(one) if isinstance(one, str) else one for one in objects), **options)


def console(*, stderr: bool = False) -> Console:
    """Return a console, of standard output unless `stderr`, that does not truncate piped output."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return PipedConsole(width=width, markup=False, emoji=False, highlight=False, soft_wrap=False, stderr=stderr)


class TextGrid(Grid):
    """A table of text in which a cell is one line, whatever the data have in it."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*(printable(cell) if isinstance(cell, str) else cell for cell in cells), **options)


def grid(*columns: str, title: str | None = None, first_left: int = 1) -> Grid:
    """Return an empty table: the first columns are left-aligned text, the others numbers."""
    shown = None if title is None else printable(title)
    table = TextGrid(title=shown, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        table.add_column(printable(column), justify="left" if i < first_left else "right", overflow="fold")
    return table


def print_grid(out: Console, text_grid: grids.Grid) -> None:
    """Print a grid of text, words left-aligned and numbers right-aligned."""
    table = grid(*text_grid.header, title=text_grid.title, first_left=text_grid.n_left)
    for i, column in enumerate(table.columns):
        column.justify = "left" if text_grid.is_left(i) else "right"
    for row in text_grid.rows:
        table.add_row(*row)
    out.print(table, markup=False)


def write_text(path: str | None, text: str) -> None:
    """Write results to a file, or to standard output if the path is None; a terminal gets nothing that it obeys."""
    if path is None:
        sys.stdout.write(harmless(text) if sys.stdout.isatty() else text)
        sys.stdout.flush()
        return
    try:
        with whole_file(path) as place:
            place.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CasebaseError(f"Cannot write {path}: {error.strerror}.") from error
