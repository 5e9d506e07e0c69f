"""What people see who install casebase: one version, links that work, files that other programs read."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest
import yaml

import casebase
from tests.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def pypi_readme():
    """Return the module that makes the readme of a distribution."""
    spec = importlib.util.spec_from_file_location("pypi_readme", ROOT / "packaging" / "pypi_readme.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_written_in_one_place():
    """The metadata and the command line take it from the package; the citation and the recipe must not lag behind."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))

    assert "version" in PROJECT["project"]["dynamic"]
    assert metadata.version("casebase") == casebase.__version__
    assert {citation["version"], recipe["context"]["version"]} == {casebase.__version__}


def test_links_of_the_readme_work_on_pypi():
    """Every target is an address of this version, and the file behind each is in the repository."""
    text = pypi_readme().dynamic_metadata("readme")["text"]
    targets = re.findall(r"\]\(([^)]+)\)", text)
    home = rf"{PROJECT['project']['urls']['Source']}/(?:blob|raw)/v{casebase.__version__}/([^#]+)"
    files = [found[1] for target in targets if (found := re.match(home, target))]

    assert len(files) > 30
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](docs/b.md#c)", "[a](HOME/blob/docs/b.md#c)"),
        ("![a](b.png)", "![a](HOME/raw/b.png)"),
        ("[a](https://b.c)", "[a](https://b.c)"),
        ("[a](#b)", "[a](#b)"),
    ],
)
def test_only_links_to_files_are_rewritten(before, after):
    """Pages are shown by GitHub, images are taken as they are; addresses and headings stay."""
    home, tag = PROJECT["project"]["urls"]["Source"], f"/v{casebase.__version__}/"

    assert pypi_readme().absolute(before).replace(home, "HOME").replace(tag, "/") == after


def test_the_recipe_needs_what_the_package_needs():
    """A bound that changes in pyproject.toml changes in the recipe, too."""
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    needed = {each.replace(" ", "") for each in recipe["requirements"]["run"]} - {"python"}
    host = {each.replace(" ", "") for each in recipe["requirements"]["host"]}

    assert needed == set(PROJECT["project"]["dependencies"])
    assert set(PROJECT["build-system"]["requires"]) <= host


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_what_there_is(path):
    """Every `make` target and file that a step runs exists, except those of other pages."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    runs = [step.get("run", "") for job in jobs.values() for step in job.get("steps", [])]
    targets = {target for run in runs for target in re.findall(r"\bmake (\w+)", run)} - {"fuzz"}
    files = {file for run in runs for file in re.findall(r"(?:packaging|\.ci)/[\w./]+", run)}

    assert [target for target in targets if not re.search(rf"^{target}:", makefile, flags=re.MULTILINE)] == []
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_every_supported_python_is_tested():
    """The classifiers and the matrix of the tests name the same versions."""
    listed = {each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", each)}
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))["jobs"]

    assert listed == set(jobs["versions"]["strategy"]["matrix"]["python"])


@pytest.mark.parametrize(
    ("platform", "wheels"),
    [
        ("linux", {"cp311-manylinux_x86_64", "cp312-manylinux_aarch64", "cp312-musllinux_x86_64"}),
        ("macos", {"cp311-macosx_arm64", "cp312-macosx_x86_64"}),
        ("windows", {"cp311-win_amd64", "cp312-win_amd64"}),
        ("pyodide", {"cp314-pyodide_wasm32"}),
    ],
)
def test_every_platform_has_wheels(platform, wheels):
    """Regression: for Pyodide nothing was chosen, since newer versions of cibuildwheel leave out its Python 3.12."""
    pytest.importorskip("cibuildwheel")
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", platform, str(ROOT)]

    assert wheels <= set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
