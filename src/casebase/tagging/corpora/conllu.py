"""CoNLL-U: ten columns, comments, words of several tokens (`3-4`) and empty nodes (`5.1`).

The words of a sentence are the lines with a whole number. The other lines are not words; they stay unchanged when the
corpus is written. Tags are those of column UPOS, XPOS or FEATS; in FEATS, `_` is a tag: the word has no features.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from casebase.data.arrays import as_strings
from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.source import Source
from casebase.tagging.corpora.corpus import ColumnLines, Corpus, NoWords
from casebase.tagging.sentences import Sentences
from casebase.tagging.universal import NOTHING

N_COLUMNS = 10
TAG_COLUMNS = {"upos": 3, "xpos": 4, "feats": 5}
COLUMN_OF = {"form": 1, "lemma": 2, **TAG_COLUMNS}
FORM = COLUMN_OF["form"]


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
                f"{source.line(i + 1)}: expected 10 columns with TABs between them, got {len(fields)}: {line[:60]!r}."
            )
        if not fields[0].isdigit():
            _check_number(source, i, fields[0])
            continue
        if not fields[FORM]:
            raise FormatError(f"{source.line(i + 1)}: the word (column FORM) is empty.")
        if tagged and (fields[column] == "" or (fields[column] == NOTHING and tag != "feats")):
            others = " or ".join(name for name in TAG_COLUMNS if name != tag)
            raise FormatError(
                f"{source.line(i + 1)}: {fields[FORM]!r} has no tag in column {tag.upper()}. Mend the line, "
                f"or take another column: {others}."
            )
        words.append(fields[FORM])
        tags.append(fields[column])
        token_lines.append(i)
    if not words:
        raise NoWords(f"{source.name} has no words.")
    if first[-1] != len(words):
        first.append(len(words))
    has_tags = tagged or (tagged is None and (tag == "feats" or NOTHING not in tags))
    sentences = Sentences(
        as_strings(words).dictionary_encode(),
        np.array(first, dtype=np.int64),
        as_strings(tags).dictionary_encode() if has_tags else None,
    )
    return Corpus(source.name, "conllu", sentences, ColumnLines(source.data, np.array(token_lines), column, "\t"))


def tokens_of_lines(lines: ColumnLines) -> Iterator[dict[str, str]]:
    """Yield the words of a CoNLL-U file as mappings from the names of columns to texts."""
    text = lines.text.decode("utf-8").split("\n")
    for i in lines.token_lines.tolist():
        fields = text[i].removesuffix("\r").split("\t")
        yield {name: fields[column] for name, column in COLUMN_OF.items()}


def with_columns(lines: ColumnLines, columns: Mapping[str, list[str]]) -> str:
    """Return the text of a CoNLL-U file with other content of some columns, by name; other lines stay unchanged."""
    text = [line.removesuffix("\r") for line in lines.text.decode("utf-8").removesuffix("\n").split("\n")]
    for place, i in enumerate(lines.token_lines.tolist()):
        fields = text[i].split("\t")
        for name, values in columns.items():
            fields[COLUMN_OF[name]] = values[place]
        text[i] = "\t".join(fields)
    return "".join(f"{line}\n" for line in text)


def new_conllu(sentences: list[list[str]], columns: Mapping[str, list[str]]) -> str:
    """Return words as the text of a CoNLL-U file, with the content of some columns, by name.

    >>> print(new_conllu([["It", "rains"]], {"upos": ["PRON", "VERB"]}).expandtabs(1), end="")
    1 It _ PRON _ _ _ _ _ _
    2 rains _ VERB _ _ _ _ _ _
    <BLANKLINE>
    """
    lines, place = [], 0
    for words in sentences:
        for number, word in enumerate(words, start=1):
            fields = [str(number), word, *[NOTHING] * (N_COLUMNS - 2)]
            for name, values in columns.items():
                fields[COLUMN_OF[name]] = values[place]
            lines.append("\t".join(fields))
            place += 1
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def _check_number(source: Source, line: int, number: str) -> None:
    parts = number.replace("-", ".").split(".")
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        raise FormatError(f"{source.line(line + 1)}: expected the number of a word (3, 3-4 or 3.1), got {number!r}.")
