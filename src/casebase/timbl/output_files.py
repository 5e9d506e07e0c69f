"""Output files that are written completely or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from casebase.errors import CasebaseError


def check_writable(path: str) -> None:
    """Refuse an output file whose folder does not exist, before any work."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {folder}.")
    if Path(path).is_dir():
        raise CasebaseError(f"Cannot write {path}: it is a folder.")


def write_whole(path: str, parts: Iterable[str], encoding: str) -> None:
    """Write a text under a temporary name and rename it when it is complete."""
    place = os.path.realpath(path)  # follow a link instead of replacing it
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
