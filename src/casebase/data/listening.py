"""Long calls of libraries, during which Ctrl-C is heard.

Python hears a signal in its main thread, between two of its own instructions. Sorting millions of texts is one
instruction of seconds, but lets other threads run: so it runs in another one, for which the main thread waits.
"""

import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
MANY = 500_000  # values: fewer take some tenths of a second
POLL = 0.1  # seconds; where a wait cannot be interrupted, Ctrl-C is heard after it


def listening(n: int, call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return what a call returns that treats n values; if a signal ends the wait, the result is dropped.

    >>> listening(10**6, sorted, [3, 1, 2])
    [1, 2, 3]
    """
    if n < MANY or threading.current_thread() is not threading.main_thread():
        return call(*arguments, **named)
    done, results, errors = threading.Event(), list[T](), list[BaseException]()

    def run() -> None:
        try:
            results.append(call(*arguments, **named))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    while not done.wait(POLL):
        pass
    if errors:
        raise errors[0]
    return results[0]
