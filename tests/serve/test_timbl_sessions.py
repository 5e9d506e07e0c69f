"""Sessions recorded from timblserver 1.14, replayed against casebase's port: the answers are the same bytes."""

import difflib

import pytest

from lab.peers import timblserver
from lab.peers.timblserver import FOLDER, SESSIONS, record, record_with_server
from tests.peers import require
from tests.serve.timbl_bases import open_desks, served


@pytest.mark.parametrize("name", SESSIONS)
def test_a_recorded_session_has_the_same_answers(name, tmp_path):
    """Every line that was sent to timblserver gets timblserver's answer."""
    session = SESSIONS[name]
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8", errors="surrogateescape")

    with open_desks(session.bases, tmp_path) as desks, served(desks, protocol=session.protocol) as port:
        told = record(port.port, session)

    assert_same(expected, told)


def test_the_recorded_sessions_are_those_of_the_installed_timblserver(tmp_path):
    """The recorded sessions are what timblserver says today."""
    require("timblserver", timblserver.is_installed())
    timblserver.write_tables(tmp_path)

    for name in ("commands", "votes", "several", "json"):
        expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8", errors="surrogateescape")
        assert_same(expected, record_with_server(SESSIONS[name], tmp_path))


def test_the_training_files_are_those_that_the_recorder_writes(tmp_path):
    """The tables beside the sessions are not edited by hand."""
    timblserver.write_tables(tmp_path)

    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / path.name).read_bytes()


def assert_same(expected: str, told: str) -> None:
    lines = difflib.unified_diff(expected.splitlines(), told.splitlines(), "timblserver", "casebase", lineterm="", n=4)
    assert expected == told, "\n".join(list(lines)[:60])
