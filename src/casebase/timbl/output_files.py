"""Output files that are written completely or not at all."""

from collections.abc import Iterable
from pathlib import Path

from casebase.errors import CasebaseError
from casebase.leftovers import whole_file


def check_writable(path: str) -> None:
    """Refuse an output file whose folder does not exist, before any work."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {folder}.")
    if Path(path).is_dir():
        raise CasebaseError(f"Cannot write {path}: it is a folder.")


def write_whole(path: str, parts: Iterable[str], encoding: str) -> None:
    """Write a text; it is seen when it is complete."""
    try:
        with whole_file(path) as place, open(place, "w", encoding=encoding, newline="\n") as file:
            file.writelines(parts)
    except OSError as error:
        raise CasebaseError(f"Cannot write {path}: {error.strerror}.") from error
