"""casebase strings predict"""

import json

import click
import numpy as np

from casebase.cli.models import refuse_exchanged
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import write_text
from casebase.cli.strings.options import encoding_option, separator_option
from casebase.strings.files import load_strings
from casebase.strings.lists import read_string_list


@click.command("predict")
@click.argument("model")
@click.argument("data", default="-")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record per string: string, class, piece, votes.")
@separator_option
@encoding_option
@threads_option
def command(
    model: str, data: str, output: str | None, as_json: bool, separator: str, encoding: str, threads: int | None
) -> None:
    """Predict the class of the strings in DATA, one per line; a class behind them is ignored.

    DATA is a file; by default, or if '-', standard input. Each string comes back with a tab and its class.

    Example:  casebase strings predict sounds.cb new.txt
    """
    path = writable(output, model, data)
    refuse_exchanged(model, data)
    rules = load_strings(model)
    asked = read_string_list(data, rules.settings.mark, separator=separator, encoding=encoding).asked
    fired = rules.decided(asked, n_threads(threads)).tolist()
    mark, lines = rules.settings.mark, []
    for i, number in enumerate(fired):
        label = rules.classes[rules.labels[number]]
        if not as_json:
            lines.append(f"{asked.marked(i, mark)}{separator}{label}")
            continue
        counts = rules.counts[number]
        record = {
            "string": asked.marked(i, mark),
            "class": label,
            "piece": rules.rules[number].piece.written(mark) if number < len(rules.rules) else None,
            "level": rules.level_of(number),
            "votes": {str(rules.classes[c]): float(counts[c]) for c in np.flatnonzero(counts)},
        }
        lines.append(json.dumps(record, ensure_ascii=False))
    write_text(path, "".join(f"{line}\n" for line in lines))
