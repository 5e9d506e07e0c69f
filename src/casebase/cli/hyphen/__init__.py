"""casebase hyphen: one thin file per command, loaded only when it is called."""

import click

from casebase.cli.lazy import LazyGroup

COMMANDS = {
    "train": "Learn patterns from a list of hyphenated words.",
    "apply": "Hyphenate words or running text.",
    "explain": "Show which pattern decided at each place of a word.",
    "correct": "Fix the hyphenation of a word, and show what changes.",
    "evaluate": "Compare with words of which the hyphens are known.",
    "export": "Write the patterns for TeX, LibreOffice and others.",
    "import": "Make a model of a pattern file of TeX or LibreOffice.",
}


@click.group("hyphen", cls=LazyGroup, home="casebase.cli.hyphen", known=COMMANDS)
def command() -> None:
    """Learn to hyphenate the words of a language, and do it.

    Example:  casebase hyphen train words.txt -o words.cb
    """
