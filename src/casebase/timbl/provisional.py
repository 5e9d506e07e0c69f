"""Stand-in for what answers will carry: distance, tie, depth. To be removed when learners give them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from casebase.learners import IB1, TRIBL, IGTree, neighbours
from casebase.learners.answers import Answers


@dataclass(frozen=True, eq=False)
class Fuller(Answers):
    distance: np.ndarray = None  # type: ignore[assignment]
    was_tied: np.ndarray = None  # type: ignore[assignment]
    depth: np.ndarray = None  # type: ignore[assignment]
    at_leaf: np.ndarray = None  # type: ignore[assignment]


def fuller(model: Any, cases: Any, answers: Answers) -> Answers:
    if hasattr(answers, "distance"):
        return answers
    n = cases.n_cases
    if isinstance(model, IB1):
        k = model.voting.k
        found = neighbours.nearest(model.memory, model.questions(cases), k, exact_first=k == 1, missing_agrees=True)
        _, tied = neighbours.count_votes(model.memory, found, model.voting)
        first = np.concatenate([[0], np.cumsum(found.n_groups)])[:-1].astype(int)
        distance, depth, leaf = found.distance[first], np.full(n, len(model.memory.order)), np.ones(n, bool)
    elif isinstance(model, IGTree):
        nodes, depth = model.walk(cases)
        leaf = model.tree.first_child[nodes] == model.tree.first_child[nodes + 1]
        weights = model.weights[model.order]
        rest = np.array([sum(weights[d:], 0.0) for d in range(len(weights) + 1)])
        distance = rest[depth]
        root = sorted(model.tree.counts(0).values())
        tied = (depth == 0) & (len(root) > 1 and root[-1] == root[-2])
        leaf &= depth > 0
    else:
        assert isinstance(model, TRIBL)
        distance, tied, depth, leaf = np.zeros(n), np.zeros(n, bool), np.zeros(n, int), np.ones(n, bool)
    return Fuller(answers.label, answers.first_vote, answers.vote_label, answers.votes, distance, tied, depth, leaf)


def deciding(model: Any, cases: Any) -> Any:
    if hasattr(model, "deciding"):
        return model.deciding(cases)
    k = model.voting.k
    asked = model.questions(cases)
    parts = []
    for i in range(cases.n_cases):
        one = asked.part(np.array([i]))
        found = neighbours.nearest(model.memory, one, k, exact_first=False, missing_agrees=True)
        _, tied = neighbours.count_votes(model.memory, found, model.voting)
        if tied[0]:
            found = neighbours.nearest(model.memory, one, k + 1, exact_first=False, missing_agrees=True)
        parts.append(found)
    names = ("distance", "n_rows", "n_groups", "rows", "is_exact")
    return neighbours.Neighbours(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))


def provisional_leave_one_out(answers: Any, cases: Any) -> Any:
    n = cases.n_cases
    return Fuller(
        answers.label,
        answers.first_vote,
        answers.vote_label,
        answers.votes,
        np.ones(n),
        np.zeros(n, bool),
        np.full(n, len(cases.columns)),
        np.ones(n, bool),
    )
