"""What of a model goes into its file, and how it is put together again.

A writer lists the arrays of a model; its reader names each with the type, length and bounds that it must
have. The two stand side by side so that they can be compared.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data import Feature, Schema, Vocabulary
from casebase.errors import ModelFileError
from casebase.learners import IB1, IB2, TRIBL, TRIBL2, IGTree, Model
from casebase.learners.answers import Preference
from casebase.learners.comparing import Comparing, checked_threshold
from casebase.learners.correcting import in_order
from casebase.learners.igtree import Tree
from casebase.learners.memory import Memory, Segment
from casebase.learners.neighbours import Metric, Voting, checked_k
from casebase.measures.contingency import Contingency
from casebase.measures.distances import BY_CLASSES, METRICS
from casebase.measures.votes import checked_decay, checked_normalisation, checked_vote
from casebase.persist.files import Arrays, CheckedArrays, Header, read, write
from casebase.persist.parameters import plain_parameters, restored_parameters


@dataclass(frozen=True)
class Saved:
    """A model and the parameters it was fitted with."""

    model: Model
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def learner(self) -> str:
        return learner_name(self.model)


def learner_name(model: Model) -> str:
    return type(model).__name__.lower()


def save(path: str | os.PathLike[str], model: Model, parameters: dict[str, Any] | None = None) -> None:
    """Write a model, and the parameters it was fitted with, to a file.

    One that was corrected is written as a new fit would be: nothing is left of what was taken out.
    """
    model = in_order(model)
    header: Header = {
        "learner": learner_name(model),
        "parameters": parameters or {},
        "fitted_with": plain_parameters(model.parameters),
    }
    arrays: Arrays = {}
    if isinstance(model, IB1):
        _write_ib1(model, header, arrays)
    elif isinstance(model, IGTree):
        _write_igtree(model, header, arrays)
    elif isinstance(model, TRIBL2):
        _write_tribl2(model, header, arrays)
    else:
        _write_tribl(model, header, arrays)
    write(path, header, arrays)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a model; every index is checked before anything is computed with it."""
    header, arrays = read(path)
    readers: dict[str, Callable[[Header, CheckedArrays], Model]] = {
        "ib1": _read_ib1,
        "igtree": _read_igtree,
        "tribl": _read_tribl,
        "tribl2": _read_tribl2,
        "ib2": _read_ib2,
    }
    try:
        model = readers[header["learner"]](header, arrays)
        model = replace(model, parameters=restored_parameters(dict(header["fitted_with"])))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable model: {error}.") from error
    parameters = header.get("parameters", {})
    if not isinstance(parameters, dict):
        raise ModelFileError(f"{path} is not a usable model: its parameters are not a record.")
    return Saved(model, parameters)


def _write_ib1(model: IB1, header: Header, arrays: Arrays) -> None:
    _write_schema(model.schema, header, arrays)
    _write_voting(model.voting, header, arrays)
    _write_memory(model.memory, arrays)
    _write_comparing(model.comparing, header, arrays)
    metric = model.metric
    arrays |= {
        "weights": model.weights,
        "metric.weights": metric.weights,
        "metric.ranges": metric.ranges,
        "metric.sum_order": metric.sum_order,
    }


def _read_ib1(header: Header, arrays: CheckedArrays) -> IB1:
    schema = _read_schema(header, arrays)
    voting = _read_voting(header, arrays, schema)
    memory = _read_memory(arrays, schema)
    n_ranks = len(memory.order)
    metric = Metric(
        arrays.numbers("metric.weights", n_ranks, ndim=2),
        arrays.numbers("metric.ranges", n_ranks, ndim=2),
        arrays.permutation("metric.sum_order", n_ranks, ndim=2),
    )
    comparing = _read_comparing(header, arrays, schema, memory, voting.as_timbl)
    return IB1(schema, memory, arrays.numbers("weights", len(schema.features)), comparing, metric, voting)


def _read_ib2(header: Header, arrays: CheckedArrays) -> IB2:
    model = _read_ib1(header, arrays)
    return IB2(model.schema, model.memory, model.weights, model.comparing, model.metric, model.voting)


def _write_memory(memory: Memory, arrays: Arrays) -> None:
    (segment,) = memory.segments
    arrays |= {"order": memory.order, "labels": segment.labels, "row_of": segment.row_of}
    arrays |= {f"column.{rank}": column for rank, column in enumerate(segment.columns)}
    if segment.counts is not None:
        arrays["counts"] = segment.counts
    if segment.exemplars is not None:
        arrays["exemplars"] = segment.exemplars
    _write_ids(segment.ids, arrays)


def _read_memory(arrays: CheckedArrays, schema: Schema) -> Memory:
    labels = arrays.get("labels", "uint32", below=len(schema.classes))
    n_cases = len(labels)
    if n_cases == 0:
        raise ValueError("the memory is empty")
    order = _read_order(arrays, len(schema.features))
    columns = []
    for rank, position in enumerate(order):
        feature = schema.features[position]
        if feature.kind == "numeric":
            columns.append(arrays.get(f"column.{rank}", "float64", n_cases))
        else:
            vocabulary = feature.vocabulary
            if vocabulary is None:
                raise ValueError(f"symbolic feature {feature.name!r} has no values")
            columns.append(arrays.get(f"column.{rank}", vocabulary.dtype.name, n_cases, below=len(vocabulary)))
    kinds = [schema.features[position].kind == "numeric" for position in order]
    if kinds != sorted(kinds):
        raise ValueError("numeric features stand before symbolic ones")
    segment = Segment(
        tuple(columns),
        labels,
        _read_counts(arrays, n_cases, "counts"),
        _read_counts(arrays, n_cases, "exemplars"),
        arrays.permutation("row_of", n_cases),
        _read_ids(arrays, n_cases),
    )
    return Memory(order, (segment,))


def _write_comparing(comparing: Comparing, header: Header, arrays: Arrays) -> None:
    header |= {"metrics": list(comparing.metrics), "threshold": comparing.threshold, "clip": comparing.clip}
    header["is_euclidean"] = comparing.is_euclidean
    for rank, table in enumerate(comparing.tables):
        if table is not None:
            arrays |= {
                f"classes.{rank}.value": table.value.astype(np.uint32),
                f"classes.{rank}.label": table.label.astype(np.uint32),
                f"classes.{rank}.count": table.count,
            }


def _read_comparing(header: Header, arrays: CheckedArrays, schema: Schema, memory: Memory, as_timbl: bool) -> Comparing:
    metrics = tuple(header["metrics"])
    kinds = [schema.features[position].kind for position in memory.order]
    if [METRICS[metric] for metric in metrics] != kinds:
        raise ValueError("the metrics do not fit the features")
    tables: list[Contingency | None] = []
    for rank, metric in enumerate(metrics):
        vocabulary = schema.features[memory.order[rank]].vocabulary
        if metric not in BY_CLASSES or vocabulary is None:
            tables.append(None)
            continue
        value = arrays.get(f"classes.{rank}.value", "uint32", below=len(vocabulary)).astype(np.int64)
        label = arrays.get(f"classes.{rank}.label", "uint32", len(value), below=len(schema.classes)).astype(np.int64)
        count = arrays.numbers(f"classes.{rank}.count", len(value))
        cells = value * len(schema.classes) + label
        if not count.all() or (np.diff(cells) <= 0).any():
            raise ValueError("the classes of the values are not in order")
        tables.append(Contingency(value, label, count, len(vocabulary), len(schema.classes)))
    clip = float(header["clip"])
    if not np.isfinite(clip) or clip < 0:
        raise ValueError(f"clip is {clip!r}")
    return Comparing(
        metrics, tuple(tables), checked_threshold(header["threshold"]), as_timbl, clip, bool(header["is_euclidean"])
    )


def _read_counts(arrays: CheckedArrays, n_cases: int, name: str) -> np.ndarray | None:
    counts = arrays.numbers(name, n_cases) if arrays.has(name) else None
    if counts is not None and not counts.all():
        raise ValueError("a stored case counts nothing")
    return counts


def _write_igtree(model: IGTree, header: Header, arrays: Arrays) -> None:
    _write_schema(model.schema, header, arrays)
    _write_preference(model.preference, arrays)
    _write_tree(model.tree, arrays)
    header |= {
        "n_cases": model.n_cases,
        "missing_agrees": model.missing_agrees,
        "normalisation": model.normalisation,
        "keeps_cases": model.memory is not None,
    }
    arrays |= {"weights": model.weights, "order": model.order}
    if model.memory is not None:
        _write_memory(model.memory, arrays)


def _read_igtree(header: Header, arrays: CheckedArrays) -> IGTree:
    schema = _read_schema(header, arrays)
    order = _read_order(arrays, len(schema.features))
    tree = _read_tree(arrays, len(schema.classes))
    if any(schema.features[position].kind != "symbolic" for position in order):
        raise ValueError("the tree asks about a feature that has no values")
    if tree.depth > len(order):
        raise ValueError("the tree is deeper than it has features")
    memory = _read_memory(arrays, schema) if header["keeps_cases"] else None
    n_cases = _read_n_cases(header)
    if memory is not None and memory.n_cases != n_cases:
        raise ValueError("the tree was not grown from the cases beside it")
    return IGTree(
        schema,
        tree,
        order,
        arrays.numbers("weights", len(schema.features)),
        bool(header["missing_agrees"]),
        _read_preference(arrays, len(schema.classes)),
        n_cases,
        checked_normalisation(header["normalisation"]),
        memory,
    )


def _read_n_cases(header: Header) -> int:
    n_cases = header["n_cases"]
    if not isinstance(n_cases, int) or n_cases < 1:
        raise ValueError(f"the number of cases is {n_cases!r}")
    return n_cases


def _write_tribl(model: TRIBL, header: Header, arrays: Arrays) -> None:
    _write_ib1(model.below, header, arrays)
    _write_tree(model.tree, arrays)
    header["switch"] = model.switch
    arrays["tree_weights"] = model.weights


def _read_tribl(header: Header, arrays: CheckedArrays) -> TRIBL:
    below = _read_ib1(header, arrays)
    tree = _read_tree(arrays, len(below.schema.classes))
    switch = header["switch"]
    if not isinstance(switch, int) or not 0 <= switch <= len(below.memory.order):
        raise ValueError("the switch point lies outside of the features")
    if tree.depth > switch:
        raise ValueError("the tree is deeper than the switch point")
    if any(below.schema.features[position].kind != "symbolic" for position in below.memory.order[:switch]):
        raise ValueError("the tree asks about a feature that has no values")
    weights = arrays.numbers("tree_weights", len(below.schema.features))
    return TRIBL(below, tree, weights, switch)


def _write_tribl2(model: TRIBL2, header: Header, arrays: Arrays) -> None:
    _write_ib1(model.below, header, arrays)
    arrays["walk"] = model.walk


def _read_tribl2(header: Header, arrays: CheckedArrays) -> TRIBL2:
    below = _read_ib1(header, arrays)
    walk = arrays.permutation("walk", len(below.memory.order))
    kinds = [METRICS[metric] for metric in below.comparing.metrics]
    for kind in ("symbolic", "numeric"):
        if (np.diff([rank for rank in walk.tolist() if kinds[rank] == kind]) < 0).any():
            raise ValueError("the walk does not follow the order of the memory")
    return TRIBL2(below, walk)


def _write_tree(tree: Tree, arrays: Arrays) -> None:
    arrays |= {
        "tree.first_child": tree.first_child, "tree.value": tree.value, "tree.label": tree.label,
        "tree.first_count": tree.first_count, "tree.count_label": tree.count_label, "tree.count": tree.count,
    }  # fmt: skip


def _read_tree(arrays: CheckedArrays, n_classes: int) -> Tree:
    label = arrays.get("tree.label", "uint32", below=n_classes)
    n_nodes = len(label)
    if n_nodes == 0:
        raise ValueError("the tree has no root")
    first_child = arrays.offsets("tree.first_child", n_nodes + 1, n_nodes, "uint32")
    # Children stand behind their parents: then a walk always ends.
    if first_child[0] != 1 or (first_child[:-1].astype(np.int64) <= np.arange(n_nodes)).any():
        raise ValueError("the tree's nodes are not in breadth-first order")
    count_label = arrays.get("tree.count_label", "uint32", below=n_classes)
    first_count = arrays.offsets("tree.first_count", n_nodes + 1, len(count_label))
    count = arrays.numbers("tree.count", len(count_label))
    if first_count[0] != 0 or (np.diff(first_count.astype(np.int64)) < 1).any() or not count.all():
        raise ValueError("a node of the tree counts no cases")
    return Tree(first_child, arrays.get("tree.value", "uint32", n_nodes), label, first_count, count_label, count)


def _write_schema(schema: Schema, header: Header, arrays: Arrays) -> None:
    header |= {
        "features": [
            {"name": f.name, "kind": f.kind, "is_coded": f.vocabulary is not None, "of_numbers": f.of_numbers}
            for f in schema.features
        ],
        "classes": list(schema.classes),
        "target": schema.target,
        "is_named": schema.is_named,
        "target_position": schema.target_position,
    }
    for i, feature in enumerate(schema.features):
        if feature.vocabulary is not None:
            _write_strings(f"values.{i}", feature.vocabulary.values, arrays)


def _read_schema(header: Header, arrays: CheckedArrays) -> Schema:
    features = []
    for i, entry in enumerate(header["features"]):
        if entry["kind"] not in ("symbolic", "numeric", "ignored"):
            raise ValueError(f"feature {i} is of the unknown kind {entry['kind']!r}")
        vocabulary = Vocabulary(_read_strings(f"values.{i}", arrays)) if entry["is_coded"] else None
        if entry["kind"] != "ignored" and (vocabulary is None) != (entry["kind"] == "numeric"):
            raise ValueError(f"feature {i} is {entry['kind']}, but its values are stored otherwise")
        features.append(Feature(str(entry["name"]), entry["kind"], vocabulary, bool(entry["of_numbers"])))
    classes = tuple(header["classes"]) if isinstance(header["classes"], list) else ()
    if not features or not classes or not all(isinstance(c, str | int | float | bool) for c in classes):
        raise ValueError("features or classes are missing")
    position = header["target_position"]
    if position is not None and not (isinstance(position, int) and 0 <= position <= len(features)):
        raise ValueError("the position of the class lies outside of the table")
    return Schema(tuple(features), classes, str(header["target"]), bool(header["is_named"]), position)


def _write_voting(voting: Voting, header: Header, arrays: Arrays) -> None:
    header |= {
        "k": voting.k,
        "vote": voting.vote,
        "decay": [voting.decay.alpha, voting.decay.beta],
        "exact_match": voting.exact_match,
        "normalisation": voting.normalisation,
        "as_timbl": voting.as_timbl,
        "had_tie": voting.had_tie,
        "missing_agrees": voting.missing_agrees,
    }
    _write_preference(voting.preference, arrays)


def _read_voting(header: Header, arrays: CheckedArrays, schema: Schema) -> Voting:
    if header["exact_match"] not in ("first", "alone", "never"):
        raise ValueError(f"exact_match is {header['exact_match']!r}")
    return Voting(
        checked_k(header["k"]),
        checked_vote(header["vote"]),
        bool(header["missing_agrees"]),
        _read_preference(arrays, len(schema.classes)),
        checked_decay(*header["decay"]),
        header["exact_match"],
        checked_normalisation(header["normalisation"]),
        bool(header["as_timbl"]),
        bool(header["had_tie"]),
    )


def _write_preference(preference: Preference, arrays: Arrays) -> None:
    arrays |= {"class.frequency": preference.frequency, "class.rank": preference.rank}


def _read_preference(arrays: CheckedArrays, n_classes: int) -> Preference:
    return Preference(
        arrays.numbers("class.frequency", n_classes),
        arrays.permutation("class.rank", n_classes),
    )


def _read_order(arrays: CheckedArrays, n_features: int) -> np.ndarray:
    order = arrays.get("order", "int64", below=n_features)
    if not len(order) or len(np.unique(order)) != len(order):
        raise ValueError("the order of the features names one twice, or none")
    return order


def _write_ids(ids: np.ndarray, arrays: Arrays) -> None:
    if ids.dtype.kind in "iu":
        arrays["ids"] = ids.astype(np.int64)
    else:
        _write_strings("ids", pa.array([str(value) for value in ids.tolist()], pa.string()), arrays)


def _read_ids(arrays: CheckedArrays, n_cases: int) -> np.ndarray:
    if arrays.has("ids"):
        return arrays.get("ids", "int64", n_cases)
    ids = _read_strings("ids", arrays).to_numpy(zero_copy_only=False)
    if len(ids) != n_cases:
        raise ValueError("there is not one id per case")
    return ids


def _write_strings(name: str, values: pa.Array, arrays: Arrays) -> None:
    """Store texts as UTF-8 bytes and offsets; a missing first value is marked beside them."""
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    texts = values.cast(pa.large_string()) if len(values) else pa.array([], pa.large_string())
    _, offset_buffer, data = texts.buffers()
    if len(texts):
        offsets = np.frombuffer(offset_buffer, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, np.uint8)
    arrays[f"{name}.bytes"] = content[offsets[0] : offsets[-1]]
    arrays[f"{name}.offsets"] = offsets - offsets[0]
    arrays[f"{name}.missing"] = np.array([values.null_count], dtype=np.uint8)


def _read_strings(name: str, arrays: CheckedArrays) -> pa.Array:
    content = arrays.get(f"{name}.bytes", "uint8")
    offsets = arrays.get(f"{name}.offsets", "int64")
    if not len(offsets):
        raise ValueError(f"array '{name}.offsets' is empty")
    arrays.offsets(f"{name}.offsets", len(offsets), len(content), "int64")
    if offsets[0] != 0:
        raise ValueError(f"array '{name}.offsets' does not begin at 0")
    n_missing = int(arrays.get(f"{name}.missing", "uint8", 1, below=2)[0])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    texts = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
    texts.validate(full=True)
    texts = texts.cast(pa.string())
    return pa.concat_arrays([pa.nulls(1, pa.string()), texts.slice(1)]) if n_missing else texts
