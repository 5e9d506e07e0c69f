"""casebase hyphen apply"""

import json

import click

from casebase.cli.hyphen.options import encoding_option, separator, separator_option
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say, write_text
from casebase.formats.plain_text import read_text
from casebase.hyphenation.hyphenator import Hyphenator, is_running_text, split_text


@click.command("apply")
@click.argument("model")
@click.argument("words", default="-")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
@separator_option
@click.option(
    "--text",
    "is_text",
    is_flag=True,
    help="Read WORDS as running text, and keep what is between the words; the default if a line has several words.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record per word: word, hyphenated, positions.")
@encoding_option
@threads_option
def command(
    model: str,
    words: str,
    output: str | None,
    sep: str,
    is_text: bool,
    as_json: bool,
    encoding: str,
    threads: int | None,
) -> None:
    """Hyphenate WORDS, one per line, or running text.

    WORDS is a file; by default, or if '-', standard input.

    \b
    Examples:  casebase hyphen apply words.cb new.txt
               casebase hyphen apply words.cb book.txt --sep soft
    """
    path = writable(output, model, words)
    refuse_exchanged(model, words, name="WORDS")
    hyphenator = Hyphenator.load(model)
    hyphenator.n_jobs = n_threads(threads)
    source = read_text(words, encoding=encoding)
    text = source.data.decode("utf-8")
    if not is_text and (is_text := is_running_text(text)):
        say(f"Reading {source.name} as running text, because a line has several words.")
    if is_text and not as_json:
        write_text(path, hyphenator.hyphenate_text(text, separator(sep)))
        return
    input_words = split_text(text)[1::2] if is_text else [line.strip() for line in text.splitlines()]
    lines = hyphenator.hyphenate_many(input_words, separator(sep))
    if as_json:
        places = hyphenator.positions_many(input_words)
        records = ({"word": w, "hyphenated": h, "positions": p} for w, h, p in zip(input_words, lines, places))
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
    write_text(path, "".join(f"{line}\n" for line in lines))
