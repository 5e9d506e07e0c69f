"""The commands that would train a model again: its learner, its settings, and what its columns are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casebase.base.model import Model
from casebase.base.settings import Settings, about
from casebase.checkup.findings import Commands, column_list
from casebase.data import Schema
from casebase.data.kinds import Kinds
from casebase.neighbours.correctable import Correctable


def model_commands(model: Model, kinds: Kinds, path: str | None) -> Commands:
    """Return the commands for a model, which was trained with these `kinds` and may be in a file."""
    schema, options = model.schema, ["--learner", model.method, *_setting_options(model.settings)]
    if schema.is_named:
        options += ["--target", schema.target]
    file = path or "MODEL"
    return Commands(
        schema.target,
        model=file if isinstance(model, Correctable) else "MODEL",
        options=(*options, *_kind_options(kinds), *kept_options(schema)),
        ignored=ignored_columns(schema),
        new="NEW" if path is None else str(Path(path).with_suffix(f".new{Path(path).suffix}")),
        examined=file,
    )


def kept_options(schema: Schema) -> tuple[str, ...]:
    """Return the options for the columns of ids and of provenance."""
    ids, kept = ([one.name for one in schema.kinds if one.kind == kind] for kind in ("id", "provenance"))
    words = ["--id-column", ids[0]] if ids else []
    return (*words, *(["--keep", column_list(kept)] if kept else []))


def ignored_columns(schema: Schema) -> tuple[str, ...]:
    """Return the columns that the user left out."""
    return tuple(one.name for one in schema.kinds if one.kind == "ignored")


def _setting_options(settings: Settings) -> list[str]:
    """Return the settings that differ from their defaults, as options.

    Values for single columns (weights, metrics) are left out: a command for other columns cannot use them.
    """
    words: list[str] = []
    for name, one in settings.public().items():
        value = getattr(settings, name)
        if value == one.default or not isinstance(value, str | int | float):
            continue
        option, _, opposite = (about(one).option or f"--{name.replace('_', '-')}").partition("/")
        if not isinstance(value, bool):
            words += [option, str(value)]
        elif value or opposite:
            words.append(option if value else opposite)
    return words


def _kind_options(kinds: Kinds) -> list[str]:
    """Return the options for kinds of columns; ids, and columns that are left out, have their own."""
    given: Mapping[Any, Any] = kinds if isinstance(kinds, Mapping) else {}
    words = ["--kinds", "auto"] if "auto" in (kinds, *given.values()) else []
    for name, kind in given.items():
        if isinstance(name, str) and isinstance(kind, str) and kind not in ("auto", "id", "ignored", "provenance"):
            words += ["--kind", f"{name}={kind}"]
    return words
