"""Frequent combinations of values make ranges larger than others: they are divided again, or copied in pieces."""

import numpy as np
import pytest

from casebase.scale import drawing, fitting, sorting
from casebase.scale.fitting import Work
from casebase.scale.stored import Run, StoredBlock
from tests.scale.tables import in_memory, in_parts, pieces


def write_rows(path, rows):
    lines = [",".join([*(f"f{i}" for i in range(len(rows[0]) - 1)), "class"]), *(",".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def frequent_combination(path):
    """Write a table in which one combination of three features has most of the rows."""
    rng = np.random.default_rng(5)
    rows = [
        ["a", "b", "c", f"y{rng.integers(2)}"]
        if rng.random() < 0.9
        else [*(f"v{rng.integers(4)}" for _ in range(3)), f"y{rng.integers(3)}"]
        for _ in range(600)
    ]
    return write_rows(path, rows)


def constant_key(path):
    """Write a table whose first features, in order of relevance, fill the key and are nearly constant."""
    rng = np.random.default_rng(6)
    rows = []
    for _ in range(500):
        rare = rng.random() < 0.03
        first = [f"v{rng.integers(200)}" if rare else "same" for _ in range(18)]  # of 4 bits: more than a key has
        rows.append([*first, f"w{rng.integers(6)}", f"w{rng.integers(6)}", "rare" if rare else "usual"])
    return write_rows(path, rows)


@pytest.fixture
def largest(monkeypatch):
    """The stages that ran, and the cases that were held at a time by those that sort, by stage."""
    seen = {}
    run = Work.run

    def watched(self, name, task, common, each):
        seen.setdefault(name.split()[0], []).append(len(each))
        return run(self, name, task, common, each)

    sort, copy = sorting.sort_range, sorting.copy_equal
    sizes = {"sorting": [0], "copying": [0]}

    def sort_range(divisions, order, out, which, start):
        sizes["sorting"].append(sum(run.n(which[1]) for run in divisions[which[0]]))
        sort(divisions, order, out, which, start)

    def copy_equal(order, out, run, which, start):
        sizes["copying"].append(run.n(which))
        copy(order, out, run, which, start)

    monkeypatch.setattr(Work, "run", watched)
    monkeypatch.setattr(sorting, "sort_range", sort_range)
    monkeypatch.setattr(sorting, "copy_equal", copy_equal)
    return seen, sizes


@pytest.mark.parametrize("learner", ["ib1", "igtree"])
def test_a_frequent_combination_is_copied_in_pieces(tmp_path, largest, learner):
    table = frequent_combination(tmp_path / "table.csv")
    expected = in_memory(table, tmp_path / "memory.cb", learner)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(50)) == expected
    _, sizes = largest
    assert max(sizes["sorting"]) <= fitting.LARGE * 50
    assert sum(sizes["copying"]) >= 500
    assert max(sizes["copying"]) <= 200  # a part


@pytest.mark.parametrize("learner", ["ib1", "igtree"])
def test_a_key_that_is_constant_is_followed_by_the_next_features(tmp_path, largest, learner):
    table = constant_key(tmp_path / "table.csv")
    expected = in_memory(table, tmp_path / "memory.cb", learner, weighting="gain_ratio")
    given = in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(40), weighting="gain_ratio")
    assert given == expected
    stages, sizes = largest
    assert len(stages["dividing"]) > 1
    assert max(sizes["sorting"]) <= fitting.LARGE * 40


def test_equal_cases_are_drawn_in_pieces(tmp_path):
    """A group of equal cases is larger than others; those of an earlier piece count when they are told apart."""
    rng = np.random.default_rng(7)
    runs = []
    for i in range(6):
        keys = rng.choice(np.array([5, 2**63, 77], dtype=np.uint64), 40)
        block = StoredBlock(tmp_path / str(i), ("uint64", "uint32"), 40)
        block.write([keys, np.arange(40 * i, 40 * i + 40)])
        runs.append(Run(block, np.array([0, 40])))
    whole = drawing.draw_group(runs, drawing.LARGEST, 10_000, 0)
    assert len(np.unique(whole.keys)) == 240
    for n_at_once in (1, 90):
        drawn = drawing.draw_group(runs, drawing.LARGEST, n_at_once, 0)
        assert drawn.keys.tolist() == whole.keys.tolist()
        assert drawn.rows.tolist() == whole.rows.tolist()
