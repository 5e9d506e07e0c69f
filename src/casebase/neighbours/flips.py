"""Flips of the nearest neighbours and their trees, and the stored cases without which an answer changes."""

import numpy as np

from casebase.base.flips import Domain, Structure, domains_of
from casebase.base.flips.columns import Options
from casebase.data import Cases
from casebase.memory.segments import Memory, question_columns
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.removal import find_removal
from casebase.neighbours.screen import screen_of
from casebase.neighbours.search import Neighbours
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2

Searching = IB1 | IB2 | TRIBL | TRIBL2
N_RECORDS = 5
MANY = 512  # options: with fewer it is cheaper to try all than to find out which are equivalent
MOST_FEATURES = 40  # a pattern of agreeing features, and a voter, fit into one number
SLACK = 1e-9  # of a distance: the search adds up costs in another order


def domains(model: Searching) -> tuple[Domain | None, ...]:
    """Return all stored values."""
    return domains_of(model.schema, model.stored_memory())


def memory_of(model: Searching) -> Memory:
    return model.stored_memory()


def tree_domains(model: IGTree) -> tuple[Domain | None, ...]:
    """Return the values of the features in the tree; those without a branch get one answer."""
    tree, groups = model.tree, {}
    for feature, nodes in zip(model.order.tolist(), tree.levels[1:]):
        vocabulary = model.schema.features[feature].vocabulary
        assert vocabulary is not None
        values = tree.value[nodes.start : nodes.stop]
        groups[feature] = np.full(len(vocabulary), len(vocabulary))
        groups[feature][values] = values
    return domains_of(model.schema, used=list(groups), groups=groups)


def asked_by_walk(model: IGTree, cases: Cases) -> np.ndarray:
    """Return the features of the levels that each walk went down, and of the one where it ended."""
    _, depth = model.walk(cases)
    return _first_features(model.order, depth.astype(np.int64) + 1, len(model.schema.features))


def asked_by_tribl(model: TRIBL, cases: Cases) -> np.ndarray:
    """Return the features of the walk where it ended in the tree, and all features where cases were compared."""
    _, depth = model._walk(cases, 1)
    order = model.below.memory.order
    n_tested = np.where(depth == model.switch, len(order), depth.astype(np.int64) + 1)
    return _first_features(order, n_tested, len(model.schema.features))


def _first_features(order: np.ndarray, n_tested: np.ndarray, n_features: int) -> np.ndarray:
    tested = np.zeros((len(n_tested), n_features), dtype=bool)
    for level, feature in enumerate(order.tolist()):
        tested[:, feature] = level < n_tested
    return tested


def equivalent(model: IB1 | IB2, case: Cases, options: Options) -> np.ndarray | None:
    """Return the single changes whose answer is that of another change of the same column; None if not known.

    Where values agree or not, let e be the query with an unknown value of a feature of weight w. A value v brings the
    cases that have it nearer by w. If all of them are farther from e than the last deciding distance plus w, none of
    them decides, and v gets the answer of e: of all such values the first is enough. Two values also get the same
    answer if the cases that have them are of the same classes and agree with the query on the same other features.
    """
    ib1 = model.kept if isinstance(model, IB2) else model
    memory, voting = ib1.memory, ib1.voting
    is_plain = all(metric == "overlap" for metric in ib1.comparing.metrics) and memory.segments[0].exemplars is None
    if options.n_options < MANY or not is_plain or len(memory.order) >= MOST_FEATURES:
        return None
    rows = memory.in_given_order
    asked = question_columns(case, memory.order, voting.missing_agrees)
    weights = ib1.metric.weights[0]
    stored = [memory.column(rank, rows) for rank in range(len(asked))]
    agrees = [column == code[0] for column, code in zip(stored, asked)]
    away, pattern = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    for rank, same in enumerate(agrees):
        away += weights[rank] * ~same
        pattern |= same.astype(np.int64) << rank
    reach = _reach(ib1, case)
    _, voter = np.unique(np.stack([memory.labels(rows), _or_ones(memory.counts(rows), len(rows))]), axis=1,
                         return_inverse=True)  # fmt: skip
    ranks = {position: rank for rank, position in enumerate(memory.order.tolist())}
    needless = np.zeros(options.n_options, dtype=bool)
    for i, column in enumerate(options.columns):
        (feature,) = column.features
        rank, first, end = ranks[feature], int(options.first[i]), int(options.first[i + 1])
        values = options.values[feature][first:end]
        bound = reach[rank] + weights[rank]
        is_near = away <= bound + SLACK * (1.0 + abs(bound))
        matters = np.isin(values, stored[rank][is_near])
        needless[first + np.flatnonzero(~matters)[1:]] = True
        others = (pattern & ~(1 << rank)) * (int(voter.max()) + 1) + voter.ravel()
        is_copy = copies(values[matters], stored[rank], others)
        needless[first + np.flatnonzero(matters)[is_copy]] = True
    return needless


def copies(values: np.ndarray, stored: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return which values are copies of earlier ones: the cases that have them have the same keys.

    >>> copies(np.array([0, 1, 2]), np.array([0, 1, 2, 1]), np.array([5, 5, 5, 6])).tolist()
    [False, False, True]
    """
    here = np.isin(stored, values)
    order = np.lexsort((keys[here], stored[here]))
    of_value, key = stored[here][order], keys[here][order]
    begin, end = np.searchsorted(of_value, values), np.searchsorted(of_value, values, side="right")
    seen: set[bytes] = set()
    is_copy = np.zeros(len(values), dtype=bool)
    for i, (a, b) in enumerate(zip(begin.tolist(), end.tolist())):
        cases = key[a:b].tobytes()
        is_copy[i] = cases in seen
        seen.add(cases)
    return is_copy


def _reach(ib1: IB1, case: Cases) -> np.ndarray:
    """Return for each feature the last distance that can decide, if its value is unknown."""
    n_groups = ib1.voting.k + 1
    found = ib1.nearby.nearest(ib1.questions(_with_each_unknown(case, ib1.memory.order)), n_groups)
    last = found.first_group[1:] - 1
    return np.where(found.n_groups == n_groups, found.distance[last], np.inf)


def _or_ones(counts: np.ndarray | None, n: int) -> np.ndarray:
    return np.ones(n) if counts is None else counts


def _with_each_unknown(case: Cases, order: np.ndarray) -> Cases:
    """Return the query once for each feature, with an unknown value of it."""
    n = len(order)
    columns = [np.repeat(column, n) for column in case.columns]
    for row, feature in enumerate(order.tolist()):
        vocabulary = case.schema.features[feature].vocabulary
        assert vocabulary is not None
        columns[feature][row] = vocabulary.unknown
    return Cases(case.schema, tuple(columns), None, n_cases=n)


def records(model: Searching, case: Cases, label: int) -> tuple[int | str, ...]:
    """Return the ids of the nearest of the cases that decided, of the class that was answered."""
    found: Neighbours = model.deciding(case)
    memory = model.stored_memory()
    rows = found.rows[memory.labels(found.rows) == label]
    ids: tuple[int | str, ...] = tuple(memory.ids(rows[:N_RECORDS]).tolist())
    return ids


def remembers_ties(model: Searching) -> bool:
    """Whether the answer to a query depends on those before it, as a quirk."""
    ib1 = model.kept if isinstance(model, IB2) else model if isinstance(model, IB1) else model.below
    return ib1.nearby.remembers_ties


SEARCH = Structure(
    domains,
    memory=memory_of,
    equivalent=equivalent,
    screen=screen_of,
    records=records,
    removal=find_removal,
    asks_alone=remembers_ties,
)
TRIBL_SEARCH = Structure(
    domains, asked_by_tribl, memory_of, records=records, removal=find_removal, asks_alone=remembers_ties
)
TRIBL2_SEARCH = Structure(domains, memory=memory_of, records=records, removal=find_removal, asks_alone=remembers_ties)
TREE = Structure(tree_domains, asked_by_walk)
