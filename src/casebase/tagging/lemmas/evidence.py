"""Why a word has its lemma: its occurrences in the training corpus, or words with the same ending."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self

from casebase.base.evidence import Explanation
from casebase.base.evidence.explanation import check_whole
from casebase.render.blocks import Entry, Headline, Listing, Section
from casebase.render.words import unbroken


@dataclass(frozen=True)
class LemmaEvidence(Explanation):
    """The lemma of a word with its tag.

    A word that `is_known` occurred with this tag and lemma `n` times; `rivals` are its other lemmas and how often they
    occurred. For another one, `ending` is what the tree of suffixes recognised, and `n` different training words with
    this tag and ending have the same `script`; `examples` are the most frequent of them, with their lemmas.
    """

    kind: ClassVar[str] = "lemma"
    word: str
    tag: str
    lemma: str
    is_known: bool
    script: str
    n: int
    rivals: tuple[tuple[str, int], ...]
    ending: str | None
    examples: tuple[tuple[str, str], ...]

    def headline(self) -> Headline:
        """Return the word and its lemma."""
        times = "once" if self.n == 1 else f"{self.n:,} times"
        detail = f"{self.tag}; {self.script}; seen {times}" if self.is_known else f"{self.tag}; {self.script}; not seen"
        return Headline(unbroken(self.lemma), detail, unbroken(self.word), None)

    def sections(self) -> tuple[Section, ...]:
        """Return other lemmas of the word, or words with the same ending."""
        if self.is_known:
            entries = [f"{lemma} ({n:,} times)" for lemma, n in self.rivals]
            return (Section("Other lemmas of this word", (_listing(entries, ""),)),) if entries else ()
        words = "word" if self.n == 1 else "words"
        like = f"the ending -{self.ending}" if self.ending else "this tag"
        lead = f"rests on {self.n:,} {words} of the corpus with {like}:"
        return (Section("Words that decided", (_listing([f"{a} → {b}" for a, b in self.examples], lead),)),)

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        record = asdict(self) | {"rivals": [list(one) for one in self.rivals]}
        return {"kind": self.kind, **record, "examples": [list(one) for one in self.examples]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence that `to_dict` wrote, also after a journey through JSON."""
        names = [field.name for field in fields(cls)]
        check_whole(record, names)
        pairs = {name: tuple((a, b) for a, b in record[name]) for name in ("rivals", "examples")}
        return cls(**{name: record[name] for name in names} | pairs)


def _listing(lines: list[str], lead: str) -> Listing:
    return Listing(tuple(Entry(unbroken(line)) for line in lines), lead)
