"""casebase tagger learn"""

from typing import Any

import click

from casebase.base.model import counted
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.tagging.tagger import Tagger


@click.command("learn")
@click.argument("model")
@click.argument("corpus", default="-")
@click.option("-o", "--output", metavar="NEW", help="Where to save the tagger; by default MODEL is replaced.")
@corpus_options
@threads_option
def command(model: str, corpus: str, output: str | None, threads: int | None, **given: Any) -> None:
    """Add the corrected sentences of CORPUS to MODEL, exactly as if they had been in its corpus.

    CORPUS is a file, or standard input if it is '-' or not given.

    Example:  echo 'The/at old/jj man/nn' | casebase tagger learn brown.cb
    """
    path = writable(output or model, corpus) or model
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    sentences = corpus_from(corpus, given, tagger.n_jobs, tagged=True).sentences
    tagger.learn_many(sentences)
    tagger.save(path)
    learned = f"{counted(sentences.n_sentences, 'sentence')} with {counted(sentences.n_tokens, 'word')}"
    say(f"{learned} learnt. Saved to {path}.")
