"""Annotators in the commands of the tagger: models that fill several columns of CoNLL-U."""

import json
import os
import time
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.output import console, echo, grid, print_json, say
from casebase.cli.tagger.options import ALL, reading, text_from
from casebase.cli.tagger.scores import percent
from casebase.tagging.annotator import Annotator
from casebase.tagging.corpora import Corpus, read_corpus
from casebase.tagging.corpora.conllu import new_conllu, with_columns
from casebase.tagging.corpora.corpus import ColumnLines
from casebase.tagging.lemmas.lemmatizer import Lemmatizer
from casebase.tagging.tagger import Tagger


def train_annotator(path: str, output: str, tagger: Tagger, options: dict[str, Any], *, lemma: bool) -> None:
    """Train an annotator on a treebank, with the columns that the options say."""
    given = [
        name for name, value in tagger.get_params().items() if value is not None and name not in ("beam", "n_jobs")
    ]
    if given or tagger.beam != 1:
        raise click.UsageError("--lemma and --tags all have no options of a tagger: its committee is the default.")
    start = time.perf_counter()
    treebank = _treebank(path, options)
    columns = None if options["tags"] == ALL else [options["tags"], *(["upos", "lemma"] if lemma else [])]
    annotator = Annotator(columns, n_jobs=tagger.n_jobs).fit(treebank)
    if columns is None and not lemma:
        annotator.parts_.pop("lemma", None)
    annotator.save(output)
    sizes = f"{format_count(treebank.sentences.n_tokens, 'word')} in {format_count(len(treebank), 'sentence')}"
    columns_named = ", ".join(name.upper() for name in annotator.columns_)
    say(f"annotator of {columns_named}: {sizes}; {time.perf_counter() - start:.2f} s. Saved to {output}.")


def annotated(annotator: Annotator, path: str, options: dict[str, Any], to: str | None, *, as_json: bool) -> str:
    """Return a text with all columns of the annotator, as CoNLL-U or JSON."""
    if to not in (None, "conllu"):
        raise click.UsageError(f"This model fills several columns: its output is CoNLL-U, not {to}.")
    corpus = text_from(path, options, annotator.tagger_)
    words = corpus.sentences.lists()
    if as_json:
        sentences = annotator.annotate(words)
        return "".join(f"{json.dumps(sentence, ensure_ascii=False)}\n" for sentence in sentences)
    columns = annotator.columns_of(words)
    if corpus.format == "conllu" and isinstance(corpus.lines, ColumnLines):
        return with_columns(corpus.lines, columns)
    return new_conllu(words, columns)


def evaluate_annotator(annotator: Annotator, path: str, options: dict[str, Any], *, as_json: bool) -> None:
    """Print the accuracy of each column."""
    scores = annotator.evaluate(_treebank(path, options))
    if as_json:
        print_json({name: one.to_dict() for name, one in scores.items()})
        return
    table = grid("column", "words", "right", "accuracy", "known", "unknown")
    for name, one in scores.items():
        shares = [percent(share) for share in (one.all, one.known, one.unknown)]
        table.add_row(name.upper(), f"{one.all.n_words:,}", f"{one.all.n_right:,}", *shares)
    console().print(table, markup=False)


def _treebank(path: str, options: dict[str, Any]) -> Corpus:
    """Read a file in CoNLL-U; what is missing in a column is found by the annotator, which knows its columns."""
    return read_corpus(path, **reading(options) | {"format": options["format"] or "conllu", "tagged": False})


def inspect_parts(path: str, model: Annotator | Lemmatizer, as_json: bool) -> None:
    """Show what an annotator or a lemmatizer was learned from."""
    record = model.summary() | {"file": path, "n_bytes": os.path.getsize(path)}
    if as_json:
        print_json(record)
        return
    echo(f"{record['learner']} model, {record['n_bytes']:,} bytes")
    parts = record["columns"] if isinstance(model, Annotator) else {"lemma": record}
    for name, part in parts.items():
        words = f"{format_count(part['n_tokens'], 'word')}, {format_count(part['n_words'], 'different word')}"
        kinds = (
            format_count(part["n_scripts"], "edit script")
            if name == "lemma"
            else format_count(len(part["tags"]), "tag")
        )
        echo(f"{name.upper()}: learned from {words}, {kinds}")
