"""What a model is, in a few words and as a record."""

from typing import Any

from casebase.cli.output import counted
from casebase.evidence.reading import number
from casebase.learners import IB1, IB2, SMILE, TRIBL, TRIBL2, IGTree, Model, Oblivion, Rules
from casebase.persist import Saved


def size_of(model: Model) -> str:
    """Return a model's size in a few words."""
    if isinstance(model, IGTree):
        return f"{counted(model.tree.n_nodes, 'node')}, depth {model.tree.depth}, {model.compression:.1%} compression"
    if isinstance(model, TRIBL):
        nodes, cases = counted(model.tree.n_nodes, "node"), counted(model.below.memory.n_cases, "case")
        return f"switch at {model.switch}, {nodes} above {cases}"
    if isinstance(model, Oblivion):
        kept = f"{len(model.order)} of {counted(len(model.schema.features), 'feature')} kept"
        return f"{kept}, {counted(model.n_abstract_cases, 'abstract case')}"
    if isinstance(model, SMILE):
        return f"{counted(model.memory.n_cases, 'case')} in memory, alpha {model.alpha}"
    if isinstance(model, Rules):
        levels = counted(len({rule.level for rule in model.rules}), "level")
        wrong = f"; {number(model.n_unexplained)} of the cases unexplained" if model.n_unexplained else ""
        return f"{counted(len(model.rules), 'rule')} at {levels} and a default{wrong}"
    memory = model.below.memory if isinstance(model, TRIBL2) else model.memory
    return f"{counted(memory.n_cases, 'case')} {'kept' if isinstance(model, IB2) else 'in memory'}"


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
    record: dict[str, Any] = {
        "learner": saved.learner,
        "parameters": saved.parameters,
        "target": schema.target,
    }
    preference = model.preference if isinstance(model, IGTree | Oblivion | SMILE | Rules) else model.voting.preference
    weights = [None] * len(schema.features) if isinstance(model, SMILE | Rules) else model.weights.tolist()
    if isinstance(model, IB1):
        record["n_cases"] = model.memory.n_cases
    elif isinstance(model, TRIBL2):
        record["n_cases"] = model.below.memory.n_cases
    elif isinstance(model, TRIBL):
        record |= {
            "n_cases": model.below.memory.n_cases,
            "switch": model.switch,
            "n_nodes": model.tree.n_nodes,
            "depth": model.tree.depth,
        }
    elif isinstance(model, Oblivion):
        record |= {
            "n_cases": model.n_cases,
            "n_abstract_cases": model.n_abstract_cases,
            "kept": [schema.names[i] for i in model.order],
            "estimated_accuracy": model.selection.accuracy(model.selection.trials[-1]),
        }
    elif isinstance(model, SMILE):
        record |= {
            "n_cases": model.memory.n_cases,
            "alpha": model.alpha,
            "alpha_errors": model.alpha_errors,
            "cuts": _cuts(model),
        }
    elif isinstance(model, Rules):
        record |= {
            "n_cases": model.memory.n_cases,
            "n_levels": model.n_levels,
            "n_rules": len(model.rules),
            "cost": model.cost,
            "n_unexplained": model.n_unexplained,
            "rounds": [[one.n_examples, one.n_wrong] for one in model.rounds],
            "cuts": _cuts(model),
        }
    else:
        record |= {
            "n_cases": model.n_cases,
            "n_nodes": model.tree.n_nodes,
            "depth": model.tree.depth,
            "compression": model.compression,
        }
    record["classes"] = [
        {"label": label, "frequency": float(n)} for label, n in zip(schema.classes, preference.frequency)
    ]
    record["features"] = [
        {
            "name": feature.name,
            "kind": feature.kind,
            "n_values": None if feature.vocabulary is None or feature.kind == "ignored" else len(feature.vocabulary),
            "weight": weight,
        }
        for feature, weight in zip(schema.features, weights)
    ]
    return record
