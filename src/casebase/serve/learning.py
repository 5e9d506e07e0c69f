"""Learn models: from a table on the shelf, as its page shows how it is read, or from other cases."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any, Generic, TypeVar

from casebase import methods
from casebase.base.settings import Settings
from casebase.base.threads import n_cores
from casebase.confidence import calibrate, is_calibrated_when_trained
from casebase.data import Cases
from casebase.data.kinds import cases_with_kinds
from casebase.errors import CasebaseError
from casebase.formats import read_table
from casebase.formats.recognised import Recognised, recognise
from casebase.methods import method_named
from casebase.progress import Progress
from casebase.serve.shelf import Shelf

KIND = "kind."  # the prefix of parameters with the kind of a column: a column may have any name
CHOICES = ("format", "encoding", "separator", "decimal", "header", "sheet", "target", "id_column")
MOST_AT_ONCE = 2  # tables that are recognised at the same time: each takes several times its size in memory
MOST_KEPT = 32

Found = TypeVar("Found")


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

    def key(self, path: Path) -> Hashable:
        """Return what the reading of a table depends on: the file as it is now, and the choices."""
        try:
            facts = path.stat()
        except OSError:
            raise CasebaseError(f"{path.name}: there is no such file.") from None
        state = (str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size)
        return state, frozenset(self.options.items()), frozenset(self.kinds.items())

    @property
    def said(self) -> dict[str, Any]:
        """The choices by the names of their fields."""
        return dict(self.options) | {f"{KIND}{column}": kind for column, kind in self.kinds.items()}

    @property
    def fields(self) -> dict[str, str]:
        """The choices as a form or an address says them."""
        words = {True: "yes", False: "no"}
        return {name: words.get(value, value) for name, value in self.said.items()}


class Recent(Generic[Found]):
    """What was found lately, by what it depends on."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = Lock()

    def find(self, key: Hashable) -> Found | None:
        """Return what was found for a key, if it is still kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, found: Found) -> None:
        """Keep what was found in place of what was used least lately."""
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > self.most:
                self._kept.popitem(last=False)


class Recognitions:
    """What was recognised lately: a page that is shown again does not read its file again, unless the file changed."""

    def __init__(self) -> None:
        self._recent: Recent[Recognised] = Recent(MOST_KEPT)
        self._turns = BoundedSemaphore(MOST_AT_ONCE)

    def of(self, path: Path, choices: Choices) -> Recognised:
        """Return how a table is read; an error is not kept."""
        key = choices.key(path)
        found = self._recent.find(key)
        if found is not None:
            return found
        with self._turns:
            found = self._recent.find(key)  # somebody else may have had the same question, and the turn before
            if found is None:
                found = recognise(path, **choices.options, kinds=choices.kinds or None)
                self._recent.keep(key, found)
        return found


_recognitions = Recognitions()


@dataclass(frozen=True)
class TableCases:
    """The cases of a table, and the kinds of its columns as the library takes them."""

    cases: Cases
    kinds: dict[str | int, str]


def cases_of(path: Path, recognised: Recognised) -> TableCases:
    """Return the cases of a table as it was recognised."""
    table = read_table(path, **recognised.options())
    if table.target is None:
        raise CasebaseError("Choose the class: the column that is to be predicted.")
    kinds = kinds_of(recognised)
    return TableCases(cases_with_kinds(table, kinds=kinds), kinds)


def kinds_of(recognised: Recognised) -> dict[str | int, str]:
    """Return the kind of each column that is learned from, or has the ids."""
    kinds: dict[str | int, str] = {
        column.name: column.kind for column in recognised.columns if column.name != recognised.target
    }
    return kinds if recognised.id_column is None else kinds | {recognised.id_column: "id"}


def reading_options(recognised: Recognised, kinds: Mapping[str | int, str]) -> list[str]:
    """Return the options of the command line that read a table like this, with these kinds of columns."""
    given = [f"{name}={kind}" for name, kind in kinds.items() if name != recognised.id_column]
    return [*recognised.arguments(), *(word for one in given for word in ("--kind", one))]


@dataclass(frozen=True)
class Learned:
    """A model that was learned and is served: its name on the shelf, and its size in words."""

    name: str
    size: str


def learn(
    shelf: Shelf,
    name: str,
    cases: Cases,
    method: str,
    progress: Progress,
    *,
    settings: Settings | None = None,
    estimator: dict[str, Any] | None = None,
) -> Learned:
    """Learn a model from cases, save it in the folder of the shelf, and serve it.

    `estimator` is what an estimator that loads the file needs to know of the table.
    """
    model = method_named(method).fit(cases, settings, n_jobs=n_cores(), progress=progress)
    calibration = calibrate(model, cases, n_jobs=n_cores()) if is_calibrated_when_trained(model) else None
    # The path is chosen now: a job that waited before this one may have taken the name.
    path = shelf.new_model_path(name)
    methods.save(path, model, estimator, calibration=calibration)
    return Learned(shelf.add_file(path), str(model.summary().size))
