"""casebase tagger learn"""

from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.tagging.tagger import Tagger


@click.command("learn")
@click.argument("model")
@click.argument("corpus", default="-")
@click.option("-o", "--output", metavar="NEW", help="Save the new tagger here; by default it replaces MODEL.")
@corpus_options
@threads_option
def command(model: str, corpus: str, output: str | None, threads: int | None, **options: Any) -> None:
    """Add the corrected sentences of CORPUS to MODEL.

    The result equals a tagger trained on both corpora. CORPUS is a file; by default, or if '-', standard input.

    Example:  echo 'The/at old/jj man/nn' | casebase tagger learn brown.cb
    """
    path = writable(output or model, corpus) or model
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    sentences = corpus_from(corpus, options, tagger.n_jobs, tagged=True).sentences
    tagger.learn_many(sentences)
    tagger.save(path)
    learned = f"{format_count(sentences.n_sentences, 'sentence')} with {format_count(sentences.n_tokens, 'word')}"
    say(f"{learned} learned. Saved to {path}.")
