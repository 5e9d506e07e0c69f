"""The model file of OBLIVION: abstract cases, and the steps of the feature selection."""

import numpy as np

from casebase.base.checks import checked_missing
from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_n_cases, read_preference, read_schema, write_preference, write_schema
from casebase.data import Schema
from casebase.data.checks import is_whole
from casebase.memory.distinct import AbstractCases
from casebase.oblivious import oblivion
from casebase.oblivious.elimination import Selection, Trial
from casebase.oblivious.oblivion import Oblivion


def write_oblivion(model: Oblivion, header: Header, arrays: Arrays) -> None:
    write_schema(model.schema, header, arrays)
    write_preference(model.preference, arrays)
    _write_selection(model.selection, header, arrays)
    header |= {
        "n_cases": model.n_cases,
    }
    abstract = model.abstract
    arrays |= {"order": model.order, "first_count": abstract.first_count}
    arrays |= {"count_label": abstract.count_label, "count": abstract.count}
    arrays |= {f"column.{rank}": column for rank, column in enumerate(abstract.columns)}


def read_oblivion(header: Header, arrays: CheckedArrays, settings: oblivion.Settings) -> Oblivion:
    schema = read_schema(header, arrays)
    order = arrays.get("order", "int64", below=len(schema.features))
    selection = _read_selection(header, arrays, len(schema.features))
    if sorted(order.tolist()) != list(selection.kept):
        raise ValueError("the features of the abstract cases are not the selected ones")
    return Oblivion(
        schema,
        order,
        _read_abstract(arrays, schema, order),
        selection,
        read_preference(arrays, len(schema.classes)),
        checked_missing(settings.missing),
        read_n_cases(header),
        settings.normalisation,
        settings,
    )


def _read_abstract(arrays: CheckedArrays, schema: Schema, order: np.ndarray) -> AbstractCases:
    count_label = arrays.get("count_label", "uint32", below=len(schema.classes))
    count = arrays.numbers("count", len(count_label))
    first_count = arrays.get("first_count", "uint64")
    n_groups = len(first_count) - 1
    arrays.offsets("first_count", n_groups + 1, len(count_label))
    if n_groups < 1 or first_count[0] != 0 or (first_count[1:] <= first_count[:-1]).any() or not count.all():
        raise ValueError("an abstract case stands for no case")
    columns = []
    for rank, position in enumerate(order):
        feature = schema.features[position]
        if feature.kind != "symbolic" or feature.vocabulary is None:
            raise ValueError(f"feature {feature.name!r} is kept, but has no values")
        vocabulary = feature.vocabulary
        columns.append(arrays.get(f"column.{rank}", vocabulary.dtype.name, n_groups, below=len(vocabulary)))
    _require_sorted(columns, n_groups)
    return AbstractCases(tuple(columns), first_count, count_label, count)


def _require_sorted(columns: list[np.ndarray], n_groups: int) -> None:
    is_tied = np.ones(n_groups - 1, dtype=bool)
    for column in columns:
        before, after = column[:-1], column[1:]
        if (before[is_tied] > after[is_tied]).any():
            raise ValueError("the abstract cases are not in order")
        is_tied &= before == after
    if is_tied.any():
        raise ValueError("an abstract case occurs twice")


def _write_selection(selection: Selection, header: Header, arrays: Arrays) -> None:
    header["selection"] = {
        "trials": [[trial.feature, trial.n_features, trial.errors] for trial in selection.trials],
        "otherwise": [[feature, errors] for feature, errors in selection.otherwise.items()],
        "kept": list(selection.kept),
        "total": selection.total,
        "was_interrupted": selection.was_interrupted,
    }
    arrays["ranking"] = selection.ranking


def _read_selection(header: Header, arrays: CheckedArrays, n_features: int) -> Selection:
    record = header["selection"]

    def position(feature: object) -> int:
        if not is_whole(feature, 0, n_features - 1):
            raise ValueError(f"a step of the search names the feature {feature!r}")
        return feature

    trials = tuple(
        Trial(None if feature is None else position(feature), int(n), float(errors))
        for feature, n, errors in record["trials"]
    )
    total = float(record["total"])
    if not trials or not total > 0:
        raise ValueError("the search has no steps")
    ranking = arrays.get("ranking", "int64", n_features)
    if not ((ranking >= 1) & (ranking <= n_features + 1)).all():
        raise ValueError("the ranking of the features is not a ranking")
    return Selection(
        tuple(position(feature) for feature in record["kept"]),
        trials,
        ranking,
        {position(feature): float(errors) for feature, errors in record["otherwise"]},
        total,
        bool(record["was_interrupted"]),
    )
