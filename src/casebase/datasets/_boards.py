"""Unfinished boards of tic-tac-toe, represented by the contents of the squares or by the moves."""

from collections.abc import Callable

import numpy as np

from casebase.datasets._base import MISSING, Dataset, from_rows
from casebase.datasets._generated import SQUARES, unfinished_boards, wins
from casebase.errors import CasebaseError, unknown_name

_REPRESENTATIONS = ("locs", "movs")


def load_tic(problem: int = 1, *, representation: str = "locs", seed: int = 0) -> Dataset:
    """Return the 4,520 unfinished boards of tic-tac-toe, with a question about each.

    `problem` 1 asks whether the player to move can win with this move. `problem` 4 asks whether the opponent threatens
    a fork (a move, not winning at once, after which two squares would win) and some move prevents it: after that move
    the game is won or the opponent has no such move left. The class is `yes` or `no`.

    In the representation `locs` a feature is what lies on a square, seen from the player to move: `mine`, `theirs` or
    `blank`. In `movs` it is the square, 1 to 9, of a move, `?` for a move not yet made; of the games that lead to a
    board one is drawn at random by `seed`. Both representations list the boards in the same order.

    >>> load_tic(1)
    Dataset('tic1-locs': 4520 cases, 9 features, 2 classes)
    >>> print(*load_tic(1, representation="movs").data[1])
    9 ? ? ? ? ? ? ? ?

    Saxena, An Algorithm to Evaluate Instance Representations, COINS 91-21, 1991.
    """
    if problem not in _QUESTIONS:
        raise CasebaseError(f"problem must be 1 or 4, got {problem!r}.")
    if representation not in _REPRESENTATIONS:
        raise CasebaseError(unknown_name("representation of boards", representation, _REPRESENTATIONS))
    question, holds = _QUESTIONS[problem]
    rng = np.random.default_rng(seed)
    rows = []
    for board in unfinished_boards():
        mine, theirs = "xo" if board.count("x") == board.count("o") else "ox"
        if representation == "locs":
            names = {mine: "mine", theirs: "theirs", "b": "blank"}
            values = [names[square] for square in board]
        else:
            values = _history(board, rng)
        rows.append([*values, "yes" if holds(board, mine, theirs) else "no"])
    feature_names = SQUARES if representation == "locs" else [f"move{i + 1}" for i in range(9)]
    text = f"All boards of tic-tac-toe on which the game goes on: {question}"
    return from_rows(f"tic{problem}-{representation}", rows, feature_names, text)


def _history(board: str, rng: np.random.Generator) -> list[str]:
    """Return the squares of the moves of a random game that leads to the board.

    Nobody has won, so each player's moves may have come in any order.
    """
    moves = [MISSING] * 9
    for first, player in enumerate("xo"):
        squares = [i + 1 for i, square in enumerate(board) if square == player]
        moves[first : first + 2 * len(squares) : 2] = [str(square) for square in rng.permutation(squares)]
    return moves


def _after(board: str, square: int, player: str) -> str:
    return board[:square] + player + board[square + 1 :]


def _moves(board: str, player: str) -> list[str]:
    """Return the boards that the player can reach with one move."""
    return [_after(board, i, player) for i, square in enumerate(board) if square == "b"]


def _can_win(board: str, mine: str, _theirs: str) -> bool:
    return any(wins(after, mine) for after in _moves(board, mine))


def _can_fork(board: str, player: str) -> bool:
    """Return whether some move that does not win would leave the player two winning squares."""
    return any(
        not wins(after, player) and sum(wins(won, player) for won in _moves(after, player)) >= 2
        for after in _moves(board, player)
    )


def _can_prevent_a_fork(board: str, mine: str, theirs: str) -> bool:
    return _can_fork(board, theirs) and any(
        wins(after, mine) or not _can_fork(after, theirs) for after in _moves(board, mine)
    )


_QUESTIONS: dict[int, tuple[str, Callable[[str, str, str], bool]]] = {
    1: ("can the player to move win at once?", _can_win),
    4: ("does the opponent threaten a fork that a move can prevent?", _can_prevent_a_fork),
}
