"""Tokens in context, in windows of several sizes."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from casebase.data import Cases
from casebase.data.columns import text_column
from casebase.data.features import decode_column
from casebase.errors import CasebaseError
from casebase.representations.generators.variants import View, keep_features, with_columns

PAD = "_"


def window(before: int, after: int) -> View:
    """Return the view through a window of `before` and `after` places."""

    def view(cases: Cases) -> Cases:
        n = cases.n_features
        if n == 1:  # running text, one token per row
            column = decode_column(cases.columns[0], cases.schema.features[0]).to_pylist()
            rows = around([PAD if token is None else str(token) for token in column], before, after, PAD)
            return with_columns(cases, zip(places(before, after), (text_column(c) for c in zip(*rows))))
        if n % 2 == 0:
            raise CasebaseError(
                f"A window lies around the middle column, and {n} features have none. Give one column more or fewer, "
                "or choose the features to keep (features=…)."
            )
        if max(before, after) > n // 2:
            raise CasebaseError(
                f"A window of {before}+{after} is wider than the table: it has {n // 2} columns before and after the "
                "middle one."
            )
        return keep_features(cases, range(n // 2 - before, n // 2 + after + 1))

    return view


def around(tokens: Sequence[str], before: int, after: int, pad: str) -> list[list[str]]:
    """Return the tokens of one sequence, each with its neighbours."""
    padded = [pad] * before + list(tokens) + [pad] * after
    return [padded[i : i + before + 1 + after] for i in range(len(tokens))]


def places(before: int, after: int) -> tuple[str, ...]:
    """Return the names of the columns of a window."""
    return tuple("focus" if i == 0 else f"{i:+d}" for i in range(-before, after + 1))


def window_size(given: Any) -> tuple[int, int]:
    """Parse the number of places before and after the focus."""
    wrong = CasebaseError(
        f"A window is the number of places before and after: (2, 1), '2+1', or 2 for both; got {given!r}."
    )
    parts = given.split("+") if isinstance(given, str) else given
    parts = [parts] if isinstance(parts, int | np.integer) else list(parts) if isinstance(parts, Iterable) else []
    try:
        numbers = [int(part) for part in parts]
    except (TypeError, ValueError):
        raise wrong from None
    if len(numbers) not in (1, 2) or min(numbers) < 0 or isinstance(given, bool):
        raise wrong
    return numbers[0], numbers[-1]


def tokens(sequences: Any, y: Any) -> tuple[list[list[str]], list[Any]]:
    """Return the tokens of each sequence, and the classes of all tokens in one list."""
    if isinstance(sequences, str):
        raise CasebaseError("Expected a list of sequences, got one text. Give [text] for the letters of one word.")
    texts = [[str(token) for token in sequence] for sequence in sequences]
    labels = list(y)
    if labels and len(labels) == len(texts) and all(_is_nested(one) for one in labels):
        for i, (tokens, classes) in enumerate(zip(texts, labels)):
            if len(tokens) != len(classes):
                raise CasebaseError(f"Sequence {i} has {len(tokens)} tokens, but {len(classes)} classes.")
        is_for_sequences = all(isinstance(one, str) for one in labels) and sum(map(len, texts)) == len(texts)
        labels = labels if is_for_sequences else [label for classes in labels for label in classes]
    n_tokens = sum(map(len, texts))
    if n_tokens != len(labels):
        raise CasebaseError(f"Expected one class per token: {n_tokens} tokens, {len(labels)} classes.")
    return texts, labels


def _is_nested(classes: Any) -> bool:
    return isinstance(classes, Iterable)
