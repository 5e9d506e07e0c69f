"""Why an answer was given: plain records with original values, ready to be read, stored or drawn.

Every learner fills one of these. They hold text and numbers only, never codes, so that they mean the same
on a terminal, in a web page and in a file. `render_text` and `render_html` show them; `to_dict` is what
`--json` prints.
"""

from dataclasses import asdict, dataclass, field
from typing import Any


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
        """Return the record as nested dictionaries and lists, as JSON has them."""
        return _plain(asdict(self))

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


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
