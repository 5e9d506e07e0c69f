"""A corpus and the layout of its file, so that it can be written with other tags."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.data.arrays import bytes_of
from casebase.errors import FormatError
from casebase.tagging.sentences import Sentences, codes_in


class NoWords(FormatError):
    """A corpus, or a part of one, has no words."""


class Lines(Protocol):
    """The lines of a file, token by token in the order of the sentences."""

    def with_tags(self, words: pa.DictionaryArray, tags: list[str]) -> str:
        """Return the text of the same lines with these tags."""
        ...


@dataclass(frozen=True, eq=False)
class Corpus:
    """The sentences of a file, its format and its lines; it iterates over sentences, lists of `(word, …, tag)`."""

    name: str
    format: str
    sentences: Sentences
    lines: Lines

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self.sentences)

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.sentences)

    def __repr__(self) -> str:
        found = self.sentences
        return f"Corpus({self.name!r}, {self.format!r}, {found.n_sentences:,} sentences, {found.n_tokens:,} words)"


BLANKS = " \t\r"  # of the compiled reader: Unicode has more, which are part of a word
FIELD = re.compile(f"[^{BLANKS}]+")


@dataclass(frozen=True, eq=False)
class RunningLines:
    """Lines of several tokens each, written as `word/tag word/tag …`."""

    n_tokens: np.ndarray

    def with_tags(self, words: pa.DictionaryArray, tags: list[str]) -> str:
        n_tokens = self.n_tokens.astype(np.int64)
        return _native.tagged_lines(codes_in(words), *bytes_of(words.dictionary), n_tokens, tags)


@dataclass(frozen=True, eq=False)
class ColumnLines:
    """Lines of one token each, among others that stay unchanged; the tag replaces a column or is appended."""

    text: bytes
    token_lines: np.ndarray
    tag_column: int | None
    separator: str | None

    def with_tags(self, words: pa.DictionaryArray, tags: list[str]) -> str:
        # Split the text only now: a training corpus is never written.
        lines = [line.removesuffix("\r") for line in self.text.decode("utf-8").removesuffix("\n").split("\n")]
        column, separator = self.tag_column, self.separator or " "
        blanks = self.separator or BLANKS
        for i, tag in zip(self.token_lines.tolist(), tags, strict=True):
            if column is None:
                lines[i] = f"{lines[i].rstrip(blanks)}{separator}{tag}"
            else:
                fields = lines[i].split(self.separator) if self.separator else FIELD.findall(lines[i])
                fields[column] = tag
                lines[i] = separator.join(fields)
        return "".join(f"{line}\n" for line in lines)
