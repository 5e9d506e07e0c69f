"""Why a word was tagged so: what its case base says, and where in the corpus the cases stand that decided."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from casebase.base.evidence import Explanation, TreeEvidence
from casebase.base.evidence.explanation import check_whole
from casebase.errors import CasebaseError, unknown_name
from casebase.neighbours.evidence import NeighbourEvidence
from casebase.render.blocks import Entry, Headline, Listing, Section
from casebase.render.words import unbroken
from casebase.tagging.opinions import CommitteeEvidence

# What a tagger asks: two case bases, each of neighbours or a tree, or a committee of memories.
ASKED: dict[str, type[Explanation]] = {
    record.kind: record for record in (NeighbourEvidence, TreeEvidence, CommitteeEvidence)
}


@dataclass(frozen=True)
class Context:
    """A place in the corpus: the words around a token, the token's place among them, and its tag there."""

    words: tuple[str, ...]
    place: int
    tag: str
    sentence: int

    def __str__(self) -> str:
        return self.entry().text

    def entry(self) -> Entry:
        """Return the words as a line in which the token stands out."""
        words = [unbroken(word) for word in self.words]
        before = "".join(f"{word} " for word in words[: self.place])
        token = f"[{words[self.place]}]"
        after = "".join(f" {word}" for word in words[self.place + 1 :])
        tail = f"  → {unbroken(self.tag)} (sentence {self.sentence + 1})"
        return Entry(before + token + after + tail, mark=(len(before), len(before) + len(token)))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the place that JSON tells of."""
        return cls(**{**record, "words": tuple(record["words"])})


@dataclass(frozen=True)
class TagEvidence(Explanation):
    """The tag of one word, the evidence for it, and the places in the corpus that decided and that speak against it.

    There are `n_contexts` places with the tag in the context that decided, of which `contexts` are the first, and
    `n_against` places with other tags in the context that speaks against it most, of which `against` are the first.
    `confidence` is how often such a tag was right among `n_held_out` words with as much doubt, which were held out of
    the corpus; None if none was. If `by_all_words`, too few words were held out that are in the lexicon as this one is,
    or are not as this one is not, and all held-out words are taken together.
    """

    kind: ClassVar[str] = "tag"
    word: str
    tag: str
    is_known: bool
    confidence: float | None
    n_held_out: int
    by_all_words: bool
    evidence: Explanation
    contexts: tuple[Context, ...]
    n_contexts: int
    against: tuple[Context, ...]
    n_against: int

    def headline(self) -> Headline:
        """Return the word and its tag."""
        detail = "in the lexicon" if self.is_known else "not in the lexicon"
        if self.confidence is not None:
            words = "word" if self.n_held_out == 1 else "words"
            detail += f"; confidence {format_confidence(self.confidence)} by {self.n_held_out:,} held-out {words}"
            detail += ", in the lexicon or not" if self.by_all_words else ""
        return Headline(unbroken(self.tag), detail, unbroken(self.word), self.confidence)

    def sections(self) -> tuple[Section, ...]:
        """Return the evidence of the case base or committee, and the places in the corpus."""
        places = [_places("rests on", self.n_contexts, self.contexts)]
        if self.n_against:
            are = "is" if self.n_against == 1 else "are"
            places.append(_places(f"against it {are}", self.n_against, self.against))
        return (
            Section("", (self.evidence.headline(),), indent=1),
            *(replace(section, indent=section.indent + 1) for section in self.evidence.sections()),
            Section("Places in the corpus", tuple(places)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        return {
            "kind": self.kind,
            "word": self.word,
            "tag": self.tag,
            "is_known": self.is_known,
            "confidence": self.confidence,
            "n_held_out": self.n_held_out,
            "by_all_words": self.by_all_words,
            "evidence": self.evidence.to_dict(),
            "contexts": [vars(context) | {"words": list(context.words)} for context in self.contexts],
            "n_contexts": self.n_contexts,
            "against": [vars(context) | {"words": list(context.words)} for context in self.against],
            "n_against": self.n_against,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence that `to_dict` wrote, also after a journey through JSON."""
        names = [field.name for field in fields(cls)]
        check_whole(record, names)
        kind = record["evidence"].get("kind")
        if kind not in ASKED:
            raise CasebaseError(unknown_name("kind of evidence", kind, ASKED))
        restored = {
            "evidence": ASKED[kind].from_dict(record["evidence"]),
            "contexts": tuple(map(Context.from_dict, record["contexts"])),
            "against": tuple(map(Context.from_dict, record["against"])),
        }
        return cls(**{name: record[name] for name in names} | restored)


def format_confidence(confidence: float) -> str:
    """Return a confidence in per cent; it never rounds to certainty.

    >>> format_confidence(0.9731), format_confidence(0.99996)
    ('97.3 %', 'above 99.9 %')
    """
    return "above 99.9 %" if confidence >= 0.9995 else f"{100 * confidence:.1f} %"


def _places(lead: str, n: int, contexts: tuple[Context, ...]) -> Listing:
    end = ":" if contexts else "."
    lead = f"{lead} {n:,} place{'' if n == 1 else 's'} in the corpus{end}"
    return Listing(tuple(context.entry() for context in contexts), lead)
