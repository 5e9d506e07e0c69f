"""The model file of a hyphenator: its patterns, its training words and its settings."""

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.base.files import Arrays, CheckedArrays, Header, Target, write
from casebase.base.log import Entry, read_log, write_log
from casebase.base.parts import read_strings, write_strings
from casebase.base.settings import require_all
from casebase.data.checks import is_number, is_whole
from casebase.errors import CasebaseError, ModelFileError
from casebase.hyphenation.confidence import Confidence, Record
from casebase.hyphenation.induction import NO_WORDS, Hyphenation, Settings, hyphenation_classes
from casebase.hyphenation.patterns import Pattern, PatternSet
from casebase.hyphenation.pieces import examples_of
from casebase.hyphenation.words import Contradiction, HyphenatedWords, parse_word, with_hyphens
from casebase.rules.windows import Round

LEARNER = "hyphenation"  # the learner that the header names


def is_hyphenation(header: Header) -> bool:
    """Whether a header belongs to the file of a hyphenator."""
    return header.get("learner") == LEARNER


def save_hyphenation(path: Target, model: Hyphenation, log: Sequence[Entry] = ()) -> None:
    """Write a hyphenation, and the log of its corrections, to a file."""
    settings = model.settings
    header: Header = {
        "learner": LEARNER,
        "settings": vars(settings)
        | {
            "classes": settings.classes if isinstance(settings.classes, str) else dict(settings.classes),
            "forbid": list(settings.forbid),
            "force": dict(settings.force),
        },
        "classes": None if model.patterns.classes is None else dict(model.patterns.classes),
        "default_allows": model.patterns.default_allows,
        "left_min": model.patterns.left_min,
        "right_min": model.patterns.right_min,
        "rounds": [[r.n_examples, r.n_wrong] for r in model.rounds],
        "n_duplicates": model.words.n_duplicates,
        "contradictions": [[c.kept, *c.others] for c in model.words.contradictions],
    }
    if model.confidence is not None:
        header["confidence"] = [[r.level, r.at_least, r.n_right, r.n] for r in model.confidence.records]
    arrays: Arrays = {}
    _write_patterns(model.patterns.patterns, arrays)
    write_strings("word", pa.array(model.words.words, pa.string()), arrays)
    arrays |= {
        "word.first_place": _offsets([len(places) for places in model.words.places]),
        "word.place": np.array([place for places in model.words.places for place in places], dtype=np.uint32),
        "word.weight": model.words.weights.astype(np.float64),
        "window": model.window.astype(np.uint32),
    }
    write_log(log, arrays)
    write(path, header, arrays)


def hyphenation_from(
    path: str | os.PathLike[str], header: Header, arrays: CheckedArrays
) -> tuple[Hyphenation, tuple[Entry, ...]]:
    """Return the hyphenation and the log in the header and arrays of a file."""
    if not is_hyphenation(header):
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not a hyphenator.")
    try:
        return _read(header, arrays), read_log(arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable hyphenator: {error}.") from error


def _read(header: Header, arrays: CheckedArrays) -> Hyphenation:
    header = header | {"settings": {"search": "cover"} | header["settings"]}  # older files have no other search
    require_all(header["settings"], Settings)
    words = _read_words(header, arrays)
    classes = header["classes"]
    if classes is not None:
        classes = {_letter(letter): _letter(name) for letter, name in classes.items()}
    patterns = PatternSet(
        _read_patterns(arrays),
        classes,
        _boolean(header["default_allows"]),
        _whole(header["left_min"], 1),
        _whole(header["right_min"], 1),
    )
    # The classes do not matter here: the number of examples depends on letters and margins only.
    n_examples = len(examples_of(words, None, patterns.left_min, patterns.right_min)) if len(words) else 0
    window = arrays.get("window", "uint32", below=n_examples)
    if (np.diff(window.astype(np.int64)) <= 0).any():
        raise ValueError("the window does not ascend")
    rounds = tuple(Round(_whole(n), _whole(n_wrong)) for n, n_wrong in header["rounds"])
    return Hyphenation(patterns, words, _read_settings(header["settings"]), rounds, window, _read_confidence(header))


def _read_confidence(header: Header) -> Confidence | None:
    if "confidence" not in header:
        return None
    records = []
    for level, at_least, n_right, n in header["confidence"]:
        if not (is_number(n_right) and is_number(n) and 0 <= n_right <= n):
            raise ValueError("more held-out places are right than there are")
        records.append(Record(_whole(level), _whole(at_least), float(n_right), float(n)))
    return Confidence(tuple(records))


def _read_settings(record: dict[str, Any]) -> Settings:
    """Return the settings, after checking those whose types `Settings` leaves to the learner."""
    if record["classes"] != "auto":
        hyphenation_classes(record["classes"], NO_WORDS)  # an error unless it is what the learner takes
    if not isinstance(record["forbid"], list):
        raise ValueError("the forbidden patterns are not a list")
    for text in (*record["forbid"], *record["force"], *record["force"].values()):
        _text(text)
    return Settings(**record)


def _write_patterns(patterns: Sequence[Pattern], arrays: Arrays) -> None:
    write_strings("pattern", pa.array([pattern.text for pattern in patterns], pa.string()), arrays)
    arrays |= {
        "pattern.offset": np.array([pattern.offset for pattern in patterns], dtype=np.uint32),
        "pattern.level": np.array([pattern.level for pattern in patterns], dtype=np.uint16),
        "pattern.is_classes": np.array([pattern.is_classes for pattern in patterns], dtype=np.uint8),
        "pattern.support": np.array([pattern.support for pattern in patterns], dtype=np.float64),
    }


def _read_patterns(arrays: CheckedArrays) -> tuple[Pattern, ...]:
    texts = read_strings("pattern", arrays).to_pylist()
    n = len(texts)
    rows = zip(
        texts,
        arrays.get("pattern.offset", "uint32", n).tolist(),
        arrays.get("pattern.level", "uint16", n).tolist(),
        arrays.get("pattern.is_classes", "uint8", n, below=2).tolist(),
        arrays.numbers("pattern.support", n).tolist(),
    )
    # Text, place and level are checked by Pattern itself.
    return tuple(
        Pattern(_text(text), offset, level, bool(kind), support) for text, offset, level, kind, support in rows
    )


def _read_words(header: Header, arrays: CheckedArrays) -> HyphenatedWords:
    words = [_text(word) for word in read_strings("word", arrays).to_pylist()]
    n = len(words)
    place = arrays.get("word.place", "uint32").tolist()
    first = arrays.offsets("word.first_place", n + 1, len(place)).tolist()
    if first[0] != 0:
        raise ValueError("the places do not begin at 0")
    places = tuple(tuple(place[a:b]) for a, b in pairwise(first))
    for word, breaks in zip(words, places):
        if any(p >= len(word) for p in breaks):
            raise ValueError("a place lies outside of its word")
        # The word must survive the parser of word lists; a control character as hyphen cannot clash with its letters.
        if parse_word(with_hyphens(word, breaks, "\x1f"), "\x1f") != (word, breaks):
            raise ValueError("a word is not what a list of words gives")
    if sorted(set(words)) != words:
        raise ValueError("the words are not in alphabetical order, each once")
    weights = arrays.numbers("word.weight", n)
    if (weights <= 0).any():
        raise ValueError("a word weighs nothing")
    contradictions = tuple(
        Contradiction(_text(kept), tuple(map(_text, others))) for kept, *others in header["contradictions"]
    )
    return HyphenatedWords(tuple(words), places, weights, _whole(header["n_duplicates"]), contradictions)


def _offsets(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.uint64)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {type(value).__name__}")
    return value


def _letter(value: Any) -> str:
    if len(_text(value)) != 1:
        raise CasebaseError(f"expected one letter, got {value!r}")
    return str(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {value!r}")
    return value


def _whole(value: Any, at_least: int = 0) -> int:
    if not is_whole(value, at_least):
        raise ValueError(f"expected a whole number of at least {at_least}, got {value!r}")
    return value
