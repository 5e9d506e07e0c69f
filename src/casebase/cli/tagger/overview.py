"""Overview of a tagger's model file, for `casebase inspect`."""

import os

from casebase.base.model import format_count
from casebase.cli.output import console, echo, grid, print_json
from casebase.tagging.tagger import Tagger

SHOWN = 20


def _sentences(n: int | None) -> str:
    return "whose sentences are not in the file" if n is None else f"in {format_count(n, 'sentence')}"


def inspect_tagger(path: str, tagger: Tagger, as_json: bool) -> None:
    """Show the size of a tagger's corpus, its parameters and its tags."""
    record = tagger.summary() | {"file": path, "n_bytes": os.path.getsize(path)}
    if as_json:
        print_json(record)
        return
    tags = record["tags"]
    echo(f"tagger model, {record['n_bytes']:,} bytes")
    echo(
        f"learned from {format_count(record['n_tokens'], 'word')} "
        f"{_sentences(record['n_sentences'])}; "
        f"{format_count(record['n_words'], 'different word')}, {format_count(len(tags), 'tag')}"
    )
    echo("parameters: " + ", ".join(f"{name}={value}" for name, value in record["parameters"].items()))
    echo()
    table = grid("tag", "words")
    for entry in tags[:SHOWN]:
        table.add_row(entry["tag"], f"{entry['frequency']:,}")
    console().print(table, markup=False)
    if len(tags) > SHOWN:
        echo(f"… and {format_count(len(tags) - SHOWN, 'rarer tag')}; --json has them all")
