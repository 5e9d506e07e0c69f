"""A lexicon in which the counts of a few words changed, made from the lexicon before.

Words keep their numbers: new ones come behind the others, and one that lost its last token keeps its number but is not
found any more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from casebase.data.arrays import as_integers, as_strings
from casebase.tagging.lexicon import UNKNOWN_AMBITAG, Lexicon

Counts = Mapping[int, int]


@dataclass(frozen=True, eq=False)
class ChangedLexicon:
    """A lexicon, and what changed in it, by word number.

    `new` words were not in it before (they may have been earlier), `gone` ones are not any more, and `reclassed` ones
    have another ambiguity class. `frequency` has the frequency before of each word whose counts changed.
    """

    lexicon: Lexicon
    new: list[int]
    gone: list[int]
    reclassed: list[int]
    frequency: dict[int, int]


def reserved(lexicon: Lexicon) -> Lexicon:
    """Return a lexicon that can grow: the number behind the last word means a place outside of a sentence."""
    words = lexicon.words.with_values([None])
    grown = replace(
        lexicon,
        words=words,
        first=np.append(lexicon.first, lexicon.first[-1] + 1),
        tag=np.append(lexicon.tag, 0),
        count=np.append(lexicon.count, 0),
    )
    return _with_tables(
        grown, np.append(lexicon.frequency, 0), np.append(lexicon.ambitag_of, 0), lexicon.ambitags.to_pylist()
    )


def with_counts(lexicon: Lexicon, deltas: Mapping[str, Counts]) -> ChangedLexicon:
    """Return the lexicon in which words have more or fewer tokens of some tags."""
    words = lexicon.words.with_values(deltas)
    codes = {word: words.code(word) for word in deltas}
    by_code = sorted((code, deltas[word]) for word, code in codes.items() if code is not None)
    n = len(lexicon)
    n_new = len(words) - n
    frequency = np.append(lexicon.frequency, np.zeros(n_new, np.int64))
    ambitag_of = np.append(lexicon.ambitag_of, np.zeros(n_new, np.int64))
    texts = list(lexicon._ambitag_list[:-1])
    number_of = {text: number for number, text in enumerate(texts)}
    changed = ChangedLexicon(lexicon, [], [], [], {})
    pieces: list[tuple[int, int, Counts]] = []  # where the old entries of a word begin and end, and its new counts
    for code, delta in by_code:
        begin, end = (int(lexicon.first[code]), int(lexicon.first[code + 1])) if code < n else (len(lexicon.tag),) * 2
        before = dict(zip(lexicon.tag[begin:end].tolist(), lexicon.count[begin:end].tolist()))
        counts = _sum(before, delta)
        old, new = int(frequency[code]), sum(counts.values())
        changed.frequency[code] = old
        frequency[code] = new
        pieces.append((begin, end, counts or {0: 0}))
        if not new:
            changed.gone.append(code)
            continue
        ambitag = _ambitag(counts, new, lexicon)
        number = number_of.setdefault(ambitag, len(texts))
        if number == len(texts):
            texts.append(ambitag)
        if not old:
            changed.new.append(code)
        elif ambitag_of[code] != number:
            changed.reclassed.append(code)
        ambitag_of[code] = number
    first, tag, count = _spliced(lexicon, pieces, by_code, n_new)
    words = words.without(changed.gone, changed.new)
    after = _with_tables(replace(lexicon, words=words, first=first, tag=tag, count=count), frequency, ambitag_of, texts)
    return replace(changed, lexicon=after)


def _sum(before: Counts, delta: Counts) -> dict[int, int]:
    counts = {tag: before.get(tag, 0) + delta.get(tag, 0) for tag in sorted({*before, *delta})}
    return {tag: n for tag, n in counts.items() if n}


def _ambitag(counts: Counts, frequency: int, lexicon: Lexicon) -> str:
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    kept = [tag for i, (tag, n) in enumerate(by_count) if not i or 100 * n >= lexicon.threshold * frequency]
    return ";".join(lexicon.tags.value(tag) or "" for tag in kept)


def _spliced(
    lexicon: Lexicon, pieces: list[tuple[int, int, Counts]], by_code: Iterable[tuple[int, Counts]], n_new: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the entries of the lexicon with those of some words replaced, ascending."""
    lengths = np.append(np.diff(lexicon.first), np.zeros(n_new, np.int64))
    tags, counts, done = [], [], 0
    for (code, _), (begin, end, own) in zip(by_code, pieces):
        tags += [lexicon.tag[done:begin], np.fromiter(own.keys(), np.int64, len(own))]
        counts += [lexicon.count[done:begin], np.fromiter(own.values(), np.int64, len(own))]
        lengths[code] = len(own)
        done = end
    tags.append(lexicon.tag[done:])
    counts.append(lexicon.count[done:])
    return np.concatenate([[0], np.cumsum(lengths)]), np.concatenate(tags), np.concatenate(counts)


def _with_tables(lexicon: Lexicon, frequency: np.ndarray, ambitag_of: np.ndarray, texts: list[str]) -> Lexicon:
    """Give a lexicon the tables that it would otherwise work out for all its words."""
    encoded = pa.DictionaryArray.from_arrays(as_integers(ambitag_of.astype(np.int32)), as_strings(texts))
    ambitags = [*texts, UNKNOWN_AMBITAG]
    lexicon.__dict__.update(
        frequency=frequency, ambitag_of=ambitag_of, _encoded_ambitags=encoded, _ambitag_list=ambitags
    )
    return lexicon
