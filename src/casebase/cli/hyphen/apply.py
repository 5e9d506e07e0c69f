"""casebase hyphen apply"""

import json

import click

from casebase.cli.hyphen.options import encoding_option, separator, separator_option
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import write_text
from casebase.formats.plain_text import read_text
from casebase.hyphenation.hyphenator import Hyphenator


@click.command("apply")
@click.argument("model")
@click.argument("words", default="-")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
@separator_option
@click.option("--text", "is_text", is_flag=True, help="Treat WORDS as running text and keep what is between the words.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record per line: word, hyphenated, positions.")
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
               casebase hyphen apply words.cb book.txt --text --sep soft
    """
    if is_text and as_json:
        raise click.UsageError("--text and --json exclude each other.")
    path = writable(output, model, words)
    hyphenator = Hyphenator.load(model)
    hyphenator.n_jobs = n_threads(threads)
    text = read_text(words, encoding=encoding).data.decode("utf-8")
    if is_text:
        write_text(path, hyphenator.hyphenate_text(text, separator(sep)))
        return
    input_words = [line.strip() for line in text.splitlines()]
    lines = hyphenator.hyphenate_many(input_words, separator(sep))
    if as_json:
        places = hyphenator.positions_many(input_words)
        records = ({"word": w, "hyphenated": h, "positions": p} for w, h, p in zip(input_words, lines, places))
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
    write_text(path, "".join(f"{line}\n" for line in lines))
