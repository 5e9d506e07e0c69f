"""Display of evidence: text, JSON with --json, an HTML page with --html."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import click

from casebase.base.evidence import Explanation
from casebase.cli.options import writable
from casebase.cli.output import print_json, say, write_text
from casebase.render.blocks import Headline, Section, Shown
from casebase.render.page import render_html
from casebase.render.text import render_text
from casebase.render.words import format_value, shorten

ID_WIDTH = 40

html_option = click.option(
    "--html", metavar="FILE", help="Write an HTML page instead of text; '-' for standard output."
)


@dataclass(frozen=True)
class Display:
    """Where evidence goes: to an HTML page if `has_page` (`page` None is standard output), as JSON, or as text."""

    page: str | None
    has_page: bool
    as_json: bool

    @classmethod
    def from_options(cls, html: str | None, as_json: bool, *inputs: str | None) -> "Display":
        """Return the display that the options ask for; fail before any work if it cannot be written."""
        if as_json and html == "-":
            raise click.UsageError("--json and --html - both write to standard output: give --html a file.")
        page = writable(html, *inputs) if html is not None else None
        return cls(page, html is not None, as_json)

    @property
    def is_text(self) -> bool:
        """Whether the evidence is printed as text."""
        return not self.as_json and not self.has_page

    def show(self, evidence: Sequence[Explanation], ids: Sequence[int | str] | None = None) -> None:
        """Print or write the evidence, each record with the id of its query if there are ids."""
        if self.as_json:
            records = [record.to_dict() for record in evidence]
            print_json(records if ids is None else [{"id": query} | record for query, record in zip(ids, records)])
        shown: Sequence[Shown] = evidence if ids is None else [OfQuery(*one) for one in zip(ids, evidence)]
        if self.has_page:
            write_text(self.page, render_html(shown))
            if self.page is not None:
                say(f"Written to {self.page}.")
        if self.is_text:
            click.echo("\n\n".join(map(render_text, shown)))


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
