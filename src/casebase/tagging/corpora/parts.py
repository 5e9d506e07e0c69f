"""Tagged corpora in parts: files of any size, cut where a sentence ends.

Each part can be read alone, in any order and in other processes. The sentences of the parts, one part after the other,
are those of the files; a file may have a format of its own.

>>> corpus = open_corpus(b"The/D dog/N\\nIt/P barks/V\\n", part_bytes=8)
>>> [part.read().lists() for part in corpus.parts]
[[['The', 'dog']], [['It', 'barks']]]
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError, FormatError, unknown_name
from casebase.formats.encodings import is_bytewise
from casebase.formats.parts import paths_of
from casebase.formats.source import Source, as_utf8, not_utf8
from casebase.formats.stored import Scratch, Stored, in_utf8, stored
from casebase.tagging.corpora.columns import first_token, read_columns
from casebase.tagging.corpora.conllu import TAG_COLUMNS, read_conllu
from casebase.tagging.corpora.corpus import NoWords
from casebase.tagging.corpora.read import CORPUS_FORMATS, detect_format
from casebase.tagging.corpora.running_text import read_tagged
from casebase.tagging.corpora.write import TAGGED_FORMATS
from casebase.tagging.sentences import Sentences

PART_BYTES = 8 << 20
N_HEAD = 1_000_000  # bytes from which a format is detected
LINES_AT_A_TIME = 1 << 16  # bytes in which the end of a sentence is looked for
# The line that ends a sentence, where a token has a line of its own.
_BETWEEN = {kind: re.compile(rb"(?m)^(?:<utt>)?[ \t\r]*\n") for kind in ("tsv", "conll2000")}
_BETWEEN["conllu"] = re.compile(rb"(?m)^[ \t\r]*\n")


@dataclass(frozen=True)
class CorpusPart:
    """Whole sentences of a file, between two positions, and how they are read."""

    file: Stored
    start: int
    end: int
    format: str
    encoding: str
    tag_column: int | None
    tag: str
    first: bytes = field(repr=False)

    @property
    def name(self) -> str:
        if self.start == 0 and self.end == self.file.size:
            return self.file.name
        return f"{self.file.name}, bytes {self.start + 1:,} to {self.end:,}"

    @property
    def n_bytes(self) -> int:
        return self.end - self.start

    def read(self) -> Sentences | None:
        """Return the sentences; None if the part has no words."""
        text = as_utf8(self.file.source(self.start, self.end), self.encoding, is_start=self.start == 0)
        try:
            text.data.decode("utf-8")
        except UnicodeDecodeError:
            raise not_utf8(text) from None
        try:
            if self.format == "conllu":
                return read_conllu(text, tagged=True, tag=self.tag).sentences
            if self.format == "tagged":
                return read_tagged(text).sentences
            return read_columns(
                text,
                self.format,
                tagged=True,
                tag_column=self.tag_column,
                n_columns=None,
                n_threads=1,
                first=self.first,
            ).sentences
        except NoWords:
            return None


@dataclass(frozen=True, eq=False)
class CorpusParts:
    """A corpus in parts. Temporary files are removed by `close`, or with this object."""

    parts: tuple[CorpusPart, ...]
    files: tuple[Stored, ...]
    scratch: Scratch

    @property
    def n_bytes(self) -> int:
        return sum(part.n_bytes for part in self.parts)

    def __enter__(self) -> "CorpusParts":
        return self

    def __exit__(self, *_: object) -> None:
        self.scratch.close()


def open_corpus(
    sources: Any,
    *,
    format: str | None = None,
    tag_column: int | None = None,
    tag: str = "upos",
    encoding: str = "utf-8",
    part_bytes: int = PART_BYTES,
    scratch: str | Path | None = None,
) -> CorpusParts:
    """Return a tagged corpus of any size in parts of about `part_bytes` bytes.

    `sources` is a path, a pattern such as `corpus/*.txt`, a folder (all its files), `-` for standard input, bytes, a
    file opened in binary mode, or a list of these, in the order of the sentences. The other options are those of
    `read_corpus`. What can be read only once is kept in temporary files in the folder `scratch`, as long as the
    returned object is.
    """
    if format is not None and format not in TAGGED_FORMATS:
        if format in CORPUS_FORMATS:
            raise CasebaseError(f"Format {format!r} has no tags. Tagged are: {', '.join(TAGGED_FORMATS)}.")
        raise CasebaseError(unknown_name("format of a corpus", format, TAGGED_FORMATS))
    if tag not in TAG_COLUMNS:
        raise CasebaseError(unknown_name("column of tags", tag, TAG_COLUMNS))
    kept = Scratch(scratch)
    try:
        files = tuple(stored(source, kept, part_bytes) for source in _files(sources))
        parts: list[CorpusPart] = []
        for file in files:
            parts += _parts_of(file, format, tag_column, tag, encoding, part_bytes, kept)
    except BaseException:
        kept.close()
        raise
    if not parts:
        kept.close()
        raise FormatError(f"{files[0].name} is empty; expected a corpus.")
    return CorpusParts(tuple(parts), files, kept)


def _files(sources: Any) -> list[Any]:
    given = list(sources) if isinstance(sources, list | tuple) else [sources]
    if not given:
        raise CasebaseError("Expected at least one file, got none.")
    return [file for one in given for file in (paths_of(one) if isinstance(one, str | Path) else [one])]


def _parts_of(
    file: Stored,
    format: str | None,
    tag_column: int | None,
    tag: str,
    encoding: str,
    part_bytes: int,
    scratch: Scratch,
) -> list[CorpusPart]:
    if not is_bytewise(encoding):
        file, encoding = in_utf8(file, encoding, scratch, part_bytes), "utf-8"
    head = as_utf8(Source(file.name, file.read(0, file.line_end(N_HEAD))), encoding)
    if not head.data.strip():
        if file.size <= N_HEAD:
            return []
        raise FormatError(f"{file.name} begins with a million blanks; expected a corpus.")
    kind = format or detect_format(head, tagged=True)
    return [
        CorpusPart(file, start, end, kind, encoding, tag_column, tag, first_token(head.data))
        for start, end in _cuts(file, kind, part_bytes)
    ]


def _cuts(file: Stored, format: str, part_bytes: int) -> list[tuple[int, int]]:
    """Return where parts begin and end: at the first end of a sentence after so many bytes."""
    cuts, start = [], 0
    while start < file.size:
        end = _end_of_sentence(file, format, file.line_end(start + part_bytes - 1))
        cuts.append((start, end))
        start = end
    return cuts


def _end_of_sentence(file: Stored, format: str, position: int) -> int:
    """Return the first end of a sentence from the beginning of a line on."""
    if format not in _BETWEEN:  # a line is a sentence
        return position
    while position < file.size:
        end = file.line_end(position + LINES_AT_A_TIME)
        found = _BETWEEN[format].search(file.read(position, end))
        if found is not None:
            return position + found.end()
        position = end
    return file.size
