"""Spans of text with labels: what annotation tools ask of a tagger, and what they teach it.

A tagger gives one tag per token. Tags of chunks (B-PER, I-PER, O) become spans over several tokens, and all other tags
spans over one. In the other direction, the spans of a sentence become the tags of its tokens.
"""

import itertools
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.tagging.chunks import OUTSIDE, are_chunks, chunks_of
from casebase.tagging.evidence import TagEvidence, format_confidence
from casebase.tagging.tagger import Tagger
from casebase.tagging.tokens import tokens_of

N_PLACES = 3  # of the corpus, in an explanation
MOST_EXPLAINED = 2_000  # tokens of a document


@dataclass(frozen=True)
class Token:
    """A word and its place in a text: its first letter, and the one behind its last."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True)
class Span:
    """A piece of text with its label."""

    begin: int
    end: int
    label: str


@dataclass(frozen=True)
class Suggestion(Span):
    """A span that a tagger suggests: how often such a tag is right, if that was measured, and why it was given."""

    score: float | None
    explanation: str | None = None


Sentence = Sequence[Token]


def tagger_of(saved: object, tool: str) -> Tagger:
    """Return the tagger that a desk has; an error that says what the tool needs if it has something else."""
    if isinstance(saved, Tagger):
        return saved
    what = "a hyphenator" if isinstance(saved, Hyphenator) else "a classifier of records"
    raise CasebaseError(
        f"{tool} annotates words in running text, and this model is {what}. Serve a tagger (`casebase tagger train`)."
    )


def sentences_in(text: str, tagger: Tagger) -> list[list[Token]]:
    """Return the sentences of a plain text, split as the tagger's own command splits it.

    >>> sentences_in("It ran. It fell.", Tagger().fit([[("It", "P"), ("ran", "V"), (".", ".")]]))[1][0]
    Token(begin=8, end=10, text='It')
    """
    sentences: list[list[Token]] = []
    begin = 0
    for line in text.split("\n"):
        for words in tokens_of(line, tagger.abbreviations_):
            sentence = []
            for word in words:
                begin = text.index(word, begin)
                sentence.append(Token(begin, begin + len(word), word))
                begin += len(word)
            sentences.append(sentence)
    return sentences


def suggestions(tagger: Tagger, sentences: Iterable[Sentence]) -> list[Suggestion]:
    """Return what a tagger suggests for sentences; tokens outside of all chunks get nothing.

    An explanation costs some thirty times as much as a tag: only the first `MOST_EXPLAINED` tokens have one.
    """
    if tagger.n_columns_:
        raise CasebaseError(
            f"This tagger needs {tagger.n_columns_} columns beside the words, and an annotation tool sends words "
            "alone. Train one on words and tags."
        )
    sentences = list(sentences)
    words = [[token.text for token in sentence] for sentence in sentences]
    n_tokens = list(itertools.accumulate(map(len, words)))
    n_explained = max(1, bisect_right(n_tokens, MOST_EXPLAINED))
    found = []
    for sentence, evidence in zip(sentences, tagger.explain_many(words[:n_explained], limit=N_PLACES)):
        tags = [(one.tag, one.confidence) for one in evidence]
        for span, first, last in _spans(tagger, sentence, tags):
            parts = evidence[first:last]
            why = "\n".join(explanation(one, names_word=len(parts) > 1) for one in parts)
            found.append(replace(span, explanation=why))
    for sentence, tags in zip(sentences[n_explained:], tagger.tag_many(words[n_explained:], confidence=True)):
        found += [span for span, _, _ in _spans(tagger, sentence, tags)]
    return found


def _spans(
    tagger: Tagger, sentence: Sentence, tags: Sequence[tuple[str, float | None]]
) -> Iterator[tuple[Suggestion, int, int]]:
    """Yield the spans of a sentence, each with its first token and the one behind its last."""
    labels = [tag for tag, _ in tags]
    has_chunks = are_chunks(tagger.tags_)
    for first, last, label in chunks_of(labels) if has_chunks else ((i, i + 1, tag) for i, tag in enumerate(labels)):
        sure = [score for _, score in tags[first:last] if score is not None]
        # A chunk is as sure as the least sure of its tokens.
        score = min(sure) if len(sure) == last - first else None
        yield Suggestion(sentence[first].begin, sentence[last - 1].end, label, score), first, last


def explanation(evidence: TagEvidence, *, names_word: bool = False) -> str:
    """Return in one line the places in the corpus that decided, and those that speak against it.

    >>> tagger = Tagger().fit([[("The", "D"), ("dog", "N")], [("The", "D"), ("cat", "N")]])
    >>> print(explanation(tagger.explain(["The", "dog"])[1]).replace("; ", "\\n"))
    1 place in the corpus says N: The [dog] → N (sentence 1)
    50.0 % of such tags were right
    """
    parts = [_places(evidence.n_contexts, f"says {evidence.tag}", f"say {evidence.tag}", evidence.contexts)]
    if evidence.n_against:
        parts.append(_places(evidence.n_against, "is against it", "are against it", evidence.against))
    if evidence.confidence is not None:
        parts.append(f"{format_confidence(evidence.confidence)} of such tags were right")
    if not evidence.is_known:
        parts.append("the word is not in the lexicon")
    return (f"{evidence.word}: " if names_word else "") + "; ".join(parts)


def _places(n: int, one: str, many: str, contexts: Sequence[object]) -> str:
    lead = f"{n:,} {'place' if n == 1 else 'places'} in the corpus {one if n == 1 else many}"
    listed = " | ".join(" ".join(str(context).split()) for context in contexts)
    return f"{lead}: {listed}" if listed else lead


def tagged_sentences(
    tagger: Tagger, sentences: Iterable[Sentence], spans: Iterable[Span]
) -> list[list[tuple[str, str]]]:
    """Return the sentences that a person has annotated, as (word, tag), without those that the corpus has already.

    A tagger of chunks learns the sentences that have a span; tokens outside of all spans are O. Any other tagger learns
    the sentences in which every token has a label.
    """
    has_chunks = are_chunks(tagger.tags_)
    by_begin = sorted(spans, key=lambda span: (span.begin, -span.end))
    found = []
    for sentence in sentences:
        if not sentence:
            continue
        own = [span for span in by_begin if span.begin < sentence[-1].end and span.end > sentence[0].begin]
        tags = _chunk_tags(sentence, own) if has_chunks else _token_tags(sentence, own)
        if own and tags is not None:
            found.append([(token.text, tag) for token, tag in zip(sentence, tags)])
    known = _sentences_of(tagger)
    distinct = dict.fromkeys(tuple(sentence) for sentence in found)
    return [list(sentence) for sentence in distinct if sentence not in known]


def _sentences_of(tagger: Tagger) -> set[tuple[tuple[str, str], ...]]:
    corpus = tagger.corpus_
    assert corpus.tags is not None
    tagged = list(zip(corpus.words.to_pylist(), corpus.tags.to_pylist()))
    first = corpus.first.tolist()
    return {tuple(tagged[begin:end]) for begin, end in itertools.pairwise(first)}


def _chunk_tags(sentence: Sentence, spans: Sequence[Span]) -> list[str]:
    """Return the tags of chunks; of spans that overlap, the first and longest counts."""
    tags = [OUTSIDE] * len(sentence)
    for span in spans:
        inside = [i for i, token in enumerate(sentence) if token.begin < span.end and token.end > span.begin]
        if inside and all(tags[i] == OUTSIDE for i in inside):
            tags[inside[0]] = f"B-{span.label}"
            for i in inside[1:]:
                tags[i] = f"I-{span.label}"
    return tags


def _token_tags(sentence: Sentence, spans: Sequence[Span]) -> list[str] | None:
    label_of = {(span.begin, span.end): span.label for span in spans}
    tags = [label_of.get((token.begin, token.end)) for token in sentence]
    return [tag for tag in tags if tag is not None] if None not in tags else None
