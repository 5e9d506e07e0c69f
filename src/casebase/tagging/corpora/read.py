"""Reader for a corpus in any format; by default the format is detected from the file name and the first lines."""

import re
from collections.abc import Set
from itertools import islice
from pathlib import Path, PurePath
from typing import BinaryIO

from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.detect import COMPRESSED
from casebase.formats.plain_text import read_text
from casebase.formats.source import Source
from casebase.tagging.corpora.columns import read_columns
from casebase.tagging.corpora.conllu import N_COLUMNS, read_conllu
from casebase.tagging.corpora.corpus import BLANKS, FIELD, Corpus
from casebase.tagging.corpora.running_text import read_plain, read_tagged, read_tokens

# Tagged: word/TAG text, one token per line with TABs or blanks, CoNLL-U. Untagged: tokens between blanks, plain text.
CORPUS_FORMATS = ("tagged", "tsv", "conll2000", "conllu", "tokens", "text")
_N_LINES_TESTED = 200
_STANDS_ALONE = re.compile(r"(?:^|\s)[.,;:!?](?=\s|$)")
_HANGS_ON = re.compile(r"\w[.,;:!?](?=\s|$)")


def read_corpus(
    source: str | Path | bytes | BinaryIO,
    *,
    format: str | None = None,
    tagged: bool | None = True,
    tag_column: int | None = None,
    n_columns: int | None = None,
    tag: str = "upos",
    abbreviations: Set[str] = frozenset(),
    encoding: str = "utf-8",
    n_threads: int = 1,
) -> Corpus:
    """Return the corpus in a file; `-` is standard input, and compression is detected.

    With `tagged=False` there are no tags; with None there may be some: a file of columns has tags if it has `n_columns`
    columns, and none if it has one less; a text has tags if every token is word/TAG. `tag_column` is the column of the
    tags (tsv, conll2000), `tag` selects UPOS or XPOS (conllu), and `abbreviations` are the words that keep their full
    stop (text).

    >>> corpus = read_corpus(b"The/D dog/N barks/V\\n")
    >>> corpus.format, corpus.sentences.lists()
    ('tagged', [['The', 'dog', 'barks']])
    """
    if format is not None and format not in CORPUS_FORMATS:
        raise CasebaseError(unknown_name("format of a corpus", format, CORPUS_FORMATS))
    text = read_text(source, encoding=encoding)
    if not text.data.strip():
        raise FormatError(f"{text.name} is empty; expected a corpus.")
    kind = format or detect_format(text, tagged, n_columns)
    if kind == "conllu":
        return read_conllu(text, tagged=tagged, tag=tag)
    if kind in ("tsv", "conll2000"):
        return read_columns(text, kind, tagged=tagged, tag_column=tag_column, n_columns=n_columns, n_threads=n_threads)
    if kind == "tagged":
        return read_tagged(text)
    if tagged:
        raise CasebaseError(f"{text.name}: format {kind!r} has no tags. Tagged are: {', '.join(CORPUS_FORMATS[:4])}.")
    return read_tokens(text) if kind == "tokens" else read_plain(text, abbreviations)


def detect_format(text: Source, tagged: bool | None, n_columns: int | None = None) -> str:
    """Detect the format of a corpus; text that must be untagged is never classified as tagged."""
    path = PurePath(text.name.lower())
    suffix = (path.with_suffix("") if path.suffix in COMPRESSED else path).suffix
    head = text.data[:1_000_000].decode("utf-8", "ignore").split("\n")
    with_words = (line for line in head if line.strip(BLANKS) not in ("", "<utt>"))
    lines = list(islice(with_words, _N_LINES_TESTED)) or [""]
    words = [line for line in lines if not line.startswith("# ")]
    if suffix == ".conllu" or (words and all(line.count("\t") == N_COLUMNS - 1 for line in words)):
        return "conllu"
    if "\t" in lines[0].strip(BLANKS):
        return "tsv"
    n_fields = [len(FIELD.findall(line)) for line in lines]
    if not tagged:
        if len(lines) > 1 and set(n_fields) == {1}:
            return "tsv"
        if (n_columns or 0) > 2 and set(n_fields) <= {n_columns, (n_columns or 0) - 1}:
            return "conll2000"
        tokens = [token for line in lines for token in FIELD.findall(line)]
        if tagged is None and tokens and all("/" in token.strip("/") for token in tokens):
            return "tagged"
        # Tokenized text has blanks before its punctuation; plain text has not.
        n_alone = sum(len(_STANDS_ALONE.findall(line)) for line in lines)
        n_hanging = sum(len(_HANGS_ON.findall(line)) for line in lines)
        return "text" if n_hanging > n_alone else "tokens"
    # A slash in most words is enough: the reader then names the words that lack a tag.
    words = FIELD.findall(lines[0])
    return "tagged" if 2 * sum("/" in word.strip("/") for word in words) > len(words) else "conll2000"
