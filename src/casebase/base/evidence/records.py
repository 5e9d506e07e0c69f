"""Why an answer was given: plain records with original values, ready to be read, stored or drawn.

Every learner fills one of these. They hold text and numbers only, never codes, so that they mean the same
on a terminal, in a web page and in a file. `render_text` and `render_html` show them; `to_dict` is what
`--json` prints, and `evidence_from_dict` reads it back.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from casebase.errors import CasebaseError, unknown_name


@dataclass(frozen=True)
class Unseen:
    """A value that no stored case has."""

    feature: str
    value: Any


@dataclass(frozen=True)
class Step:
    """A node on the way down a tree: the branch taken into it, and what it stands for."""

    feature: str | None
    value: Any
    default: Any
    counts: dict[Any, float]
    n_cases: float


@dataclass(frozen=True)
class Neighbour:
    """A stored case, how far it is, and what each feature added to the distance."""

    id: Any
    values: tuple[Any, ...]
    label: Any
    distance: float
    weight: float
    costs: tuple[float, ...]


@dataclass(frozen=True)
class Pool:
    """The stored cases that agree with the question on a set of features: their values, number and classes."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    n_cases: float
    counts: dict[Any, float]


@dataclass(frozen=True)
class PooledCase:
    """A stored case, and the positions of the pools that it is in; it counts once for each of them.

    `agrees` says of every feature whether its value is the one asked; None where features are not compared.
    """

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    agrees: tuple[bool | None, ...]
    pools: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What all evidence says: the case, its values that are new, the answer and the votes."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    unseen: tuple[Unseen, ...]
    label: Any
    votes: dict[Any, float]
    weights: tuple[float, ...]
    kind: str = field(init=False, default="evidence")

    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists, as JSON has them.

        JSON has no key but text, so the votes are under each class as it is written; `classes` lists the
        same classes as they are. A number that is not finite becomes None.
        """
        classes = dict.fromkeys([*self.votes, self.label])
        for step in getattr(self, "path", ()):
            classes.update(dict.fromkeys([*step.counts, step.default]))
        classes.update(dict.fromkeys(getattr(self, "sums", ())))
        for group in getattr(self, "abstract_cases", ()):
            classes.update(dict.fromkeys(group.counts))
        for pool in getattr(self, "pools", ()):
            classes.update(dict.fromkeys(pool.counts))
        return _plain({"kind": self.kind, **asdict(self), "classes": list(classes)})

    @property
    def distribution(self) -> dict[Any, float]:
        """The votes as shares of 1."""
        total = sum(self.votes.values())
        return {label: votes / total for label, votes in self.votes.items()}


@dataclass(frozen=True, kw_only=True)
class NeighbourEvidence(Evidence):
    """The nearest stored cases decided.

    `n_neighbours` cases at `distances` voted, of which `neighbours` lists the first; a tied first vote was
    taken once more with one more distance. Below a tree, `path` leads to the cases that were compared.
    """

    k: int
    n_neighbours: int
    distances: tuple[float, ...]
    neighbours: tuple[Neighbour, ...]
    nearest_other: Neighbour | None
    is_exact: bool
    was_tied: bool
    path: tuple[Step, ...] = ()
    kind: str = field(init=False, default="neighbours")


@dataclass(frozen=True, kw_only=True)
class TreeEvidence(Evidence):
    """The default of the last node on a path decided; `stopped` says why the walk ended there."""

    path: tuple[Step, ...]
    stopped: str
    n_features_used: int
    kind: str = field(init=False, default="tree")


@dataclass(frozen=True)
class ReachedNode(Step):
    """A node that a case reached, or a `share` of it where a value it lacks sent it several ways.

    The root has depth 0. Where a share of the case ended, `stopped` says why; it is empty where it went on.
    """

    depth: int
    share: float
    stopped: str


@dataclass(frozen=True, kw_only=True)
class PathEvidence(Evidence):
    """The tests of a decision tree led to one leaf, or, where a value was not known, to several that decided together.

    `path` has the nodes on the way, each followed by those below it, the greatest share first; of the `n_endings`
    places where the case ended it leads to the first. `spread` names the features whose values sent it several ways.
    """

    path: tuple[ReachedNode, ...]
    n_endings: int
    spread: tuple[str, ...]
    kind: str = field(init=False, default="path")


@dataclass(frozen=True)
class Contribution:
    """What a feature's value added to the lead of the answer; below zero it spoke for the rival."""

    feature: str
    value: Any
    amount: float


@dataclass(frozen=True, kw_only=True)
class PerceptronEvidence(PathEvidence):
    """Tests led to a leaf, at which a perceptron decided; without `sums` the leaf's class did.

    `sums` has one number per class that the perceptron tells apart, of which the greatest won; `rival` is the class
    that came next. `bias` and the contributions add up to the lead: the sum of the answer, less that of the rival
    where there are more than two classes. Of the `n_contributions` that are not 0, the greatest are listed.
    """

    sums: dict[Any, float]
    rival: Any
    bias: float
    contributions: tuple[Contribution, ...]
    n_contributions: int
    kind: str = field(init=False, default="perceptron")


@dataclass(frozen=True)
class AbstractCase:
    """All stored cases that agree on the features kept: their values there, and how many there are of each class."""

    values: tuple[Any, ...]
    counts: dict[Any, float]
    n_cases: float


@dataclass(frozen=True, kw_only=True)
class AbstractEvidence(Evidence):
    """The abstract cases that match on most of the features `kept` decided together; `ignored` had no say.

    `n_abstract_cases` of them, which stand for `n_cases` stored cases, match on `n_matched` features;
    `abstract_cases` lists the largest. Their values are in the order of `kept`.
    """

    kept: tuple[str, ...]
    ignored: tuple[str, ...]
    n_matched: int
    n_abstract_cases: int
    abstract_cases: tuple[AbstractCase, ...]
    n_cases: float
    kind: str = field(init=False, default="abstract")

    @property
    def is_exact(self) -> bool:
        """Whether an abstract case matches on all features kept."""
        return self.n_matched == len(self.kept)


@dataclass(frozen=True, kw_only=True)
class SmileEvidence(Evidence):
    """The pools of more than `alpha` cases decided, or all cases if there was none.

    Of the `n_cases` stored cases in the pools, `cases` lists the first.
    """

    alpha: int
    pools: tuple[Pool, ...]
    n_cases: int
    cases: tuple[PooledCase, ...]
    kind: str = field(init=False, default="lattice")


@dataclass(frozen=True)
class AskedRule:
    """If the features have these values, then the label; the default asks for nothing.

    Levels count from 1, the one that is asked first; the default stands behind the last. It holds for `n_cases` stored
    cases, of which `n_exceptions` are of other classes.
    """

    features: tuple[str, ...]
    values: tuple[Any, ...]
    label: Any
    level: int
    n_cases: float
    n_exceptions: float


@dataclass(frozen=True)
class CoveredCase:
    """A stored case for which a rule holds; `is_decided` if no rule that is asked before holds for it.

    `agrees` says of every feature whether its value is the one asked; None where features are not used.
    """

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    agrees: tuple[bool | None, ...]
    is_decided: bool


@dataclass(frozen=True, kw_only=True)
class RuleEvidence(Evidence):
    """The rule that was the first to hold decided.

    `overridden` are the broader rules that hold too, the default last; `exceptions` those that could have overridden
    the rule, and did not hold. Of the `n_cases` stored cases for which the rule holds, `cases` lists the first.
    """

    n_levels: int
    rule: AskedRule
    overridden: tuple[AskedRule, ...]
    exceptions: tuple[AskedRule, ...]
    n_cases: int
    cases: tuple[CoveredCase, ...]
    kind: str = field(init=False, default="rule")

    @property
    def is_default(self) -> bool:
        """Whether no rule holds."""
        return not self.rule.features


KINDS: dict[str, type[Evidence]] = {
    "abstract": AbstractEvidence,
    "evidence": Evidence,
    "neighbours": NeighbourEvidence,
    "path": PathEvidence,
    "perceptron": PerceptronEvidence,
    "rule": RuleEvidence,
    "tree": TreeEvidence,
    "lattice": SmileEvidence,
}


def evidence_from_dict(record: Mapping[str, Any]) -> Evidence:
    """Return the evidence that `to_dict` wrote, also after a journey through JSON.

    A number that was not finite comes back as NaN.

    >>> one = Evidence(features=("f",), values=("a",), unseen=(), label=1, votes={1: 2.0}, weights=(0.5,))
    >>> evidence_from_dict(one.to_dict()) == one
    True
    """
    kind = record.get("kind")
    if kind not in KINDS:
        raise CasebaseError(unknown_name("kind of evidence", kind, KINDS))
    names = [f.name for f in fields(KINDS[kind]) if f.init]
    absent = [name for name in (*names, "classes") if name not in record]
    if absent:
        raise CasebaseError(f"This is not a whole record of evidence: {', '.join(absent)} is not in it.")
    classes = {str(label): label for label in record["classes"]}

    def restored(name: str, item: Any) -> Any:
        if name == "unseen":
            return tuple(Unseen(**one) for one in item)
        if name in ("votes", "sums"):
            return _by_class(item, classes)
        if name == "contributions":
            return tuple(Contribution(**one | {"amount": _number(one["amount"])}) for one in item)
        if name == "path":
            step_type = ReachedNode if issubclass(KINDS[kind], PathEvidence) else Step
            return tuple(
                step_type(
                    **{
                        **step,
                        "counts": _by_class(step["counts"], classes),
                        "n_cases": _number(step["n_cases"]),
                    }
                )
                for step in item
            )
        if name == "abstract_cases":
            return tuple(
                AbstractCase(tuple(one["values"]), _by_class(one["counts"], classes), _number(one["n_cases"]))
                for one in item
            )
        if name == "pools":
            return tuple(_pool(one, classes) for one in item)
        if name == "rule":
            return _asked_rule(item)
        if name in ("overridden", "exceptions"):
            return tuple(_asked_rule(one) for one in item)
        if name == "cases":
            return tuple(_covered_case(one) if kind == "rule" else _pooled_case(one) for one in item)
        if name == "neighbours":
            return tuple(_neighbour(one) for one in item)
        if name == "nearest_other":
            return None if item is None else _neighbour(item)
        if name in ("weights", "distances"):
            return tuple(_number(one) for one in item)
        return tuple(item) if isinstance(item, list) else item

    return KINDS[kind](**{name: restored(name, record[name]) for name in names})


def _neighbour(record: Mapping[str, Any]) -> Neighbour:
    return Neighbour(
        id=record["id"],
        values=tuple(record["values"]),
        label=record["label"],
        distance=_number(record["distance"]),
        weight=_number(record["weight"]),
        costs=tuple(_number(cost) for cost in record["costs"]),
    )


def _pool(record: Mapping[str, Any], classes: Mapping[str, Any]) -> Pool:
    return Pool(
        features=tuple(record["features"]),
        values=tuple(record["values"]),
        n_cases=_number(record["n_cases"]),
        counts=_by_class(record["counts"], classes),
    )


def _pooled_case(record: Mapping[str, Any]) -> PooledCase:
    return PooledCase(
        id=record["id"],
        values=tuple(record["values"]),
        label=record["label"],
        weight=_number(record["weight"]),
        agrees=tuple(record["agrees"]),
        pools=tuple(record["pools"]),
    )


def _asked_rule(record: Mapping[str, Any]) -> AskedRule:
    return AskedRule(
        features=tuple(record["features"]),
        values=tuple(record["values"]),
        label=record["label"],
        level=record["level"],
        n_cases=_number(record["n_cases"]),
        n_exceptions=_number(record["n_exceptions"]),
    )


def _covered_case(record: Mapping[str, Any]) -> CoveredCase:
    return CoveredCase(
        id=record["id"],
        values=tuple(record["values"]),
        label=record["label"],
        weight=_number(record["weight"]),
        agrees=tuple(record["agrees"]),
        is_decided=record["is_decided"],
    )


def _by_class(counts: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[Any, float]:
    return {classes.get(label, label): _number(count) for label, count in counts.items()}


def _number(number: Any) -> float:
    return math.nan if number is None else number


def _plain(value: Any) -> Any:
    """Return a value as JSON can have it: text, finite number, truth value, None, list or dictionary."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
