"""The command line that each page shows: every page has one, it runs, and it does the same work."""

import json
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from contextlib import chdir
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("starlette")

import casebase as cb
from casebase import methods
from casebase.cli import cli
from casebase.serve.demonstration import write_demonstration
from tests.serve.language import write_hyphenator, write_tagger
from tests.serve.serving import TOKENS, client

PAGES = [
    "/",
    "/t/passengers",
    "/t/passengers?kind.age=symbol&target=saved",
    "/t/passengers/compare?target=saved",
    "/m/passengers",
    "/m/passengers/ask",
    "/m/passengers/ask?v.sex=male&v.age=29",
    "/m/passengers/table",
    "/m/passengers/table?where=sex%3Dmale&sort=fare",
    "/m/passengers/table?where=fare%3E30",
    "/m/passengers/values?feature=sex",
    "/m/passengers/record/T2116",
    "/m/passengers/add",
    "/m/passengers/compare",
    "/m/passengers/errors",
    "/m/passengers/picture",
    "/m/tic-tac-toe/picture",
    "/m/passengers/health",
    "/m/passengers/review",
    "/m/passengers/journal",
    "/m/dogs",
    "/m/dogs/tag",
    "/m/dogs/tag?text=The+cat+walks",
    "/m/dogs/tag?text=The+cat+walks&at=1.2",
    "/m/dogs/journal",
    "/m/finnish",
    "/m/finnish/hyphenate",
    "/m/finnish/hyphenate?words=kissa+talo",
    "/m/finnish/hyphenate?words=kissa&at=kissa",
    "/m/finnish/hyphenate?words=kissa&at=kissa&try=1&place=2",
    "/m/finnish/journal",
    "/jobs",
    "/v1",
]
# Options after a command, so that it ends soon; the table that `casebase insert` names is an example.
CHEAPER = {
    "casebase train ": " --learner ib1",
    "casebase methods ": " --methods ib1 --cv 2",
    "casebase insert ": " --id-column ticket --format csv",
}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the demonstration, a tagger, a hyphenator, and files that commands name as examples."""
    folder = tmp_path_factory.mktemp("demonstration")
    write_demonstration(folder)
    write_tagger(folder / "dogs.cb", copies=2)
    write_hyphenator(folder / "finnish.cb")
    return folder


@pytest.fixture
def folder(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "served"))


@pytest.fixture
def asking(folder: Path) -> Iterator[Any]:
    with client(folder, folder=folder) as one:
        yield one


def command_of(page: Any) -> str | None:
    """Return the command at the foot of a page."""
    assert page.status_code == 200, page.text
    footer = page.text[page.text.index("<footer>") :]
    found = re.search(r"<code>(.*?)</code>", footer, re.DOTALL)
    return None if found is None else unescape(found[1])


def run(command: str, folder: Path) -> Result:
    """Run a command that a page shows, in a folder with the files of the server."""
    first, _, second = command.rpartition(" | ")
    text = " ".join(shlex.split(first)[1:]) if first else None
    program, *words = shlex.split(second)
    assert program == "casebase"
    with chdir(folder):
        return CliRunner().invoke(cli, words, input=text)


def finished(asking: Any, response: Any) -> str:
    """Return the place of the last job, when it has ended."""
    assert response.status_code == 303, response.text
    place = f"/jobs/{len(asking.get('/jobs.json').json()['jobs'])}"
    for _ in range(600):
        job = asking.get(f"{place}.json").json()["job"]
        if job["is_ended"]:
            assert job["state"] == "done", job
            return place
        time.sleep(0.05)
    raise AssertionError("the job does not end")


def post(asking: Any, place: str, data: dict[str, Any]) -> str:
    return finished(asking, asking.post(place, data=data, follow_redirects=False))


def test_every_page_has_a_command_that_runs(asking: Any, folder: Path, tmp_path: Path) -> None:
    """A page that no command of casebase can give has the command that gets its JSON twin."""
    examples = Path(shutil.copytree(folder, tmp_path / "examples"))
    shutil.copy(examples / "passengers.csv", examples / "TABLE")
    (examples / "text.txt").write_text("The cat walks .\n")
    (examples / "words.txt").write_text("kissa\n")
    commands = {}
    for place in PAGES:
        command = command_of(asking.get(place))
        assert command is not None, place
        commands[command] = place
    for command, place in commands.items():
        if command.startswith("curl "):
            assert asking.get(shlex.split(command)[1]).json(), place
        elif command.startswith("casebase serve "):
            assert all((examples / name).exists() for name in shlex.split(command)[2:]), command
        else:
            ran = run(command + next((more for start, more in CHEAPER.items() if start in command), ""), examples)
            is_taken = "already" in str(ran.exception)  # the records of the example are in the model
            assert ran.exit_code == 0 or (place.endswith("/add") and is_taken), (
                place,
                command,
                ran.output,
                ran.exception,
            )


def test_what_no_command_gives_is_asked_of_the_server(asking: Any) -> None:
    assert command_of(asking.get("/jobs")) == "curl http://localhost/jobs.json"
    with client(tokens=TOKENS, needs_token=True) as guarded:
        page = guarded.get("/jobs", headers={"authorization": f"Bearer {'r' * 20}", "host": "localhost"})
    assert command_of(page) == "curl http://localhost/jobs.json -H 'Authorization: Bearer TOKEN'"


def test_the_commands_of_jobs_do_the_same_work(asking: Any, folder: Path, tmp_path: Path) -> None:
    """A job's command makes the same model, and the same comparison."""
    examples = Path(shutil.copytree(folder, tmp_path / "examples"))
    choices = {"target": "saved", "id_column": "ticket", "kind.name": "provenance", "kind.age": "symbol"}
    for place, data, name in [
        ("/t/passengers/learn", choices | {"method": "c45"}, "passengers-2"),
        ("/m/passengers/learn", {"method": "igtree"}, "passengers-igtree"),
    ]:
        command = command_of(asking.get(post(asking, place, data)))
        assert command is not None
        assert command.startswith("casebase train passengers.c"), command
        ran = run(command.replace("-o passengers.cb", "-o passengers-2.cb"), examples)
        assert ran.exit_code == 0, ran.output
        served, made = methods.load(folder / f"{name}.cb"), methods.load(examples / f"{name}.cb")
        assert made.model.summary().to_dict() == served.model.summary().to_dict()
        assert made.model.schema.names == served.model.schema.names
        assert cb.load(examples / f"{name}.cb").get_params() == cb.load(folder / f"{name}.cb").get_params()


@pytest.mark.parametrize("place", ["/m/passengers/compare", "/t/passengers/compare"])
def test_the_command_of_a_comparison_gives_the_same_figures(
    asking: Any, folder: Path, tmp_path: Path, place: str
) -> None:
    examples = Path(shutil.copytree(folder, tmp_path / "examples"))
    data = {"method": ["ib1", "c45"], "cv": "3", "seed": "4"} | ({"target": "saved"} if place[1] == "t" else {})
    job = asking.get(post(asking, place, data))
    found = asking.get(f"{place}.json", params={} if place[1] == "m" else {"target": "saved"}).json()["comparison"]
    command = command_of(job)
    assert command is not None
    assert command.startswith("casebase methods passengers.c"), command
    ran = run(f"{command} --json", examples)
    assert ran.exit_code == 0, ran.output
    printed = json.loads(ran.stdout)
    for key in ("n_cases", "n_features", "n_folds", "notes"):
        assert printed[key] == found[key]
    assert [(row["method"], row["accuracy"], row["log_loss"]) for row in printed["rows"]] == [
        (row["method"], row["accuracy"], row["log_loss"]) for row in found["rows"]
    ]


def test_jobs_of_the_service_show_the_request_that_started_them(asking: Any) -> None:
    body = {"kind": "health", "model": "tic-tac-toe"}
    started = asking.post("/v1/jobs", json=body).json()
    command = command_of(asking.get(f"/jobs/{started['id']}"))
    assert command == (
        "curl http://localhost/v1/jobs -H 'Content-Type: application/json' -d "
        """'{"kind": "health", "model": "tic-tac-toe"}'"""
    )


@pytest.mark.parametrize(("page", "kind"), [("errors", "evaluate"), ("health", "health")])
def test_jobs_about_a_model_show_its_command(asking: Any, page: str, kind: str) -> None:
    command = command_of(asking.get(post(asking, f"/m/passengers/{page}", {})))
    assert command is not None
    assert command.startswith(f"casebase {kind} passengers.cb")


def test_jobs_that_wait_for_each_other_make_models_of_their_own(asking: Any, folder: Path) -> None:
    """Two jobs that learn from one table get two files, though neither file was there when they were asked for."""
    for method in ("c45", "id3"):
        response = asking.post(
            "/t/tic-tac-toe/learn", data={"method": method, "target": "x wins"}, follow_redirects=False
        )
        last = response.headers["location"].partition("?")[0]
    for _ in range(600):
        if asking.get(f"{last}.json").json()["job"]["is_ended"]:
            break
        time.sleep(0.05)
    assert asking.get("/m/tic-tac-toe-2.json").json()["method"] == "c45"
    assert asking.get("/m/tic-tac-toe-3.json").json()["method"] == "id3"


def test_the_log_of_taggers_and_hyphenators(asking: Any, folder: Path) -> None:
    """Who, when and why, with what was learned: on the page, in its download, and on the command line."""
    shelf = asking.app.app.state.shelf
    shelf.desk("dogs").learn([[("The", "D"), ("wug", "N")]])
    shelf.desk("finnish").correct(["ki-ssa"])
    assert "The/D wug/N" in asking.get("/m/dogs/journal").text
    assert "→ <strong>ki-ssa</strong>" in asking.get("/m/finnish/journal").text
    sent = {name: asking.get(f"/m/{name}/log.json").json() for name in ("dogs", "finnish")}
    shelf.close()
    tagger, words = run("casebase log dogs.cb", folder), run("casebase log finnish.cb", folder)
    assert "1 sentence inserted by unknown" in tagger.output
    assert "sentence The/D wug/N" in tagger.output
    assert "1 word updated by unknown" in words.output
    assert re.search(r"hyphenation kis-sa → ki-ssa", words.output)
    for name in sent:
        assert json.loads(run(f"casebase log {name}.cb --json", folder).stdout) == sent[name]
    number = sent["dogs"]["corrections"][0]["cases"][0]["id"]
    assert "wug" in run(f"casebase log dogs.cb --id {number}", folder).output
    assert "No corrections of these sentences" in run("casebase log dogs.cb --id 0", folder).output
    assert "No corrections of these words" in run("casebase log finnish.cb --id talo", folder).output
