"""The service over HTTP: single predictions on one connection and on eight, batches of each media type, memory.

The server is a process of its own. The files are those of TiMBL's comparison.
"""

import asyncio
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

import pyarrow as pa

from casebase import methods
from casebase.data import Cases
from casebase.formats import read_table
from casebase.methods import method_named
from casebase.serve.api.bodies import ARROW, CSV, JSON_TYPE, NDJSON, TSV
from lab.bench import data
from lab.bench.client import LENGTH, Load, ask, is_response
from lab.bench.report import Row, alone
from lab.bench.sizes import Sizes, short
from lab.bench.timing import Runs, casebase_command

REQUESTS, MANY_REQUESTS = 20_000, 1_000_000
COPIES = 10  # of the queries in one batch
MILLI = 1000.0


@dataclass(frozen=True)
class Server:
    """A server that listens, and its process."""

    port: int
    process: int

    @property
    def resident(self) -> int:
        """The bytes in memory now."""
        with open(f"/proc/{self.process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def processor_seconds(self) -> float:
        """The time that the processor has spent on it."""
        with open(f"/proc/{self.process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def request(self, path: str, body: bytes, media_type: str = JSON_TYPE) -> bytes:
        """Return the bytes of a request."""
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: {media_type}\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def serving(*models: Path) -> Iterator[Server]:
    """Yield a server of some models, which only this machine can reach."""
    command = casebase_command("serve", *map(str, models), "--port", "0", "--no-token", "--no-browser", "--read-only")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            said = ""
            for line in process.stdout:
                said += line
                found = re.search(r"http://[\d.]+:(\d+)/", line)
                if found:
                    server = Server(int(found[1]), process.pid)
                    _wait_for(server.port)
                    yield server
                    return
            raise RuntimeError(f"the server did not start: {said}")
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    async def asked() -> bool:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = await reader.readline()
            writer.close()
        except OSError:
            return False
        return b"200" in answer

    end = time.monotonic() + 60
    while not asyncio.run(asked()):
        if time.monotonic() > end:
            raise RuntimeError("the server does not answer")
        time.sleep(0.05)


def load(server: Server, requests: Sequence[bytes], n_requests: int, n_connections: int) -> Load:
    """Send requests in turn on some connections, the next on each when its last was answered."""
    return ask(server.port, list(islice(cycle(requests), n_requests)), n_connections, is_response)


def stream_seconds(server: Server, path: str, body: bytes, media_type: str) -> float:
    """Return the seconds until the answer to one long request has been read."""
    return asyncio.run(_streamed(server, server.request(path, body, media_type)))


async def _streamed(server: Server, request: bytes) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    start = time.perf_counter()

    async def send() -> None:
        for begin in range(0, len(request), 1 << 16):
            writer.write(request[begin : begin + (1 << 16)])
            await writer.drain()

    sending = asyncio.create_task(send())
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(head.decode())
    length = LENGTH.search(head)
    if length is not None:
        await reader.readexactly(int(length[1]))
    else:
        while size := int((await reader.readline()).strip(), 16):
            await reader.readexactly(size + 2)
    await sending
    writer.close()
    return time.perf_counter() - start


def service(sizes: Sizes) -> Iterator[Row]:
    """Measure the service on the middle-sized file of windows, with IB1 and IGTree."""
    files = data.windows(sizes)
    cases = Cases.from_table(read_table(files.middle))
    rows = [line.split()[:-1] for line in files.asked(sizes.asked).read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ib1", "igtree"):
            methods.save(Path(folder) / f"{name}.cb", method_named(name).fit(cases))
        with serving(Path(folder)) as server:
            for name in ("ib1", "igtree"):
                what = f"the service, {name} of {short(cases.n_cases)} cases"
                yield from _single(server, f"/v1/models/{name}/predict", rows, what, sizes)
                yield from _batches(server, f"/v1/models/{name}/predict", rows, what, sizes)
            yield _memory(server, "/v1/models/igtree/predict", rows, sizes)


def _single(server: Server, path: str, rows: list[list[str]], what: str, sizes: Sizes) -> Iterator[Row]:
    requests = [server.request(path, json.dumps({"cases": [row]}).encode()) for row in rows[:1_000]]
    n_requests = REQUESTS if sizes.is_full else 400
    for n_connections in (1, 8):
        load(server, requests, 200, n_connections)  # the first answers of a version come from a thread
        found = [load(server, requests, n_requests, n_connections) for _ in range(sizes.repeats)]
        on = f"{what}: one case in JSON on {n_connections} connection{'s' if n_connections > 1 else ''}"
        yield alone(f"{on}, answers", Runs(tuple(one.per_second for one in found)), None, "/s", is_cost=False)
        yield alone(f"{on}, median time", Runs(tuple(MILLI * one.quantile(0.5) for one in found)), None, "ms")
        worst = Runs(tuple(one.quantile(0.99) / one.quantile(0.5) for one in found))
        yield alone(f"{on}, 99th percentile over the median", worst, 10, "times")


def _batches(server: Server, path: str, rows: list[list[str]], what: str, sizes: Sizes) -> Iterator[Row]:
    for media_type, (body, n_cases) in _bodies(rows).items():
        times = Runs(tuple(stream_seconds(server, path, body, media_type) for _ in range(sizes.repeats)))
        kind = "JSON columns" if media_type == JSON_TYPE else media_type
        yield alone(f"{what}: batch as {kind}, cases", times.rate(n_cases), 50_000, "/s", is_cost=False)


def _bodies(rows: list[list[str]]) -> dict[str, tuple[bytes, int]]:
    """Return a long request in each media type, and its number of cases; one in JSON is limited."""
    many, names = rows * COPIES, [f"f{i + 1}" for i in range(len(rows[0]))]
    few = rows[:5_000]
    columns = json.dumps({"columns": {name: [row[i] for row in few] for i, name in enumerate(names)}})
    lines = "\n".join(json.dumps(row) for row in many) + "\n"
    table = pa.table({name: [row[i] for row in many] for i, name in enumerate(names)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=10_000)
    return {
        JSON_TYPE: (columns.encode(), len(few)),
        NDJSON: (lines.encode(), len(many)),
        CSV: (_delimited(many, ","), len(many)),
        TSV: (_delimited(many, "\t"), len(many)),
        ARROW: (sink.getvalue().to_pybytes(), len(many)),
    }


def _delimited(rows: list[list[str]], separator: str) -> bytes:
    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if separator == "," and ("," in text or '"' in text) else text

    return "".join(separator.join(map(field, row)) + "\n" for row in rows).encode()


def _memory(server: Server, path: str, rows: list[list[str]], sizes: Sizes) -> Row:
    """Return the growth of the server's memory over many requests, after the first tenth of them."""
    requests = [server.request(path, json.dumps({"cases": [row]}).encode()) for row in rows[:1_000]]
    n_requests = MANY_REQUESTS if sizes.is_full else 1_000
    load(server, requests, n_requests // 10, 8)
    before = server.resident
    load(server, requests, n_requests, 8)
    growth = (server.resident - before) / 1e6
    return alone(f"the service: growth of memory over {n_requests:,} requests", Runs((max(0.0, growth),)), 5, "MB")
