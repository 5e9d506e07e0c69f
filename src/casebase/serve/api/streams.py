"""Streams: a thread reads a request and writes the response at the same time, piece by piece.

Nothing is held as a whole. The thread waits when the client is slow to send or to read, and so the client waits when
the thread is slow. A client that answers its own questions may send a line and wait for the answer to it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import anyio
import anyio.from_thread
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from casebase.data.arrow import pa
from casebase.errors import CasebaseError
from casebase.serve.api.bodies import NDJSON
from casebase.serve.api.resources import fault
from casebase.serve.problems import Problem, problem_of
from casebase.serve.security import TooLargeError
from casebase.serve.web import json_bytes

Pull = Callable[[], bytes]  # the next bytes of a request; none at its end
Push = Callable[[bytes], None]
Work = Callable[[Pull, Push], None]
MOST_STREAMS = 8  # at the same time: each has a thread
SECONDS_IDLE = 60.0  # a client may be silent
LONGEST_LINE = 1_000_000  # bytes
MOST_ROWS = 1_000_000  # of one batch in an Arrow stream
ROWS_AT_ONCE = 16_384


class Streams:
    """The streams of a server that are open."""

    def __init__(self) -> None:
        self.limiter = anyio.CapacityLimiter(MOST_STREAMS)


class StreamResponse(Response):
    """The response that a function writes in a thread; an error before its first byte is a problem as elsewhere."""

    def __init__(self, request: Request, work: Work, media_type: str, version: str) -> None:
        super().__init__(media_type=media_type)
        self.request, self.work = request, work
        self.is_started = False
        content_type = media_type if media_type.startswith("application") else f"{media_type}; charset=utf-8"
        self.sent_headers = [(b"content-type", content_type.encode()), (b"etag", f'"{version}"'.encode())]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        limiter: anyio.CapacityLimiter = scope["app"].state.streams.limiter
        chunks = self.request.stream().__aiter__()

        async def pull() -> bytes:
            with anyio.fail_after(SECONDS_IDLE):
                return await anext(chunks, b"")

        async def push(data: bytes) -> None:
            if not self.is_started:
                self.is_started = True
                await send({"type": "http.response.start", "status": 200, "headers": self.sent_headers})
            if data:
                await send({"type": "http.response.body", "body": data, "more_body": True})

        try:
            if limiter.available_tokens < 1:
                raise Problem(503, "Too many streams are open; try again later.", headers={"Retry-After": "5"})
            run = anyio.from_thread.run
            await anyio.to_thread.run_sync(self.work, lambda: run(pull), lambda data: run(push, data), limiter=limiter)
            await push(b"")
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except ClientDisconnect:
            return
        except Exception as error:
            problem = as_problem(error)
            self.status_code = problem.status
            if not self.is_started:
                await problem.response()(scope, receive, send)
            elif self.media_type == NDJSON:
                await push(json_bytes(problem.to_dict()) + b"\n")
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            # Any other stream just breaks off: the server closes the connection, and the client sees it is not whole.


def as_problem(error: Exception) -> Problem:
    """Return the problem for whatever went wrong with a stream."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, CasebaseError):
        return problem_of(error)
    if isinstance(error, TooLargeError):
        return Problem(413, str(error))
    if isinstance(error, TimeoutError):
        return Problem(408, f"Nothing came for {SECONDS_IDLE:.0f} seconds.")
    return fault(error)


def lines_of(pull: Pull) -> Iterator[bytes]:
    """Yield the lines of a request as they come, several at once, each with its end."""
    rest = b""
    while chunk := pull():
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        else:
            rest += chunk
        if len(rest) > LONGEST_LINE:
            raise Problem(413, f"A line is longer than {LONGEST_LINE:,} bytes, which is the most allowed.")
    if rest.strip():
        yield rest + b"\n"


class _Pulled(io.RawIOBase):
    """A request as a file that Arrow reads."""

    def __init__(self, pull: Pull) -> None:
        self.pull, self.rest = pull, memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts: list[bytes | memoryview] = []
        while size:
            if not self.rest:
                self.rest = memoryview(self.pull())
                if not self.rest:
                    break
            part = self.rest if size < 0 else self.rest[:size]
            self.rest = self.rest[len(part) :]
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def batches_of(pull: Pull) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an Arrow stream, each checked: a wrong offset must not reach memory that is not its own."""
    try:
        with pa.ipc.open_stream(pa.PythonFile(_Pulled(pull), mode="r")) as reader:
            reader.schema.names  # noqa: B018  an error if a name is not UTF-8
            for batch in reader:
                if batch.num_rows > MOST_ROWS:
                    raise Problem(413, f"A batch has {batch.num_rows:,} rows; at most {MOST_ROWS:,} are allowed.")
                batch.validate(full=True)
                for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                    yield batch.slice(start, ROWS_AT_ONCE)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise Problem(400, f"The body is not a usable Arrow stream: {error!s:.200}.") from None
