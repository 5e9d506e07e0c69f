"""The evidence of a committee: the cases that carried the answer, the readings, and what each feature adds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from casebase.autopilot.inputs import Inputs, Stored
from casebase.base.evidence import Evidence
from casebase.base.evidence.cases import agreeing_cases, provenance
from casebase.base.evidence.deferred import Deferred
from casebase.base.evidence.explanation import counts_from, number_from, values_from
from casebase.base.quotes import stored_provenance, stored_values, unseen_values
from casebase.data import Cases
from casebase.render.blocks import Amounts, CaseTable, Column, Entry, Listing, Section, Votes
from casebase.render.words import format_value, largest, number, plural, shorten

if TYPE_CHECKING:
    from casebase.autopilot.committee import Committee

N_OTHERS = 16  # stored cases whose values replace a feature's value


@dataclass(frozen=True, kw_only=True)
class SharedCase:
    """A stored case and its share of the answer: the shares of all cases of a class sum to the share of the class."""

    id: Any
    values: tuple[Any, ...]
    label: Any
    weight: float
    share: float
    agrees: tuple[bool | None, ...]
    provenance: dict[str, str | None] = provenance()

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the case of a JSON record."""
        return cls(
            id=record["id"],
            values=values_from(record),
            label=record["label"],
            weight=number_from(record["weight"]),
            share=number_from(record["share"]),
            agrees=tuple(record["agrees"]),
            provenance=record.get("provenance", {}),
        )


@dataclass(frozen=True, kw_only=True)
class ReadingVote:
    """A reading: its share of the exponents, the class it answers alone, and its shares of the classes."""

    name: str
    weight: float
    label: Any
    votes: dict[Any, float]


@dataclass(frozen=True, kw_only=True)
class CommitteeEvidence(Evidence):
    """The cases for the answer and against it that carried most, how the readings voted, and what features add.

    `amounts` has for each feature the fall in the answer's log-odds, in bits, when the values of other stored cases
    take the place of its value.
    """

    kind: ClassVar[str] = "shares"
    readings: tuple[ReadingVote, ...]
    n_cases: int
    cases: Deferred[tuple[SharedCase, ...]] = Deferred()
    amounts: Deferred[tuple[float, ...]] = Deferred()

    def support(self) -> str:
        return f"p = {self.votes.get(self.label, 0.0):.3f}"

    def sentence(self) -> str:
        others = {label: share for label, share in self.votes.items() if label != self.label}
        if not others:
            return f"{self.support()}, the only class"
        label, share = largest(others)[0]
        rival = f"the next class ({shorten(format_value(label), 24)}) has p = {share:.3f}"
        return f"{self.support()} from {plural(self.n_cases, 'record')}; {rival}"

    def voting(self) -> Section:
        return Section("Probabilities", (Votes(self.votes, unit=""),), page_only=len(self.votes) < 3)

    def how_decided(self) -> list[str]:
        if not self.readings:
            return ["the class frequencies decided: there is nothing to choose between"]
        agree = sum(reading.label == self.label for reading in self.readings)
        if len(self.readings) == 1:
            return []
        return [f"{agree} of {plural(len(self.readings), 'member')} of the committee predict the same alone"]

    def parts(self) -> Sequence[Section]:
        parts = []
        shown = [(name, value, bits) for name, value, bits in zip(self.features, self.values, self.amounts) if bits]
        if shown:
            shown.sort(key=lambda one: -abs(one[2]))
            names, values, bits = zip(*shown[:10])
            note = "bits of log-odds that the prediction loses with the values of other records in place of each value"
            parts.append(Section("Features", (Amounts(names, values, bits, note),)))
        if len(self.readings) > 1:
            parts.append(Section("Members of the committee", (self._readings(),)))
        for title, cases in (("Records for it", self._cases(True)), ("Records against it", self._cases(False))):
            if cases:
                parts.append(Section(title, (self._table(cases),)))
        return parts

    def _cases(self, for_it: bool) -> list[SharedCase]:
        return [case for case in self.cases if (case.label == self.label) == for_it]

    def _readings(self) -> Listing:
        entries = (
            Entry(f"{one.name} (weight {one.weight:.0%}): {format_value(one.label)}, p = {share:.3f}")
            for one, share in ((one, one.votes.get(one.label, 0.0)) for one in self.readings)
        )
        return Listing(tuple(entries), "members of the committee:")

    def _table(self, cases: list[SharedCase]) -> CaseTable:
        shares = tuple(case.share for case in cases)
        together, answer = sum(shares), self.votes.get(self.label, 0.0)
        is_for = cases[0].label == self.label
        whole, towards = (answer, "for it") if is_for else (1.0 - answer, "against it")
        listed = f"{len(cases)} of {plural(self.n_cases, 'record')}"
        return agreeing_cases(
            self,
            cases,
            [Column("share", shares, is_number=True, greatest=max(case.share for case in self.cases))],
            f"{listed}, with {number(together)} of the {number(whole)} {towards}",
        )

    def classes(self) -> dict[Any, None]:
        return super().classes() | dict.fromkeys(label for reading in self.readings for label in reading.votes)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "cases": tuple(map(SharedCase.from_dict, record["cases"])),
            "amounts": tuple(map(number_from, record["amounts"])),
            "readings": tuple(
                ReadingVote(
                    name=one["name"],
                    weight=number_from(one["weight"]),
                    label=one["label"],
                    votes=counts_from(one["votes"], classes),
                )
                for one in record["readings"]
            ),
        }


def case_shares(model: "Committee", asked: Inputs) -> np.ndarray:
    """Return the share of each row of the memory in the answer to one query.

    The share of a class is divided among the readings by their exponents, and within a reading among the cases of the
    class by what they add to it. So the shares of the cases of a class sum to the share of the class.
    """
    stored, rows = model._stored
    shares = model.shares(asked)[0]
    n_rows = model.memory.n_rows
    if not model.readings:
        parts = stored.case_weights / stored.case_weights.sum()
    else:
        weights = _reading_weights(model)
        parts = np.zeros(stored.n_cases)
        for weight, reading in zip(weights, model.readings.values()):
            support = reading.support(asked, stored)
            parts += weight * _within_class(support, stored)
        parts *= shares[stored.labels]
    return np.bincount(rows, parts, minlength=n_rows)


def _within_class(support: np.ndarray, stored: Stored) -> np.ndarray:
    """Return each case's part of its class; all cases of a class count equally if none of them has support."""
    total = stored.of_class(support)
    equal = stored.case_weights / stored.of_class(stored.case_weights)[stored.labels]
    of_class = total[stored.labels]
    return np.asarray(np.divide(support, of_class, out=equal, where=of_class > 0))


def _reading_weights(model: "Committee") -> np.ndarray:
    exponents = model.pool.exponents
    total = exponents.sum()
    return exponents / total if total > 0 else np.full(len(exponents), 1 / len(exponents))


def evidence_for(model: "Committee", case: Cases, limit: int) -> CommitteeEvidence:
    """Return the evidence for the answer to one case; cases and features are written out when they are read."""
    schema = model.schema
    asked = model.features.inputs(case)
    answer = model.answer(case)
    label = int(answer.label[0])
    given = tuple(case.values(0))
    votes = []
    if model.readings:
        for weight, (name, reading) in zip(_reading_weights(model), model.readings.items()):
            shares = reading.shares(asked)[0]
            best = int(np.where(shares == shares.max(), model.place, len(shares)).argmin())
            votes.append(
                ReadingVote(
                    name=name,
                    weight=float(weight),
                    label=schema.classes[best],
                    votes={c: float(share) for c, share in zip(schema.classes, shares) if share > 0},
                )
            )
    return CommitteeEvidence(
        features=schema.names,
        values=given,
        unseen=unseen_values(case, given),
        label=schema.classes[label],
        votes={schema.classes[c]: n for c, n in answer.votes_of(0).items()},
        weights=(),
        target=schema.target,
        readings=tuple(votes),
        n_cases=model.memory.n_cases,
        cases=lambda: _listed(model, asked, label, limit),
        amounts=lambda: _amounts(model, asked, label),
    )


def _listed(model: "Committee", asked: Inputs, label: int, limit: int) -> tuple[SharedCase, ...]:
    """Return the cases with the largest shares: first those of the answer, then the others."""
    memory, schema = model.memory, model.schema
    shares = case_shares(model, asked)
    labels = memory.segments[0].labels
    is_for = labels == label
    chosen: list[int] = []
    for of_answer in (True, False):
        rows = np.flatnonzero((is_for == of_answer) & (shares > 0))
        # Equal shares in the order given.
        order = np.lexsort([memory.given(rows), -np.round(shares[rows], 12)])
        chosen += rows[order[: max(limit - limit // 2, 1) if of_answer else limit // 2]].tolist()
    rows = np.array(chosen, dtype=np.int64)
    ids, counts = memory.ids(rows).tolist(), memory.counts(rows)
    values, kept = stored_values(schema, memory, rows), stored_provenance(schema, memory, rows)
    numbers = {position: asked.numbers[i, 0] for i, position in enumerate(model.features.numeric)}
    codes = {position: asked.codes[i, 0] for i, position in enumerate(model.features.symbolic)}
    found = []
    for i, row in enumerate(chosen):
        agrees: list[bool | None] = [None] * len(schema.features)
        for rank, position in enumerate(memory.order.tolist()):
            value = memory.segments[0].columns[rank][row]
            if position in numbers:
                agrees[position] = bool(value == numbers[position] or (value != value) & np.isnan(numbers[position]))
            else:
                agrees[position] = bool(value == codes[position])
        found.append(
            SharedCase(
                id=ids[i],
                values=values[i],
                label=schema.classes[labels[row]],
                weight=1.0 if counts is None else float(counts[i]),
                share=float(shares[row]),
                agrees=tuple(agrees),
                provenance=kept[i],
            )
        )
    return tuple(found)


def _amounts(model: "Committee", asked: Inputs, label: int) -> tuple[float, ...]:
    """Return for each feature how much the answer loses, in bits of log-odds, with the values of other cases."""
    amounts = [0.0] * len(model.schema.features)
    if len(model.schema.classes) < 2 or not model.readings:
        return tuple(amounts)
    stored = model.stored
    others = np.unique(np.linspace(0, stored.n_cases - 1, N_OTHERS).astype(np.int64))
    positions, n = model.features.positions, len(others)
    numbers = np.repeat(asked.numbers, n * len(positions), axis=1)
    codes = np.repeat(asked.codes, n * len(positions), axis=1)
    for i in range(len(positions)):
        here = slice(i * n, (i + 1) * n)
        if i < asked.n_numbers:
            numbers[i, here] = stored.inputs.numbers[i, others]
        else:
            codes[i - asked.n_numbers, here] = stored.inputs.codes[i - asked.n_numbers, others]
    before = _log_odds(model.shares(asked)[:, label])[0]
    after = _log_odds(model.shares(Inputs(numbers, codes, asked.n_codes))[:, label]).reshape(-1, n).mean(axis=1)
    for position, odds in zip(positions, after.tolist()):
        amounts[position] = round(float(before - odds), 2)
    return tuple(amounts)


def _log_odds(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 1e-9, 1 - 1e-9)
    odds: np.ndarray = np.log2(share / (1 - share))
    return odds
