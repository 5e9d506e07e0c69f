"""The evidence of a walk down a tree or graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from casebase.base.evidence.explanation import counts_from, fields_from_json, number_from
from casebase.base.evidence.records import Evidence, tied_counts
from casebase.render.blocks import Path, PathStep, Section, Votes
from casebase.render.words import plural, printable, shorten


@dataclass(frozen=True)
class Step:
    """A node on the path down a tree: the branch to it, its default class and its class counts."""

    feature: str | None
    value: Any
    default: Any
    counts: dict[Any, float]
    n_cases: float

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> Self:
        """Return the node from a JSON record."""
        fields = {
            "counts": counts_from(record["counts"], classes),
            "n_cases": number_from(record["n_cases"]),
        }
        return cls(**fields_from_json(record) | fields)


def path_section(path: Sequence[Step]) -> Section:
    """Return the section for a path without forks."""
    last = len(path) - 1
    steps = (
        PathStep(step.feature, step.value, step.default, step.counts, step.n_cases, depth, is_end=depth == last)
        for depth, step in enumerate(path)
    )
    return Section("Path", (Path(tuple(steps)),))


def classes_on(path: Sequence[Step]) -> dict[Any, None]:
    """Return the classes that occur on a path, as the keys of a dictionary: an ordered set."""
    return dict.fromkeys(label for step in path for label in [*step.counts, step.default])


def stopped_sentence(why: str) -> str:
    """Return the clause that says why a walk ended.

    >>> stopped_sentence("leaf of one class"), stopped_sentence("all features matched")
    ('stopped at a leaf of one class', 'stopped: all features matched')
    """
    why = shorten(printable(why), 120)
    return f"stopped{' at a ' if why.startswith('leaf') else ': '}{why}"


@dataclass(frozen=True, kw_only=True)
class TreeEvidence(Evidence):
    """The evidence of an answer by the default of the last node on a path; `stopped` says why the walk ended."""

    kind: ClassVar[str] = "tree"
    path: tuple[Step, ...]
    stopped: str
    n_features_used: int

    def support(self) -> str:
        return self.support_in("record")

    def sentence(self) -> str:
        return self.say_so("at the end of the path")

    def voting(self) -> Section:
        # The last node of the path shows the same counts.
        return Section("Records at the end of the path", (Votes(self.votes, "Records"),), page_only=True)

    def how_decided(self) -> list[str]:
        matched = f"path: {self.n_features_used} of {plural(len(self.features), 'feature')} matched"
        return [f"{matched}; {stopped_sentence(self.stopped)}", *tied_counts(self.votes)]

    def parts(self) -> Sequence[Section]:
        return [path_section(self.path)]

    def classes(self) -> dict[Any, None]:
        return super().classes() | classes_on(self.path)

    @classmethod
    def fields_from(cls, record: Mapping[str, Any], classes: Mapping[str, Any]) -> dict[str, Any]:
        path = tuple(Step.from_dict(step, classes) for step in record["path"])
        return super().fields_from(record, classes) | {"path": path}
