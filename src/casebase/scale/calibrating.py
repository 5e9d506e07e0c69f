"""Calibration by tasks: the held-out questions are answered by whoever runs the tasks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import Calibration
from casebase.base.model import Model
from casebase.confidence import scores_apart
from casebase.data import Cases, Schema
from casebase.neighbours import class_distances, ib1
from casebase.neighbours.ib1 import IB1
from casebase.scale.apart import Apart
from casebase.scale.coding import cases_apart
from casebase.scale.lean import give_back
from casebase.scale.reading import Kept, Shape
from casebase.scale.stored import blocks

RunStage = Callable[..., Any]  # runs the tasks of a stage
AT_ONCE = 100_000  # cases that are answered at a time
FEW = 32  # stored cases that are asked at a time: each may touch megabytes of a large memory


@dataclass(frozen=True, eq=False)
class AskedByTasks(IB1):
    """A memory of symbols whose held-out cases are questions of tasks, `n_tasks` of them at a time."""

    run: RunStage | None = None
    n_tasks: int = 1

    def held_out_answers(self, cases: Cases, rows: np.ndarray, *, n_jobs: int = 1) -> Answers:
        """Return the answers to some of the cases that the model has learned from, each from all the others."""
        return Answers.concat(self._asked("calibrating", left_out_answers, self.memory.places(rows)))

    def left_out_scores(self, *, n_jobs: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Return how badly stored cases fit their own classes, each left out of the memory, and these classes."""
        found = self._asked("scoring", left_out_scores, class_distances.left_out_rows(self.memory))
        scores, labels = (np.concatenate(each) for each in zip(*found))
        return scores, labels

    def _asked(self, stage: str, task: Callable[..., Any], rows: np.ndarray) -> list[Any]:
        assert self.run is not None
        plain = IB1(**{one.name: getattr(self, one.name) for one in fields(IB1)})
        pieces = [(piece,) for piece in np.array_split(rows, self.n_tasks) if len(piece)]
        found: list[Any] = self.run(stage, task, (plain,), pieces)
        return found


def asked_by_tasks(model: Model, run: RunStage, n_tasks: int) -> Model:
    """Return a model whose held-out questions are tasks, or the model itself.

    The weight of a feature of numbers without a case needs all numbers, and so does each task.
    """
    if not isinstance(model, IB1) or any(feature.kind == "numeric" for feature in model.schema.features):
        return model
    return AskedByTasks(**{one.name: getattr(model, one.name) for one in fields(IB1)}, run=run, n_tasks=n_tasks)


def left_out_answers(model: IB1, rows: np.ndarray) -> Answers:
    """Answer some stored cases, by their rows in the memory, each from all the others."""
    cases = ib1.sorted_cases(model)
    return Answers.concat([ib1.held_out_answers(model, cases, few, are_sorted=True) for few in _few_at_a_time(rows)])


def left_out_scores(model: IB1, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how badly some stored cases fit their classes, and these classes."""
    found = [class_distances.scores_left_out(model.nearby, few) for few in _few_at_a_time(rows)]
    scores, labels = (np.concatenate(each) for each in zip(*found))
    return scores, labels


def _few_at_a_time(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield some rows after the other; the pages that their questions touched are given back in between."""
    for few in blocks(len(rows), FEW):
        yield rows[few]
        give_back()


def score_apart(
    shape: Shape, schema: Schema, apart: Apart, model: Model, calibration: Calibration, kept: Kept, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how badly the cases of a part that are kept apart fit their classes, and these classes."""
    cases = cases_apart(shape, schema, apart, kept, first)
    scores = [np.empty(0)]
    for rows in blocks(cases.n_cases, AT_ONCE):
        block = cases.take(np.arange(rows.start, rows.stop))
        scores.append(scores_apart(model, calibration, model.schema.recode(block), block.known_labels))
    return np.concatenate(scores), cases.known_labels
