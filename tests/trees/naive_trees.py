"""Decision trees in a plain form, to compare those of casebase with those of the oracles."""

import random

import numpy as np
import pytest


def grown(model, node=0):
    """A tree of casebase as nested tuples: the test, the label, the class counts and the children by value."""
    tree, schema = model.nodes, model.schema
    counts = {schema.classes[label]: pytest.approx(n) for label, n in tree.counts(node).items() if n > 0}
    feature = int(tree.feature[node])
    if feature < 0:
        return None, schema.classes[tree.label[node]], counts, {}
    is_number = not np.isnan(tree.threshold[node])
    test = (feature, pytest.approx(float(tree.threshold[node])) if is_number else None)
    names = {
        child: ["<=", ">"][tree.value[child]] if is_number else schema.features[feature].value(tree.value[child])
        for child in tree.children(node)
    }
    return (
        test,
        schema.classes[tree.label[node]],
        counts,
        {name: grown(model, child) for child, name in names.items()},
    )


def expected(node):
    """A tree of the oracle, in the same form."""
    counts = {label: n for label, n in node.distribution.items() if n > 0}
    if node.feature is None:
        return None, node.label, counts, {}
    children = {value: expected(child) for value, child in node.children.items()}
    return (node.feature, node.threshold), node.label, counts, children


def as_plain(tree):
    """A tree without approximate numbers, to compare it with one that has them."""
    test, label, counts, children = tree
    if test is not None and test[1] is not None:
        test = (test[0], test[1].expected)
    children = {name: as_plain(child) for name, child in children.items()}
    return test, label, {name: n.expected for name, n in counts.items()}, children


def stored(task):
    """A task without the cases that weigh nothing."""
    return task.take([i for i in range(len(task.rows)) if task.counts is None or task.counts[i] > 0])


def made_up(seed, n_cases=120):
    """A table of symbols, numbers and gaps whose class depends on three of six features, with some noise."""
    rng = random.Random(seed)
    rows, labels = [], []
    for _ in range(n_cases):
        row = [rng.choice("abc"), round(rng.gauss(0, 4)) / 4, rng.choice("xy"), rng.choice("pqrstu"), rng.random(), "k"]
        label = "P" if (row[0] == "a") + (row[1] > 0.2) + (row[2] == "x") >= 2 else "Q"
        rows.append([None if rng.random() < 0.05 else value for value in row])
        labels.append(rng.choice("PQR") if rng.random() < 0.15 else label)
    return rows, labels, frozenset([1, 4])
