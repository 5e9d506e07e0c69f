"""Damaged, foreign and forged files end in one kind of error, before anything is computed."""

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.base import clone

import casebase as cb
from casebase.base import files
from casebase.errors import ModelFileError
from casebase.methods import METHODS
from tests.methods.conftest import FITTED, LABELS, ROWS

N_POSITIONS = 100  # per learner, spread over the file


def refused(path, match=None):
    with pytest.raises(ModelFileError, match=match):
        cb.load(path)


def spread(n_bytes, n=N_POSITIONS):
    """Positions from the first byte to the last; the header, which is read first, is tried densely."""
    return sorted({*range(24), *np.linspace(0, n_bytes - 1, n).astype(int).tolist()})


def test_every_learner_is_tried():
    """A learner whose models can be saved has a model here."""
    assert FITTED.keys() == METHODS.keys()


def test_truncated_anywhere(saved):
    """A file that ends early is refused, wherever it ends."""
    whole = saved.read_bytes()
    for n_bytes in spread(len(whole)):
        saved.write_bytes(whole[:n_bytes])
        refused(saved)


def test_one_bit_flipped_anywhere(saved):
    """A single wrong bit is noticed, wherever it is."""
    whole = saved.read_bytes()
    for i, position in enumerate(spread(len(whole), 3 * N_POSITIONS)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << i % 8
        saved.write_bytes(damaged)
        refused(saved)


def test_bytes_added_at_the_end(saved):
    """A file that goes on after its end is refused."""
    saved.write_bytes(saved.read_bytes() + b"\0")
    refused(saved)


@pytest.mark.parametrize(
    "content", [b"", b"a,b,c\nd,e,f\n", b"\0" * 100, b"PK\x03\x04", "Ünïcode text\n".encode() * 50]
)
def test_other_files(tmp_path, content):
    """Text, nothing and zeros are not models."""
    path = tmp_path / "other"
    path.write_bytes(content)
    refused(path, "not a casebase model file")


def test_other_safetensors_files(tmp_path):
    """A file of the same container with other contents is not a model."""
    save_file({"weights": np.zeros(3)}, tmp_path / "other.safetensors")
    refused(tmp_path / "other.safetensors", "not a casebase model file")


@pytest.mark.parametrize("version", ["0", "1", "999", ""])
def test_another_version(saved, version, monkeypatch):
    """A file of another format version says which one it has."""
    header, arrays = files.read(saved)
    monkeypatch.setattr(files, "VERSION", version)
    files.write(saved, header, arrays._arrays)
    monkeypatch.undo()
    refused(saved, f"model format '{version}'; this casebase reads format 3")


def test_a_folder_and_no_file(tmp_path):
    """A folder is called one; a file that is not there is said to be missing."""
    refused(tmp_path, "is a folder")
    refused(tmp_path / "nothing.cb", "there is no such file")


def forgeries(array):
    """Arrays in the place of one that was written: of other shapes and types, and pointing elsewhere."""
    yield "with a row more", np.stack([array, array])
    if array.size:
        yield "longer", np.concatenate([array, array], axis=-1)
        yield "shorter", array[..., :-1]
        yield "of another type", array.astype(np.int16 if array.dtype.kind == "f" else np.float32)


def accepted_forgeries(path):
    """Return the arrays of a file, and how they were changed, of files that were loaded all the same."""
    header, arrays = files.read(path)
    loaded = []
    for name, array in arrays._arrays.items():
        for how, forged in forgeries(array):
            files.write(path, header, arrays._arrays | {name: forged})
            try:
                cb.load(path)
                loaded.append((name, how))
            except ModelFileError:
                pass
    return loaded


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_arrays_of_another_shape_or_type(saved):
    """Every array of every learner has the length and type that its neighbours imply."""
    # An order of fewer features is a model that ignores one.
    assert [entry for entry in accepted_forgeries(saved) if entry != ("order", "shorter")] == []


INDICES = (
    "labels",
    "order",
    "row_of",
    "column.",
    "sum_order",
    "rank",
    "first_",
    "count_label",
    "tree.label",
    "begin",
    "end",
    "offsets",
    "rule.label",
    "test.feature",
    "test.value",
    "reading.",
)


def test_indices_out_of_bounds(saved):
    """An index that points nowhere is found although the checksum fits."""
    header, arrays = files.read(saved)
    n_tried = 0
    for name, array in arrays._arrays.items():
        if array.dtype.kind not in "iu" or not any(part in name for part in INDICES):
            continue
        if name.endswith(".groups"):  # bits, not indices
            continue
        for position in range(array.size):
            forged = array.copy()
            # The largest number stands for a class that only a held-out case has.
            forged.flat[position] = np.iinfo(array.dtype).max - (name == "calibration.labels")
            files.write(saved, header, arrays._arrays | {name: forged})
            refused(saved)
            n_tried += 1
    assert n_tried > 20


def test_orders_that_name_something_twice(saved):
    """Where each case, class or feature has its place, none may have two: the kernels write by these."""
    header, arrays = files.read(saved)
    for name in {"order", "row_of", "class.rank", "metric.sum_order", "walk"} & arrays._arrays.keys():
        forged = arrays._arrays[name].copy()
        forged.flat[1] = forged.flat[0]
        files.write(saved, header, arrays._arrays | {name: forged})
        refused(saved)


@pytest.fixture
def forged(tmp_path):
    """Save a model with other header entries or arrays, and return the file."""

    def forged(learner, change):
        path = tmp_path / "forged.cb"
        clone(FITTED[learner]).fit(ROWS, LABELS).save(path)
        header, arrays = files.read(path)
        entries, others = change(header, arrays._arrays)
        files.write(path, header | entries, arrays._arrays | others)
        return path

    return forged


@pytest.mark.parametrize("learner", ["igtree", "tribl", "c45"])
def test_a_tree_that_leads_back(forged, learner):
    """A node that is its own child would be walked for ever."""

    def leads_back(header, arrays):
        first_child = arrays["tree.first_child"].copy()
        first_child[1] = 1
        return {}, {"tree.first_child": first_child}

    refused(forged(learner, leads_back), "breadth-first order")


def test_a_walk_in_another_order_than_the_memory(forged):
    """TRIBL2 looks each value up in a sorted part of its cases: symbols are walked as they are sorted."""
    path = forged("tribl2", lambda header, arrays: ({}, {"walk": arrays["walk"][::-1].copy()}))

    refused(path, "the walk does not follow the order of the memory")


@pytest.mark.parametrize(
    ("learner", "entry"), [("tribl", "switch"), ("oblivious_graph", "n_tree_nodes"), ("c45", "n_cases")]
)
def test_truth_is_no_number(forged, learner, entry):
    """Regression: true was taken for 1."""
    refused(forged(learner, lambda header, arrays: ({entry: True}, {})))


@pytest.mark.parametrize("clip", [-0.5, float("nan"), float("inf")])
def test_a_clip_that_cannot_be(forged, clip):
    """The factor that decides about unknown values is a finite number, 0 or more."""
    refused(forged("ib1", lambda header, arrays: ({"settings": header["settings"] | {"clip": clip}}, {})), "clip is")


def test_numbers_before_symbols(forged):
    """The kernels take the columns of symbols first."""

    def numbers_first(header, arrays):
        n = len(arrays["order"])
        return {}, {"order": np.roll(arrays["order"], 1)} | {
            f"column.{rank}": arrays[f"column.{(rank - 1) % n}"] for rank in range(n)
        }

    refused(forged("ib1", numbers_first), "numeric features precede symbolic ones")


@pytest.mark.parametrize("number", [np.nan, np.inf, -1.0])
def test_numbers_that_cannot_be(saved, number):
    """Weights, ranges and counts are finite and not negative."""
    header, arrays = files.read(saved)
    for name, array in arrays._arrays.items():
        exempt = ("column.", "cuts.", "tree.threshold", "test.threshold", "centre")
        exempt += (
            () if np.isnan(number) else ("calibration.scores",)
        )  # differences of distances, infinite without rivals
        signed = (".edges", ".bias", ".means")
        may_be_negative = name.startswith(exempt) or (name.endswith(signed) and number == -1.0)
        if array.dtype.kind == "f" and array.size and not may_be_negative:
            forged = array.copy()
            forged.flat[0] = number
            files.write(saved, header, arrays._arrays | {name: forged})
            refused(saved)


def test_cases_that_count_nothing(saved):
    """Regression: a count of zero gave shares that are not numbers."""
    header, arrays = files.read(saved)
    for name in {"counts", "tree.count"} & arrays._arrays.keys():
        files.write(saved, header, arrays._arrays | {name: np.zeros_like(arrays._arrays[name])})
        refused(saved, "counts no cases|has weight 0")


def test_every_array_is_needed(saved):
    """A file without one of its arrays is refused; case weights alone may be left out."""
    header, arrays = files.read(saved)
    for name in arrays._arrays:
        if name != "counts":
            files.write(saved, header, {n: a for n, a in arrays._arrays.items() if n != name})
            refused(saved)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("learner", "perceptron"),
        ("learner", None),
        ("settings", None),
        ("settings", ["k"]),
        ("settings", {}),
        ("settings", {"no_such": 3}),
        ("estimator", None),
        ("estimator", ["n_jobs"]),
        ("estimator", {"no_such": 3}),
        ("estimator", {"class_dtype": "zz"}),
        ("features", []),
        ("features", None),
        ("features", [{"name": "f1"}]),
        ("classes", []),
        ("classes", [None, None, None]),
        ("classes", "PQR"),
        ("classes", ["P"]),
        ("target_position", 99),
    ],
)
def test_headers_that_cannot_be(saved, entry, value):
    """What the header says is checked as the arrays are."""
    header, arrays = files.read(saved)
    files.write(saved, header | {entry: value}, arrays._arrays)
    refused(saved)


def test_features_stored_otherwise_than_declared(saved):
    """Regression: a symbolic feature declared numeric reached the kernel."""
    header, arrays = files.read(saved)
    for i, feature in enumerate(header["features"]):
        if feature["kind"] == "ignored":
            continue
        other = {"symbolic": "numeric", "numeric": "symbolic"}[feature["kind"]]
        features = [f | {"kind": other} if i == j else f for j, f in enumerate(header["features"])]
        files.write(saved, header | {"features": features}, arrays._arrays)
        refused(saved)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("learner", {}),
        ("learner", ["ib1"]),
        ("classes", ["P", 1, "R"]),
        ("classes", [1, True, 2]),
        ("classes", [1, 2, 10**30]),
        ("classes", [1.5, float("nan"), float("inf")]),
    ],
)
def test_names_and_classes_of_other_types(forged, entry, value):
    """Regression: such files were loaded, or were an error of Python's."""
    refused(forged("smile", lambda header, arrays: ({entry: value}, {})))


def test_symbols_that_are_said_to_be_numbers(saved):
    """Regression: such a file was loaded, and its cases could not be shown."""
    header, arrays = files.read(saved)
    for said in (True, "yes", None):
        features = [f | {"of_numbers": said} for f in header["features"]]
        files.write(saved, header | {"features": features}, arrays._arrays)
        refused(saved, "is said to have numbers")


@pytest.mark.parametrize("n_cases", [float("inf"), float("nan"), -1, 1.5, "7", None, True])
def test_a_number_of_held_out_cases_that_cannot_be(forged, n_cases):
    """Regression: an infinite number was an error of Python's."""

    def says(header, arrays):
        return {"calibration": header["calibration"] | {"n_cases": n_cases}}, {}

    refused(forged("c45", says), "the number of cases of its calibration")


@pytest.mark.parametrize("learner", ["rules", "c45", "perceptron_tree"])
@pytest.mark.parametrize("said", [True, 1, "no"])
def test_scores_that_are_said_to_be_distances(forged, learner, said):
    """Regression: a model without distances was loaded, and had no prediction sets."""

    def says(header, arrays):
        return {"calibration": header["calibration"] | {"are_distances": said}}, {}

    refused(forged(learner, says), "distances")


def test_a_header_that_is_nested_too_deeply(tmp_path):
    """Regression: reading such a header was an error of Python's."""
    path = tmp_path / "deep.cb"
    save_file({"a": np.zeros(1)}, path, metadata={files.FORMAT: "[" * 200_000})
    refused(path, "its header cannot be read")
