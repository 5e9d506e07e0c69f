"""Why a word is hyphenated so: at each place the pattern that decided, and those it overrode."""

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
    """A pattern that spoke, and training words that it speaks about (`n_words` in all)."""

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

    def learnt_from(self) -> str:
        """Return how many training words have the pattern, and some of them; nothing if none is listed."""
        if not self.words:
            return ""
        n, more = self.n_words, self.n_words - len(self.words)
        listed = ", ".join(map(unbroken, self.words))
        return f"from {n:,} word{'' if n == 1 else 's'}: {listed}{', …' if more else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as JSON has it."""
        return vars(self) | {"words": list(self.words)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the pattern that JSON tells of."""
        return cls(**{**record, "words": tuple(record["words"])})


@dataclass(frozen=True)
class PlaceEvidence:
    """What was decided at one place: by a pattern, or by the default if there is none.

    `agreeing` are others of the same level, `overridden` those of lower levels.
    """

    place: int
    shown: str
    is_break: bool
    decided_by: PatternEvidence | None
    agreeing: tuple[PatternEvidence, ...]
    overridden: tuple[PatternEvidence, ...]

    def entry(self) -> Entry:
        """Return the decision as a line, with what speaks for and against it below."""
        shown, decided_by = unbroken(self.shown), self.decided_by
        why = "by default" if decided_by is None else str(decided_by)
        learnt_from = "" if decided_by is None else decided_by.learnt_from()
        return Entry(
            f"{shown}  {'break' if self.is_break else 'no break'}: {why}",
            (
                *([learnt_from] if learnt_from else []),
                *(f"with {other}" for other in self.agreeing),
                *(f"over {other}" for other in self.overridden),
            ),
            mark=(0, len(shown)) if self.is_break else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the place as JSON has it."""
        return {
            "place": self.place,
            "shown": self.shown,
            "is_break": self.is_break,
            "decided_by": None if self.decided_by is None else self.decided_by.to_dict(),
            "agreeing": [other.to_dict() for other in self.agreeing],
            "overridden": [other.to_dict() for other in self.overridden],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the place that JSON tells of."""
        decided_by = record["decided_by"]
        return cls(
            record["place"],
            record["shown"],
            record["is_break"],
            None if decided_by is None else PatternEvidence.from_dict(decided_by),
            tuple(map(PatternEvidence.from_dict, record["agreeing"])),
            tuple(map(PatternEvidence.from_dict, record["overridden"])),
        )


@dataclass(frozen=True)
class HyphenationEvidence(Explanation):
    """What was decided about a word, place by place.

    `default_allows` is what holds where no pattern speaks.
    """

    kind: ClassVar[str] = "hyphenation"
    word: str
    hyphenated: str
    places: tuple[PlaceEvidence, ...]
    default_allows: bool

    def headline(self) -> Headline:
        """Return the word without and with its breaks."""
        return Headline(unbroken(self.hyphenated), subject=unbroken(self.word))

    def sections(self) -> tuple[Section, ...]:
        """Return the places where the word could be broken, with the patterns that decided."""
        return (Section("Places", (Listing(tuple(place.entry() for place in self.places)),)),)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        return {
            "kind": self.kind,
            "word": self.word,
            "hyphenated": self.hyphenated,
            "default_allows": self.default_allows,
            "places": [place.to_dict() for place in self.places],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence that `to_dict` wrote, also after a journey through JSON."""
        check_whole(record, ["word", "hyphenated", "default_allows", "places"])
        places = tuple(map(PlaceEvidence.from_dict, record["places"]))
        return cls(record["word"], record["hyphenated"], places, record["default_allows"])
