"""HTTP on a connection: uvicorn's protocol with the fast parser, bounded, and with few system calls.

A single prediction takes some tens of microseconds; here a system call that could be saved costs as much.
"""

import asyncio
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 131_072  # bytes of a head, and one read: the text of a page about words is in its address
AT_ONCE = 65_536  # bytes that are read, or wait to be written, at once


RUNNING = "casebase.running"  # the extension of a scope with the requests that are answered now


def is_alone(scope: Scope) -> bool:
    """Return whether no other request is answered now, as far as one knows."""
    return len(scope.get("extensions", {}).get(RUNNING, ())) <= 1


class Protocol(HttpToolsProtocol, asyncio.BufferedProtocol):
    """uvicorn's protocol; the parser would keep a head of any length, and take trailers for headers."""

    transport: "JoinedWrites"  # type: ignore[assignment]
    n_beside_body = 0  # bytes since the last that belonged to a body, or to a request that has ended
    is_in_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.transport = JoinedWrites(transport, self.loop)
        # Without a buffer asyncio takes 256 kB of the system for each request, and gives them back.
        self.buffer = memoryview(bytearray(AT_ONCE))

    def get_buffer(self, sizehint: int) -> memoryview:
        return self.buffer

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self.buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        self.n_beside_body += len(data)
        super().data_received(data)
        if self.n_beside_body > LONGEST_HEAD and not self.transport.is_closing():
            self.send_400_response(f"The head of a request has at most {LONGEST_HEAD} bytes.")

    def on_message_begin(self) -> None:
        self.is_in_head = True
        super().on_message_begin()
        self.scope["extensions"] = {RUNNING: self.tasks}  # type: ignore[dict-item]

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self.is_in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.n_beside_body = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.n_beside_body = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self.transport.send()
        super().on_response_complete()


class JoinedWrites:
    """A transport that sends the head and the body of an answer together; parts of a longer one as they come."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._waiting = bytearray()

    def write(self, data: bytes) -> None:
        """Send data in the next turn of the event loop; much at once, so that whoever writes too fast is stopped."""
        if not self._waiting:
            self._loop.call_soon(self.send)
        self._waiting += data
        if len(self._waiting) > AT_ONCE:
            self.send()

    def send(self) -> None:
        """Send what waits."""
        if self._waiting:
            self._transport.write(bytes(self._waiting))
            self._waiting.clear()

    def close(self) -> None:
        """Send what waits, then close."""
        self.send()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
