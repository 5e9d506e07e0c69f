"""Overview of a tagger's model file, for `casebase inspect`."""

import os
from collections import Counter
from typing import Any

import click

from casebase.base.model import counted
from casebase.cli.output import console, grid, print_json
from casebase.tagging.tagger import Tagger

SHOWN = 20


def inspect_tagger(path: str, tagger: Tagger, as_json: bool) -> None:
    """Show the size of a tagger's corpus, its parameters and its tags."""
    corpus = tagger.model_.corpus
    assert corpus.tags is not None
    frequency = Counter(corpus.tags.to_pylist())
    parameters = {name: value for name, value in tagger.get_params().items() if value is not None}
    record: dict[str, Any] = {
        "learner": "tagger",
        "file": path,
        "n_bytes": os.path.getsize(path),
        "n_sentences": corpus.n_sentences,
        "n_tokens": corpus.n_tokens,
        "n_words": tagger.n_words_,
        "n_columns": tagger.n_columns_,
        "parameters": parameters,
        "tags": [{"tag": tag, "frequency": n} for tag, n in frequency.most_common()],
    }
    if as_json:
        print_json(record)
        return
    click.echo(f"tagger model, {record['n_bytes']:,} bytes")
    click.echo(
        f"learned from {counted(corpus.n_tokens, 'word')} in {counted(corpus.n_sentences, 'sentence')}; "
        f"{counted(tagger.n_words_, 'different word')}, {counted(len(frequency), 'tag')}"
    )
    click.echo("parameters: " + ", ".join(f"{name}={value}" for name, value in parameters.items()))
    click.echo()
    table = grid("tag", "words")
    for tag, n in frequency.most_common(SHOWN):
        table.add_row(tag, f"{n:,}")
    console().print(table, markup=False)
    if len(frequency) > SHOWN:
        click.echo(f"… and {counted(len(frequency) - SHOWN, 'rarer tag')}; --json has them all")
