"""Jobs: work that takes longer than a request, with progress and a way to stop it."""

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from casebase.errors import CasebaseError, NotFoundError
from casebase.serve.problems import Problem

State = Literal["waiting", "running", "done", "failed", "cancelled"]
ENDED = frozenset({"done", "failed", "cancelled"})
MOST_KEPT = 200  # ended jobs that are remembered


class CancelledJob(Exception):
    """Raised inside a job's progress function when somebody stopped the job."""


@dataclass
class Job:
    """A piece of work: what it is, how far it is, and what came of it.

    `place` is the page that shows the result; `command` does the same on the command line.
    """

    id: str
    kind: str
    title: str
    command: str | None = None
    state: State = "waiting"
    done: int = 0
    total: int = 0
    note_text: str = ""
    result: Any = None
    place: str | None = None
    error: str | None = None
    seconds: float = 0.0
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __call__(self, done: int, total: int) -> None:
        """Note the progress; this is where a job notices that it is to stop."""
        if self._stop.is_set():
            raise CancelledJob
        self._tell(done=done, total=total)

    def note(self, text: str) -> None:
        """Note what has been found so far."""
        self._tell(note_text=text)

    def cancel(self) -> None:
        """Ask the job to stop; it does at its next report of progress."""
        self._stop.set()

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    def to_dict(self) -> dict[str, Any]:
        """Return the job as a JSON object."""
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "note": self.note_text,
            "seconds": round(self.seconds, 3),
            "place": self.place,
            "error": self.error,
            "result": self.result if self.state == "done" else None,
        }

    def wait_for_change(self, seconds: float) -> None:
        """Return when something about the job changes, or after some seconds."""
        with self._changed:
            if not self.is_ended:
                self._changed.wait(seconds)

    def _tell(self, **changes: Any) -> None:
        with self._changed:
            for name, value in changes.items():
                setattr(self, name, value)
            self._changed.notify_all()


class Jobs:
    """The jobs of a server: one runs, some wait, and the last that ended are remembered."""

    def __init__(self, most_waiting: int) -> None:
        self.most_waiting = most_waiting
        self.known: OrderedDict[str, Job] = OrderedDict()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, "casebase-job")

    def start(self, kind: str, title: str, work: Callable[[Job], Any], command: str | None = None) -> Job:
        """Start a job: `work` takes it as its progress function, and returns its result; `command` does the same."""
        with self._lock:
            if sum(job.state == "waiting" for job in self.known.values()) >= self.most_waiting:
                raise Problem(503, "Too many jobs wait; try again later.", headers={"Retry-After": "10"})
            job = Job(str(next(self._numbers)), kind, title, command)
            self.known[job.id] = job
            ended = [one.id for one in self.known.values() if one.is_ended]
            for old in ended[: max(0, len(ended) - MOST_KEPT)]:
                del self.known[old]
            self._pool.submit(_run, job, work)
        return job

    def job(self, name: str) -> Job:
        """Return the job with this number."""
        if name not in self.known:
            raise NotFoundError(f"There is no job {name}: it may have ended long ago.")
        return self.known[name]

    def close(self) -> None:
        """Stop what runs, and forget what waits."""
        for job in self.known.values():
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _run(job: Job, work: Callable[[Job], Any]) -> None:
    start = time.perf_counter()
    try:
        job(0, 0)
        job._tell(state="running")
        result = work(job)
        job._tell(state="done", result=result, seconds=time.perf_counter() - start)
    except CancelledJob:
        job._tell(state="cancelled", seconds=time.perf_counter() - start)
    except CasebaseError as error:
        job._tell(state="failed", error=str(error), seconds=time.perf_counter() - start)
    except Exception as error:  # a fault of ours must not leave a job that runs for ever
        text = f"{type(error).__name__}: this is a fault of casebase"
        job._tell(state="failed", error=text, seconds=time.perf_counter() - start)
        raise
