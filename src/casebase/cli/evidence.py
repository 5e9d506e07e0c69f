"""How commands show evidence: as text, as JSON with --json, as a page with --html."""

from collections.abc import Sequence
from dataclasses import dataclass

import click

from casebase.base.evidence import Explanation
from casebase.cli.options import writable
from casebase.cli.output import print_json, say, write_text
from casebase.render.page import render_html
from casebase.render.text import render_text

html_option = click.option("--html", metavar="FILE", help="Write a page instead of text; '-' for standard output.")


@dataclass(frozen=True)
class Display:
    """Where evidence goes: to a page (None: standard output) if `has_page`, as JSON or text to standard output."""

    page: str | None
    has_page: bool
    as_json: bool

    @classmethod
    def from_options(cls, html: str | None, as_json: bool, *inputs: str | None) -> "Display":
        """Return what the options ask for, after making sure, before any work, that it can be done."""
        if as_json and html == "-":
            raise click.UsageError("--json and --html - both want standard output.")
        page = writable(html, *inputs) if html is not None else None
        return cls(page, html is not None, as_json)

    @property
    def is_text(self) -> bool:
        """Whether people read it on the terminal."""
        return not self.as_json and not self.has_page

    def show(self, evidence: Sequence[Explanation]) -> None:
        """Print or write the evidence."""
        if self.as_json:
            print_json([record.to_dict() for record in evidence])
        if self.has_page:
            write_text(self.page, render_html(evidence))
            if self.page is not None:
                say(f"Written to {self.page}.")
        if self.is_text:
            click.echo("\n\n".join(map(render_text, evidence)))
