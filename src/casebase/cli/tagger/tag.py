"""casebase tagger tag"""

import json
from typing import Any

import click

from casebase.cli.models import refuse_exchanged
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say, write_text
from casebase.cli.tagger.annotators import annotated
from casebase.cli.tagger.options import corpus_options, text_from
from casebase.tagging.annotator import Annotator, tagger_or_annotator
from casebase.tagging.corpora import TAGGED_FORMATS, corpus_text
from casebase.tagging.texts import tagged_words

_READ_AS = {
    "tagged": "word/TAG text, whose tags are replaced",
    "tokens": "tokens separated by spaces, one sentence per line",
    "text": "plain text, split into words",
    "tsv": "one token per line",
    "conll2000": "one token per line",
}


@click.command("tag")
@click.argument("model")
@click.argument("text", default="-")
@click.option("-o", "--output", metavar="OUT", help="Write here; standard output by default.")
@click.option(
    "--to",
    type=click.Choice(TAGGED_FORMATS),
    help="Format of the output; by default the input's, with tags added.",
)
@click.option(
    "-B", "--beam", type=click.IntRange(min=1), help="Beam width: number of tag sequences to keep per sentence."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON list per sentence: word, tag, is_known, confidence."
)
@corpus_options
@threads_option
def command(
    model: str,
    text: str,
    output: str | None,
    to: str | None,
    beam: int | None,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Tag TEXT.

    TEXT is a file; by default, or if '-', standard input. Each line of TEXT gives one line of output, with the tags
    added to its words.

    \b
    Examples:  echo 'The old man ran .' | casebase tagger tag brown.cb
               casebase tagger tag brown.cb news.conllu -o tagged.conllu

    A model that was trained with --lemma or --tags all fills all its columns; its output is CoNLL-U.
    """
    if as_json and to is not None:
        raise click.UsageError("--json and --to exclude each other.")
    path = writable(output, model, text)
    refuse_exchanged(model, text, name="TEXT")
    loaded = tagger_or_annotator(model)
    if isinstance(loaded, Annotator):
        loaded.n_jobs = n_threads(threads)
        write_text(path, annotated(loaded, text, options, to, as_json=as_json))
        return
    tagger = loaded
    tagger.n_jobs = n_threads(threads)
    if beam is not None:
        tagger.beam = beam
    corpus = text_from(text, options, tagger)
    if options["format"] is None and corpus.format in _READ_AS:
        say(f"Reading {corpus.name} as {_READ_AS[corpus.format]}; change this with --format.")
    if not as_json:
        tags = tagger.tag_sentences(corpus.sentences)
        write_text(path, corpus_text(corpus, tags, format=to, tag=options["tags"]))
        return
    sentences = [[word.to_dict() for word in words] for words in tagged_words(tagger, corpus.sentences)]
    write_text(path, "".join(f"{json.dumps(words, ensure_ascii=False)}\n" for words in sentences))
