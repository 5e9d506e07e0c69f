"""Options that the hyphenation commands share."""

import click

from casebase.hyphenation.words import HYPHEN

hyphen_option = click.option(
    "--hyphen", default=HYPHEN, show_default=True, metavar="CHAR", help="Hyphen character in the word list."
)
encoding_option = click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
separator_option = click.option(
    "--sep",
    default=HYPHEN,
    show_default=True,
    metavar="TEXT",
    help="Text to insert where a word may break; 'soft' for the soft hyphen.",
)


def separator(text: str) -> str:
    """Return the separator that an option names."""
    return "\u00ad" if text == "soft" else text
