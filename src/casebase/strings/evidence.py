"""The evidence of rules over strings: the rule that decided, the rules it overrides, and its own exceptions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from casebase.base.evidence import Evidence
from casebase.base.evidence.explanation import fields_from_json, number_from
from casebase.base.evidence.records import Unseen
from casebase.render.blocks import Entry, Listing, Rule, Rules, Section, Votes
from casebase.render.words import format_value, plural, shorten, unbroken
from casebase.strings.inputs import AskedStrings

if TYPE_CHECKING:
    from casebase.strings.rules import StringRules

N_NAMED = 4  # rules in a sentence
N_LISTED = 24  # rules on a page, and exceptions in a record


@dataclass(frozen=True)
class AskedPiece:
    """If the string has the piece, then the label; the default has no piece.

    Levels are numbered from 1, the level that is tried first; the default comes after the last. The piece occurs in
    `n_cases` training strings; `n_exceptions` of them have other classes.

    >>> AskedPiece("|tion", "", "SH", 1, 4.0, 1.0).sentence()
    '|tion → SH (4 strings, 1 exception)'
    """

    piece: str
    note: str
    label: Any
    level: int
    n_cases: float
    n_exceptions: float

    def condition(self) -> str:
        """Return the piece, and what its letters stand for; "otherwise" for the default."""
        if not self.piece:
            return "otherwise"
        return unbroken(self.piece) + (f" ({self.note})" if self.note else "")

    def sentence(self) -> str:
        """Return the rule in one line, with the number of training strings that have the piece."""
        exceptions = f", {plural(self.n_exceptions, 'exception')}" if self.n_exceptions else ""
        label = shorten(format_value(self.label), 24)
        return f"{self.condition()} → {label} ({plural(self.n_cases, 'string')}{exceptions})"

    def block(self) -> Rule:
        """Return the rule as a block."""
        features, values = (("piece",), (self.condition(),)) if self.piece else ((), ())
        return Rule(features, values, self.label, self.n_cases, self.n_exceptions)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the rule from a JSON record."""
        counts = {name: number_from(record[name]) for name in ("n_cases", "n_exceptions")}
        return cls(**fields_from_json(record) | counts)


@dataclass(frozen=True)
class CoveredString:
    """A training string that has the piece of a rule; it `is_decided` by the rule if no earlier rule decides it."""

    string: str
    label: Any
    weight: float
    is_decided: bool

    def entry(self) -> Entry:
        """Return the string as a line."""
        remark = "" if self.is_decided else "  (decided by an exception)"
        return Entry(f"{unbroken(self.string)} → {format_value(self.label)}{remark}")


@dataclass(frozen=True, kw_only=True)
class StringEvidence(Evidence):
    """The evidence of an answer by the first rule whose piece occurs in the string.

    `overridden` are the broader rules that also hold, the default last; `exceptions` are the first of the
    `n_exceptions` rules that would have overridden the rule, but do not hold. `strings` lists the first of the
    `n_strings` training strings that have the piece; those that it decides come first.
    """

    kind: ClassVar[str] = "string"
    n_levels: int
    rule: AskedPiece
    overridden: tuple[AskedPiece, ...]
    exceptions: tuple[AskedPiece, ...]
    n_exceptions: int
    strings: tuple[CoveredString, ...]
    n_strings: int

    @property
    def is_default(self) -> bool:
        """Whether no rule holds."""
        return not self.rule.piece

    def support(self) -> str:
        return self.support_in("string")

    def sentence(self) -> str:
        which = "the default" if self.is_default else "the rule"
        if not sum(self.votes.values()):
            return f"{which} says so, though it decides none of the training strings"
        verb = "says" if self.votes.get(self.label, 0.0) == 1 else "say"
        return f"{self.support()} that {which} decides {verb} so; {self.next_class()}"

    def voting(self) -> Section:
        # On a terminal, the headline and the rule show the same counts.
        return Section("Strings that the rule decides", (Votes(self.votes, "Strings"),), page_only=True)

    def how_decided(self) -> list[str]:
        shown = f"string: {unbroken(str(self.values[0]))}"
        if self.is_default:
            lines = [f"{shown}; no rule holds: the default decides"]
        else:
            level = f", level {self.rule.level} of {self.n_levels}" if self.n_levels > 1 else ""
            lines = [shown, f"rule: {self.rule.sentence()}{level}"]
        broader = [rule for rule in self.overridden if rule.piece]
        if broader:
            lines.append(f"overrides: {_some(broader, len(broader))}")
        if self.n_exceptions:
            n = self.n_exceptions
            which = "the exception to it does" if n == 1 else f"the {n:,} exceptions to it do"
            lines.append(f"{which} not hold: {_some(self.exceptions, n)}")
        return lines

    def parts(self) -> Sequence[Section]:
        # On a terminal, the sentences of `how_decided` name these rules.
        parts = [_rules("Rules that hold", (self.rule, *self.overridden), 0)]
        if self.exceptions:
            n_more = self.n_exceptions - len(self.exceptions)
            parts.append(_rules("Exceptions that do not hold", self.exceptions, n_more))
        if self.strings:
            n_more = self.n_strings - len(self.strings)
            more = (Entry(f"… and {n_more:,} more"),) if n_more else ()
            listing = Listing(
                (*(one.entry() for one in self.strings), *more), f"from {plural(self.n_strings, 'string')}:"
            )
            parts.append(Section("Strings of the rule", (listing,)))
        return parts

    def _never_seen(self) -> list[str]:
        letters = ", ".join(format_value(one.value) for one in self.unseen)
        return [f"letters that no training string has: {letters}"] if letters else []

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "rule": AskedPiece.from_dict(record["rule"]),
            "overridden": tuple(map(AskedPiece.from_dict, record["overridden"])),
            "exceptions": tuple(map(AskedPiece.from_dict, record["exceptions"])),
            "strings": tuple(
                CoveredString(**fields_from_json(one) | {"weight": number_from(one["weight"])})
                for one in record["strings"]
            ),
        }


def _some(rules: Sequence[AskedPiece], n_all: int) -> str:
    texts = [rule.sentence() for rule in rules[:N_NAMED]]
    return "; ".join([*texts, "…"] if n_all > N_NAMED else texts)


def _rules(title: str, rules: Sequence[AskedPiece], n_more: int) -> Section:
    n_more += max(len(rules) - N_LISTED, 0)
    note = f"… and {plural(n_more, 'more rule')}" if n_more > 0 else ""
    return Section(title, (Rules(tuple(rule.block() for rule in rules[:N_LISTED]), note=note),), page_only=True)


def evidence_for(model: "StringRules", asked: AskedStrings, at: int, limit: int) -> StringEvidence:
    """Return the evidence for one of the strings."""
    one = asked.taken([at])
    holding = model.holding(one)
    fired = holding[0] if holding else len(model.rules)
    level = model.level_of(fired)
    overridden = [number for number in holding if model.level_of(number) > level]
    if holding:
        overridden.append(len(model.rules))
    exceptions = model.exceptions_to(fired)
    counts = model.counts[fired]
    mark = model.settings.mark
    return StringEvidence(
        features=("string",),
        values=(one.marked(0, mark),),
        unseen=tuple(Unseen("letter", c) for c in sorted(set(one.strings[0]) - model.alphabet)),
        label=model.classes[model.labels[fired]],
        votes={model.classes[c]: float(counts[c]) for c in np.flatnonzero(counts)},
        weights=(),
        target=model.target,
        n_levels=model.n_levels,
        rule=asked_piece(model, fired),
        overridden=tuple(asked_piece(model, number) for number in overridden),
        exceptions=tuple(asked_piece(model, number) for number in exceptions[:N_LISTED]),
        n_exceptions=len(exceptions),
        strings=_covered(model, fired, limit),
        n_strings=len(model.extent(fired)),
    )


def asked_piece(model: "StringRules", number: int) -> AskedPiece:
    """Return a rule as users see it; the default is one past the last."""
    rows, label = model.extent(number), int(model.labels[number])
    counts = np.bincount(model.known_labels[rows], model.weights[rows], minlength=len(model.classes))
    piece = model.rules[number].piece if number < len(model.rules) else None
    return AskedPiece(
        "" if piece is None else piece.written(model.settings.mark),
        "" if piece is None else piece.note,
        model.classes[label],
        model.level_of(number),
        float(counts.sum()),
        float(counts.sum() - counts[label]),
    )


def _covered(model: "StringRules", fired: int, limit: int) -> tuple[CoveredString, ...]:
    rows = model.extent(fired)
    is_decided = model.fired[rows] == fired
    order = np.argsort(~is_decided, kind="stable")[:limit]
    return tuple(
        CoveredString(
            model.asked.marked(int(rows[i]), model.settings.mark),
            model.classes[model.known_labels[rows[i]]],
            float(model.weights[rows[i]]),
            bool(is_decided[i]),
        )
        for i in order
    )
