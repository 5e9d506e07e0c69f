"""Completion of file names in the shell, for every argument and option that names a file."""

import re

import click
from click.shell_completion import CompletionItem

# Words of a usage that stand for files; the last ones for texts in a file where they are arguments, not options.
FILES = re.compile(r"\b(CORPUS|DATA|DICTIONARY|DIR|FILE|FOLDER|MODEL|NEW|OUT|TABLE|TEST)\b")
TEXTS = {"text", "words"}


class FileName(click.types.StringParamType):
    """A text that the shell completes as a file; whether there is such a file is for the command to say."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="file")]


def complete_files(command: click.Command) -> None:
    """Let the shell complete the parameters whose names in the usage are those of files."""
    for parameter in command.params:
        if parameter.type is click.STRING and names_file(parameter):
            parameter.type = FileName()


def names_file(parameter: click.Parameter) -> bool:
    """Return whether a parameter is called like a file; an option without a name for its value is not."""
    if parameter.metavar or not isinstance(parameter, click.Argument):
        return bool(FILES.search(parameter.metavar or ""))
    name = str(parameter.name)
    return name in TEXTS or bool(FILES.search(name.upper()))
