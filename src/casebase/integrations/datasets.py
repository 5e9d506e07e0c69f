"""Hugging Face datasets as tables and as corpora; columns of class labels come with the names of their classes."""

from typing import Any

import datasets
import numpy as np
import pyarrow as pa

from casebase.errors import CasebaseError, SchemaError, unknown_name
from casebase.tagging.sentences import Sentences, sentences_of


def table(dataset: datasets.Dataset, target: str | None = None) -> Any:
    """Return a dataset as an Arrow table for `fit` and `predict`; with a `target`, the table and the classes apart.

    >>> data = datasets.Dataset.from_dict({"sky": ["sun", "rain"], "go": ["yes", "no"]})
    >>> X, y = table(data, target="go")
    >>> X.column_names, y.tolist()
    (['sky'], ['yes', 'no'])
    """
    _check_dataset(dataset)
    arrow: pa.Table = dataset.with_format("arrow")[:]
    columns = {name: _decoded(arrow[name], feature, name) for name, feature in dataset.features.items()}
    if target is None:
        return pa.table(columns)
    if target not in columns:
        raise SchemaError(unknown_name("column", target, list(columns)))
    classes = columns.pop(target)
    if classes.null_count:
        raise SchemaError(f"Column {target!r} has {classes.null_count:,} rows without a class. Leave them out first.")
    return pa.table(columns), np.array(classes.to_pylist())


def sentences(dataset: datasets.Dataset, tokens: str = "tokens", tags: str | None = "tags") -> Sentences:
    """Return a dataset as sentences for `Tagger`: a column of lists of words, and one of lists of tags.

    `tags=None` leaves the words untagged.

    >>> data = datasets.Dataset.from_dict({"tokens": [["It", "rains"]], "tags": [["PRP", "VBZ"]]})
    >>> list(sentences(data))
    [[('It', 'PRP'), ('rains', 'VBZ')]]
    """
    _check_dataset(dataset)
    for name in (tokens, *([] if tags is None else [tags])):
        if name not in dataset.features:
            raise SchemaError(unknown_name("column", name, list(dataset.features)))
    words = _lists(dataset, tokens)
    if tags is None:
        return sentences_of(words, tagged=False)
    labels = _lists(dataset, tags)
    for i, (some, others) in enumerate(zip(words, labels)):
        if len(some) != len(others):
            raise SchemaError(f"Row {i}: {tokens!r} has {len(some)} words, but {tags!r} has {len(others)} tags.")
    return sentences_of([list(zip(*one)) for one in zip(words, labels)], tagged=True)


def _check_dataset(dataset: Any) -> None:
    if isinstance(dataset, datasets.DatasetDict | datasets.IterableDatasetDict):
        raise CasebaseError(f"This is a dict of datasets. Take one of them: {', '.join(map(repr, dataset))}.")
    if isinstance(dataset, datasets.IterableDataset):
        raise CasebaseError(
            "A dataset that is streamed has no table. Load it without streaming, or take rows: "
            "datasets.Dataset.from_list(list(dataset.take(1000)))."
        )
    if not isinstance(dataset, datasets.Dataset):
        raise CasebaseError(f"Expected a datasets.Dataset, got {type(dataset).__name__}.")


def _decoded(column: pa.ChunkedArray, feature: Any, name: str) -> pa.ChunkedArray:
    if isinstance(feature, datasets.ClassLabel):
        names = [None if code is None or code < 0 else feature.names[code] for code in column.to_pylist()]
        return pa.chunked_array([pa.array(names, pa.string())])
    if not isinstance(feature, datasets.Value):
        kind = type(feature).__name__ if not isinstance(feature, dict) else "dict"
        raise SchemaError(
            f"Column {name!r} has values of {kind}, which are no cells of a table. Remove the column first."
        )
    return column


def _lists(dataset: datasets.Dataset, name: str) -> list[list[Any]]:
    """Return a column of lists; class labels by name."""
    feature = dataset.features[name]
    inner = getattr(feature, "feature", feature[0] if isinstance(feature, list) and feature else None)
    if inner is None:
        raise SchemaError(f"Column {name!r} has no lists: expected one list of texts per sentence.")
    lists: list[Any] = dataset.with_format("arrow")[:][name].to_pylist()
    for i, one in enumerate(lists):
        if one is None:
            raise SchemaError(f"Row {i}: column {name!r} is missing.")
    if not isinstance(inner, datasets.ClassLabel):
        return lists
    names = inner.names
    for i, one in enumerate(lists):
        if any(code is None or code < 0 for code in one):
            raise SchemaError(f"Row {i}: column {name!r} has a word without a class. Leave such rows out first.")
    return [[names[code] for code in one] for one in lists]
