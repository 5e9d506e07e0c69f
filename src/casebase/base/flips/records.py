"""The result of a search for the smallest flip."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from casebase.base.evidence.explanation import (
    Explanation,
    check_whole,
    fields_from_json,
    number_from,
    plain,
    values_from,
)
from casebase.base.evidence.records import without_itself
from casebase.data.columns import spelling
from casebase.render.blocks import Entry, Headline, Listing, Query, Section, Sentences
from casebase.render.words import format_value, plural, printable, shorten

N_RECORDS = 5  # stored cases that are named in a sentence


@dataclass(frozen=True)
class Change:
    """A feature, the value that the query has, and the value that it would need."""

    feature: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Removal:
    """Stored cases without which the prediction is another one; `ids` is empty if none were found.

    No set of up to `proved` cases does the same. Weights, value differences and the preference between classes are
    those of the model: nothing is learned again.
    """

    ids: tuple[Any, ...]
    label: Any
    proved: int

    @property
    def is_fewest(self) -> bool:
        """Whether no smaller set exists."""
        return bool(self.ids) and len(self.ids) == self.proved + 1


@dataclass(frozen=True, kw_only=True)
class Flip(Explanation):
    """The fewest changes of a query after which the prediction is another one, or the wanted one.

    `values` are those of the query by column, `label` is its prediction, and `new_label` the prediction after the
    `changes`; None if there is no flip within `limit` changes, or none was found. No flip has `proved` changes or
    fewer. `is_cheapest` says that no flip with as many changes costs less. `records` are the ids of some stored cases
    that decide for the new class, where neighbours decide. `removal` has the stored cases without which the
    prediction changes; None for models that keep no cases to vote. A stored case that was `left_out` has no part in the
    prediction.

    >>> flip = Flip(features=("f", "g"), values=("a", "x"), label="P", wanted=None, new_label="Q", cost=0.5,
    ...             changes=(Change("f", "a", "b"),), limit=3, proved=0, is_cheapest=True, n_tried=2)
    >>> print(flip)
    P → Q, with 1 change
      query: f = a, g = x
      f: a → b
      no flip has fewer changes (proved)
    >>> Flip.from_dict(flip.to_dict()) == flip
    True
    """

    kind: ClassVar[str] = "flip"
    features: tuple[str, ...]
    values: tuple[Any, ...]
    label: Any
    wanted: Any
    new_label: Any
    changes: tuple[Change, ...]
    cost: float
    limit: int
    proved: int
    is_cheapest: bool
    n_tried: int
    frozen: tuple[str, ...] = ()
    records: tuple[Any, ...] = ()
    removal: Removal | None = None
    left_out: Any = None  # the id of the stored case that was asked and did not take part in the answer

    @property
    def n_changes(self) -> int:
        return len(self.changes)

    @property
    def is_found(self) -> bool:
        """Whether some changes give another prediction, or the wanted one."""
        return bool(self.changes)

    @property
    def is_fewest(self) -> bool:
        """Whether it is proved that no flip has fewer changes."""
        return self.is_found and self.n_changes == self.proved + 1

    @property
    def is_wanted_already(self) -> bool:
        """Whether the wanted class is predicted without a change."""
        return self.wanted is not None and self.wanted == self.label

    def headline(self) -> Headline:
        """Return both predictions and the number of changes: "P → Q, with 1 change"."""
        label = format_value(self.label)
        if self.is_found:
            return Headline(f"{label} → {format_value(self.new_label)}", f"with {plural(self.n_changes, 'change')}")
        if self.is_wanted_already:
            return Headline(label, "predicted already: no change is needed")
        wanted = f" to {format_value(self.wanted)}" if self.wanted is not None else ""
        found = "" if self.proved >= self.limit else " found"
        detail = f"no flip{wanted}{found} within {plural(self.limit, 'change')}"
        return Headline(label, detail, wording=f"{label}: {detail}")  # "no, no flip" would be hard to read

    def sections(self) -> tuple[Section, ...]:
        """Return the query, the changes, what is proved, and the records whose removal would do the same."""
        entries = tuple(
            Entry(f"{printable(one.feature)}: {quoted(one.old)} → {quoted(one.new)}") for one in self.changes
        )
        sentences = [*self._proof(), *self._behind(), *self._removed(), *without_itself(self.left_out)]
        return (
            Section("Query", (Query(self.features, self.values),)),
            *([Section("", (Listing(entries),))] if entries else []),
            *([Section("", (Sentences(tuple(sentences)),))] if sentences else []),
        )

    def _proof(self) -> list[str]:
        if self.is_wanted_already:
            return []
        if len(self.frozen) and set(self.frozen) >= set(self.features):
            return ["every feature is frozen"]
        if self.is_fewest:
            return ["no flip has fewer changes (proved)"]
        if self.proved >= self.limit:
            return ["proved: every combination of so many changes was tried or ruled out"]
        bound = f"no flip has {plural(self.proved, 'change')} or fewer (proved)" if self.proved else "nothing is proved"
        return [f"{'best found' if self.is_found else 'not all were tried'}: {bound}"]

    def _behind(self) -> list[str]:
        if not self.records:
            return []
        return [f"it would then be decided by {_named(self.records)}"]

    def _removed(self) -> list[str]:
        removal = self.removal
        if removal is None or self.is_wanted_already:
            return []
        if not removal.ids:
            return [f"no removal of up to {plural(removal.proved, 'record')} changes it"] if removal.proved else []
        if removal.is_fewest:
            proof = "no smaller set does (proved)"
        else:
            bound = f"none of up to {plural(removal.proved, 'record')} does" if removal.proved else "nothing is proved"
            proof = f"best found, {bound}"
        return [f"without {_named(removal.ids)} it would be {quoted(removal.label)}: {proof}"]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as nested dictionaries and lists that JSON can represent."""
        return {"kind": self.kind, **plain(self)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` converted, also after a round trip through JSON."""
        names = [field.name for field in fields(cls)]
        check_whole(record, names)
        removal = record["removal"]
        return cls(
            **{name: record[name] for name in names}
            | {
                "features": tuple(record["features"]),
                "values": values_from(record),
                "frozen": tuple(record["frozen"]),
                "records": tuple(record["records"]),
                "cost": number_from(record["cost"]),
                "changes": tuple(Change(**fields_from_json(one)) for one in record["changes"]),
                "removal": None if removal is None else Removal(**removal | {"ids": tuple(removal["ids"])}),
            }
        )


def quoted(value: Any) -> str:
    """Return a value as text, numbers with all their digits.

    >>> quoted(12345.67), quoted(None)
    ('12345.67', '?missing')
    """
    return shorten(format_value(spelling(value) if isinstance(value, float) else value), 60)


def _named(ids: tuple[Any, ...]) -> str:
    some = ", ".join(quoted(one) for one in ids[:N_RECORDS])
    more = f" and {len(ids) - N_RECORDS} more" if len(ids) > N_RECORDS else ""
    return f"record{'' if len(ids) == 1 else 's'} {some}{more}"
