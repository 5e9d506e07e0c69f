"""casebase log"""

from collections.abc import Sequence

import click

from casebase.base.files import read
from casebase.base.log import Id, Log, log_of
from casebase.cli.ids import convert_ids
from casebase.cli.options import json_option
from casebase.cli.output import echo, print_json
from casebase.errors import CasebaseError
from casebase.methods import OTHERS, model_of, other_model


@click.command("log")
@click.argument("model")
@click.option("--id", "ids", multiple=True, metavar="ID", help="Show only what happened to this case. Repeatable.")
@json_option
def command(model: str, ids: tuple[str, ...], as_json: bool) -> None:
    """Show the corrections of MODEL since it was trained: who, when, why, and what was before and after.

    The log is part of the model file. Of a case that was removed it has the id, and none of its values. MODEL is a
    classifier, a tagger, whose ids are the numbers of its sentences from 0, or a hyphenator, whose ids are words.

    \b
    Examples:  casebase log words.cb
               casebase log words.cb --id 318
    """
    log, wanted = _log(model, ids)
    if ids:
        log = log.of(wanted)
    if as_json:
        print_json({"file": model} | log.to_dict())
    elif ids and not len(log):
        echo(f"No corrections of these {log.what}s since the training.")
    else:
        echo(str(log))


def _log(path: str, ids: Sequence[str]) -> tuple[Log, Sequence[Id]]:
    """Return the log of a file, and ids in the type of its ids."""
    header, arrays = read(path)
    if header.get("learner") == "strings":
        raise CasebaseError(f"{path} has rules over strings, which are never corrected: they have no log.")
    if header.get("learner") in OTHERS:
        log: Log | None = getattr(other_model(path, header, arrays), "log_", None)
        if log is None:
            raise CasebaseError(f"{path} is {OTHERS[header['learner']][0]}, which is never corrected: it has no log.")
        return log, [int(one) if log.what == "sentence" and one.isdecimal() else one for one in ids]
    saved = model_of(path, header, arrays)
    return log_of(saved.model, saved.log), convert_ids(saved.model, ids, "--id").tolist() if ids else []
