"""The log of corrections: what was inserted, updated and removed, when, by whom and why.

The log is part of the model file. It stores only what the memory no longer has: the values that an update replaced. The
values after a change are those of the stored case, or those that the next update of the same case replaced. So nothing
is stored twice, the log cannot contradict the memory, and an erased case leaves nothing but its id: its removal also
deletes what earlier entries have of it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from casebase.base.files import Arrays, CheckedArrays
from casebase.base.leave_out import memory_of
from casebase.base.model import Model, format_count
from casebase.base.records import records_of
from casebase.data.columns import spelling
from casebase.data.numbers import WrittenNumber, written_texts
from casebase.errors import CasebaseError
from casebase.memory.lookup import rows_or_none
from casebase.render.words import printable

Action = Literal["insert", "update", "remove"]
Id = int | str
Record = dict[str, Any]  # a stored case: values and provenance by column, class, and weights if it has some
ACTIONS = ("insert", "update", "remove")
PAST = {"insert": "inserted", "update": "updated", "remove": "removed"}
SHOWN = 10  # cases of an entry in the text form
ARRAY = "log"  # its name in a model file
FIELDS = ("action", "when", "by", "note", "ids", "before", "after", "replaced", "key", "request")


@dataclass(frozen=True)
class Author:
    """Who makes a correction, and why; casebase does not guess a name."""

    by: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        for name, text in (("by", self.by), ("note", self.note)):
            if text is not None and (not isinstance(text, str) or not text.strip()):
                raise CasebaseError(f"{name} is text for the log, or None; got {text!r}.")


@dataclass(frozen=True)
class Entry:
    """A correction as it is stored: who, when and why, the ids, and the fingerprints of the cases before and after.

    An update has in `replaced` each case as it was before; None for a case that has been removed since. A correction
    over the web may have an idempotency `key`, and then a hash of what was asked for in `request`.
    """

    action: Action
    when: str
    by: str | None
    note: str | None
    ids: tuple[Id, ...]
    before: str
    after: str
    replaced: tuple[Record | None, ...] = ()
    key: str | None = None
    request: str | None = None

    def without(self, ids: set[Id]) -> "Entry":
        """Return the entry without the values of some cases, and without a hash in which they are."""
        if (not self.replaced and self.request is None) or ids.isdisjoint(self.ids):
            return self
        kept = (None if case in ids else record for case, record in zip(self.ids, self.replaced))
        return replace(self, replaced=tuple(kept), request=None)


def with_entry(
    log: Sequence[Entry],
    action: Action,
    ids: Sequence[Id],
    before: str,
    after: str,
    author: Author,
    replaced: Sequence[Record] = (),
) -> tuple[Entry, ...]:
    """Return the log with a new entry; the entry of a removal takes the values of the cases out of all others."""
    if not len(ids):
        return tuple(log)
    entry = Entry(action, now(), author.by, author.note, tuple(ids), before, after, tuple(replaced))
    if action == "remove":
        gone = set(ids)
        log = [one.without(gone) for one in log]
    return (*log, entry)


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def write_log(log: Sequence[Entry], arrays: Arrays) -> None:
    """Add a log to the content of a model file, unless it is empty."""
    if log:
        arrays[ARRAY] = to_bytes(log)


def read_log(arrays: CheckedArrays) -> tuple[Entry, ...]:
    """Return the log of a model file; it is empty if the file has none."""
    return from_bytes(arrays.get(ARRAY, "uint8")) if arrays.has(ARRAY) else ()


def to_bytes(log: Sequence[Entry]) -> np.ndarray:
    """Return the log as UTF-8 bytes, for a model file."""
    entries = [
        asdict(entry) | {"replaced": [record and _with_texts(record) for record in entry.replaced]} for entry in log
    ]
    text = json.dumps(entries, ensure_ascii=False)  # records keep the order of the columns
    return np.frombuffer(text.encode(), dtype=np.uint8)


def from_bytes(data: np.ndarray) -> tuple[Entry, ...]:
    """Return the log of a model file; an error unless it is one."""
    try:
        return tuple(_entry(record) for record in json.loads(data.tobytes()))
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"the log of corrections cannot be read ({error})") from error


def _entry(record: Mapping[str, Any]) -> Entry:
    fields = {name: record[name] for name in FIELDS}
    ids, replaced = tuple(fields["ids"]), tuple(record and _from_texts(record) for record in fields["replaced"])
    if fields["action"] not in ACTIONS or (replaced and len(replaced) != len(ids)):
        raise ValueError("an entry is not complete")
    return Entry(**(fields | {"ids": ids, "replaced": replaced}))


def _with_texts(record: Record) -> Record:
    """Return a record with an object in place of a number that is not written in its shortest spelling."""
    return {
        name: {"number": float(value), "written": value.text} if isinstance(value, WrittenNumber) else value
        for name, value in record.items()
    }


def _from_texts(record: Record) -> Record:
    return {
        name: WrittenNumber(value["number"], value["written"]) if isinstance(value, dict) else value
        for name, value in record.items()
    }


@dataclass(frozen=True)
class CaseChange:
    """One case of a correction, before and after it; None where it did not exist, or its values are erased."""

    id: Id
    before: Record | None
    after: Record | None
    is_erased: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the change as a JSON object; `written` has the numbers that are not in their shortest spelling."""
        written = {
            when: texts
            for when, record in (("before", self.before), ("after", self.after))
            if (texts := written_texts(record or {}))
        }
        return asdict(self) | ({"written": written} if written else {})

    def __str__(self) -> str:
        if self.is_erased:
            return f"{self.id}  (erased since)"
        if self.before is None or self.after is None:
            return f"{self.id}  {_written(self.after or self.before or {})}".rstrip()
        differences = [
            f"{name} {_shown(self.before.get(name))} → {_shown(value)}"
            for name, value in self.after.items()
            if spelling(self.before.get(name)) != spelling(value)
        ]
        return f"{self.id}  {', '.join(differences) or 'no change'}"


def _written(record: Record) -> str:
    return ", ".join(f"{name} {_shown(value)}" for name, value in record.items())


def _shown(value: Any) -> str:
    """Return a value exactly as it is stored."""
    return printable(spelling(value) or "missing")


@dataclass(frozen=True)
class Correction:
    """An entry of the log with the cases as they were before and after it."""

    action: Action
    when: str
    by: str | None
    note: str | None
    before: str
    after: str
    cases: tuple[CaseChange, ...]

    def __str__(self) -> str:
        return self.text()

    def text(self, what: str = "case") -> str:
        """Return the correction in words; `what` is one of what was corrected."""
        n, who = len(self.cases), self.by or "unknown"
        why = "" if self.note is None else f": {' '.join(self.note.split())}"
        lines = [f"{self.when}  {format_count(n, what)} {PAST[self.action]} by {who}{why}"]
        if self.action == "remove":
            lines += [f"  {case.id}" for case in self.cases[:SHOWN]]
        else:
            lines += [f"  {case}" for case in self.cases[:SHOWN]]
        if n > SHOWN:
            lines.append(f"  … and {format_count(n - SHOWN, f'more {what}')}")
        return "\n".join([*lines, f"  before {self.before}", f"  after  {self.after}"])


@dataclass(frozen=True)
class Log:
    """The corrections of a model since it was trained, the oldest first; `what` is one of what was corrected."""

    corrections: tuple[Correction, ...] = ()
    what: str = "case"

    def __iter__(self) -> Iterator[Correction]:
        return iter(self.corrections)

    def __len__(self) -> int:
        return len(self.corrections)

    def __getitem__(self, position: int) -> Correction:
        return self.corrections[position]

    def of(self, ids: Sequence[Id]) -> "Log":
        """Return the corrections of some cases, with these cases alone."""
        wanted = set(ids)
        parts = (replace(one, cases=tuple(case for case in one.cases if case.id in wanted)) for one in self.corrections)
        return Log(tuple(one for one in parts if one.cases), self.what)

    def to_dict(self) -> dict[str, Any]:
        """Return the log as a JSON object."""
        records = [asdict(one) | {"cases": [case.to_dict() for case in one.cases]} for one in self.corrections]
        return {"n_corrections": len(self), "corrections": records}

    def __str__(self) -> str:
        if not self.corrections:
            return "No corrections since the training."
        return "\n\n".join(one.text(self.what) for one in self.corrections)


def log_of(model: Model, entries: Sequence[Entry]) -> Log:
    """Return the corrections with what each case was before and after; the present cases are those of the model."""
    return log_with(
        entries, _present(model, {case for entry in entries if entry.action != "remove" for case in entry.ids})
    )


def log_with(entries: Sequence[Entry], present: Mapping[Id, Record], what: str = "case") -> Log:
    """Return the corrections of cases that are now as in `present`; a case that is not there was erased."""
    # Backwards from the present cases: what an update replaced is what the correction before it had made.
    later: dict[Id, Record | None] = {}
    corrections = []
    for entry in reversed(entries):
        cases = tuple(_changes(entry, lambda case: later[case] if case in later else present.get(case)))
        for change in cases:
            later[change.id] = change.before
        corrections.append(Correction(entry.action, entry.when, entry.by, entry.note, entry.before, entry.after, cases))
    return Log(tuple(reversed(corrections)), what)


def _changes(entry: Entry, after: Callable[[Id], Record | None]) -> Iterator[CaseChange]:
    if entry.action == "remove":
        yield from (CaseChange(case, None, None) for case in entry.ids)
    elif entry.action == "insert":
        for case in entry.ids:
            record = after(case)
            yield CaseChange(case, None, record, is_erased=record is None)
    else:
        for case, record in zip(entry.ids, entry.replaced):
            yield CaseChange(case, record, None if record is None else after(case), is_erased=record is None)


def _present(model: Model, ids: set[Id]) -> dict[Id, Record]:
    """Return the stored cases that have some of these ids."""
    if not ids:
        return {}
    memory = memory_of(model)
    are_texts = {isinstance(case, str) for case in ids} == {True}
    wanted = np.array(sorted(ids, key=str), dtype=object if are_texts else np.int64)
    rows = rows_or_none(memory, wanted)
    rows = rows[rows >= 0]
    return dict(zip(memory.ids(rows).tolist(), records_of(model, rows).as_logged()))
