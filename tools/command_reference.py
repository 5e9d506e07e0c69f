"""The reference of all commands, generated from the commands: `python -m tools.command_reference`.

`docs/command-line.md` is a guide with examples; this page is a reference. A test compares it with the output of this
module, so it is never out of date.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import click

from casebase.cli import cli
from casebase.cli.methods import MethodCommand

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
OWNER = "train"  # the command on whose part of the page the options of the methods are
OPENING = """\
# Every command and option

<!-- Made by `python -m tools.command_reference` from the commands themselves: do not edit. -->

What `--help` says, for all commands on one page.
[The command line](command-line.md) has examples and explains the options.
"""


def reference() -> str:
    """Return the page: every command with its arguments, its options and its example."""
    root = click.Context(cli, info_name="casebase")
    below = [found for found in commands(root) if found is not root]
    listed = [f"- [`{context.command_path}`](#{_anchor(context.command_path)}): {_first(context)}" for context in below]
    return "\n".join([OPENING, *listed, "", *(_section(context) for context in below)]).rstrip() + "\n"


def commands(context: click.Context) -> Iterator[click.Context]:
    """Yield the contexts of a command and its subcommands, in order."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            found = context.command.get_command(context, name)
            if found is not None:
                yield from commands(click.Context(found, info_name=name, parent=context))


def _section(context: click.Context) -> str:
    usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    parts = [f"## `{context.command_path}`\n", f"```\n{usage}\n```\n", _prose(context.command.help or "")]
    rows = [
        _row(each, context) for each in context.command.params if isinstance(each, click.Option) and not each.hidden
    ]
    if rows:
        parts.append(_table(rows))
    if isinstance(context.command, MethodCommand):
        parts += _by_method(context.command, context)
    return "\n".join(parts)


def _by_method(command: MethodCommand, context: click.Context) -> list[str]:
    """Return the options of every method, or where they are: all commands with --learner have those of `train`."""
    if command.chooser == MethodCommand.chooser and command.name != OWNER:
        return [f"The options of each method are those of [`casebase {OWNER}`](#casebase-{OWNER}).\n"]
    parts = []
    for name in command.methods():
        rows = [_row(option, context) for option in command.method_options(name)]
        parts += [f"### `{command.chooser} {name}`\n", f"{command.title_of(name)}.\n", _table(rows)]
    return parts


def _table(rows: list[str]) -> str:
    return "\n".join(["| option | meaning |", "|---|---|", *rows, ""])


def _prose(text: str) -> str:
    """Return a help text as Markdown: its paragraphs, with examples and tables of options as code."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.replace("\b", "").lstrip().startswith(("Example:", "Examples:")):
            lines = [line.strip() for line in paragraph.partition(":")[2].strip().splitlines()]
            paragraphs.append("\n".join(["```", *lines, "```"]))
        elif paragraph.lstrip().startswith("\b"):  # click's mark for lines that are to stay lines
            lines = dedent(paragraph.partition("\b")[2].lstrip("\n")).rstrip().splitlines()
            paragraphs.append("\n".join(["```", *lines, "```"]))
        else:
            paragraphs.append(" ".join(paragraph.split()))
    return "\n\n".join(paragraphs) + "\n"


def _row(option: click.Option, context: click.Context) -> str:
    """Return a row of the table, spelt here and not by click, whose spelling changes from version to version."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag or option.count else f" `{value_name(option)}`"
    return f"| {_in_cell(names + value)} | {_in_cell((option.help or '') + default_text(option, context, '`'))} |"


def default_text(option: click.Option, context: click.Context, mark: str = "") -> str:
    """Return the sentences after the help of an option: its default, whether it is required."""
    default = option.get_default(context, call=False)
    if option.secondary_opts and default is not None:  # on or off: the default is one of two options
        default = f"{mark}{(option.opts if default else option.secondary_opts)[0]}{mark}"
    is_told = default is not None and (bool(option.secondary_opts) or (option.show_default and not option.is_flag))
    return f"{f' Default: {default}.' if is_told else ''}{' Required.' if option.required else ''}"


def value_name(option: click.Option) -> str:
    """Return what stands for the value of an option."""
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "|".join(str(choice) for choice in option.type.choices)
    return {"integer": "NUMBER", "integer range": "NUMBER", "float": "NUMBER"}.get(option.type.name, "TEXT")


def _in_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _first(context: click.Context) -> str:
    return " ".join((context.command.help or "").strip().split("\n\n")[0].split())


def _anchor(path: str) -> str:
    return path.replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
