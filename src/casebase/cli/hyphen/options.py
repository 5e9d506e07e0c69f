"""What the commands about hyphenation share."""

import click

from casebase.hyphenation.words import HYPHEN

hyphen_option = click.option(
    "--hyphen", default=HYPHEN, show_default=True, metavar="CHAR", help="The hyphen in the list of words."
)
encoding_option = click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
separator_option = click.option(
    "--sep",
    default=HYPHEN,
    show_default=True,
    metavar="TEXT",
    help="What to put where a word may be broken; 'soft' for the soft hyphen.",
)


def separator(text: str) -> str:
    """Return the separator that an option names."""
    return "\u00ad" if text == "soft" else text
