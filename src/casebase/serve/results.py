"""Results of jobs about a model: a comparison, its errors, its health. They are kept as long as the model is served."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from casebase.serve.desks.desk import Desk
from casebase.serve.jobs import Job, Jobs

MOST_KEPT = 12  # results of one model


@dataclass(frozen=True)
class Result:
    """What a job has found out about a version of a model, at a number of corrections."""

    version: str
    sequence: int
    found: Any


class Results:
    """The last results of each model, by what they are; a job that is under way is not started twice."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._found: WeakKeyDictionary[Desk, OrderedDict[Hashable, Result]] = WeakKeyDictionary()
        self._running: WeakKeyDictionary[Desk, dict[Hashable, Job]] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def last(self, desk: Desk, key: Hashable) -> Result | None:
        """Return the last result, which may be of an earlier version of the model."""
        with self._lock:
            return self._found.get(desk, OrderedDict()).get(key)

    def current(self, desk: Desk, key: Hashable) -> Result | None:
        """Return the result for the model as it is now."""
        found = self.last(desk, key)
        return found if found is not None and found.version == desk.snapshot.version else None

    def keep(self, desk: Desk, key: Hashable, result: Result) -> None:
        """Keep a result in place of an earlier one."""
        with self._lock:
            kept = self._found.setdefault(desk, OrderedDict())
            kept[key] = result
            kept.move_to_end(key)
            if len(kept) > MOST_KEPT:
                kept.popitem(last=False)

    def start(self, desk: Desk, key: Hashable, title: str, work: Callable[[Any, Job], Any], command: str) -> Job:
        """Start the job that finds a result: `work` takes what the desk has saved; or return the job that does so."""
        with self._lock:
            running = self._running.setdefault(desk, {})
            job = running.get(key)
            if job is None or job.is_ended:
                snapshot = desk.snapshot

                def run(job: Job) -> None:
                    found = work(snapshot.saved, job)
                    self.keep(desk, key, Result(snapshot.version, snapshot.sequence, found))

                job = running[key] = self.jobs.start(str(key), title, run, command)
            return job
