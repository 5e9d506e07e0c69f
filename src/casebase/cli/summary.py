"""What a model is, in a few words and as a record; a kind of model registers its own two functions."""

from functools import singledispatch
from typing import Any

from casebase.cli.output import counted
from casebase.methods import Saved
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ib2 import IB2
from casebase.neighbours.igtree import IGTree
from casebase.neighbours.tribl import TRIBL
from casebase.neighbours.tribl2 import TRIBL2
from casebase.oblivious.graph import ObliviousGraph
from casebase.oblivious.oblivion import Oblivion
from casebase.rules.table import Rules
from casebase.smile.smile import SMILE
from casebase.trees.c45 import C45
from casebase.trees.c45rules import C45Rules
from casebase.trees.id3 import ID3
from casebase.trees.perceptron_tree import PerceptronTree


@singledispatch
def size_of(model: Any) -> str:
    """Return a model's size in a few words; each kind of model has its own."""
    raise NotImplementedError(type(model).__name__)


@singledispatch
def counts_of(model: Any) -> dict[str, Any]:
    """Return what there is to count in a model, for its record; each kind of model has its own."""
    raise NotImplementedError(type(model).__name__)


@size_of.register
def _(model: IB1 | IB2) -> str:
    return f"{counted(model.memory.n_cases, 'case')} {'kept' if isinstance(model, IB2) else 'in memory'}"


@counts_of.register
def _(model: IB1 | IB2) -> dict[str, Any]:
    return {"n_cases": model.memory.n_cases}


@size_of.register
def _(model: IGTree) -> str:
    return f"{counted(model.tree.n_nodes, 'node')}, depth {model.tree.depth}, {model.compression:.1%} compression"


@counts_of.register
def _(model: IGTree) -> dict[str, Any]:
    return {
        "n_cases": model.n_cases,
        "n_nodes": model.tree.n_nodes,
        "depth": model.tree.depth,
        "compression": model.compression,
    }


@size_of.register
def _(model: TRIBL) -> str:
    nodes, cases = counted(model.tree.n_nodes, "node"), counted(model.below.memory.n_cases, "case")
    return f"switch at {model.switch}, {nodes} above {cases}"


@counts_of.register
def _(model: TRIBL) -> dict[str, Any]:
    return {
        "n_cases": model.below.memory.n_cases,
        "switch": model.switch,
        "n_nodes": model.tree.n_nodes,
        "depth": model.tree.depth,
    }


@size_of.register
def _(model: TRIBL2) -> str:
    return f"{counted(model.below.memory.n_cases, 'case')} in memory"


@counts_of.register
def _(model: TRIBL2) -> dict[str, Any]:
    return {"n_cases": model.below.memory.n_cases}


@size_of.register
def _(model: Oblivion) -> str:
    kept = f"{len(model.order)} of {counted(len(model.schema.features), 'feature')} kept"
    return f"{kept}, {counted(model.n_abstract_cases, 'abstract case')}"


@counts_of.register
def _(model: Oblivion) -> dict[str, Any]:
    return {
        "n_cases": model.n_cases,
        "n_abstract_cases": model.n_abstract_cases,
        "kept": [model.schema.names[i] for i in model.order],
        "estimated_accuracy": model.selection.accuracy(model.selection.trials[-1]),
    }


@size_of.register
def _(model: SMILE) -> str:
    return f"{counted(model.memory.n_cases, 'case')} in memory, alpha {model.alpha}"


@counts_of.register
def _(model: SMILE) -> dict[str, Any]:
    return {
        "n_cases": model.memory.n_cases,
        "alpha": model.alpha,
        "alpha_errors": model.alpha_errors,
        "cuts": _cuts(model),
    }


@size_of.register
def _(model: Rules) -> str:
    levels = counted(model.n_levels, "level")  # as explain counts them, those without a rule too
    wrong = f"; {model.n_unexplained:,.6g} of the cases unexplained" if model.n_unexplained else ""
    return f"{counted(len(model.rules), 'rule')} at {levels} and a default{wrong}"


@counts_of.register
def _(model: Rules) -> dict[str, Any]:
    return {
        "n_cases": model.memory.n_cases,
        "n_levels": model.n_levels,
        "n_rules": len(model.rules),
        "cost": model.cost,
        "n_unexplained": model.n_unexplained,
        "rounds": [[one.n_examples, one.n_wrong] for one in model.rounds],
        "cuts": _cuts(model),
    }


@size_of.register
def _(model: ID3 | C45) -> str:
    nodes = model.nodes
    return f"{counted(nodes.n_nodes, 'node')}, {counted(nodes.n_leaves, 'leaf')}, depth {nodes.depth}"


@counts_of.register
def _(model: ID3 | C45) -> dict[str, Any]:
    return {
        "n_cases": model.n_cases,
        "n_nodes": model.nodes.n_nodes,
        "n_leaves": model.nodes.n_leaves,
        "n_empty": model.nodes.n_empty,
        "depth": model.nodes.depth,
    }


@size_of.register
def _(model: C45Rules) -> str:
    return f"{counted(len(model.rules), 'rule')} for {counted(model.groups[-1] - 1, 'class')} and a default"


@counts_of.register
def _(model: C45Rules) -> dict[str, Any]:
    return {"n_cases": model.n_cases, "n_rules": len(model.rules)}


@size_of.register
def _(model: PerceptronTree) -> str:
    nodes = model.nodes
    weights = f"{counted(model.n_perceptrons, 'perceptron')} with {counted(model.n_weights, 'weight')}"
    wrong = f"; {model.n_contradictory:,.6g} of the cases contradict others" if model.n_contradictory else ""
    return f"{counted(nodes.n_nodes, 'node')}, depth {nodes.depth}, {weights}{wrong}"


@counts_of.register
def _(model: PerceptronTree) -> dict[str, Any]:
    return {
        "n_cases": model.n_cases,
        "n_nodes": model.nodes.n_nodes,
        "n_leaves": model.nodes.n_leaves,
        "n_empty": model.nodes.n_empty,
        "depth": model.nodes.depth,
        "n_perceptrons": model.n_perceptrons,
        "n_weights": model.n_weights,
        "n_contradictory": model.n_contradictory,
    }


@size_of.register
def _(model: ObliviousGraph) -> str:
    graph = model.graph
    asked = f"{len(model.order)} of {counted(len(model.schema.features), 'feature')} asked"
    return f"{asked}, {counted(graph.n_nodes, 'node')} (of {model.n_tree_nodes:,} in the tree)"


@counts_of.register
def _(model: ObliviousGraph) -> dict[str, Any]:
    return {
        "n_cases": model.n_cases,
        "n_nodes": model.graph.n_nodes,
        "n_leaves": model.graph.n_leaves,
        "n_edges": model.graph.n_edges,
        "depth": model.graph.depth,
        "n_tree_nodes": model.n_tree_nodes,
        "asked": [model.schema.names[i] for i in model.order],
    }


def _cuts(model: SMILE | Rules) -> dict[str, list[float]]:
    return {
        feature.name: cuts.tolist()
        for feature, cuts in zip(model.schema.features, model.discretisation.cuts)
        if cuts is not None
    }


def summary(saved: Saved) -> dict[str, Any]:
    """Return what is in a model file, as `casebase inspect --json` prints it."""
    model = saved.model
    schema = model.schema
    weights = getattr(model, "weights", None)
    preference = model.voting.preference if isinstance(model, IB1 | IB2 | TRIBL | TRIBL2) else model.preference
    classes = [{"label": label, "frequency": float(n)} for label, n in zip(schema.classes, preference.frequency)]
    features = [
        {
            "name": feature.name,
            "kind": feature.kind,
            "n_values": None if feature.vocabulary is None or feature.kind == "ignored" else len(feature.vocabulary),
            "weight": None if weights is None else float(weights[i]),
        }
        for i, feature in enumerate(schema.features)
    ]
    return {
        "learner": saved.learner,
        "parameters": saved.parameters,
        "target": schema.target,
        **counts_of(model),
        **({"codelength": model.codelength()} if hasattr(model, "codelength") else {}),
        "classes": classes,
        "features": features,
    }
