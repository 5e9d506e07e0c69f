"""What the commands about tagging share: how corpora are read, and what a tagger is made of."""

import re
from typing import Any

import click

from casebase.cli.options import together
from casebase.tagging.corpora import CORPUS_FORMATS, Corpus, read_corpus
from casebase.tagging.corpora.conllu import TAG_COLUMNS
from casebase.tagging.presets import COMMITTEES
from casebase.tagging.tagger import Tagger

LEARNERS = ("igtree", "ib1", "tribl")

corpus_options = together(
    click.option(
        "--format",
        type=click.Choice(CORPUS_FORMATS),
        help="What the corpus looks like: word/TAG text, a token a line (tsv, conll2000), CoNLL-U, tokens with blanks "
        "between them, or text as people write it. Detected by default.",
    ),
    click.option(
        "--tag-column",
        type=int,
        metavar="N",
        help="The column of the tags, from 1; the last by default (tsv, conll2000).",
    ),
    click.option(
        "--tags",
        type=click.Choice(list(TAG_COLUMNS)),
        default="upos",
        show_default=True,
        help="The column of the tags (conllu).",
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
)

tagger_options = together(
    click.option(
        "-p",
        "--known",
        metavar="FEATURES",
        help="What to look at for words of the corpus: names ('tag-1 word suffix3+1') or letters (ddfa).",
    ),
    click.option("-P", "--unknown", metavar="FEATURES", help="The same for other words (dFapsss)."),
    click.option("--known-learner", type=click.Choice(LEARNERS), help="The method for words of the corpus."),
    click.option("--unknown-learner", type=click.Choice(LEARNERS), help="The method for other words."),
    click.option(
        "--known-option",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of that method, such as k=3 or weighting=information_gain; may be repeated.",
    ),
    click.option("--unknown-option", multiple=True, metavar="NAME=VALUE", help="The same for other words."),
    click.option(
        "-%",
        "--ambiguity-threshold",
        "ambiguity_threshold",
        type=int,
        metavar="PER CENT",
        help="Tags below this share of a word's occurrences are not in its ambiguity class.",
    ),
    click.option(
        "-M", "--n-frequent", type=int, help="How many of the most frequent words stand for themselves in features."
    ),
    click.option(
        "-n",
        "--hapax-limit",
        type=int,
        help="Unknown words are learned from words with at most this many occurrences; 0 for all.",
    ),
    click.option(
        "--committee",
        type=click.Choice(list(COMMITTEES)),
        help="The memories that answer together: of words, or of chunks of words that have tags.",
    ),
    click.option(
        "-B", "--beam", type=click.IntRange(min=1), help="Beam width: how many taggings of a sentence are kept."
    ),
    click.option("--compat", type=click.Choice(["mbt"]), help="Do as MBT does, to the letter."),
)

_PARAMETERS = (
    "known",
    "unknown",
    "known_learner",
    "unknown_learner",
    "ambiguity_threshold",
    "n_frequent",
    "hapax_limit",
    "committee",
    "beam",
    "compat",
)


def new_tagger(given: dict[str, Any], n_jobs: int) -> Tagger:
    """Return an untrained tagger with the options that were given; the others keep their defaults."""
    parameters = {name: given[name] for name in _PARAMETERS if given[name] is not None}
    for name in ("known_option", "unknown_option"):
        if given[name]:
            parameters[f"{name}s"] = dict(_option(text) for text in given[name])
    return Tagger(**parameters, n_jobs=n_jobs)


def _option(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise click.BadParameter(f"expected NAME=VALUE, such as k=3; got {text!r}.")
    value = value.strip()
    if re.fullmatch(r"[+-]?\d+", value):
        return name.strip(), int(value)
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), {"true": True, "false": False, "none": None}.get(value.lower(), value)


def corpus_from(path: str, given: dict[str, Any], n_threads: int, *, tagged: bool | None, **others: Any) -> Corpus:
    """Return a corpus, read as the options say."""
    column = given["tag_column"]
    if column is not None and column < 1:
        raise click.BadParameter(f"--tag-column counts from 1, got {column}.")
    return read_corpus(
        path,
        format=given["format"],
        tagged=tagged,
        tag_column=None if column is None else column - 1,
        tag=given["tags"],
        encoding=given["encoding"],
        n_threads=n_threads,
        **others,
    )
