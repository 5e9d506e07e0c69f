"""The keeper of a desk: a thread that works when nobody has corrected for a while, and ends when all is done."""

import threading
import time
from collections.abc import Callable

LONGEST = 300.0  # seconds between two attempts


class Keeper:
    """Call `work` some seconds after the last `wake`, again until it returns True; never if `seconds` is None.

    It waits longer and longer if the work cannot be done, as on a full disk.
    """

    def __init__(self, work: Callable[[], bool], seconds: float | None) -> None:
        self._work, self._seconds = work, seconds
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._due = 0.0

    def wake(self) -> None:
        """Put the work off until nobody has called this for the seconds."""
        if self._seconds is None:
            return
        with self._lock:
            self._due = time.monotonic() + self._seconds
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._run, name="casebase-keeper", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End the thread, after the work that it is doing."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        n_failed = 0
        while True:
            with self._lock:
                due = self._due
            if self._stop.wait(max(0.0, due - time.monotonic())):
                return
            with self._lock:
                if self._due > due:
                    continue
            try:
                is_done = self._work()
            except BaseException:
                with self._lock:
                    self._thread = None  # the next call of `wake` begins anew
                raise
            with self._lock:
                n_failed = 0 if is_done else n_failed + 1
                if is_done and self._due == due:
                    self._thread = None
                    return
                if not is_done:
                    wait = min((self._seconds or 0.0) * 2 ** min(n_failed, 30), LONGEST)
                    self._due = max(self._due, time.monotonic() + wait)
