"""Data sets that a rule defines, computed on demand, complete and without noise.

They need no file, so tests and documentation can use them everywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from casebase.datasets._base import Dataset, from_rows
from casebase.errors import CasebaseError

_MAX_PARITY_FEATURES = 20  # the full space doubles with each feature: a million cases here

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))

SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)


def load_tic_tac_toe() -> Dataset:
    """Return the 958 final boards of tic-tac-toe.

    `x` moves first; `b` is a blank square. The class is `positive` where x has three in a row and
    `negative` where o has, or nobody. The boards are found by playing every game.

    >>> ds = load_tic_tac_toe()
    >>> ds
    Dataset('tic-tac-toe': 958 cases, 9 features, 2 classes)
    >>> int((ds.target == "positive").sum())
    626
    """
    boards = sorted(_endings(), key=lambda board: (not wins(board, "x"), _board_order(board)))
    rows = [[*board, "positive" if wins(board, "x") else "negative"] for board in boards]
    return from_rows(
        "tic-tac-toe", rows, SQUARES, "All final boards of tic-tac-toe in which x moved first; does x win?"
    )


def _endings() -> set[str]:
    """Return the final boards."""
    return {board for _, final in _plies() for board in final}


def unfinished_boards() -> list[str]:
    """Return the 4,520 unfinished boards, the empty one first.

    >>> len(unfinished_boards())
    4520
    """
    return ["b" * 9, *(board for unfinished, _ in _plies() for board in sorted(unfinished))]


def _plies() -> Iterator[tuple[set[str], set[str]]]:
    """Yield, move by move, the unfinished and the final boards of all games."""
    boards = {"b" * 9}
    for player in "xoxoxoxox":
        # A set: games that reach the same board by different moves continue as one.
        boards = {
            board[:i] + player + board[i + 1 :] for board in boards for i, square in enumerate(board) if square == "b"
        }
        final = {board for board in boards if wins(board, player) or "b" not in board}
        boards -= final
        yield boards, final


def wins(board: str, player: str) -> bool:
    """Return whether the player has three in a row."""
    return any(all(board[square] == player for square in line) for line in _LINES)


def _board_order(board: str) -> list[int]:
    return ["xob".index(square) for square in board]


_MONKS_SIZES = (3, 3, 2, 3, 4, 2)

_MONKS_CONCEPTS: dict[int, tuple[str, Callable[[Sequence[int]], bool]]] = {
    1: ("a1 = a2 or a5 = 1", lambda a: a[0] == a[1] or a[4] == 1),
    2: ("exactly two features have the value 1", lambda a: sum(value == 1 for value in a) == 2),
    3: (
        "a5 = 3 and a4 = 1, or a5 is not 4 and a2 is not 3",
        lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
    ),
}


def load_monks(problem: int = 1) -> Dataset:
    """Return all 432 robots of a MONK's problem, without noise.

    `problem` is 1 (a1 = a2 or a5 = 1), 2 (exactly two features have the value 1) or 3 (a5 = 3 and
    a4 = 1, or a5 is not 4 and a2 is not 3). The class is `1` where the concept holds, else `0`.

    >>> [int((load_monks(problem).target == "1").sum()) for problem in (1, 2, 3)]
    [216, 142, 228]

    Thrun et al., The MONK's Problems: A Performance Comparison of Different Learning Algorithms,
    CMU-CS-91-197, 1991. There, the training part of the third problem has 5 % of noise.
    """
    if problem not in _MONKS_CONCEPTS:
        raise CasebaseError(f"problem must be 1, 2 or 3, got {problem!r}.")
    text, holds = _MONKS_CONCEPTS[problem]
    robots = product(*(range(1, size + 1) for size in _MONKS_SIZES))
    rows = [[*map(str, robot), str(int(holds(robot)))] for robot in robots]
    names = [f"a{i}" for i in range(1, 7)]
    return from_rows(f"monks-{problem}", rows, names, f"All robots of MONK's problem {problem}: {text}.")


def load_parity(n_relevant: int = 5, n_irrelevant: int = 0) -> Dataset:
    """Return every string of bits, classed by a parity.

    The class is the parity, `odd` or `even`, of the first `n_relevant` features; the `n_irrelevant` features after
    them are noise. No single feature says anything about the class.

    >>> ds = load_parity(2, n_irrelevant=1)
    >>> ds.feature_names
    ('relevant1', 'relevant2', 'irrelevant1')
    >>> for bits, parity in zip(ds.data[:4], ds.target):
    ...     print(*bits, parity)
    0 0 0 even
    0 0 1 even
    0 1 0 odd
    0 1 1 odd
    """
    if n_relevant < 1 or n_irrelevant < 0 or n_relevant + n_irrelevant > _MAX_PARITY_FEATURES:
        raise CasebaseError(
            f"Parity needs 1 or more relevant features, 0 or more irrelevant ones and at most "
            f"{_MAX_PARITY_FEATURES} together, got {n_relevant} and {n_irrelevant}."
        )
    names = [f"relevant{i + 1}" for i in range(n_relevant)]
    names += [f"irrelevant{i + 1}" for i in range(n_irrelevant)]
    rows = [[*bits, "odd" if bits[:n_relevant].count("1") % 2 else "even"] for bits in product("01", repeat=len(names))]
    text = f"Every string of {len(names)} bits; is the number of ones among the first {n_relevant} odd?"
    return from_rows("parity", rows, names, text)


def load_lenses() -> Dataset:
    """Return all 24 patients of the contact lens problem.

    The class is the lens to fit, `hard`, `soft` or `none`. The cases equal those of the published
    table; they are computed from the optician's rules behind it.

    >>> ds = load_lenses()
    >>> {lens: int((ds.target == lens).sum()) for lens in ("hard", "soft", "none")}
    {'hard': 4, 'soft': 5, 'none': 15}

    Cendrowska, PRISM: An algorithm for inducing modular rules, International Journal of Man-Machine
    Studies 27, 1987.
    """
    patients: Iterable[tuple[str, str, str, str]] = product(
        ("young", "pre-presbyopic", "presbyopic"),
        ("myope", "hypermetrope"),
        ("no", "yes"),
        ("reduced", "normal"),
    )
    rows = [[*patient, _lens(*patient)] for patient in patients]
    names = ("age", "prescription", "astigmatic", "tears")
    return from_rows("lenses", rows, names, "Which contact lens suits a patient, for every kind of patient?")


def _lens(age: str, prescription: str, astigmatic: str, tears: str) -> str:
    if tears == "reduced":
        return "none"
    if astigmatic == "no":
        return "none" if (age, prescription) == ("presbyopic", "myope") else "soft"
    return "hard" if prescription == "myope" or age == "young" else "none"
