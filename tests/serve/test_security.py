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
