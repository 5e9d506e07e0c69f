"""casebase hyphen train"""

import time
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.hyphen.learning import learning_options, parameters
from casebase.cli.hyphen.options import encoding_option, hyphen_option
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.word_lists import read_hyphenated_words
from casebase.render.progress_bar import progress_bar

N_SHOWN = 5


@click.command("train")
@click.argument("words")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Save the model here.")
@learning_options
@click.option(
    "--confidence",
    type=click.IntRange(min=2),
    metavar="N",
    help="Cross-validate with N folds, so that explain says how sure each decision is.",
)
@hyphen_option
@encoding_option
@threads_option
def command(
    words: str, output: str, hyphen: str, encoding: str, threads: int | None, confidence: int | None, **options: Any
) -> None:
    """Learn patterns from WORDS, one hyphenated word per line.

    A word may be followed by a tab and a weight. WORDS is a file; '-' is standard input.

    Example:  casebase hyphen train words.txt -o words.cb --depth 2
    """
    path = writable(output, words)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    start = time.perf_counter()
    hyphenator = Hyphenator(**parameters(options), n_jobs=n_threads(threads))
    word_list = read_hyphenated_words(words, hyphen=hyphen, encoding=encoding)
    if not any(word_list.places):
        raise CasebaseError(
            f"{words}: none of the {format_count(len(word_list), 'word')} has a hyphen ({hyphen!r}), so there is no "
            "break to learn. Mark the breaks as in 'hy-phen', or name the sign of the list with --hyphen."
        )
    hyphenator.fit(word_list)
    if confidence:
        with progress_bar("holding words out", confidence) as progress:
            hyphenator.measure_confidence(confidence, progress=progress)
    hyphenator.save(path)
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
