"""Learn a model from a table on the shelf, as the page showed how it would be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from casebase import methods
from casebase.base.threads import n_cores
from casebase.confidence import calibrate, is_calibrated_when_trained
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError
from casebase.formats import read_table
from casebase.formats.recognised import Recognised, recognise
from casebase.methods import method_named
from casebase.progress import Progress

KIND = "kind."  # the prefix of parameters with the kind of a column: a column may have any name
CHOICES = ("format", "encoding", "separator", "decimal", "header", "sheet", "target", "id_column")


@dataclass(frozen=True)
class Choices:
    """How somebody wants a table to be read; what is not said is recognised."""

    options: Mapping[str, Any]
    kinds: Mapping[str | int, str]

    @classmethod
    def of(cls, parameters: Sequence[tuple[str, str]]) -> "Choices":
        """Return the choices in the parameters of a form; empty ones say nothing."""
        options: dict[str, Any] = {}
        for name, text in parameters:
            if name in CHOICES and text:
                options[name] = text
        if "header" in options:
            if options["header"] not in ("yes", "no"):
                raise CasebaseError(f"header is yes or no; got {options['header']!r}.")
            options["header"] = options["header"] == "yes"
        kinds: dict[str | int, str] = {
            name.removeprefix(KIND): text for name, text in parameters if name.startswith(KIND) and text
        }
        return cls(options, kinds)

    def recognised(self, path: Path) -> Recognised:
        """Return how the table is read."""
        return recognise(path, **self.options, kinds=self.kinds or None)


def learn(path: Path, recognised: Recognised, method: str, output: Path, progress: Progress) -> str:
    """Learn a model from a table and save it; return its size in words."""
    table = read_table(path, **recognised.options())
    if table.target is None:
        raise CasebaseError("Choose the class: the column that is to be predicted.")
    target = table.names[table.target]
    kinds: dict[str | int, Any] = {
        column.name: column.kind
        for column in recognised.columns
        if column.name != target and column.name in table.names
    }
    if recognised.id_column is not None:
        kinds[recognised.id_column] = "id"
    cases = cases_with_kinds(table, kinds=kinds)
    row = method_named(method)
    model = row.fit(cases, n_jobs=n_cores(), progress=progress)
    calibration = calibrate(model, cases, n_jobs=n_cores()) if is_calibrated_when_trained(model) else None
    methods.save(output, model, calibration=calibration)
    return str(model.summary().size)
