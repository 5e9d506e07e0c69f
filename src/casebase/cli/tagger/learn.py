"""casebase tagger learn"""

from typing import Any

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.models import refuse_exchanged
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.errors import FormatError
from casebase.tagging.corpora import Corpus
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
    hold(path)
    refuse_exchanged(model, corpus, name="CORPUS")
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    more = corpus_from(corpus, options, tagger.n_jobs, tagged=True)
    if options["format"] is None:
        check_tags(more, tagger)
    sentences = more.sentences
    tagger.learn_many(sentences)
    tagger.save(path)
    learned = f"{format_count(sentences.n_sentences, 'sentence')} with {format_count(sentences.n_tokens, 'word')}"
    say(f"{learned} learned. Saved to {path}.")


def check_tags(corpus: Corpus, tagger: Tagger) -> None:
    """Refuse words without tags, which look like one token per line whose tag is the last word."""
    assert corpus.sentences.tags is not None
    if corpus.format != "conll2000" or not set(tagger.tags_).isdisjoint(corpus.sentences.tags.dictionary.to_pylist()):
        return
    word, tag = corpus.sentences.words[0].as_py(), corpus.sentences.tags[0].as_py()
    raise FormatError(
        f"{corpus.name}, line 1: {word!r} has no tag. Expected word/TAG, or one word and its tag per line. If {tag!r} "
        "is its tag, a new one, say --format conll2000."
    )
