"""Contradictions and duplicates: records that agree on all features in use."""

import numpy as np

from casebase.base.model import format_count
from casebase.checkup.distinct import Distinct
from casebase.checkup.findings import Commands, Finding, listed
from casebase.render.words import format_value


def ceiling(distinct: Distinct) -> float:
    """Return the highest accuracy that any function of the features can have on these records.

    Of equal records only those of one class can be right: it is Σ (largest class count of a row) / N.
    """
    best = np.zeros(int(distinct.row.max()) + 1)
    np.maximum.at(best, distinct.row, distinct.count)
    return float(best.sum() / distinct.cases.n_cases)


def contradictions(distinct: Distinct, commands: Commands) -> list[Finding]:
    """Return the records that equal others of another, at least as frequent class; most contradicted first."""
    cases = distinct.cases
    found = []
    for kinds in distinct.contradicting():
        counts = distinct.count[kinds]
        most, n_all = counts.max(), int(counts.sum())
        best = kinds[counts == most]
        majority = cases.schema.classes[distinct.labels[best[0]]] if len(best) == 1 else None
        n_named = format_count(n_all, "record")
        for kind in kinds.tolist():
            if majority is not None and kind == best[0]:
                continue
            label = cases.schema.classes[distinct.labels[kind]]
            others = np.sort(np.concatenate([distinct.records(k) for k in kinds.tolist() if k != kind]))
            shown = distinct.ids(others)
            counted = ", ".join(
                f"{format_value(cases.schema.classes[distinct.labels[k]])} {distinct.count[k]}" for k in kinds.tolist()
            )
            reason = f"one of {n_named} that agree on all features: {counted}; the others are {listed(shown)}"
            for record in distinct.ids(distinct.records(kind)):
                if majority is None:
                    command = commands.remove([record])
                else:
                    command = commands.relabel(record, majority, f"equals {listed(shown, 3)}")
                share = 1 - distinct.count[kind] / n_all
                found.append(Finding("contradiction", reason, command, record, label, majority, shown, float(share)))
    return sorted(found, key=lambda one: -one.score)


def duplicates(distinct: Distinct, commands: Commands) -> list[Finding]:
    """Return the records with copies: one finding for each set of equal records of one class, largest set first."""
    cases, found = distinct.cases, []
    for kind in np.flatnonzero(distinct.count > 1).tolist():
        first, *copies = distinct.ids(distinct.records(kind))
        label = cases.schema.classes[distinct.labels[kind]]
        n_copies = "a copy" if len(copies) == 1 else f"{len(copies)} copies"
        reason = f"has {n_copies}, equal in all features and in the class: {listed(copies)}"
        found.append(
            Finding("duplicate", reason, commands.remove(copies), first, label, None, tuple(copies), float(len(copies)))
        )
    return sorted(found, key=lambda one: -one.score)
