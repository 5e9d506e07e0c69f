"""IB1: store all cases; the nearest ones vote.

The distance of two cases is the sum of the weights of the features on which they differ;
on a numeric feature, of the weight times the difference. All the cases at one of the `k`
smallest *distinct* distances vote. If two classes get equally many votes, the next distance
votes as well, once; if the vote is still tied, the class more frequent in training wins.

Other distances come as a `metric` (tests/oracles/metrics.py), votes that shrink with the
distance as `group_weights` (tests/oracles/decay.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tests.oracles.decay import GroupWeights, equal
from tests.oracles.weights import EPS, Counts, Row, Value, relevance

if TYPE_CHECKING:
    from tests.oracles.metrics import Metric

Votes = dict[str, float]
Ranges = Mapping[int, float]


class Group(NamedTuple):
    """The stored cases at one distance, with their votes and row numbers."""

    distance: float
    votes: Votes
    rows: list[int]


@dataclass
class Answer:
    """A class, and the groups whose votes decided it."""

    label: str
    votes: Votes
    groups: list[Group]  # k of them, or k + 1 where the extra one resolved a tie
    was_tied: bool  # before the retry
    listed: list[Group]  # k groups, and group k + 1 after any tie: what TiMBL shows with +vn

    @property
    def distance(self) -> float:
        return self.groups[0].distance


def classify(
    rows: Sequence[Row],
    labels: Sequence[str],
    query: Row,
    weights: Sequence[float],
    k: int = 1,
    numeric: Collection[int] = frozenset(),
    counts: Counts | None = None,
    label_order: Sequence[str] | None = None,
    missing: str = "value",
    *,
    sum_order: Sequence[int] | None = None,
    ranges: Ranges | None = None,
    class_counts: Mapping[str, float] | None = None,
    retries_exact: bool = True,
    metric: Metric | None = None,
    group_weights: GroupWeights = equal,
    exact_match: bool = False,
    has_shortcut: bool = True,
    met: Sequence[int] | None = None,
    exemplars: Sequence[float] | None = None,
    compat: str | None = None,
) -> Answer:
    """Return the class most frequent among the nearest stored cases.

    `label_order` settles the last ties; sorted labels unless given. `missing` is `"value"`
    (missing equals missing) or `"unknown"` (it equals nothing). `sum_order` is the order in
    which the features' distances are added up, and the only features used. With `exact_match`,
    cases equal to the query decide alone at any k, without a retry; `has_shortcut` says
    whether they do so at k = 1 (TiMBL's do not while it lists neighbours). `met` is the order in
    which TiMBL's search reaches the stored cases, for its grouping; without it groups grow from the
    smallest distance up. `exemplars` are the weights of the cases, by which their distances are
    divided; with `compat="timbl"` they are also the votes of exact matches. The rest is for callers
    that search a part of the memory: `ranges` and `class_counts` of the whole of it, and whether a
    tie among exact matches is retried.
    """
    if counts is None:
        counts = [1] * len(rows)
    if label_order is None:
        label_order = sorted(set(labels))
    if sum_order is None:
        sum_order = summation_order(rows, labels, counts, numeric)
    if ranges is None:
        ranges = value_ranges(rows, numeric, counts)
    if class_counts is None:
        class_counts = count_classes(labels, counts)
    stored = [i for i in range(len(rows)) if counts[i] > 0]

    if metric is None:
        distances = {i: distance(rows[i], query, weights, ranges, sum_order, missing) for i in stored}
        used = list(sum_order)
    else:
        distances = {i: metric.distance(rows[i], query, weights, sum_order) for i in stored}
        used = [f for f in sum_order if metric.names[f] != "ignored"]
    if exemplars is not None:
        distances = {i: d / (exemplars[i] + (EPS if compat == "timbl" else 0)) for i, d in distances.items()}
    if met is None:
        every_group = group_by_distance(distances, labels, counts)
    else:
        every_group = group_as_met(distances, [i for i in met if i in distances], labels, counts)

    groups = every_group[:k]
    retry = every_group[: k + 1]
    is_exact = False
    if (exact_match or (k == 1 and has_shortcut)) and not (metric and metric.is_similarity):
        same = [i for i in stored if is_same(rows[i], query, used, missing)]
        if same:
            # Equal cases, not cases at distance 0: a feature of weight 0 adds no distance.
            is_exact = True
            groups = [Group(0.0, count_votes(same, labels, counts), same)]
            retry = groups + every_group[1:2]
            if exemplars is not None and compat == "timbl":
                groups = [Group(0.0, {labels[i]: exemplars[i] for i in same}, same)]

    votes = pool(groups) if is_exact else pool(groups, group_weights)
    label, was_tied = choose(votes, class_counts, label_order)
    if was_tied and not (is_exact and (exact_match or not retries_exact)):
        votes_again = pool(retry, getattr(group_weights, "retry", group_weights))
        other_label, still_tied = choose(votes_again, class_counts, label_order)
        if not still_tied:
            return Answer(other_label, votes_again, retry, was_tied, retry)
        return Answer(label, votes, groups, was_tied, retry)
    return Answer(label, votes, groups, was_tied, groups)


def distance(
    stored: Row,
    query: Row,
    weights: Sequence[float],
    ranges: Ranges,
    sum_order: Sequence[int],
    missing: str = "value",
) -> float:
    """Return the weighted sum of the features' differences."""
    total = 0.0
    for feature in sum_order:
        total += weights[feature] * difference(stored[feature], query[feature], ranges.get(feature), missing)
    return total


def difference(x: Value, y: Value, value_range: float | None, missing: str = "value") -> float:
    """Return how different two values are: 0 or 1, or any number in a numeric feature."""
    if x is None or y is None:
        return 0.0 if x is None and y is None and missing == "value" else 1.0
    if x == y:
        return 0.0
    if value_range is None:
        return 1.0
    return abs((float(x) - float(y)) / value_range)


def is_same(stored: Row, query: Row, features: Sequence[int], missing: str = "value") -> bool:
    """Return whether two cases have the same value in every feature."""
    return all(difference(stored[f], query[f], None, missing) == 0 for f in features)


def group_by_distance(distances: Mapping[int, float], labels: Sequence[str], counts: Counts) -> list[Group]:
    """Return all the stored cases, nearest first, grouped by equal distance."""
    groups: list[Group] = []
    for i in sorted(distances, key=lambda i: (distances[i], i)):
        if not groups or abs(distances[i] - groups[-1].distance) >= EPS:
            groups.append(Group(distances[i], {}, []))
        groups[-1].rows.append(i)
    return [
        Group(group.distance, count_votes(sorted(group.rows), labels, counts), sorted(group.rows)) for group in groups
    ]


def group_as_met(
    distances: Mapping[int, float], met: Sequence[int], labels: Sequence[str], counts: Counts
) -> list[Group]:
    """Return the stored cases grouped around the first one that the search reaches at each distance, nearest first."""
    groups: list[Group] = []
    for i in met:
        near = [group for group in groups if abs(distances[i] - group.distance) < EPS]
        if near:
            near[0].rows.append(i)
        else:
            groups.append(Group(distances[i], {}, [i]))
            groups.sort(key=lambda group: group.distance)
    return [Group(group.distance, count_votes(group.rows, labels, counts), sorted(group.rows)) for group in groups]


def meeting_order(rows: Sequence[Row], query: Row, tree_order: Sequence[int]) -> list[int]:
    """Return the rows in the order of TiMBL's search: depth first through the tree of their values.

    At each level the branch of the query's value comes first, the others in the order in which
    their text was first read in any feature.
    """
    read: dict[Value, int] = {}
    for row in rows:
        for value in row:
            read.setdefault(value, len(read))
    return sorted(range(len(rows)), key=lambda i: [(rows[i][f] != query[f], read[rows[i][f]]) for f in tree_order])


def count_votes(members: Sequence[int], labels: Sequence[str], counts: Counts) -> Votes:
    """Return how often each class occurs among the given rows."""
    votes: Votes = {}
    for i in members:
        votes[labels[i]] = votes.get(labels[i], 0.0) + counts[i]
    return votes


def pool(groups: Sequence[Group], group_weights: GroupWeights = equal) -> Votes:
    """Return the votes of several groups together, each times its weight."""
    votes: Votes = {}
    for group, weight in zip(groups, group_weights([group.distance for group in groups])):
        for label, n in group.votes.items():
            votes[label] = votes.get(label, 0.0) + weight * n
    return votes


def choose(
    votes: Mapping[str, float], class_counts: Mapping[str, float], label_order: Sequence[str]
) -> tuple[str, bool]:
    """Return the class with the most votes, and whether the vote was tied.

    Equal votes: the class more frequent in training, then the one earlier in `label_order`.
    """
    best: str | None = None
    top = 0.0
    is_tied = False
    for label in label_order:
        if label not in votes:
            continue
        if best is None or votes[label] > top:
            best, top, is_tied = label, votes[label], False
        elif abs(votes[label] - top) < EPS:
            is_tied = True
            if class_counts[label] > class_counts[best]:
                best = label
    if best is None:
        raise ValueError(f"No class of {list(label_order)} has a vote: {dict(votes)}.")
    return best, is_tied


def count_classes(labels: Sequence[str], counts: Counts | None = None) -> Votes:
    """Return how often each class occurs in the whole memory."""
    return count_votes(range(len(labels)), labels, [1] * len(labels) if counts is None else counts)


def value_ranges(rows: Sequence[Row], numeric: Collection[int], counts: Counts | None = None) -> dict[int, float]:
    """Return maximum minus minimum of each numeric feature.

    A feature whose values are all the same is left out: it is compared like a symbolic one.
    """
    ranges = {}
    for feature in numeric:
        values = [
            float(row[feature])
            for i, row in enumerate(rows)
            if row[feature] is not None and (counts is None or counts[i] > 0)
        ]
        if values and max(values) - min(values) >= EPS:
            ranges[feature] = max(values) - min(values)
    return ranges


def summation_order(
    rows: Sequence[Row],
    labels: Sequence[str],
    counts: Counts | None = None,
    numeric: Collection[int] = (),
) -> list[int]:
    """Return the features by gain ratio per value, largest first, equal ones by column.

    The order of addition matters: sums that differ in the last bit may be two distances.
    """
    ratios = relevance(rows, labels, "gain_ratio", counts, numeric)
    keys = []
    for feature, ratio in enumerate(ratios):
        n_values = len({row[feature] for i, row in enumerate(rows) if counts is None or counts[i] > 0})
        keys.append(ratio / n_values)
    return sorted(range(len(keys)), key=lambda feature: -keys[feature])
