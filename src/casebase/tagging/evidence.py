"""Why a word was tagged so: what its case base says, and where in the corpus the cases stand that decided."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Context:
    """A place in the corpus: the words around a token, the token's place among them, and its tag there."""

    words: tuple[str, ...]
    place: int
    tag: str
    sentence: int

    def __str__(self) -> str:
        marked = [f"[{word}]" if i == self.place else word for i, word in enumerate(self.words)]
        return f"{' '.join(marked)}  → {self.tag} (sentence {self.sentence + 1})"


@dataclass(frozen=True)
class TagEvidence:
    """The tag of one word, the evidence for it, and some of the `n_contexts` places in the corpus that it rests on."""

    word: str
    tag: str
    is_known: bool
    evidence: Any
    contexts: tuple[Context, ...]
    n_contexts: int

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as JSON has it."""
        return {
            "kind": "tag",
            "word": self.word,
            "tag": self.tag,
            "is_known": self.is_known,
            "evidence": self.evidence.to_dict(),
            "contexts": [vars(context) | {"words": list(context.words)} for context in self.contexts],
            "n_contexts": self.n_contexts,
        }

    def __str__(self) -> str:
        kind = "in the lexicon" if self.is_known else "not in the lexicon"
        lines = [f"{self.word}: {self.tag} ({kind})"]
        lines += [f"  {line}" for line in str(self.evidence).splitlines()]
        n = self.n_contexts
        lines.append(f"  rests on {n:,} place{'' if n == 1 else 's'} in the corpus{':' if self.contexts else '.'}")
        lines += [f"    {context}" for context in self.contexts]
        return "\n".join(lines)
