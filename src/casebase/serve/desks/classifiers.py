"""A classifier at a desk: its stored cases are inserted, updated and removed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casebase import methods
from casebase.base.calibration import NO_CLASS, Calibration
from casebase.base.log import Entry, Id
from casebase.base.parameters import parameters_for
from casebase.confidence import calibrate
from casebase.data import Schema, Table
from casebase.data.columns import spelling, text_column
from casebase.data.labels import labels_for
from casebase.data.tables import records_table
from casebase.errors import CasebaseError, ReadOnlyError
from casebase.memory.fingerprints import hexadecimal
from casebase.memory.lookup import are_numbers
from casebase.neighbours import correction, logged_correction
from casebase.neighbours.correctable import Correctable
from casebase.serve.desks.contents import ContentKind, with_edit
from casebase.serve.desks.edits import Edit, Kind
from casebase.serve.desks.free_ids import free_ids


@dataclass(frozen=True, eq=False)
class ModelContent:
    """A classifier; the version of one that cannot be corrected is the checksum of its file.

    If it `has_removed` cases since it was calibrated, the scores of single cases in its calibration may be theirs.
    """

    saved: methods.Saved
    checksum: str
    has_removed: bool = False
    kind: ClassVar[ContentKind] = "model"

    @property
    def log(self) -> tuple[Entry, ...]:
        return self.saved.log

    @property
    def is_calibrated(self) -> bool:
        return not self.saved.has_old_calibration

    @cached_property
    def is_correctable(self) -> bool:
        try:
            correction.correctable(self.saved.model).store()
        except CasebaseError:
            return False
        return True

    @cached_property
    def version(self) -> str:
        return hexadecimal(correction.fingerprint(self._model)) if self.is_correctable else self.checksum

    @property
    def _model(self) -> Correctable:
        try:
            model = correction.correctable(self.saved.model)
            model.store()
        except CasebaseError as error:
            raise ReadOnlyError(str(error)) from error
        return model

    def prepare(self, edit: Edit) -> Edit:
        if edit.kind != "insert":
            return edit
        rows, ids, store = edit.content["rows"], edit.ids, self._model.store()
        table = _table(self._model.schema, rows)
        if ids is None and not are_numbers(store.memory) and store.schema.column_ids(table, are_stored=True) is None:
            ids = tuple(free_ids(store.memory, len(rows), [case for entry in self.log for case in entry.ids]))
        new = correction.new_ids(store, table, ids, len(rows))
        return edit.with_ids(new.tolist())

    def apply(self, edit: Edit) -> "ModelContent":
        model, log, content = self._model, self.log, edit.content
        corrected: Correctable
        if edit.kind == "insert":
            table = _table(model.schema, content["rows"])
            labels = _labels(model.schema, content["labels"])
            corrected, log = logged_correction.insert(
                model, log, table, labels, ids=list(edit.ids or ()), author=edit.author
            )
        elif edit.kind == "update":
            ids = list(edit.ids or ())
            revised = logged_correction.revision(model, ids, _texts(content["changes"]))
            kept = {"weights": revised.weights, "exemplars": revised.exemplars}
            corrected, log = logged_correction.update(
                model, log, ids, revised.table, revised.labels, **kept, author=edit.author
            )
        elif edit.kind == "remove":
            corrected, log, _ = logged_correction.remove(model, log, list(edit.ids or ()), author=edit.author)
        else:
            raise CasebaseError(f"This is a classifier: it takes insertions, updates and removals, not {edit.kind!r}.")
        saved = replace(
            self.saved,
            model=corrected,
            estimator=parameters_for(self.saved.estimator, corrected.schema.classes),
            log=with_edit(log, edit),
            calibration=_carried(self.saved.calibration, model.schema.classes, corrected.schema.classes),
            has_old_calibration=self.saved.calibration is not None,
        )
        return ModelContent(saved, self.checksum, self.has_removed or edit.kind == "remove")

    def recalibrate(self) -> "ModelContent":
        if self.is_calibrated:
            return self
        calibration = calibrate(self.saved.model)
        saved = replace(self.saved, calibration=calibration, has_old_calibration=False)
        return ModelContent(saved, self.checksum)

    def inverse(self, entry: Entry) -> tuple[Kind, tuple[Id, ...], dict[str, Any]]:
        if entry.action == "insert":
            return "remove", entry.ids, {}
        if None in entry.replaced:
            raise CasebaseError("A case of this correction was removed since, and its values are gone.")
        schema = self.saved.model.schema
        names = [name for name in (*schema.column_names, schema.target) if name in (entry.replaced[0] or {})]
        return (
            "update",
            entry.ids,
            {"changes": {name: [(record or {})[name] for record in entry.replaced] for name in names}},
        )

    def save(self, path: Path) -> None:
        saved = self.saved
        if self.has_removed and saved.calibration is not None:
            saved = replace(saved, calibration=replace(saved.calibration, scores=None))
        methods.save_all(path, saved)


def _table(schema: Schema, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return new cases as a table; a column that a row lacks is missing there, and an unknown column is an error."""
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise CasebaseError("Expected a list of cases, each with its values by the names of the columns.")
    own = [{name: value for name, value in row.items() if name != schema.target} for row in rows]
    table = records_table(own, schema.needed_columns, schema.column_names)
    if schema.is_named:
        return table
    columns = dict(zip(table.names, table.columns))
    return Table(schema.column_names, tuple(columns[name] for name in schema.column_names), is_named=False)


def _labels(schema: Schema, labels: Sequence[Any]) -> list[Any]:
    return labels_for(schema.classes, text_column([spelling(label) for label in labels]))


def _texts(changes: Mapping[str, Sequence[Any]]) -> dict[str, list[str | None]]:
    return {name: [spelling(value) for value in values] for name, values in changes.items()}


def _carried(calibration: Calibration | None, before: tuple[Any, ...], after: tuple[Any, ...]) -> Calibration | None:
    """Return an old calibration with the codes of the new classes; a class that was lost is unknown."""
    if calibration is None or calibration.scores is None or before == after:
        return calibration
    code = {label: i for i, label in enumerate(after)}
    new = np.array([*(code.get(label, NO_CLASS) for label in before), NO_CLASS], dtype=np.uint32)
    labels = new[np.minimum(calibration.scores.labels, len(before))]
    return replace(calibration, scores=replace(calibration.scores, labels=labels))
