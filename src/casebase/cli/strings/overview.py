"""Overview of a model file of rules over strings, for `casebase inspect`."""

import os

from casebase.base.model import format_count
from casebase.cli.output import echo, print_json
from casebase.render.words import number
from casebase.strings.evidence import asked_piece
from casebase.strings.rules import StringRules

SHOWN = 20


def inspect_strings(path: str, model: StringRules, as_json: bool) -> None:
    """Show the rules level by level, those that hold for most strings first."""
    n_bytes = os.path.getsize(path)
    if as_json:
        print_json(model.summary() | {"file": path, "n_bytes": n_bytes})
        return
    echo(f"rules over strings, {n_bytes:,} bytes")
    wrong = f"; {number(model.n_unexplained)} unexplained" if model.n_unexplained else ""
    echo(
        f"learned from {number(model.weights.sum())} strings{'' if model.asked.places is None else ' with places'}, "
        f"{format_count(len(model.classes), 'class')}; {format_count(len(model.rules), 'rule')} at "
        f"{format_count(model.n_levels, 'level')}{wrong}"
    )
    for level in range(1, model.n_levels + 1):
        numbers = [i for i, rule in enumerate(model.rules) if rule.level == level]
        if not numbers:
            continue
        echo(f"level {level}")
        for i in numbers[:SHOWN]:
            echo(f"  {asked_piece(model, i).sentence()}")
        if len(numbers) > SHOWN:
            echo(f"  … and {len(numbers) - SHOWN:,} more; casebase strings export has them all")
    echo(asked_piece(model, len(model.rules)).sentence())
