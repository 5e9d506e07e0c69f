"""Why a word was tagged so: what its case base says, and where in the corpus the cases stand that decided."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
    """The tag of one word, the evidence for it, and some of the `n_contexts` places in the corpus that it rests on."""

    kind: ClassVar[str] = "tag"
    word: str
    tag: str
    is_known: bool
    evidence: Explanation
    contexts: tuple[Context, ...]
    n_contexts: int

    def headline(self) -> Headline:
        """Return the word and its tag."""
        kind = "in the lexicon" if self.is_known else "not in the lexicon"
        return Headline(unbroken(self.tag), kind, unbroken(self.word), self.evidence.headline().share)

    def sections(self) -> tuple[Section, ...]:
        """Return the evidence of the case base or committee, and the places in the corpus."""
        n = self.n_contexts
        lead = f"rests on {n:,} place{'' if n == 1 else 's'} in the corpus{':' if self.contexts else '.'}"
        contexts = Listing(tuple(context.entry() for context in self.contexts), lead)
        return (
            Section("", (self.evidence.headline(),), indent=1),
            *(replace(section, indent=section.indent + 1) for section in self.evidence.sections()),
            Section("Places in the corpus", (contexts,)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        return {
            "kind": self.kind,
            "word": self.word,
            "tag": self.tag,
            "is_known": self.is_known,
            "evidence": self.evidence.to_dict(),
            "contexts": [vars(context) | {"words": list(context.words)} for context in self.contexts],
            "n_contexts": self.n_contexts,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the evidence that `to_dict` wrote, also after a journey through JSON."""
        check_whole(record, ["word", "tag", "is_known", "evidence", "contexts", "n_contexts"])
        kind = record["evidence"].get("kind")
        if kind not in ASKED:
            raise CasebaseError(unknown_name("kind of evidence", kind, ASKED))
        return cls(
            record["word"],
            record["tag"],
            record["is_known"],
            ASKED[kind].from_dict(record["evidence"]),
            tuple(map(Context.from_dict, record["contexts"])),
            record["n_contexts"],
        )
