"""From files to a model file: open the parts, run the stages, save the model."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casebase import methods
from casebase.base.method import Method
from casebase.base.model import Model
from casebase.base.parameters import plain_parameters
from casebase.base.settings import Settings
from casebase.data import Schema
from casebase.data.roles import Roles
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.formats.ids import IdsFile
from casebase.progress import Progress, note
from casebase.scale.fitting import Work, learn
from casebase.scale.identity import identity_for
from casebase.scale.lean import released
from casebase.scale.learners import check_learner
from casebase.scale.resources import Resources, opened
from casebase.scale.scratch import disk_errors, scratch_folder


@dataclass(frozen=True, eq=False)
class Trained:
    """What a training has made: the model, whose arrays were files and are not there any more, and its table."""

    size: str
    n_cases: int
    schema: Schema
    table: Table

    @property
    def n_features(self) -> int:
        return len(self.schema.features)

    @property
    def n_classes(self) -> int:
        return len(self.schema.classes)


def train(
    data: Any,
    output: str | os.PathLike[str],
    method: Method,
    settings: Settings,
    resources: Resources,
    *,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
    ids: str | None = None,
    held_out: float | None = None,
    estimator: Mapping[str, Any] | Callable[[Table], Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Trained:
    """Train a model on the parts of a table and save it; `options` are those of `read_table`.

    `ids` is a file with the ids of the cases, one per line; `held_out` the share of the cases that are kept apart.
    `estimator` has the parameters to save for an estimator, or makes them from the table's columns.
    """
    check_learner(method, settings)
    path = Path(output)
    if not path.parent.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {path.parent}.")
    beside = path.parent.resolve()  # workers of a cluster have other working folders
    with (
        disk_errors(beside / path.name),
        resources.engine() as engine,
        opened(data, options, resources, engine, beside) as parts,
    ):
        is_resumable = resources.scratch is not None
        ids_file = None if ids is None else IdsFile.opened(ids, parts.scratch)
        identity = identity_for(parts, method, settings, roles, ids_file, held_out) if is_resumable else {}
        with scratch_folder(path, resources.scratch, identity) as folder, disk_errors(folder):
            _, n_rows = parts.sizes
            work = Work(
                parts,
                folder,
                engine,
                progress,
                n_rows,
                has_records=is_resumable,
                memory=resources.memory,
                ids_file=ids_file,
                held_out=held_out,
            )
            with released(work.mapped, resources.memory // 16):
                model, calibration = learn(work, method, settings, roles)
                note(progress, "saving")
                trained = _trained(model, work)
                own = estimator(trained.table) if callable(estimator) else estimator
                parameters = plain_parameters(dict(own or {}))
                methods.save(path, model, parameters, calibration=calibration, copier=work.copier)
            return trained


def _trained(model: Model, work: Work) -> Trained:
    table = work.shape.table(work.first_part)
    return Trained(model.summary().size, work.n_cases, model.schema, table)
