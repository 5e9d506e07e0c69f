"""The model file of rules over strings: the rules, the classes of letters, and the training strings."""

import math
import os
from typing import Any

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header, Target, read, write
from casebase.base.parts import read_classes, read_strings, write_strings
from casebase.data.arrow import pa
from casebase.data.checks import is_whole
from casebase.errors import CasebaseError, ModelFileError
from casebase.rules.windows import Round
from casebase.strings.classes import as_groups, class_table
from casebase.strings.inputs import AskedStrings, asked_strings, check_trainable
from casebase.strings.piece import ANYWHERE, N_KINDS, Piece, is_classes
from casebase.strings.rules import StringRule, StringRules
from casebase.strings.settings import Settings
from casebase.strings.texts import EDGE

LEARNER = "strings"  # the learner that the header names


def save_strings(path: Target, model: StringRules, estimator: dict[str, Any] | None = None) -> None:
    """Write rules over strings, and the additional parameters of their estimator, to a file."""
    header: Header = {
        "learner": LEARNER,
        "settings": model.settings.to_dict(),
        "estimator": estimator or {},
        "letters": model.letters,
        "classes": list(model.classes),
        "target": model.target,
        "default": model.default,
        "n_levels": model.n_levels,
        "cost": model.cost,
        "has_places": model.asked.places is not None,
        "rounds": [[one.n_examples, one.n_wrong] for one in model.rounds],
    }
    arrays: Arrays = {
        "rule.level": np.array([rule.level for rule in model.rules], dtype=np.uint32),
        "rule.label": np.array([rule.label for rule in model.rules], dtype=np.uint32),
        "piece.kind": np.array([rule.piece.kind for rule in model.rules], dtype=np.uint8),
        "piece.offset": np.array([rule.piece.offset or 0 for rule in model.rules], dtype=np.uint32),
        "string.place": np.array(model.asked.places or (), dtype=np.uint32),
        "string.label": model.known_labels.astype(np.uint32),
        "string.weight": model.weights.astype(np.float64),
    }
    write_strings("piece", pa.array([rule.piece.text for rule in model.rules], pa.string()), arrays)
    write_strings("string", pa.array(model.asked.strings, pa.string()), arrays)
    write(path, header, arrays)


def load_strings(path: str | os.PathLike[str]) -> StringRules:
    """Read rules over strings; every index is checked before it is used."""
    return strings_from(path, *read(path))[0]


def strings_from(
    path: str | os.PathLike[str], header: Header, arrays: CheckedArrays
) -> tuple[StringRules, dict[str, Any]]:
    """Return the rules in the header and arrays of a file, and the additional parameters of their estimator."""
    if header.get("learner") != LEARNER:
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not of rules over strings.")
    try:
        estimator = header["estimator"]
        if not isinstance(estimator, dict):
            raise ValueError("the parameters of its estimator are not a record")
        return _read(header, arrays), estimator
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable model of rules over strings: {error}.") from error


def _read(header: Header, arrays: CheckedArrays) -> StringRules:
    settings = Settings.from_dict(header["settings"])
    classes = read_classes(header["classes"])
    letters = header["letters"]
    if letters is not None and class_table(as_groups(letters), reserved=f"{EDGE}{settings.mark}\0") != letters:
        raise ValueError("the classes of letters are not a table of letters")
    n_levels = _whole(header["n_levels"], "the number of levels")
    default = _whole(header["default"], "the default")
    cost = float(header["cost"])
    if default >= len(classes) or not (math.isfinite(cost) and cost > 0):
        raise ValueError("the default is not a class, or the cost no positive number")
    if not isinstance(header["has_places"], bool) or not isinstance(header["target"], str):
        raise ValueError("it does not say whether its strings have places, or what the class is called")
    asked = _read_asked(header, arrays, settings)
    labels = arrays.get("string.label", "uint32", len(asked), below=len(classes)).astype(np.int64)
    weights = arrays.numbers("string.weight", len(asked))
    if (weights <= 0).any():
        raise ValueError("a string weighs nothing")
    rounds = tuple(Round(_whole(n, "a window"), _whole(wrong, "a window")) for n, wrong in header["rounds"])
    rules = _read_rules(header, arrays, n_levels, len(classes))
    return StringRules(
        rules, default, n_levels, cost, classes, letters, asked, labels, weights, settings, rounds, header["target"]
    )


def _read_asked(header: Header, arrays: CheckedArrays, settings: Settings) -> AskedStrings:
    strings = read_strings("string", arrays).to_pylist()
    if not strings:
        raise ValueError("it has no strings")
    places = arrays.get("string.place", "uint32", len(strings) if header["has_places"] else 0).tolist()
    asked = asked_strings(list(zip(strings, places)) if header["has_places"] else strings, settings.mark)
    check_trainable(asked, edges=settings.edges)
    if list(asked.strings) != strings or list(asked.places or ()) != places:
        raise ValueError("its strings are not those that rules can be learned from")
    return asked


def _read_rules(header: Header, arrays: CheckedArrays, n_levels: int, n_classes: int) -> tuple[StringRule, ...]:
    texts = read_strings("piece", arrays).to_pylist()
    n = len(texts)
    level = arrays.get("rule.level", "uint32", n, below=n_levels + 1)
    label = arrays.get("rule.label", "uint32", n, below=n_classes)
    kind = arrays.get("piece.kind", "uint8", n, below=N_KINDS)
    offset = arrays.get("piece.offset", "uint32", n)
    if n and (level.min() < 1 or (np.diff(level.astype(np.int64)) < 0).any()):
        raise ValueError("the levels of the rules do not ascend from 1")
    rules = []
    for text, at, one, of_level, of_class in zip(texts, offset.tolist(), kind.tolist(), level.tolist(), label.tolist()):
        if not isinstance(text, str) or not text or at > (0 if one >= ANYWHERE else len(text)):
            raise ValueError("a piece has no letters, or its place lies outside of them")
        if is_classes(one) and header["letters"] is None:
            raise ValueError("a piece is one of classes, and there are none")
        if one < ANYWHERE and not header["has_places"]:
            raise ValueError("a piece has a place, and the strings have none")
        rules.append(StringRule(of_level, of_class, Piece(text, None if one >= ANYWHERE else at, one)))
    return tuple(rules)


def _whole(number: object, what: str) -> int:
    if not is_whole(number, 0):
        raise CasebaseError(f"{what} is {number!r}")
    return number
