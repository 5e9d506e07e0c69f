"""Representations made from one table: their names, and what an example is in each."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.errors import CasebaseError

NUMBERS = pd.DataFrame({"length": [1.0, 2.0, 3.0, 10.0, 11.0, 12.0], "colour": list("rgrgrg")})
KINDS = list("PPPQQQ")


def told(table):
    """Return the values of all examples, representation by representation."""
    return {name: [cases.values(i) for i in range(cases.n_cases)] for name, cases in table.items()}


def test_discretisations_have_the_cuts_of_the_methods():
    """Equal width cuts 1 to 12 in the middle, equal frequency between the third and the fourth; so does mdlp."""
    table = cb.representations.discretisations(NUMBERS, KINDS, bins=[2])

    assert list(table) == ["method=equal_width bins=2", "method=equal_frequency bins=2", "method=mdlp"]
    assert {name: cases[0][0] for name, cases in told(table).items()} == dict.fromkeys(table, "≤ 6.5")
    assert all(row[1] in "rg" for rows in told(table).values() for row in rows)


def test_intervals_that_no_example_lies_in_are_no_values():
    """Of eleven intervals five have an example: a test on the feature has five branches, and none for missing."""
    (cases,) = cb.representations.discretisations(NUMBERS, KINDS, method="equal_width", bins=11).values()

    assert len(cases.schema.features[0].vocabulary) == 5


def test_numbers_may_stay_numbers():
    """The method none leaves the table as it is, to be compared with the others."""
    table = cb.representations.vary(NUMBERS, KINDS, method=["none", "mdlp"])

    assert told(table)["method=none"][0] == [1.0, "r"]
    assert told(table)["method=mdlp"][0] == ["≤ 6.5", "r"]


def test_bins_alone_mean_equal_frequency():
    alone, said = (
        cb.representations.vary(NUMBERS, KINDS, bins=[2, 3]),
        cb.representations.vary(NUMBERS, KINDS, bins=[2, 3], method="equal_frequency"),
    )

    assert list(alone) == ["bins=2", "bins=3"]
    assert list(told(alone).values()) == list(told(said).values())


def test_windows_keep_the_columns_around_the_middle():
    """Widths and positions: as many columns before as after, or more on one side."""
    table = cb.representations.windows([list("abcde"), list("fghij")], ["P", "Q"], sizes=[1, "2+0", (0, 2)])

    assert told(table) == {
        "window=1+1": [["b", "c", "d"], ["g", "h", "i"]],
        "window=2+0": [["a", "b", "c"], ["f", "g", "h"]],
        "window=0+2": [["c", "d", "e"], ["h", "i", "j"]],
    }


def test_one_column_is_running_text():
    """A token a row: the window takes the rows before and after."""
    table = cb.representations.windows([["the"], ["old"], ["man"]], ["D", "A", "N"], sizes=["1+0"])

    assert told(table) == {"window=1+0": [["_", "the"], ["the", "old"], ["old", "man"]]}
    assert table["window=1+0"].schema.names == ("-1", "focus")


def test_windows_do_not_go_beyond_a_sequence():
    """Each word has its own edges; classes come in lists as the words do, or in one."""
    nested = cb.representations.token_windows([["ta", "lo"], ["a"]], [["x", "y"], ["z"]], sizes=[1])
    flat = cb.representations.token_windows([["ta", "lo"], ["a"]], ["x", "y", "z"], sizes=[1])

    assert told(nested) == {"window=1+1": [["_", "ta", "lo"], ["ta", "lo", "_"], ["_", "a", "_"]]}
    assert told(nested) == told(flat)
    assert nested["window=1+1"].known_labels.tolist() == flat["window=1+1"].known_labels.tolist() == [0, 1, 2]


def test_ngrams_are_there_or_not():
    """cat has ca and at, and begins with c; what one text has, or all, is left out."""
    table = cb.representations.ngrams([["cat"], ["rat"], ["cap"], ["tap"]], list("PPQQ"), sizes=[2])

    assert table["ngrams=2"].schema.names == ("^c", "ap", "at", "ca", "p$", "t$")
    assert told(table)["ngrams=2"][0] == ["yes", "no", "yes", "yes", "no", "yes"]


def test_ngrams_of_two_columns_are_told_apart():
    """With several texts the name of the column stands before the n-gram; numbers stay; a missing text has none."""
    frame = pd.DataFrame({"a": ["xy", "xy", None], "b": ["xz", "x", "q"], "n": [1.0, 2.0, 3.0]})
    (cases,) = cb.representations.ngrams(frame, list("PQQ"), sizes=["1-2"]).values()

    assert cases.schema.names == ("a: $", "a: ^", "a: ^x", "a: x", "a: xy", "a: y", "a: y$", "b: ^x", "b: x", "n")
    assert cases.values(2) == ["no"] * 9 + [3.0]


def test_subsets_of_features():
    """Names joined by +, all but some, the most relevant ones, lists."""
    frame = pd.DataFrame({"noise": list("xxyyxx"), "kind": list("aaabbb"), "colour": list("rgrgrg")})
    table = cb.representations.subsets(frame, KINDS, features=["noise+colour", "-noise", 1, "all", ["kind"]])

    assert {name: cases.schema.names for name, cases in table.items()} == {
        "features=noise+colour": ("noise", "colour"),
        "features=-noise": ("kind", "colour"),
        "features=best1": ("kind",),
        "features=all": ("noise", "kind", "colour"),
        "features=kind": ("kind",),
    }


def test_the_best_features_and_a_position_have_names_of_their_own():
    """The two best features and the column at position 2 were both `features=2`, and one of them was lost."""
    rows = [["a", "x", "1"], ["a", "y", "2"], ["b", "z", "1"], ["b", "x", "2"]]
    table = cb.representations.subsets(rows, list("PPQQ"), features=[2, [2]])

    assert {name: cases.schema.names for name, cases in table.items()} == {
        "features=best2": ("f1", "f2"),
        "features=2": ("f3",),
    }
    assert list(cb.representations.subsets(rows, list("PPQQ"), features="best2")) == ["features=best2"]
    assert list(cb.representations.subsets(rows, list("PPQQ"), features="2")) == ["features=best2"]


def test_two_representations_of_one_name_are_refused():
    """A column may be called as another one's position is written."""
    rows = [{"1": "a", "other": "x"}, {"1": "b", "other": "y"}]

    with pytest.raises(CasebaseError, match="Two representations would be named 'features=1'"):
        cb.representations.subsets(rows, ["P", "Q"], features=["1", [1]])


def test_names_can_be_imported_from_the_module():
    """`casebase.representations` was an attribute of the package, and no module."""
    done = subprocess.run(
        [sys.executable, "-c", "from casebase.representations import vary; print(vary.__name__)"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("vary\n", "")


def test_what_is_varied_is_combined():
    """Every combination is one representation."""
    table = cb.representations.vary(
        NUMBERS, KINDS, bins=[2, 3], method=["equal_width", "mdlp"], features=["all", "-colour"]
    )

    assert list(table) == [
        f"features={features} {cuts}"
        for features in ("all", "-colour")
        for cuts in ("method=equal_width bins=2", "method=equal_width bins=3", "method=mdlp")
    ]


def test_generated_representations_can_be_compared():
    """The class in the middle of a window is told by its neighbours: a window that sees them is better."""
    rng = np.random.default_rng(0)
    rows = rng.choice(list("ab"), (300, 7))
    kinds = np.where(rows[:, 2] == rows[:, 4], "same", "other")
    found = cb.compare_representations(cb.representations.windows(rows, kinds, sizes=[0, 1, 3]), learner="igtree")

    assert found.ranking[0] == "window=1+1"


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({}, "Nothing to vary"),
        ({"bins": []}, "list of values is empty"),
        ({"bins": [0]}, "whole number of at least 1; got 0"),
        ({"bins": ["many"]}, "bins takes whole numbers; got 'many'"),
        ({"bins": [3], "method": "mdlp"}, "no meaning for mdlp"),
        ({"method": ["mdpl"]}, "Did you mean 'mdlp'"),
        ({"window": ["1+1"]}, "2 features have none"),
        ({"window": ["1+1+1"]}, r"got '1\+1\+1'"),
        ({"window": ["x"]}, "got 'x'"),
        ({"window": [-1]}, "got -1"),
        ({"ngrams": ["3-1"]}, "got '3-1'"),
        ({"ngrams": ["0"]}, "got '0'"),
        ({"ngrams": [9]}, "distinguishes the texts"),
        ({"features": ["lenth"]}, "Did you mean 'length'"),
        ({"features": ["-length+colour"]}, "has no feature"),
        ({"features": [5]}, "There are 2 features to choose from; got 5"),
        ({"features": [None]}, "got None"),
    ],
)
def test_what_cannot_be_varied(axes, message):
    frame = NUMBERS if "ngrams" not in axes else NUMBERS[["colour"]]
    with pytest.raises(CasebaseError, match=message):
        cb.representations.vary(frame, KINDS, **axes)


def test_symbols_have_no_intervals():
    """The message says how whole numbers become numbers."""
    with pytest.raises(CasebaseError, match="--metric age=numeric"):
        cb.representations.discretisations([["1"], ["2"]], ["P", "Q"])


def test_windows_wider_than_the_table_and_texts_without_classes():
    with pytest.raises(CasebaseError, match=r"3\+3 is wider than the table: it has 1 columns before and after"):
        cb.representations.windows([list("abc")], ["P"], sizes=[3])
    with pytest.raises(CasebaseError, match="3 tokens, 2 classes"):
        cb.representations.token_windows(["abc"], ["P", "Q"])
    with pytest.raises(CasebaseError, match="Sequence 0 has 3 tokens, but 2 classes"):
        cb.representations.token_windows(["abc"], [["P", "Q"]])
    with pytest.raises(CasebaseError, match="Give \\[text\\]"):
        cb.representations.token_windows("abc", ["P", "Q", "P"])
