"""The manual as a site: every page has its place, what is made of the code is up to date, and nothing warns."""

import importlib.util
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from dataclasses import is_dataclass
from types import SimpleNamespace

import pytest

import casebase
from casebase import datasets, errors, evaluate, representations, scale
from casebase.autopilot import evidence as committee_evidence
from casebase.base.evidence import records, rules, walks
from casebase.hyphenation import evidence as hyphen_evidence
from casebase.hyphenation import scores as hyphenation
from casebase.neighbours import evidence as neighbour_evidence
from casebase.oblivious import evidence as abstract_evidence
from casebase.representations import record
from casebase.smile import evidence as smile_evidence
from casebase.strings import evidence as string_evidence
from casebase.tagging import chunks, opinions
from casebase.tagging import evidence as tagging_evidence
from casebase.tagging import scores as tagging
from casebase.trees import evidence as tree_evidence
from lab.bench import which_method
from tests.paths import ROOT
from tools import command_reference
from tools.pages import on_page_markdown

SITE_TOOLS = ("mkdocs", "material", "mkdocstrings")
has_site_tools = all(importlib.util.find_spec(name) for name in SITE_TOOLS)


def documented() -> set[str]:
    """Return the names that the page of the API shows, as they are in Python."""
    return set(re.findall(r"^::: casebase\.([\w.]+)$", (ROOT / "docs" / "api.md").read_text(), flags=re.MULTILINE))


def test_every_page_has_one_place_in_the_contents_of_the_site():
    """The site lists each page of docs/ once, and no page that is not there."""
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = re.findall(r": ([\w-]+\.md)$", nav, flags=re.MULTILINE)

    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


def test_the_page_of_commands_is_that_of_the_commands():
    """`python -m tools.command_reference` would change nothing."""
    is_current = command_reference.PAGE.read_text(encoding="utf-8") == command_reference.reference()

    assert is_current, "docs/commands.md is out of date: run python -m tools.command_reference"


def test_every_public_name_has_its_docstring_on_the_page_of_the_api():
    """The page has a line for everything that `import casebase` offers, modules aside."""
    public = {name for name in casebase.__all__ if not name.startswith("__")} - {
        "datasets",
        "evaluate",
        "representations",
        "scale",
    }

    assert public <= documented()


@pytest.mark.parametrize(
    ("module", "path"),
    [(datasets, "datasets"), (representations, "representations"), (evaluate, "evaluate"), (scale, "scale")],
    ids=["datasets", "representations", "evaluate", "scale"],
)
def test_functions_for_users_have_their_docstrings_on_the_page_of_the_api(module, path):
    """What these modules offer is on the page, each by its full name."""
    functions = {name for name, each in inspect.getmembers(module, inspect.isfunction) if each.__doc__}
    public = {name for name in functions if name in getattr(module, "__all__", functions) and not name.startswith("_")}

    shown = documented()
    assert all(name in shown or f"{path}.{name}" in shown for name in public if _is_of(module, name))


def _is_of(module, name: str) -> bool:
    return hasattr(module, "__all__") or getattr(module, name).__module__ == module.__name__


@pytest.mark.parametrize("name", sorted(documented()))
def test_names_on_the_page_of_the_api_exist(name):
    """Each can be reached, and has a docstring to be shown."""
    found: object = casebase
    for part in name.split("."):
        found = getattr(found, part, None) or importlib.import_module(f"{found.__name__}.{part}")  # type: ignore[attr-defined]

    assert inspect.getdoc(found), name


def test_links_out_of_the_manual_are_names_on_the_site():
    """A file that the site does not have is named; other links stay."""
    assert on_page_markdown("[a](../b.md) [c](d.md)") == "a (`b.md`) [c](d.md)"


def test_bars_in_the_code_of_a_table_are_shown_without_what_escapes_them():
    """GitHub wants the backslash, mkdocs shows it; outside of tables and of code nothing changes."""
    assert on_page_markdown("| `a\\|b` | c \\| d |\n`e\\|f`\n") == "| `a|b` | c \\| d |\n`e\\|f`\n"


def test_a_long_list_of_choices_may_be_broken_behind_its_bars():
    """Cells do not break words; what is too long for a cell has places at which it may be broken."""
    assert on_page_markdown("| `backward\\|forward\\|both_of_them` | x |") == (
        "| `backward|\u200bforward|\u200bboth_of_them` | x |"
    )


def test_a_page_with_a_wide_table_has_the_whole_width():
    """Its contents on the right make room for the columns."""
    page = SimpleNamespace(meta={})
    on_page_markdown("|---|---|\n", page)
    assert page.meta == {}

    on_page_markdown("|" + "---|" * 13 + "\n", page)
    assert page.meta == {"hide": ["toc"]}


def test_lines_of_a_help_text_stay_lines_on_the_page_of_commands():
    """The options of `casebase timbl` are a table, and defaults of on/off options are told."""
    page = command_reference.reference()

    assert "\n-a NAME           IB1 (default), IGTree" in page
    assert re.search(r"`--pruned`, `--unpruned` \| .* Default: `--pruned`\. \|", page)


@pytest.mark.skipif(not has_site_tools, reason="mkdocs-material and mkdocstrings are not installed")
def test_the_site_is_built_without_a_warning(tmp_path):
    """Every link, heading and docstring is found; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert "kneighbors" in (tmp_path / "site" / "api.html").read_text(encoding="utf-8")


def test_the_glossary_names_what_there_is():
    """Options and classes of its last column are those of the other pages."""
    rows = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()[6:]
    named = set(re.findall(r"`(--[\w-]+|[A-Z]\w+)", " ".join(row.split(" | ")[-1] for row in rows)))
    commands = set(re.findall(r"`(--[\w-]+)`", command_reference.PAGE.read_text(encoding="utf-8")))

    assert named <= commands | {name.rpartition(".")[2] for name in documented()} | {"Feature"}


def test_errors_for_users_are_on_the_page_of_the_api():
    """Every kind of error that users may catch by name is described."""
    kinds = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}

    assert {f"errors.{name}" for name in kinds} <= documented()


def test_all_errors_are_where_users_look_for_them():
    """An error that is defined elsewhere would be on no page."""
    for module in pkgutil.walk_packages(casebase.__path__, "casebase."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    defined_in = {each.__module__ for each in errors.CasebaseError.__subclasses__()}
    assert {module for module in defined_in if module.startswith("casebase.")} == {"casebase.errors"}


@pytest.mark.parametrize(
    "module",
    [
        records,
        rules,
        walks,
        neighbour_evidence,
        tree_evidence,
        abstract_evidence,
        smile_evidence,
        committee_evidence,
        opinions,
        tagging_evidence,
        hyphen_evidence,
        string_evidence,
        tagging,
        chunks,
        hyphenation,
        record,
        evaluate,
    ],
    ids=lambda module: module.__name__,
)
def test_records_for_users_are_on_the_page_of_the_api(module):
    """What public functions return is described, also where its class is not imported by name."""
    # What is compared by its fields is a record; what fills records, such as a memory that explains, is not.
    own = {
        name
        for name, each in vars(module).items()
        if is_dataclass(each) and each.__module__ == module.__name__ and each.__dataclass_params__.eq
    }

    assert own <= {name.rpartition(".")[2] for name in documented()}


def test_the_tables_of_which_method_are_made_of_the_stored_figures():
    """`python -m lab.bench.which_method --write` would change nothing."""
    page = which_method.PAGE.read_text(encoding="utf-8")
    record = json.loads(which_method.RESULTS.read_text(encoding="utf-8"))

    assert which_method.with_tables(page, record) == page


def test_every_learner_is_measured_in_which_method():
    """A learner that is added is missing in the table until it is measured."""
    made = {type(make()).__name__ for make in which_method.OURS.values()}

    of_tables = {name for name in casebase.__all__ if name.endswith("Classifier")} - {"StringRuleClassifier"}
    assert made == of_tables


@pytest.mark.parametrize("learner", ["IGTree", "5-NN, one-hot"])
def test_a_learner_is_measured_by_accuracy_size_and_times(learner):
    """On a table without noise both sides are right, and everything has been measured."""
    data = casebase.datasets.make_conjunction(200, 1, 1, seed=0)
    found = which_method.measured(data, which_method.LEARNERS[learner], n_folds=2)

    assert found["accuracy"] == 100.0
    assert all(found[name] > 0 for name in ("bytes", "learning", "answering"))


def test_equal_accuracies_share_their_ranks():
    """Of three learners two are equally good on the first data set, and the third is the best on the second."""
    record = {
        "data": {name: {"kind": "symbols", "cases": 10, "features": 2, "classes": 2} for name in ("chess", "splice")},
        "results": {
            name: {
                learner: {"accuracy": a, "deviation": 0.0, "bytes": 2000.0, "learning": 0.5, "answering": 1e-5}
                for learner, a in zip(("IB1", "IGTree", "naive Bayes"), accuracies)
            }
            for name, accuracies in (("chess", (90.0, 90.0, 80.0)), ("splice", (70.0, 60.0, 75.0)))
        },
    }
    rows = which_method.tables(record).splitlines()

    assert rows[3] == "| IB1 | 80.0 | 1.8 | **90.0** | 70.0 |"
    assert rows[5] == "| *naive Bayes* | 77.5 | 2.0 | 80.0 | **75.0** |"


def test_costs_are_told_for_every_data_set():
    """Time to learn, answers and size have a table each, with a column per data set."""
    costs = {"accuracy": 90.0, "deviation": 0.0, "bytes": 1_234_567.0, "learning": 0.0042, "answering": 2e-5}
    record = {
        "data": {name: {"kind": "symbols", "cases": 10, "features": 2, "classes": 2} for name in ("chess", "splice")},
        "results": {name: {"IB1": costs} for name in ("chess", "splice")},
    }
    text = which_method.tables(record)

    assert [part.splitlines()[-1] for part in text.split("\n### ")[1:]] == [
        "| IB1 | 4.2 | 4.2 |",
        "| IB1 | 50 | 50 |",
        "| IB1 | 1,235 | 1,235 |",
    ]


def test_the_layers_of_the_architecture_are_those_that_are_checked():
    """The page lists the layers of the import contract, line by line."""
    shown = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## Layers")[2].split("```")[1]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]

    assert [re.split(r" {2,}", line)[0] for line in shown.strip().splitlines()] == contract["layers"]


def test_the_architecture_names_every_header_and_binding():
    """A kernel that is added is missing on the page until it has its row."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    sources = [*(ROOT / "src" / "core").rglob("*.hpp"), *(ROOT / "src" / "bindings").iterdir()]

    assert [path.name for path in sources if f"`{path.name}`" not in page] == []


def test_the_architecture_names_every_family_and_only_modules_that_exist():
    """A folder of the package is on the page, and a path on the page is a file."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "casebase"
    folders = [path.name for path in package.iterdir() if (path / "__init__.py").exists()]
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|hpp))`", page)

    assert [name for name in folders if not re.search(rf"\b{name}\b", page)] == []
    homes = (package, package.parent, ROOT)
    assert [path for path in named if "NAME" not in path and not any((home / path).exists() for home in homes)] == []
