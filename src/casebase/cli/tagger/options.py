"""Options that the tagger commands share: how to read a corpus, and the parameters of a tagger."""

import re
from typing import Any

import click

from casebase.cli.options import together
from casebase.tagging.corpora import CORPUS_FORMATS, Corpus, read_corpus
from casebase.tagging.corpora.conllu import TAG_COLUMNS
from casebase.tagging.presets import COMMITTEES
from casebase.tagging.tagger import Tagger
from casebase.tagging.texts import read_text

LEARNERS = ("igtree", "ib1", "tribl")
ALL = "all"

corpus_options = together(
    click.option(
        "--format",
        type=click.Choice(CORPUS_FORMATS),
        help="Format of the corpus: word/TAG text, one token per line (tsv, conll2000), CoNLL-U, tokens separated by "
        "spaces, or plain text; detected by default.",
    ),
    click.option(
        "--tag-column",
        type=int,
        metavar="N",
        help="Column of the tags, counted from 1 (tsv, conll2000); the last by default.",
    ),
    click.option(
        "--tags",
        type=click.Choice([*TAG_COLUMNS, ALL]),
        default="upos",
        show_default=True,
        help="Column of the tags (conllu); 'all' trains a model that fills all of them.",
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
)

tagger_options = together(
    click.option(
        "-p",
        "--known",
        metavar="FEATURES",
        help="Features for known words, by name ('tag-1 word suffix3+1') or as MBT's letters (ddfa).",
    ),
    click.option("-P", "--unknown", metavar="FEATURES", help="Features for unknown words (dFapsss)."),
    click.option("--known-learner", type=click.Choice(LEARNERS), help="Method for known words."),
    click.option("--unknown-learner", type=click.Choice(LEARNERS), help="Method for unknown words."),
    click.option(
        "--known-option",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the method for known words, such as k=3. Repeatable.",
    ),
    click.option(
        "--unknown-option",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the method for unknown words. Repeatable.",
    ),
    click.option(
        "-%",
        "--ambiguity-threshold",
        "ambiguity_threshold",
        type=int,
        metavar="PER CENT",
        help="Leave tags below this share of a word's occurrences out of its ambiguity class.",
    ),
    click.option(
        "-M", "--n-frequent", type=int, help="Number of most frequent words that are values of word features."
    ),
    click.option(
        "-n",
        "--hapax-limit",
        type=int,
        help="Learn unknown words from words with at most this many occurrences; 0 for all.",
    ),
    click.option(
        "--committee",
        type=click.Choice(list(COMMITTEES)),
        help="Committee of memories that vote: for words, or for chunks of tagged words.",
    ),
    click.option(
        "-B", "--beam", type=click.IntRange(min=1), help="Beam width: number of tag sequences to keep per sentence."
    ),
    click.option("--compat", type=click.Choice(["mbt"]), help="Reproduce MBT exactly."),
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


def new_tagger(options: dict[str, Any], n_jobs: int) -> Tagger:
    """Return an untrained tagger; options that the user did not give keep their defaults."""
    parameters = {name: options[name] for name in _PARAMETERS if options[name] is not None}
    for name in ("known_option", "unknown_option"):
        if options[name]:
            parameters[f"{name}s"] = dict(_option(text) for text in options[name])
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


def corpus_from(path: str | bytes, options: dict[str, Any], n_threads: int, *, tagged: bool) -> Corpus:
    """Read a corpus as the options say."""
    return read_corpus(path, tagged=tagged, n_threads=n_threads, **reading(options))


def text_from(path: str | bytes, options: dict[str, Any], tagger: Tagger) -> Corpus:
    """Read a text that a tagger is to tag: it may have tags, and plain text is split into words."""
    return read_text(tagger, path, **reading(options))


def reading(options: dict[str, Any]) -> dict[str, Any]:
    """Return how to read a corpus, as the options say."""
    column = options["tag_column"]
    if column is not None and column < 1:
        raise click.BadParameter(f"--tag-column counts from 1, got {column}.")
    return {
        "format": options["format"],
        "tag_column": None if column is None else column - 1,
        "tag": "upos" if options["tags"] == ALL else options["tags"],
        "encoding": options["encoding"],
    }
