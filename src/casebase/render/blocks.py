"""The content of an explanation: a headline, and sections of blocks.

A record of evidence returns blocks and does not know terminals or pages; a renderer shows blocks and does not know
records. Blocks contain plain values, numbers and sentences. Renderers shorten what is too long, because a page has more
room than a terminal.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from casebase.render.words import NOT_COMPARED, format_value, number, pairs, same_value


def by_weight(n_features: int, weights: Sequence[float]) -> list[int]:
    """Return positions by descending weight; a missing weight or NaN counts as 0."""

    def weight(i: int) -> float:
        w = weights[i] if i < len(weights) else 0.0
        return 0.0 if w is None or math.isnan(w) else w

    return sorted(range(n_features), key=lambda i: -weight(i))


@dataclass(frozen=True)
class Headline:
    """The prediction, its support as `detail`, and its `share` of the votes, from 0 to 1.

    With a class variable (`target`) the text begins with a sentence, "target = answer: sentence." `subject` is the
    query, if it is a single word. `wording` replaces the usual text on a terminal, "answer, detail" or "subject: answer
    (detail)". If the class of the query (`actual`) is known, `verdict` says whether the prediction
    `is_right`.
    """

    answer: str
    detail: str = ""
    subject: str = ""
    share: float | None = None
    wording: str = ""
    target: str = ""
    sentence: str = ""
    actual: str = ""
    verdict: str = ""
    is_right: bool | None = None


@dataclass(frozen=True)
class Sentences:
    """Sentences, one per line, without a capital letter and a full stop."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Query:
    """The query; `unseen` are the names of the features whose values no stored case has."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    weights: tuple[float, ...] = ()
    unseen: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Votes:
    """Counts by class, of votes or cases as `unit` says; without a unit, shares of 1."""

    counts: Mapping[Any, float]
    unit: str = "Votes"


@dataclass(frozen=True)
class Amounts:
    """Values of features and the amount that each adds or subtracts; `note` says what is not listed."""

    features: tuple[str, ...]
    values: tuple[Any, ...]
    amounts: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True)
class PathStep:
    """A node: the branch to it (None for the root), its default class, and its cases.

    `share` is the fraction of the case that reached the node; the walk ends at a node that `is_end`.
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
    """The nodes on the path down a tree, in depth-first order."""

    steps: tuple[PathStep, ...]


@dataclass(frozen=True)
class Column:
    """A column in a table of cases, with one cell per case: a name, a number or class counts.

    A page draws a bar for each number if `greatest`, the number of the longest bar, is set. A column without a name
    contains remarks on the column before it; a column that is `page_only` does not appear on a terminal. A column that
    `gives_way` has a place on a terminal only if the features that decided leave room for it.
    """

    name: str
    cells: tuple[Any, ...]
    is_number: bool = False
    greatest: float | None = None
    page_only: bool = False
    gives_way: bool = False


@dataclass(frozen=True)
class Row:
    """The values of a stored case as text, whether each differs from the query, and the costs of the differences."""

    values: tuple[str, ...]
    differs: tuple[bool, ...]
    costs: tuple[float, ...] | None = None


@dataclass(frozen=True)
class CaseTable:
    """The query and stored records: their `columns`, and a column for each feature on which a record differs.

    The features that decided come first, the largest of the `contributions` first, then the others by descending
    weight; if `is_ranked`, they keep their order. A feature on which all records agree with the query has no column: a
    line lists these features, the heaviest first. A feature that is not compared is not shown.
    """

    features: tuple[str, ...]
    query: tuple[Any, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    weights: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    is_ranked: bool = False
    contributions: tuple[float, ...] = ()

    def by_weight(self) -> list[int]:
        """Return the positions of the features by descending weight."""
        return list(range(len(self.features))) if self.is_ranked else by_weight(len(self.features), self.weights)

    def shown(self) -> list[int]:
        """Return the positions of the features that have a column: by contribution, then by weight.

        >>> rows = (Row(("1", "female"), (True, True)),)
        >>> CaseTable(("pclass", "sex"), ("3", "male"), (), rows, (0.1, 0.21), contributions=(-0.1, 0.0)).shown()
        [0, 1]
        """
        shown = [i for i in self.by_weight() if self._is_compared(i) and not self._all_agree(i)]
        return sorted(shown, key=lambda i: -abs(self._contribution(i)))

    def decided(self, i: int) -> bool:
        """Return whether a feature is known to have decided."""
        return self._contribution(i) != 0

    def _contribution(self, i: int) -> float:
        return self.contributions[i] if i < len(self.contributions) else 0.0

    def agreeing(self) -> list[str]:
        """Return the features on which all records agree, with value and weight, the heaviest first.

        >>> rows = (Row(("3", "male"), (False, False)),)
        >>> CaseTable(("pclass", "sex"), ("3", "male"), (), rows, (0.1, 0.21)).agreeing()
        ['sex = male (0.21)', 'pclass = 3 (0.1)']
        """
        agreeing = [i for i in self.by_weight() if self._all_agree(i)]
        texts = pairs([self.features[i] for i in agreeing], [self.query[i] for i in agreeing], 24)
        weights = [f" ({number(self.weights[i])})" if i < len(self.weights) else "" for i in agreeing]
        return [text + weight for text, weight in zip(texts, weights)]

    def _is_compared(self, i: int) -> bool:
        return any(row.values[i] != NOT_COMPARED for row in self.rows)

    def _all_agree(self, i: int) -> bool:
        # A number that only lies in the same interval agrees, but has a value of its own to show.
        text = format_value(self.query[i])
        return all(
            not row.differs[i] and (row.values[i] == text or same_value(row.values[i], self.query[i]))
            for row in self.rows
        )


@dataclass(frozen=True)
class Rule:
    """If the features have these values, then `outcome`: a class, or the counts of several.

    It covers `n_cases` stored cases; `n_exceptions` of them, if known, have other classes. `weight` is the weight of
    each of its cases as text, if rules weigh differently.
    """

    features: tuple[str, ...]
    values: tuple[Any, ...]
    outcome: Any
    n_cases: float
    n_exceptions: float | None = None
    weight: str = ""


@dataclass(frozen=True)
class Rules:
    """Rules in the order in which they are tested, with headings for their conditions and outcomes."""

    rules: tuple[Rule, ...]
    condition: str = "if"
    outcome: str = "class"
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """A line with sublines; a page highlights the characters from `mark[0]` to `mark[1]`."""

    text: str
    below: tuple[str, ...] = ()
    mark: tuple[int, int] | None = None


@dataclass(frozen=True)
class Listing:
    """A list of entries, with an optional sentence that introduces it."""

    entries: tuple[Entry, ...]
    lead: str = ""


Block = Headline | Sentences | Query | Votes | Amounts | Path | CaseTable | Rules | Listing


@dataclass(frozen=True)
class Section:
    """Blocks under a title; on a page, sections without a title come first, right below the headline.

    A section that is `page_only` repeats in another form what a terminal shows elsewhere. A section with an `indent`
    belongs to the section before it.
    """

    title: str
    blocks: tuple[Block, ...]
    page_only: bool = False
    indent: int = 0


@runtime_checkable
class Shown(Protocol):
    """Anything with a headline and sections, which a renderer can show."""

    def headline(self) -> Headline: ...

    def sections(self) -> tuple[Section, ...]: ...
