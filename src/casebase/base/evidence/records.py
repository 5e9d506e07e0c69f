"""The evidence for the answer of a classifier: what all kinds of it have."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

from casebase.base.evidence.explanation import Explanation, check_whole, plain, restored_counts, restored_number
from casebase.render.blocks import Headline, Query, Section, Sentences, Votes
from casebase.render.words import number, plural, printable, shortened, spelled

PREFERRED = "the class preferred in ties was taken, the more frequent in training first"


@dataclass(frozen=True)
class Unseen:
    """A value that no stored case has."""

    feature: str
    value: Any


@dataclass(frozen=True, kw_only=True)
class Evidence(Explanation):
    """What all evidence says: the case, its values that are new, the answer and the votes.

    A kind of evidence adds its fields, and says `how_decided` and, in `parts`, what cases or rules are behind it.

    >>> one = Evidence(features=("f",), values=("a",), unseen=(), label="P", votes={"P": 3.0, "Q": 1.0}, weights=(0.5,))
    >>> print(one)
    P, 3 of 4 votes
      votes: P 3, Q 1
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

    @property
    def distribution(self) -> dict[Any, float]:
        """The votes as shares of 1."""
        total = sum(self.votes.values())
        return {label: votes / total for label, votes in self.votes.items()}

    def headline(self) -> Headline:
        """Return the answer with what it got of what there was: "P, 3 of 4 votes"."""
        total = sum(self.votes.values())
        share = self.votes.get(self.label, 0.0) / total if total else None
        return Headline(spelled(self.label), self.support(), share=share)

    def support(self) -> str:
        """Return what the answer got of what there was."""
        return self.counted("vote")

    def counted(self, noun: str) -> str:
        """Return how many of the votes, cases or the like are of the answer."""
        return f"{number(self.votes.get(self.label, 0.0))} of {plural(sum(self.votes.values()), noun)}"

    def sections(self) -> tuple[Section, ...]:
        """Return the case, the votes, how they decided, and the parts that only this kind of evidence has."""
        sentences = (*self.how_decided(), *self._never_seen())
        return (
            Section("Asked", (self.query(),), page_only=True),
            self.voting(),
            *([Section("", (Sentences(sentences),))] if sentences else []),
            *self.parts(),
        )

    def query(self) -> Query:
        """Return the case that was asked."""
        return Query(self.features, self.values, self.weights, frozenset(one.feature for one in self.unseen))

    def voting(self) -> Section:
        """Return the votes."""
        return Section("Votes", (Votes(self.votes),))

    def how_decided(self) -> list[str]:
        """Return, a sentence each, what led to the answer."""
        return []

    def parts(self) -> Sequence[Section]:
        """Return the cases, rules or path behind the answer."""
        return ()

    def _never_seen(self) -> list[str]:
        """Return how many values no stored case has, and which; nothing if all are known."""
        if not self.unseen:
            return []
        some = [f"{shortened(printable(u.feature), 24)} = {shortened(spelled(u.value), 24)}" for u in self.unseen[:6]]
        if len(self.unseen) > 6:
            some.append("…")
        return [f"{len(self.unseen)} of {plural(len(self.values), 'value')} never seen: {', '.join(some)}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists, as JSON has them.

        JSON has no key but text, so the votes are under each class as it is written; `classes` lists the
        same classes as they are. A number that is not finite becomes None.
        """
        record: dict[str, Any] = plain({"kind": self.kind, **asdict(self), "classes": list(self.classes())})
        return record

    def classes(self) -> dict[Any, None]:
        """Return, as keys, the classes that the record names; dictionaries keep their order."""
        return dict.fromkeys([*self.votes, self.label])

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` wrote; a number that was not finite comes back as NaN."""
        check_whole(record, [*(field.name for field in fields(cls)), "classes"])
        return cls(**cls.restored(record, {str(label): label for label in record["classes"]}))

    @classmethod
    def restored(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields as they were; `classes` has the classes by the text that JSON has for them.

        A kind of evidence restores those of its fields that JSON changes: lists that were tuples, records, counts.
        """
        return {field.name: record[field.name] for field in fields(cls)} | {
            "features": tuple(record["features"]),
            "values": tuple(record["values"]),
            "unseen": tuple(Unseen(**one) for one in record["unseen"]),
            "votes": restored_counts(record["votes"], classes),
            "weights": tuple(map(restored_number, record["weights"])),
        }


def is_tied(votes: Mapping[Any, float]) -> bool:
    """Return whether the two largest counts are equal."""
    top = sorted(votes.values())[-2:]
    return len(top) == 2 and top[0] == top[1]


def tied_counts(votes: Mapping[Any, float], noun: str = "counts") -> list[str]:
    """Return a sentence if the two largest counts are equal."""
    return [f"the {noun} are tied: {PREFERRED}"] if is_tied(votes) else []
