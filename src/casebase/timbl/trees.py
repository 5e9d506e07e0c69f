"""Trees of an instance base: from training lines to a tree of numbers, and from such a tree to a model."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from casebase import _native
from casebase.base.answers import Preference
from casebase.base.trees import Tree
from casebase.data import Feature, Kind, Schema, Table, Vocabulary
from casebase.data.arrays import as_integers, as_strings
from casebase.errors import CasebaseError, FormatError
from casebase.neighbours.igtree import IGTree, grow
from casebase.timbl.instance_base import Base, Header, Nodes
from casebase.timbl.memory import Memory, Training
from casebase.timbl.metric_string import NUMERIC
from casebase.timbl.models import Learned, stored_lines, stored_memory
from casebase.timbl.options import Options
from casebase.timbl.symbols import Symbols


def nodes_of(memory: Memory, learned: Learned, is_pruned: bool) -> Nodes:
    """Return the tree of the lines that a model stores, in TiMBL's numbers."""
    symbols, model = memory.symbols, learned.model
    rows = None
    if not isinstance(model, IGTree) and stored_memory(learned).n_cases < symbols.n_lines:
        rows = stored_lines(learned)
    given = model.preference if isinstance(model, IGTree) else model.voting.preference
    frequency = np.zeros(len(symbols.classes))
    frequency[learned.rank] = given.frequency
    preference = Preference(frequency, np.arange(len(frequency), dtype=np.uint32))
    used = memory.order[: memory.n_used]
    columns = [symbols.index_of_codes(feature)[_codes(symbols, feature)].astype(np.uint32) for feature in used]
    labels = symbols.labels.astype(np.uint32)
    counts, exemplars = memory.cases.weights, memory.training.exemplars
    if rows is not None:
        columns, labels = [column[rows] for column in columns], labels[rows]
        counts = None if counts is None else counts[rows]
        exemplars = None if exemplars is None else exemplars[rows]
    sorting = _native.lexicographic_order(columns, len(labels))
    tree = grow(
        [np.ascontiguousarray(column[sorting]) for column in columns],
        np.ascontiguousarray(labels[sorting]),
        None if counts is None else counts[sorting],
        preference,
        compress=is_pruned,
    )
    weights = None if exemplars is None else _leaf_weights(tree, columns, labels, exemplars)
    return Nodes(tree, list(symbols.index), symbols.classes, weights)


def _leaf_weights(tree: Tree, columns: list[np.ndarray], labels: np.ndarray, exemplars: np.ndarray) -> np.ndarray:
    """Return the exemplar weight of every class count: that of the first line with these values and this class."""
    first: dict[tuple[int, ...], float] = {}
    for *key, weight in zip(*(column.tolist() for column in (*columns, labels, exemplars))):
        first.setdefault(tuple(key), weight)
    weights = np.full(len(tree.count), np.nan)
    paths: list[tuple[int, ...]] = [()] * tree.n_nodes
    children, first_count = tree.first_child.tolist(), tree.first_count.tolist()
    for node in range(tree.n_nodes):
        for child in range(children[node], children[node + 1]):
            paths[child] = (*paths[node], int(tree.value[child]))
        if len(paths[node]) == len(columns):
            for entry in range(first_count[node], first_count[node + 1]):
                weights[entry] = first[(*paths[node], int(tree.count_label[entry]))]
    return weights


def _codes(symbols: Symbols, feature: int) -> np.ndarray:
    codes = symbols.codes[feature]
    assert codes is not None
    return codes


def header_of(memory: Memory, options: Options) -> Header:
    """Return the header of an instance base."""
    numeric = [i for i, letter in enumerate(memory.metrics) if letter in NUMERIC]
    ranges = {}
    for i in numeric:
        numbers = memory.numbers(i)
        ranges[i] = (float(numbers.min()), float(numbers.max()))
    is_pruned = options.algorithm == "IGTree"
    has_ranges = bool({options.metric.default, *options.metric.per_feature.values()} & set(NUMERIC))
    return Header(is_pruned, memory.order, memory.n_used, numeric, ranges, options.n_bins, options.hashed, has_ranges)


def training_of(base: Base) -> Training:
    """Return the lines of a complete instance base, with their counts as occurrences."""
    header, n_features = base.header, len(base.header.order)
    has_child = np.zeros(len(base.value), dtype=bool)
    has_child[[p for p in base.parent if p >= 0]] = True
    entries = [count for count in base.counts if not has_child[count[0]] and base.level[count[0]] == header.n_used]
    leaves = np.flatnonzero(~has_child)
    if any(base.level[leaf] != header.n_used for leaf in leaves) or {e[0] for e in entries} != set(leaves.tolist()):
        raise FormatError(
            f"{base.path}: a leaf of the tree lies too high, or has no class counts. The file is damaged."
        )
    paths = base.paths([node for node, *_ in entries])
    columns = [_constant(len(entries)) for _ in range(n_features)]
    for level, feature in enumerate(header.order[: header.n_used]):
        columns[feature] = _column(paths[:, level], base.values)
    columns.append(_column(np.array([label for _, label, *_ in entries]), base.classes))
    weights = [weight for *_, weight in entries]
    exemplars = None if None in weights else np.array(weights)
    names = (*(f"f{i + 1}" for i in range(n_features)), "class")
    table = Table(names, tuple(columns), n_features, is_named=False)
    occurrences = np.array([frequency for _, _, frequency, _ in entries])
    return Training(
        base.path, n_features, table, occurrences, exemplars, base.classes, header.order, header.n_used, base.values
    )


def append_lines(stored: Training, more: Training) -> Training:
    """Return the lines of an instance base followed by those of a file."""
    if stored.n_features != more.n_features:
        raise CasebaseError(
            f"{more.name}: expected {stored.n_features} features, as in {stored.name}, got {more.n_features}."
        )
    columns = [
        pa.chunked_array([a, b]).unify_dictionaries().combine_chunks()
        for a, b in zip(stored.table.columns, more.table.columns)
    ]
    # The base has no values of features outside its tree, so those of the added lines are dropped.
    for feature in (stored.order or [])[stored.n_used :]:
        columns[feature] = _constant(len(columns[feature]))
    assert stored.occurrences is not None
    assert stored.classes is not None
    counts = np.ones(more.table.n_rows) if more.occurrences is None else more.occurrences
    # New classes get numbers after those of the instance base.
    known = set(stored.classes)
    new = [label for label in more.table.columns[-1].dictionary.to_pylist() if label not in known]
    table = replace(stored.table, columns=tuple(columns))
    return replace(
        stored,
        table=table,
        occurrences=np.concatenate([stored.occurrences, counts]),
        classes=stored.classes + new,
        n_added=more.table.n_rows,
    )


def _constant(n_lines: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(as_integers(np.zeros(n_lines, dtype=np.uint32)), as_strings([""]))


def _column(numbers: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    """Return numbers of names as a symbolic column whose values are in order of first appearance."""
    distinct, first, codes = np.unique(numbers, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    place = np.empty(len(distinct), dtype=np.uint32)
    place[by_appearance] = np.arange(len(distinct), dtype=np.uint32)
    texts = as_strings([names[i] for i in distinct[by_appearance].tolist()])
    return pa.DictionaryArray.from_arrays(as_integers(place[codes.ravel()]), texts)


def igtree_of(base: Base, weights: np.ndarray) -> IGTree:
    """Return the tree of a pruned instance base as a model."""
    header = base.header
    order = header.order[: header.n_used]
    value, parent, level = np.array(base.value), np.array(base.parent), np.array(base.level)
    classes = sorted(base.classes)
    code_of_class = np.array([classes.index(label) for label in base.classes])
    features, codes = [], np.zeros(len(value), dtype=np.int64)
    vocabularies: dict[int, Vocabulary] = {}
    for depth, feature in enumerate(order):
        at = np.flatnonzero(level == depth + 1)
        texts = sorted({base.values[i] for i in value[at].tolist()}, key=lambda text: text.encode("utf-8"))
        place = {text: i for i, text in enumerate(texts)}
        codes[at] = [place[base.values[i]] for i in value[at].tolist()]
        vocabularies[feature] = Vocabulary(as_strings(texts))
    for i in range(len(header.order)):
        kind: Kind = "symbolic" if i in vocabularies else "ignored"
        features.append(Feature(f"f{i + 1}", kind, vocabularies.get(i, Vocabulary(as_strings([])))))
    tree = _breadth_first(base, codes, parent, level, code_of_class)
    frequency, rank = np.zeros(len(classes)), np.zeros(len(classes), dtype=np.uint32)
    rank[code_of_class] = np.arange(len(classes), dtype=np.uint32)
    for node, label, count, _ in base.counts:
        if node == 0:
            frequency[code_of_class[label]] = count
    if not frequency.any():
        raise FormatError(f"{base.path}: the root of the tree has no class counts. The file is damaged.")
    schema = Schema(tuple(features), tuple(classes), "class", False, len(features))
    return IGTree(schema, tree, np.array(order), weights, True, Preference(frequency, rank), int(frequency.sum()))


def _breadth_first(
    base: Base, codes: np.ndarray, parent: np.ndarray, level: np.ndarray, code_of_class: np.ndarray
) -> Tree:
    """Return the nodes level by level, children of a node side by side, by ascending value."""
    n_nodes = len(codes)
    place = np.zeros(n_nodes, dtype=np.int64)  # of a node of the file in the new order
    sequence = [np.array([0])]
    for depth in range(1, int(level.max()) + 1):
        at = np.flatnonzero(level == depth)
        at = at[np.lexsort((codes[at], place[parent[at]]))]
        start = sum(len(part) for part in sequence)
        place[at] = np.arange(start, start + len(at))
        sequence.append(at)
    nodes = np.concatenate(sequence)
    n_children = np.bincount(place[parent[1:]], minlength=n_nodes) if n_nodes > 1 else np.zeros(1, dtype=np.int64)
    first_child = np.concatenate([[1], 1 + np.cumsum(n_children)]).astype(np.uint32)
    counts = sorted((int(place[node]), int(code_of_class[label]), count) for node, label, count, _ in base.counts)
    n_counts = np.bincount([node for node, *_ in counts], minlength=n_nodes)
    first_count = np.concatenate([[0], np.cumsum(n_counts)]).astype(np.uint64)
    label = code_of_class[np.array(base.label)[nodes]].astype(np.uint32)
    return Tree(
        first_child,
        codes[nodes].astype(np.uint32),
        label,
        first_count,
        np.array([which for _, which, _ in counts], dtype=np.uint32),
        np.array([count for *_, count in counts]),
    )


def weights_beside(path: str) -> str:
    """Return the path of the weights file next to a pruned instance base; the file must exist."""
    beside = f"{path}.wgt"
    if not Path(beside).exists():
        raise FormatError(f"{beside}: there is no such file. A pruned instance base needs its weights beside it.")
    return beside
