"""Probably mislabelled records: the other records prefer another class, and the nearest of them say which."""

from collections.abc import Mapping, Sequence

import numpy as np

from casebase.checkup.distinct import Distinct
from casebase.checkup.findings import Commands, Finding, listed
from casebase.checkup.held_out import HeldOut, Ranks
from casebase.checkup.suspicion import Opinions
from casebase.render.words import format_value, percent

N_NEAREST = 5  # nearest others that a reason counts; all at the last distance are counted
N_NAMED = 3  # of them, by their ids
MOST_SHOWN = 10  # others that disagree, listed per finding


def mislabelled(
    distinct: Distinct, opinions: Opinions, nearest: Mapping[int, "Nearest"], commands: Commands
) -> list[Finding]:
    """Return the records whose class is less likely than another, the least likely first.

    `nearest` has the nearest others of their kinds.
    """
    classes = distinct.cases.schema.classes
    labels = distinct.cases.known_labels
    found = []
    for record in suspects(opinions).tolist():
        label, suggested = classes[labels[record]], classes[opinions.other_label[record]]
        parts = [
            f"the others make {format_value(suggested)} {percent(float(opinions.other[record]))} likely, "
            f"{format_value(label)} {percent(float(opinions.own[record]))}"
        ]
        near = nearest.get(int(distinct.which[record]))
        against: tuple[int | str, ...] = ()
        if near is not None:
            kinds = near.kinds(int(opinions.other_label[record]))
            members = np.concatenate([distinct.records(kind) for kind in kinds[:MOST_SHOWN]] or [np.empty(0, np.int64)])
            against = distinct.ids(members[:MOST_SHOWN])
            n_so = near.n_of(int(opinions.other_label[record]))
            parts.append(f"{n_so} of the {near.n_others} nearest are {format_value(suggested)}")
            if against:
                parts[-1] += f": {', '.join(map(str, against[:N_NAMED]))}" + (", …" if n_so > N_NAMED else "")
        own_id = distinct.ids([record])[0]
        note = f"like {listed(against[:N_NAMED])}" if against else "the others differ"
        found.append(
            Finding(
                "mislabelled",
                "; ".join(parts),
                commands.relabel(own_id, suggested, note),
                own_id,
                label,
                suggested,
                against,
                float(opinions.score[record]),
            )
        )
    return found


def suspects(opinions: Opinions) -> np.ndarray:
    """Return the records that others contradict, most contradicted first."""
    order = np.argsort(-opinions.score, kind="stable")
    contradicted: np.ndarray = order[opinions.score[order] > 0]
    return contradicted


class Nearest:
    """The nearest others of a kind of record: their kinds, classes and numbers."""

    def __init__(self, kinds: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> None:
        self._kinds, self._labels, self._counts = kinds, labels, counts

    @property
    def n_others(self) -> int:
        return int(self._counts.sum())

    def n_of(self, label: int) -> int:
        return int(self._counts[self._labels == label].sum())

    def kinds(self, label: int) -> Sequence[int]:
        """Return the kinds of a class, nearest first."""
        kinds: list[int] = self._kinds[self._labels == label].tolist()
        return kinds


def nearest_others(held_out: HeldOut, ranks: Ranks, wanted: np.ndarray) -> dict[int, Nearest]:
    """Return the nearest others of those asked kinds that are wanted (a truth value per kind)."""
    found = {}
    is_near = ranks.reached - ranks.size < N_NEAREST
    first_entry = np.searchsorted(ranks.group, ranks.first_group)
    for place in np.flatnonzero(wanted[ranks.asked]).tolist():
        entries = np.arange(first_entry[place], first_entry[place + 1])
        entries = entries[is_near[ranks.group[entries]]]
        kinds = ranks.kind[entries]
        found[int(ranks.asked[place])] = Nearest(kinds, held_out.labels[kinds], ranks.count[entries])
    return found
