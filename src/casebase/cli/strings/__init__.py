"""casebase strings: one thin file per command, imported only when the command runs."""

import click

from casebase.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "Learn rules from strings and their classes.",
    "predict": "Predict the class of strings.",
    "explain": "Show the rule that decided, the rules it overrides, and its exceptions.",
    "evaluate": "Measure accuracy on strings with classes, or by cross-validation.",
    "export": "Print the rules as text, Markdown or JSON.",
}


@click.group("strings", cls=LazyGroup, home="casebase.cli.strings", known=COMMANDS)
def command() -> None:
    """Learn rules over substrings: for pronunciation, endings, diminutives, DNA.

    Example:  casebase strings train sounds.txt -o sounds.cb
    """
