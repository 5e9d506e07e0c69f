"""A click group that imports each command only when it runs."""

import difflib
import os
import sys
from importlib import import_module
from typing import Any

import click

from casebase.cli.file_names import complete_files


def discard_output() -> None:
    """Send buffered standard output to the null device: the interpreter would fail to flush it on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class LazyGroup(click.Group):
    """A group that knows the names of its commands and imports one when it runs.

    `home` is the package with one module per command; `known` maps each command to its description. `modules` names
    the module of a command where it is not the command's own name.
    """

    def __init__(
        self,
        *args: Any,
        home: str = "",
        known: dict[str, str] | None = None,
        modules: dict[str, str] | None = None,
        **others: Any,
    ) -> None:
        super().__init__(*args, **others)
        self.home, self.known, self.modules = home, known or {}, modules or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.known)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.known:
            return None
        command: click.Command = import_module(f"{self.home}.{self.modules.get(cmd_name, cmd_name)}").command
        complete_files(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader closed the pipe, as `| head` does
            discard_output()
            ctx.exit(0)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.known.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.known:
            nearest = difflib.get_close_matches(name, self.known, n=1)
            hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
            ctx.fail(f"No such command {name!r}.{hint} Commands: {', '.join(self.known)}.")
        return super().resolve_command(ctx, args)
