"""Display of evidence: text, JSON with --json, an HTML page with --html."""

from collections.abc import Sequence
from dataclasses import dataclass

import click

from casebase.base.evidence import Explanation
from casebase.cli.options import writable
from casebase.cli.output import print_json, say, write_text
from casebase.render.page import render_html
from casebase.render.text import render_text

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

    def show(self, evidence: Sequence[Explanation], title: str = "Why these answers") -> None:
        """Print or write the evidence; a page has a title."""
        if self.as_json:
            print_json([record.to_dict() for record in evidence])
        if self.has_page:
            write_text(self.page, render_html(evidence, title))
            if self.page is not None:
                say(f"Written to {self.page}.")
        if self.is_text:
            click.echo("\n\n".join(map(render_text, evidence)))
