"""Why a committee of memories answered so: what each of them remembers of the question."""

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
    """What one memory remembers: the first `n_matched` of its features were met together, with these classes."""

    features: tuple[str, ...]
    values: tuple[str, ...]
    n_matched: int
    counts: dict[str, int]
    weight: float

    def __str__(self) -> str:
        asked = [unbroken(f"{feature} = {value}") for feature, value in zip(self.features, self.values)]
        if not self.n_matched:
            return f"{asked[0]}: never met"
        met = ", ".join(asked[: self.n_matched])
        by_count = sorted(self.counts.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{unbroken(label)} {n:,}" for label, n in by_count[:N_TAGS_NAMED])
        return f"{met}: {shown}{', …' if len(by_count) > N_TAGS_NAMED else ''}"

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the opinion that JSON tells of."""
        tuples = {name: tuple(record[name]) for name in ("features", "values")}
        return cls(**{**record, **tuples})


@dataclass(frozen=True)
class CommitteeEvidence(Explanation):
    """The classes that could be, each with its share of the belief, and what the memories say, the first one first.

    `was_certain` says that only one class could be, so that no memory was asked.
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
        shown = ", ".join(f"{unbroken(tag)} {100 * share:.1f} %" for tag, share in by_share[:N_TAGS_NAMED])
        wording = f"{shown}{', …' if len(by_share) > N_TAGS_NAMED else ''}"
        return Headline(label, "" if share is None else f"{100 * share:.1f} %", share=share, wording=wording)

    def sections(self) -> tuple[Section, ...]:
        """Return the shares of the tags, and what each memory met."""
        if self.was_certain:
            return ()
        opinions = Listing(tuple(Entry(str(opinion)) for opinion in self.opinions))
        return (
            Section("Shares of the tags", (Votes(self.distribution, unit=""),), page_only=True),
            Section("What the memories met", (opinions,)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        opinions = [
            vars(opinion) | {"features": list(opinion.features), "values": list(opinion.values)}
            for opinion in self.opinions
        ]
        return {"kind": self.kind} | vars(self) | {"opinions": opinions}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence that `to_dict` wrote, also after a journey through JSON."""
        check_whole(record, ["label", "distribution", "opinions", "was_certain"])
        opinions = tuple(map(Opinion.from_dict, record["opinions"]))
        return cls(record["label"], dict(record["distribution"]), opinions, record["was_certain"])
