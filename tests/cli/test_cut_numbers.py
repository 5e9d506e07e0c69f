"""Numbers cut into intervals on the command line, and what is said where they are compared as symbols."""

import pytest

ROWS = "\n".join(f"{i / 4},{i % 5},{'high' if i > 15 else 'low'}" for i in range(30))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"size,code,class\n{ROWS}\n")
    return path


def test_a_note_names_the_option(run, table, tmp_path):
    """Decimals used to become symbols without a word."""
    result = run("train", table, "-o", tmp_path / "m.cb", "--learner", "igtree")
    assert "'size' (30 different numbers) is compared as symbols" in result.err
    assert "--discretise mdlp" in result.err
    for options in (("--discretise", "mdlp"), ("--metric", "size=overlap"), ("--learner", "ib1")):
        assert "Note" not in run("train", table, "-o", tmp_path / "m.cb", "--learner", "igtree", *options).err


def test_a_note_says_that_there_is_nothing_to_cut(run, tmp_path):
    (tmp_path / "codes.csv").write_text("one,class\n1,a\n2,b\n")
    options = ("--learner", "igtree", "--discretise", "mdlp")
    result = run("train", tmp_path / "codes.csv", "-o", tmp_path / "m.cb", *options)
    assert "There were no numbers to cut" in result.err


def test_corrections_and_flips_take_and_show_numbers(run, table, tmp_path):
    model = tmp_path / "m.cb"
    run("train", table, "-o", model, "--learner", "ib1", "--discretise", "mdlp")
    run("update", model, "--id", "3", "--set", "size=7.125")
    assert "7.125" in run("cases", model, "--where", "id=3").out
    flipped = run("explain", model, "--case", "1.5,2", "--flip").out
    assert "size: 1.5 (≤ 3.875) → " in flipped
    assert "(> 3.875)" in flipped
    assert "intervals" in run("inspect", model).out


def test_the_graph_in_sql_compares_numbers(run, table, tmp_path):
    import sqlite3

    model = tmp_path / "m.cb"
    run("train", table, "-o", model, "--learner", "oblivious_graph", "--discretise", "equal_width", "--n-bins", "29")
    sql = run("inspect", model, "--export", "sql").out
    predicted = run("predict", model, table).out.split()
    rows = [line.split(",") for line in ROWS.splitlines()]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (size REAL, code TEXT)")
    base.executemany("INSERT INTO t VALUES (?, ?)", [(float(size), code) for size, code, _ in rows])

    assert [label for (label,) in base.execute(f"SELECT {sql} FROM t ORDER BY rowid")] == predicted
