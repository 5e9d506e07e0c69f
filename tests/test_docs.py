"""What the documentation shows is what happens.

On every page the Python blocks and the commands run from top to bottom, in one empty folder per page.
Where a page shows what they print, they print just that: a `text` block right behind a `python` block, and the
lines below a `$` in a `console` or `sh` block. Times and speeds, which differ from run to run, are not compared.

`<!-- not run: reason -->` before a block leaves it out; so does `<!-- file: path -->`, which is for a copy of casebase.
`<!-- output varies -->` runs a block without comparing.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator

import casebase
import casebase as cb
from casebase.cli import COMMANDS, cli
from casebase.errors import CasebaseError
from tests.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW_PAGES = {"command-line.md", "compare.md", "methods.md", "reproduce.md", "tagger.md"}
PROSE = [
    *PAGES,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    ROOT / "changelog.d" / "README.md",
]
OURS = re.compile(r"(^|\| *)casebase\b")  # other commands of a page (pip, make, git) are not run
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced part of a page: its language, its text, the line where it starts, and how it is to be treated."""

    language: str
    text: str
    line: int
    is_run: bool = True
    is_compared: bool = True
    output: str | None = None  # what the page shows under a python block


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page; a `text` block right behind a `python` block is its output."""
    found = list(FENCE.finditer(page))
    blocks = []
    for i, match in enumerate(found):
        before = page[found[i - 1].end() if i else 0 : match.start()].rstrip().rsplit("\n", 1)[-1]
        follower = found[i + 1] if i + 1 < len(found) else None
        is_output = follower and follower[1] == "text" and not page[match.end() : follower.start()].strip()
        blocks.append(
            Block(
                match[1],
                match[2],
                page.count("\n", 0, match.start()) + 2,
                is_run=not before.startswith(("<!-- not run:", "<!-- file:")),
                is_compared=before != "<!-- output varies -->",
                output=follower[2] if is_output and follower else None,
            )
        )
    return blocks


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output shown below it."""
    commands: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1] = (commands[-1][0][:-1].rstrip() + " " + line.strip(), "")
        elif commands:
            commands[-1] = (commands[-1][0], commands[-1][1] + line + "\n")
    return commands


def run_python(block: Block, names: dict, path: str) -> str:
    """Run a block in the names of its page and return what it prints."""
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.text, path, "exec")  # a traceback shows the page's own line
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def run_command(command: str) -> tuple[int, str]:
    """Run a command line and return its exit code and all that it prints.

    `casebase` by itself runs in this process, which is fast; pipes and the like go through a shell.
    """
    if command.startswith("casebase") and not re.search(r"[|<>;&]", command):
        result = CliRunner().invoke(cli, shlex.split(command)[1:])
        if isinstance(result.exception, CasebaseError):
            return 1, f"{result.output}Error: {result.exception}\n"
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


def comparable(text: str) -> list[str]:
    """Return the lines of an output without what may differ: times, speeds, and blanks at the ends of lines."""
    varies = re.compile(r"\d+\.\d+(?= s\b)|[\d,]+(?= words a second)")
    return [varies.sub("…", line.rstrip()) for line in text.strip("\n").splitlines()]


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.name, marks=[pytest.mark.slow] * (page.name in SLOW_PAGES)) for page in PAGES]
)
def test_the_examples_of_a_page_run_and_print_what_it_shows(page, tmp_path, monkeypatch):
    """From top to bottom, every block of a page works, and what is shown below it is what it prints."""
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "__main__"}

    for block in blocks_of(page.read_text(encoding="utf-8")):
        if not block.is_run:
            continue
        where = f"{page.name}, line {block.line}"
        if block.language == "python":
            printed = run_python(block, names, str(page))
            if block.output is not None and block.is_compared:
                assert comparable(printed) == comparable(block.output), where
        elif block.language in ("console", "sh"):
            for command, shown in commands_of(block):
                if not OURS.search(command):
                    continue
                exit_code, printed = run_command(command)
                assert exit_code == 0, f"{where}: {command}\n{printed}"
                if shown.strip() and block.is_compared:
                    assert comparable(printed) == comparable(shown), f"{where}: {command}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_of_ours_is_left_out_unseen(page):
    """A line of a `sh` block that begins with casebase would look tested, and is not run without its `$`."""
    shown = [block for block in blocks_of(page.read_text(encoding="utf-8")) if block.language in ("sh", "bash")]
    lines = [line for block in shown if block.is_run for line in block.text.splitlines()]

    assert [line for line in lines if OURS.match(line)] == []


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_the_first_pages_need_only_what_is_installed_with_casebase(page):
    """`make demo` and `pip install .` install no pandas."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = {re.split(r"\W", name)[0].replace("scikit", "sklearn") for name in project["dependencies"]}
    blocks = [
        block.text for block in blocks_of((ROOT / page).read_text(encoding="utf-8")) if block.language == "python"
    ]
    imported = set(re.findall(r"^(?:import|from) (\w+)", "\n".join(blocks), flags=re.MULTILINE))

    assert imported <= {"casebase", *installed, *sys.stdlib_module_names}


def prose(*pages: Path) -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages or PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_each_of_its_options_is_documented(command):
    """The page on the command line names every command, and every option by its longest name."""
    section = re.split(r"^## ", prose(ROOT / "docs" / "command-line.md"), flags=re.MULTILINE)
    described = [part for part in section if part.startswith(f"`casebase {command}")]

    assert len(described) == 1, command
    context = click.Context(cli)
    found = cli.get_command(context, command)
    inner = [found.get_command(context, name) for name in found.list_commands(context)] if _is_group(found) else []
    parameters = [parameter for each in (found, *inner) for parameter in each.params]
    assert all(f"`casebase {command} {each.name}" in described[0] for each in inner)
    options = {max(option.opts, key=len) for option in parameters if isinstance(option, click.Option)}
    shared = "\n".join(part for part in section if part.startswith("Options"))
    absent = [option for option in sorted(options) if f"`{option}" not in described[0] + shared]
    assert not absent, absent


def _is_group(command: click.Command) -> bool:
    return isinstance(command, click.Group)


@pytest.mark.parametrize("name", [name for name in casebase.__all__ if not name.startswith("__")])
def test_every_public_name_is_documented(name):
    """The page on Python names everything that `import casebase` offers."""
    assert re.search(rf"\b{name}\b", prose(ROOT / "docs" / "python.md")), name


LEARNERS = {
    "the autopilot": cb.AutoClassifier,
    "forest": cb.CaseForestClassifier,
    "kernel vote": cb.KernelVoteClassifier,
    "opinions": cb.OpinionPoolClassifier,
    "discriminant": cb.DiscriminantClassifier,
    "IB1": cb.IB1Classifier,
    "IB2": cb.IB2Classifier,
    "IGTree": cb.IGTreeClassifier,
    "TRIBL": cb.TRIBLClassifier,
    "TRIBL2": cb.TRIBL2Classifier,
    "OBLIVION": cb.OblivionClassifier,
    "SMILE": cb.SMILEClassifier,
    "ID3": cb.ID3Classifier,
    "C4.5": cb.C45Classifier,
    "C4.5's rules": cb.C45RulesClassifier,
    "perceptron trees": cb.PerceptronTreeClassifier,
    "oblivious graphs": cb.ObliviousGraphClassifier,
    "hierarchical rules": cb.HierarchicalRuleClassifier,
}
TRANSFORMERS = {
    each.__name__: each
    for each in (cb.OblivionSelector, cb.FocusSelector, cb.ReliefSelector, cb.C45Selector, cb.MDLPDiscretizer)
}


@pytest.mark.parametrize(
    ("heading", "estimators"),
    [("method or attribute", LEARNERS), ("attribute", TRANSFORMERS), ("parameters", LEARNERS)],
    ids=["attributes", "transformers", "parameters"],
)
def test_the_page_on_python_tells_which_estimator_has_what(heading, estimators):
    """Each name of the table is there in just the estimators beside it, and no estimator has more."""
    table = prose(ROOT / "docs" / "python.md").partition(f"\n| {heading} | of |")[2].partition("\n\n")[0]
    told = {name: set() for name in estimators}
    for row in table.splitlines()[2:]:
        names, of = row.split(" | ")[:2]
        told_of = list(estimators) if of.startswith("all") else of.removesuffix(" |").split(", ")
        for learner in told_of:
            told[learner] |= set(re.findall(r"`(\w+)", names))

    X, y = [[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [4.0, 6.0]], list("PPQQ")
    for name, estimator in estimators.items():
        made = estimator()
        has = set(made.get_params()) if heading == "parameters" else set(dir(made.fit(X, y))) - set(made.get_params())
        assert told[name] == {
            each for each in has if not each.startswith(("_", "set_")) and each not in dir(BaseEstimator)
        }, name


def test_every_page_is_listed():
    """The index has a link to every page beside it."""
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", prose(ROOT / "docs" / "index.md")))

    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}


def anchors_of(page: Path) -> set[str]:
    """Return the names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", prose(page)), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.name)
def test_links_inside_the_project_lead_somewhere(page):
    """A link to a file finds the file, and one to a heading finds the heading."""
    links = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", prose(page)))

    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in anchors_of(target), f"{page.name}: {link}"


def test_a_benchmark_that_misses_its_target_is_marked():
    """A row whose ratio is on the wrong side of its target says so, and no other does; the machine is named."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|") and ("≥" in line or "≤" in line)]
    compared = 0
    for row in rows:
        ratio, target = (cell.strip() for cell in row.split("|")[-3:-1])
        measured = re.match(r"\*\*([\d,.]+)\*\*", ratio)
        bound = re.fullmatch(r"([≥≤]) ([\d,.]+)(, \*\*(?:below|above)\*\*)?", target)
        if measured and bound:
            number, limit = (float(text.replace(",", "")) for text in (measured[1], bound[2]))
            missed = number < limit if bound[1] == "≥" else number > limit
            assert bool(bound[3]) == missed, row
            compared += 1
    assert compared >= 40
    assert "Intel Xeon" in text


def test_the_ratios_of_the_readme_are_those_of_the_page_of_benchmarks():
    """The README quotes five of them."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    part = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Fast")[2].partition("\n## ")[0]
    quoted = [line.split("|")[-2].strip() for line in part.splitlines() if line.count("**") == 2]

    assert len(quoted) == 5
    assert all(re.search(rf"\| {re.escape(ratio)}[ |]", page) for ratio in quoted)
