"""casebase tagger: one thin file per command, imported only when the command runs."""

import click

from casebase.cli.lazy_group import LazyGroup

COMMANDS = {
    "train": "Train a tagger on a tagged corpus.",
    "tag": "Tag a text.",
    "evaluate": "Measure accuracy on a tagged corpus.",
    "explain": "Show the stored contexts that decided each tag.",
    "learn": "Add corrected sentences to a tagger.",
    "forget": "Take sentences out of a tagger.",
    "correct": "Replace a sentence of a tagger's corpus.",
}


@click.group("tagger", cls=LazyGroup, home="casebase.cli.tagger", known=COMMANDS)
def command() -> None:
    """Train a tagger for any language on a tagged corpus and tag with it.

    Example:  casebase tagger train corpus.tsv -o corpus.cb
    """
