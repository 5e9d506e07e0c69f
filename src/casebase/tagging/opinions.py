"""Evidence for the answer of a committee: what each of its memories has stored for the query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence import Explanation
from casebase.base.evidence.explanation import check_whole
from casebase.render.blocks import Entry, Headline, Listing, Section, Votes
from casebase.render.words import unbroken

N_TAGS_NAMED = 4


@dataclass(frozen=True)
class Opinion:
    """The answer of one memory: the counts of classes for the first `n_matched` feature values together."""

    features: tuple[str, ...]
    values: tuple[str, ...]
    n_matched: int
    counts: dict[str, int]
    weight: float

    def __str__(self) -> str:
        query = [unbroken(f"{feature} = {value}") for feature, value in zip(self.features, self.values)]
        if not self.n_matched:
            return f"{query[0]}: never met"
        match = ", ".join(query[: self.n_matched])
        by_count = sorted(self.counts.items(), key=lambda item: -item[1])
        counts = ", ".join(f"{unbroken(label)} {n:,}" for label, n in by_count[:N_TAGS_NAMED])
        return f"{match}: {counts}{', …' if len(by_count) > N_TAGS_NAMED else ''}"

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the opinion of a JSON record."""
        tuples = {name: tuple(record[name]) for name in ("features", "values")}
        return cls(**{**record, **tuples})


@dataclass(frozen=True)
class CommitteeEvidence(Explanation):
    """The share of each possible class in the vote, and the opinions of the memories in their order.

    `was_certain` says that only one class was possible, so that no memory was consulted.
    """

    kind: ClassVar[str] = "committee"
    label: str
    distribution: dict[str, float]
    opinions: tuple[Opinion, ...]
    was_certain: bool

    def headline(self) -> Headline:
        """Return the tag, or on a terminal the most likely ones with their shares."""
        label, share = unbroken(self.label), self.distribution.get(self.label)
        if self.was_certain:
            detail = "the only tag that the word may have"
            return Headline(label, detail, share=1.0, wording=f"{label}, {detail}")
        by_share = sorted(self.distribution.items(), key=lambda item: -item[1])
        shares = ", ".join(f"{unbroken(tag)} {100 * share:.1f} %" for tag, share in by_share[:N_TAGS_NAMED])
        wording = f"{shares}{', …' if len(by_share) > N_TAGS_NAMED else ''}"
        return Headline(label, "" if share is None else f"{100 * share:.1f} %", share=share, wording=wording)

    def sections(self) -> tuple[Section, ...]:
        """Return the shares of the tags, and the opinion of each memory."""
        if self.was_certain:
            return ()
        opinions = Listing(tuple(Entry(str(opinion)) for opinion in self.opinions))
        return (
            Section("Shares of the tags", (Votes(self.distribution, unit=""),), page_only=True),
            Section("What the memories met", (opinions,)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as a JSON record."""
        opinions = [
            vars(opinion) | {"features": list(opinion.features), "values": list(opinion.values)}
            for opinion in self.opinions
        ]
        return {"kind": self.kind} | vars(self) | {"opinions": opinions}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence of a record that `to_dict` wrote, also after a round trip through JSON."""
        check_whole(record, ["label", "distribution", "opinions", "was_certain"])
        opinions = tuple(map(Opinion.from_dict, record["opinions"]))
        return cls(record["label"], dict(record["distribution"]), opinions, record["was_certain"])
