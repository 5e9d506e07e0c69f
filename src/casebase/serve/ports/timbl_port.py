"""timblserver's port: clients of timblserver ask models of casebase, without a change on their side.

    port = TimblPort(desks, "127.0.0.1", 7000)
    await port.serve()

Lines are answered in the event loop: an answer takes some ten microseconds, less than handing it to a thread. A client
that sends many lines at once gives way to the others after `SLICE` seconds, and one that does not read its answers is
not read from.
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Literal, Protocol

from casebase.base.model import Model
from casebase.errors import CasebaseError
from casebase.methods import Saved
from casebase.serve.ports.timbl_base import Base
from casebase.serve.ports.timbl_session import FULL, JsonSession, Session, TextSession

LONGEST_LINE = 1_000_000  # bytes
MOST_CONNECTIONS = 10_000
IDLE_SECONDS = 600.0
SLICE = 0.005  # seconds for which the lines of one connection are answered before the others have their turn

PROTOCOLS: dict[str, type[Session]] = {"tcp": TextSession, "json": JsonSession}


class SnapshotLike(Protocol):
    """What the port needs of a snapshot."""

    @property
    def saved(self) -> object: ...


class DeskLike(Protocol):
    """What the port needs of a desk: its kind, and its state, which is replaced as a whole."""

    @property
    def kind(self) -> str: ...
    @property
    def snapshot(self) -> SnapshotLike: ...


class DeskBases:
    """The desks that can answer as timblserver's bases: classifiers; taggers and hyphenators are left out."""

    def __init__(self, desks: Mapping[str, DeskLike]) -> None:
        self._desks = desks
        self._made: dict[str, tuple[object, Base]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(name for name, desk in self._desks.items() if desk.kind == "model"))

    def base(self, name: str) -> Base:
        """Return a base as it is now; it is made again after a correction."""
        if name not in self._desks:
            raise CasebaseError(f"The base '{name}' is not served any more: select another one.")
        saved = self._desks[name].snapshot.saved
        made = self._made.get(name)
        if made is None or made[0] is not saved:
            assert isinstance(saved, Saved)
            model: Model = saved.model
            made = self._made[name] = (saved, Base(model))
        return made[1]


class TimblPort:
    """A TCP server with timblserver's text or JSON protocol."""

    def __init__(
        self,
        desks: Mapping[str, DeskLike],
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        protocol: Literal["tcp", "json"] = "tcp",
        most_connections: int = MOST_CONNECTIONS,
        idle_seconds: float = IDLE_SECONDS,
        longest_line: int = LONGEST_LINE,
    ) -> None:
        if protocol not in PROTOCOLS:
            raise CasebaseError(f"Expected the protocol tcp or json, got {protocol!r}.")
        self.bases = DeskBases(desks)
        if not self.bases.names:
            raise CasebaseError("The TiMBL port needs a classifier: taggers and hyphenators do not answer there.")
        self.host, self.port = host, port
        self.session = PROTOCOLS[protocol]
        self.most_connections, self.idle_seconds, self.longest_line = most_connections, idle_seconds, longest_line
        self.connections: set[Connection] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Open the port; `port` is then its number, also if any free one was asked for."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: Connection(self), self.host, self.port, backlog=1024)
        except OSError as error:
            raise CasebaseError(f"Cannot open port {self.port} of {self.host}: {error.strerror or error}.") from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def serve(self) -> None:
        """Answer until the task is cancelled; then close all connections."""
        if self._server is None:
            await self.start()
        assert self._server is not None
        try:
            await self._close_idle_connections()
        finally:
            self._server.close()
            for connection in list(self.connections):
                connection.close()
            self._server = None

    async def _close_idle_connections(self) -> None:
        while True:
            await asyncio.sleep(min(self.idle_seconds, 10.0))
            latest = time.monotonic() - self.idle_seconds
            for connection in list(self.connections):
                if connection.last_heard < latest:
                    connection.close()


class Connection(asyncio.Protocol):
    """One client: bytes become lines, and lines answers."""

    def __init__(self, port: TimblPort) -> None:
        self._port = port
        self._session: Session | None = None
        self._transport: asyncio.Transport | None = None
        self._rest = b""  # of a line whose end has not come yet
        self._lines: deque[bytes] = deque()
        self._may_write = True
        self._is_waiting = False  # for its next slice of time
        self._is_ended = False  # by the client
        self.last_heard = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._port.connections) >= self._port.most_connections:
            self._end(FULL.encode())
            return
        self._port.connections.add(self)
        try:
            self._session = self._port.session(self._port.bases)
        except CasebaseError as error:
            self._end(f"ERROR {{ {error} }}\n".encode())
            return
        transport.write(self._session.greeting())

    def connection_lost(self, error: Exception | None) -> None:
        self._port.connections.discard(self)
        self._lines.clear()
        self._transport = self._session = None

    def data_received(self, data: bytes) -> None:
        self.last_heard = time.monotonic()
        if self._session is None:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._lines.extend(lines)
        longest = max((len(self._rest), *map(len, lines)))
        if longest > self._port.longest_line:
            self._lines.clear()
            self._end(b"ERROR { a line is longer than %d bytes }\n" % self._port.longest_line)
            return
        if not self._is_waiting:
            self._answer()

    def eof_received(self) -> bool:
        self._is_ended = True
        if self._rest and self._session is not None:  # the last line needs no end
            self._lines.append(self._rest)
            self._rest = b""
        if not self._is_waiting:
            self._answer()
        return True  # the connection stays open until all is answered

    def pause_writing(self) -> None:
        self._may_write = False

    def resume_writing(self) -> None:
        self._may_write = True
        if not self._is_waiting:
            self._answer()

    def close(self) -> None:
        """Close the connection; what was written is still sent."""
        if self._transport is not None:
            self._transport.close()

    def _answer(self) -> None:
        """Answer lines for a slice of time; the rest waits for the next turn."""
        self._is_waiting = False
        session, transport, lines = self._session, self._transport, self._lines
        if session is None or transport is None:
            return
        answers: list[bytes] = []
        until = time.monotonic() + SLICE
        while lines and self._may_write and not session.is_closed:
            answers.append(session.answer(lines.popleft()))
            if time.monotonic() > until:
                break
        if answers:
            transport.write(b"".join(answers))
        if session.is_closed or (self._is_ended and not lines):
            lines.clear()
            transport.close()
        elif lines:
            self._pause()
            if self._may_write:
                self._is_waiting = True
                asyncio.get_running_loop().call_soon(self._answer)
        else:
            self._resume()

    def _pause(self) -> None:
        """Read no more while lines wait."""
        if self._transport is not None and self._transport.is_reading():
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._transport is not None and not self._transport.is_closing() and not self._transport.is_reading():
            self._transport.resume_reading()

    def _end(self, message: bytes) -> None:
        assert self._transport is not None
        self._session = None
        self._transport.write(message)
        self._transport.close()
