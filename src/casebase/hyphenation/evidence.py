"""Why a word is hyphenated so: at each place the pattern that decided, and those it overrode."""

from dataclasses import dataclass
from typing import Any

from casebase.hyphenation.patterns import Pattern


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
        return f"{self.pattern}{kind} {'allows' if self.allows else 'forbids'} at level {self.level}"


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


@dataclass(frozen=True)
class HyphenationEvidence:
    """What was decided about a word, place by place.

    `default_allows` is what holds where no pattern speaks.
    """

    word: str
    hyphenated: str
    places: tuple[PlaceEvidence, ...]
    default_allows: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        return {
            "kind": "hyphenation",
            "word": self.word,
            "hyphenated": self.hyphenated,
            "default_allows": self.default_allows,
            "places": [
                {
                    "place": p.place,
                    "shown": p.shown,
                    "is_break": p.is_break,
                    "decided_by": None if p.decided_by is None else _plain(p.decided_by),
                    "agreeing": [_plain(other) for other in p.agreeing],
                    "overridden": [_plain(other) for other in p.overridden],
                }
                for p in self.places
            ],
        }

    def __str__(self) -> str:
        lines = [f"{self.word}: {self.hyphenated}"]
        for p in self.places:
            sign = "break" if p.is_break else "no break"
            why = "by default" if p.decided_by is None else str(p.decided_by)
            lines.append(f"  {p.shown}  {sign}: {why}")
            if p.decided_by is not None and p.decided_by.words:
                lines.append(f"      from {_counted_words(p.decided_by)}")
            lines += [f"      with {other}" for other in p.agreeing]
            lines += [f"      over {other}" for other in p.overridden]
        return "\n".join(lines)


def _plain(evidence: PatternEvidence) -> dict[str, Any]:
    return vars(evidence) | {"words": list(evidence.words)}


def _counted_words(evidence: PatternEvidence) -> str:
    n, more = evidence.n_words, evidence.n_words - len(evidence.words)
    return f"{n:,} word{'' if n == 1 else 's'}: {', '.join(evidence.words)}{', …' if more else ''}"
