"""The file of a tagger: one of the forms that taggers have, and the parameters that it is used with."""

import os
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from casebase.base.files import Arrays, CheckedArrays, Header, read, write
from casebase.errors import ModelFileError
from casebase.tagging.case_bases import CaseBases, Tagging
from casebase.tagging.committee import Committee
from casebase.tagging.files.case_bases import read_case_bases, write_case_bases
from casebase.tagging.files.committee import read_committee, write_committee

LEARNER = "tagger"  # what the header of such a file says
# The ways to tag that files are made of: name → type, writer, reader.
FORMS: dict[str, tuple[type, Callable[[Any, Header, Arrays], None], Callable[[Header, CheckedArrays], Tagging]]] = {
    "case_bases": (CaseBases, write_case_bases, read_case_bases),
    "committee": (Committee, write_committee, read_committee),
}


def is_tagger(header: Header) -> bool:
    """Whether a file's header is that of a tagger."""
    return header.get("learner") == LEARNER


def save_tagger(path: str | os.PathLike[str], model: Tagging, parameters: dict[str, Any] | None = None) -> None:
    """Write a tagger, and the parameters that it is used with, to a file."""
    form = next(name for name, (kind, _, _) in FORMS.items() if isinstance(model, kind))
    header: Header = {"learner": LEARNER, "form": form, "parameters": parameters or {}}
    arrays: Arrays = {}
    FORMS[form][1](model, header, arrays)
    write(path, header, arrays)


def load_tagger(path: str | os.PathLike[str]) -> tuple[Tagging, dict[str, Any]]:
    """Read a tagger and the parameters it is used with; every index is checked before anything is computed with it."""
    return tagger_from(path, *read(path))


def tagger_from(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> tuple[Tagging, dict[str, Any]]:
    """Return the tagger of a file that has been read."""
    if not is_tagger(header):
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not a tagger.")
    try:
        return FORMS[header["form"]][2](header, arrays), dict(header["parameters"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable tagger: {error}.") from error
