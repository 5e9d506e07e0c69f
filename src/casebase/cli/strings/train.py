"""casebase strings train"""

import time
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.methods import options_for, settings_from
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.cli.strings.options import encoding_option, separator_option
from casebase.render.progress_bar import progress_bar
from casebase.render.words import number
from casebase.strings.files import save_strings
from casebase.strings.lists import read_string_list
from casebase.strings.rules import fit
from casebase.strings.settings import Settings


@click.command("train")
@click.argument("data")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Save the model here.")
@separator_option
@encoding_option
@threads_option
def command(data: str, output: str, separator: str, encoding: str, threads: int | None, **options: Any) -> None:
    """Learn rules from DATA: a string, a tab and its class in each line.

    A second tab and a weight may follow. Mark the place asked about in every string (na|tion), or in none. DATA is a
    file; '-' is standard input.

    \b
    Examples:  casebase strings train sounds.txt -o sounds.cb --depth 3 --window 0.1
               casebase strings train endings.txt -o endings.cb --classes auto
    """
    path = writable(output, data)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    settings = settings_from(Settings, options)
    assert isinstance(settings, Settings)
    start = time.perf_counter()
    given = read_string_list(data, settings.mark, separator=separator, encoding=encoding)
    labels, asked = given.known_labels(), given.asked
    with progress_bar("strings") as progress:
        model = fit(
            asked,
            labels,
            settings,
            weights=given.weights,
            names=given.names,
            n_jobs=n_threads(threads),
            progress=progress,
        )
    save_strings(path, model)
    wrong = f"; {number(model.n_unexplained)} of the strings unexplained" if model.n_unexplained else ""
    say(
        f"strings: {format_count(len(asked), 'string')}{'' if asked.places is None else ' with places'}, "
        f"{format_count(len(model.classes), 'class')}; {format_count(len(model.rules), 'rule')} at "
        f"{format_count(model.n_levels, 'level')} and a default{wrong}; {time.perf_counter() - start:.2f} s. "
        f"Saved to {output}."
    )


command.params += options_for(Settings)
