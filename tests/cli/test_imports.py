"""A command imports what it needs: the family of its method, and no other."""

import json
import subprocess
import sys

import pytest

from casebase.methods import METHODS
from tests.cli.conftest import WEATHER

FAMILIES = {
    "neighbours",
    "trees",
    "oblivious",
    "rules",
    "smile",
    "selection",
    "tagging",
    "hyphenation",
    "strings",
    "alignment",
}
WORLDS = {"timbl", "estimators", "evaluate", "representations", "method_comparison", "peers", "datasets"}
HEAVY = {"sklearn", "scipy", "pandas", "pyarrow.parquet", "pyarrow.feather"}
SCRIPT = """
import sys
from casebase.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
import json
print("\\n" + json.dumps(list(sys.modules)))
"""


def imported(*arguments: str) -> set[str]:
    """Return the parts of casebase, and the heavy packages, that a command has imported."""
    ran = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    modules = json.loads(ran.stdout.splitlines()[-1])
    parts = {name.split(".")[1] for name in modules if name.startswith("casebase.")}
    return parts & (FAMILIES | WORLDS) | HEAVY & set(modules)


@pytest.fixture
def weather(tmp_path):
    path = tmp_path / "weather.csv"
    path.write_text(WEATHER)
    return str(path)


@pytest.mark.parametrize("learner", ["ib1", "igtree", "c45", "c45rules", "oblivion", "rules", "smile"])
def test_training_and_predicting_import_one_family(weather, tmp_path, learner):
    """Neither another method, nor the tagger, nor TiMBL, nor scikit-learn; and pandas only for its frames."""
    model, family = str(tmp_path / "model.cb"), METHODS[learner].family

    assert imported("train", weather, "-o", model, "--learner", learner) == {family}
    assert imported("predict", model, weather) == {family}
    assert imported("inspect", model) == {family}


def test_help_imports_no_family():
    """The overview is a list of names."""
    assert imported("--help") == set()


@pytest.mark.parametrize("command", ["predict", "explain", "inspect"])
def test_help_of_a_command_that_takes_a_model_imports_no_family(command):
    """What a command does with a model is known without any model."""
    assert imported(command, "--help") == set()


def test_the_package_itself_is_light():
    """Names of the package are imported when they are first used."""
    script = "import casebase, sys; print([name for name in sys.modules if name.startswith(('casebase.', 'numpy'))])"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert ran.stdout == "[]\n"


def test_loading_a_classifier_imports_neither_tagger_nor_hyphenator(weather, tmp_path):
    """`casebase.load` takes all three, and imports what the file holds."""
    model = str(tmp_path / "model.cb")
    imported("train", weather, "-o", model)
    script = f"import casebase, sys; casebase.load({model!r}); print(*(m for m in sys.modules if 'casebase' in m))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    loaded = ran.stdout.split()
    assert "casebase.neighbours" in loaded
    assert not {"casebase.tagging", "casebase.hyphenation"} & set(loaded)
