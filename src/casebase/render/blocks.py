"""What an explanation is made of: a headline, and sections of blocks.

A record of evidence gives these, and knows nothing of terminals and pages; a renderer shows them, and knows nothing of
records. Blocks hold plain values, numbers and sentences. What is too long is cut where it is shown: a page has more
room than a terminal.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from casebase.render.words import plural


def by_weight(n_features: int, weights: Sequence[float]) -> list[int]:
    """Return positions, the heaviest first; what has no weight, or none that is a number, comes last."""

    def weight(i: int) -> float:
        w = weights[i] if i < len(weights) else 0.0
        return 0.0 if w is None or math.isnan(w) else w

    return sorted(range(n_features), key=lambda i: -weight(i))


@dataclass(frozen=True)
class Headline:
    """The answer, and a `detail` that says how sure it is; `share` is its part of all votes, from 0 to 1.

    `subject` is what was asked, if a word says it. `wording` is what a terminal shows where that is neither
    "answer, detail" nor "subject: answer (detail)".
    """

    answer: str
    detail: str = ""
    subject: str = ""
    share: float | None = None
    wording: str = ""


@dataclass(frozen=True)
class Sentences:
    """Statements without a capital and a full stop, a line each."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """The case that was asked; `unseen` names the features whose values no stored case has."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    weights: tuple[float, ...] = ()
    unseen: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Votes:
    """Classes, and how much speaks for each: votes or cases, which `unit` names, or without a unit shares of 1."""

    counts: Mapping[Any, float]
    unit: str = "Votes"


@dataclass(frozen=True)
class Amounts:
    """Values of features, and what each added or took away; `note` says what is not listed."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    amounts: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True)
class PathStep:
    """A node: the branch that leads to it (None to the root), the class it stands for, and its cases.

    `share` is the part of the case that came here; the walk ends at a node that `is_end`.
    """

    feature: str | None
    value: Any
    default: Any
    counts: Mapping[Any, float]
    n_cases: float
    depth: int
    share: float = 1.0
    is_end: bool = False


@dataclass(frozen=True)
class Path:
    """The nodes on the way down a tree, each followed by those below it."""

    steps: tuple[PathStep, ...]


@dataclass(frozen=True)
class Column:
    """A property of the cases in a table: a cell each, which is a name, a number or the counts of classes.

    A page draws a bar for every number if `greatest`, the longest bar, is given. A column without a name holds remarks
    on the one before it; one that is `page_only` is left out on a terminal.
    """

    name: str
    cells: tuple[Any, ...]
    is_number: bool = False
    greatest: float | None = None
    page_only: bool = False


@dataclass(frozen=True)
class Row:
    """The values of a stored case as they are shown, whether each differs from the one asked, and what that costs."""

    values: tuple[str, ...]
    differs: tuple[bool, ...]
    costs: tuple[float, ...] | None = None


@dataclass(frozen=True)
class CaseTable:
    """Stored cases under the one asked, a column for each feature behind the other `columns`.

    Where there is no room for all features, those that differ somewhere come first, then the heaviest; features that
    are ranked stay in their order. `legend` explains the signs on a page.
    """

    features: tuple[str, ...]
    asked: tuple[Any, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    weights: tuple[float, ...] = ()
    legend: str = ""
    notes: tuple[str, ...] = ()
    is_ranked: bool = False

    def by_weight(self) -> list[int]:
        """Return the positions of the features, the heaviest first."""
        return list(range(len(self.features))) if self.is_ranked else by_weight(len(self.features), self.weights)

    def by_interest(self) -> list[int]:
        """Return the positions of the features, those that differ somewhere first, then by weight."""
        return self.by_weight() if self.is_ranked else sorted(self.by_weight(), key=lambda i: not self.differs(i))

    def differs(self, i: int) -> bool:
        """Return whether a case has another value than the one asked for the i-th feature."""
        return any(row.differs[i] for row in self.rows)

    def left_out(self, shown: Sequence[int]) -> str:
        """Return what the features without a column would show; nothing if all have one."""
        hidden = set(range(len(self.features))) - set(shown)
        if not hidden:
            return ""
        features, n_differ = plural(len(hidden), "feature"), sum(map(self.differs, hidden))
        if self.is_ranked:
            return f"… and {features}"
        if n_differ:
            return f"… and {features}, of which {n_differ} {'differs' if n_differ == 1 else 'differ'} somewhere"
        return f"… and {features} that {'agrees' if len(hidden) == 1 else 'all agree'}"


@dataclass(frozen=True)
class Rule:
    """If the features have these values, then `outcome`: a class, or the counts of several.

    It holds for `n_cases` stored cases; `n_exceptions` of them are of other classes, if that is known.
    """

    features: tuple[str, ...]
    values: tuple[Any, ...]
    outcome: Any
    n_cases: float
    n_exceptions: float | None = None


@dataclass(frozen=True)
class Rules:
    """Rules in the order in which they are asked, with the headings of what they ask for and of what follows."""

    rules: tuple[Rule, ...]
    condition: str = "if"
    outcome: str = "class"
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """A line, and lines that belong to it; the characters from `mark[0]` to `mark[1]` stand out on a page."""

    text: str
    below: tuple[str, ...] = ()
    mark: tuple[int, int] | None = None


@dataclass(frozen=True)
class Listing:
    """Entries under a sentence that introduces them, if there is one."""

    entries: tuple[Entry, ...]
    lead: str = ""


Block = Headline | Sentences | Query | Votes | Amounts | Path | CaseTable | Rules | Listing


@dataclass(frozen=True)
class Section:
    """Blocks under a title; sentences without a title stand right below the headline of a page.

    A section that is `page_only` repeats in other form what a terminal says already. One with an `indent` belongs to
    what stands before it.
    """

    title: str
    blocks: tuple[Block, ...]
    page_only: bool = False
    indent: int = 0


@runtime_checkable
class Shown(Protocol):
    """Anything that gives blocks can be shown."""

    def headline(self) -> Headline: ...

    def sections(self) -> tuple[Section, ...]: ...
