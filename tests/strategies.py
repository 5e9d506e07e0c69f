"""Random small tables of symbols, numbers and missing values, with few values and so many ties."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from casebase.data import Cases
from tests.oracles.weights import MEASURES

SYMBOLS = ["a", "b", "c"]
NUMBERS = [0.0, 0.5, 1.0, 2.0]
LABELS = ["P", "Q", "R"]

weightings = st.sampled_from(list(MEASURES))
ks = st.integers(1, 4)
missing_policies = st.sampled_from(["value", "unknown"])
compats = st.sampled_from([None, "timbl"])


@dataclass(frozen=True)
class Task:
    """Training rows with labels and optional counts, and queries; `numeric` are the numeric columns."""

    rows: list[list[str | float | None]]
    labels: list[str]
    queries: list[list[str | float | None]]
    numeric: frozenset[int] = frozenset()
    counts: list[float] | None = None

    @property
    def n_features(self) -> int:
        return len(self.rows[0])

    def cases(self) -> Cases:
        """The rows as casebase stores them."""
        kinds = {f: "numeric" if f in self.numeric else "symbolic" for f in range(self.n_features)}
        return Cases.from_table(self.rows, y=self.labels, kinds=kinds, weights=self.counts)

    def class_order(self, compat: str | None) -> list[str]:
        """The labels by the last rule for ties: in order, or as first seen."""
        seen = [label for i, label in enumerate(self.labels) if self.counts is None or self.counts[i] > 0]
        return list(dict.fromkeys(seen)) if compat == "timbl" else sorted(set(seen))

    def take(self, rows: list[int]) -> Task:
        """The task with some of its cases, in the order given."""
        return replace(
            self,
            rows=[self.rows[i] for i in rows],
            labels=[self.labels[i] for i in rows],
            counts=None if self.counts is None else [self.counts[i] for i in rows],
        )


@st.composite
def tasks(draw, numbers=True, counts=True, gaps=True, min_rows=1, max_rows=12, min_features=1):
    """Up to twelve cases of up to four features, and a few queries with unseen values."""
    n_features = draw(st.integers(min_features, 4))
    numeric = frozenset(f for f in range(n_features) if numbers and draw(st.integers(0, 3)) == 0)
    gap = [None] if gaps else []
    stored = [st.sampled_from((NUMBERS if f in numeric else SYMBOLS) + gap) for f in range(n_features)]
    asked = [
        st.sampled_from(([*NUMBERS, -1.0, 5.0] if f in numeric else [*SYMBOLS, "z"]) + gap) for f in range(n_features)
    ]
    rows = draw(st.lists(st.tuples(*stored).map(list), min_size=min_rows, max_size=max_rows))
    n_rows = len(rows)
    case_counts = None
    if counts:
        each = st.lists(st.sampled_from([1, 1, 2, 3, 0]), min_size=n_rows, max_size=n_rows)
        case_counts = draw(st.none() | each.filter(lambda numbers: sum(n > 0 for n in numbers) >= min_rows))
    return Task(
        rows=rows,
        labels=draw(st.lists(st.sampled_from(LABELS), min_size=n_rows, max_size=n_rows)),
        queries=draw(st.lists(st.tuples(*asked).map(list), min_size=1, max_size=4)) + rows[:2],
        numeric=numeric,
        counts=case_counts,
    )
