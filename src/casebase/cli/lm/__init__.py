"""casebase lm: one thin file per command, imported only when the command runs."""

import click

from casebase.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "Train a language model on a text.",
    "predict": "Show the most likely next words.",
    "evaluate": "Measure accuracy and perplexity on a text.",
}


@click.group("lm", cls=LazyGroup, home="casebase.cli.lm", known=COMMANDS)
def command() -> None:
    """Train a memory-based language model on a text, and predict the next word with it.

    Example:  casebase lm train text.txt -o text.cb
    """
