"""casebase tagger evaluate"""

from typing import Any

import click

from casebase.cli.models import refuse_exchanged
from casebase.cli.options import json_option, n_threads, threads_option
from casebase.cli.output import console, print_json
from casebase.cli.tagger.annotators import evaluate_annotator
from casebase.cli.tagger.options import corpus_from, corpus_options
from casebase.cli.tagger.scores import N_CONFUSIONS, N_TAGS, print_scores
from casebase.tagging.annotator import Annotator, tagger_or_annotator


@click.command("evaluate")
@click.argument("model")
@click.argument("corpus")
@click.option(
    "-B", "--beam", type=click.IntRange(min=1), help="Beam width: number of tag sequences to keep per sentence."
)
@click.option(
    "--tags-shown",
    type=click.IntRange(min=0),
    default=N_TAGS,
    show_default=True,
    help="Number of tags to show, most frequent first.",
)
@click.option(
    "--confusions-shown",
    type=click.IntRange(min=0),
    default=N_CONFUSIONS,
    show_default=True,
    help="Number of confused pairs of tags to show, most frequent first.",
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
    **options: Any,
) -> None:
    """Measure MODEL's accuracy on CORPUS: known and unknown words, each tag, and confused tags.

    If the tags mark chunks (B-NP, I-NP, O), report precision, recall and F of whole chunks too.

    Example:  casebase tagger evaluate brown.cb test.tsv
    """
    refuse_exchanged(model, corpus, name="CORPUS")
    loaded = tagger_or_annotator(model)
    if isinstance(loaded, Annotator):
        loaded.n_jobs = n_threads(threads)
        evaluate_annotator(loaded, corpus, options, as_json=as_json)
        return
    tagger = loaded
    tagger.n_jobs = n_threads(threads)
    if beam is not None:
        tagger.beam = beam
    scores = tagger.evaluate(corpus_from(corpus, options, tagger.n_jobs, tagged=True).sentences)
    if as_json:
        print_json(scores.to_dict())
        return
    print_scores(console(), scores, n_tags=tags_shown, n_confusions=confusions_shown)
