"""The kernels written a second time with numpy and Python's own sorting, for any number of rows."""

import numpy as np

EPSILON = 2.0**-52
NO_ROW = NO_LABEL = 0xFFFFFFFF
EVERYTHING = [0, NO_ROW, 0, NO_LABEL]  # the scope of a question to all rows


def costs(stored, asked, weight, value_range, missing_agrees):
    """Return what one feature adds to the distance of every row."""
    if stored.dtype.kind == "u":
        return np.where(stored != asked, weight, 0.0)
    is_missing = np.isnan(stored) | np.isnan(asked)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.abs((stored - asked) / value_range) if value_range > 0 else (stored != asked).astype(float)
    both = np.isnan(stored) & np.isnan(asked)
    return weight * np.where(is_missing, np.where(both & missing_agrees, 0.0, 1.0), difference)


def distances(columns, query, weights, ranges, sum_order, first_feature, missing_agrees):
    """Return the distance of every row from one query, added up in the order given."""
    total = np.zeros(len(columns[0]))
    for f in sum_order:
        if f >= first_feature:
            total = total + costs(columns[f], query[f], weights[f], ranges[f], missing_agrees)
    return total


def identical(columns, query, first_feature, missing_agrees):
    """Return for every row whether it has the query's value in every feature that counts."""
    same = np.ones(len(columns[0]), dtype=bool)
    for f in range(first_feature, len(columns)):
        same &= costs(columns[f], query[f], 1.0, 0.0, missing_agrees) == 0
    return same


def nearest(columns, labels, query, weights, ranges, sum_order, scope, k, exact_first, missing_agrees):
    """Return [(distance, sorted rows), …] at the k smallest distances, and whether a row is identical."""
    first_feature, left_out, _, label_left_out = (int(s) for s in scope)
    agrees = labels != label_left_out
    for f in range(first_feature):
        agrees &= columns[f] == query[f]
    rows = np.array([row for row in np.flatnonzero(agrees) if row != left_out], dtype=np.int64)
    distance = distances(columns, query, weights, ranges, sum_order, first_feature, missing_agrees)[rows]
    groups: list[tuple[float, list[int]]] = []
    for at in np.argsort(distance, kind="stable"):
        if not groups or distance[at] - groups[-1][0] >= EPSILON:
            groups.append((float(distance[at]), []))
        groups[-1][1].append(int(rows[at]))
    same = rows[identical(columns, query, first_feature, missing_agrees)[rows]].tolist() if exact_first else []
    if same:
        groups[0] = (0.0, same)
    return [(d, sorted(members)) for d, members in groups[:k]], bool(same)


def sorted_rows(columns):
    """Return the columns with their rows in the order of the symbolic columns, the first one first."""
    symbolic = [column for column in columns if column.dtype.kind == "u"]
    if not symbolic:
        return list(columns)
    order = np.lexsort(symbolic[::-1])
    return [column[order] for column in columns]


def groups_of(found, n_queries):
    """Return the arrays of the compiled search as [(distance, sorted rows), …] per query."""
    result, group, at = [], 0, 0
    for q in range(n_queries):
        groups = []
        for _ in range(int(found["n_groups"][q])):
            n = int(found["n_rows"][group])
            groups.append((float(found["distance"][group]), sorted(found["rows"][at : at + n].tolist())))
            group, at = group + 1, at + n
        result.append(groups)
    assert group == len(found["distance"]) == len(found["n_rows"])
    assert at == len(found["rows"])
    return result
