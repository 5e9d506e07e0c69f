"""The scratch folder: the files between the stages of a training, and what is needed to resume it."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casebase.errors import CasebaseError
from casebase.scale.engine import write_whole

NAME = "casebase-scratch"
MANIFEST = "manifest.json"


@contextmanager
def scratch_folder(output: Path, given: Path | None, identity: dict[str, object]) -> Iterator[Path]:
    """Yield the folder for the files of one training.

    By default it is a new one beside the output, and is removed in the end whatever happens. In a folder that is given,
    the files stay if the training does not come to its end, and the same training goes on where it stopped.
    """
    if given is None:
        folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".scratch", dir=output.parent))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    folder = given / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CasebaseError(f"Cannot use {given} as the scratch folder: {error.strerror or error}.") from None
    _check_identity(folder, identity)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)  # only if the training came to its end


def _check_identity(folder: Path, identity: dict[str, object]) -> None:
    """Write what is trained, or compare it with the training that was begun in the folder."""
    manifest, text = folder / MANIFEST, json.dumps(identity, sort_keys=True, default=str)
    if not manifest.exists():
        if any(folder.iterdir()):
            raise CasebaseError(f"{folder} has files of something else: name another scratch folder, or remove it.")
        write_whole(manifest, text.encode())
    elif manifest.read_text() != text:
        raise CasebaseError(
            f"{folder} has the files of another training, or the data, settings or version have changed since: remove "
            "the folder to begin anew, or name another one with --scratch."
        )


def check_space(folder: Path, n_bytes: int) -> None:
    """Raise an error unless there is room for the files of the stages that follow."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise CasebaseError(
            f"The training needs some {_size(n_bytes)} in {folder.parent}, and {_size(free)} are free. Name a folder "
            "on a larger disk with --scratch."
        )


def _size(n_bytes: int) -> str:
    """Return a number of bytes for people.

    >>> _size(1_500_000_000), _size(20_000_000)
    ('1.5 GB', '20 MB')
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{-(-n_bytes // 10**6)} MB"


UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def memory_of(text: str | int | None) -> int:
    """Return a size such as "2GB" in bytes; half of the machine's memory if none is given.

    >>> memory_of("1.5 GB"), memory_of("512MiB")
    (1500000000, 536870912)
    """
    if text is None:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    if isinstance(text, int):
        return _checked(text, text)
    digits = text.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    unit = text.strip()[len(digits) :].lower()
    try:
        return _checked(int(float(digits) * UNITS[unit]), text)
    except (KeyError, ValueError, OverflowError):
        raise CasebaseError(f"Expected an amount of memory such as 2GB or 500MB, got {text!r}.") from None


LEAST = 50_000_000


def _checked(n_bytes: int, given: str | int) -> int:
    if n_bytes < LEAST:
        raise CasebaseError(f"Expected at least 50MB of memory, got {given!r}.")
    return n_bytes
