"""Why an answer was given: records that every learner fills, and their text and HTML."""

from casebase.base.evidence import lattice
from casebase.base.evidence.html import render_fragment, render_html
from casebase.base.evidence.records import (
    AbstractCase,
    AbstractEvidence,
    AskedRule,
    Contribution,
    CoveredCase,
    Evidence,
    Neighbour,
    NeighbourEvidence,
    PathEvidence,
    PerceptronEvidence,
    Pool,
    PooledCase,
    ReachedNode,
    RuleEvidence,
    SmileEvidence,
    Step,
    TreeEvidence,
    Unseen,
    evidence_from_dict,
)
from casebase.base.evidence.text import render_text

__all__ = [
    "AbstractCase",
    "AbstractEvidence",
    "AskedRule",
    "Contribution",
    "CoveredCase",
    "Evidence",
    "Neighbour",
    "NeighbourEvidence",
    "PathEvidence",
    "PerceptronEvidence",
    "Pool",
    "PooledCase",
    "ReachedNode",
    "RuleEvidence",
    "SmileEvidence",
    "Step",
    "TreeEvidence",
    "Unseen",
    "evidence_from_dict",
    "render_html",
    "render_text",
]

# The records know nothing of how they are shown, so the two ways to show one are given to them here:
# `print(evidence)`, and the last line of a notebook cell.
Evidence.__str__ = render_text  # type: ignore[method-assign, assignment]
Evidence._repr_html_ = render_fragment  # type: ignore[attr-defined]
SmileEvidence.plot = lattice.plot  # type: ignore[attr-defined]
