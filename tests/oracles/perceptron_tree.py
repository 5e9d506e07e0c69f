"""Perceptron trees: a linear program decides whether classes are linearly separable.

Utgoff, "Perceptron trees: a case study in hybrid concept representations" (1988): a node is a perceptron
if its cases are linearly separable. Symbols are inputs of 0 and 1, one for each value; numbers are inputs
as they are. More than two classes are separated by one plane each (a linear machine): the highest wins.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog

from tests.oracles.id3 import Row


def inputs(rows: Sequence[Row], numeric: frozenset[int] = frozenset()) -> list[list[float]]:
    """Return the inputs of each case, and a 1 for the threshold; a missing number is 0 with an input of its own.

    >>> inputs([["a", 2.0], ["b", None]], frozenset([1]))
    [[1.0, 0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0, 1.0]]
    """
    columns: list[list[float]] = []
    for f in range(len(rows[0])):
        values = [row[f] for row in rows]
        if f in numeric:
            columns.append([0.0 if value is None else float(value) for value in values])
            columns.append([float(value is None) for value in values])
        else:
            columns += [[float(value == name) for value in values] for name in sorted(set(values), key=str)]
    columns.append([1.0] * len(rows))
    return [list(row) for row in zip(*columns)]


def is_separable(rows: Sequence[Row], labels: Sequence[str], numeric: frozenset[int] = frozenset()) -> bool:
    """Return whether some weights let each case's class be the highest, by a margin of 1 (the scale is free).

    >>> is_separable([["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]], list("0001"))
    True
    >>> is_separable([["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]], list("0110"))
    False
    """
    points, classes = inputs(rows, numeric), sorted(set(labels))
    n_inputs = len(points[0])
    conditions = []
    for point, label in zip(points, labels):
        for other in classes:
            if other != label:
                condition = np.zeros((len(classes), n_inputs))
                condition[classes.index(other)] = point
                condition[classes.index(label)] = [-x for x in point]
                conditions.append(condition.ravel())
    if not conditions:
        return True
    n_weights = len(classes) * n_inputs
    found = linprog(np.zeros(n_weights), A_ub=np.array(conditions), b_ub=-np.ones(len(conditions)), bounds=(None, None))
    return bool(found.status == 0)
