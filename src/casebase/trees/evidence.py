"""The evidence of decision trees: the tests on the path to a leaf, and the sums of a perceptron there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence import Evidence, Step
from casebase.base.evidence.explanation import counts_from, fields_from_json, number_from
from casebase.base.evidence.records import tied_counts
from casebase.base.evidence.walks import classes_on, stopped_sentence
from casebase.render.blocks import Amounts, Path, PathStep, Section, Votes
from casebase.render.words import format_value, list_counts, number, percent, plural, printable, shorten


@dataclass(frozen=True)
class ReachedNode(Step):
    """A node that a case reached, or a `share` of the case if a missing value split it.

    The root has depth 0. `stopped` is the reason why the share ended at this node; it is empty for an inner node.
    """

    depth: int
    share: float
    stopped: str


@dataclass(frozen=True, kw_only=True)
class PathEvidence(Evidence):
    """The path to one leaf, or to several leaves that vote if a value is unknown.

    `path` lists the nodes depth-first, the greatest share first, on the way to the end nodes with the greatest shares.
    There are `n_endings` end nodes in all. `spread` names the features whose unknown values split the case.
    """

    kind: ClassVar[str] = "path"
    path: tuple[ReachedNode, ...]
    n_endings: int
    spread: tuple[str, ...]

    def support(self) -> str:
        if self.n_endings > 1:
            return f"{percent(self.distribution.get(self.label, 0.0))} of what {self.n_endings} leaves say"
        return self.support_in("record")

    def sentence(self) -> str:
        if self.n_endings > 1:
            return f"{self.support()}; {self.next_class(percent)}"
        return self.say_so("at the end of the path")

    def voting(self) -> Section:
        if self.n_endings > 1:
            return Section("Shares of the leaves", (Votes(self.votes, unit=""),), page_only=len(self.votes) < 3)
        # The last node of the path shows the same counts.
        return Section("Records at the end of the path", (Votes(self.votes, "Records"),), page_only=True)

    def how_decided(self) -> list[str]:
        if self.n_endings == 1:
            lines = [f"path: {plural(len(self.path) - 1, 'test')}; {stopped_sentence(self.path[-1].stopped)}"]
        else:
            names = [shorten(printable(name), 24) for name in self.spread[:6]]
            some = ", ".join([*names, "…"] if len(self.spread) > 6 else names)
            lines = [f"not known: {some}; every branch was taken, and {self.n_endings} leaves decided together"]
            shown = sum(bool(node.stopped) for node in self.path)
            if shown < self.n_endings:
                which = "the one" if shown == 1 else f"the {shown}"
                lines.append(f"the path leads to {which} with the greatest shares")
        return [*lines, *tied_counts(self.votes)]

    def parts(self) -> Sequence[Section]:
        steps = (
            PathStep(n.feature, n.value, n.default, n.counts, n.n_cases, n.depth, n.share, is_end=bool(n.stopped))
            for n in self.path
        )
        return [Section("Path", (Path(tuple(steps)),))]

    def classes(self) -> dict[Any, None]:
        return super().classes() | classes_on(self.path)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "path": tuple(ReachedNode.from_dict(node, classes) for node in record["path"]),
            "spread": tuple(record["spread"]),
        }


@dataclass(frozen=True)
class Contribution:
    """What a feature's value adds to the lead of the predicted class; a negative amount favours the rival."""

    feature: str
    value: Any
    amount: float

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the contribution from its JSON record."""
        return cls(**fields_from_json(record) | {"amount": number_from(record["amount"])})


@dataclass(frozen=True, kw_only=True)
class PerceptronEvidence(PathEvidence):
    """The path to a leaf and the decision of its perceptron; with empty `sums` the leaf has a class instead.

    `sums` has one number per class of the perceptron, and the greatest wins; `rival` is the runner-up. `bias` and the
    contributions add up to the lead: the sum of the predicted class, minus that of the rival if there are more than two
    classes. `contributions` lists the greatest of the `n_contributions` that are not 0.
    """

    kind: ClassVar[str] = "perceptron"
    sums: dict[Any, float]
    rival: Any
    bias: float
    contributions: tuple[Contribution, ...]
    n_contributions: int

    def support(self) -> str:
        if not self.sums:
            return super().support()
        return f"as a perceptron learnt from {plural(sum(self.votes.values()), 'record')} says"

    def sentence(self) -> str:
        if not self.sums:
            return super().sentence()
        who = f"a perceptron learnt from {plural(sum(self.votes.values()), 'record')}"
        return f"{who} says so; its lead over {shorten(format_value(self.rival), 24)} is {number(self._lead)}"

    @property
    def _lead(self) -> float:
        return self.sums[self.label] - (self.sums[self.rival] if len(self.sums) > 2 else 0.0)

    def how_decided(self) -> list[str]:
        if not self.sums:
            return super().how_decided()
        path = f"path: {plural(len(self.path) - 1, 'test')}, then a perceptron"
        return [
            f"{path}; sums: {list_counts(self.sums)}",
            f"of the lead, {number(self.bias)} does not depend on the values",
        ]

    def parts(self) -> Sequence[Section]:
        return [*super().parts(), *([self._additions()] if self.contributions else [])]

    def _additions(self) -> Section:
        n_more = self.n_contributions - len(self.contributions)
        amounts = Amounts(
            tuple(one.feature for one in self.contributions),
            tuple(one.value for one in self.contributions),
            tuple(one.amount for one in self.contributions),
            f"… and {plural(n_more, 'feature')} with less to say" if n_more > 0 else "",
        )
        return Section("What the values added", (amounts,))

    def classes(self) -> dict[Any, None]:
        return super().classes() | dict.fromkeys(self.sums)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        return super().fields_from(record, classes) | {
            "sums": counts_from(record["sums"], classes),
            "bias": number_from(record["bias"]),
            "contributions": tuple(map(Contribution.from_dict, record["contributions"])),
        }
