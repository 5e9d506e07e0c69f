"""Passengers of an invented ship: a table as people have them, with names, gaps, copies and slips of the pen."""

import numpy as np

from casebase.datasets._base import MISSING, Dataset
from casebase.errors import CasebaseError

_FIRST = {
    "female": [
        "Ada",
        "Agnes",
        "Bertha",
        "Clara",
        "Edith",
        "Ellen",
        "Flora",
        "Greta",
        "Hilda",
        "Ida",
        "Johanna",
        "Karin",
        "Lena",
        "Marta",
        "Olga",
        "Rosa",
    ],
    "male": [
        "Anton",
        "Carl",
        "David",
        "Edgar",
        "Frank",
        "Georg",
        "Henry",
        "Ivan",
        "Jakob",
        "Karl",
        "Leo",
        "Martin",
        "Nils",
        "Oskar",
        "Peter",
        "Walter",
    ],
}
_LAST = [
    "Abel",
    "Berg",
    "Carter",
    "Dahl",
    "Eriksson",
    "Fox",
    "Graham",
    "Holm",
    "Iversen",
    "Jones",
    "Keller",
    "Lund",
    "Moore",
    "Nolan",
    "Olsen",
    "Price",
]
_FARES = {"first": (60.0, 25.0), "second": (20.0, 6.0), "third": (9.0, 3.0)}
_COPIED = 0.01  # of the records, entered twice
_GAPS = {"age": 0.15, "port": 0.02}


def make_passengers(n_cases: int = 600, slips: float = 0.04, seed: int = 0) -> Dataset:
    """Return passengers of an invented ship that sank: who was saved?

    Women, children and the first class were more likely to be saved. The table is as messy as real ones: the columns
    `ticket` and `name` identify a passenger, `clerk` says who wrote the record, ages and ports are missing here and
    there, one record in a hundred was entered twice, and a share of `slips` of the classes is wrong, most of them
    written by clerk B.

    >>> ds = make_passengers()
    >>> ds
    Dataset('passengers': 600 cases, 9 features, 2 classes)
    >>> print(*ds.data[0], ds.target[0])
    T2535 Eriksson, Ida third female 42.0 0 9.94 Southampton C yes
    """
    if n_cases < 10 or not 0 <= slips < 0.5:
        raise CasebaseError(
            f"Passengers are at least 10, with a share of slips from 0 to 0.5; got {n_cases} and {slips}."
        )
    draw = np.random.default_rng(seed)
    cabin = draw.choice(["first", "second", "third"], size=n_cases, p=[0.25, 0.25, 0.5])
    sex = draw.choice(["female", "male"], size=n_cases, p=[0.38, 0.62])
    age = np.clip(draw.normal(np.where(cabin == "first", 38.0, 28.0), 13.0), 1, 75).round()
    family = draw.choice([0, 1, 2, 3, 4, 5], size=n_cases, p=[0.58, 0.22, 0.1, 0.05, 0.03, 0.02])
    port = draw.choice(["Southampton", "Cherbourg", "Queenstown"], size=n_cases, p=[0.7, 0.19, 0.11])
    fare = np.array([max(4.0, draw.normal(*_FARES[one])) for one in cabin.tolist()]).round(2)
    clerk = draw.choice(["A", "B", "C"], size=n_cases, p=[0.5, 0.2, 0.3])
    names = [f"{draw.choice(_LAST)}, {draw.choice(_FIRST[one])}" for one in sex.tolist()]
    tickets = [f"T{number}" for number in draw.permutation(np.arange(1000, 1000 + 3 * n_cases))[:n_cases].tolist()]

    # The logarithm of the odds of being saved; twice as steep as chance alone would have it, so that it can be learned.
    odds = np.where(sex == "female", 2.6, -2.4) + np.select([cabin == "first", cabin == "third"], [1.0, -0.8])
    odds += np.where(age < 13, 2.2, 0.0) - np.where(family > 3, 1.2, 0.0)
    is_saved = draw.random(n_cases) < 1 / (1 + np.exp(-2 * odds))
    was_slip = draw.random(n_cases) < slips * np.where(clerk == "B", 3.0, 0.5)
    is_saved ^= was_slip

    columns: list[list[object]] = [
        [*tickets],
        [*names],
        cabin.tolist(),
        sex.tolist(),
        age.tolist(),
        list(map(str, family.tolist())),
        fare.tolist(),
        port.tolist(),
        clerk.tolist(),
    ]
    columns[4] = [np.nan if gap else value for value, gap in zip(columns[4], draw.random(n_cases) < _GAPS["age"])]
    columns[7] = [MISSING if gap else value for value, gap in zip(columns[7], draw.random(n_cases) < _GAPS["port"])]
    data = np.empty((n_cases, len(columns)), dtype=object)
    for position, column in enumerate(columns):
        data[:, position] = column
    # A copy replaces a later record, under a ticket of its own.
    for row in np.flatnonzero(draw.random(n_cases) < _COPIED).tolist():
        if row:
            data[row, 1:] = data[row - 1, 1:]
            is_saved[row] = is_saved[row - 1]
    features = ("ticket", "name", "cabin", "sex", "age", "family", "fare", "port", "clerk")
    text = f"{n_cases} passengers of an invented ship: who was saved?"
    return Dataset("passengers", data, np.where(is_saved, "yes", "no"), features, text)
