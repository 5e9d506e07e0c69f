"""Evidence for the answer of a committee: what each of its memories has stored for the query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence import Explanation
from casebase.base.evidence.explanation import check_whole
from casebase.render.blocks import Entry, Headline, Listing, Section
from casebase.render.words import unbroken

N_TAGS_NAMED = 4


@dataclass(frozen=True)
class Opinion:
    """The answer of one memory: the counts of classes for the first `n_matched` feature values together.

    `weights` has the weight of each of its features, for what a context that goes as far changes. `support` is what it
    adds to the log-odds of the answer against its strongest rival, in bits; below 0 it speaks against the answer.
    """

    features: tuple[str, ...]
    values: tuple[str, ...]
    n_matched: int
    counts: dict[str, int]
    weights: tuple[float, ...]
    support: float

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
        tuples = {name: tuple(record[name]) for name in ("features", "values", "weights")}
        return cls(**{**record, **tuples})


@dataclass(frozen=True)
class CommitteeEvidence(Explanation):
    """The answer, the strongest `rival`, and the opinions of the memories, those with the most support first.

    `distribution` has the share of each possible class in the vote. The shares order the classes; they are no
    probabilities, because the memories count overlapping contexts as if they were independent. `was_certain` says that
    only one class was possible, so that no memory was consulted.
    """

    kind: ClassVar[str] = "committee"
    label: str
    rival: str | None
    distribution: dict[str, float]
    opinions: tuple[Opinion, ...]
    was_certain: bool

    def headline(self) -> Headline:
        """Return the tag, and the one that came next."""
        label = unbroken(self.label)
        detail = "the only tag that the word may have" if self.rival is None else f"rather than {unbroken(self.rival)}"
        return Headline(label, detail, wording=f"{label}, {detail}" if self.rival is None else f"{label} {detail}")

    def sections(self) -> tuple[Section, ...]:
        """Return the memories that support the tag, and those against it."""
        if self.was_certain:
            return ()
        supporting = [opinion for opinion in self.opinions if opinion.support >= 0]
        opposing = [opinion for opinion in reversed(self.opinions) if opinion.support < 0]
        sides = ((f"for {unbroken(self.label)}:", supporting), (f"for {unbroken(self.rival or '')}:", opposing))
        # Memories that differ only in features behind the context that they met say the same.
        listings = [
            Listing(tuple(map(Entry, dict.fromkeys(map(str, opinions)))), lead) for lead, opinions in sides if opinions
        ]
        return (Section("What the memories met", tuple(listings)),)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as a JSON record."""
        opinions = [
            vars(opinion) | {name: list(getattr(opinion, name)) for name in ("features", "values", "weights")}
            for opinion in self.opinions
        ]
        return {"kind": self.kind} | vars(self) | {"opinions": opinions}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence of a record that `to_dict` wrote, also after a round trip through JSON."""
        check_whole(record, ["label", "rival", "distribution", "opinions", "was_certain"])
        opinions = tuple(map(Opinion.from_dict, record["opinions"]))
        return cls(record["label"], record["rival"], dict(record["distribution"]), opinions, record["was_certain"])
