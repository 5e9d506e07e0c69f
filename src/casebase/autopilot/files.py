"""The autopilot's part of a model file: the cases, the plans and arrays of the readings, and the exponents."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from casebase.autopilot import discriminant, forest, kernel, opinions
from casebase.autopilot.committee import READINGS, Committee, stored_cases, unsorted_cases
from casebase.autopilot.inputs import Features, Stored
from casebase.autopilot.pool import Pool
from casebase.autopilot.reading import Reading
from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_memory, read_preference, read_schema, write_memory, write_preference, write_schema

TYPES: dict[str, dict[str, str]] = {
    "forest": {
        "root": "uint32",
        "feature": "uint32",
        "split": "uint8",
        "at": "uint32",
        "left": "uint32",
        "groups": "uint64",
        "first_vote": "uint32",
        "vote_label": "uint32",
        "vote": "float64",
        "edges": "float64",
        "n_edges": "uint32",
    },
    "kernel": {"weights": "float64"},
    "opinions": {
        "exponents": "float64",
        "bias": "float64",
        "edges": "float64",
        "n_edges": "uint32",
        "widths": "int64",
        "n_codes": "uint32",
        "codes": "int64",
        "counts": "float64",
    },
    "discriminant": {
        "dimensions": "float64",
        "n_numbers": "uint32",
        "means": "float64",
        "scatters": "float64",
        "totals": "float64",
    },
}


def write_committee(model: Committee, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_memory(model.memory, model.schema, arrays)
    header |= {
        "readings": [
            {"name": name, "kind": reading.kind, "plan": reading.plan} for name, reading in model.readings.items()
        ],
        "losses": dict(model.losses),
        "held_out_loss": model.held_out_loss,
        "held_out_accuracy": model.held_out_accuracy,
    }
    arrays["exponents"] = model.pool.exponents
    for i, reading in enumerate(model.readings.values()):
        arrays |= {f"reading.{i}.{name}": np.ascontiguousarray(array) for name, array in reading.arrays().items()}


def read_committee(model: type[Committee], header: Header, arrays: CheckedArrays, settings: Any) -> Committee:
    schema = read_schema(header, arrays)
    memory = read_memory(arrays, schema)
    if memory.segments[0].exemplars is not None:
        raise ValueError("a committee does not use exemplar weights")
    preference = read_preference(arrays, len(schema.classes))
    entries, features = header["readings"], Features.of(schema)
    # Sorting takes longer than reading: only a kernel vote, and weights, need the sorted cases at once.
    is_sorted = memory.segments[0].counts is not None or any(entry["kind"] == "kernel" for entry in entries)
    known = stored_cases(memory, schema, features) if is_sorted else None
    stored = unsorted_cases(memory, schema, features) if known is None else known[0]
    exponents = arrays.numbers("exponents", len(entries), at_most=LARGEST)
    readings = {}
    for i, entry in enumerate(entries):
        if entry["name"] not in READINGS or entry["kind"] not in TYPES or entry["name"] in readings:
            raise ValueError(f"there is no reading {entry['name']!r}, or there are two")
        parts = {name: arrays.get(f"reading.{i}.{name}", dtype) for name, dtype in TYPES[entry["kind"]].items()}
        readings[entry["name"]] = _reading(entry["kind"], parts, entry["plan"], stored)
    losses = {str(name): float(loss) for name, loss in header["losses"].items()}
    return model(
        schema,
        memory,
        readings,
        Pool(exponents, np.zeros(len(schema.classes))),
        losses,
        float(header["held_out_loss"]),
        float(header["held_out_accuracy"]),
        preference,
        settings,
        known,
    )


LARGEST = 1e15  # of weights, counts and exponents, which are multiplied
FACTORS = ("weights", "exponents", "counts", "totals", "vote")


def _reading(kind: str, parts: Mapping[str, np.ndarray], plan: Any, stored: Stored) -> Reading:
    for name, array in parts.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"the array {name} of a reading has a number that is not finite")
        if name in FACTORS and (np.abs(array) > LARGEST).any():
            raise ValueError(f"the array {name} of a reading has a number that is too large")
    if kind == "forest":
        return forest.read(parts, plan, stored)
    if kind == "kernel":
        return kernel.read(parts, plan, stored)
    if kind == "opinions":
        return opinions.read(parts, plan, stored)
    return discriminant.read(parts, plan, stored)
