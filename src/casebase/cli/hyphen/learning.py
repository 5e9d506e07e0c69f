"""Options of the commands that learn hyphenation: train, and evaluate with --cv."""

from collections.abc import Callable
from typing import Any

import click

from casebase.cli.options import number_or, parse_classes, random_state_option
from casebase.errors import CasebaseError
from casebase.hyphenation.induction import SEARCHES
from casebase.strings.pieces import COSTS

_OPTIONS = (
    click.option("--depth", default="2", show_default=True, metavar="N|auto", help="Number of levels of patterns."),
    click.option(
        "--cost",
        type=click.Choice(COSTS),
        default="unit",
        show_default=True,
        help="Cost of a pattern: 1, or its number of letters.",
    ),
    click.option(
        "--classes",
        default="auto",
        show_default=True,
        metavar="auto|none|K=bcdf,E=aeiou",
        help="Letter classes that patterns may use.",
    ),
    click.option(
        "--left-min",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Minimum number of characters before a break.",
    ),
    click.option(
        "--right-min",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Minimum number of characters after a break.",
    ),
    click.option(
        "--max-length", type=click.IntRange(min=1), help="Maximum length of a pattern in letters; 24 by default."
    ),
    click.option(
        "--max-class-length",
        type=click.IntRange(min=0),
        default=3,
        show_default=True,
        help="Maximum length of a class pattern (only short ones can be exported); 0 for any length.",
    ),
    click.option(
        "--window",
        type=float,
        default=0.1,
        show_default=True,
        help="Share of the places in the first training window; 1 for all.",
    ),
    random_state_option("the first window"),
    click.option("--forbid", multiple=True, metavar="PATTERN", help="Forbid a pattern, such as s-t. Repeatable."),
    click.option(
        "--force",
        multiple=True,
        metavar="PATTERN=allow|forbid",
        help="Force a pattern, such as s-t=forbid. Repeatable.",
    ),
    click.option(
        "--search",
        type=click.Choice(SEARCHES),
        default="auto",
        show_default=True,
        help="Few patterns (cover), or many levels of well supported ones (levels); auto: levels from 5,000 words on.",
    ),
)
NAMES = (
    "depth",
    "cost",
    "classes",
    "left_min",
    "right_min",
    "max_length",
    "max_class_length",
    "window",
    "random_state",
    "forbid",
    "force",
    "search",
)


def learning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the learner to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def parameters(options: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a Hyphenator from the options."""
    options = dict(options)
    if options["depth"] != "auto":
        options["depth"] = number_or("--depth", options["depth"], "whole", "auto")
    options["max_class_length"] = options["max_class_length"] or None
    options["classes"] = parse_classes(options["classes"])
    options["force"] = dict(_parse_force(text) for text in options["force"])
    return options


def _parse_force(text: str) -> tuple[str, str]:
    pattern, equals, verdict = text.rpartition("=")
    if not equals:
        raise CasebaseError(f"--force takes PATTERN=allow or PATTERN=forbid, such as s-t=forbid; got {text!r}.")
    return pattern, verdict
