"""casebase hyphen: one thin file per command, imported only when the command runs."""

import click

from casebase.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "Learn patterns from a list of hyphenated words.",
    "apply": "Hyphenate words or running text.",
    "explain": "Show the pattern that decided each place in a word.",
    "correct": "Correct the hyphenation of a word and show what changes.",
    "evaluate": "Measure accuracy on hyphenated words.",
    "export": "Export the patterns for TeX, LibreOffice and others.",
    "import": "Import a pattern file of TeX or LibreOffice.",
}


@click.group("hyphen", cls=LazyGroup, home="casebase.cli.hyphen", known=COMMANDS)
def command() -> None:
    """Train a hyphenator for any language and hyphenate with it.

    Example:  casebase hyphen train words.txt -o words.cb
    """
