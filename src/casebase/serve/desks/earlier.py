"""The state of a model before its last correction, so that a page can show what the correction changed.

One state per desk is kept, in memory: a page asks for it by its version, and does without when it is gone.
"""

from weakref import WeakKeyDictionary

from casebase.serve.desks.desk import Desk, Snapshot

_KEPT: WeakKeyDictionary[Desk, Snapshot] = WeakKeyDictionary()


def keep(desk: Desk, snapshot: Snapshot) -> None:
    """Keep the state before a correction, in place of an older one."""
    _KEPT[desk] = snapshot


def earlier(desk: Desk, version: str | None) -> Snapshot | None:
    """Return the state of a desk at a version, if it is the one before the last correction."""
    kept = _KEPT.get(desk)
    return kept if kept is not None and kept.version == version != desk.snapshot.version else None
