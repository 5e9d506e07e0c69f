"""Kinds, ids and provenance in parts: what the counts say is what the table says, and the file is the same."""

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casebase.data.kinds import source_of
from casebase.data.roles import Roles
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.scale.counting import counts_of, total
from casebase.scale.kinds import Asked
from tests.scale.tables import in_memory, in_parts, pieces

ALL = ["ib1", "igtree", "c45"]


def write_orders(path, n=90, *, seed=0, ids="number"):
    """Write a table with a column of each kind: ids, dates, ordinals, whole numbers, keys, constants, text, notes."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10 * n)[:n]
    lines = ["id,when,size,level,amount,code,same,remark,source,class"]
    for i in range(n):
        fields = [
            f"{numbers[i]}" if ids == "number" else f"k{numbers[i]:05}",
            f"202{rng.integers(3)}-0{rng.integers(1, 9)}-1{rng.integers(9)}" if rng.random() < 0.95 else "",
            ["small", "medium", "large"][rng.integers(3)],
            str(rng.integers(1, 6)),
            f"{rng.integers(400) / 8}" if rng.random() < 0.9 else "?",
            f"x{i:04}",
            "always",
            " ".join(["word"] * int(rng.integers(5, 9))) + f" {i}",
            "" if rng.random() < 0.1 else f"clerk {rng.integers(4)}",
            "yes" if rng.random() < 0.4 else "no",
        ]
        lines.append(",".join(fields))
    path.write_text("\n".join(lines) + "\n")
    return path


EVERYTHING = Roles({"size": "ordinal:small,medium,large"}, True, "id", ["remark"], ["source", "code"])


@pytest.mark.parametrize("learner", ALL)
@pytest.mark.parametrize("ids", ["number", "text"])
def test_kinds_ids_and_provenance(tmp_path, learner, ids):
    table = write_orders(tmp_path / "orders.csv", ids=ids)
    expected = in_memory(table, tmp_path / "memory.cb", learner, roles=EVERYTHING)
    assert in_parts(table, tmp_path / "parts.cb", learner, resources=pieces(40), roles=EVERYTHING) == expected


@pytest.mark.parametrize(
    "roles",
    [
        Roles(finds_kinds=True),
        Roles(id_column=0),
        Roles({"amount": "symbol", "level": "number", "when": "date"}),
        Roles({"code": "provenance", "source": "key"}, keep=["size"]),
        Roles(keep="amount", ignore=[1, 2]),
    ],
)
def test_roles_of_columns(tmp_path, roles):
    table = write_orders(tmp_path / "orders.csv", 60)
    expected = in_memory(table, tmp_path / "memory.cb", "ib1", roles=roles)
    assert in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(17), roles=roles) == expected


texts = st.sampled_from(
    ["", "1", "2", "3", "10", "-7", "007", "1.5", "2e3", "1,5", "1,500", "yes", "no", "true", "?", "NA", "a b c d e f",
     "2024-05-01", "31/12/2024", "1/2/2024", "1.2.2024", "9007199254740993", "9007199254740995", " 4 ", "low", "é"]
)  # fmt: skip
columns = st.one_of(
    st.lists(texts, min_size=1, max_size=60),
    st.lists(st.one_of(st.none(), st.integers(-3, 30).map(str)), min_size=1, max_size=60),
    st.lists(st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, 40.0, 1e17])), min_size=1, max_size=60),
    st.integers(20, 60).map(lambda n: [f"key {i}" for i in range(n)]),
    st.integers(1, 25).map(lambda n: [f"1/{1 + i % 12}/2024" for i in range(n)]),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(columns, st.sampled_from(["x", "order_id", "zip"]), st.integers(1, 59), st.randoms(use_true_random=False))
def test_counts_show_the_kinds_that_the_table_shows(values, name, cut, shuffle: random.Random):
    """In any order of the rows, and however they are cut."""

    kind = pa.float64() if any(isinstance(value, float) for value in values) else pa.string()

    def column_of(some):
        column = pa.array(some, kind)
        return column if kind == pa.float64() else column.dictionary_encode()

    def classes(n):
        return pa.array(["p", "q"] * n)[:n].dictionary_encode()

    def table_of(some):
        return Table((name, "class"), (column_of(some), classes(len(some))), target=1)

    expected = source_of(table_of(values), "auto")
    shuffled = shuffle.sample(values, len(values))
    assert source_of(table_of(shuffled), "auto") == expected
    parts = [part for part in (shuffled[:cut], shuffled[cut:]) if part]
    counts = total([counts_of([name], [column_of(part)], classes(len(part))) for part in parts])
    asked = Asked.of(table_of(values), Roles(finds_kinds=True))
    assert asked is not None
    assert asked.source({name: counts.columns[0]}, {}) == expected


def test_ids_that_occur_twice_are_named(tmp_path):
    table = write_orders(tmp_path / "orders.csv", 90)
    header, *lines = table.read_text().splitlines()
    for first, second in ((5, 70), (2, 88), (60, 61), (30, 4)):
        lines[second] = ",".join([lines[first].split(",")[0], *lines[second].split(",")[1:]])
    for ids in ("number", "text"):
        if ids == "text":
            lines = ["k" + line for line in lines]
        table.write_text("\n".join([header, *lines]) + "\n")
        with pytest.raises(CasebaseError) as error:
            in_memory(table, tmp_path / "memory.cb", "ib1", roles=Roles(id_column="id"))
        with pytest.raises(CasebaseError) as same:
            in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(20), roles=Roles(id_column="id"))
        assert str(same.value) == str(error.value)


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (Roles({"size": "number"}), "but a row has 'large', which is not a number"),
        (Roles({"size": "truth"}), "a row has 'small' besides 'large' and 'medium'"),
        (Roles({"nothing": "number"}), "nothing"),
        (Roles(id_column="class"), "is the class: it has no ids"),
        (Roles(id_column="source"), "orders.csv.*has the ids of the cases, but row .* has none"),
        (Roles(id_column="id", ignore="id"), "has the ids, which are stored anyway"),
        (Roles(dict.fromkeys(["id", "code"], "id")), "in one column; got id, code"),
        (Roles(ignore=list(range(9))), "No column is left to learn from"),
    ],
)
def test_what_columns_cannot_be(tmp_path, roles, message):
    table = write_orders(tmp_path / "orders.csv", 40)
    with pytest.raises(CasebaseError, match=message):
        in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(20), roles=roles)


def test_texts_for_each_case_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    from casebase.scale import fitting

    monkeypatch.setattr(fitting, "BYTES_PER_TEXT", 10**8)
    table = write_orders(tmp_path / "orders.csv", 40, ids="text")
    for roles in (Roles(id_column="id"), Roles(keep=["source"])):
        with pytest.raises(CasebaseError, match=r"some 4\.0 GB\. Leave out such columns"):
            in_parts(table, tmp_path / "parts.cb", "ib1", resources=pieces(20), roles=roles)
