"""Files that are there whole or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from casebase.errors import CasebaseError


def check_writable(path: str) -> None:
    """Refuse an output file whose folder does not exist, before any work is done."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {folder}.")
    if Path(path).is_dir():
        raise CasebaseError(f"Cannot write {path}: it is a folder.")


def write_whole(path: str, parts: Iterable[str], encoding: str) -> None:
    """Write a text under another name first, and rename it when it is complete."""
    place = os.path.realpath(path)  # a link is written through, not replaced
    unfinished = f"{place}.{os.getpid()}.part"
    try:
        with open(unfinished, "w", encoding=encoding, newline="\n") as file:
            file.writelines(parts)
        os.replace(unfinished, place)
    except OSError as error:
        raise CasebaseError(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
