"""casebase lm evaluate"""

import time

import click

from casebase.cli.options import json_option, n_threads, threads_option
from casebase.cli.output import echo, print_json
from casebase.language_model import LanguageModel
from casebase.render.progress_bar import progress_bar
from casebase.tagging.corpora import read_corpus


@click.command("evaluate")
@click.argument("model")
@click.argument("text")
@json_option
@threads_option
def command(model: str, text: str, as_json: bool, threads: int | None) -> None:
    """Predict every word of TEXT from the words before it: accuracy and perplexity.

    Example:  casebase lm evaluate text.cb other.txt
    """
    known = LanguageModel.load(model, n_jobs=n_threads(threads))
    sentences = read_corpus(text, tagged=None).sentences
    start = time.perf_counter()
    with progress_bar("Predicting", sentences.n_tokens) as progress:
        scores = known.evaluate(sentences, progress=progress)
    if as_json:
        print_json(scores.to_dict())
        return
    echo(f"words       {scores.n_words:,}, {scores.n_unknown:,} of them not in the training text")
    echo(f"right       {scores.n_right:,} ({scores.accuracy:.2%})")
    echo(f"perplexity  {scores.perplexity:.1f}")
    echo(f"{scores.n_words / max(time.perf_counter() - start, 1e-9):,.0f} words a second")
