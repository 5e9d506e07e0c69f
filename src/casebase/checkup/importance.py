"""Pivotal and redundant records: what each record does for the answers to the others."""

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.findings import Commands, Finding
from casebase.checkup.influence import Influence
from casebase.checkup.outliers import FENCE
from casebase.render.words import number

MANY = 3  # other records whose answers a pivotal record decides, at least, or its value is far out


def pivotal(distinct: Distinct, influence: Influence, values: np.ndarray, commands: Commands) -> list[Finding]:
    """Return the records that others depend on most: those that decide several answers, or whose value is far out."""
    low, high = np.quantile(np.repeat(values, distinct.count), [0.25, 0.75])
    is_far = values > high + FENCE * (high - low) + 1e-9
    found = []
    for kind in np.flatnonzero(is_far | (influence.n_decided >= MANY)).tolist():
        n, n_right = int(influence.n_decided[kind]), int(influence.n_decided_right[kind])
        answers = "no answer alone" if n == 0 else f"{'one answer' if n == 1 else f'{n} answers'} ({n_right} right)"
        value = float(values[kind])
        reason = f"decides {answers}; Shapley value {number(value)}"
        label = distinct.cases.schema.classes[distinct.labels[kind]]
        for record in distinct.ids(distinct.records(kind)):
            command = commands.look_at(record)
            found.append(Finding("pivotal", reason, command, record, label, score=value, value=n))
    return sorted(found, key=lambda one: -one.score)


def redundant(distinct: Distinct, removed: np.ndarray, values: np.ndarray, commands: Commands) -> list[Finding]:
    """Return the records that can be removed together; of equal records the last ones. The least valuable first."""
    found = []
    reason = (
        "every leave-one-out answer stays the same without it and the other redundant records, with the distances held"
    )
    for kind in np.flatnonzero(removed).tolist():
        label = distinct.cases.schema.classes[distinct.labels[kind]]
        for record in distinct.ids(distinct.records(kind)[-int(removed[kind]) :]):
            command = commands.remove([record])
            found.append(Finding("redundant", reason, command, record, label, score=-float(values[kind])))
    return sorted(found, key=lambda one: -one.score)
