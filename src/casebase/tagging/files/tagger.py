"""The model file of a tagger: a model of one of the forms, and the parameters for tagging."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from casebase.base.files import Arrays, CheckedArrays, Header, Target, write
from casebase.base.log import Entry, read_log, write_log
from casebase.errors import ModelFileError
from casebase.tagging.calibration import Calibration
from casebase.tagging.case_bases import CaseBases, Tagging
from casebase.tagging.committee import Committee
from casebase.tagging.files.calibration import read_calibration, write_calibration
from casebase.tagging.files.case_bases import read_case_bases, write_case_bases
from casebase.tagging.files.committee import read_committee, write_committee

LEARNER = "tagger"  # the learner that the header names
TaggerParts = tuple[Tagging, Calibration, dict[str, Any], tuple[Entry, ...]]
# The forms of tagging models: name → type, writer, reader.
FORMS: dict[str, tuple[type, Callable[[Any, Header, Arrays], None], Callable[[Header, CheckedArrays], Tagging]]] = {
    "case_bases": (CaseBases, write_case_bases, read_case_bases),
    "committee": (Committee, write_committee, read_committee),
}


def is_tagger(header: Header) -> bool:
    """Whether a header belongs to the file of a tagger."""
    return header.get("learner") == LEARNER


def save_tagger(
    path: Target,
    model: Tagging,
    calibration: Calibration,
    parameters: dict[str, Any] | None = None,
    log: Sequence[Entry] = (),
) -> None:
    """Write a tagger, its calibration, its parameters for tagging and the log of its corrections to a file."""
    form = next(name for name, (kind, _, _) in FORMS.items() if isinstance(model, kind))
    header: Header = {"learner": LEARNER, "form": form, "parameters": parameters or {}}
    arrays: Arrays = {}
    FORMS[form][1](model, header, arrays)
    write_calibration(calibration, arrays)
    write_log(log, arrays)
    write(path, header, arrays)


def tagger_from(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> TaggerParts:
    """Return the tagger in the header and arrays of a file; every index is checked before it is used."""
    if not is_tagger(header):
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not a tagger.")
    try:
        model = FORMS[header["form"]][2](header, arrays)
        return model, read_calibration(arrays), dict(header["parameters"]), read_log(arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable tagger: {error}.") from error
