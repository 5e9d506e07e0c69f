"""Command-line options derived from the settings of a method.

`casebase train --help` lists the options that all methods share, and the methods; `--learner NAME --help` adds the
options of that method. Each option is one setting of the method: its name, default, help text and check.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import click
from click.core import ParameterSource

from casebase.base.settings import Settings, about
from casebase.cli.options import forced_rule, number_or, parse_classes, parse_metric
from casebase.cli.weighting import parse_weighting
from casebase.methods import METHODS, method_named

DEFAULT = "auto"
# Settings and options of a command may have the same name: evaluate's --cv, and the cv of OBLIVION's search.
PREFIX = "setting_"
LEARNER_KEY = "casebase.learner"  # key of the chosen method in a click context
TYPES: dict[str, Any] = {"whole": int, "number": float, "seed": click.IntRange(min=0)}
LEARNER_HELP = "Method to use; auto tries several and combines those that answer held-out cases best."

learner_option = click.option(
    "--learner", type=click.Choice(list(METHODS)), default=DEFAULT, show_default=True, help=LEARNER_HELP
)


def options_for(settings: type[Settings], without: Iterable[str] = ()) -> list[click.Option]:
    """Return one option for each setting of a record."""
    return [_option(name, one.default, about(one)) for name, one in settings.public().items() if name not in without]


def _option(name: str, default: Any, known: Any) -> click.Option:
    names = [known.option or f"--{name.replace('_', '-')}"]
    details: dict[str, Any] = {"default": default, "show_default": default is not None, "metavar": known.metavar}
    if known.kind == "seed":
        names = ["--random-state", "--seed"]
    if known.kind == "flag":
        details |= {"is_flag": True, "show_default": "/" in names[0]}
    elif known.kind == "choice":
        details["type"] = click.Choice(known.choices)
    elif known.kind in ("concepts", "rules"):
        details |= {"multiple": True, "default": (), "show_default": False}
    elif known.word is not None:
        details |= {"type": str, "metavar": f"NUMBER|{known.word}"}
    else:
        details["type"] = TYPES.get(known.kind)
    return click.Option([*names, PREFIX + name], help=known.help.replace("`", ""), **details)


def settings_from(settings: type[Settings], options: dict[str, Any], **own: Any) -> Settings:
    """Return the settings that the options of a command give; `own` are values of the command's own options."""
    values = {name: value for name, value in own.items() if name in settings.public()}
    for name, one in settings.public().items():
        if PREFIX + name in options:
            option = f"--{name.replace('_', '-')}" if about(one).option is None else str(about(one).option)
            values[name] = _value(option, options[PREFIX + name], about(one))
    return settings(**values)


def _value(option: str, value: Any, known: Any) -> Any:
    if value is None:
        return None
    if known.kind == "weighting":
        return parse_weighting(value)
    if known.kind == "metric":
        return parse_metric(value)
    if known.kind == "normalisation":
        try:
            return float(value)
        except ValueError:
            return value  # the settings record rejects unknown names, and its message lists the known ones
    if known.kind == "classes":
        return parse_classes(value)
    if known.kind == "concepts":
        return list(value) or None
    if known.kind == "rules":
        return [forced_rule(text) for text in value] or None
    if known.word is not None and value not in known.word.split("|"):
        return number_or(option, value, known.kind, known.word)
    return value


class MethodCommand(click.Command):
    """A command whose options depend on the method chosen with `--learner`, or with `chooser`.

    `taken` names settings for which the command has its own options.
    """

    chooser: ClassVar[str] = "--learner"
    default: ClassVar[str] = DEFAULT
    taken: ClassVar[tuple[str, ...]] = ()

    def methods(self) -> Iterable[str]:
        """Return the names of the methods to choose from."""
        return METHODS

    def title_of(self, name: str) -> str:
        return method_named(name).title

    def settings_of(self, name: str) -> type[Settings]:
        return method_named(name).settings

    def chosen(self, context: click.Context) -> str:
        """Return the chosen method, or the default."""
        return context.meta.get(LEARNER_KEY) or self.default

    def method_options(self, name: str) -> list[click.Option]:
        return options_for(self.settings_of(name), self.taken)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *self.method_options(self.chosen(ctx))]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[LEARNER_KEY] = self._find_method(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            # Another method may have the option: then say which, instead of "no such option".
            owners = [name for name in self.methods() if self._has(name, error.option_name)]
            if not owners:
                raise
            raise click.UsageError(
                f"{error.option_name} has no meaning for the {self.chooser.lstrip('-')} {self.chosen(ctx)}; "
                f"it goes with {', '.join(owners)}.",
                ctx,
            ) from None

    def _has(self, name: str, option: str) -> bool:
        return any(option in (*each.opts, *each.secondary_opts) for each in self.method_options(name))

    def _find_method(self, args: list[str]) -> str | None:
        """Find the method in the arguments before click parses them: it decides which options exist."""
        found = None
        for i, text in enumerate(args):
            if text == "--":
                break
            option, equals, value = text.partition("=")
            if option == self.chooser:
                found = value if equals else args[i + 1] if i + 1 < len(args) else None
        return found if found in list(self.methods()) else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        def section(title: str, options: Iterable[click.Parameter]) -> None:
            records = [option.get_help_record(ctx) for option in options if isinstance(option, click.Option)]
            rows = [row for row in records if row is not None]
            with formatter.section(title):
                formatter.write_dl(rows)

        section("Options", super().get_params(ctx))
        if ctx.meta.get(LEARNER_KEY):
            name = self.chosen(ctx)
            section(f"Options of {name} ({self.title_of(name)})", self.method_options(name))
            return
        with formatter.section(f"Methods ({self.chooser} NAME --help shows the options of one)"):
            formatter.write_dl([(name, self.title_of(name)) for name in self.methods()])


def given_options(context: click.Context, command: MethodCommand) -> list[str]:
    """Return the options of the method that the user gave, in their long form."""
    return [
        max(option.opts, key=len)
        for option in command.method_options(command.chosen(context))
        if context.get_parameter_source(str(option.name)) == ParameterSource.COMMANDLINE
    ]
