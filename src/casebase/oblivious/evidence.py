"""The evidence of OBLIVION: the abstract cases that match on most of the selected features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence import Evidence
from casebase.base.evidence.explanation import counts_from, number_from
from casebase.base.evidence.records import tied_counts
from casebase.render.blocks import CaseTable, Column, Row, Section
from casebase.render.words import format_value, plural, printable, same_interval, same_value, shorten


@dataclass(frozen=True)
class AbstractCase:
    """All stored cases that agree on the selected features: their values there, and their class counts."""

    values: tuple[Any, ...]
    counts: dict[Any, float]
    n_cases: float

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> Self:
        """Return the abstract case from its JSON record."""
        counts = counts_from(record["counts"], classes)
        return cls(tuple(record["values"]), counts, number_from(record["n_cases"]))


@dataclass(frozen=True, kw_only=True)
class AbstractEvidence(Evidence):
    """The nearest abstract cases, which vote together. They are compared on the features `kept`, not on `ignored`.

    `n_abstract_cases` of them match on `n_matched` features; they stand for `n_cases` stored cases. `abstract_cases`
    lists the largest, with values in the order of `kept`.
    """

    kind: ClassVar[str] = "abstract"
    kept: tuple[str, ...]
    ignored: tuple[str, ...]
    n_matched: int
    n_abstract_cases: int
    abstract_cases: tuple[AbstractCase, ...]
    n_cases: float

    @property
    def is_exact(self) -> bool:
        """Whether an abstract case matches on all selected features."""
        return self.n_matched == len(self.kept)

    def support(self) -> str:
        return self.support_in("record")

    def sentence(self) -> str:
        if not self.kept:
            which = "in memory"
        elif self.is_exact:
            which = f"with the same {plural(len(self.kept), 'kept value')}"
        else:
            which = f"that agree on {self.n_matched} of {plural(len(self.kept), 'kept feature')}"
        return self.say_so(which)

    def how_decided(self) -> list[str]:
        n, n_kept, cases = self.n_abstract_cases, len(self.kept), plural(self.n_cases, "record")
        if not self.kept:
            line = f"no feature was kept: the {cases} in memory vote together"
        elif self.is_exact:
            line = f"the abstract case with the same {plural(n_kept, 'value')} stands for {cases}"
        else:
            nearest = "the nearest one agrees" if n == 1 else f"the {n} nearest ones agree"
            line = (
                f"no abstract case has all values; {nearest} on {self.n_matched} of {plural(n_kept, 'feature')} and "
                f"{'stands' if n == 1 else 'stand'} for {cases}"
            )
        some = [shorten(printable(name), 24) for name in self.ignored[:8]]
        ignored = f"not compared: {', '.join([*some, '…'] if len(self.ignored) > 8 else some)}"
        return [line, *tied_counts(self.votes), *([ignored] if self.ignored else [])]

    def parts(self) -> Sequence[Section]:
        return [Section("Abstract cases", (self._table(),))] if self.kept else []

    def _table(self) -> CaseTable:
        of = dict(zip(self.features, self.values))
        asked = tuple(of.get(name) for name in self.kept)
        rows = (
            Row(
                tuple(map(format_value, group.values)),
                tuple(
                    not same_value(stored, value) and not same_interval(stored, value)
                    for stored, value in zip(group.values, asked)
                ),
            )
            for group in self.abstract_cases
        )
        n_more = self.n_abstract_cases - len(self.abstract_cases)
        return CaseTable(
            self.kept,
            asked,
            (
                Column("records", tuple(group.n_cases for group in self.abstract_cases), is_number=True),
                Column("classes", tuple(group.counts for group in self.abstract_cases)),
            ),
            tuple(rows),
            notes=(f"… and {plural(n_more, 'abstract case')} not listed",) if n_more > 0 else (),
            is_ranked=True,
        )

    def classes(self) -> dict[Any, None]:
        return super().classes() | dict.fromkeys(label for group in self.abstract_cases for label in group.counts)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "kept": tuple(record["kept"]),
            "ignored": tuple(record["ignored"]),
            "abstract_cases": tuple(AbstractCase.from_dict(one, classes) for one in record["abstract_cases"]),
            "n_cases": number_from(record["n_cases"]),
        }
