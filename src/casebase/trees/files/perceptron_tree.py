"""The model file of a perceptron tree: the nodes of a decision tree, and perceptrons for some of its leaves."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_n_cases, read_preference, read_schema, write_preference, write_schema
from casebase.data import Schema
from casebase.trees import perceptron_tree
from casebase.trees.files.decision_tree import read_nodes, write_nodes
from casebase.trees.perceptron_tree import A_NUMBER, Perceptrons, PerceptronTree

FINEST = 24  # bits of a weight at most


def write_perceptron_tree(model: PerceptronTree, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_nodes(model.nodes, arrays)
    header |= {
        "n_cases": model.n_cases,
        "n_contradictory": model.n_contradictory,
    }
    p = model.perceptrons
    arrays |= {
        "perceptron": model.perceptron.astype(np.int64),
        "centre": model.centre,
        "half_range": model.half_range,
        "perceptron.first_class": p.first_class,
        "perceptron.class": p.class_label,
        "perceptron.first_input": p.first_input,
        "perceptron.input_feature": p.input_feature,
        "perceptron.input_value": p.input_value,
        "perceptron.first_weight": p.first_weight,
        "perceptron.weight": p.weight.astype(np.int64),
        "perceptron.precision": p.precision,
    }


def read_perceptron_tree(header: Header, arrays: CheckedArrays, settings: perceptron_tree.Settings) -> PerceptronTree:
    schema = read_schema(header, arrays)
    nodes = read_nodes(arrays, schema)
    perceptrons = _read_perceptrons(arrays, schema)
    perceptron = arrays.get("perceptron", "int64", nodes.n_nodes)
    used = perceptron[perceptron != -1]
    if used.tolist() != list(range(len(perceptrons))) or (nodes.feature[perceptron != -1] >= 0).any():
        raise ValueError("the perceptrons do not belong to the leaves")
    n_contradictory = float(header["n_contradictory"])
    if not 0 <= n_contradictory < np.inf:
        raise ValueError(f"the number of contradictory cases is {n_contradictory}")
    return PerceptronTree(
        schema,
        nodes,
        perceptron.astype(np.int32),
        perceptrons,
        _finite(arrays, "centre", len(schema.features)),
        _positive(arrays, "half_range", len(schema.features)),
        read_preference(arrays, len(schema.classes)),
        read_n_cases(header),
        n_contradictory,
        settings.normalisation,
        settings,
    )


def _read_perceptrons(arrays: CheckedArrays, schema: Schema) -> Perceptrons:
    precision = arrays.get("perceptron.precision", "uint8", below=FINEST + 1)
    n = len(precision)
    class_label = arrays.get("perceptron.class", "uint32", below=len(schema.classes))
    input_feature = arrays.get("perceptron.input_feature", "uint32", below=len(schema.features))
    input_value = arrays.get("perceptron.input_value", "uint32", len(input_feature))
    weight = arrays.get("perceptron.weight", "int64")
    perceptrons = Perceptrons(
        arrays.offsets("perceptron.first_class", n + 1, len(class_label), "uint32"),
        class_label,
        arrays.offsets("perceptron.first_input", n + 1, len(input_value), "uint32"),
        input_feature,
        input_value,
        arrays.offsets("perceptron.first_weight", n + 1, len(weight)),
        weight.astype(np.int32),
        precision,
    )
    begins = perceptrons.first_class[0], perceptrons.first_input[0], perceptrons.first_weight[0]
    if any(begins) or (perceptrons.n_classes < 2).any():
        raise ValueError("a perceptron has fewer than two classes")
    if (np.diff(perceptrons.first_weight.astype(np.int64)) != perceptrons.n_units * (1 + perceptrons.n_inputs)).any():
        raise ValueError("a perceptron does not have one weight for each input")
    if len(weight) and abs(weight).max() >= 2 ** (FINEST - 1):
        raise ValueError("a weight of a perceptron is too large")
    _require_inputs(schema, perceptrons)
    return perceptrons


def _require_inputs(schema: Schema, perceptrons: Perceptrons) -> None:
    kinds = np.array([feature.kind for feature in schema.features])[perceptrons.input_feature]
    n_values = np.array([0 if f.vocabulary is None else len(f.vocabulary) for f in schema.features])
    is_number = kinds == "numeric"
    if (kinds == "ignored").any() or (perceptrons.input_value[is_number] != A_NUMBER).any():
        raise ValueError("an input of a perceptron does not match its feature")
    if (perceptrons.input_value[~is_number] >= n_values[perceptrons.input_feature[~is_number]]).any():
        raise ValueError("an input of a perceptron is not a value of its feature")


def _finite(arrays: CheckedArrays, name: str, length: int) -> np.ndarray:
    array = arrays.get(name, "float64", length)
    if not np.isfinite(array).all():
        raise ValueError(f"array {name!r} holds a number that is not finite")
    return array


def _positive(arrays: CheckedArrays, name: str, length: int) -> np.ndarray:
    array = arrays.numbers(name, length)
    if not array.all():
        raise ValueError(f"array {name!r} holds a zero")
    return array
