"""The compiled splitter: text in, codes and distinct values per column out."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from casebase import _native
from tests.oracles import splitting

RULES = [
    ("blanks", " ", 1),
    ("separator", "\t", 1),
    ("separator", ";", 1),
    ("c45", ",", 1),
    ("width", "\t", 2),
]


def split(text, mode, separator="\t", width=1, n_fields=0, n_threads=1):
    data = np.frombuffer(text if isinstance(text, bytes) else text.encode(), dtype=np.uint8)
    return _native.split_text(data, mode, separator, width, n_fields, n_threads)


def values_of(column):
    _, values, offsets = column
    raw = values.tobytes()
    return [raw[a:b].decode() for a, b in pairwise(offsets)]


def rows_of(columns):
    texts = [[values_of(c)[code] for code in c[0]] for c in columns]
    return [list(row) for row in zip(*texts)]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize(("mode", "separator", "width"), RULES)
@given(text=st.text(alphabet="abcé€,.; \t\r\n", max_size=60))
@example(text="a b\r\nc d")
@example(text="a, b .\nlonger than eight, bytes")
def test_splitting_agrees_with_the_obvious_way(text, mode, separator, width, n_threads):
    """The kernel gives the rows, or the problem, that a naive splitter gives."""
    expected = splitting.split_text(text, mode, separator, width)

    columns, problem = split(text, mode, separator, width, n_threads=n_threads)

    assert expected == (rows_of(columns) if problem is None else problem)


@pytest.mark.parametrize("n_threads", [2, 3, 7])
@given(lines=st.lists(st.tuples(st.sampled_from("abc"), st.text("xyz", min_size=1, max_size=12)), max_size=30))
def test_threads_do_not_show(lines, n_threads):
    """Codes and values are the same, in the same order, for every number of threads."""
    text = "".join(f"{a} {b}\n" for a, b in lines)

    one, several = split(text, "blanks"), split(text, "blanks", n_threads=n_threads)

    assert [[a.tolist() for a in column] for column in one[0]] == [
        [a.tolist() for a in column] for column in several[0]
    ]


def test_codes_follow_first_appearance():
    """The first value to appear has code 0, the next new one code 1."""
    columns, _ = split("b x\na x\nb y\n", "blanks")

    assert [c[0].tolist() for c in columns] == [[0, 1, 0], [0, 0, 1]]
    assert [values_of(c) for c in columns] == [["b", "a"], ["x", "y"]]


def test_values_that_share_a_beginning_stay_apart():
    """Values around the eight bytes that fit in a key are told apart by length and tail."""
    values = ["a" * n for n in range(1, 20)] + ["a" * 8 + "b", "a" * 16 + "b"]

    columns, _ = split("\n".join(values), "blanks")

    assert values_of(columns[0]) == values


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n\n"])
def test_nothing_but_blank_lines_gives_no_columns(text):
    """A text without data has no columns and no problem."""
    assert split(text, "blanks") == ([], None)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_ragged_line_is_reported(n_threads):
    """The first line with another number of fields stops the splitting; blank lines are counted."""
    text = "a b c\n\na b c\na b c\na b\na\n"

    assert split(text, "blanks", n_threads=n_threads) == ([], ("fields", 5, 2))


def test_expected_number_of_fields_holds_for_the_first_line():
    """With a number of fields given, the first line must have it too."""
    assert split("\na b\n", "blanks", n_fields=3) == ([], ("fields", 2, 2))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_nul_byte_is_reported(n_threads):
    """A NUL byte stops the splitting with its line."""
    assert split(b"a b\nc d\ne \0\n", "blanks", n_threads=n_threads) == ([], ("nul", 3, 0))


def test_absurdly_many_fields_are_refused():
    """A line of millions of fields is a wrong rule; no column is made for it."""
    assert split("a " * 5_000_000, "blanks") == ([], ("wide", 1, 5_000_000))


def test_line_of_ten_megabytes_is_one_value():
    """A very long field is a value like any other."""
    columns, problem = split("a" * 10_000_000 + " b\nc d", "blanks", n_threads=2)

    assert problem is None
    assert [len(v) for v in values_of(columns[0])] == [10_000_000, 1]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_million_distinct_values(n_threads):
    """A column may have as many values as lines."""
    columns, _ = split("".join(f"v{i}\n" for i in range(1_000_000)), "blanks", n_threads=n_threads)

    assert (columns[0][0] == np.arange(1_000_000)).all()


def test_unknown_mode_is_refused():
    """The binding checks its mode: a typing mistake of ours is not a rule."""
    with pytest.raises(ValueError, match="blanks, separator, c45, width"):
        split("a", "blank")
