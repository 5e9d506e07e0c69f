"""Options that the commands about strings share."""

import click

encoding_option = click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
separator_option = click.option(
    "--separator", default="\t", metavar="CHAR", help="Character between a string and its class; a tab by default."
)
