"""One token per line: the word, optional further columns, and its tag; an empty line or `<utt>` ends a sentence.

This is the format of MBT and of CoNLL-2000. Columns are separated by TABs if the first line has one, otherwise by
blanks; the first column is the word. The compiled kernel splits the lines.
"""

import re

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.errors import CasebaseError, FormatError
from casebase.formats.detect import first_line
from casebase.formats.source import Source, not_utf8
from casebase.formats.text import Rule, coded_column, split_problem
from casebase.tagging.corpora.corpus import ColumnLines, Corpus, NoWords
from casebase.tagging.sentences import Sentences

_END_OF_SENTENCE = re.compile(rb"(?m)^<utt>[ \t\r]*$")
_HAS_INK = ~np.isin(np.arange(256), list(b" \t\r\n"))


def read_columns(
    source: Source,
    format: str,
    *,
    tagged: bool | None,
    tag_column: int | None,
    n_columns: int | None,
    n_threads: int,
    first: bytes | None = None,
) -> Corpus:
    """Return the corpus of a file with one token per line.

    `tag_column` counts from 0 (negative from the end); the default is the last column. Columns between the word and
    the tag are kept. `tagged` says whether each line must have a tag; with None it may have one, and `n_columns` is the
    number of columns of a tagged file. A part of a file is read like the `first` line of the file.
    """
    data = _END_OF_SENTENCE.sub(b"", source.data)  # leaves an empty line, which ends a sentence as well
    first = first_line(data) if first is None else first
    separator = "\t" if b"\t" in first.strip() else None
    rule = Rule("blanks") if separator is None else Rule("separator")
    columns = _split(source, data, rule, first, tagged, n_threads)
    if tagged is None:
        if n_columns is not None and len(columns) not in (n_columns - 1, n_columns):
            what = "a word" if n_columns == 2 else f"a word and {n_columns - 2} more"
            raise FormatError(
                f"{source.name}: expected {what} on each line, perhaps a tag behind, got {len(columns)} columns."
            )
        tagged = len(columns) == n_columns
    is_token = _line_has_ink(data)
    position = _tag_position(source.name, len(columns), tag_column) if tagged else None
    others = [column for i, column in enumerate(columns) if i not in (0, position)]
    tags = None if position is None else columns[position]
    layout = ColumnLines(source.data, np.flatnonzero(is_token), position, separator)
    sentences = Sentences(columns[0], _first_tokens(is_token), tags, tuple(others))
    return Corpus(source.name, format, sentences, layout)


def first_token(data: bytes) -> bytes:
    """Return the first line that has a token; empty if there is none."""
    return first_line(_END_OF_SENTENCE.sub(b"", data))


def _split(
    source: Source, data: bytes, rule: Rule, first: bytes, tagged: bool | None, n_threads: int
) -> list[pa.DictionaryArray]:
    text = np.frombuffer(data, dtype=np.uint8)
    columns, problem = _native.split_text(text, rule.mode, rule.separator, rule.width, 0, n_threads)
    own = first_line(data)
    n_first, n_own = _n_fields(first, rule), _n_fields(own, rule)
    if own and n_first != n_own:  # the first line of a part is not like that of the file
        problem = "fields", data.count(b"\n", 0, data.index(own)) + 1, n_own
    if problem is not None:
        kind, line, n_found = problem
        where = source.line(line)
        if kind != "fields" or n_found == 0:
            raise split_problem(kind, source, where, line, rule, n_first, n_found, bool(tagged))
        excerpt = data.split(b"\n", line)[line - 1].decode("utf-8", "replace").strip()
        what = "a word and its tag" if n_first == 2 else f"{n_first} columns, as in the first line"
        raise FormatError(f"{where}: expected {what}, got {n_found}: {excerpt[:60]!r}. {rule}mend the line.")
    if not columns:
        raise NoWords(f"{source.name} has no words; expected one a line.")
    if tagged and len(columns) == 1:
        raise FormatError(
            f"{source.line(1)}: expected a word and its tag, got {first_line(data).decode('utf-8', 'replace')!r}."
        )
    try:
        return [coded_column(*column) for column in columns]
    except pa.ArrowInvalid:
        raise not_utf8(source) from None


def _n_fields(line: bytes, rule: Rule) -> int:
    return len(_native.split_text(np.frombuffer(line, np.uint8), rule.mode, rule.separator, 1)[0])


def _line_has_ink(data: bytes) -> np.ndarray:
    """Return for each line whether it has a character other than blanks."""
    text = np.frombuffer(data, dtype=np.uint8)
    starts = np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1])
    has_ink = _HAS_INK[text]
    return np.logical_or.reduceat(has_ink, starts[starts < len(text)])


def _first_tokens(is_token: np.ndarray) -> np.ndarray:
    """Return the first token of each sentence, and last the number of tokens.

    >>> _first_tokens(np.array([True, True, False, False, True])).tolist()
    [0, 2, 3]
    """
    begins = is_token & ~np.concatenate([[False], is_token[:-1]])
    token = np.cumsum(is_token) - 1
    return np.append(token[begins], int(is_token.sum())).astype(np.int64)


def _tag_position(name: str, n_columns: int, tag_column: int | None) -> int:
    position = n_columns - 1 if tag_column is None else tag_column + n_columns * (tag_column < 0)
    if not 0 < position < n_columns:
        raise CasebaseError(
            f"{name}: there is no column {tag_column} for the tags: it has {n_columns}, and the first is the word."
        )
    return position
