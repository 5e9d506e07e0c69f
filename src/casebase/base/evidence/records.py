"""The base record of evidence for the answer of a classifier."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

from casebase.base.evidence.explanation import (
    Explanation,
    check_whole,
    counts_from,
    fields_from_json,
    number_from,
    plain,
    values_from,
)
from casebase.render.blocks import Headline, Query, Section, Sentences, Votes
from casebase.render.words import format_value, largest, number, plural, printable, shorten

PREFERRED = "the class preferred in ties was taken, the more frequent in training first"


@dataclass(frozen=True)
class Unseen:
    """A value that no stored case has."""

    feature: str
    value: Any


@dataclass(frozen=True, kw_only=True)
class Evidence(Explanation):
    """The common fields of all evidence: the query, its unknown values, the prediction and the votes.

    `target` is the class variable; `actual` is the class of the query, if it is known. A kind of evidence adds fields,
    and overrides `sentence`, `how_decided` and `parts`, the records or rules behind the prediction.

    >>> one = Evidence(features=("f",), values=("a",), unseen=(), label="P", votes={"P": 3.0, "Q": 1.0}, weights=(0.5,))
    >>> print(one)
    class = P: 3 of 4 votes; the next class (Q) has 1.
    >>> Evidence.from_dict(one.to_dict()) == one
    True
    """

    kind: ClassVar[str] = "evidence"
    features: tuple[str, ...]
    values: tuple[Any, ...]
    unseen: tuple[Unseen, ...]
    label: Any
    votes: dict[Any, float]
    weights: tuple[float, ...]
    target: str = "class"
    actual: Any = None
    left_out: Any = None  # the id of the stored case that was asked and did not take part in the answer

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to copy or pickle, those that are deferred as well."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def distribution(self) -> dict[Any, float]:
        """The votes as shares of 1."""
        total = sum(self.votes.values())
        return {label: votes / total for label, votes in self.votes.items()}

    def with_actual(self, actual: Any) -> Self:
        """Return the same evidence with the class of the query; deferred fields stay deferred."""
        return type(self)(**vars(self) | {"actual": actual})

    @property
    def is_right(self) -> bool | None:
        """Whether the prediction is the class of the query; None if that is not known."""
        return None if self.actual is None else bool(self.label == self.actual)

    def headline(self) -> Headline:
        """Return the prediction and its support: "class = P: 3 of 4 votes; the next class (Q) has 1."."""
        total = sum(self.votes.values())
        share = self.votes.get(self.label, 0.0) / total if total else None
        verdict = ""
        if self.is_right is not None and self.left_out is not None:  # perhaps it is the record that is wrong
            verdict = f"recorded as {format_value(self.actual)}: the others {'agree' if self.is_right else 'disagree'}"
        elif self.is_right is not None:
            verdict = f"{'right' if self.is_right else 'wrong'}: the class of the query is {format_value(self.actual)}"
        return Headline(
            format_value(self.label),
            self.support(),
            share=share,
            target=printable(self.target),
            sentence=self.sentence(),
            actual=format_value(self.actual) if self.actual is not None else "",
            verdict=verdict,
            is_right=self.is_right,
        )

    def sentence(self) -> str:
        """Return what supports the prediction, and the nearest rival, as a sentence without a full stop."""
        return f"{self.support()}; {self.next_class()}"

    def support(self) -> str:
        """Return the prediction's share of the votes."""
        return self.support_in("vote")

    def support_in(self, noun: str) -> str:
        """Return how many of the votes, or of the records, are for the prediction."""
        return f"{number(self.votes.get(self.label, 0.0))} of {plural(sum(self.votes.values()), noun)}"

    def say_so(self, which: str) -> str:
        """Return a sentence: how many of some records say so, and the next class."""
        verb = "says" if self.votes.get(self.label, 0.0) == 1 else "say"
        return f"{self.support_in('record')} {which} {verb} so; {self.next_class()}"

    def next_class(self, show: Callable[[float], str] = number) -> str:
        """Return a clause about the class with the most votes after the predicted one."""
        others = largest({label: votes for label, votes in self.votes.items() if label != self.label and votes > 0})
        if not others:
            return "no other class has any"
        return f"the next class ({shorten(format_value(others[0][0]), 24)}) has {show(others[0][1])}"

    def sections(self) -> tuple[Section, ...]:
        """Return the query, the votes, how they decided, and the parts of this kind of evidence."""
        sentences = (*self.how_decided(), *without_itself(self.left_out), *self._never_seen())
        return (
            Section("Query", (self.query(),), page_only=True),
            self.voting(),
            *([Section("", (Sentences(sentences),))] if sentences else []),
            *self.parts(),
        )

    def query(self) -> Query:
        """Return the query."""
        unseen = frozenset(one.feature for one in self.unseen if one.value is not None)
        return Query(self.features, self.values, self.weights, unseen)

    def voting(self) -> Section:
        """Return the votes."""
        # On a terminal, the first sentence says the same if there are at most two classes.
        return Section("Votes", (Votes(self.votes),), page_only=sum(votes > 0 for votes in self.votes.values()) < 3)

    def how_decided(self) -> list[str]:
        """Return sentences that say what led to the prediction."""
        return []

    def parts(self) -> Sequence[Section]:
        """Return the records, rules or path behind the prediction."""
        return ()

    def _never_seen(self) -> list[str]:
        """Return a sentence with the unknown values; none if all values are known, or missing."""
        unseen = [one for one in self.unseen if one.value is not None]
        if not unseen:
            return []
        some = [f"{shorten(printable(u.feature), 24)} = {shorten(format_value(u.value), 24)}" for u in unseen[:6]]
        if len(unseen) > 6:
            some.append("…")
        return [f"{len(unseen)} of {plural(len(self.values), 'value')} never seen: {', '.join(some)}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists that JSON can represent.

        JSON has only text as keys, so the votes are under the texts of the classes; `classes` lists the classes
        themselves. A number that is not finite becomes None.
        """
        return {"kind": self.kind, **plain(self), "classes": plain(list(self.classes()))}

    def classes(self) -> dict[Any, None]:
        """Return the classes that occur in the record, as the keys of a dictionary: an ordered set."""
        return dict.fromkeys([*self.votes, self.label])

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` converted; a number that was not finite becomes NaN."""
        # A record may lack a field that has a default: an earlier version wrote it.
        record = {one.name: one.default for one in fields(cls) if one.default is not MISSING} | dict(record)
        check_whole(record, [*(field.name for field in fields(cls)), "classes"])
        return cls(**cls.fields_from(record, {str(label): label for label in record["classes"]}))

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with their original types; `classes` maps the texts in JSON to the classes.

        A kind of evidence restores its own fields that JSON changes: tuples, records, counts.
        """
        return {field.name: record[field.name] for field in fields(cls)} | {
            "features": tuple(record["features"]),
            "values": values_from(record),
            "unseen": tuple(Unseen(**fields_from_json(one)) for one in record["unseen"]),
            "votes": counts_from(record["votes"], classes),
            "weights": tuple(map(number_from, record["weights"])),
        }


def without_itself(left_out: Any) -> list[str]:
    """Return a sentence if the query is a stored record that was left out, given by its id."""
    if left_out is None:
        return []
    which = shorten(format_value(left_out), 24)
    return [f"record {which} itself was left out; weights and settings are those of all records"]


def is_tied(votes: Mapping[Any, float]) -> bool:
    """Return whether the two largest counts are equal."""
    top = sorted(votes.values())[-2:]
    return len(top) == 2 and top[0] == top[1]


def tied_counts(votes: Mapping[Any, float], noun: str = "counts") -> list[str]:
    """Return a sentence if the two largest counts are equal."""
    return [f"the {noun} are tied: {PREFERRED}"] if is_tied(votes) else []
