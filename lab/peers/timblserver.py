"""timblserver (Debian: timblserver): start it on a base or several, ask it, and record sessions.

    python -m lab.peers.timblserver        records the sessions of tests/serve/sessions anew

A session is a text file: `> ` begins a line that was sent, `< ` a line of the answer. Only what the program prints is
recorded; its source is never consulted.
"""

import random
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from lab.paths import ROOT
from lab.peers import programs
from lab.peers.programs import PeerError, Workplace

NAME = PROGRAM = "timblserver"
FOLDER = ROOT / "tests" / "serve" / "sessions"
Protocol = Literal["tcp", "json"]

# After each line of a session a second one is sent, whose answer is known: what comes before it answers the line.
MARKS = {
    "tcp": (b"# mark\n", b"SKIP '# mark'\n"),
    "json": (b'{"command":"mark"}\n', b'{"message":"Unknown command: \'mark\'","status":"error"}\n'),
}


@dataclass(frozen=True)
class Trained:
    """A base: its training file and TiMBL's options, and casebase's method and settings that mean the same."""

    file: str
    options: str = ""
    method: str = "ib1"
    settings: Mapping[str, Any] = field(default_factory=dict)
    numeric: tuple[int, ...] = ()

    def arguments(self, folder: Path) -> str:
        """Return the options of TiMBL's command line."""
        format = {".csv": "C4.5", ".tab": "Tabbed"}.get(Path(self.file).suffix, "Columns")
        return f"-f {folder / self.file} -F {format} {self.options}".strip()


BASES = {
    "tiny": Trained("tiny.train"),
    "comma": Trained("tiny.csv"),
    "tabbed": Trained("tiny.tab"),
    "tree": Trained("tiny.train", "-a1 +D", "igtree"),
    "numbers": Trained("tiny.train", "-mO:N3 -k2 -dID", settings={"k": 2, "vote": "inverse_distance"}, numeric=(2,)),
    "drawn": Trained("drawn.train"),
    "drawn-tree": Trained("drawn.train", "-a1 +D", "igtree"),
    "drawn-tribl": Trained("drawn.train", "-a2 -q2 +D", "tribl", {"switch": 2, "weighting_below": "gain_ratio"}),
    "drawn-tribl2": Trained("drawn.train", "-a4 +D", "tribl2"),
    "mvdm": Trained("drawn.train", "-mM -k3", settings={"metric": "mvdm", "k": 3}),
    "jeffrey": Trained("drawn.train", "-mJ -k2 -dIL", settings={"metric": "jeffrey", "k": 2, "vote": "inverse_linear"}),
}


@dataclass(frozen=True)
class Recorded:
    """What a session sends, to which bases; a base that is alone is timblserver's `default`."""

    bases: tuple[str, ...]
    lines: tuple[str, ...]
    protocol: Protocol = "tcp"


def drawn_lines(n: int, seed: int) -> list[str]:
    """Return lines with five features of few values, on which the class depends, with noise."""
    draw = random.Random(seed)
    lines = []
    for _ in range(n):
        codes = [draw.randrange(n_values) for n_values in (3, 6, 2, 9, 4)]
        label = (codes[0] + codes[1] // 2 + codes[2]) % 4 if draw.random() < 0.8 else draw.randrange(4)
        lines.append(" ".join([*(f"{'vwxyz'[i]}{code}" for i, code in enumerate(codes)), "PQRS"[label]]))
    return lines


def _asked(n: int, seed: int) -> list[str]:
    """Return questions: drawn lines, of which some have a value that was never seen."""
    draw = random.Random(seed)
    questions = []
    for line in drawn_lines(n, seed):
        values = line.split()[:-1]
        if draw.random() < 0.2:
            values[draw.randrange(len(values))] = "new"
        questions.append(f"c {' '.join(values)} ?")
    return questions


def _json_lines(lines: Sequence[str]) -> tuple[str, ...]:
    commands = {"c": "classify", "s": "set", "b": "base", "q": "query", "e": "exit"}
    made = []
    for line in lines:
        word, _, rest = line.partition(" ")
        parameter = f',"param":"{rest}"' if rest else ""
        made.append(f'{{"command":"{commands[word[0]]}"{parameter}}}')
    return tuple(made)


TINY = ("c a x 3 ?", "c a x 4 ?", "c b z 3 ?", "c q q q ?", "c c y 4 ?", "c b y 5 Q")
COMMANDS = (
    *("c a x 3 ?", "classify a x 3 ?", "CLASSIFY a x 4 ?", "  cl   a  x 3  ?  ", "clx a x 3 ?", "classifyx a x 3 ?"),
    *("c", "c a x", "c a x 3", "c a x 3 ? ?", "set", "base", "base default", "base foo", "query", "q"),
    *("foo bar", "show settings", "# hallo", "#hallo", "b default", "c é x 3 ?", "foo é", "exit now"),
)
LEVELS = (
    *("set +vdb", *TINY, "set +vdi", *TINY, "set -vdb", *TINY, "query", *TINY, "set +vDB+md", *TINY, "set -vdb+di+md"),
    *(*TINY, "set +vk", "set +vmd", "set +vcf", "set +vk+md", "set +vfoo", "set +vdi+foo", "set -vf", "set +vs", "q"),
)
NEIGHBOURS = (
    "set +vn",
    *TINY,
    "set -k3",
    *TINY,
    "set +vdb",
    *TINY,
    "set +vdi",
    *TINY,
    "set -vn",
    *TINY,
    "set -k1",
    *TINY,
)
VOTES = (
    *("set +vdb+di", "set -k3", "set -d ID", *TINY, "set -d IL", *TINY, "set -d ED:2:1", *TINY, "set -dED", *TINY),
    *("set -d ed:0.5", *TINY, "set -dZ", "set -G", *TINY, "set -G 1:2", *TINY, "set -G2", *TINY, "set -G0", *TINY),
    *("set +vdb+cf", *TINY, "q", *TINY, "set +x", *TINY, "set -x", *TINY, "set -k 2 -d ID +vdb", *TINY, "query"),
)
REFUSED = (
    *("set -k abc", TINY[0], "set -d XX", TINY[0], "set -d ED:x", "set -G 5", TINY[0], "set -G abc", "set -L abc"),
    *("set foo", "set -k3 foo", "set -k 3x", "set +k2", "set -x3", "set -Q foo", "set -l 99", "set -C 0", "set -p 10"),
    *("set -a1", TINY[0], "set -k3", "q", "base default", TINY[0], "set -w 2", TINY[0], "base default", "set -k"),
    *("base default", "set -m M", "base default", "set --foo", "base default", "set +v", "base default", "set -k -1"),
    *("base default", "set -k 0", TINY[0], TINY[0], TINY[0], "set -k1", TINY[0], "base default", "set -L 0", TINY[0]),
    *("base default", "set -k 999999999", TINY[0], TINY[0], "base default", "set -p 0", TINY[0], "base default"),
    *("set -k 3 -k 5", "set +vdb", *TINY),
)
SEVERAL = (
    *("c a x 3 ?", "query", "set +vdb", "foo", "# x", "base nix", "base tiny", *TINY, "set +vdb+di+md", *TINY),
    *("base tree", *TINY, "set +vdb+di+md", *TINY, "q", "set -k3", TINY[0], "base numbers", "set +vdb+di"),
    *("c a x 3 ?", "c b z 4.5 ?", "c b z 99 ?", "q", "base tiny", *TINY, "q", "exit"),
)
DRAWN = (
    "set +vdb+di",
    *_asked(12, 1),
    "set -k3",
    *_asked(12, 2),
    "set -d IL",
    *_asked(12, 3),
    "set +vn",
    *_asked(6, 4),
)
TREES = (
    *("base drawn-tree", "set +vdb+di+md", *_asked(20, 5), "base drawn-tribl", "set +vdb+di+md", *_asked(20, 6), "q"),
    *("base drawn-tribl2", "set +vdb+di+md", *_asked(20, 7), "q"),
)
BY_CLASSES = (
    *("base mvdm", "set +vdb+di", *_asked(15, 8), "set -L 2", *_asked(15, 9), "set -k 1", *_asked(5, 10), "q"),
    *("base jeffrey", "set +vdb+di", *_asked(15, 11), "set +vn", *_asked(5, 12)),
)
JSON = (
    *_json_lines((*TINY, "set +vdb+di", *TINY, "set +vn", *TINY, "set -k3", *TINY, "set -k1", *TINY)),
    *_json_lines(("base default", *TINY, "c a x", "base nix", "query settings", "query weights", "query foo", "query")),
    *('{"command":"show","param":"weights"}', '{"command":"set"}', '{"command":"base"}', '{"command":"classify"}'),
    *('{"command":"classify","params":["b z 3 ?","a x ?"]}', '{"command":"classify","params":[]}', "not json"),
    *('{"command":"C"}', '{"param":"foo"}', '{"command":"classify","params":["a x 3 ?"],"param":"b z 3 ?"}'),
    *_json_lines(("set -k5", *TINY, "set -a1", TINY[0], "exit")),
)
JSON_SEVERAL = _json_lines(
    ("c a x 3 ?", "query settings", "set +vdb", "base nix", "base tree", *TINY, "base tiny", *TINY, "exit")
)

SESSIONS = {
    "commands": Recorded(("tiny",), COMMANDS),
    "levels": Recorded(("tiny",), LEVELS),
    "neighbours": Recorded(("tiny",), NEIGHBOURS),
    "votes": Recorded(("tiny",), VOTES),
    "refused": Recorded(("tiny",), REFUSED),
    "comma": Recorded(("comma",), ("set +vdb+n", *(f"c {','.join(line[2:].split())}" for line in TINY), "c a,x", "q")),
    "tabbed": Recorded(("tabbed",), ("set +vdb+n", *("c " + "\t".join(line[2:].split()) for line in TINY), "q")),
    "several": Recorded(("tiny", "tree", "numbers"), SEVERAL),
    "drawn": Recorded(("drawn",), DRAWN),
    "trees": Recorded(("drawn-tree", "drawn-tribl", "drawn-tribl2"), TREES),
    "by_classes": Recorded(("mvdm", "jeffrey"), BY_CLASSES),
    "json": Recorded(("tiny",), JSON, "json"),
    "json_several": Recorded(("tiny", "tree"), JSON_SEVERAL, "json"),
}


def is_installed() -> bool:
    """Return whether the program is there."""
    return programs.has_program(PROGRAM)


class Server(Workplace):
    """timblserver on a free port of this machine, for the time of a `with` block."""

    def __init__(self, bases: Mapping[str, str], protocol: Protocol = "tcp", n_connections: int = 20) -> None:
        """`bases` are TiMBL's options by name; a single one is called `default`."""
        super().__init__()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self._farewell = b"exit\n" if protocol == "tcp" else b'{"command":"exit"}\n'
        if len(bases) == 1:
            options = next(iter(bases.values())).split()
            own = ["-S", str(self.port), "-C", str(n_connections), f"--protocol={protocol}", "--daemonize=no"]
            self._command = [PROGRAM, *options, *own]
            return
        config = self.path / "config"
        lines = [f"port={self.port}", f"protocol={protocol}", f"maxconn={n_connections}", "daemonize=no"]
        lines += ["[[experiments]]", *(f'{name}="{options}"' for name, options in bases.items())]
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self._command = [PROGRAM, f"--config={config}"]

    def __enter__(self) -> Self:
        with (self.path / "log").open("wb") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, cwd=self.path)
        for _ in range(600):
            if self._process.poll() is not None:
                break
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=20) as first:
                    # A client that leaves without a word ends timblserver.
                    first.sendall(self._farewell)
                    while first.recv(4096):
                        pass
                return self
            except OSError:
                time.sleep(0.05)
        said = (self.path / "log").read_text(encoding="utf-8", errors="replace")
        self.__exit__()
        raise PeerError(f"{' '.join(self._command)} does not answer: {said[-1000:]}")

    @property
    def process(self) -> int:
        """The number of the process."""
        assert self._process is not None
        return self._process.pid

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        super().__exit__(*error)


def record(port: int, session: Recorded) -> str:
    """Return a session with the server at a port, as a text."""
    mark, marked = MARKS[session.protocol]
    parts: list[tuple[str, bytes]] = []
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection, connection.makefile("rb") as answers:

        def answer() -> bytes:
            told = b""
            connection.sendall(mark)
            while not told.endswith(marked):
                line = answers.readline()
                if not line:
                    return told
                told += line
            return told.removesuffix(marked)

        parts.append(("", answer()))
        for line in session.lines:
            connection.sendall(line.encode() + b"\n")
            is_end = line.startswith(("exit", '{"command":"exit"'))
            parts.append((line, answers.read() if is_end else answer()))
    return session_text(parts)


def session_text(parts: Sequence[tuple[str, bytes]]) -> str:
    """Return lines and their answers as a session file has them; the greeting answers no line."""
    text = []
    for line, answer in parts:
        text.append(f"> {line}\n" if line else "")
        text += [f"< {one}\n" for one in answer.decode("utf-8", "surrogateescape").splitlines()]
    return "".join(text)


def write_tables(folder: Path) -> None:
    """Write the training files of the bases."""
    tiny = [
        "a x 3 P",
        "a y 4 P",
        "b x 3 Q",
        "b y 5 Q",
        "c x 4 P",
        "c z 3 R",
        "a z 5 R",
        "b z 4 Q",
        "a x 3 Q",
        "c y 5 P",
    ]
    tables = {"tiny.train": tiny, "drawn.train": drawn_lines(200, 0)}
    tables |= {"tiny.csv": [line.replace(" ", ",") for line in tiny]}
    tables |= {"tiny.tab": [line.replace(" ", "\t") for line in tiny]}
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def record_with_server(session: Recorded, folder: Path) -> str:
    """Start timblserver on the bases of a session, and return the session; `folder` has the training files."""
    with Server({name: BASES[name].arguments(folder) for name in session.bases}, session.protocol) as server:
        return record(server.port, session)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_tables(FOLDER)
    for name, session in SESSIONS.items():
        text = record_with_server(session, FOLDER)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8", errors="surrogateescape")
        print(f"{name}: {len(session.lines)} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
