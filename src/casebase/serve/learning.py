"""Learn a model from a table on the shelf, as the page showed how it would be read."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock
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
MOST_AT_ONCE = 2  # tables that are recognised at the same time: each takes several times its size in memory
MOST_KEPT = 32


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
        return _recognitions.of(path, self)


class Recognitions:
    """What was recognised lately: a page that is shown again does not read its file again, unless the file changed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Recognised] = OrderedDict()
        self._lock = Lock()
        self._turns = BoundedSemaphore(MOST_AT_ONCE)

    def of(self, path: Path, choices: Choices) -> Recognised:
        """Return how a table is read; an error is not kept."""
        key = _key(path, choices)
        found = self._find(key)
        if found is not None:
            return found
        with self._turns:
            found = self._find(key)  # somebody else may have had the same question, and the turn before
            if found is None:
                found = recognise(path, **choices.options, kinds=choices.kinds or None)
                self._keep(key, found)
        return found

    def _find(self, key: Hashable) -> Recognised | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: Hashable, found: Recognised) -> None:
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)


def _key(path: Path, choices: Choices) -> Hashable:
    """Return what a recognition depends on: the file as it is now, and the choices."""
    try:
        facts = path.stat()
    except OSError:
        raise CasebaseError(f"{path.name}: there is no such file.") from None
    state = (str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size)
    return state, frozenset(choices.options.items()), frozenset(choices.kinds.items())


_recognitions = Recognitions()


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
