"""Who may ask for what."""

from pathlib import Path

import pytest

from casebase.errors import CasebaseError
from tests.serve.serving import TOKENS, client

from casebase.serve.config import Config, Limits  # isort: skip
from casebase.serve.security import Doors, Rates  # isort: skip


def test_another_name_is_refused_and_the_option_is_named(models: Path) -> None:
    with client(models) as asking:
        refused = asking.get("/", headers={"host": "rebound.example"})
    assert refused.status_code == 421
    assert "--allow-host rebound.example" in refused.json()["detail"]


def test_without_a_token_nothing_is_shown(models: Path) -> None:
    with client(models, needs_token=True) as asking:
        assert asking.get("/").status_code == 401
        assert asking.get("/m/ib1.json").status_code == 401
        assert asking.get("/healthz").status_code == 200


def test_a_ticket_opens_one_session_and_works_once(models: Path) -> None:
    from starlette.testclient import TestClient

    from casebase.serve.app import make_app
    from casebase.serve.shelf import Shelf

    config = Config()
    doors, shelf = Doors(config), Shelf()
    shelf.add([models])
    ticket = doors.new_ticket()
    app = make_app(shelf, config, doors)
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as asking:
        entered = asking.get(f"/m/ib1?ticket={ticket}&x=1")
        assert (entered.status_code, entered.headers["location"]) == (303, "/m/ib1?x=1")
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert asking.get("/m/ib1").status_code == 200
        assert TestClient(app, base_url="http://localhost").get(f"/?ticket={ticket}").status_code == 401


def test_the_ticket_never_leads_to_another_host(models: Path) -> None:
    with client(models) as asking:
        away = asking.get("//evil.example/?ticket=x", follow_redirects=False)
    assert away.headers.get("location", "/").startswith("/")
    assert not away.headers.get("location", "/").startswith("//")


def test_a_token_gives_its_role_and_no_more(models: Path) -> None:
    with client(models, needs_token=True, tokens=TOKENS) as asking:
        read = {"authorization": f"Bearer {'r' * 20}"}
        assert asking.get("/", headers=read).status_code == 200
        assert asking.post("/upload", headers=read, files={"file": ("a.csv", b"a,b\n1,2\n")}).status_code == 403
        assert asking.get("/", headers={"authorization": "Bearer wrong"}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "is_refused"),
    [
        ({"sec-fetch-site": "cross-site"}, True),
        ({"sec-fetch-site": "same-site"}, True),
        ({"sec-fetch-site": "same-origin"}, False),
        ({"origin": "http://evil.example"}, True),
        ({"origin": "http://localhost"}, False),
        ({}, False),
    ],
)
def test_a_page_of_another_site_changes_nothing(models: Path, headers: dict[str, str], is_refused: bool) -> None:
    with client(models) as asking:
        answer = asking.post("/m/ib1/nothing", headers=headers)
    assert (answer.status_code == 403) == is_refused


def test_a_large_request_is_refused(models: Path) -> None:
    with client(models, limits=Limits(body=1000)) as asking:
        assert asking.post("/upload2", content=b"x" * 2000).status_code in (404, 413)
        answer = asking.post("/m/ib1/cases", data={"a": "x" * 2000})
    assert answer.status_code in (404, 413)


def test_the_rate_of_a_client_is_limited(models: Path) -> None:
    with client(models, limits=Limits(per_second=0.5, burst=2)) as asking:
        codes = [asking.get("/").status_code for _ in range(3)]
        late = asking.get("/")
    assert codes == [200, 200, 429]
    assert int(late.headers["retry-after"]) >= 1


def test_rates_fill_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("casebase.serve.security.time.monotonic", lambda: now[0])
    rates = Rates(1.0, 2)
    assert [rates.wait("a"), rates.wait("a")] == [0, 0]
    assert rates.wait("a") == 1.0
    assert rates.wait("b") == 0
    now[0] = 1.0
    assert rates.wait("a") == 0


def test_another_address_needs_a_token() -> None:
    with pytest.raises(CasebaseError, match="can be reached from other machines"):
        Config(host="0.0.0.0", needs_token=False)


def test_pages_forbid_what_comes_from_elsewhere(models: Path) -> None:
    with client(models) as asking:
        headers = asking.get("/").headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in headers


def test_a_person_enters_with_a_token(models: Path) -> None:
    with client(models, needs_token=True, tokens=TOKENS) as asking:
        assert "Token" in asking.get("/enter").text
        wrong = asking.post("/enter", data={"token": "x" * 20})
        assert wrong.status_code == 401
        assert "not known" in wrong.text
        assert asking.post("/enter", data={"token": "c" * 20}, follow_redirects=False).status_code == 303
        assert asking.get("/m/ib1").status_code == 200
        assert asking.post("/upload", files={"file": ("a.csv", b"a,b\n1,2\n")}).status_code == 403


def test_a_token_may_come_as_a_password(models: Path) -> None:
    with client(models, needs_token=True, tokens=TOKENS) as asking:
        assert asking.get("/", auth=("tool", "r" * 20)).status_code == 200
        assert asking.get("/", auth=("tool", "wrong")).status_code == 401
        away = {"sec-fetch-site": "cross-site"}
        assert asking.post("/m/ib1/ask", auth=("tool", "c" * 20), headers=away).status_code == 403


def test_a_fault_is_logged_without_values(
    models: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret value")

    monkeypatch.setattr("casebase.serve.pages.ask.ask", fail)
    with client(models) as asking:
        answer = asking.get("/m/ib1/ask", params={"v.sex": "male"})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "secret" not in caplog.text
    assert "RuntimeError" in caplog.text


def test_a_stranger_cannot_fill_the_server(models: Path) -> None:
    """What somebody without a token sends is small, and has a room of its own."""
    with client(models, needs_token=True, tokens=TOKENS) as asking:
        assert asking.post("/enter", data={"token": "x" * 10_000}).status_code == 413
        assert asking.post("/enter", data={"token": "x"}, headers={"origin": "http://["}).status_code == 403


def test_a_large_form_is_refused_as_too_large(models: Path) -> None:
    with client(models, limits=Limits(body=1000)) as asking:
        assert asking.post("/m/ib1/ask", data={"v.sex": "x" * 5000}).status_code == 413


def test_only_a_stream_may_be_long(models: Path) -> None:
    """A media type inside another one does not lift the limit."""
    with client(models, limits=Limits(body=1000)) as asking:
        said = {"content-type": "application/json; x=text/csv"}
        assert asking.post("/v1/models/ib1/predict", content=b"[" * 5000, headers=said).status_code == 413


@pytest.mark.parametrize("host", ["[::1].evil.example", "localhost.evil.example", "localhost:80:80", ""])
def test_a_name_must_be_the_whole_name(models: Path, host: str) -> None:
    with client(models) as asking:
        assert asking.get("/", headers={"host": host}).status_code == 421


def test_the_tokens_are_not_served_with_their_folder(models: Path, tmp_path: Path) -> None:
    from casebase.serve.shelf import Shelf

    tokens = models / "tokens.txt"
    tokens.write_text(f"read {'r' * 20}\n")
    outside = tmp_path / "outside.csv"
    outside.write_text("a,b\n1,2\n")
    (models / "link.csv").symlink_to(outside)
    shelf = Shelf(hidden=[tokens])
    shelf.add([models])
    assert shelf.tables == {}
    assert len(shelf.desks) == 3
    shelf.close()


def test_an_upload_never_takes_the_name_of_a_journal(tmp_path: Path) -> None:
    with client(folder=tmp_path) as asking:
        asking.post("/upload", files={"file": ("nouns.cb.journal", b"a,b\n1,2\n")})
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["nouns.cb.txt"]


def test_a_name_serves_a_model_and_a_table(models: Path, passengers_table: Path) -> None:
    """So the address of a model does not depend on the tables beside it."""
    (models / "ib1.csv").write_bytes(passengers_table.read_bytes())
    with client(models) as asking:
        assert asking.get("/m/ib1").status_code == 200
        assert asking.get("/t/ib1").status_code == 200


def test_a_token_is_given_once_and_is_long(tmp_path: Path) -> None:
    from casebase.serve.config import read_tokens

    path = tmp_path / "tokens.txt"
    for text, message in (
        (f"read {'x' * 20}\nadmin {'x' * 20}\n", "line 2: this token is given twice"),
        ("read short\n", "line 1: a token has at least 16"),
        ("reader " + "x" * 20, "line 1: expected a role"),
        ("# nothing\n", "has no token"),
    ):
        path.write_text(text)
        with pytest.raises(CasebaseError, match=message):
            read_tokens(path)
