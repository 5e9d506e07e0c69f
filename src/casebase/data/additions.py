"""New cases to be stored: coded like those that are there, with codes for values that are new."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data.cases import Schema
from casebase.data.columns import as_text
from casebase.data.features import Feature, comparable, encoded, spelled_numbers, without_spare_entries
from casebase.data.tables import as_table
from casebase.data.vocabulary import vocabulary_of
from casebase.errors import SchemaError


def grown(schema: Schema, data: Any) -> tuple[Schema, list[np.ndarray]]:
    """Return a schema that knows all values of a table too, and the table's columns in its codes.

    >>> from casebase.data import Cases
    >>> cases = Cases.from_table([["red", "apple"], ["green", "apple"]], target=-1)
    >>> schema, (column,) = grown(cases.schema, [["blue"], ["red"]])
    >>> schema.features[0].vocabulary.values.to_pylist(), column.tolist()
    (['green', 'red', 'blue'], [2, 1])
    """
    table = as_table(data)
    features, columns = [], []
    for position, feature in zip(schema.positions(table), schema.features):
        known, column = _grown(feature, table.columns[position])
        features.append(known)
        columns.append(column)
    return replace(schema, features=tuple(features)), columns


def _grown(feature: Feature, column: pa.Array) -> tuple[Feature, np.ndarray]:
    if feature.kind == "ignored":
        return feature, np.zeros(len(column), dtype=np.uint8)
    if feature.vocabulary is None:
        return feature, comparable(feature.name, encoded(column, feature))
    if pa.types.is_floating(column.type):
        column = as_text(column).dictionary_encode()
    elif feature.of_numbers:
        encoded(column, Feature(feature.name, "numeric"))  # refuses what is no number
        texts = pa.DictionaryArray.from_arrays(column.indices, spelled_numbers(column.dictionary))
        column = texts.dictionary_decode().dictionary_encode()
    elif not pa.types.is_dictionary(column.type):
        raise SchemaError(f"Feature {feature.name!r} is symbolic; got a column of type {column.type}.")
    values, codes = vocabulary_of(without_spare_entries(column))
    texts = values.values.to_pylist()
    vocabulary = feature.vocabulary.grown(texts)
    code_of = np.array([vocabulary.code(text) for text in texts], dtype=vocabulary.dtype)
    return replace(feature, vocabulary=vocabulary), code_of[codes]
