"""casebase tagger tag"""

import json
from itertools import pairwise
from typing import Any

import click

from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say, write_text
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.tagging.corpora import TAGGED_FORMATS, written
from casebase.tagging.tagger import Tagger

_READ_AS = {
    "tagged": "word/TAG text, whose tags are replaced",
    "tokens": "tokens with blanks between them, a sentence a line",
    "text": "plain text, cut into words",
    "tsv": "one token a line",
    "conll2000": "one token a line",
}


@click.command("tag")
@click.argument("model")
@click.argument("text", default="-")
@click.option("-o", "--output", metavar="OUT", help="Where to write; standard output by default.")
@click.option(
    "--to",
    type=click.Choice(TAGGED_FORMATS),
    help="Format of the output; by default that of the input, with tags added.",
)
@click.option("-B", "--beam", type=click.IntRange(min=1), help="Beam width: how many taggings of a sentence are kept.")
@click.option("--json", "as_json", is_flag=True, help="One JSON list a sentence: word, tag, is_known.")
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
    **given: Any,
) -> None:
    """Tag TEXT: a file, or standard input if it is '-' or not given.

    Every line of TEXT gives one line: tags are added to the words where they stand.

    \b
    Examples:  echo 'The old man ran .' | casebase tagger tag brown.cb
               casebase tagger tag brown.cb news.conllu -o tagged.conllu
    """
    if as_json and to is not None:
        raise click.UsageError("--json and --to exclude each other.")
    path = writable(output, model, text)
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    if beam is not None:
        tagger.beam = beam
    corpus = corpus_from(
        text, given, tagger.n_jobs, tagged=None, n_columns=2 + tagger.n_columns_, abbreviations=tagger.abbreviations_
    )
    if given["format"] is None and corpus.format in _READ_AS:
        say(f"Reading {corpus.name} as {_READ_AS[corpus.format]}; --format says otherwise.")
    tags = tagger.tag_sentences(corpus.sentences)
    if not as_json:
        write_text(path, written(corpus, tags, format=to, tag=given["tags"]))
        return
    is_known = tagger.knows(corpus.sentences).tolist()
    words = corpus.sentences.words.to_pylist()
    rows = [{"word": w, "tag": t, "is_known": k} for w, t, k in zip(words, tags, is_known)]
    first = corpus.sentences.first.tolist()
    lines = (json.dumps(rows[a:b], ensure_ascii=False) for a, b in pairwise(first))
    write_text(path, "".join(f"{line}\n" for line in lines))
