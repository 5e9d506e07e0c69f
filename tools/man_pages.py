"""Pages for `man`, one per command, generated from the commands: `python -m tools.man_pages FOLDER`.

They say what `--help` and `docs/commands.md` say, in the language of man(7). `casebase-train.1` is that of `casebase
train`, as usual for programs with commands.
"""

import re
import sys
from pathlib import Path
from textwrap import dedent

import click

from casebase import __version__
from casebase.cli import cli
from casebase.cli.methods import MethodCommand
from tools.command_reference import OWNER, commands, default_text, value_name


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    found = list(commands(click.Context(cli, info_name="casebase")))
    return {f"{_name(context)}.1": _page(context, found) for context in found}


def _page(context: click.Context, everything: list[click.Context]) -> str:
    command = context.command
    first, *rest = _paragraphs(command.help or "")
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [
        f'.TH "{_name(context).upper()}" "1" "" "casebase {__version__}" "casebase"',
        f".SH NAME\n{_escaped(_name(context))} \\- {_escaped(' '.join(first.split()).rstrip('.'))}",
        f".SH SYNOPSIS\n.B {_escaped(context.command_path)}\n{_escaped(usage)}",
        ".SH DESCRIPTION\n" + "\n.PP\n".join(map(_prose, [first, *rest])),
    ]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    if options:
        parts.append(".SH OPTIONS\n" + "\n".join(_option(option, context) for option in options))
    if isinstance(command, MethodCommand):
        parts += _by_method(command, context)
    below = [each for each in everything if each.parent is context]
    if below:
        rows = [f".TP\n.B {_escaped(each.info_name or '')}\n{_escaped(_summary(each))}" for each in below]
        parts.append(".SH COMMANDS\n" + "\n".join(rows))
    beside = below or ([context.parent] if context.parent else [])
    if beside:
        parts.append(".SH SEE ALSO\n" + " ,\n".join(f".BR {_escaped(_name(each))} (1)" for each in beside))
    return "\n".join(parts) + "\n"


def _by_method(command: MethodCommand, context: click.Context) -> list[str]:
    if command.chooser == MethodCommand.chooser and command.name != OWNER:
        return [f".SH OPTIONS OF THE METHODS\nThose of\n.BR casebase\\-{OWNER} (1)."]
    return [
        f'.SH "OPTIONS WITH {_escaped(f"{command.chooser} {name}").upper()}"\n{_escaped(command.title_of(name))}.\n'
        + "\n".join(_option(option, context) for option in command.method_options(name))
        for name in command.methods()
    ]


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"\\fB{_escaped(name)}\\fR" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag or option.count else f" \\fI{_escaped(value_name(option))}\\fR"
    meaning = (option.help or "") + default_text(option, context)
    return f".TP\n{names}{value}\n{_text(' '.join(meaning.split()))}"


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip()) if text.strip() else [""]


def _prose(paragraph: str) -> str:
    """Return a paragraph; examples, and lines that are to stay lines, as they are."""
    is_example = paragraph.replace("\b", "").lstrip().startswith(("Example:", "Examples:"))
    if is_example or paragraph.lstrip().startswith("\b"):
        body = paragraph.partition(":")[2] if is_example else paragraph.partition("\b")[2]
        lines = (
            [line.strip() for line in body.strip().splitlines()]
            if is_example
            else dedent(body.lstrip("\n")).splitlines()
        )
        heading = "For example:\n.PP\n" if is_example else ""
        return f"{heading}.nf\n.RS\n" + "\n".join(map(_text, lines)) + "\n.RE\n.fi"
    return _text(" ".join(paragraph.split()))


def _text(line: str) -> str:
    """Return a line of text: a full stop or a quote at its beginning would be a request to the formatter."""
    return re.sub(r"^([.'])", r"\\&\1", _escaped(line))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def _name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def _summary(context: click.Context) -> str:
    return " ".join(_paragraphs(context.command.help or "")[0].split())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "man"))
