"""Model files of the methods that compare whole cases: IB1, IB2, TRIBL2."""

from dataclasses import asdict, replace

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_memory, read_preference, read_schema, write_memory, write_preference, write_schema
from casebase.data import Schema
from casebase.measures.contingency import Contingency
from casebase.measures.distances import BY_CLASSES, METRICS
from casebase.memory.segments import Memory
from casebase.neighbours import ib2, tribl2
from casebase.neighbours.comparison import Comparing
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.learned_weights import Learning
from casebase.neighbours.search import Metric
from casebase.neighbours.settings import NeighbourSettings


def write_ib1(model: IB1, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    header["had_tie"] = model.voting.had_tie
    if model.learning is not None:
        header["learning"] = asdict(model.learning)
    write_memory(model.memory, model.schema, arrays)
    write_comparing(model.comparing, header, arrays)
    metric = model.metric
    arrays |= {
        "weights": model.weights,
        "metric.weights": metric.weights,
        "metric.ranges": metric.ranges,
        "metric.sum_order": metric.sum_order,
    }


def read_ib1(header: Header, arrays: CheckedArrays, settings: NeighbourSettings) -> IB1:
    schema = read_schema(header, arrays)
    voting = replace(settings.voting_by(read_preference(arrays, len(schema.classes))), had_tie=bool(header["had_tie"]))
    memory = read_memory(arrays, schema, is_lazy=True)
    n_ranks = len(memory.order)
    metric = Metric(
        arrays.numbers("metric.weights", n_ranks, ndim=2),
        arrays.numbers("metric.ranges", n_ranks, ndim=2),
        arrays.permutation("metric.sum_order", n_ranks, ndim=2),
    )
    comparing = read_comparing(header, arrays, schema, memory, settings)
    weights = arrays.numbers("weights", len(schema.features))
    learning = Learning(**header["learning"]) if "learning" in header else None
    return IB1(schema, memory, weights, comparing, metric, voting, None, settings, learning)


def write_ib2(model: ib2.IB2, header: Header, arrays: Arrays) -> None:
    write_ib1(model.kept, header, arrays)


def read_ib2(header: Header, arrays: CheckedArrays, settings: ib2.Settings) -> ib2.IB2:
    return ib2.IB2(read_ib1(header, arrays, settings), settings)


def write_tribl2(model: tribl2.TRIBL2, header: Header, arrays: Arrays) -> None:
    write_ib1(model.below, header, arrays)
    arrays["walk"] = model.walk


def read_tribl2(header: Header, arrays: CheckedArrays, settings: tribl2.Settings) -> tribl2.TRIBL2:
    below = read_ib1(header, arrays, settings)
    walk = arrays.permutation("walk", len(below.memory.order))
    kinds = [METRICS[metric] for metric in below.comparing.metrics]
    # The search narrows ranges of the sorted memory, so within each kind the walk must follow the sort order.
    for kind in ("symbolic", "numeric"):
        if (np.diff([rank for rank in walk.tolist() if kinds[rank] == kind]) < 0).any():
            raise ValueError("the walk does not follow the order of the memory")
    return tribl2.TRIBL2(below, walk, settings)


def write_comparing(comparing: Comparing, header: Header, arrays: Arrays) -> None:
    header |= {"metrics": list(comparing.metrics), "is_euclidean": comparing.is_euclidean}
    for rank, table in enumerate(comparing.tables):
        if table is not None:
            arrays |= {
                f"classes.{rank}.value": table.value.astype(np.uint32),
                f"classes.{rank}.label": table.label.astype(np.uint32),
                f"classes.{rank}.count": table.count,
            }


def read_comparing(
    header: Header, arrays: CheckedArrays, schema: Schema, memory: Memory, settings: NeighbourSettings
) -> Comparing:
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
            raise ValueError("the class counts of the values are zero or not in order")
        tables.append(Contingency(value, label, count, len(vocabulary), len(schema.classes)))
    is_euclidean = bool(header["is_euclidean"])
    return Comparing(metrics, tuple(tables), settings.threshold, settings.quirks, settings.clip, is_euclidean)
