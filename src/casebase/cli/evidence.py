"""Display of evidence: text, JSON with --json, an HTML page with --html."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import click

from casebase.about import about_file, about_now
from casebase.base.evidence import Evidence, Explanation
from casebase.cli.options import writable
from casebase.cli.output import echo, print_json, say, text_width, write_text
from casebase.data import Cases, Table
from casebase.render.blocks import Headline, Section, Shown
from casebase.render.page import TITLE, render_html
from casebase.render.text import render_text
from casebase.render.words import format_value, shorten

ID_WIDTH = 40

html_option = click.option(
    "--html", metavar="FILE", help="Write an HTML page instead of text; '-' for standard output."
)


@dataclass(frozen=True)
class Display:
    """Where evidence goes: to an HTML page if `has_page` (`page` None is standard output), as JSON, or as text.

    A page names the file of the `model`.
    """

    page: str | None
    has_page: bool
    as_json: bool
    model: str | None = None

    @classmethod
    def from_options(cls, html: str | None, as_json: bool, *inputs: str | None) -> "Display":
        """Return the display that the options ask for; fail before any work if it cannot be written.

        The first of the inputs is the model.
        """
        if as_json and html == "-":
            raise click.UsageError("--json and --html - both write to standard output: give --html a file.")
        page = writable(html, *inputs) if html is not None else None
        return cls(page, html is not None, as_json, next(iter(inputs), None))

    @property
    def is_text(self) -> bool:
        """Whether the evidence is printed as text."""
        return not self.as_json and not self.has_page

    def show(
        self,
        evidence: Sequence[Explanation],
        about: Callable[[], Mapping[str, str]] = dict,
        title: str = TITLE,
        ids: Sequence[int | str] | None = None,
    ) -> None:
        """Print or write the evidence, each record with the id of its query if there are ids.

        A page begins with what it is `about`.
        """
        if self.as_json:
            records = [record.to_dict() for record in evidence]
            print_json(records if ids is None else [{"id": query} | record for query, record in zip(ids, records)])
        shown: Sequence[Shown] = evidence if ids is None else [OfQuery(*one) for one in zip(ids, evidence)]
        if self.has_page:
            file = {} if self.model is None else about_file(self.model)
            write_text(self.page, render_html(shown, title, about={**about(), **file, **about_now()}))
            if self.page is not None:
                say(f"Written to {self.page}.")
        if self.is_text:
            echo("\n\n".join(render_text(record, text_width()) for record in shown))


def with_known_classes(evidence: Sequence[Evidence], cases: Cases, table: Table | None) -> list[Evidence]:
    """Return the evidence with the classes of the queries, if they are known: stored, or in a column of their table."""
    if cases.labels is None:
        return list(evidence)
    classes = cases.schema.classes
    column = None if table is None or table.target is None else table.columns[table.target]
    # A class that the model does not know has no code, and is quoted as the file has it.
    actual = [
        classes[code] if code < len(classes) else None if column is None else column[row].as_py()
        for row, code in enumerate(cases.labels[: len(evidence)].tolist())
    ]
    return [one if known is None else one.with_actual(known) for one, known in zip(evidence, actual)]


@dataclass(frozen=True)
class OfQuery:
    """The evidence for the answer to a query that has an id; the headline begins with it."""

    id: int | str
    evidence: Explanation

    def headline(self) -> Headline:
        headline, name = self.evidence.headline(), shorten(format_value(self.id), ID_WIDTH)
        wording = f"{name}: {headline.wording}" if headline.wording else ""
        return replace(headline, subject=name, wording=wording)

    def sections(self) -> tuple[Section, ...]:
        return self.evidence.sections()
