"""casebase tagger train"""

import time
from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.options import json_option, n_threads, random_state_option, threads_option, writable
from casebase.cli.output import console, print_json, say
from casebase.cli.tagger.options import corpus_from, corpus_options, new_tagger, tagger_options
from casebase.cli.tagger.scores import print_scores
from casebase.render.progress_bar import progress_bar
from casebase.tagging.chunks import are_chunks


@click.command("train")
@click.argument("corpus")
@click.option("-o", "--output", metavar="MODEL", help="Save the tagger here.")
@click.option("--cv", type=click.IntRange(min=2), metavar="N", help="Cross-validate with N folds of sentences.")
@random_state_option("the folds")
@tagger_options
@corpus_options
@json_option
@threads_option
def command(
    corpus: str,
    output: str | None,
    cv: int | None,
    random_state: int,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Train a tagger on CORPUS, a tagged text.

    CORPUS is a file; '-' is standard input. With --cv, print the scores of cross-validation; without -o nothing is
    saved then.

    \b
    Examples:  casebase tagger train brown.tsv -o brown.cb
               casebase tagger train brown.tsv --cv 10
               casebase tagger train brown.tsv -o brown.cb -p ddfa -P dFapsss --compat mbt
    """
    if output is None and cv is None:
        raise click.UsageError("Nothing to do: give -o MODEL to save the tagger, or --cv N to evaluate it.")
    path = writable(output, corpus) if output is not None else None
    if output is not None and path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    if path is not None:
        hold(path)
    n_jobs = n_threads(threads)
    tagger = new_tagger(options, n_jobs)
    start = time.perf_counter()
    sentences = corpus_from(corpus, options, n_jobs, tagged=True).sentences
    is_configured = any((tagger.known, tagger.unknown, tagger.committee, tagger.compat))
    if sentences.extra and not is_configured and sentences.tags and are_chunks(sentences.tags.dictionary.to_pylist()):
        say("The tags mark chunks, but the columns between word and tag are ignored: --committee chunks uses them.")
    if cv is not None:
        with progress_bar("Tagging", sentences.n_sentences) as progress:
            scores = tagger.cross_validate(sentences, cv, seed=random_state, progress=progress)
        if as_json:
            print_json(scores.to_dict())
        else:
            print_scores(console(), scores)
    if path is not None:
        start = time.perf_counter() if cv is not None else start
        tagger.fit(sentences).save(path)
        say(
            f"tagger: {format_count(sentences.n_tokens, 'word')} in {format_count(sentences.n_sentences, 'sentence')}, "
            f"{format_count(tagger.n_words_, 'different word')}, {format_count(len(tagger.tags_), 'tag')}; "
            f"{time.perf_counter() - start:.2f} s. Saved to {output}."
        )
