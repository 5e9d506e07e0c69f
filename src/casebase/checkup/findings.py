"""A finding: a record, a value or a column that deserves a look, with the reason and the command that would mend it."""

import csv
import io
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["mislabelled", "contradiction", "duplicate", "outlier", "rare value", "column", "pivotal", "redundant"]

# In the order of a report: first what is probably wrong, then what is odd, then what each record does for the others.
TITLES: dict[Kind, str] = {
    "mislabelled": "Probably mislabelled records",
    "contradiction": "Contradictions",
    "duplicate": "Duplicates",
    "outlier": "Outliers",
    "rare value": "Rare values",
    "column": "Suspicious columns",
    "pivotal": "Pivotal records",
    "redundant": "Redundant records",
}


@dataclass(frozen=True)
class Finding:
    """What was found, where, and why.

    `record` is the id of the record; a finding about a column has none. `label` is its class, `suggested` the class
    that the others suggest, `others` are the ids of the records behind the finding, nearest first where that means
    something. `score` orders the findings of a kind, highest first. `column` and `value` are set where the finding is
    about them. `command` is one way to mend it; whether to do so is for a person to decide.
    """

    kind: Kind
    reason: str
    command: str
    record: int | str | None = None
    label: Any = None
    suggested: Any = None
    others: tuple[int | str, ...] = ()
    score: float = 0.0
    column: str | None = None
    value: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Return the finding in a form that JSON can represent."""
        return asdict(self) | {"others": list(self.others)}


@dataclass(frozen=True)
class Commands:
    """Command lines that mend a finding, for a data file or a model file by their names.

    `data` is the file to train on, with `options`, without the columns `ignored`; `new` is the model file to write.
    `model` is the file to correct. `examined` is the model file that was examined, None if it was the data; `compared`
    are the options that say how records were compared.
    """

    target: str
    data: str = "DATA"
    model: str = "MODEL"
    options: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    new: str = "MODEL"
    examined: str | None = None
    compared: tuple[str, ...] = ()

    def remove(self, ids: Sequence[int | str]) -> str:
        """Return the command that removes records."""
        return f"casebase remove {shlex.quote(self.model)} {' '.join(map(_quoted, ids))}"

    def update(self, record: int | str, column: str, value: Any, note: str) -> str:
        """Return the command that changes one value of a record.

        The log keeps the note after the record has been removed, so that it must have no value of it.
        """
        setting = f"{column}={value}"
        return shlex.join(["casebase", "update", self.model, "--id", str(record), "--set", setting, "--note", note])

    def relabel(self, record: int | str, label: Any, note: str) -> str:
        """Return the command that changes the class of a record."""
        return self.update(record, self.target, label, note)

    def look_at(self, record: int | str) -> str:
        """Return the command that shows the evidence about a record."""
        return f"casebase explain {shlex.quote(self.model)} --id {_quoted(record)}"

    def ignore(self, columns: Sequence[str]) -> str:
        """Return the command that learns without some columns, and without those that were ignored already."""
        ignored = tuple(dict.fromkeys((*self.ignored, *columns)))
        return shlex.join(["casebase", "train", self.data, "-o", self.new, *self.options, *_ignored(ignored)])

    def remove_redundant(self) -> str:
        """Return the command that removes all redundant records together."""
        examined = (self.data, *self.options, *_ignored(self.ignored)) if self.examined is None else (self.examined,)
        found = shlex.join(["casebase", "health", *examined, *self.compared, "--list", "redundant"])
        return f"{found} | casebase remove {shlex.quote(self.model)} --ids -"


def _ignored(columns: Sequence[str]) -> list[str]:
    return ["--ignore", column_list(columns)] if columns else []


def column_list(columns: Sequence[str]) -> str:
    """Return names as options take them.

    >>> column_list(["ticket", "last, first"])
    'ticket,"last, first"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(columns)
    return text.getvalue()


def _quoted(record: int | str) -> str:
    """Return an id for a command line; there are many, and most are numbers."""
    return str(record) if isinstance(record, int) else shlex.quote(record)


def listed(ids: Sequence[int | str], limit: int = 5) -> str:
    """Return some ids in a sentence.

    >>> listed([3, 8]), listed(list(range(7)))
    ('3, 8', '0, 1, 2, 3, 4 and 2 more')
    """
    shown = ", ".join(map(str, ids[:limit]))
    return shown if len(ids) <= limit else f"{shown} and {len(ids) - limit} more"
