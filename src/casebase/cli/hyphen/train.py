"""casebase hyphen train"""

import time
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
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
@click.option("-o", "--output", required=True, metavar="MODEL", help="Save the model here.")
@click.option("--depth", default="2", show_default=True, metavar="N|auto", help="Number of levels of patterns.")
@click.option(
    "--cost",
    type=click.Choice(COSTS),
    default="unit",
    show_default=True,
    help="Cost of a pattern: 1, or its number of letters.",
)
@click.option(
    "--classes",
    default="auto",
    show_default=True,
    metavar="auto|none|K=bcdf,E=aeiou",
    help="Letter classes that patterns may use.",
)
@click.option(
    "--left-min",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Minimum number of characters before a break.",
)
@click.option(
    "--right-min",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Minimum number of characters after a break.",
)
@click.option("--max-length", type=click.IntRange(min=1), help="Maximum length of a pattern in letters; 24 by default.")
@click.option(
    "--max-class-length",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Maximum length of a class pattern (only short ones can be exported); 0 for any length.",
)
@click.option(
    "--window",
    type=float,
    default=0.1,
    show_default=True,
    help="Share of the places in the first training window; 1 for all.",
)
@random_state_option("the first window")
@click.option("--forbid", multiple=True, metavar="PATTERN", help="Forbid a pattern, such as s-t. Repeatable.")
@click.option(
    "--force", multiple=True, metavar="PATTERN=allow|forbid", help="Force a pattern, such as s-t=forbid. Repeatable."
)
@hyphen_option
@encoding_option
@threads_option
def command(words: str, output: str, hyphen: str, encoding: str, threads: int | None, **options: Any) -> None:
    """Learn patterns from WORDS, one hyphenated word per line.

    A word may be followed by a tab and a weight. WORDS is a file; '-' is standard input.

    Example:  casebase hyphen train words.txt -o words.cb --depth 2
    """
    path = writable(output, words)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    start = time.perf_counter()
    if options["depth"] != "auto":
        options["depth"] = number_or("--depth", options["depth"], "whole", "auto")
    options["max_class_length"] = options["max_class_length"] or None
    options["classes"] = _classes(options["classes"])
    options["force"] = dict(_parse_force(text) for text in options["force"])
    hyphenator = Hyphenator(**options, n_jobs=n_threads(threads))
    word_list = read_hyphenated_words(words, hyphen=hyphen, encoding=encoding)
    if not any(word_list.places):
        raise CasebaseError(
            f"{words}: none of the {format_count(len(word_list), 'word')} has a hyphen ({hyphen!r}), so there is no "
            "break to learn. Mark the breaks as in 'hy-phen', or name the sign of the list with --hyphen."
        )
    hyphenator.fit(word_list).save(path)
    report = hyphenator.report_
    if word_list.n_duplicates:
        say(f"{format_count(word_list.n_duplicates, 'word')} given more than once.")
    for contradiction in word_list.contradictions[:N_SHOWN]:
        say(f"Contradictory: learned {contradiction.kept}, not {', '.join(contradiction.others)}.")
    if len(word_list.contradictions) > N_SHOWN:
        say(f"… and {len(word_list.contradictions) - N_SHOWN} more contradictory words.")
    say(
        f"hyphenation: {format_count(report['n_words'], 'word')}, {format_count(report['n_examples'], 'place')}; "
        f"{format_count(report['n_patterns'], 'pattern')} in {format_count(report['depth'], 'level')}, "
        f"right on all words; {time.perf_counter() - start:.2f} s. Saved to {output}."
    )


def _classes(text: str) -> str | dict[str, str]:
    if "=" not in text:
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    return {name.strip(): letters.strip() for name, _, letters in pairs}


def _parse_force(text: str) -> tuple[str, str]:
    pattern, equals, verdict = text.rpartition("=")
    if not equals:
        raise CasebaseError(f"--force takes PATTERN=allow or PATTERN=forbid, such as s-t=forbid; got {text!r}.")
    return pattern, verdict
