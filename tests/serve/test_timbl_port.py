"""The TiMBL port as a server: many lines at once, limits, corrections, and what it refuses."""

import asyncio
import socket
import time
from functools import partial
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from casebase import methods
from casebase.cli import cli
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.formats.read import read_table
from casebase.serve.desks.desk import Desk
from casebase.serve.ports.timbl_port import TimblPort
from lab.peers.timblserver import FOLDER
from tests.serve.timbl_bases import Client, open_desk, served

runner = partial(CliRunner().invoke, cli)
GREETING = b"Welcome to the Timbl server.\n"


@pytest.fixture
def desk(tmp_path):
    with open_desk("tiny", tmp_path) as desk:
        yield desk


def test_many_lines_at_once_are_answered_in_their_order(desk):
    """A client may send all its lines before it reads the first answer."""
    questions = [b"c a x 4 ?\n", b"c b x 3 ?\n", b"c c z 3 ?\n", b"foo\n"] * 500

    with served({"tiny": desk}) as port, Client(port.port) as client:
        client.send(b"".join(questions) + b"exit\n")
        told = client.lines.read()

    one = b"CATEGORY {P}\nCATEGORY {Q}\nCATEGORY {R}\nERROR { Illegal instruction:'foo' in line:foo}\n"
    assert told == GREETING + one * 500 + b"OK Closing\n"


def test_a_line_may_come_in_pieces_and_the_last_one_needs_no_end(desk):
    """Lines are put together from what the network brings; the end of the stream ends a line."""
    with served({"tiny": desk}) as port, Client(port.port) as client:
        for piece in (b"c a", b" x 4 ?", b"\nc b x", b" 3 ?"):
            client.send(piece)
            time.sleep(0.01)
        client.socket.shutdown(socket.SHUT_WR)
        told = client.lines.read()

    assert told == GREETING + b"CATEGORY {P}\nCATEGORY {Q}\n"


def test_a_line_that_is_too_long_ends_the_connection(desk):
    """A client cannot fill the memory with a line that never ends."""
    with served({"tiny": desk}, longest_line=1000) as port:
        with Client(port.port) as client:
            assert client.line() == GREETING
            assert client.ask("c a x " + "3" * 900 + " ?") == b"CATEGORY {P}\n"
            client.send(b"c a x " + b"3" * 2000)
            assert client.lines.read() == b"ERROR { a line is longer than 1000 bytes }\n"
        with Client(port.port) as client:
            assert client.line() == GREETING


def test_bytes_that_are_not_utf_8_are_a_value_that_was_never_seen(desk):
    """They come back in messages as they came, and match no stored value."""
    with served({"tiny": desk}) as port, Client(port.port) as client:
        client.line()
        client.send(b"set +vdi\nc \xff x 3 ?\nfoo \xff\nc \x00 x 3 ?\nc a \xed\xa0\x80 3 ?\n")
        told = [client.line() for _ in range(5)]

    assert told[0] == b"OK\n"
    assert told[1] == told[3] == b"CATEGORY {Q} DISTANCE {0.411496}\n"
    assert told[2] == b"ERROR { Illegal instruction:'foo' in line:foo \xff}\n"
    assert told[4] == b"CATEGORY {P} DISTANCE {0.363443}\n"


def test_an_empty_line_closes_the_connection(desk):
    """As timblserver does."""
    with served({"tiny": desk}) as port, Client(port.port) as client:
        client.send(b"\nc a x 4 ?\n")
        assert client.lines.read() == GREETING


def test_more_connections_than_allowed_are_told_so(desk):
    """A connection too many gets timblserver's message, and the place of one that ends is free again."""
    limited = served({"tiny": desk}, most_connections=2)
    with limited as port, Client(port.port) as first, Client(port.port) as second:
        assert first.line() == second.line() == GREETING
        with Client(port.port) as third:
            assert third.lines.read() == b"Maximum connections exceeded.\ntry again later...\n"
        assert first.ask("exit") == b"OK Closing\n"
        assert first.line() == b""
        with Client(port.port) as fourth:
            assert fourth.line() == GREETING


def test_an_idle_connection_is_closed(desk):
    """A client that says nothing for too long loses its place."""
    with served({"tiny": desk}, idle_seconds=0.05) as port, Client(port.port) as client:
        assert client.lines.read() == GREETING


def test_a_client_that_reads_nothing_does_not_stop_the_others(desk):
    """It is not read from any more, so that its answers do not pile up in memory."""
    lines = (b"foo " + b"z" * 10_000 + b"\n") * 10  # the answer has the line in it
    with served({"tiny": desk}) as port, Client(port.port) as silent, Client(port.port) as other:
        silent.socket.setblocking(False)
        n_sent, n_blocked = 0, 0
        while n_sent < 60_000_000 and n_blocked < 20:
            try:
                n_sent += silent.socket.send(lines)
                n_blocked = 0
            except BlockingIOError:
                n_blocked += 1
                time.sleep(0.02)
        assert n_sent < 60_000_000
        other.line()
        assert other.ask("c a x 4 ?") == b"CATEGORY {P}\n"
        assert max(one._transport.get_write_buffer_size() for one in port.connections) < 1_000_000


def test_a_correction_shows_in_the_next_answer(desk):
    """A connection sees what was learned after it was opened, and keeps its options."""
    with served({"tiny": desk}) as port, Client(port.port) as client:
        client.line()
        client.ask("set +vdb")
        before = client.ask("c d d d ?")
        desk.insert([{"f1": "d", "f2": "d", "f3": "d"}] * 2, ["S", "S"])
        after = client.ask("c d d d ?")

    assert before == b"CATEGORY {P} DISTRIBUTION { P 4.00000, Q 4.00000, R 2.00000 }\n"
    assert after == b"CATEGORY {S} DISTRIBUTION { S 2.00000 }\n"


def test_a_tree_answers_that_is_not_timbls(tmp_path):
    """Any classifier answers: a class, its votes, and a distance where it has one."""
    model = methods.method_named("c45").fit(Cases.from_table(read_table(FOLDER / "tiny.train")))
    methods.save(tmp_path / "c45.cb", model)
    with Desk.open(tmp_path / "c45.cb") as desk, served({"c45": desk}) as port, Client(port.port) as client:
        client.line()
        client.ask("set +vdb+di+n")
        told = client.ask("c b x 3 ?")

    assert told.startswith(b"CATEGORY {Q} DISTRIBUTION { ")
    assert b"DISTANCE" not in told


def test_columns_with_kinds_are_read_as_in_the_training_file(tmp_path):
    """Numbers, dates and columns that are left out keep their places in a line."""
    (tmp_path / "people.csv").write_text(
        "id,born,height,class\na,2001-02-03,1.5,P\nb,1950-01-01,1.9,Q\nc,2002-02-03,1.55,P\nd,1951-01-01,1.8,Q\n"
    )
    path = str(tmp_path / "people.cb")
    trained = runner(["train", str(tmp_path / "people.csv"), "-o", path, "--learner", "ib1", "--id-column", "id"])
    assert trained.exit_code == 0, trained.output
    with Desk.open(path) as desk, served({"people": desk}) as port, Client(port.port) as client:
        client.line()
        assert client.ask("c x,2000-01-01,1.52,?") == b"CATEGORY {P}\n"
        assert client.ask("c x,1949-01-01,1.85,?") == b"CATEGORY {Q}\n"
        assert b"mismatch between number of features" in client.ask("c 1949-01-01,1.85,?")
        assert client.ask("c x,yesterday,1.52,?").startswith((b"CATEGORY", b"ERROR { "))


OTHER = SimpleNamespace(kind="tagger", snapshot=SimpleNamespace(saved=None))


def test_a_tagger_is_no_base(desk):
    """Taggers and hyphenators are not listed, cannot be selected, and are not enough to open the port."""
    desks = {"tiny": desk, "brown": OTHER}
    with served(desks) as port, Client(port.port) as client:
        assert client.line() == GREETING
        assert client.ask("base brown") == b"ERROR { Unknown basename: brown}\n"
        assert client.ask("base default") == b"selected base: 'default'\n"

    with pytest.raises(CasebaseError, match="needs a classifier"):
        TimblPort({"brown": OTHER})


def test_a_port_that_is_taken_is_an_error_that_names_it(desk):
    """The message says which port of which address."""
    with served({"tiny": desk}) as port:
        second = TimblPort({"tiny": desk}, port=port.port)
        with pytest.raises(CasebaseError, match=f"Cannot open port {port.port} of 127.0.0.1"):
            asyncio.run(second.start())


def test_json_that_ends_timblserver_gets_an_error(desk):
    """timblserver 1.14 ends its process, or says nothing, where this port explains itself."""
    with served({"tiny": desk}, protocol="json") as port, Client(port.port) as client:
        assert client.line() == b'{"status":"ok"}\n'
        for line in (
            '{"command":3}',
            "[1,2]",
            '"x"',
            '{"command":"classify","param":["b z 3 ?"]}',
            "[" * 50_000 + "{}",
        ):
            client.send(line.encode() + b"\n" + b'{"command":"base","param":3}\n')
            told = client.line()
            if b"missing 'param' for base" not in told:
                assert b'"status":"error"' in told
                assert client.line() == b'{"message":"missing \'param\' for base command ","status":"error"}\n'
