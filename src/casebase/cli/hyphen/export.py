"""casebase hyphen export"""

import click

from casebase.base.model import format_count
from casebase.cli.options import writable
from casebase.cli.output import say, write_text
from casebase.hyphenation.hyphenator import EXPORTS, Hyphenator
from casebase.hyphenation.pattern_files import MAX_EXPANSION


@click.command("export")
@click.argument("model")
@click.option(
    "--to",
    "kind",
    required=True,
    type=click.Choice(EXPORTS),
    help="Format: tex (\\patterns for XeTeX and LuaTeX) or hunspell (hyph_*.dic for LibreOffice, Firefox, pyphen).",
)
@click.option("-o", "--output", metavar="FILE", help="Write here; standard output by default.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=MAX_EXPANSION,
    show_default=True,
    help="Maximum number of letter patterns to expand class patterns into.",
)
def command(model: str, kind: str, output: str | None, limit: int) -> None:
    """Export the patterns of MODEL for other programs, in UTF-8.

    The exported patterns hyphenate every word as MODEL does. Class patterns are expanded into letters, those of the
    training words.

    \b
    Examples:  casebase hyphen export words.cb --to hunspell -o hyph_fi.dic
               casebase hyphen export words.cb --to tex -o hyph-fi.tex
    """
    path = writable(output, model)
    hyphenator = Hyphenator.load(model)
    text = hyphenator.export(kind, limit=limit)
    write_text(path, text)
    if path is not None:
        lines = format_count(text.count("\n"), "line")  # one class pattern expands into many letter patterns
        say(f"{format_count(len(hyphenator.patterns_.patterns), 'pattern')} written to {path}, as {lines}.")
