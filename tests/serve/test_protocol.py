"""HTTP on a connection: what no client library sends."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from casebase.serve.config import Config
from casebase.serve.protocol import LONGEST_HEAD
from casebase.serve.run import running
from casebase.serve.shelf import Shelf
from tests.serve.serving import TOKENS

READER = next(token for token, role in TOKENS.items() if role == "read")
HEAD = f"POST /v1/models/ib1/predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {READER}\r\n"
CASE = b'{"cases": [{"sex": "male"}]}'


@pytest.fixture(scope="module")
def port(trained: Path) -> Iterator[int]:
    """A server that reads from a socket."""
    shelf = Shelf(read_only=True)
    shelf.add([trained / "ib1.cb"])
    with running(shelf, Config(port=0, tokens=TOKENS)) as address:
        yield int(address.rpartition(":")[2])
    shelf.close()


def answer(port: int, *pieces: bytes) -> bytes:
    """Return what a server sends until it closes the connection; it may do so before it has read all pieces."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        with suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
        with suppress(ConnectionError):
            while piece := connection.recv(65536):
                found += piece
    return found


def request(*lines: str, body: bytes = CASE) -> bytes:
    """Return a request for a prediction, after which the connection ends."""
    head = HEAD + "".join(f"{line}\r\n" for line in ("Connection: close", *lines))
    return head.encode() + b"\r\n" + body


def test_a_prediction_is_answered(port: int) -> None:
    said = answer(port, request(f"Content-Length: {len(CASE)}"))
    assert said.startswith(b"HTTP/1.1 200")
    assert b'"predictions": [{"label"' in said


def test_a_head_in_pieces_is_read(port: int) -> None:
    whole = request(f"Content-Length: {len(CASE)}")
    assert answer(port, *(whole[i : i + 7] for i in range(0, len(whole), 7))).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "line",
    ["X-Long: " + "a" * 2 * LONGEST_HEAD, "\r\n".join(["X-Many: a"] * (LONGEST_HEAD // 5))],
    ids=["long", "many"],
)
def test_a_head_that_is_too_long_is_refused(port: int, line: str) -> None:
    """The parser would keep a head of any length."""
    said = answer(port, request(line, f"Content-Length: {len(CASE)}"))
    assert said.startswith(b"HTTP/1.1 400")
    assert str(LONGEST_HEAD).encode() in said


def test_a_head_that_never_ends_is_refused(port: int) -> None:
    said = answer(port, HEAD.encode() + b"X-Long: ", *[b"a" * 50_000] * 10)
    assert said.startswith(b"HTTP/1.1 400")


def test_trailers_that_never_end_are_refused(port: int) -> None:
    chunk = b"%x\r\n%s\r\n0\r\n" % (len(CASE), CASE)
    pieces = [b"X-Trailer: " + b"a" * 50_000 + b"\r\n"] * 10
    assert b"HTTP/1.1 400" in answer(port, request("Transfer-Encoding: chunked", body=chunk), *pieces)


def test_a_long_body_is_no_long_head(port: int) -> None:
    """The limit is for what comes beside a body."""
    body = CASE + b" " * (3 * LONGEST_HEAD)
    assert answer(port, request(f"Content-Length: {len(body)}", body=body)).startswith(b"HTTP/1.1 200")
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (CASE, *[b" " * 100] * 3_000))
    assert answer(port, request("Transfer-Encoding: chunked", body=chunks + b"0\r\n\r\n")).startswith(b"HTTP/1.1 200")


def test_a_trailer_is_no_header(port: int) -> None:
    """A proxy checks headers, and may let trailers pass."""
    head = "POST /v1/models/ib1/predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    body = b"%x\r\n%s\r\n0\r\nAuthorization: Bearer %s\r\n\r\n" % (len(CASE), CASE, READER.encode())
    said = answer(port, head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    assert said.startswith(b"HTTP/1.1 401")


def test_two_requests_at_once_are_answered_in_turn(port: int) -> None:
    one = (HEAD + f"Content-Length: {len(CASE)}\r\n\r\n").encode() + CASE
    said = answer(port, one + request(f"Content-Length: {len(CASE)}"))
    assert said.count(b"HTTP/1.1 200") == 2
