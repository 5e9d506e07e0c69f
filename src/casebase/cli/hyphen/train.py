"""casebase hyphen train"""

import time
from typing import Any

import click

from casebase.base.model import counted
from casebase.cli.hyphen.options import encoding_option, hyphen_option
from casebase.cli.options import n_threads, number_or, random_state_option, threads_option, writable
from casebase.cli.output import say
from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.pieces import COSTS
from casebase.hyphenation.word_lists import read_hyphenated_words

N_SHOWN = 5


@click.command("train")
@click.argument("words")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to save the model.")
@click.option("--depth", default="2", show_default=True, metavar="N|auto", help="Levels of patterns.")
@click.option(
    "--cost",
    type=click.Choice(COSTS),
    default="unit",
    show_default=True,
    help="What a pattern costs: 1, or its number of letters.",
)
@click.option(
    "--classes",
    default="auto",
    show_default=True,
    metavar="auto|none|K=bcdf,E=aeiou",
    help="Classes of letters that patterns may use.",
)
@click.option(
    "--left-min",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="At least this many characters before a break.",
)
@click.option(
    "--right-min",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="At least this many characters after a break.",
)
@click.option("--max-length", type=click.IntRange(min=1), help="Letters of the longest pattern; 24 by default.")
@click.option(
    "--max-class-length",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="The same for patterns of classes (only short ones can be exported); 0 for any length.",
)
@click.option(
    "--window",
    type=float,
    default=0.1,
    show_default=True,
    help="Share of the places to learn from at first; 1 for all.",
)
@random_state_option("the first window")
@click.option("--forbid", multiple=True, metavar="PATTERN", help="A pattern not to use, such as s-t. Repeatable.")
@click.option("--force", multiple=True, metavar="PATTERN=allow|forbid", help="A pattern to use. Repeatable.")
@hyphen_option
@encoding_option
@threads_option
def command(words: str, output: str, hyphen: str, encoding: str, threads: int | None, **options: Any) -> None:
    """Learn patterns from WORDS, hyphenated words one a line.

    A weight may stand behind a word and a tab. WORDS is a file, '-' for standard input.

    Example:  casebase hyphen train words.txt -o words.cb --depth 2
    """
    path = writable(output, words)
    if path is None:
        raise click.UsageError("A model is not written to standard output; name a file with -o.")
    start = time.perf_counter()
    if options["depth"] != "auto":
        options["depth"] = number_or("--depth", options["depth"], "whole", "auto")
    options["max_class_length"] = options["max_class_length"] or None
    options["classes"] = _classes(options["classes"])
    options["force"] = dict(_forced(text) for text in options["force"])
    hyphenator = Hyphenator(**options, n_jobs=n_threads(threads))
    given = read_hyphenated_words(words, hyphen=hyphen, encoding=encoding)
    hyphenator.fit(given).save(path)
    report = hyphenator.report_
    if given.n_duplicates:
        say(f"{counted(given.n_duplicates, 'word')} given more than once.")
    for contradiction in given.contradictions[:N_SHOWN]:
        say(f"Contradictory: {contradiction.kept} was learnt, not {', '.join(contradiction.others)}.")
    if len(given.contradictions) > N_SHOWN:
        say(f"… and {len(given.contradictions) - N_SHOWN} more contradictory words.")
    say(
        f"hyphenation: {counted(report['n_words'], 'word')}, {counted(report['n_examples'], 'place')}; "
        f"{counted(report['n_patterns'], 'pattern')} in {counted(report['depth'], 'level')}, right on all words; "
        f"{time.perf_counter() - start:.2f} s. Saved to {output}."
    )


def _classes(text: str) -> Any:
    if "=" not in text:
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    return {name.strip(): letters.strip() for name, _, letters in pairs}


def _forced(text: str) -> tuple[str, str]:
    pattern, sign, said = text.rpartition("=")
    if not sign:
        raise CasebaseError(f"--force takes PATTERN=allow or PATTERN=forbid, such as s-t=forbid; got {text!r}.")
    return pattern, said
