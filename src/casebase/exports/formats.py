"""Which models can be written to be read or run elsewhere, and how."""

from collections.abc import Callable, Mapping
from typing import Any

from casebase.exports import class_rules, decision_tree, oblivious_graph, perceptron_tree, rules
from casebase.learners import C45, ID3, C45Rules, ObliviousGraph, PerceptronTree, Rules

EXPORTS: dict[type, Mapping[str, Callable[[Any], str]]] = {
    Rules: rules.FORMATS,
    ID3: decision_tree.FORMATS,
    C45: decision_tree.FORMATS,
    C45Rules: class_rules.FORMATS,
    PerceptronTree: perceptron_tree.FORMATS,
    ObliviousGraph: oblivious_graph.FORMATS,
}
FORMATS = tuple(dict.fromkeys(name for formats in EXPORTS.values() for name in formats))


def formats_of(model: Any) -> Mapping[str, Callable[[Any], str]]:
    """Return how a model can be written, by name; nothing for one that is its cases."""
    return EXPORTS.get(type(model), {})
