"""The common parts of model files: the schema, stored cases, ids, strings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from casebase.base.answers import Preference
from casebase.base.files import HEAVIEST, Arrays, CheckedArrays, Header
from casebase.data import Feature, Schema, Vocabulary
from casebase.data.arrays import as_strings
from casebase.data.arrow import pa
from casebase.data.checks import is_whole
from casebase.data.intervals import interval_names
from casebase.data.notation import Notation, Notations, code_type, is_form, recorded
from casebase.data.sources import ColumnKind, Source
from casebase.data.table import Layout
from casebase.data.texts import Texts
from casebase.data.vocabulary import entries_of
from casebase.errors import ModelFileError
from casebase.formats.registry import FORMATS
from casebase.memory.fingerprints import numbers_of
from casebase.memory.segments import Arrival, Memory, Segment


def write_schema(schema: Schema, header: Header, arrays: Arrays) -> None:
    header |= {
        "features": [
            {"name": f.name, "kind": f.kind, "is_coded": f.vocabulary is not None, "of_numbers": f.of_numbers}
            | ({} if f.cuts is None else {"n_cuts": len(f.cuts)})
            for f in schema.features
        ],
        "classes": list(schema.classes),
        "target": schema.target,
        "is_named": schema.is_named,
        "target_position": schema.target_position,
    }
    if schema.source is not None:
        header["source"] = schema.source.to_list()
    if schema.layout is not None:
        header["layout"] = asdict(schema.layout)
        if schema.layout.decimal is None:
            del header["layout"]["decimal"]  # only delimited files have one
    for i, feature in enumerate(schema.features):
        if feature.vocabulary is not None:
            write_strings(f"values.{i}", feature.vocabulary.values, arrays)
        if feature.cuts is not None:
            arrays[f"cuts.{i}"] = feature.cuts


def read_schema(header: Header, arrays: CheckedArrays) -> Schema:
    features = []
    for i, entry in enumerate(header["features"]):
        if entry["kind"] not in ("symbolic", "numeric", "ignored"):
            raise ValueError(f"feature {i} has the unknown kind {entry['kind']!r}")
        vocabulary = Vocabulary(read_strings(f"values.{i}", arrays)) if entry["is_coded"] else None
        if entry["kind"] == "ignored" and vocabulary is not None and len(vocabulary):
            raise ValueError(f"feature {i} is ignored, but its values are stored")
        if entry["kind"] != "ignored" and (vocabulary is None) != (entry["kind"] == "numeric"):
            raise ValueError(f"feature {i} is {entry['kind']}, but its values are not stored as such")
        if not isinstance(entry["of_numbers"], bool) or (entry["of_numbers"] and not _are_numbers(vocabulary)):
            raise ValueError(f"feature {i} is said to have numbers, but its values are others")
        cuts = read_cuts(arrays, f"cuts.{i}") if "n_cuts" in entry else None
        if cuts is not None and (len(cuts) != entry["n_cuts"] or not _are_intervals(vocabulary, cuts)):
            raise ValueError(f"feature {i} is said to have intervals, but its values are others")
        features.append(Feature(str(entry["name"]), entry["kind"], vocabulary, entry["of_numbers"], cuts=cuts))
    if not features:
        raise ValueError("features are missing")
    classes = read_classes(header["classes"])
    position = header["target_position"]
    source = _read_source(header.get("source"), [feature.name for feature in features])
    if source is not None:
        features = [source.with_quotes(feature) for feature in features]
    if position is not None and not is_whole(position, 0, len(features if source is None else source)):
        raise ValueError("the position of the class is outside the table")
    layout = Layout.from_dict(header["layout"]) if "layout" in header else None
    if layout is not None and layout.format not in FORMATS:
        raise ValueError(f"the training file has the unknown format {layout.format!r}")
    return Schema(tuple(features), classes, str(header["target"]), bool(header["is_named"]), position, source, layout)


def _are_numbers(vocabulary: Vocabulary | None) -> bool:
    """Return whether all symbols are spelled numbers; a feature without symbols has numbers anyway."""
    try:
        return vocabulary is None or all(float(text) or True for text in vocabulary.texts if text is not None)
    except ValueError:
        return False


def _are_intervals(vocabulary: Vocabulary | None, cuts: np.ndarray) -> bool:
    return vocabulary is not None and set(vocabulary.texts) <= {None, *interval_names(cuts)}


def read_cuts(arrays: CheckedArrays, name: str) -> np.ndarray:
    """Return the cuts between intervals, which must be finite and ascend."""
    cuts = arrays.get(name, "float64")
    if not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ValueError(f"the cuts in array {name!r} do not ascend")
    return cuts


def read_classes(classes: Any) -> tuple[Any, ...]:
    """Return the classes, which must be texts, numbers or truth values, all of one type."""
    kinds = {type(label) for label in classes} if isinstance(classes, list) else set()
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise ValueError("classes are missing, or not of one type")
    if kinds == {float} and not all(map(math.isfinite, classes)):
        raise ValueError("a class is a number that is not finite")
    if kinds == {int} and not all(-(2**63) <= label < 2**63 for label in classes):
        raise ValueError("a class is a number that is too large")
    return tuple(classes)


def _read_source(records: Any, names: Sequence[str]) -> Source | None:
    """Return the columns of the training table by kind, which must give the features of the model."""
    if records is None:
        return None
    source = Source(tuple(ColumnKind.from_dict(record) for record in records))
    if list(source.feature_names) != list(names):
        raise ValueError("the features are not those of the columns' kinds")
    return source


def write_memory(memory: Memory, schema: Schema, arrays: Arrays) -> None:
    (segment,) = memory.segments
    segment.check()  # damage in a mapped file must not get a new checksum
    arrays |= {"order": memory.order, "labels": segment.labels, "row_of": segment.row_of}
    arrays |= {f"column.{rank}": column for rank, column in enumerate(segment.columns)}
    if segment.counts is not None:
        arrays["counts"] = segment.counts
    if segment.given_counts is not None:
        arrays["given_counts"] = segment.given_counts
    if segment.exemplars is not None:
        arrays["exemplars"] = segment.exemplars
    write_ids(segment.ids, arrays)
    if segment.provenance is not None:
        write_provenance(segment.provenance, arrays)
    for rank, notation in enumerate(segment.notations):
        if notation is not None:
            write_notation(rank, notation, schema.features[memory.order[rank]], segment.columns[rank], arrays)


class ChecksOfCases:
    """The checks of stored cases in a large file: their bytes, and the bounds of their codes and classes.

    `checks` has a function per array, which raises a ValueError if the array is not as it should be.
    """

    def __init__(self, arrays: CheckedArrays, checks: dict[str, Callable[[], object]]) -> None:
        self._arrays = arrays
        self._checks = checks

    def __reduce__(self) -> tuple[type[ChecksOfCases], tuple[CheckedArrays, dict[str, Callable[[], object]]]]:
        self.check()  # a copy does not depend on the file
        return ChecksOfCases, (CheckedArrays({}), {})

    def check(self) -> None:
        self._arrays.check(self._checks)  # all at once, in threads
        try:
            for name, check in list(self._checks.items()):
                check()
                self._checks.pop(name, None)
        except ValueError as error:
            raise ModelFileError(f"{self._arrays.source} is not a usable model: {error}.") from error


def read_memory(arrays: CheckedArrays, schema: Schema, *, is_lazy: bool = False) -> Memory:
    """Return the stored cases; if this `is_lazy`, those of a large file are checked later.

    This is for learners whose kernels never use a code as an index, and check a class before they do.
    """
    later: dict[str, Callable[[], object]] = {}

    def take(name: str, dtype: str, length: int | None = None, below: int | None = None) -> np.ndarray:
        if is_lazy and arrays.is_pending(name):
            later[name] = partial(arrays.get, name, dtype, length, below=below)
            return arrays.unchecked(name, dtype, length)
        return arrays.get(name, dtype, length, below=below)

    def take_counts(name: str) -> np.ndarray | None:
        if is_lazy and arrays.is_pending(name):
            later[name] = partial(read_counts, arrays, n_cases, name)
            return arrays.unchecked(name, "float64", n_cases)
        return read_counts(arrays, n_cases, name)

    def take_measurements(name: str) -> np.ndarray:
        if is_lazy and arrays.is_pending(name):
            later[name] = partial(arrays.measurements, name, n_cases)
            return arrays.unchecked(name, "float64", n_cases)
        return arrays.measurements(name, n_cases)

    labels = take("labels", "uint32", below=len(schema.classes))
    n_cases = len(labels)
    if n_cases == 0:
        raise ValueError("the memory is empty")
    order = read_order(arrays, len(schema.features))
    columns = []
    for rank, position in enumerate(order):
        feature = schema.features[position]
        if feature.kind == "numeric":
            columns.append(take_measurements(f"column.{rank}"))
        else:
            vocabulary = feature.vocabulary
            if vocabulary is None:
                raise ValueError(f"symbolic feature {feature.name!r} has no values")
            columns.append(take(f"column.{rank}", vocabulary.dtype.name, n_cases, len(vocabulary)))
    kinds = [schema.features[position].kind == "numeric" for position in order]
    if kinds != sorted(kinds):
        raise ValueError("numeric features precede symbolic ones")
    segment = Segment(
        tuple(columns),
        labels,
        take_counts("counts"),
        take_counts("exemplars"),
        _read_arrival(arrays, schema, n_cases, is_lazy),
        checks=ChecksOfCases(arrays, later) if later else None,
        notations=read_notations(arrays, len(columns), n_cases),
        given_counts=take_counts("given_counts"),
    )
    return Memory(order, (segment,))


def _read_arrival(arrays: CheckedArrays, schema: Schema, n_cases: int, is_lazy: bool) -> Arrival:
    """Return how the cases arrived; from a large file, each part is read at its first use."""
    names = schema.provenance_names

    def row_of() -> np.ndarray:
        return arrays.permutation("row_of", n_cases)

    def ids() -> np.ndarray:
        return read_ids(arrays, n_cases)

    def provenance() -> np.ndarray:
        return read_provenance(arrays, names, n_cases)

    if is_lazy and arrays.is_pending("row_of"):
        path = arrays.source
        return Arrival(_at_use(path, ids), _at_use(path, row_of), _at_use(path, provenance) if names else None)
    return Arrival(ids(), row_of(), provenance() if names else None)


def _at_use(path: Path, read: Callable[[], np.ndarray]) -> Callable[[], np.ndarray]:
    """Return a function that reads an array, and says what is wrong with the file if it cannot."""

    def reading() -> np.ndarray:
        try:
            return read()
        except (ValueError, pa.ArrowException) as error:
            raise ModelFileError(f"{path} is not a usable model: {error}.") from error

    return reading


def read_counts(arrays: CheckedArrays, n_cases: int, name: str) -> np.ndarray | None:
    if not arrays.has(name):
        return None
    counts = arrays.numbers(name, n_cases) if name == "exemplars" else arrays.numbers(name, n_cases, at_most=HEAVIEST)
    if not counts.all():
        raise ValueError("a stored case has weight 0")
    return counts


def write_preference(preference: Preference, arrays: Arrays) -> None:
    arrays |= {"class.frequency": preference.frequency, "class.rank": preference.rank}


def read_preference(arrays: CheckedArrays, n_classes: int) -> Preference:
    return Preference(
        arrays.numbers("class.frequency", n_classes),
        arrays.permutation("class.rank", n_classes),
    )


def read_order(arrays: CheckedArrays, n_features: int) -> np.ndarray:
    order = arrays.get("order", "int64", below=n_features)
    if not len(order) or len(set(order.tolist())) != len(order):
        raise ValueError("the order of the features is empty or contains a feature twice")
    return order


def write_ids(ids: np.ndarray, arrays: Arrays) -> None:
    if ids.dtype.kind in "iu":
        arrays["ids"] = np.asarray(ids, dtype=np.int64)  # mapped ids are not copied
    else:
        write_strings("ids", pa.array([str(value) for value in ids.tolist()], pa.string()), arrays)


def read_ids(arrays: CheckedArrays, n_cases: int) -> np.ndarray:
    if arrays.has("ids"):
        return arrays.get("ids", "int64", n_cases)
    ids = np.array(read_strings("ids", arrays).to_pylist(), dtype=object)
    if len(ids) != n_cases:
        raise ValueError("the number of ids is not the number of cases")
    return ids


def write_provenance(provenance: np.ndarray, arrays: Arrays) -> None:
    """Store each column as the texts that occur in it, and a code per case: one past the last text if missing."""
    for i, column in enumerate(provenance.T):
        texts = as_strings(column.tolist()).dictionary_encode()
        arrays[f"provenance.{i}"] = entries_of(texts).astype(np.uint32)
        write_strings(f"provenance.{i}.texts", texts.dictionary, arrays)


def read_provenance(arrays: CheckedArrays, names: Sequence[str], n_cases: int) -> np.ndarray:
    """Return the provenance of the stored cases, with a column for each name."""
    provenance = np.empty((n_cases, len(names)), dtype=object)
    for i in range(len(names)):
        texts = np.array([*read_strings(f"provenance.{i}.texts", arrays).to_pylist(), None], dtype=object)
        provenance[:, i] = texts[arrays.get(f"provenance.{i}", "uint32", n_cases, below=len(texts))]
    return provenance


def write_strings(name: str, values: pa.Array, arrays: Arrays) -> None:
    """Store strings as UTF-8 bytes and offsets, with a flag if the first value is missing."""
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    texts = values.cast(pa.large_string()) if len(values) else pa.nulls(0, pa.large_string())
    _, offset_buffer, data = texts.buffers()
    if len(texts):
        offsets = np.frombuffer(offset_buffer, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, np.uint8)
    arrays[f"{name}.bytes"] = content[offsets[0] : offsets[-1]]
    arrays[f"{name}.offsets"] = offsets - offsets[0]
    arrays[f"{name}.missing"] = np.array([values.null_count], dtype=np.uint8)


def read_strings(name: str, arrays: CheckedArrays) -> Texts:
    content = arrays.get(f"{name}.bytes", "uint8")
    offsets = arrays.get(f"{name}.offsets", "int64")
    if not len(offsets):
        raise ValueError(f"array '{name}.offsets' is empty")
    arrays.offsets(f"{name}.offsets", len(offsets), len(content), "int64")
    if offsets[0] != 0:
        raise ValueError(f"array '{name}.offsets' does not begin at 0")
    n_missing = int(arrays.get(f"{name}.missing", "uint8", 1, below=2)[0])
    return Texts(content, offsets, n_missing)


def write_notation(rank: int, notation: Notation, feature: Feature, column: np.ndarray, arrays: Arrays) -> None:
    """Store the forms in which the numbers of a column are written, and if there are several, a code per case."""
    tidy = notation.tidy(numbers_of(feature, column) if notation.numbers is None else notation.numbers)
    if tidy is None:
        return
    if tidy.numbers is not None:
        arrays[f"recorded.{rank}"] = np.asarray(tidy.numbers, dtype=np.float64)
        tidy = tidy.written
        if tidy is None:
            return
    write_strings(f"notation.{rank}", as_strings(tidy.forms), arrays)
    if tidy.codes is not None:
        arrays[f"notation.{rank}.codes"] = tidy.codes


def read_notations(arrays: CheckedArrays, n_columns: int, n_cases: int) -> Notations:
    """Return how the numbers of the columns are written; empty if none was read from text."""
    notations = tuple(_read_recorded(rank, arrays, n_cases) for rank in range(n_columns))
    return () if all(one is None for one in notations) else notations


def _read_recorded(rank: int, arrays: CheckedArrays, n_cases: int) -> Notation | None:
    notation = _read_notation(f"notation.{rank}", arrays, n_cases)
    if not arrays.has(f"recorded.{rank}"):
        return notation
    numbers = arrays.get(f"recorded.{rank}", "float64", n_cases)
    if np.isinf(numbers).any():
        raise ValueError(f"array 'recorded.{rank}' has a number that is not finite")
    return recorded(notation, numbers)


def _read_notation(name: str, arrays: CheckedArrays, n_cases: int) -> Notation | None:
    if not arrays.has(f"{name}.offsets"):
        return None
    texts = read_strings(name, arrays).to_pylist()
    forms = tuple(text for text in texts if text is not None and is_form(text))
    if not forms or len(forms) != len(texts):
        raise ValueError(f"array '{name}' does not say how numbers are written")
    if len(forms) == 1:
        return Notation(forms)
    return Notation(forms, arrays.get(f"{name}.codes", code_type(len(forms)).name, n_cases, below=len(forms)))


def read_n_cases(header: Header) -> int:
    n_cases = header["n_cases"]
    if not is_whole(n_cases, 1):
        raise ValueError(f"the number of cases is {n_cases!r}")
    return n_cases
