"""Bases of the recorded sessions as desks, and a client of the TiMBL port."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from casebase import methods
from casebase.data import Cases
from casebase.formats.read import read_table
from casebase.serve.desks.desk import Desk
from casebase.serve.ports.timbl_port import TimblPort
from lab.peers.timblserver import BASES, FOLDER


def open_desk(name: str, folder: Path) -> Desk:
    """Train the model of a base, save it, and open it as a desk."""
    base = BASES[name]
    table = read_table(FOLDER / base.file, format="tabbed" if base.file.endswith(".tab") else None, header=False)
    cases = Cases.from_table(table).with_kinds(dict.fromkeys(base.numeric, "numeric"))
    model = methods.method_named(base.method).fit(cases, compat="timbl", **base.settings)
    path = folder / f"{name}.cb"
    methods.save(path, model)
    return Desk.open(path)


@contextlib.contextmanager
def open_desks(names: tuple[str, ...], folder: Path) -> Iterator[dict[str, Desk]]:
    """Open the desks of a session for the time of a `with` block; one that is alone is called default."""
    with contextlib.ExitStack() as stack:
        desks = {name: stack.enter_context(open_desk(name, folder)) for name in names}
        yield {"default": desks[names[0]]} if len(names) == 1 else desks


@contextlib.contextmanager
def served(desks: Mapping[str, Any], **limits: Any) -> Iterator[TimblPort]:
    """Serve desks on a free port, in a thread, for the time of a `with` block."""
    port = TimblPort(desks, **limits)
    started = threading.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        await port.start()
        started.set()
        await port.serve()

    task = loop.create_task(serve())

    def run() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert started.wait(30)
        yield port
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()


class Client:
    """A connection to a port; it reads lines."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines = self.socket.makefile("rb")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.lines.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def line(self) -> bytes:
        return self.lines.readline()

    def ask(self, line: str) -> bytes:
        self.send(line.encode() + b"\n")
        return self.line()
