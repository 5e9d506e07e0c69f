"""The autopilot in parts: chosen on a sample, learned from everything, the same file as in memory."""

import numpy as np
import pytest

from casebase import methods
from casebase.autopilot import committee, inputs
from casebase.data.roles import Roles
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.scale import drawing
from casebase.scale.committees import check_memory
from tests.scale.tables import in_memory, in_parts, pieces

FOUND = Roles(finds_kinds=True)
FEW_TREES = {"n_trees": 4}


@pytest.fixture
def few(monkeypatch):
    """Make a small table a large one: it is sampled, learned from in blocks, and has too many values for codes."""
    monkeypatch.setattr(committee, "CHOSEN_FROM", 130)
    monkeypatch.setattr(committee, "FEWEST", 40)
    monkeypatch.setattr(committee, "MOST", 60)
    monkeypatch.setattr(inputs, "BLOCK", 90)
    monkeypatch.setattr(inputs, "MANY", 200)
    monkeypatch.setattr(inputs, "MOST_CODES", 9)
    monkeypatch.setattr(drawing, "N_DRAWN", 140)


def write_measured(path, n=420, *, seed=0, symbols=True, numbers=True):
    """Write a table with numbers that some rows lack, symbols of which one has many values, and a rare class."""
    rng = np.random.default_rng(seed)
    colour, shape = rng.integers(4, size=n), np.minimum(rng.zipf(1.5, n), 30)
    weight, height = rng.normal(colour, 1.0), np.round(rng.normal(0, 2, n), 1)
    label = np.where(weight + (shape % 3) + rng.normal(0, 0.5, n) > 2.5, "yes", "no")
    label[[7, n - 3]] = "maybe"
    lines = [",".join([*(["colour", "shape"] if symbols else []), *(["w", "h"] if numbers else []), "class"])]
    for i in range(n):
        fields = [f"c{colour[i]}", f"s{shape[i]}"] if symbols else []
        if numbers:
            fields += ["" if rng.random() < 0.05 else f"{weight[i]:.2f}", f"{height[i] + 0.0:.1f}"]
        lines.append(",".join([*fields, label[i]]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("opinions", {}),
        ("discriminant", {}),
        ("forest", FEW_TREES),
        ("kernel", {}),
        ("auto", {"readings": ["discriminant", "opinions", "kernel"]}),
    ],
)
def test_a_choice_on_a_sample_learns_from_everything(tmp_path, few, learner, options):
    _compare(tmp_path, learner, options, "both")


@pytest.mark.parametrize("columns", ["symbols", "numbers"])
def test_one_kind_of_columns(tmp_path, few, columns):
    _compare(tmp_path, "auto", {"readings": ["discriminant", "opinions", "forest"]}, columns)


def _compare(tmp_path, learner, options, columns):
    table = write_measured(tmp_path / "t.csv", symbols=columns != "numbers", numbers=columns != "symbols")
    expected = in_memory(table, tmp_path / "memory.cb", learner, roles=FOUND, **options)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(70), roles=FOUND, **options) == expected
    model = methods.load(tmp_path / "parts.cb").model
    assert model.memory.n_cases == 420
    for reading in model.readings.values():
        if learner in ("opinions", "discriminant"):
            weights = getattr(reading, "class_weights" if learner == "opinions" else "totals")
            assert weights.tolist() == [2.0, *np.bincount(model.memory.segments[0].labels)[1:].tolist()]


def test_the_sample_depends_on_the_content_of_the_cases_alone(tmp_path, few):
    table = write_measured(tmp_path / "t.csv")
    header, *lines = table.read_text().splitlines()
    in_memory(table, tmp_path / "a.cb", "opinions", roles=FOUND)
    table.write_text("\n".join([header, *reversed(lines)]) + "\n")
    in_memory(table, tmp_path / "b.cb", "opinions", roles=FOUND)
    first, second = (methods.load(tmp_path / name).model for name in ("a.cb", "b.cb"))
    assert first.readings["opinions"].plan == second.readings["opinions"].plan
    assert first.losses == second.losses


def test_few_cases_are_learned_in_memory(tmp_path):
    table = write_measured(tmp_path / "t.csv", 200)
    options = {"readings": ["discriminant", "opinions", "forest"]}
    expected = in_memory(table, tmp_path / "memory.cb", "auto", roles=FOUND, **options)
    assert in_parts(table, tmp_path / "parts.cb", "auto", resources=pieces(40), roles=FOUND, **options) == expected


def test_ids_and_provenance_of_a_committee(tmp_path, few):
    table = write_measured(tmp_path / "t.csv")
    header, *lines = table.read_text().splitlines()
    rows = [f"{900 - i},note {i % 7},{line}" for i, line in enumerate(lines)]
    table.write_text("\n".join([f"id,note,{header}", *rows]) + "\n")
    roles = Roles(finds_kinds=True, id_column="id", keep=["note"])
    expected = in_memory(table, tmp_path / "memory.cb", "discriminant", roles=roles)
    assert in_parts(table, tmp_path / "parts.cb", "discriminant", resources=pieces(70), roles=roles) == expected


def test_cases_that_are_kept_apart(tmp_path, few):
    table = write_measured(tmp_path / "table.csv")
    options = {"roles": FOUND, "held_out": 0.25, "readings": ["discriminant", "opinions"]}
    expected = in_memory(table, tmp_path / "memory.cb", "auto", **options)
    assert in_parts(table, tmp_path / "parts.cb", "auto", resources=pieces(80), **options) == expected


def test_a_choice_that_does_not_fit_into_the_memory():
    """It is refused before the choice begins; a forest takes less than the autopilot."""
    with pytest.raises(CasebaseError, match="auto chooses its readings on a sample of 100,000 cases"):
        check_memory(method_named("auto"), 10**7, 10**9)
    check_memory(method_named("forest"), 10**7, 10**9)
    check_memory(method_named("auto"), 10_000, 10**9)
