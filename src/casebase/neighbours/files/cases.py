"""The files of learners that compare whole cases: IB1, IB2, TRIBL2."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_memory, read_preference, read_schema, write_memory, write_preference, write_schema
from casebase.data import Schema
from casebase.measures.contingency import Contingency
from casebase.measures.distances import BY_CLASSES, METRICS
from casebase.measures.votes import checked_decay, checked_normalisation, checked_vote
from casebase.memory.segments import Memory
from casebase.neighbours.comparison import Comparing, checked_threshold
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.search import Metric, Voting, checked_k
from casebase.neighbours.tribl2 import TRIBL2


def write_ib1(model: IB1, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_voting(model.voting, header, arrays)
    write_memory(model.memory, arrays)
    write_comparing(model.comparing, header, arrays)
    metric = model.metric
    arrays |= {
        "weights": model.weights,
        "metric.weights": metric.weights,
        "metric.ranges": metric.ranges,
        "metric.sum_order": metric.sum_order,
    }


def read_ib1(header: Header, arrays: CheckedArrays) -> IB1:
    schema = read_schema(header, arrays)
    voting = read_voting(header, arrays, schema)
    memory = read_memory(arrays, schema)
    n_ranks = len(memory.order)
    metric = Metric(
        arrays.numbers("metric.weights", n_ranks, ndim=2),
        arrays.numbers("metric.ranges", n_ranks, ndim=2),
        arrays.permutation("metric.sum_order", n_ranks, ndim=2),
    )
    comparing = read_comparing(header, arrays, schema, memory, voting.as_timbl)
    return IB1(schema, memory, arrays.numbers("weights", len(schema.features)), comparing, metric, voting)


def write_ib2(model: IB2, header: Header, arrays: Arrays) -> None:
    write_ib1(model.kept, header, arrays)


def read_ib2(header: Header, arrays: CheckedArrays) -> IB2:
    return IB2(read_ib1(header, arrays))


def write_tribl2(model: TRIBL2, header: Header, arrays: Arrays) -> None:
    write_ib1(model.below, header, arrays)
    arrays["walk"] = model.walk


def read_tribl2(header: Header, arrays: CheckedArrays) -> TRIBL2:
    below = read_ib1(header, arrays)
    walk = arrays.permutation("walk", len(below.memory.order))
    kinds = [METRICS[metric] for metric in below.comparing.metrics]
    for kind in ("symbolic", "numeric"):
        if (np.diff([rank for rank in walk.tolist() if kinds[rank] == kind]) < 0).any():
            raise ValueError("the walk does not follow the order of the memory")
    return TRIBL2(below, walk)


def write_comparing(comparing: Comparing, header: Header, arrays: Arrays) -> None:
    header |= {"metrics": list(comparing.metrics), "threshold": comparing.threshold, "clip": comparing.clip}
    header["is_euclidean"] = comparing.is_euclidean
    for rank, table in enumerate(comparing.tables):
        if table is not None:
            arrays |= {
                f"classes.{rank}.value": table.value.astype(np.uint32),
                f"classes.{rank}.label": table.label.astype(np.uint32),
                f"classes.{rank}.count": table.count,
            }


def read_comparing(header: Header, arrays: CheckedArrays, schema: Schema, memory: Memory, as_timbl: bool) -> Comparing:
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


def write_voting(voting: Voting, header: Header, arrays: Arrays) -> None:
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
    write_preference(voting.preference, arrays)


def read_voting(header: Header, arrays: CheckedArrays, schema: Schema) -> Voting:
    if header["exact_match"] not in ("first", "alone", "never"):
        raise ValueError(f"exact_match is {header['exact_match']!r}")
    return Voting(
        checked_k(header["k"]),
        checked_vote(header["vote"]),
        bool(header["missing_agrees"]),
        read_preference(arrays, len(schema.classes)),
        checked_decay(*header["decay"]),
        header["exact_match"],
        checked_normalisation(header["normalisation"]),
        bool(header["as_timbl"]),
        bool(header["had_tie"]),
    )
