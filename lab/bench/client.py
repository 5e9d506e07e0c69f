"""A client that asks a server over some connections, each of which has one question under way.

It writes requests that were prepared to plain sockets and reads no more of an answer than it must, so that it takes a
small part of the time.
"""

import re
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice

import numpy as np

LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
SECONDS = 60  # an answer that takes longer is none

IsWhole = Callable[[bytes], bool]


@dataclass(frozen=True)
class Load:
    """What a client measures: the seconds in all and those of each answer; and the CPU seconds of the server."""

    seconds: float
    waits: np.ndarray
    work: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.waits) / self.seconds

    def quantile(self, share: float) -> float:
        """Return the seconds within which this share of the questions was answered."""
        return float(np.quantile(self.waits, share))


def is_line(answer: bytes) -> bool:
    """Return whether an answer is a whole line."""
    return answer.endswith(b"\n")


def is_response(answer: bytes) -> bool:
    """Return whether an answer is a whole HTTP response; an error unless it is a good one."""
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    length = LENGTH.search(head)
    if length is None or not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    return len(body) == int(length[1])


def ask(
    port: int,
    questions: Sequence[bytes],
    n_connections: int,
    is_whole: IsWhole,
    *,
    greeting: bytes = b"",
    farewell: bytes = b"",
) -> Load:
    """Ask all questions, the next one on a connection when the last was answered."""
    waits: list[float] = []
    left = iter(questions)
    with ExitStack() as open_connections, selectors.DefaultSelector() as selector:
        received: dict[socket.socket, bytes] = {}
        for _ in range(n_connections):
            connection = open_connections.enter_context(socket.create_connection(("127.0.0.1", port), timeout=SECONDS))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            said = b""
            while not said.endswith(greeting):
                said += connection.recv(4096)
            selector.register(connection, selectors.EVENT_READ)
            received[connection] = b""
        begin = time.perf_counter()
        sent: dict[socket.socket, float] = {}
        for connection, question in zip(received, islice(left, n_connections)):
            sent[connection] = time.perf_counter()
            connection.sendall(question)
        while len(waits) < len(questions):
            ready = selector.select(SECONDS)
            if not ready:
                raise RuntimeError("the server does not answer")
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                connection = key.fileobj
                piece = connection.recv(65536)
                if not piece:
                    raise RuntimeError("the server has closed the connection")
                received[connection] += piece
                if not is_whole(received[connection]):
                    continue
                received[connection] = b""
                now = time.perf_counter()
                waits.append(now - sent[connection])
                next_one = next(left, None)
                if next_one is not None:
                    sent[connection] = now
                    connection.sendall(next_one)
        seconds = time.perf_counter() - begin
        for connection in received:
            if farewell:
                connection.sendall(farewell)
                while connection.recv(4096):
                    pass
    return Load(seconds, np.array(waits))
