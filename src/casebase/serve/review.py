"""A review: the suspect records of a report of health, one after another, and what was decided about each."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from casebase.base.log import Author, Id
from casebase.checkup import Health
from casebase.data.columns import spelling
from casebase.errors import CasebaseError, ChangedError, NotFoundError
from casebase.evaluate import HeldOutRecords, leave_one_out
from casebase.methods import Saved
from casebase.serve import kept
from casebase.serve.desks.desk import Desk
from casebase.serve.records.stored import records_with

REVIEWED = ("mislabelled", "contradiction", "outlier")  # the findings that a decision about one record settles
MOST_UNDONE = 100  # decisions that can be taken back
N_TRIES = 3  # to correct a record while others correct other records
Choice = Literal["keep", "class", "remove", "skip"]
NOTE = "review"  # of the corrections, in the log: without any value, which an erasure would have to find


@dataclass(frozen=True)
class Suspect:
    """A record that findings are about: its class, the class that others suggest, why, and the records behind it."""

    record: Id
    label: Any
    suggested: Any
    reasons: tuple[str, ...]
    others: tuple[Id, ...]
    kinds: tuple[str, ...]


def suspects_of(health: Health) -> tuple[Suspect, ...]:
    """Return the suspect records, each once, in the order of the report."""
    found: dict[Id, Suspect] = {}
    for kind in REVIEWED:
        for one in health.of(kind):
            if one.record is None:
                continue
            new = Suspect(one.record, one.label, one.suggested, (one.reason,), one.others, (kind,))
            old = found.get(one.record)
            if old is not None:
                new = replace(
                    old,
                    reasons=old.reasons + new.reasons,
                    others=tuple(dict.fromkeys(old.others + new.others)),
                    kinds=old.kinds + new.kinds,
                    suggested=new.suggested if old.suggested is None else old.suggested,
                )
            found[one.record] = new
    return tuple(found.values())


@dataclass(frozen=True)
class Decision:
    """What was decided about a record; `before` is the record as it was, `sequence` the number of the correction."""

    record: Id
    choice: Choice
    label: str | None = None
    sequence: int | None = None
    before: dict[str, Any] | None = field(default=None, repr=False)


class Review:
    """The suspects of one report, and the decisions about them, of all who review at the same time."""

    def __init__(self, desk: Desk, health: Health) -> None:
        self.health = health
        saved = _saved(desk)
        gone = kept.kept_records(desk.path, saved.log)
        self.suspects = tuple(one for one in suspects_of(health) if one.record not in gone)
        self.n_kept_before = len(suspects_of(health)) - len(self.suspects)
        self.decisions: list[Decision] = []
        self._lock = threading.Lock()

    @property
    def decided(self) -> dict[Id, Decision]:
        return {one.record: one for one in self.decisions}

    def next(self) -> Suspect | None:
        """Return the first suspect without a decision."""
        decided = self.decided
        return next((one for one in self.suspects if one.record not in decided), None)

    def suspect(self, record: Id) -> Suspect:
        """Return the suspect with this id."""
        for one in self.suspects:
            if one.record == record:
                return one
        raise NotFoundError(f"Record {record} is not under review.")

    def decide(self, desk: Desk, record: Id, choice: Choice, *, label: str | None, was: str, by: str | None) -> None:
        """Carry out a decision about a record whose class was `was` when it was shown."""
        suspect = self.suspect(record)
        with self._lock:
            if record in self.decided:
                raise ChangedError(f"Somebody has decided about record {record} in the meantime.")
            sequence, before = None, None
            if choice == "keep":
                if desk.read_only:
                    raise CasebaseError(f"{desk.name} is served for reading only.")
                kept.keep(desk.path, suspect.record, by, desk.snapshot.sequence)
            elif choice == "class":
                if not label:
                    raise CasebaseError("Choose the class that the record gets.")
                before, sequence = _corrected(desk, record, was, label, by)
            elif choice == "remove":
                before, sequence = _corrected(desk, record, was, None, by)
            self.decisions.append(Decision(record, choice, label, sequence, before))
            # Older decisions cannot be taken back: what they removed must not stay in memory.
            if len(self.decisions) > MOST_UNDONE:
                self.decisions[-MOST_UNDONE - 1] = replace(self.decisions[-MOST_UNDONE - 1], before=None)

    def undo(self, desk: Desk, by: str | None) -> Decision:
        """Take the last decision back."""
        with self._lock:
            if not self.decisions:
                raise CasebaseError("There is no decision to undo.")
            last = self.decisions[-1]
            if last.choice == "keep":
                kept.forget(desk.path, last.record)
            elif last.choice == "class":
                assert last.sequence is not None
                desk.undo(last.sequence, author=Author(by))
            elif last.choice == "remove":
                _put_back(desk, last, by)
            self.decisions.pop()
            return last


def _corrected(desk: Desk, record: Id, was: str, label: str | None, by: str | None) -> tuple[dict[str, Any], int]:
    """Give a record another class, or remove it, if it still is as it was shown; return it, and the correction."""
    author = Author(by, NOTE)
    for n in range(N_TRIES):
        snapshot = desk.snapshot
        saved = _saved(desk)
        found = records_with(saved.model, [record])
        if record not in found:
            raise ChangedError(f"Record {record} is no longer there: somebody removed it. Skip it.")
        if str(spelling(found[record]["class"])) != was:
            raise ChangedError(f"Somebody has given record {record} another class. Look at it again.")
        try:
            if label is None:
                desk.remove([record], author=author, if_match=snapshot.version)
            else:
                target = saved.model.schema.target
                desk.update([record], {target: [label]}, author=author, if_match=snapshot.version)
        except ChangedError:  # another record was corrected: look again
            if n == N_TRIES - 1:
                raise
            continue
        return found[record], snapshot.sequence + 1
    raise AssertionError("the last try returns or raises")


def _put_back(desk: Desk, decision: Decision, by: str | None) -> None:
    """Store a removed record again, under its id; no file had it in the meantime."""
    before = decision.before
    if before is None or before["weight"] != 1 or before["exemplar_weight"] != 1:
        raise CasebaseError(f"Record {decision.record} cannot be put back: its values are gone.")
    row = {**before["values"], **before["provenance"]}
    desk.insert([row], [before["class"]], ids=[decision.record], author=Author(by, "undoes a removal of the review"))


def changed_answers(saved: Saved, held_out: HeldOutRecords, record: Id, label: Any) -> list[dict[str, Any]] | None:
    """Return the other records whose answers change if a record gets another class; None if there is no such class.

    Both times each record is left out of the memory, which is exact for IB1.
    """
    cases = held_out.cases
    if label not in cases.schema.classes:
        return None
    ids = cases.case_ids().tolist()
    if record not in ids:
        return None
    labels = cases.known_labels.copy()
    labels[ids.index(record)] = cases.schema.classes.index(label)
    changed = replace(cases, labels=labels)
    after = HeldOutRecords(changed, leave_one_out(changed, saved.model.settings), None)
    return [
        {"id": ids[i], "class": cases.schema.classes[cases.known_labels[i]], "before": was, "after": now}
        for i, (was, now) in enumerate(zip(held_out.predicted, after.predicted))
        if was != now and ids[i] != record
    ]


def _saved(desk: Desk) -> Saved:
    saved = desk.snapshot.saved
    assert isinstance(saved, Saved)
    return saved
