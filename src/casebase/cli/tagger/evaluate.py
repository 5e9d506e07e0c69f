"""casebase tagger evaluate"""

from typing import Any

import click

from casebase.cli.options import json_option, n_threads, threads_option
from casebase.cli.output import console, print_json
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.cli.tagger.reporting import N_CONFUSIONS, N_TAGS, print_scores
from casebase.tagging.tagger import Tagger


@click.command("evaluate")
@click.argument("model")
@click.argument("corpus")
@click.option("-B", "--beam", type=click.IntRange(min=1), help="Beam width: how many taggings of a sentence are kept.")
@click.option(
    "--tags-shown", type=click.IntRange(min=0), default=N_TAGS, show_default=True, help="Tags to show, frequent first."
)
@click.option(
    "--confusions-shown",
    type=click.IntRange(min=0),
    default=N_CONFUSIONS,
    show_default=True,
    help="Pairs of confused tags to show, frequent first.",
)
@corpus_options
@json_option
@threads_option
def command(
    model: str,
    corpus: str,
    beam: int | None,
    tags_shown: int,
    confusions_shown: int,
    as_json: bool,
    threads: int | None,
    **given: Any,
) -> None:
    """Compare MODEL's tags with those of CORPUS: known and unknown words, each tag, what is confused with what.

    Where the tags mark chunks (B-NP, I-NP, O), also precision, recall and F of whole chunks.

    Example:  casebase tagger evaluate brown.cb test.tsv
    """
    tagger = Tagger.load(model)
    tagger.n_jobs = n_threads(threads)
    if beam is not None:
        tagger.beam = beam
    scores = tagger.evaluate(corpus_from(corpus, given, tagger.n_jobs, tagged=True).sentences)
    if as_json:
        print_json(scores.to_dict())
        return
    print_scores(console(), scores, n_tags=tags_shown, n_confusions=confusions_shown)
