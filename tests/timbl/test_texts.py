"""Numbers, names and files as TiMBL writes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casebase.timbl.file_names import output_path, percent_path
from casebase.timbl.notation import as_distance, as_votes, escape, unescape
from casebase.timbl.options import read_options
from casebase.timbl.results import Distributions, Shown, confidences


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.39240427756029543, "0.39240427756030"),
        (0.0, "0.0000000000000"),
        (1.1975771158584, "1.1975771158584"),
        (0.098101069390074, "0.098101069390074"),
        (1.1102230246251565e-16, "1.1102230246252e-16"),
        (1.7976931348623157e308, "1.7976931348623e+308"),
    ],
)
def test_a_distance_has_14_digits(number, text):
    """Trailing zeros are kept."""
    assert as_distance(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(1.0, "1.00000"), (17.0, "17.0000"), (2.0**52, "4.50360e+15"), (1 / 11, "0.0909091")]
)
def test_votes_have_6_digits(number, text):
    """Trailing zeros are kept."""
    assert as_votes(number) == text


def test_only_confidences_after_a_distance_keep_their_zeros():
    """The first one is written before any distance."""
    assert confidences(np.array([0.5, 0.75]), after_distance=True) == ["0.5", "0.750000"]
    assert confidences(np.array([0.5, 0.75]), after_distance=False) == ["0.5", "0.75"]


@given(st.text(alphabet="ab\\_ t\t"))
def test_a_stored_value_has_no_blanks_and_can_be_restored(value):
    """Whatever backslashes it has."""
    assert " " not in escape(value)
    assert "\t" not in escape(value)
    assert unescape(escape(value)) == value


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("", "t.IB1.O.gr.k1.out"),
        ("-a1 -w ig", "t.IGTree.ig.out"),
        ("-a1 +x", "t.IGTree.gr.X.out"),
        ("-a2 -q3", "t.TRIBL-3.O.gr.k1.out"),
        ("-a3 -b9", "t.IB2.O.gr.k1.out"),
        ("-a4 -k2", "t.TRIBL2.O.gr.k2.out"),
        ("-m O:N3:I2,5-7 -w nw -k2 -dID +x", "t.IB1.O:N3:I2,5-7.nw.k2.ID.X.out"),
        ("-mM -L3 -dED:1:2 -k3 -w2", "t.IB1.M.L3.ig.k3.ED:1:2.out"),
        ("-dZ", "t.IB1.O.gr.k1.Z.out"),
        ("-w weights.wgt", "t.IB1.O.ud.k1.out"),
        ("-t leave_one_out", "t.LOO.O.gr.k1.out"),
        ("-o answers", "answers"),
        ("-o answers -O out", "out/answers"),
        ("-O out", "out/t.IB1.O.gr.k1.out"),
    ],
)
def test_an_output_file_is_named_after_the_options(words, name):
    """All that changes the answers is in the name."""
    assert output_path(read_options(words.split()), "t") == name


def test_files_beside_the_answers():
    """Answers go beside the test file, percentages beside the answers."""
    assert output_path(read_options([]), "sub/t") == "sub/t.IB1.O.gr.k1.out"
    assert output_path(read_options(["-O", "out"]), "sub/t") == "out/t.IB1.O.gr.k1.out"
    assert percent_path("out.x/answers") == "out.x/answers.%"


VOTES = Distributions(np.array([0, 2, 3]), np.array([1, 2, 1]), np.array([3.0, 1.0, 2.0]))


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (Shown(), "{ Q 3.00000, R 1.00000 }"),
        (Shown("probability"), "{ Q 0.750000, R 0.250000 }"),
        (Shown("add", 0.5), "{ P 0.0909091, Q 0.636364, R 0.272727 }"),
        (Shown("log_probability"), "{ Q 0.666667, R 0.333333 }"),
        (Shown("probability", beam=1), "{ Q 3.00000 }"),
        (Shown(beam=2), "{ Q 3.00000, R 1.00000 }"),
    ],
)
def test_a_distribution_as_it_is_asked_for(shown, text):
    """The second test line of the specification, at k = 2, by every normalisation."""
    assert VOTES.texts(["P", "Q", "R"], shown)[0] == text


def test_classes_come_in_the_order_of_training():
    """Codes are alphabetical; the rank says when training met a class. One without votes is left out."""
    rank = np.array([2, 0, 1])
    ordered = Distributions.in_order(np.array([0, 3]), np.array([0, 1, 2]), np.array([5.0, 1.0, 1e-300]), rank)

    assert ordered.texts(["Q", "R", "P"], Shown()) == ["{ Q 1.00000, P 5.00000 }"]
