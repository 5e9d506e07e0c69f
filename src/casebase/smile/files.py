"""SMILE's part of a model file: the cases, the cuts of numeric features, and alpha."""

import math

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.intervals import read_discretisation, write_discretisation
from casebase.base.parts import read_memory, read_preference, read_schema, write_memory, write_preference, write_schema
from casebase.smile import smile
from casebase.smile.smile import SMILE, checked_alpha


def write_smile(model: SMILE, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    write_memory(model.memory, model.schema, arrays)
    write_discretisation(model.discretisation, arrays)
    header |= {
        "alpha": model.alpha,
        "alpha_errors": None if model.alpha_errors is None else [list(pair) for pair in model.alpha_errors.items()],
        "n_cuts": [None if cuts is None else len(cuts) for cuts in model.discretisation.cuts],
    }


def read_smile(header: Header, arrays: CheckedArrays, settings: smile.Settings) -> SMILE:
    schema = read_schema(header, arrays)
    alpha = checked_alpha(header["alpha"])
    if alpha is None:
        raise ValueError("alpha is not a number")
    memory = read_memory(arrays, schema)
    preference = read_preference(arrays, len(schema.classes))
    if memory.segments[0].exemplars is not None:
        raise ValueError("SMILE does not use exemplar weights")
    discretisation = read_discretisation(arrays, schema)
    if [None if cuts is None else len(cuts) for cuts in discretisation.cuts] != header["n_cuts"]:
        raise ValueError("the number of cuts of a numeric feature does not match the header")
    return SMILE(
        schema,
        memory,
        discretisation,
        alpha,
        preference,
        settings.normalisation,
        _read_errors(header["alpha_errors"]),
        settings,
    )


def _read_errors(pairs: list[tuple[int, float]] | None) -> dict[int, float] | None:
    if pairs is None:
        return None
    errors = {checked_alpha(alpha): float(n) for alpha, n in pairs}
    if None in errors or not all(math.isfinite(n) and n >= 0 for n in errors.values()):
        raise ValueError("the errors by alpha are not finite numbers of at least 0")
    return {int(alpha): n for alpha, n in errors.items() if alpha is not None}
