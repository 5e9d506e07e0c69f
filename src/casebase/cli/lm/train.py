"""casebase lm train"""

import time

import click

from casebase.base.model import format_count
from casebase.cli.changes import hold
from casebase.cli.options import n_threads, threads_option, writable
from casebase.cli.output import say
from casebase.language_model import LanguageModel
from casebase.language_model.model import LEARNERS, MOST_WORDS
from casebase.tagging.corpora import read_corpus


@click.command("train")
@click.argument("text")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Save the model here.")
@click.option("--words", type=click.IntRange(1, MOST_WORDS), default=3, metavar="N", help="Words before the next one.")
@click.option("--learner", type=click.Choice(LEARNERS), default=LEARNERS[0], help="The method that stores the windows.")
@click.option("--compat", type=click.Choice(["timbl"]), help="The same answers as TiMBL.")
@threads_option
def command(text: str, output: str, words: int, learner: str, compat: str | None, threads: int | None) -> None:
    """Train a language model on TEXT: running text, tokens, or a corpus whose tags are ignored.

    Example:  casebase lm train text.txt -o text.cb --words 4
    """
    path = writable(output, text)
    if path is None:
        raise click.UsageError("A model cannot go to standard output; name a file with -o.")
    hold(path)
    start = time.perf_counter()
    sentences = read_corpus(text, tagged=None).sentences
    model = LanguageModel(words, learner, options={"compat": compat} if compat else None, n_jobs=n_threads(threads))
    model.fit(sentences).save(path)
    say(
        f"{learner}: {format_count(sentences.n_tokens, 'word')}, {len(model.words_):,} different, "
        f"each with {format_count(words, 'word')} before it; {time.perf_counter() - start:.2f} s. Saved to {output}."
    )
