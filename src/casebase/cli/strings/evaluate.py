"""casebase strings evaluate"""

from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.evaluate import show_report
from casebase.cli.methods import options_for, settings_from
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option, n_threads, refuse_given, threads_option
from casebase.cli.output import console, print_json, say
from casebase.cli.strings.options import encoding_option, separator_option
from casebase.evaluate import report
from casebase.render.progress_bar import progress_bar
from casebase.strings.files import load_strings
from casebase.strings.lists import read_string_list
from casebase.strings.settings import Settings
from casebase.strings.validation import cross_validated


@click.command("evaluate")
@click.argument("files", nargs=-1, required=True, metavar="MODEL TEST | DATA")
@click.option("--cv", type=click.IntRange(min=2), metavar="N", help="Cross-validate on DATA with N folds.")
@click.option(
    "--by-string",
    is_flag=True,
    help="Keep all places of one string in the same fold, and count the strings that are entirely right.",
)
@separator_option
@encoding_option
@json_option
@threads_option
def command(
    files: tuple[str, ...],
    cv: int | None,
    by_string: bool,
    separator: str,
    encoding: str,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Measure the accuracy of MODEL on TEST, or of the settings on DATA with --cv.

    \b
    Examples:  casebase strings evaluate sounds.cb test.txt
               casebase strings evaluate sounds.txt --cv 10 --depth 3
    """
    if cv is None:
        if len(files) != 2:
            raise click.UsageError("Give MODEL and TEST, or DATA with --cv N.")
        refuse_given([str(one.name) for one in SETTINGS], "goes with --cv; a model keeps its settings.")
        refuse_exchanged(*files, name="TEST")
        rules = load_strings(files[0])
        test = read_string_list(files[1], rules.settings.mark, separator=separator, encoding=encoding)
        actual = test.known_labels()
        answered = [str(rules.classes[code]) for code in rules.answer(test.asked, n_threads(threads))]
        result = report(actual, answered)
        asked = test.asked
    else:
        if len(files) != 1:
            raise click.UsageError("--cv takes one file: DATA.")
        settings = settings_from(Settings, options)
        assert isinstance(settings, Settings)
        data = read_string_list(files[0], settings.mark, separator=separator, encoding=encoding)
        actual, asked = data.known_labels(), data.asked
        with progress_bar("evaluating", cv) as progress:
            answered, fold_accuracies = cross_validated(
                asked,
                actual,
                settings,
                n_folds=cv,
                weights=data.weights,
                by_string=by_string,
                n_jobs=n_threads(threads),
                progress=progress,
            )
        result = report(actual, answered, fold_accuracies)
    wrong = {string for string, a, b in zip(asked.strings, actual, answered) if a != b}
    n_strings = len(set(asked.strings))
    by_strings = {"n_strings": n_strings, "n_right_strings": n_strings - len(wrong)}
    if as_json:
        print_json(result.to_dict() | (by_strings if by_string else {}))
        return
    if by_string:
        say(f"{n_strings - len(wrong):,} of {format_count(n_strings, 'string')} entirely right.")
    show_report(result, console())


SETTINGS = options_for(Settings)
command.params += SETTINGS
