"""casebase hyphen export"""

from collections.abc import Callable

import click

from casebase.apps.hyphenator import Hyphenator
from casebase.apps.pattern_files import MAX_EXPANSION, leftovers, to_dic, to_json, to_tex, with_exceptions
from casebase.cli.options import writable
from casebase.cli.output import counted, say, write_text
from casebase.learners.patterns import PatternSet

WRITERS: dict[str, Callable[..., str]] = {"tex": to_tex, "hunspell": to_dic}


@click.command("export")
@click.argument("model")
@click.option(
    "--to",
    "kind",
    required=True,
    type=click.Choice([*WRITERS, "json"]),
    help="tex: \\patterns for XeTeX and LuaTeX; hunspell: hyph_*.dic for LibreOffice, Firefox and pyphen.",
)
@click.option("-o", "--output", metavar="FILE", help="Where to write; standard output if not said.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MAX_EXPANSION,
    show_default=True,
    help="Patterns of letters that patterns of classes may become.",
)
def command(model: str, kind: str, output: str | None, limit: int) -> None:
    """Write the patterns of MODEL for other programs, in UTF-8.

    They break every word where MODEL does. Patterns of classes are written with the letters of the words that MODEL
    has learnt from.

    \b
    Examples:  casebase hyphen export words.cb --to hunspell -o hyph_fi.dic
               casebase hyphen export words.cb --to tex -o hyph-fi.tex
    """
    path = writable(output, model)
    hyphenator = Hyphenator.load(model)
    patterns = _with_leftovers(hyphenator)
    if kind == "json":
        text = to_json(patterns)
    else:
        letters = {letter for word in hyphenator.words_.words for letter in word} or None
        text = WRITERS[kind](patterns, letters=letters, limit=limit)
    write_text(path, text)
    if path is not None:
        lines = counted(text.count("\n"), "line")  # a pattern of classes is many of letters
        say(f"{counted(len(patterns.patterns), 'pattern')} written to {path}, as {lines}.")


def _with_leftovers(hyphenator: Hyphenator) -> PatternSet:
    """Return the patterns with training words that they get wrong, if there are any, as exceptions."""
    patterns, words = hyphenator.patterns_, hyphenator.words_
    found = hyphenator.positions_many(words.words)
    suspects = [spelled for spelled, places, said in zip(words.spelled(), words.places, found) if list(places) != said]
    return with_exceptions(patterns, leftovers(patterns, suspects))
