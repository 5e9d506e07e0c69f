"""A model that was learned in parts is the file that memory gives, byte for byte, however the table is cut."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casebase.data.roles import Roles
from casebase.errors import CasebaseError
from casebase.measures.weights import standard_deviation
from casebase.scale import counting
from tests.scale.tables import in_memory, in_parts, pieces, write_mixed, write_words

BY_COUNTS = ["ib1", "igtree", "tribl", "tribl2"]
ALL = [*BY_COUNTS, "id3", "c45", "oblivion"]


@pytest.mark.parametrize("learner", ALL)
def test_words(tmp_path, learner):
    table = write_words(tmp_path / "words.csv", 200)
    expected = in_memory(table, tmp_path / "memory.cb", learner)
    for rows in (9, 50, 1_000):
        assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(rows)) == expected, rows


@pytest.mark.parametrize("learner", ALL)
def test_numbers_and_symbols(tmp_path, learner):
    table = write_mixed(tmp_path / "mixed.csv")
    expected = in_memory(table, tmp_path / "memory.cb", learner)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(40)) == expected


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("ib1", {"k": 3, "metric": "mvdm"}),
        ("ib1", {"weighting": "chi_squared", "diversify": True, "vote": "inverse_distance", "k": 5}),
        ("ib1", {"weighting": [1.0, 2.0, 0.5, 3.0]}),
        ("ib1", {"metric": {"f1": "ignored", "f2": "levenshtein"}}),
        ("igtree", {"keep_cases": False, "weighting": "information_gain"}),
        ("igtree", {"feature_limit": 2}),
        ("tribl", {"switch": 2, "weighting_below": "gain_ratio"}),
        ("tribl", {"switch": 0}),
        ("tribl2", {"normalisation": "probability"}),
    ],
)
def test_settings(tmp_path, learner, options):
    table = write_words(tmp_path / "words.csv", 200)
    expected = in_memory(table, tmp_path / "memory.cb", learner, **options)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(60), **options) == expected


def test_numbers_alone_stay_in_the_order_given(tmp_path):
    rng = np.random.default_rng(3)
    rows = [f"{a:.3f},{b:.2f},{'yes' if a > b else 'no'}" for a, b in rng.random((200, 2))]
    table = tmp_path / "numbers.csv"
    table.write_text("\n".join(["a,b,class", *rows]) + "\n")
    for learner, options in (("ib1", {}), ("igtree", {}), ("ib1", {"weighting": "standard_deviation"})):
        expected = in_memory(table, tmp_path / "memory.cb", learner, **options)
        assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(30), **options) == expected


def test_a_deviation_of_counts_is_that_of_the_cases():
    """To the last bit, for any numbers: a file must not depend on whether its cases were counted."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        numbers = np.append(rng.normal(size=20) * 10.0 ** rng.integers(-5, 6, 20), np.nan)
        counts = rng.integers(0, 3000, 21)
        assert standard_deviation(numbers, counts) == standard_deviation(np.repeat(numbers, counts))


def test_columns_that_are_left_out(tmp_path):
    table = write_words(tmp_path / "words.csv", 120)
    expected = in_memory(table, tmp_path / "memory.cb", "ib1", roles=Roles(ignore=["f1"]))
    assert in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(50), roles=Roles(ignore=["f1"])) == expected


def test_a_calibration_draws_the_same_cases_from_a_large_table(tmp_path, monkeypatch):
    """Above a number of cases, a sample is drawn by content: equal cases in different parts must be told apart."""
    from casebase.confidence import held_out
    from casebase.neighbours import class_distances
    from casebase.scale import drawing

    monkeypatch.setattr(drawing, "N_DRAWN", 150)
    monkeypatch.setattr(held_out, "LEFT_OUT", 60)
    monkeypatch.setattr(held_out, "FOLDED", {1: 25, 2: 25, 3: 25})
    monkeypatch.setattr(class_distances, "LEFT_OUT", 40)
    table = write_words(tmp_path / "words.csv", 400, n_features=2)  # most cases occur several times
    mixed = write_mixed(tmp_path / "mixed.csv")
    for learner in ("ib1", "igtree", "c45"):
        expected = in_memory(table, tmp_path / "memory.cb", learner)
        assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(45)) == expected, learner
        expected = in_memory(mixed, tmp_path / "memory.cb", learner)
        assert in_parts(mixed, tmp_path / "parts.cb", learner, resources=pieces(45)) == expected, learner


def test_threads_change_nothing(tmp_path):
    table = write_words(tmp_path / "words.csv", 400)
    alone = in_parts(table, tmp_path / "a.cb", "ib1", resources=pieces(30))
    assert in_parts(table, tmp_path / "b.cb", "ib1", resources=pieces(30, n_threads=4)) == alone


def test_several_files_are_one_table(tmp_path):
    table = write_words(tmp_path / "words.csv", 100)
    header, *lines = table.read_text().splitlines()
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, (start, end) in enumerate([(0, 1), (1, 60), (60, 60), (60, 100)]):  # one of one case, one without any
        (folder / f"{i}.csv").write_text("\n".join([header, *lines[start:end]]) + "\n")
    expected = in_memory(table, tmp_path / "memory.cb", "igtree")
    assert in_parts(str(folder / "*.csv"), tmp_path / "parts.cb", "igtree", resources=pieces(20)) == expected


values = st.sampled_from(["a", "b", "c", "ä", "", "1", "1.5", "x y", '"'])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(values, values, st.sampled_from(["P", "Q", "R"])), min_size=1, max_size=40),
    st.integers(1, 40),
    st.sampled_from(BY_COUNTS),
)
def test_any_table_and_any_cut(tmp_path, rows, size, learner):
    table = tmp_path / "any.csv"
    quoted = [",".join('"' + value.replace('"', '""') + '"' for value in row) for row in rows]
    table.write_text("\n".join(["one,two,class", *quoted]) + "\n", encoding="utf-8")
    expected = in_memory(table, tmp_path / "memory.cb", learner)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(size)) == expected


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=60), st.integers(1, 59))
def test_counts_add_up(rows, cut):
    def counts(part):
        import pyarrow as pa

        texts = pa.array([None if value == 9 else str(value) for value, _ in part]).dictionary_encode()
        numbers = pa.array([None if value == 9 else value / 4 for value, _ in part], pa.float64())
        target = pa.array([f"c{label}" for _, label in part]).dictionary_encode()
        return counting.counts_of(["texts", "numbers"], [texts, numbers], target)

    whole, parts = counts(rows), [part for part in (rows[:cut], rows[cut:]) if part]
    added = counting.total([counts(part) for part in parts])
    assert added.n_cases == whole.n_cases
    assert added.classes.to_pylist() == whole.classes.to_pylist()
    assert added.per_class.tolist() == whole.per_class.tolist()
    for one, other in zip(added.columns, whole.columns):
        assert np.array_equal(
            np.array(one.values), np.array(other.values), equal_nan=isinstance(one.values, np.ndarray)
        )
        for name in ("value", "label", "count"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        ("smile", {}, "cannot learn from a table that is larger than memory; these can: ib1"),
        ("ib1", {"compat": "timbl"}, "compat goes by the order"),
        ("ib1", {"weighting": "relief"}, "'relief' needs all cases in memory"),
        ("ib1", {"weighting": "learned"}, "'learned' needs all cases in memory"),
    ],
)
def test_what_needs_all_cases_in_memory_is_refused(tmp_path, learner, options, message):
    table = write_words(tmp_path / "words.csv", 20)
    with pytest.raises(CasebaseError, match=message):
        in_parts(table, tmp_path / "parts.cb", learner, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["words.csv"]


@pytest.mark.parametrize("learner", ["ib1", "igtree", "tribl", "tribl2", "oblivion"])
@pytest.mark.parametrize("discretise", ["mdlp", "equal_width", "equal_frequency"])
def test_cuts_from_counts_are_those_of_the_cases(tmp_path, monkeypatch, learner, discretise):
    """Cuts follow from how often each number occurs with each class; the recorded numbers are stored beside."""
    from casebase.confidence import held_out
    from casebase.scale import drawing

    monkeypatch.setattr(drawing, "N_DRAWN", 150)
    monkeypatch.setattr(held_out, "FOLDED", {1: 25, 2: 25, 3: 25})
    rng = np.random.default_rng(5)
    rows = [f"{'abc'[i % 3]},{x:.2f},{'yes' if x > 0.6 else 'no'}" for i, x in enumerate(rng.random(160))]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["sort,size,class", *rows, "a,,no", "b,,yes"]) + "\n")
    options = {"discretise": discretise, "n_bins": 3}
    expected = in_memory(table, tmp_path / "memory.cb", learner, **options)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(40), **options) == expected
