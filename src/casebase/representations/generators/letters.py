"""Texts as sets of letter n-grams."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data import Cases
from casebase.data.features import Feature, decode_column, new_feature
from casebase.errors import CasebaseError
from casebase.representations.generators.variants import View, whole, with_features

MAX_GRAMS = 300
FEWEST_TEXTS = 2


def grams(low: int, high: int) -> View:
    """Return the view of texts as sets of n-grams of these lengths."""

    def view(cases: Cases) -> Cases:
        texts = [i for i, feature in enumerate(cases.schema.features) if feature.kind == "symbolic"]
        if not texts:
            raise CasebaseError("There are no texts to take n-grams of: all features are numbers.")
        columns: list[tuple[Feature, np.ndarray]] = []
        for i, (feature, column) in enumerate(zip(cases.schema.features, cases.columns)):
            if i not in texts:
                columns.append((feature, column))
                continue
            prefix = f"{feature.name}: " if len(texts) > 1 else ""
            columns += [
                new_feature(prefix + gram, has) for gram, has in _grams_of(decode_column(column, feature), low, high)
            ]
        if not columns:
            raise CasebaseError(
                f"No n-gram of {lengths(low, high)} letters distinguishes the texts: {FEWEST_TEXTS} or more must "
                "contain it, but not all."
            )
        return with_features(cases, columns)

    return view


def _grams_of(column: pa.Array, low: int, high: int) -> Iterator[tuple[str, pa.Array]]:
    texts = column.dictionary.to_pylist()
    indices = column.indices.to_numpy(zero_copy_only=False)
    found = [_grams_in(text, low, high) for text in texts]
    n_rows = np.bincount(indices, minlength=len(texts))
    counts: Counter[str] = Counter()
    for grams, n in zip(found, n_rows.tolist()):
        counts.update(dict.fromkeys(grams, n))
    # An n-gram that all texts contain says nothing.
    frequent = [gram for gram, n in counts.items() if FEWEST_TEXTS <= n < len(column)]
    kept = sorted(sorted(frequent, key=lambda gram: (-counts[gram], gram))[:MAX_GRAMS])
    for gram in kept:
        has = np.array([gram in grams for grams in found])[indices]
        yield gram, pa.DictionaryArray.from_arrays(pa.array(has.astype(np.int8)), pa.array(["no", "yes"]))


def _grams_in(text: str | None, low: int, high: int) -> set[str]:
    if text is None:
        return set()
    edged = f"^{text}$"
    return {edged[i : i + n] for n in range(low, high + 1) for i in range(len(edged) - n + 1)}


def gram_size(given: Any) -> tuple[int, int]:
    """Return the shortest and the longest n-gram."""
    low, _, high = str(given).partition("-") if not isinstance(given, tuple) else (given[0], "-", given[-1])
    numbers = whole(low, "ngrams"), whole(high or low, "ngrams")
    if not 1 <= numbers[0] <= numbers[1]:
        raise CasebaseError(f"N-grams have a length, such as 2, or several, such as '1-3'; got {given!r}.")
    return numbers


def lengths(low: int, high: int) -> str:
    """Return the name of a range of lengths."""
    return str(low) if low == high else f"{low}-{high}"
