"""casebase serve: what it refuses before it starts."""

import pytest

pytest.importorskip("starlette")


def test_nothing_to_serve_is_told(run):
    done = run("serve")
    assert done.code == 2
    assert "--demo" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.cb"], "There is no file nowhere.cb"),
        (["MODEL", "--host", "0.0.0.0"], "tokens are needed"),
        (["MODEL", "--host", "0.0.0.0", "--no-token"], "tokens are needed"),
        (["MODEL", "--port", "70000"], "from 0 to 65535"),
        (["MODEL", "--tokens", "nowhere.txt"], "Cannot read the tokens in nowhere.txt"),
        (["MODEL", "MODEL"], "is given twice"),
    ],
)
def test_wrong_use_is_told_before_anything_starts(run, model, arguments, message):
    done = run("serve", "--no-browser", *(model if one == "MODEL" else one for one in arguments))
    assert done.code == 1
    assert message in done.err


def test_a_port_that_is_taken_is_named(run, model):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("serve", model, "--no-browser", "--port", port)
    assert done.code == 1
    assert f"port {port}" in done.err
    assert "--port" in done.err
