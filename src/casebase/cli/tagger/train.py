"""casebase tagger train"""

import time
from collections.abc import Sequence
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.in_parts import InParts, training_options
from casebase.cli.options import json_option, n_threads, random_state_option, threads_option, writable
from casebase.cli.output import console, print_json, say
from casebase.cli.tagger.annotators import train_annotator
from casebase.cli.tagger.options import ALL, corpus_from, corpus_options, new_tagger, reading, tagger_options
from casebase.cli.tagger.scores import print_scores
from casebase.render.progress_bar import progress_bar
from casebase.tagging.chunks import are_chunks
from casebase.tagging.tagger import Tagger


@click.command("train")
@click.argument("corpus", metavar="CORPUS…", nargs=-1, required=True)
@click.option("-o", "--output", metavar="MODEL", help="Save the tagger here.")
@click.option("--cv", type=click.IntRange(min=2), metavar="N", help="Cross-validate with N folds of sentences.")
@click.option(
    "--lemma",
    is_flag=True,
    help="Learn column LEMMA too (conllu); the model then fills this column and that of --tags.",
)
@click.option("--without-corpus", is_flag=True, help="Save a smaller file, which cannot be corrected or explain.")
@random_state_option("the folds")
@training_options("CORPUS")
@tagger_options
@corpus_options
@json_option
@threads_option
def command(
    corpus: tuple[str, ...],
    output: str | None,
    cv: int | None,
    lemma: bool,
    without_corpus: bool,
    random_state: int,
    as_json: bool,
    threads: int | None,
    memory: str | None,
    scratch: str | None,
    workers: int | None,
    scheduler: str | None,
    **options: Any,
) -> None:
    """Train a tagger on CORPUS, a tagged text.

    CORPUS is a file; '-' is standard input. Several files, or a pattern in quotes ('corpus/*.txt'), are one corpus,
    which is read in parts. With --cv, print the scores of cross-validation; without -o nothing is saved then.

    \b
    Examples:  casebase tagger train brown.tsv -o brown.cb
               casebase tagger train brown.tsv --cv 10
               casebase tagger train brown.tsv -o brown.cb -p ddfa -P dFapsss --compat mbt
               casebase tagger train 'corpus/*.txt' -o corpus.cb --memory 2GB
               casebase tagger train en.conllu -o en.cb --tags all --lemma
    """
    if output is None and cv is None:
        raise click.UsageError("Nothing to do: give -o MODEL to save the tagger, or --cv N to evaluate it.")
    path = writable(output, *corpus) if output is not None else None
    if output is not None and path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    if path is not None:
        hold(path)
    n_jobs = n_threads(threads)
    tagger = new_tagger(options, n_jobs)
    start = time.perf_counter()
    if lemma or options["tags"] == ALL:
        if cv is not None or path is None or memory is not None or len(corpus) != 1:
            raise click.UsageError("--lemma and --tags all learn from one file, with -o, without --cv and --memory.")
        train_annotator(corpus[0], path, tagger, options, lemma=lemma)
        return
    in_parts = InParts(memory, scratch, workers, scheduler)
    if in_parts.is_asked_for(*corpus):
        if cv is not None or path is None:
            raise click.UsageError("--cv needs the whole corpus in memory: give one file, without --memory.")
        resources = in_parts.resources(n_jobs)
        from casebase.scale import train_tagger  # the stages are not needed for a small corpus

        with in_parts.ends_orderly(), progress_bar("tagger") as progress:
            how = {"keep_corpus": not without_corpus, "progress": progress, **reading(options)}
            trained = train_tagger(tagger, list(corpus), path, resources, **how)
        _say_chunks(tagger, trained.n_columns, trained.tags)
        _say_saved(trained.n_tokens, trained.n_sentences, trained.n_words, len(trained.tags), start, output)
        return
    sentences = corpus_from(corpus[0], options, n_jobs, tagged=True).sentences
    assert sentences.tags is not None
    _say_chunks(tagger, len(sentences.extra), sentences.tags.dictionary.to_pylist())
    if cv is not None:
        with progress_bar("Tagging", sentences.n_sentences) as progress:
            scores = tagger.cross_validate(sentences, cv, seed=random_state, progress=progress)
        if as_json:
            print_json(scores.to_dict())
        else:
            print_scores(console(), scores)
    if path is not None:
        start = time.perf_counter() if cv is not None else start
        tagger.fit(sentences).save(path, corpus=not without_corpus)
        sizes = sentences.n_tokens, sentences.n_sentences, tagger.n_words_, len(tagger.tags_)
        _say_saved(*sizes, start, output)


def _say_chunks(tagger: Tagger, n_columns: int, tags: Sequence[str]) -> None:
    is_configured = any((tagger.known, tagger.unknown, tagger.committee, tagger.compat))
    if n_columns and not is_configured and are_chunks(tags):
        say("The tags mark chunks, but the columns between word and tag are ignored: --committee chunks uses them.")


def _say_saved(n_tokens: int, n_sentences: int, n_words: int, n_tags: int, start: float, output: str | None) -> None:
    say(
        f"tagger: {format_count(n_tokens, 'word')} in {format_count(n_sentences, 'sentence')}, "
        f"{format_count(n_words, 'different word')}, {format_count(n_tags, 'tag')}; "
        f"{time.perf_counter() - start:.2f} s. Saved to {output}."
    )
