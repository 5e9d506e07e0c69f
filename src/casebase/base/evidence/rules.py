"""The evidence of rules: hierarchical rules, and rules from decision trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence.cases import agreeing_cases, provenance
from casebase.base.evidence.deferred import Deferred
from casebase.base.evidence.explanation import number_from, values_from
from casebase.base.evidence.records import Evidence
from casebase.render.blocks import CaseTable, Column, Rule, Rules, Section, Votes
from casebase.render.words import format_value, pairs, plural, shorten

N_RULES_NAMED = 4  # in a sentence
N_RULES_LISTED = 24


@dataclass(frozen=True)
class AskedRule:
    """If the features have these values, then the label; the default rule has no conditions.

    Levels are numbered from 1, the level that is tested first; the default comes after the last. The rule covers
    `n_cases` stored cases; `n_exceptions` of them have other classes.

    >>> AskedRule(("colour", "size"), ("red", "> 5.5"), "ripe", 1, 4.0, 1.0).sentence()
    'colour = red and size > 5.5 → ripe (4 records, 1 exception)'
    """

    features: tuple[str, ...]
    values: tuple[Any, ...]
    label: Any
    level: int
    n_cases: float
    n_exceptions: float

    def condition(self, width: int = 24) -> str:
        """Return the conditions, with names and values shortened to a width; "otherwise" for the default."""
        return " and ".join(pairs(self.features, self.values, width)) or "otherwise"

    def sentence(self) -> str:
        """Return the rule in one line, with the number of cases that it covers."""
        exceptions = f", {plural(self.n_exceptions, 'exception')}" if self.n_exceptions else ""
        label = shorten(format_value(self.label), 24)
        return f"{self.condition()} → {label} ({plural(self.n_cases, 'record')}{exceptions})"

    def block(self) -> Rule:
        """Return the rule as a block."""
        return Rule(self.features, self.values, self.label, self.n_cases, self.n_exceptions)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the rule from a JSON record."""
        return cls(
            features=tuple(record["features"]),
            values=values_from(record),
            label=record["label"],
            level=record["level"],
            n_cases=number_from(record["n_cases"]),
            n_exceptions=number_from(record["n_exceptions"]),
        )


@dataclass(frozen=True)
class CoveredCase:
    """A stored case that a rule covers; it `is_decided` by the rule if no earlier rule covers it.

    `agrees` says for each feature whether its value is that of the query; None for features that are not used.
    """

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    agrees: tuple[bool | None, ...]
    is_decided: bool
    provenance: dict[str, str | None] = provenance()

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the case from a JSON record."""
        fields = {
            "values": values_from(record),
            "weight": number_from(record["weight"]),
            "agrees": tuple(record["agrees"]),
        }
        return cls(**{name: one for name, one in record.items() if name != "written"} | fields)


@dataclass(frozen=True, kw_only=True)
class RuleEvidence(Evidence):
    """The evidence of an answer by the first rule that holds.

    `overridden` are the broader rules that also hold, the default last; `exceptions` are the rules that would have
    overridden the rule, but do not hold. `cases` lists the first of the `n_cases` stored cases that the rule covers. It
    decides those that no earlier rule covers: they count for `n_decided` (None if that is not known).
    """

    kind: ClassVar[str] = "rule"
    n_levels: int
    rule: AskedRule
    overridden: tuple[AskedRule, ...]
    exceptions: tuple[AskedRule, ...]
    n_cases: int
    cases: Deferred[tuple[CoveredCase, ...]] = Deferred()
    n_decided: float | None = None

    @property
    def is_default(self) -> bool:
        """Whether no rule holds."""
        return not self.rule.features

    def support(self) -> str:
        return self.support_in("record")

    def sentence(self) -> str:
        which = "the default" if self.is_default else "the rule"
        if self.n_decided == 0:
            return f"{which} says so, though it decides none of the records"
        return self.say_so(f"that {which} decides")

    def voting(self) -> Section:
        # On a terminal, the headline and the rule show the same counts.
        return Section("Records that the rule decides", (Votes(self.votes, "Records"),), page_only=True)

    def how_decided(self) -> list[str]:
        if self.is_default:
            lines = ["no rule holds: the default decides"]
        else:
            level = f", level {self.rule.level} of {self.n_levels}" if self.n_levels > 1 else ""
            lines = [f"rule: {self.rule.sentence()}{level}"]
        if self.overridden and self.overridden[0].features:
            lines.append(f"overrides: {_some([rule for rule in self.overridden if rule.features])}")
        if self.exceptions:
            n = len(self.exceptions)
            which = "the exception to it does" if n == 1 else f"the {n} exceptions to it do"
            lines.append(f"{which} not hold: {_some(self.exceptions)}")
        return lines

    def parts(self) -> Sequence[Section]:
        # On a terminal, the sentences of `how_decided` name these rules.
        parts = [_rules("Rules that hold", (self.rule, *self.overridden))]
        if self.exceptions:
            parts.append(_rules("Exceptions that do not hold", self.exceptions))
        if self.cases:
            parts.append(Section("Records of the rule", (self._table(),)))
        return parts

    def _table(self) -> CaseTable:
        remarks = tuple("" if case.is_decided else "exception" for case in self.cases)
        n_more = self.n_cases - len(self.cases)
        return agreeing_cases(
            self,
            self.cases,
            [Column("", remarks)] if any(remarks) else [],
            f"… and {plural(n_more, 'more record')} for which the rule holds" if n_more > 0 else "",
        )

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "rule": AskedRule.from_dict(record["rule"]),
            "overridden": tuple(map(AskedRule.from_dict, record["overridden"])),
            "exceptions": tuple(map(AskedRule.from_dict, record["exceptions"])),
            "cases": tuple(map(CoveredCase.from_dict, record["cases"])),
        }


def _some(rules: Sequence[AskedRule]) -> str:
    texts = [rule.sentence() for rule in rules[:N_RULES_NAMED]]
    return "; ".join([*texts, "…"] if len(rules) > N_RULES_NAMED else texts)


def _rules(title: str, rules: Sequence[AskedRule]) -> Section:
    n_more = len(rules) - N_RULES_LISTED
    note = f"… and {plural(n_more, 'more rule')}" if n_more > 0 else ""
    shown = tuple(rule.block() for rule in rules[:N_RULES_LISTED])
    return Section(title, (Rules(shown, note=note),), page_only=True)
