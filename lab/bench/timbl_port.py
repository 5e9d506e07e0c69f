"""The TiMBL port and the service beside timblserver: the same base and questions, on one connection and on eight.

Each server is a process of its own, and the client a third one, which asks on a connection when the answer to the last
question has come: a line for the port and timblserver, a case in JSON over HTTP for the service. Runs alternate. The
clock is the wall's: a server may use all cores. The CPU time of the server shows the same without what else the machine
does. timblserver answers fewer questions.

    python -m lab.bench.timbl_port MODEL PORT        serves a model file, as the benchmark does
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import casebase as cb
from casebase import methods
from casebase.neighbours import ib1
from casebase.serve.desks.desk import Desk
from casebase.serve.ports.timbl_port import TimblPort
from lab.bench import data, http
from lab.bench.client import Load, ask, is_line, is_response
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import ReportedSeconds, Runs, alternating, side
from lab.peers import timblserver

GREETING = b"Welcome to the Timbl server.\n"
MICRO = 1e6


@contextmanager
def port_server(model: Path) -> Iterator[tuple[int, int]]:
    """Serve a model at the TiMBL port, in a process of its own; gives the numbers of its port and its process."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "lab.bench.timbl_port", str(model), str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        process.stdout.readline()  # it is ready
        yield port, process.pid
    finally:
        process.kill()
        process.communicate()


@dataclass(frozen=True)
class Asked:
    """A server, and how it is asked: on some connections, with questions that it takes."""

    process: int
    ask: Callable[[int], Load]
    n_questions: int

    def load(self, n_connections: int) -> Load:
        """Return what the client measures, with the CPU time of the server."""
        before = cpu_seconds(self.process)
        found = self.ask(n_connections)
        return replace(found, work=cpu_seconds(self.process) - before)


def by_lines(port: int, process: int, lines: Sequence[bytes]) -> Asked:
    """Return a server of timblserver's protocol, asked for each line."""
    questions = [b"classify " + line for line in lines]
    asked = partial(ask, greeting=GREETING, farewell=b"exit\n")
    return Asked(process, lambda n: asked(port, questions, n, is_line), len(lines))


def by_json(server: http.Server, model: str, lines: Sequence[bytes]) -> Asked:
    """Return the service, asked for each line as a case in JSON."""
    cases = [line.decode().split()[:-1] for line in lines]
    questions = [server.request(f"/v1/models/{model}/predict", json.dumps({"cases": [one]}).encode()) for one in cases]
    return Asked(server.process, lambda n: ask(server.port, questions, n, is_response), len(lines))


def timbl_port(sizes: Sizes) -> Iterator[Row]:
    """Answers per second on one connection and on eight, and how long the slowest answers take."""
    if not timblserver.is_installed() or not Path("/proc/self/stat").exists():
        return
    files = data.windows(sizes)
    asked = files.test.read_bytes().splitlines(keepends=True)
    ours, theirs = asked[: sizes.asked], asked[: max(sizes.asked_of_timbl // 4, 20)]
    base = f"-f {files.middle} -F Columns"
    what = f"IB1, {files.name} {files.size(files.middle)} × 12"
    with ExitStack() as stack:
        model = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "base.cb"
        methods.save(model, ib1.fit(cb.read_cases(files.middle), compat="timbl"))
        timbl = stack.enter_context(timblserver.Server({"base": base}))
        peer = by_lines(timbl.port, timbl.process, theirs)
        servers = {
            "port": by_lines(*stack.enter_context(port_server(model)), ours),
            "JSON over HTTP": by_json(stack.enter_context(http.serving(model)), model.stem, ours),
        }
        for n_connections, on in ((1, "one connection"), (8, "eight connections")):
            for name, server in servers.items():
                yield from _beside(f"{what}, {name}", server, peer, n_connections, on, sizes.repeats)


def _beside(what: str, server: Asked, peer: Asked, n_connections: int, on: str, n_runs: int) -> Iterator[Row]:
    """Measure a server of ours and timblserver in alternating runs."""
    loads: dict[str, list[Load]] = {"ours": [], "peer": []}

    def measured(name: str, asked: Asked) -> ReportedSeconds:
        loads[name].append(asked.load(n_connections))
        return ReportedSeconds(loads[name][-1].seconds)

    both = {"ours": server, "peer": peer}
    for asked in both.values():
        asked.ask(n_connections)  # the first answers are slower
    taken = alternating({name: side(partial(measured, name, asked), n_runs) for name, asked in both.items()})
    ours, theirs = taken["ours"].rate(server.n_questions), taken["peer"].rate(peer.n_questions)
    against = f"{what} against timblserver, {on}"
    yield beside(against, ours, theirs, 5, "/s")
    work = f"{against}: CPU time of an answer"
    yield beside(work, _work(loads["ours"]), _work(loads["peer"]), 0.2, "µs", is_cost=True)
    median, slow = _quantile(loads["ours"], 0.5), _quantile(loads["ours"], 0.99)
    target = 10 if n_connections > 1 else None
    yield beside(f"{what}, {on}: slowest of 100 answers, against the median", slow, median, target, "µs", is_cost=True)


def _work(loads: Sequence[Load]) -> Runs:
    """Return the CPU time of an answer; the system counts it in ticks, of which there is at least one."""
    tick = 1 / os.sysconf("SC_CLK_TCK")
    return Runs(tuple(MICRO * max(load.work, tick) / len(load.waits) for load in loads))


def _quantile(loads: Sequence[Load], q: float) -> Runs:
    return Runs(tuple(MICRO * load.quantile(q) for load in loads))


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
