"""Running text: `word/TAG word/TAG`, tokens between blanks (both with one sentence per line), or plain text."""

import re
from collections.abc import Set

import numpy as np

from casebase import _native
from casebase.data.arrays import as_strings
from casebase.errors import FormatError
from casebase.formats.source import Source
from casebase.formats.text import Rule, coded_column, split_problem
from casebase.tagging.corpora.corpus import Corpus, NoWords, RunningLines
from casebase.tagging.sentences import Sentences
from casebase.tagging.tokens import tokens_of

_BLANKS = re.compile(r"[ \t\r\f\v]+")


def read_tagged(source: Source) -> Corpus:
    """Return the corpus of `word/TAG` text, one sentence per line; the last slash of a token separates the tag."""
    lines = [_fields(line) for line in _lines(source)]
    words, tags = [], []
    for number, line in enumerate(lines, start=1):
        for token in line:
            word, slash, tag = token.rpartition("/")
            if not (word and slash and tag):
                missing = "word" if slash and not word else "tag"
                raise FormatError(f"{source.line(number)}: {token[:60]!r} has no {missing}; expected word/TAG.")
            words.append(word)
            tags.append(tag)
    return _corpus(source, "tagged", words, [[len(line)] for line in lines], tags)


def read_tokens(source: Source) -> Corpus:
    """Return the corpus of a tokenized text: tokens between blanks, one sentence per line."""
    _refuse_nul(source)
    column, n_tokens, is_full = _native.token_lines(np.frombuffer(source.data, np.uint8))
    if is_full:
        raise _problem("full", source, source.name)
    if not n_tokens.any():
        raise _no_words(source)
    first = np.cumsum(np.concatenate([[0], n_tokens[n_tokens > 0]]), dtype=np.int64)
    return Corpus(source.name, "tokens", Sentences(coded_column(*column), first), RunningLines(n_tokens))


def read_plain(source: Source, abbreviations: Set[str]) -> Corpus:
    """Return the corpus of a plain text: it is tokenized, and a line may have several sentences."""
    lines = [tokens_of(line, abbreviations) for line in _lines(source)]
    words = [token for line in lines for sentence in line for token in sentence]
    return _corpus(source, "text", words, [[len(sentence) for sentence in line] for line in lines])


def _refuse_nul(source: Source) -> None:
    place = source.data.find(b"\0")
    if place >= 0:
        raise _problem("nul", source, source.line(source.data.count(b"\n", 0, place) + 1))


def _problem(kind: str, source: Source, where: str) -> FormatError:
    return split_problem(kind, source, where, 0, Rule("blanks"), 1, 1, False)


def _lines(source: Source) -> list[str]:
    _refuse_nul(source)
    return source.data.decode("utf-8").removesuffix("\n").split("\n")


def _fields(line: str) -> list[str]:
    return [field for field in _BLANKS.split(line) if field]


def _no_words(source: Source) -> NoWords:
    return NoWords(f"{source.name} has no words.")


def _corpus(
    source: Source, format: str, words: list[str], lengths: list[list[int]], tags: list[str] | None = None
) -> Corpus:
    if not words:
        raise _no_words(source)
    per_line = [sum(sentences) for sentences in lengths]
    first = np.cumsum([0, *(n for sentences in lengths for n in sentences if n)], dtype=np.int64)
    sentences = Sentences(
        as_strings(words).dictionary_encode(), first, None if tags is None else as_strings(tags).dictionary_encode()
    )
    return Corpus(source.name, format, sentences, RunningLines(np.array(per_line)))
