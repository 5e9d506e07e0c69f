"""The stages of one training: who runs their tasks, where their files are, and how far they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from casebase.progress import Progress, note
from casebase.scale.engine import Engine, Stage

T = TypeVar("T")


@dataclass(frozen=True)
class Stages:
    """Runs stages in a folder, and reports the share of the whole that is done: `shares` are those of the stages.

    The shares of a training inside of another one are less than 100 together; `before` is what was done before it.
    """

    folder: Path
    engine: Engine
    shares: Mapping[str, float]
    progress: Progress | None = None
    has_records: bool = False
    before: float = 0.0

    def run(
        self, name: str, task: Callable[..., T], common: tuple[Any, ...], each: Sequence[tuple[Any, ...]]
    ) -> list[T]:
        """Run the tasks of a stage, and report how many are done."""
        note(self.progress, name)
        n_done = 0

        def done() -> None:
            nonlocal n_done
            n_done += 1
            if self.progress is not None:
                self.progress(*share_done(self.shares, name, n_done / len(each), self.before))

        return self.engine.run(Stage(name, task, common, each, self.folder, self.has_records), done)


def share_done(shares: Mapping[str, float], stage: str, done: float, before: float = 0.0) -> tuple[int, int]:
    """Return how much of the whole is done when a part of a stage is, which may have a number behind its name.

    >>> share_done({"reading": 10, "counting": 30}, "counting 2", 0.5)
    (25, 100)
    """
    for name, share in shares.items():
        if stage == name or stage.split()[0] == name:
            return round(before + share * done), 100
        before += share
    return round(before), 100
