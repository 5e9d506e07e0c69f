"""Options that several commands share, and the values they stand for."""

import csv
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from casebase.base.threads import n_cores
from casebase.batches.questions import Questions, errors_in, shown
from casebase.cli.output import say
from casebase.data import Cases, Schema, Table
from casebase.data.ids import repeated
from casebase.data.kinds import Kinds, cases_with_kinds
from casebase.data.labels import labels_for
from casebase.data.roles import Roles
from casebase.data.sources import KINDS
from casebase.errors import CasebaseError, SchemaError
from casebase.formats import FORMATS, open_parts, read_table
from casebase.formats.parts import Parts
from casebase.formats.source import keep_inputs

Command = Callable[..., Any]


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def random_state_option(of: str) -> Callable[[Command], Command]:
    """Return the option that seeds the random numbers; in Python it is `random_state` or `seed`."""
    return click.option(
        "--random-state",
        "--seed",
        "random_state",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help=f"Seed of the random numbers for {of}.",
    )


file_options = together(
    click.option(
        "--format",
        "format",
        metavar="NAME",
        help=f"Format of the data: {', '.join(FORMATS)}; detected by default.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line names the columns; detected by default.",
    ),
    click.option(
        "--target",
        metavar="COLUMN",
        help="Class column, by name or by number from 1; the last column by default.",
    ),
    click.option("--separator", metavar="CHAR", help="Character between the fields of a line; detected by default."),
    click.option("--width", type=int, help="Width of the fields (compact format)."),
    click.option("--n-features", type=int, help="Number of features (sparse and binary formats)."),
    click.option(
        "--encoding", metavar="NAME", help="Encoding of text files; UTF-8, UTF-16 and cp1252 are recognised by default."
    ),
    click.option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="Decimal mark of the numbers in CSV and TSV files; recognised by default.",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of a workbook; the first that is not empty by default."),
)


id_column_option = click.option(
    "--id-column",
    metavar="COLUMN",
    help="Column with the ids of the cases, by name or by number from 1: it names them in evidence and is no feature.",
)

ignore_option = click.option(
    "--ignore",
    multiple=True,
    metavar="NAME,…",
    help="Columns to leave out: not learned from, not shown, not needed in new data. Repeatable.",
)
keep_option = click.option(
    "--keep",
    multiple=True,
    metavar="NAME,…",
    help="Columns of provenance, such as source,annotator,date: never compared, but stored with the cases and shown in "
    "evidence. Repeatable.",
)
left_out_options = together(ignore_option, keep_option, id_column_option)

found_kind_options = together(
    click.option(
        "--kinds",
        type=click.Choice(["auto"]),
        help="Find the kind of each column (number, ordinal, symbol, truth, date, key, constant, text), and leave out "
        "keys, constants and text. The autopilot and its readings always do.",
    ),
    click.option(
        "--kind",
        "given_kinds",
        multiple=True,
        metavar="NAME=KIND",
        help=f"Kind of a column: {', '.join(KINDS)}; 'ordinal:low,medium,high' gives an order, 'date:dmy' that the day "
        "comes first. Repeatable.",
    ),
)
kind_options = together(found_kind_options, left_out_options)

threads_option = click.option(
    "-j", "--threads", type=click.IntRange(min=1), default=None, help="Number of threads; all cores by default."
)
author_options = together(
    click.option("--by", metavar="NAME", help="Who makes the correction, for the log; nobody's name is guessed."),
    click.option("--note", metavar="TEXT", help="Why, for the log."),
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

MANY_CLASSES, FEW_CASES = 20, 4  # more classes than that, with fewer cases each on average, are hardly classes

DECIMALS = re.compile(r"[+-]?[0-9]*\.[0-9]+")

FILE_PARAMETERS = ("format", "header", "target", "separator", "width", "n_features", "encoding", "decimal", "sheet")
COLUMN_PARAMETERS = ("kinds", "given_kinds", "ignore", "keep", "id_column")


@dataclass(frozen=True)
class DataFile:
    """A data file, the options to read it with, and the kinds of its columns.

    `given_kinds` are those that the user named; if `finds_kinds`, the others are found. `ignore`, `keep` and
    `id_column` are columns that are not learned from.
    """

    path: str
    options: dict[str, Any]
    n_threads: int
    given_kinds: dict[str | int, str] = field(default_factory=dict)
    finds_kinds: bool = False
    ignore: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    id_column: str | None = None

    @classmethod
    def from_options(
        cls, path: str, options: dict[str, Any], threads: int | None = None, *, finds_kinds: bool = False
    ) -> "DataFile":
        return cls(
            path,
            {name: options[name] for name in FILE_PARAMETERS},
            n_threads(threads),
            parse_kinds(options.get("given_kinds", ())),
            finds_kinds or options.get("kinds") == "auto",
            parse_columns(options.get("ignore", ())),
            parse_columns(options.get("keep", ())),
            options.get("id_column"),
        )

    @property
    def roles(self) -> Roles:
        """What the options say about the columns."""
        column = column_given(self.id_column)
        return Roles(self.given_kinds, self.finds_kinds, column, self.ignore or None, self.keep or None)

    def kinds(self, table: Table) -> Kinds:
        """Return the kinds of a training table's columns as Python's `kinds` takes them; None if nobody asked."""
        return self.roles.kinds_of(table)

    def table(self) -> Table:
        """Return the table of a training file."""
        return self._read(column_given(self.options["target"]))

    def cases(self) -> Cases:
        """Return the cases of a training file."""
        return self.cases_of(self.table())

    def cases_of(self, table: Table, ids: Any = None) -> Cases:
        """Return the cases of the file's table; a class that nobody named, and that looks wrong, is told."""
        with errors_in(self.path):
            try:
                cases = cases_with_kinds(
                    table,
                    kinds=self.kinds(table),
                    find_others=False,
                    ids=ids,
                    ignore=self.ignore or None,
                    keep=self.keep or None,
                )
            except CasebaseError as error:
                if self.options["target"] is None and "class" in str(error):
                    raise type(error)(f"{error} {class_taken(table)}") from error
                raise
        doubt = None if self.options["target"] is not None else doubt_about_class(cases)
        if doubt is not None:
            say(f"Warning: {doubt} {class_taken(table)}")
        return cases

    def labelled(self, schema: Schema) -> tuple[Table, list[Any]]:
        """Return a table of cases to store, and their classes."""
        table = self._read(column_given(self.options["target"]), schema)
        if table.target is None:
            in_all = "" if schema.is_named else f", so {len(schema.column_names) + 1} columns in all"
            raise SchemaError(
                f"{self.path} has no class: cases to store need a column {schema.target!r}{in_all}. If another column "
                "is the class, pass --target."
            )
        with errors_in(self.path):
            return table, labels_for(schema.classes, table.columns[table.target])

    def revised(self, schema: Schema) -> Table:
        """Return a table with new values for stored cases; its class is marked if it has one."""
        return self._read(column_given(self.options["target"]), schema)

    def queries(self, schema: Schema) -> tuple[Cases, Table]:
        """Return new cases in a model's codes, and the table they come from."""
        table = self._read(column_given(self.options["target"]), schema)
        cases = self.questions.encoded(table, schema, self.path)
        self.warn_of_repeated([] if cases.ids is None else repeated(cases.ids))
        return cases, table

    @property
    def reading(self) -> dict[str, Any]:
        """The options for reading the file, as the library takes them."""
        return self.options | {"target": column_given(self.options["target"])}

    def query_parts(self, schema: Schema, *, keep_text: bool = False) -> Parts:
        """Return new cases for a model in parts, of which `path` may name several files."""
        return open_parts(self.path, **self.reading, schema=schema, keep_text=keep_text)

    @property
    def questions(self) -> Questions:
        """How the tables of the file become questions to a model."""
        column = column_given(self.id_column)
        names = self.options["target"] is not None, self.options["header"] is not None
        return Questions(self.path, column, *names)

    def warn_of_repeated(self, ids: Sequence[int | str]) -> None:
        if ids:
            say(f"Warning: {self.path}: several queries have the id {ids[0]}.")

    def say_recognised(self, recognised: Sequence[str]) -> None:
        """Say what was recognised about the file: otherwise nobody would notice a wrong guess."""
        if recognised:
            say(f"{shown(self.path)}: {', '.join(recognised)}.")

    def _read(self, target: str | int | None, schema: Schema | None = None) -> Table:
        options = self.options | {"target": target, "schema": schema, "n_threads": self.n_threads}
        table = read_table(self.path, **options)
        self.say_recognised(table.recognised)
        return table if schema is None else self.questions.with_ids(table, schema)


def class_and_header(table: Table) -> str:
    """Describe the detected class column and header: otherwise nobody would notice a wrong guess."""
    assert table.target is not None
    if not table.is_named:
        return f"class in column {table.target + 1}, no header"
    return f"class {table.names[table.target]}" + (", header in the first line" if table.has_header else "")


def class_taken(table: Table) -> str:
    """Say which column is the class if nobody named it."""
    assert table.target is not None
    name = repr(table.names[table.target]) if table.is_named else f"column {table.target + 1}"
    return f"The class is {name}, the last column, since no other was named; name another one with --target."


def doubt_about_class(cases: Cases) -> str | None:
    """Return why a class is hardly one: nearly each case has its own, or they are measurements."""
    n_cases, n_classes = cases.n_cases, cases.n_classes
    if n_classes <= MANY_CLASSES:
        return None
    if n_classes == n_cases:
        return f"Each of the {n_cases:,} cases has a class of its own."
    if n_cases < FEW_CASES * n_classes:
        return f"There are {n_classes:,} classes for {n_cases:,} cases."
    if all(DECIMALS.fullmatch(str(label)) for label in cases.schema.classes):
        return f"All {n_classes:,} classes are numbers with decimals."
    return None


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that the user gave but that would have no effect."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE
        if parameter.name in names and given:
            raise click.UsageError(f"{max(parameter.opts, key=len)} {why}")


def n_threads(threads: int | None) -> int:
    return threads or n_cores()


def writable(path: str | None, *inputs: str | None) -> str | None:
    """Return an output path, None for standard output; fail before any work if it cannot be written or is an input."""
    if path is None or path == "-":
        return None
    target = Path(path)
    folder = target.parent
    if not folder.is_dir():
        raise CasebaseError(f"Cannot write {target}: there is no folder {folder}.")
    if target.is_dir():
        raise CasebaseError(f"Cannot write {target}: it is a folder.")
    if target.exists() and not target.is_file():
        raise CasebaseError(f"Cannot write {target}: it is not a file.")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise CasebaseError(f"Cannot write {target}: permission denied.")
    keep_inputs(path, inputs)
    return path


def column_given(text: str | None) -> str | int | None:
    """Return a column by name, or by position: the command line counts from 1, the library from 0."""
    if text is None or not re.fullmatch(r"-?[0-9]+", text):
        return text
    number = int(text)
    if number == 0:
        raise CasebaseError("There is no column 0: columns count from 1, or from -1 for the last.")
    return number - 1 if number > 0 else number


def parse_columns(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the names in lists such as `name,ticket`; a name with a comma is in double quotes.

    >>> parse_columns(["name,ticket", '"last, first"'])
    ('name', 'ticket', 'last, first')
    """
    return tuple(name.strip() for row in csv.reader(texts, skipinitialspace=True) for name in row if name.strip())


def parse_kinds(texts: Iterable[str]) -> dict[str | int, str]:
    """Return the kinds of columns, such as `pclass=ordinal`, by name."""
    kinds: dict[str | int, str] = {}
    for text in texts:
        name, equals, kind = text.rpartition("=")
        if not equals or not name.strip() or not kind.strip():
            raise click.BadParameter(f"--kind takes a column and its kind, such as pclass=ordinal; got {text!r}.")
        kinds[name.strip()] = kind.strip()
    return kinds


def pairs_of(texts: Iterable[str], option: str) -> list[tuple[str, str]]:
    """Return the columns and values that an option gives, such as `sex=male`."""
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(f"{option} takes a column and a value, such as sex=male; got {text!r}.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def parse_metric(text: str) -> str | dict[str | int, str]:
    """Return the metric of all features, or of each feature by name."""
    if "=" not in text:
        return text
    pairs = [part.rpartition("=") for part in text.split(",")]
    return {name.strip(): metric.strip() for name, _, metric in pairs}


def parse_classes(text: str) -> str | dict[str, str]:
    """Return the classes of letters that an option gives: a word, or a table such as K=bcdf,E=aeiou."""
    if "=" not in text:
        return text
    classes: dict[str, str] = {}
    for part in text.split(","):
        name, _, letters = (piece.strip() for piece in part.partition("="))
        if name in classes or not letters:
            why = f"the class {name!r} is given twice" if name in classes else f"{part.strip()!r} has no letters"
            raise click.BadParameter(f"--classes takes a table such as K=bcdf,E=aeiou, but {why}.")
        classes[name] = letters
    return classes


def forced_rule(text: str) -> list[str]:
    """Return the concept and the class of a rule such as "outlook = sunny → no"."""
    concept, arrow, label = text.replace("->", "→").rpartition("→")
    if not arrow or not concept.strip() or not label.strip():
        raise click.BadParameter(f"--force takes a rule such as 'outlook = sunny → no', got {text!r}.")
    return [concept.strip(), label.strip()]


# The kinds of numbers that a setting takes instead of a word: how errors call them, and how to parse them.
NUMBERS: dict[str, tuple[str, Callable[[str], float]]] = {
    "whole": ("a whole number", int),
    "number": ("a number", float),
    "share": ("a share from 0 to 1", float),
}


def number_or(option: str, text: str, kind: str, word: str) -> float:
    """Parse the number that the user gave an option instead of its word, such as `auto`."""
    expected, parse = NUMBERS[kind]
    try:
        return parse(text)
    except ValueError:
        words = " or ".join(map(repr, word.split("|")))
        raise click.BadParameter(f"{option} takes {expected} or {words}, got {text!r}.") from None
