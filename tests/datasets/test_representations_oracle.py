"""The tasks of ACR's paper against rules of the games written out plainly."""

from itertools import product

import pytest

from casebase import datasets

LINES = ["123", "456", "789", "147", "258", "369", "159", "357"]


@pytest.mark.parametrize("n_pixels", [4, 10])
@pytest.mark.parametrize("task", ["two", "two_or_more"])
def test_clumps(n_pixels, task):
    """A clump is what is left when a row of pixels is split at the white ones; its edge is its first pixel."""
    pixels = datasets.load_clumps(n_pixels=n_pixels, task=task, representation="pixel")
    edges = datasets.load_clumps(n_pixels=n_pixels, task=task, representation="edge")
    assert sorted(map("".join, pixels.data)) == sorted(map("".join, product("01", repeat=n_pixels)))
    for row, edge, yes in zip(pixels.data, edges.data, pixels.target, strict=True):
        clumps = "".join(row).replace("0", " ").split()
        assert (yes == "yes") == (len(clumps) == 2 if task == "two" else len(clumps) >= 2)
        starts = {i for i in range(n_pixels) if row[i] == "1" and (i == 0 or row[i - 1] == "0")}
        assert {i for i in range(n_pixels) if edge[i] == "1"} == starts
    assert list(pixels.target) == list(edges.target)


def has_line(squares):
    return any(set(line) <= squares for line in LINES)


@pytest.fixture(scope="module")
def positions():
    """The squares of the player to move and of the other, for every board that unfinished games lead to."""
    found, now = set(), {(frozenset(), frozenset())}
    while now:
        found |= now
        now = {
            (theirs, mine | {square})
            for mine, theirs in now
            for square in "123456789"
            if square not in mine | theirs and not has_line(mine | {square}) and len(mine | theirs) < 8
        }
    return found


def wins(mine, theirs):
    """The squares that win at once for the first."""
    return {s for s in "123456789" if s not in mine | theirs and has_line(mine | {s})}


def forks(mine, theirs):
    """The squares, not winning at once, after which two squares would win."""
    free = set("123456789") - mine - theirs
    return {s for s in free - wins(mine, theirs) if len(wins(mine | {s}, theirs)) >= 2}


def prevents(mine, theirs):
    """Whether the other threatens a fork and some move wins or leaves no fork."""
    free = set("123456789") - mine - theirs
    return bool(forks(theirs, mine)) and any(has_line(mine | {s}) or not forks(theirs, mine | {s}) for s in free)


@pytest.mark.parametrize(("problem", "is_yes"), [(1, lambda mine, theirs: bool(wins(mine, theirs))), (4, prevents)])
def test_boards(positions, problem, is_yes):
    """All boards that games lead to, and what the rules say about them."""
    locs = datasets.load_tic(problem, representation="locs")
    movs = datasets.load_tic(problem, representation="movs")
    found = set()
    for board, moves, yes in zip(locs.data, movs.data, locs.target, strict=True):
        mine = frozenset(str(i + 1) for i in range(9) if board[i] == "mine")
        theirs = frozenset(str(i + 1) for i in range(9) if board[i] == "theirs")
        found.add((mine, theirs))
        played = "".join(moves).rstrip("?")
        to_move = len(played) % 2
        assert (set(played[to_move::2]), set(played[1 - to_move :: 2])) == (mine, theirs)
        assert not any(has_line(set(played[:n][first::2])) for n in range(len(played) + 1) for first in (0, 1))
        assert (yes == "yes") == is_yes(mine, theirs)
    assert len(positions) == 4520
    assert found == positions
    assert list(locs.target) == list(movs.target)
