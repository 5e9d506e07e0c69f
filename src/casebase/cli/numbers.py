"""What `casebase train` says about numbers that are compared as symbols."""

from casebase.base.intervals import notice_of_numbers
from casebase.base.settings import Settings
from casebase.cli.output import say
from casebase.data import Schema


def say_numbers(schema: Schema, settings: Settings) -> None:
    """Print a note if a model compares many different numbers as symbols, or found no numbers to cut."""
    notice = notice_of_numbers(schema, settings, "--discretise mdlp", "--kinds auto or --metric numeric")
    if notice is not None:
        say(f"Note: {notice}")
