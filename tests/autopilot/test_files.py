"""A committee is saved and loaded as one file, and a forged one is refused."""

import json

import numpy as np
import pytest

from casebase import methods
from casebase.base import files
from casebase.errors import ModelFileError
from casebase.methods import method_named
from tests.autopilot.tables import METHODS, TABLES

every_method = pytest.mark.parametrize("name", METHODS)


def saved(name, table, path):
    model = method_named(name).fit(TABLES[table].cases(), **({"n_trees": 5} if name == "forest" else {}))
    methods.save(path, model)
    return model


def refused(path):
    with pytest.raises(ModelFileError):
        methods.load(path)


@every_method
@pytest.mark.parametrize("table", TABLES)
def test_a_loaded_model_answers_and_explains_as_before(name, table, tmp_path):
    """Shares to the last bit, held-out answers, evidence and summary; and the file is written again as it was."""
    model = saved(name, table, tmp_path / "m.cb")
    loaded = methods.load(tmp_path / "m.cb").model
    asked = TABLES[table].asked
    one, other = (m.answer(m.schema.encode(asked)) for m in (model, loaded))
    assert np.array_equal(one.label, other.label)
    assert np.array_equal(one.votes, other.votes)
    said = [[e.to_dict() for e in m.explain(m.schema.encode(asked[4:9]))] for m in (model, loaded)]
    assert said[0] == said[1]
    for mine, theirs in zip(model.held_out(), loaded.held_out()):
        assert np.array_equal(mine, theirs)
    assert model.summary() == loaded.summary()
    methods.save(tmp_path / "again.cb", loaded)
    assert (tmp_path / "again.cb").read_bytes() == (tmp_path / "m.cb").read_bytes()


def forged_arrays(name, array):
    """Return what a reading's array must not be, with the reason."""
    yield "missing", None
    yield "longer", np.concatenate([array, array[:1]]) if array.size else np.zeros(1, array.dtype)
    if array.size:
        yield "shorter", array[:-1]
    if array.dtype.kind == "f":
        for number in (np.nan, np.inf, -np.inf):
            for at in {0, len(array) - 1} if array.size else ():
                forged = array.copy()
                forged[at] = number
                yield f"{number} at {at}", forged
    elif not name.endswith(".groups"):
        for at in range(0, len(array), max(1, len(array) // 40)):
            forged = array.copy()
            forged[at] = np.iinfo(array.dtype).max
            yield f"out of range at {at}", forged


@every_method
@pytest.mark.parametrize("table", ["mixed", "symbolic", "numeric"])
def test_every_array_of_a_reading_is_checked(name, table, tmp_path):
    """Numbers that are none, indices out of range, and arrays that are absent or of another length."""
    path = tmp_path / "m.cb"
    saved(name, table, path)
    header, arrays = files.read(path)
    arrays = {n: a.copy() for n, a in arrays._arrays.items()}
    loaded, n_tried = [], 0
    for n, array in arrays.items():
        if not n.startswith(("reading.", "exponents")):
            continue
        for how, forged in forged_arrays(n, array):
            others = {k: v for k, v in arrays.items() if k != n} | ({} if forged is None else {n: forged})
            files.write(path, header, others)
            n_tried += 1
            try:
                methods.load(path)
                loaded.append((n, how))
            except ModelFileError:
                pass
    assert loaded == []
    assert n_tried >= 6


def test_votes_cuts_and_counts_that_cannot_be(tmp_path):
    """Votes of a leaf sum to 1, cuts ascend, an opinion counts the stored cases, a scatter is symmetric."""
    changes = {
        "forest": {"vote": lambda a: a / 2, "edges": lambda a: a[::-1].copy(), "left": lambda a: np.zeros_like(a)},
        "opinions": {"counts": lambda a: a + 1, "edges": lambda a: a[::-1].copy(), "codes": lambda a: a[::-1].copy()},
        "discriminant": {"totals": lambda a: a + 1, "scatters": lambda a: a + np.arange(len(a)) * 1.0},
        "kernel": {"weights": lambda a: -a},
    }
    for name, of_array in changes.items():
        for array, change in of_array.items():
            path = tmp_path / "m.cb"
            saved(name, "mixed", path)
            header, arrays = files.read(path)
            key = f"reading.0.{array}"
            files.write(path, header, arrays._arrays | {key: change(arrays._arrays[key].copy())})
            refused(path)


PLANS = [
    ("forest", {"seed": -1}),
    ("forest", {"seed": "0"}),
    ("forest", {"n_trees": 6}),
    ("forest", {"tried": "all"}),
    ("forest", {"values": None}),
    ("forest", {"least": 0.0}),
    ("kernel", {"seed": 0.5}),
    ("discriminant", {"shrinkage": 1.5}),
    ("discriminant", {"ridge": 0.0}),
    ("discriminant", {"sharpness": None}),
    ("opinions", {"singles": []}),
    ("opinions", {"pairs": [{"features": [0, 9], "bins": [None, None], "smoothing": 8.0}]}),
    ("opinions", {"singles": [{"features": [0], "bins": [None], "smoothing": 0.0}]}),
]


@pytest.mark.parametrize(("name", "change"), PLANS, ids=str)
def test_a_plan_that_cannot_be(name, change, tmp_path):
    """What was chosen is checked when it is read, not when it is used."""
    path = tmp_path / "m.cb"
    saved(name, "mixed", path)
    header, arrays = files.read(path)
    header = json.loads(json.dumps(header))
    header["readings"][0]["plan"] |= change
    files.write(path, header, arrays._arrays)
    refused(path)


@pytest.mark.parametrize(
    "entries",
    [
        lambda readings: [readings[0] | {"name": "oracle"}, *readings[1:]],
        lambda readings: [readings[0] | {"kind": "oracle"}, *readings[1:]],
        lambda readings: [readings[0] | {"plan": None}, *readings[1:]],
        lambda readings: [readings[0], readings[0], *readings[2:]],
        lambda readings: readings[:-1],
        lambda readings: None,
    ],
)
def test_readings_that_are_none(entries, tmp_path):
    """Unknown, twice, or fewer than there are exponents."""
    path = tmp_path / "m.cb"
    saved("auto", "mixed", path)
    header, arrays = files.read(path)
    files.write(path, header | {"readings": entries(header["readings"])}, arrays._arrays)
    refused(path)
