"""casebase tagger: one thin file per command, loaded only when it is called."""

import click

from casebase.cli.lazy import LazyGroup

COMMANDS = {
    "train": "Make a tagger of a tagged corpus.",
    "tag": "Tag a text.",
    "evaluate": "Compare with a corpus of which the tags are known.",
    "explain": "Show which remembered contexts decided each tag.",
    "learn": "Add corrected sentences to the memory.",
}


@click.group("tagger", cls=LazyGroup, home="casebase.cli.tagger", known=COMMANDS)
def command() -> None:
    """Make a tagger for any language from a tagged corpus, and tag with it.

    Example:  casebase tagger train corpus.tsv -o corpus.cb
    """
