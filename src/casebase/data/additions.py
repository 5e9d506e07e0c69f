"""New cases for a stored memory: known values keep their codes, new values get new ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from casebase.data.arrow import pa
from casebase.data.cases import Schema
from casebase.data.columns import as_text
from casebase.data.features import (
    Feature,
    as_recorded,
    checked_range,
    cut_feature,
    encode_column,
    interval_places,
    spelled_numbers,
    without_spare_entries,
)
from casebase.data.table import Table
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import SchemaError


def extend_schema(schema: Schema, table: Table) -> tuple[Schema, list[np.ndarray]]:
    """Return the schema extended by the values of a table, and the table's columns in its codes.

    >>> from casebase.data import Cases, as_table
    >>> cases = Cases.from_table([["red", "apple"], ["green", "apple"]], target=-1)
    >>> schema, (column,) = extend_schema(cases.schema, as_table([["blue"], ["red"]]))
    >>> schema.features[0].vocabulary.values.to_pylist(), column.tolist()
    (['green', 'red', 'blue'], [2, 1])
    """
    features, columns = [], []
    for column, feature in zip(schema.feature_columns(table), schema.features):
        extended, codes = _extend_feature(feature, column)
        features.append(extended)
        columns.append(codes)
    return replace(schema, features=tuple(features)), columns


def _extend_feature(feature: Feature, column: pa.Array) -> tuple[Feature, np.ndarray]:
    if feature.kind == "ignored":  # a model keeps no values of ignored features
        return feature, np.zeros(len(column), dtype=np.uint8)
    if feature.is_cut:
        numbers = checked_range(feature.name, encode_column(column, as_recorded(feature)))
        assert feature.cuts is not None
        assert feature.vocabulary is not None
        found = cut_feature(feature, numbers, feature.cuts)[0].vocabulary
        assert found is not None
        vocabulary = feature.vocabulary.with_values(found.values.to_pylist())
        extended = replace(feature, vocabulary=vocabulary)
        # Also an interval whose last case was removed has its code again.
        names = [*extended.intervals, None]
        code_of = np.array([vocabulary.code(name) or 0 for name in names], dtype=vocabulary.dtype)
        return extended, code_of[interval_places(numbers, feature.cuts)]
    if feature.vocabulary is None:
        return feature, checked_range(feature.name, encode_column(column, feature))
    if pa.types.is_floating(column.type):
        column = as_text(column).dictionary_encode()
    elif feature.of_numbers:
        encode_column(column, Feature(feature.name, "numeric"))  # raises an error for text that is not a number
        # 5 and 5.0 become one entry: spell all numbers alike, then encode again to merge equal entries.
        texts = pa.DictionaryArray.from_arrays(column.indices, spelled_numbers(column.dictionary))
        column = texts.dictionary_decode().dictionary_encode()
    elif not pa.types.is_dictionary(column.type):
        raise SchemaError(f"Feature {feature.name!r} is symbolic; got a column of type {column.type}.")
    values, codes = vocabulary_of(without_spare_entries(column))
    texts = values.values.to_pylist()
    vocabulary = feature.vocabulary.with_values(texts)
    # The column has codes of its own, sorted vocabulary; translate those few codes, not every row's text.
    code_of = np.array([vocabulary.code(text) for text in texts], dtype=vocabulary.dtype)
    return replace(feature, vocabulary=vocabulary), code_of[codes]
