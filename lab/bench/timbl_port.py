"""The TiMBL port beside timblserver: the same base and questions, one connection and eight, in alternating runs.

Each server is a process of its own, and the client a third one, which sends a line on a connection when the answer to
the last one has come. The clock is the wall's: a server may use all cores. The CPU time of the server shows the same
without what else the machine does. timblserver answers fewer questions.

    python -m lab.bench.timbl_port MODEL PORT        serves a model file, as the benchmark does
"""

import asyncio
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

import casebase as cb
from casebase import methods
from casebase.neighbours import ib1
from casebase.serve.desks.desk import Desk
from casebase.serve.ports.timbl_port import TimblPort
from lab.bench import data
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import ReportedSeconds, Runs, alternating, side
from lab.peers import timblserver

GREETING = b"Welcome to the Timbl server.\n"
MICRO = 1e6


@dataclass(frozen=True)
class Load:
    """What a client measures: the seconds in all and those of each answer; and the CPU seconds of the server."""

    seconds: float
    waits: np.ndarray
    work: float = 0.0


def ask(port: int, lines: Sequence[bytes], n_connections: int) -> Load:
    """Ask all lines over some connections; each has one question under way."""
    waits: list[float] = []
    left = iter(lines)
    with selectors.DefaultSelector() as selector:
        sent: dict[socket.socket, float] = {}
        for _ in range(n_connections):
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            greeting = b""
            while not greeting.endswith(GREETING):
                greeting += connection.recv(4096)
            selector.register(connection, selectors.EVENT_READ)
            sent[connection] = 0.0
        begin = time.perf_counter()
        for connection in sent:
            sent[connection] = time.perf_counter()
            connection.sendall(next(left))
        pieces = dict.fromkeys(sent, b"")
        while len(waits) < len(lines):
            for key, _ in selector.select():
                assert isinstance(key.fileobj, socket.socket)
                connection = key.fileobj
                pieces[connection] += connection.recv(65536)
                if not pieces[connection].endswith(b"\n"):
                    continue
                pieces[connection] = b""
                now = time.perf_counter()
                waits.append(now - sent[connection])
                line = next(left, None)
                if line is not None:
                    sent[connection] = now
                    connection.sendall(line)
        seconds = time.perf_counter() - begin
        for connection in sent:
            connection.sendall(b"exit\n")
            while connection.recv(4096):
                pass
            connection.close()
    return Load(seconds, np.array(waits))


@contextmanager
def casebase_server(train: Path) -> Iterator[tuple[int, int]]:
    """Serve IB1 with TiMBL's settings, in a process of its own; gives the numbers of its port and its process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base.cb"
        methods.save(path, ib1.fit(cb.read_cases(train), compat="timbl"))
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "lab.bench.timbl_port", str(path), str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        try:
            process.stdout.readline()  # it is ready
            yield port, process.pid
        finally:
            process.kill()
            process.communicate()


def timbl_port(sizes: Sizes) -> Iterator[Row]:
    """Answers per second on one connection and on eight, and how long the slowest answers take."""
    if not timblserver.is_installed() or not Path("/proc/self/stat").exists():
        return
    files = data.windows(sizes)
    asked = files.test.read_bytes().splitlines(keepends=True)
    ours, theirs = (
        [b"classify " + line for line in asked[:n]] for n in (sizes.asked, max(sizes.asked_of_timbl // 4, 20))
    )
    base = f"-f {files.middle} -F Columns"
    what = f"IB1, {files.name} {files.size(files.middle)} × 12, port against timblserver"
    with timblserver.Server({"base": base}) as peer, casebase_server(files.middle) as (port, process):
        for n_connections, name in ((1, "one connection"), (8, "eight connections")):
            loads: dict[str, list[Load]] = {"ours": [], "peer": []}

            def measured(
                side: str,
                port: int,
                process: int,
                lines: Sequence[bytes],
                n_connections: int = n_connections,
                loads: dict[str, list[Load]] = loads,
            ) -> ReportedSeconds:
                before = cpu_seconds(process)
                load = ask(port, lines, n_connections)
                loads[side].append(replace(load, work=cpu_seconds(process) - before))
                return ReportedSeconds(load.seconds)

            ask(port, ours[:8], n_connections)
            ask(peer.port, theirs[:8], n_connections)
            sides = {"ours": side(partial(measured, "ours", port, process, ours), sizes.repeats)}
            sides["peer"] = side(partial(measured, "peer", peer.port, peer.process, theirs), sizes.repeats)
            taken = alternating(sides)
            yield beside(f"{what}, {name}", taken["ours"].rate(len(ours)), taken["peer"].rate(len(theirs)), 5, "/s")
            cpu = f"{what}, {name}: CPU time of an answer"
            yield beside(cpu, _work(loads["ours"]), _work(loads["peer"]), 0.2, "µs", is_cost=True)
            median, slow = _quantile(loads["ours"], 0.5), _quantile(loads["ours"], 0.99)
            waits = f"port, {name}: slowest of 100 answers, against the median"
            yield beside(waits, slow, median, 10 if n_connections > 1 else None, "µs", is_cost=True)


def _work(loads: Sequence[Load]) -> Runs:
    """Return the CPU time of an answer; the system counts it in ticks, of which there is at least one."""
    tick = 1 / os.sysconf("SC_CLK_TCK")
    return Runs(tuple(MICRO * max(load.work, tick) / len(load.waits) for load in loads))


def _quantile(loads: Sequence[Load], q: float) -> Runs:
    return Runs(tuple(MICRO * float(np.quantile(load.waits, q)) for load in loads))


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds that a process has used, all its threads together."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    desk = Desk.open(sys.argv[1], read_only=True)
    port = TimblPort({"default": desk}, port=int(sys.argv[2]))

    async def serve() -> None:
        await port.start()
        print("ready", flush=True)
        await port.serve()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
