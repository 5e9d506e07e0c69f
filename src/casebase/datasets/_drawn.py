"""Data sets of any size, drawn at random from a rule: the same seed gives the same cases."""

from collections.abc import Callable

import numpy as np

from casebase.datasets._base import Dataset
from casebase.errors import CasebaseError


def make_parity(n_cases: int, n_relevant: int = 5, n_irrelevant: int = 3, seed: int = 0) -> Dataset:
    """Return random strings of bits, classed by the parity of the relevant ones.

    The class is the parity, `odd` or `even`, of the first `n_relevant` features. All strings of `load_parity` are
    equally likely, and a string may occur more than once.

    >>> ds = make_parity(100, n_relevant=2, n_irrelevant=1)
    >>> ds
    Dataset('parity': 100 cases, 3 features, 2 classes)
    >>> set(ds.target[(ds.data[:, :2] == "1").all(axis=1)].tolist())
    {'even'}
    """
    return _draw(
        "parity",
        f"Is the number of ones among the first {n_relevant} bits odd?",
        lambda bits: np.where(bits.sum(axis=1) % 2, "odd", "even"),
        (n_cases, n_relevant, n_irrelevant, seed),
    )


def make_conjunction(n_cases: int, n_relevant: int = 5, n_irrelevant: int = 3, seed: int = 0) -> Dataset:
    """Return random strings of bits, classed by whether all relevant ones are 1.

    The class is `yes` if the first `n_relevant` features are all 1, which holds for one string in 2^`n_relevant`, and
    `no` otherwise.

    >>> ds = make_conjunction(100, n_relevant=2, n_irrelevant=1)
    >>> set(ds.target[(ds.data[:, :2] == "1").all(axis=1)].tolist())
    {'yes'}
    """
    return _draw(
        "conjunction",
        f"Are the first {n_relevant} bits all 1?",
        lambda bits: np.where(bits.all(axis=1), "yes", "no"),
        (n_cases, n_relevant, n_irrelevant, seed),
    )


def _draw(
    name: str, question: str, classes: Callable[[np.ndarray], np.ndarray], size: tuple[int, int, int, int]
) -> Dataset:
    n_cases, n_relevant, n_irrelevant, seed = size
    if n_cases < 1 or n_relevant < 1 or n_irrelevant < 0:
        raise CasebaseError(
            f"A {name} needs 1 or more cases, 1 or more relevant features and 0 or more irrelevant ones, "
            f"got {n_cases}, {n_relevant} and {n_irrelevant}."
        )
    bits = np.random.default_rng(seed).integers(0, 2, (n_cases, n_relevant + n_irrelevant), dtype=np.uint8)
    names = [f"relevant{i + 1}" for i in range(n_relevant)] + [f"irrelevant{i + 1}" for i in range(n_irrelevant)]
    text = f"{n_cases} random strings of {len(names)} bits. {question}"
    return Dataset(name, np.array(["0", "1"], object)[bits], classes(bits[:, :n_relevant]), tuple(names), text)
