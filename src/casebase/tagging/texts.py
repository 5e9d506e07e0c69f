"""A text to be tagged: read in any form, and its words with their tags and how sure these are."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from casebase.tagging.corpora import Corpus, read_corpus
from casebase.tagging.evidence import TagEvidence
from casebase.tagging.sentences import Sentences
from casebase.tagging.tagger import Tagger


@dataclass(frozen=True)
class TaggedWord:
    """A word of a text: its tag, whether it is in the lexicon, and how often such a tag is right.

    `confidence` is measured on held-out sentences of the training corpus; None if it had no sentence to hold out.
    """

    word: str
    tag: str
    is_known: bool
    confidence: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the word as `casebase tagger tag --json` prints it."""
        return asdict(self)


def read_text(tagger: Tagger, source: str | Path | bytes | BinaryIO, **options: Any) -> Corpus:
    """Read a text that a tagger is to tag, with the options of `read_corpus`.

    It may have tags, and plain text is split into words. The tagger knows how many columns it needs, and the
    abbreviations that keep their full stop.
    """
    return read_corpus(
        source,
        tagged=None,
        n_columns=2 + tagger.n_columns_,
        abbreviations=tagger.abbreviations_,
        n_threads=tagger.n_jobs or 1,
        **options,
    )


def tagged_words(tagger: Tagger, sentences: Sentences) -> list[list[TaggedWord]]:
    """Return the words of each sentence with their tags.

    >>> from casebase.tagging.sentences import sentences_of
    >>> tagger = Tagger().fit([[("The", "D"), ("dog", "N"), ("runs", "V")]])
    >>> words = tagged_words(tagger, sentences_of([["The", "dog", "naps"]], tagged=False))[0]
    >>> [(one.word, one.tag, one.is_known) for one in words]
    [('The', 'D', True), ('dog', 'N', True), ('naps', 'V', False)]
    """
    is_known = iter(tagger.knows(sentences).tolist())
    return [
        [TaggedWord(word, tag, next(is_known), confidence) for word, (tag, confidence) in zip(words, tagged)]
        for words, tagged in zip(sentences.lists(), tagger.tag_many(sentences, confidence=True))
    ]


def rivals(evidence: TagEvidence, limit: int = 5) -> list[tuple[str, float]]:
    """Return the other tags that have a share in the vote on a word, the largest first, and their shares.

    The shares order the tags; they are no probabilities (see `CommitteeEvidence`).
    """
    shares = getattr(evidence.evidence, "distribution", {})
    others = [(str(tag), share) for tag, share in shares.items() if tag != evidence.tag and share > 0]
    return sorted(others, key=lambda one: (-one[1], one[0]))[:limit]


def with_right_tags(sentence: Sequence[Any], tags: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a sentence of words, or of (word, further columns …), with tags, as `Tagger.learn` takes it.

    >>> with_right_tags([("walks", "V"), "dogs"], ["B-VP", "N"])
    [('walks', 'V', 'B-VP'), ('dogs', 'N')]
    """
    tokens = [(token,) if isinstance(token, str) else tuple(token) for token in sentence]
    return [(*token, tag) for token, tag in zip(tokens, tags, strict=True)]
