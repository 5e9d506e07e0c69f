"""The process of a command: its streams, the signals that end it, and the memory that it may use.

Python hears a signal between two of its own instructions. A computation that takes long in compiled code is waited for
a little; then the process ends, with its unfinished files removed.
"""

import atexit
import errno
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from casebase.leftovers import remove_unfinished
from casebase.terminal import harmless

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
DEAF = 0.8  # seconds of processor time, after a signal, in which Python has not heard it
DEAF_AND_IDLE = 5.0  # seconds without that much processor time
POLL = 0.05
AMPLE = 2**31  # bytes of address space with which every command starts
FATAL = 127  # the exit code of a process that the C library ends
STUCK = 3.0  # seconds of processor time in which a process gets nowhere
CRASHES = [getattr(signal, name) for name in ("SIGSEGV", "SIGABRT", "SIGBUS") if hasattr(signal, name)]
NO_MEMORY = "Error: not enough memory"
# What the loader and the thread library say where there is no memory.
SIGNS = (
    "failed to map segment",
    "cannot allocate memory",
    "can't start new thread",
    "resource temporarily unavailable",
)


def open_streams() -> None:
    """Give closed standard streams a file: else the next file that is opened would become standard output.

    Standard input that is closed stays None, and output to a closed standard output is an error.
    """
    for number, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError as error:
            if error.errno == errno.EBADF:
                os.open(os.devnull, flags)  # the lowest free number
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # writing to it fails
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def show_warnings() -> None:
    """Print a warning to a user as a line of text; one for developers keeps the place in the code."""
    usual = warnings.formatwarning

    def as_line(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        if category is UserWarning:
            return harmless(f"Warning: {message}\n")
        return usual(message, category, filename, lineno, line)

    warnings.formatwarning = as_line


def hear_signals() -> None:
    """Let signals end the process orderly, or within a second where Python does not hear them."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in ENDING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _end)
    reader, writer = os.pipe()
    if hasattr(os, "set_blocking"):  # Windows has it from Python 3.12 on, and does not ask for it here
        os.set_blocking(writer, False)
    if signal.set_wakeup_fd(writer, warn_on_full_buffer=False) != -1:  # another program has this process
        signal.set_wakeup_fd(-1)
        return
    threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def _end(number: int, frame: FrameType | None) -> NoReturn:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def _watch(reader: int) -> None:
    """Wait for signals that Python does not hear."""
    while received := os.read(reader, 1):
        number = received[0]
        if number not in ENDING or signal.getsignal(number) is not _end:  # a server has handlers of its own
            continue
        heard = _when_heard()
        began, worked = time.monotonic(), time.process_time()
        while not heard.wait(POLL):
            if time.process_time() - worked > DEAF or time.monotonic() - began > DEAF_AND_IDLE:
                remove_unfinished()
                if number == signal.SIGINT:
                    os.write(2, b"Interrupted: nothing was changed.\n")
                os._exit(128 + number)


def _when_heard() -> threading.Event:
    """Return what is set when the main thread has come to its signals, whoever handles them.

    A program that runs a command may have a handler of its own for a while, which may be gone when it is looked for.
    The interpreter runs pending calls after the handlers of signals that have arrived.
    """
    import ctypes  # only when a signal has arrived

    heard = threading.Event()

    def hear(_: object) -> int:
        heard.set()
        _calls.remove(call)
        return 0

    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(hear)
    _calls.append(call)  # it must not be collected before it is called
    ctypes.pythonapi.Py_AddPendingCall(call, None)
    return heard


_calls: list[object] = []


@contextmanager
def explained_bus_errors() -> Iterator[None]:
    """Let the process end with a message if a file that it has mapped is truncated by another program.

    Only while the command runs: a program that has run it gets an error again, as without the command.
    """
    explain: Callable[[bool], object] = bool  # without memory for the core there are no mapped files either
    with suppress(ImportError, MemoryError):
        from casebase import _native

        explain = _native.explain_bus_errors
    explain(True)
    try:
        yield
    finally:
        explain(False)


def memory_error() -> str | None:
    """Return a message if the libraries cannot be loaded with the memory that this process may use; else None.

    Where memory is limited, another process tries it: some libraries end the process that cannot load them.
    """
    limit = _limit()
    if limit is None or limit >= AMPLE or not hasattr(os, "fork"):
        return None
    child = os.fork()
    if child == 0:
        code = 1
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            import numpy  # noqa: F401
            import pyarrow.compute  # noqa: F401

            from casebase import _native  # noqa: F401

            code = 0
        finally:
            os._exit(code)
    if _code_of(child, limit) == 0:
        return None
    return f"{NO_MEMORY}: this process may use {limit // 2**20:,} MB (ulimit -v), which is too little to start."


def guard_memory() -> None:
    """Where memory is limited, go on in a second process; this one waits, and says so if that ends for lack of memory.

    The thread library ends a process without memory for a thread's data, and others crash: no error reaches Python.
    OpenBLAS leaves with the code of a command that has failed, so a process that Python ends says so in a pipe.
    """
    limit = _limit()
    if limit is None or limit >= AMPLE or not hasattr(os, "fork"):
        return
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        atexit.register(os.write, writer, b".")
        return
    os.close(writer)

    def forward(number: int, _: FrameType | None) -> None:
        if number != signal.SIGINT or not sys.stdin or not sys.stdin.isatty():  # a terminal sends Ctrl-C to both
            os.kill(child, number)

    for number in ENDING:
        signal.signal(number, forward)
    code = _code_of(child, limit)
    os.set_blocking(reader, False)  # processes that the other has left behind may have its end of the pipe
    is_cut_short = code == 1 and not _has_byte(reader)
    if code == FATAL or -code in CRASHES or is_cut_short:
        os.write(2, f"{NO_MEMORY}.\n".encode())
        os._exit(1)
    os._exit(code if code >= 0 else 128 - code)


def _has_byte(reader: int) -> bool:
    """Return whether something was written into a pipe, without waiting for it."""
    try:
        return bool(os.read(reader, 1))
    except BlockingIOError:
        return False


def _code_of(child: int, limit: int) -> int:
    """Wait for a process with a limit of memory, and return its exit code: FATAL if it got nowhere.

    OpenBLAS asks again and again for memory that it does not get; it does not see that there is none.
    """
    has_ended, is_stuck = threading.Event(), threading.Event()

    def watch() -> None:
        begin = _use_of(child)
        while begin and not has_ended.wait(STUCK / 4) and (now := _use_of(child)):
            user, system = now[0] - begin[0], now[1] - begin[1]
            if now[2] < 0.9 * limit or user > system / 4:
                begin = now
            elif system > STUCK:
                is_stuck.set()
                os.kill(child, signal.SIGKILL)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    has_ended.set()
    watcher.join()
    return FATAL if is_stuck.is_set() else code


def _use_of(process: int) -> tuple[float, float, int] | None:
    """Return a process's seconds of processor time, its own and the system's, and its bytes of address space.

    None where the system does not tell, or the process has ended.
    """
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / ticks, int(fields[12]) / ticks, int(fields[20])


def _limit() -> int | None:
    """Return the bytes of address space that this process may use; None if they are not limited."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def is_lack_of_memory(error: BaseException) -> bool:
    """Return whether an error of a library means that there is too little memory."""
    if isinstance(error, SystemError) and (_limit() or AMPLE) < AMPLE:  # a library that did not look at its allocation
        return True
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in SIGNS)
