"""Why a committee of memories answered so: what each of them remembers of the question."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Opinion:
    """What one memory remembers: the first `n_matched` of its features were met together, with these classes."""

    features: tuple[str, ...]
    values: tuple[str, ...]
    n_matched: int
    counts: dict[str, int]
    weight: float

    def __str__(self) -> str:
        if not self.n_matched:
            return f"{self.features[0]} = {self.values[0]}: never met"
        met = ", ".join(f"{f} = {v}" for f, v in zip(self.features[: self.n_matched], self.values))
        by_count = sorted(self.counts.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{label} {n:,}" for label, n in by_count[:4])
        return f"{met}: {shown}{', …' if len(by_count) > 4 else ''}"


@dataclass(frozen=True)
class CommitteeEvidence:
    """The classes that could be, each with its share of the belief, and what the memories say, the first one first.

    `was_certain` says that only one class could be, so that no memory was asked.
    """

    label: str
    distribution: dict[str, float]
    opinions: tuple[Opinion, ...]
    was_certain: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        opinions = [
            vars(opinion) | {"features": list(opinion.features), "values": list(opinion.values)}
            for opinion in self.opinions
        ]
        return {"kind": "committee"} | vars(self) | {"opinions": opinions}

    def __str__(self) -> str:
        if self.was_certain:
            return f"{self.label}, the only tag that the word may have"
        by_share = sorted(self.distribution.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{label} {100 * share:.1f} %" for label, share in by_share[:4])
        lines = [f"{shown}{', …' if len(by_share) > 4 else ''}"]
        lines += [f"  {opinion}" for opinion in self.opinions]
        return "\n".join(lines)
