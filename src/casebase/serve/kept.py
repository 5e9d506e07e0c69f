"""Decisions to keep a suspect record as it is, in a small file beside the model, so that it does not come back.

A line has the id of the record, who decided, when, and after how many corrections; it has no value of the record, so
that an erasure need not touch the file. A later correction of the record makes the decision void.
"""

import json
import os
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from casebase.base.log import Entry, Id, now
from casebase.errors import CasebaseError

SUFFIX = ".kept"
FILES = threading.Lock()  # one writer of such a file at a time


@dataclass(frozen=True)
class KeptRecord:
    """A record that somebody has looked at and left as it is."""

    id: Id
    by: str | None
    when: str
    sequence: int


def file_of(model: Path) -> Path:
    """Return the file beside a model file."""
    return model.with_name(model.name + SUFFIX)


def kept_records(model: Path, log: Sequence[Entry]) -> dict[Id, KeptRecord]:
    """Return the records that were kept, and have not been corrected since."""
    changed = {case: n for n, entry in enumerate(log, 1) for case in entry.ids}
    return {one.id: one for one in _read(file_of(model)) if changed.get(one.id, 0) <= one.sequence}


def keep(model: Path, record: Id, by: str | None, sequence: int) -> None:
    """Note that a record was kept."""
    with FILES:
        others = [one for one in _read(file_of(model)) if one.id != record]
        _write(file_of(model), [*others, KeptRecord(record, by, now(), sequence)])


def forget(model: Path, record: Id) -> None:
    """Let a record be suspect again."""
    with FILES:
        _write(file_of(model), [one for one in _read(file_of(model)) if one.id != record])


def _read(path: Path) -> list[KeptRecord]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise CasebaseError(f"Cannot read {path}, which has the records that were kept: {error}.") from error
    try:
        return [KeptRecord(**json.loads(line)) for line in lines]
    except (ValueError, TypeError, RecursionError) as error:
        raise CasebaseError(
            f"{path}, which has the records that were kept, is damaged ({error}). Delete it to review them again."
        ) from error


def _write(path: Path, records: Sequence[KeptRecord]) -> None:
    """Replace the file as a whole, so that a power failure leaves the old one or the new one."""
    unfinished = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}-", delete=False
        ) as file:
            unfinished = Path(file.name)
            file.writelines(json.dumps(asdict(one)) + "\n" for one in records)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        raise CasebaseError(f"Cannot write {path}: {error.strerror or error}.") from error
    finally:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
