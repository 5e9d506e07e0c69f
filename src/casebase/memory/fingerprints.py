"""Fingerprints: equal for two memories if and, but for collisions, only if they have the same cases.

Each case is hashed to 128 bits, from the names and values of its features, its class, its weights, its id and its
provenance, if it has any, and from how its numbers are written where that is not the shortest way; the fingerprint of
a memory is the sum of the hashes. So it depends neither on the order of the cases nor on the history of corrections,
and adding or removing a case adds or subtracts its hash. It detects mistakes, not attacks: someone who can choose cases
freely can construct two memories with the same sum.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import repeat

import numpy as np

from casebase.data import Cases, Feature, Schema
from casebase.data.arrow import pa
from casebase.data.columns import spelling
from casebase.data.notation import Notation, Notations
from casebase.data.numbers import numbers_in

MODULUS = 2**128
BLOCK = 2**14  # cases at a time, so that intermediate arrays stay in the processor's cache

Part = Callable[[slice], np.ndarray]  # from a block of cases to two 64-bit words per case


def fingerprint_of(
    schema: Schema,
    order: np.ndarray,
    columns: tuple[np.ndarray, ...],
    labels: np.ndarray,
    counts: np.ndarray | None,
    exemplars: np.ndarray | None,
    ids: np.ndarray,
    provenance: np.ndarray | None = None,
    notations: Notations = (),
) -> int:
    """Return the fingerprint of cases, with one column per feature in `order`."""
    one = np.broadcast_to(1.0, len(labels))
    known = zip(order.tolist(), columns, notations or repeat(None))
    parts = [_of_feature(schema.features[position], column, notation) for position, column, notation in known]
    parts += [
        _of_codes("class", labels, [spelling(label) for label in schema.classes]),
        _of_numbers("weight", one if counts is None else counts),
        _of_numbers("exemplar", one if exemplars is None else exemplars),
        _of_ids(ids),
    ]
    if provenance is not None:
        parts += [_of_texts(f"kept {name}", texts) for name, texts in zip(schema.provenance_names, provenance.T)]
    for position, column, notation in zip(order.tolist(), columns, notations):
        if notation is not None:
            numbers = numbers_of(schema.features[position], column) if notation.numbers is None else notation.numbers
            parts.append(_of_forms(schema.features[position].name, numbers, notation))
    total = 0
    for start in range(0, len(labels), BLOCK):
        block = slice(start, min(start + BLOCK, len(labels)))
        words = _sum_of(parts, block)
        # Mix the summed words of each case: plain sums would not change if two cases exchanged values.
        low = _mix(words[:, 0] ^ _mix(words[:, 1]))
        high = _mix(words[:, 1] ^ low)
        total += _exact_sum(low) + (_exact_sum(high) << 64)
    return total % MODULUS


def _sum_of(parts: Sequence[Part], block: slice) -> np.ndarray:
    """Return the sum of the words of all parts for each case of a block."""
    words = np.zeros((block.stop - block.start, 2), dtype=np.uint64)
    for part in parts:
        words += part(block)
    return words


def value_keys(schema: Schema) -> list[np.ndarray | None]:
    """Return the hashes of the values of each feature, by code; None for features whose numbers are hashed."""
    return [
        None
        if feature.vocabulary is None or feature.of_numbers or feature.is_cut or feature.kind == "ignored"
        else _keys(f"feature {feature.name}", feature.vocabulary.values.to_pylist())
        for feature in schema.features
    ]


def case_keys(cases: Cases) -> np.ndarray:
    """Return a pseudo-random number per case that depends on its values and class, and on neither order nor ids.

    Equal cases have different numbers, in the order in which they come. Sorting by them shuffles cases always alike.
    """
    return told_apart(content_keys(cases))


def first_by_content(cases: Cases, n: int) -> np.ndarray:
    """Return the rows of n cases that are drawn by their content, or of all cases if there are no more."""
    n = max(1, min(n, cases.n_cases))
    if cases.drawn is not None and n <= len(cases.drawn):
        return cases.drawn[:n]
    return np.argsort(case_keys(cases), kind="stable")[:n]


def content_keys(cases: Cases, known: Sequence[np.ndarray | None] | None = None) -> np.ndarray:
    """Return a pseudo-random number per case that depends on its values and class alone: equal cases share it.

    `known` are the `value_keys` of the schema, for callers that have few cases of many values at a time.
    """
    notations = cases.notations or repeat(None)
    parts = [
        _of_feature(feature, column, notation) if keys is None else _of_known(keys, column)
        for feature, column, notation, keys in zip(
            cases.schema.features, cases.columns, notations, known or repeat(None)
        )
        if feature.kind != "ignored"
    ]
    parts.append(_of_codes("class", cases.known_labels, [spelling(label) for label in cases.schema.classes]))
    keys = np.empty(cases.n_cases, dtype=np.uint64)
    for start in range(0, cases.n_cases, BLOCK):
        block = slice(start, min(start + BLOCK, cases.n_cases))
        words = _sum_of(parts, block)
        keys[block] = _mix(words[:, 0] ^ _mix(words[:, 1]))
    return keys


def told_apart(keys: np.ndarray, n_before: np.ndarray | None = None) -> np.ndarray:
    """Return other numbers, of which equal keys get different ones, in the order in which they come.

    `n_before` says for each key how many equal ones came in a part before this one.
    """
    keys = keys.copy()
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    is_first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    place = np.arange(len(keys)) - np.maximum.accumulate(np.where(is_first, np.arange(len(keys)), 0))
    if n_before is not None:
        place += n_before[order]
    keys[order] = _mix(ordered + place.astype(np.uint64))
    return keys


def hexadecimal(fingerprint: int) -> str:
    """Return a fingerprint as 32 hexadecimal digits."""
    return f"{fingerprint:032x}"


def _of_feature(feature: Feature, column: np.ndarray, notation: Notation | None = None) -> Part:
    name, vocabulary = f"feature {feature.name}", feature.vocabulary
    if notation is not None and notation.numbers is not None:  # its interval follows from the number
        return _of_numbers(name, notation.numbers)
    if vocabulary is None or feature.of_numbers:  # a number has one hash, whether it is stored as number or as text
        return _of_numbers(name, numbers_of(feature, column))
    if len(column) > len(vocabulary):
        return _of_codes(name, column, vocabulary.texts)
    distinct, which = np.unique(column, return_inverse=True)
    return _of_codes(name, which.ravel(), [vocabulary.value(code) for code in distinct.tolist()])


def numbers_of(feature: Feature, column: np.ndarray) -> np.ndarray:
    """Return the numbers of a column, which may be stored as texts; NaN for a missing one."""
    if feature.vocabulary is None:
        return column
    distinct, which = np.unique(column, return_inverse=True)
    numbers, _ = numbers_in(feature.vocabulary.values.take(pa.array(distinct)))
    by_row: np.ndarray = numbers[which.ravel()]
    return by_row


def _of_forms(name: str, numbers: np.ndarray, notation: Notation) -> Part:
    """Return the hashes of how numbers are written: nothing for the shortest spelling, and for a missing number."""
    keys = np.concatenate([_keys(f"written {name}", list(notation.forms)), np.zeros((1, 2), dtype=np.uint64)])

    def words(block: slice) -> np.ndarray:
        part = numbers[block]
        here = notation if notation.codes is None else Notation(notation.forms, notation.codes[block])
        codes = np.zeros(len(part), dtype=np.int64) if here.codes is None else here.codes.astype(np.int64)
        codes[np.isnan(part) | here.are_short(np.nan_to_num(part))] = len(notation.forms)
        hashed: np.ndarray = keys[codes]
        return hashed

    return words


def _of_codes(name: str, codes: np.ndarray, values: list[str | None]) -> Part:
    return _of_known(_keys(name, values), codes)


def _of_known(keys: np.ndarray, codes: np.ndarray) -> Part:
    # Both words of a value as one element of 16 bytes: an index per row of two takes numpy 18 times as long.
    whole = np.ascontiguousarray(keys).view(np.complex128).ravel()

    def words(block: slice) -> np.ndarray:
        return whole.take(codes[block]).view(np.uint64).reshape(-1, 2)

    return words


def _of_numbers(name: str, numbers: np.ndarray) -> Part:
    def words(block: slice) -> np.ndarray:
        values = numbers[block]
        return np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)  # one bit pattern for NaN and for zero

    return _of_words(name, words)


def _of_ids(ids: np.ndarray) -> Part:
    if ids.dtype.kind in "iu":
        return _of_words("id", lambda block: ids[block].astype(np.int64).view(np.uint64))
    return _of_codes("id", np.arange(len(ids)), [str(value) for value in ids.tolist()])


def _of_texts(name: str, texts: np.ndarray) -> Part:
    code_of: dict[str | None, int] = {}
    codes = np.array([code_of.setdefault(text, len(code_of)) for text in texts.tolist()], dtype=np.int64)
    return _of_codes(name, codes, list(code_of))


def _of_words(name: str, words: Part) -> Part:
    keys = _keys(name, [None])
    return lambda block: _mix(words(block)[:, None] ^ keys)


def _keys(name: str, values: list[str | None]) -> np.ndarray:
    """Return the hashes, two words each, of values under a name; equal values under other names differ."""
    text = name.encode()
    start = blake2b(len(text).to_bytes(8, "little") + text, digest_size=16)
    digests = []
    for value in values:
        digest = start.copy()
        if value is not None:
            digest.update(b"=" + value.encode())
        digests.append(digest.digest())
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2)


def _mix(words: np.ndarray) -> np.ndarray:
    """Return words of which each bit depends on all bits (the finaliser of splitmix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: np.ndarray = words ^ (words >> np.uint64(31))
    return mixed


def _exact_sum(words: np.ndarray) -> int:
    # By halves: the sum of 64-bit words would overflow.
    return int((words & np.uint64(0xFFFFFFFF)).sum()) + (int((words >> np.uint64(32)).sum()) << 32)
