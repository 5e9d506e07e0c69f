"""CoNLL-U: ten columns, comments, words of several tokens (`3-4`) and empty nodes (`5.1`).

The words of a sentence are the lines with a whole number. The other lines are not words; they stay unchanged when the
corpus is written. Tags are those of column UPOS or XPOS.
"""

import numpy as np

from casebase.data.arrays import as_strings
from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.source import Source
from casebase.tagging.corpora.corpus import ColumnLines, Corpus
from casebase.tagging.sentences import Sentences

N_COLUMNS = 10
TAG_COLUMNS = {"upos": 3, "xpos": 4}
FORM = 1
NOTHING = "_"


def read_conllu(source: Source, *, tagged: bool | None, tag: str = "upos") -> Corpus:
    """Return the corpus of a CoNLL-U file; the tag `_` means no tag, which is an error if `tagged` is true."""
    if tag not in TAG_COLUMNS:
        raise CasebaseError(unknown_name("column of tags", tag, TAG_COLUMNS))
    column = TAG_COLUMNS[tag]
    lines = [line.removesuffix("\r") for line in source.data.decode("utf-8").removesuffix("\n").split("\n")]
    words: list[str] = []
    tags: list[str] = []
    token_lines: list[int] = []
    first = [0]
    for i, line in enumerate(lines):
        if not line.strip():
            if len(words) > first[-1]:
                first.append(len(words))
            continue
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != N_COLUMNS:
            raise FormatError(
                f"{source.name}, line {i + 1}: expected 10 columns with TABs between them, got {len(fields)}: "
                f"{line[:60]!r}."
            )
        if not fields[0].isdigit():
            _check_number(source.name, i, fields[0])
            continue
        if not fields[FORM]:
            raise FormatError(f"{source.name}, line {i + 1}: the word (column FORM) is empty.")
        if tagged and fields[column] in ("", NOTHING):
            raise FormatError(
                f"{source.name}, line {i + 1}: {fields[FORM]!r} has no tag in column {tag.upper()}. Mend the line, "
                f"or take the other column: {'xpos' if tag == 'upos' else 'upos'}."
            )
        words.append(fields[FORM])
        tags.append(fields[column])
        token_lines.append(i)
    if not words:
        raise FormatError(f"{source.name} has no words.")
    if first[-1] != len(words):
        first.append(len(words))
    has_tags = tagged or (tagged is None and NOTHING not in tags)
    sentences = Sentences(
        as_strings(words).dictionary_encode(),
        np.array(first, dtype=np.int64),
        as_strings(tags).dictionary_encode() if has_tags else None,
    )
    return Corpus(source.name, "conllu", sentences, ColumnLines(source.data, np.array(token_lines), column, "\t"))


def _check_number(name: str, line: int, number: str) -> None:
    parts = number.replace("-", ".").split(".")
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise FormatError(f"{name}, line {line + 1}: expected the number of a word (3, 3-4 or 3.1), got {number!r}.")
