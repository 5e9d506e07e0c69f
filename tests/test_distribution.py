"""What is installed with casebase: the package, and nothing of what stands beside it."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import casebase
from lab.peers.programs import run
from tests.paths import ROOT


def test_only_the_package_is_installed():
    """Neither lab nor tests nor tools; an editable install has no folder of modules at all."""
    files = metadata.distribution("casebase").files

    assert files
    assert {path.parts[0] for path in files if len(path.parts) > 1 and path.suffix == ".py"} <= {"casebase"}


def test_the_wheel_is_made_of_the_package_alone():
    """An sdist has what the wheel is built from, and no more of the checkout than its tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]

    assert project["wheel"]["packages"] == ["src/casebase"]
    assert {"lab", "tools", "docs"} <= set(project["sdist"]["exclude"])


def test_the_package_names_no_place_of_the_checkout():
    """Files are found by the arguments and variables that a user gives: no module climbs out of its own folder."""
    package = Path(casebase.__file__).parent
    climbing = re.compile(r"__file__\)?[^\n]*parents?\b|\.\./shared|\"shared\"")
    found = {path.name: climbing.findall(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")}

    assert {name: places for name, places in found.items() if places} == {}


def test_the_demonstration_needs_no_checkout(tmp_path):
    """It runs in an empty folder, without lab, where all data sets beside the package are unknown."""
    ran = run([sys.executable, "-P", "-m", "casebase", "demo"], tmp_path)

    assert ran.status == 0, ran.complaint
    assert (
        "lab"
        not in subprocess.check_output(
            [sys.executable, "-P", "-c", "import casebase.cli.demo, sys; print(*sys.modules)"], cwd=tmp_path, text=True
        ).split()
    )
