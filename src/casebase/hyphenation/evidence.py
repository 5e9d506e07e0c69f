"""Evidence for a hyphenation: at each place, the pattern that decided and the patterns it overrode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence import Explanation
from casebase.base.evidence.explanation import check_whole
from casebase.hyphenation.patterns import Pattern
from casebase.render.blocks import Entry, Headline, Listing, Section
from casebase.render.words import unbroken


@dataclass(frozen=True)
class PatternEvidence:
    """A pattern that matched, and some of the `n_words` training words that it matches."""

    pattern: str
    level: int
    allows: bool
    is_classes: bool
    support: float
    n_words: int = 0
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, pattern: Pattern, words: tuple[str, ...] = (), n_words: int = 0) -> "PatternEvidence":
        p = pattern
        return cls(str(p), p.level, p.allows, p.is_classes, p.support, n_words, words)

    def __str__(self) -> str:
        kind = " (classes)" if self.is_classes else ""
        return f"{unbroken(self.pattern)}{kind} {'allows' if self.allows else 'forbids'} at level {self.level}"

    def sources(self) -> str:
        """Return how many training words match the pattern, with examples; an empty text if `words` is empty."""
        if not self.words:
            return ""
        n, is_cut = self.n_words, self.n_words > len(self.words)
        words = ", ".join(map(unbroken, self.words))
        return f"from {n:,} word{'' if n == 1 else 's'}: {words}{', …' if is_cut else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as a JSON record."""
        return vars(self) | {"words": list(self.words)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the pattern of a JSON record."""
        return cls(**{**record, "words": tuple(record["words"])})


@dataclass(frozen=True)
class PlaceEvidence:
    """The decision at one place: by a pattern, or by the default if no pattern matches.

    `agreeing` has the other patterns of the same level, `overridden` those of lower levels. `confidence` is the share
    of right decisions to expect, if it was measured on held-out words.
    """

    place: int
    shown: str
    is_break: bool
    decided_by: PatternEvidence | None
    agreeing: tuple[PatternEvidence, ...]
    overridden: tuple[PatternEvidence, ...]
    confidence: float | None = None

    def entry(self) -> Entry:
        """Return the decision as a line, with the patterns for and against it below."""
        shown, decided_by = unbroken(self.shown), self.decided_by
        why = "by default" if decided_by is None else str(decided_by)
        sources = "" if decided_by is None else decided_by.sources()
        sure = "" if self.confidence is None else f" ({self.confidence:.1%} sure)"
        return Entry(
            f"{shown}  {'break' if self.is_break else 'no break'}{sure}: {why}",
            (
                *([sources] if sources else []),
                *(f"with {other}" for other in self.agreeing),
                *(f"over {other}" for other in self.overridden),
            ),
            mark=(0, len(shown)) if self.is_break else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the place as a JSON record."""
        return {
            "place": self.place,
            "shown": self.shown,
            "is_break": self.is_break,
            "decided_by": None if self.decided_by is None else self.decided_by.to_dict(),
            "agreeing": [other.to_dict() for other in self.agreeing],
            "overridden": [other.to_dict() for other in self.overridden],
            **({} if self.confidence is None else {"confidence": self.confidence}),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the place of a JSON record."""
        decided_by = record["decided_by"]
        return cls(
            record["place"],
            record["shown"],
            record["is_break"],
            None if decided_by is None else PatternEvidence.from_dict(decided_by),
            tuple(map(PatternEvidence.from_dict, record["agreeing"])),
            tuple(map(PatternEvidence.from_dict, record["overridden"])),
            record.get("confidence"),
        )


@dataclass(frozen=True)
class HyphenationEvidence(Explanation):
    """The decisions about a word, place by place.

    `default_allows` says whether a place that no pattern matches is a break.
    """

    kind: ClassVar[str] = "hyphenation"
    word: str
    hyphenated: str
    places: tuple[PlaceEvidence, ...]
    default_allows: bool

    def headline(self) -> Headline:
        """Return the word, without and with its breaks."""
        return Headline(unbroken(self.hyphenated), subject=unbroken(self.word))

    def sections(self) -> tuple[Section, ...]:
        """Return the possible places of a break, with the patterns that decided."""
        return (Section("Places", (Listing(tuple(place.entry() for place in self.places)),)),)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as a JSON record."""
        return {
            "kind": self.kind,
            "word": self.word,
            "hyphenated": self.hyphenated,
            "default_allows": self.default_allows,
            "places": [place.to_dict() for place in self.places],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence of a record that `to_dict` wrote, also after a round trip through JSON."""
        check_whole(record, ["word", "hyphenated", "default_allows", "places"])
        places = tuple(map(PlaceEvidence.from_dict, record["places"]))
        return cls(record["word"], record["hyphenated"], places, record["default_allows"])
