"""Files of ids, one per line, read block by block."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from casebase.errors import CasebaseError
from casebase.formats.stored import BLOCK, Scratch, Stored, stored

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, eq=False)
class IdsFile:
    """The non-empty lines of a text are ids: whole numbers if all of them are, texts otherwise."""

    file: Stored

    @classmethod
    def opened(cls, path: str, scratch: Scratch) -> "IdsFile":
        """Return the file behind a path; '-' is standard input, which is kept in the scratch folder if it is large."""
        try:
            ids = cls(stored(path, scratch, BLOCK))
        except CasebaseError as error:
            raise CasebaseError(f"Cannot read the ids. {error}") from None
        if not ids.n_ids:
            raise CasebaseError(f"{ids.name} has no ids: expected one per line.")
        return ids

    @property
    def name(self) -> str:
        return self.file.name

    def blocks(self) -> Iterator[list[str]]:
        """Yield the ids in their order, many at a time."""
        n_bytes = 0
        for source in self.file.blocks():
            data = source.data.removeprefix(codecs.BOM_UTF8) if n_bytes == 0 else source.data
            try:
                lines = [line.strip() for line in data.decode("utf-8").splitlines()]
            except UnicodeDecodeError as error:
                raise CasebaseError(f"{self.name} is not UTF-8 text (byte {n_bytes + error.start}).") from error
            n_bytes += len(source.data)
            yield [line for line in lines if line]

    @cached_property
    def _found(self) -> tuple[int, bool]:
        n_ids, are_whole = 0, True
        for block in self.blocks():
            n_ids += len(block)
            are_whole = are_whole and all(WHOLE_NUMBER.fullmatch(text) for text in block)
        return n_ids, are_whole

    @property
    def n_ids(self) -> int:
        return self._found[0]

    @property
    def are_whole(self) -> bool:
        return self._found[1]

    def check(self, n_cases: int) -> None:
        """Raise an error unless there is an id for each case."""
        if self.n_ids != n_cases:
            raise CasebaseError(
                f"{self.name}: expected one id per line for each of the {n_cases:,} cases; got {self.n_ids:,}."
            )
