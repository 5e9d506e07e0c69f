"""casebase hyphen import"""

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.options import writable
from casebase.cli.output import say
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.pattern_files import READERS, read_patterns


@click.command("import")
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Save the model here.")
@click.option("--from", "kind", type=click.Choice(list(READERS)), help="Format of the file; detected by default.")
@click.option("--skip-wrong", is_flag=True, help="Skip and list the lines of a .dic file that are not patterns.")
@click.option(
    "--encoding", default="utf-8", show_default=True, help="Encoding of a TeX file; other formats declare theirs."
)
def command(file: str, output: str, kind: str | None, skip_wrong: bool, encoding: str) -> None:
    """Import a pattern file: TeX, hunspell (hyph_*.dic), or the JSON of casebase hyphen export.

    The model has no training words; casebase hyphen correct adds exceptions to it. FILE may be '-', standard input.

    Example:  casebase hyphen import hyph_en_US.dic -o english.cb
    """
    path = writable(output, file)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    skipped: list[str] | None = [] if skip_wrong else None
    patterns = read_patterns(file, format=kind, encoding=encoding, skipped=skipped)
    Hyphenator.from_patterns(patterns).save(path)
    for message in skipped or ():
        say(f"Skipped: {message}")
    say(f"{format_count(len(patterns.patterns), 'pattern')} in {path}.")
