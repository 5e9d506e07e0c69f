"""What the page on adding to casebase says works: its changes are applied to a copy, and its examples run there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import casebase
from casebase import _native
from tests.paths import ROOT
from tests.test_docs import comparable

PAGE = (ROOT / "docs" / "how-to-add.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (file|change|program|not run): ([^\n]*?) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"\A\s*```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A package that is installed in editable mode is found by a hook of its own, before any folder.
FIRST = (
    "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in type(f).__module__]; "
    "sys.path.insert(0, {folder!r}); import casebase; assert casebase.__file__.startswith({folder!r})\n"
)


def blocks(kind: str) -> list[tuple[str, str, str]]:
    """Return what each block of a kind is about, its text, and the output shown right behind it."""
    found = []
    for match in BLOCK.finditer(PAGE):
        if match[1] == kind:
            output = OUTPUT.match(PAGE[match.end() :])
            found.append((match[2], match[4], output[1] if output else ""))
    return found


def changed(text: str, diff: str) -> str:
    """Return a text with the changes of a block, each of which has just one place in it."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines()
        old = "".join(line[1:] + "\n" for line in lines if line[:1] in " -")
        new = "".join(line[1:] + "\n" for line in lines if line[:1] in " +")
        assert text.count(old) == 1, f"{text.count(old)} places for\n{old}"
        text = text.replace(old, new)
    return text


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of casebase with all that the page adds."""
    folder = tmp_path_factory.mktemp("copy")
    package = folder / "casebase"
    shutil.copytree(Path(casebase.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(_native.__file__, package)
    shutil.copytree(ROOT / "src" / "core", folder / "core")
    for path, text, _ in blocks("file"):
        (package / path).write_text(text, encoding="utf-8")
    for path, diff, _ in blocks("change"):
        target = package / path
        target.write_text(changed(target.read_text(encoding="utf-8"), diff), encoding="utf-8")
    return folder


def test_the_page_has_a_format_a_learner_and_a_metric():
    """Three files, four changes, one program and two examples are found on the page."""
    assert [len(blocks(kind)) for kind in ("file", "change", "program", "not run")] == [3, 4, 1, 2]


def test_what_is_shown_with_the_changes_is_what_happens_with_them(copy, tmp_path):
    """The examples run in the copy, one after the other, and print what the page shows."""
    (examples, shown) = zip(*[(text, output) for _, text, output in blocks("not run")])
    script = FIRST.format(folder=str(copy)) + "\n".join(examples)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )

    assert done.returncode == 0, done.stderr
    assert comparable(done.stdout) == [line for output in shown for line in comparable(output)]


def test_a_learner_that_is_registered_is_known_to_the_command_line(copy, tmp_path):
    """`casebase train`, `predict` and `evaluate` with the learner need nothing more than what the page changes."""
    (tmp_path / "toys.csv").write_text("colour,shape,kind\nred,ball,a\nred,cube,a\nblue,ball,b\nblue,cube,b\n")

    def casebase_command(*words: str) -> str:
        script = FIRST.format(folder=str(copy)) + (
            f"import sys; from casebase.cli import main; sys.argv = ['casebase', *{words!r}]; main()"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "(4 of 4;" in casebase_command("evaluate", "--learner", "one_rule", "toys.csv", "--cv", "2")
    casebase_command("train", "toys.csv", "-o", "toys.cb", "--learner", "one_rule", "--normalisation", "1")
    assert casebase_command("predict", "toys.cb", "toys.csv").split() == ["a", "a", "b", "b"]
    assert "one rule about colour" in casebase_command("inspect", "toys.cb")
    assert "--normalisation" in casebase_command("train", "--learner", "one_rule", "--help")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_the_metric_of_the_page_is_its_formula(copy):
    """The program in C++ prints what the formula in Python does, as the page shows it."""
    (_, program, _) = blocks("program")[0]
    (copy / "trying.cpp").write_text(program, encoding="utf-8")
    built = subprocess.run(
        ["g++", "-std=c++20", "-I", ".", "trying.cpp", "-o", "trying"],
        cwd=copy,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    done = subprocess.run(["./trying"], cwd=copy, capture_output=True, encoding="utf-8", check=True)

    assert done.stdout == PAGE.rpartition("```text\n")[2].partition("```")[0]
