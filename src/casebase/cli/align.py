"""casebase align"""

import io
from collections.abc import Callable

import click

from casebase.alignment import Alignment, align, read_pronunciations
from casebase.alignment.aligner import N_ROUNDS, window_names
from casebase.base.model import format_count
from casebase.cli.options import writable
from casebase.cli.output import say, write_text
from casebase.formats.written import row_writer
from casebase.render.progress_bar import progress_bar

N_SHOWN = 5


@click.command("align")
@click.argument("dictionary")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
@click.option(
    "--to",
    "kind",
    type=click.Choice(["strings", "windows", "words"]),
    default="strings",
    show_default=True,
    help="Examples for `casebase strings` (na|tion, a tab and SH), a table of windows for `casebase train`, or aligned "
    "words.",
)
@click.option(
    "--window",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Number of letters on both sides of the letter asked about, in a table of windows.",
)
@click.option("--stress", is_flag=True, help="Keep the digits of stress: OW1.")
@click.option("--variants", is_flag=True, help="Take all pronunciations of a word; by default the first.")
@click.option("--all-words", is_flag=True, help="Take words with signs or digits too.")
@click.option("--rounds", type=click.IntRange(min=1), default=N_ROUNDS, show_default=True, help="Most rounds.")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the dictionary.")
def command(
    dictionary: str,
    output: str | None,
    kind: str,
    window: int,
    stress: bool,
    variants: bool,
    all_words: bool,
    rounds: int,
    encoding: str,
) -> None:
    """Align the letters of DICTIONARY with its phonemes: each letter has no, one or two of them.

    DICTIONARY has a word and its phonemes in each line, like the CMU dictionary, with or without the number of the
    pronunciation (PHONE(2), or PHONE 2); '-' is standard input.

    \b
    Examples:  casebase align cmudict.txt -o sounds.txt
               casebase align cmudict.txt --to windows -o windows.tsv
    """
    path = writable(output, dictionary)
    given = read_pronunciations(
        dictionary, stress=stress, variants=variants, only_letters=not all_words, encoding=encoding
    )
    with progress_bar("aligning", rounds) as progress:
        found = align(given, n_rounds=rounds, progress=progress)
    writers: dict[str, Callable[[], str]] = {
        "strings": lambda: _strings(found),
        "windows": lambda: _windows(found, window),
        "words": lambda: "".join(f"{one.word}\t{' '.join(one.sounds)}\n" for one in found),
    }
    write_text(path, writers[kind]())
    if found.left_out:
        shown = ", ".join(one.word for one in found.left_out[:N_SHOWN])
        say(
            f"{format_count(len(found.left_out), 'word')} left out, with more than two phonemes for each letter: "
            f"{shown}{', …' if len(found.left_out) > N_SHOWN else ''}."
        )
    n_letters = sum(len(one.word) for one in found)
    say(
        f"{format_count(len(found), 'word')} aligned, {n_letters:,} letters; "
        f"{format_count(len(found.log_likelihoods), 'round')}."
    )


def _strings(found: Alignment) -> str:
    lines = (f"{one.word[:i]}|{one.word[i:]}\t{sound}\n" for one in found for i, sound in enumerate(one.sounds))
    return "".join(lines)


def _windows(found: Alignment, n: int) -> str:
    rows, sounds = found.windows(n)
    text = io.StringIO()
    writer = row_writer(text, "\t")
    writer.writerow([*window_names(n), "phoneme"])
    writer.writerows([*row, sound] for row, sound in zip(rows, sounds))
    return text.getvalue()
