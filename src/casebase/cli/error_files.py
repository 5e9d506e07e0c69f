"""Files of wrong answers: one row, or one JSON record, for each."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from casebase.base.model import format_count
from casebase.base.wrong_answers import WrongAnswer
from casebase.cli.output import say, write_text
from casebase.data.columns import spelling
from casebase.formats.written import row_writer

NEAREST = 3  # records beside each wrong answer
FIXED = ("row", "id", "class", "prediction")


@dataclass(frozen=True)
class ErrorFile:
    """Where wrong answers go: to a path, None for standard output; `name` is what the user called it."""

    path: str | None
    name: str
    as_json: bool

    def write(self, errors: Sequence[WrongAnswer]) -> None:
        """Write the wrong answers, and say how many there are."""
        suffix = Path(self.name).suffix.lower()
        if self.as_json or suffix == ".json":
            text = json.dumps([one.to_dict() for one in errors], ensure_ascii=False, indent=2) + "\n"
        else:
            text = _table(errors, "\t" if suffix == ".tsv" else ",")
        write_text(self.path, text)
        if self.path is not None:
            say(f"{format_count(len(errors), 'wrong answer')} written to {self.path}.")


def _table(errors: Sequence[WrongAnswer], separator: str) -> str:
    features = next((one.features for one in errors if one.features), ())
    provenance = next((tuple(one.provenance) for one in errors if one.provenance), ())
    n_nearest = max((len(one.nearest) for one in errors), default=0)
    has_share = any(record.share is not None for one in errors for record in one.nearest)
    how = "share" if has_share else "distance"
    has_how = has_share or any(record.distance is not None for one in errors for record in one.nearest)
    parts = ("id", "class", how) if has_how else ("id", "class")
    names = [f"nearest_{i}_{part}" for i in range(1, n_nearest + 1) for part in parts]
    text = io.StringIO()
    writer = row_writer(text, separator)
    # A feature may have the name of one of our columns: ours come first, in an order that does not change.
    writer.writerow([*FIXED, *names, *features, *provenance])
    for one in errors:
        records = [
            value
            for record in one.nearest
            for value in (record.id, record.label, *((getattr(record, how),) if has_how else ()))
        ]
        records += [None] * (len(names) - len(records))
        row = [one.row, one.id, one.actual, one.predicted, *records, *one.values, *one.provenance.values()]
        writer.writerow(["" if value is None else spelling(value) for value in row])
    return text.getvalue()
