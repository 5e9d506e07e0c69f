"""What a page of explanations is about, so that it can be filed: the class variable, the learner, the data.

The entries are text by name, in the order in which a page lists them.
"""

import hashlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from casebase import __version__
from casebase.base.checksums import checksum
from casebase.base.files import Arrays, Header
from casebase.base.model import Model, format_count
from casebase.errors import CasebaseError
from casebase.memory.fingerprints import hexadecimal
from casebase.methods import method_named
from casebase.render.words import format_value, printable, shorten, that_fit

N_COLUMNS_OF_CLASSES = 200


def about_model(model: Model, data_file: str | None = None, n_corrections: int = 0) -> dict[str, str]:
    """Return the class variable, the learner and its settings, the training data, its records, and a fingerprint.

    >>> from casebase.data import Cases
    >>> from casebase.neighbours import ib1
    >>> about = about_model(ib1.fit(Cases.from_table([{"f": "a", "kind": "P"}, {"f": "b", "kind": "Q"}], "kind"), k=3))
    >>> about["Class variable"], about["Learner"], about["Records"]
    ('kind (P, Q)', 'IB1, IB1-IG: the nearest cases vote', '2 records')
    """
    summary = model.summary()
    classes = that_fit([shorten(format_value(label), 40) for label in summary.classes], N_COLUMNS_OF_CLASSES)
    n_records = summary.counts.get("n_cases")
    return {
        "Class variable": f"{summary.target} ({classes})",
        "Learner": method_named(model.method).title,
        "Settings": ", ".join(f"{name} = {value}" for name, value in summary.parameters.items()),
        **({} if data_file is None else {"Training data": training_data(data_file, n_corrections)}),
        **({} if n_records is None else {"Records": format_count(n_records, "record")}),
        "Fingerprint": fingerprint_of(model),
    }


def training_data(name: str, n_corrections: int) -> str:
    """Return the name of the training data; corrections have changed what was learned from it."""
    since = f", and {format_count(n_corrections, 'correction')} since" if n_corrections else ""
    return f"{printable(name)}{since}"


def about_predictions(model: Model, data_file: str | None = None, n_corrections: int = 0) -> dict[str, str]:
    """Return what predictions by a model are about, and when they were explained."""
    return about_model(model, data_file, n_corrections) | about_now()


def fingerprint_of(model: Model) -> str:
    """Return the fingerprint of the stored records, or of the content of a model that does not keep its records."""
    correction = import_module("casebase.neighbours.correction")  # imported only for a page: other commands do without
    if isinstance(model, correction.Correctable):
        try:
            return f"{hexadecimal(correction.fingerprint(model))} (of the records)"
        except CasebaseError:  # a tree that was grown without keeping its records
            pass
    header: Header = {"learner": model.method, "settings": model.settings.to_dict()}
    arrays: Arrays = {}
    method_named(model.method).write(model, header, arrays)
    return f"{checksum(header, arrays)} (of the model)"


def about_file(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the name of a model file and its SHA-256, as `sha256sum` prints it."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"Model file": f"{Path(path).name} (SHA-256 {digest})"}


def about_now(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the version of casebase and the date, or that of SOURCE_DATE_EPOCH for pages that can be reproduced.

    >>> about_now({"SOURCE_DATE_EPOCH": "0"})["Date"]
    '1970-01-01 00:00 UTC'
    """
    epoch = environment.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return {"casebase": __version__, "Date": now.strftime("%Y-%m-%d %H:%M UTC")}
