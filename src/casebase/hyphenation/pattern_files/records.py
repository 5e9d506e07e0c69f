"""A set of patterns as JSON, complete with classes and support."""

import json
from typing import Any

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.patterns import Pattern, PatternSet

FORMAT, VERSION = "casebase patterns", 1


def to_json(patterns: PatternSet) -> str:
    """Return the patterns as JSON; `pattern` has a hyphen at the place that it decides."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "default_allows": patterns.default_allows,
        "left_min": patterns.left_min,
        "right_min": patterns.right_min,
        "classes": None if patterns.classes is None else dict(patterns.classes),
        "patterns": [
            {
                "pattern": str(p),
                "text": p.text,
                "offset": p.offset,
                "level": p.level,
                "allows": p.allows,
                "is_classes": p.is_classes,
                "support": p.support,
            }
            for p in patterns.patterns
        ],
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str, *, name: str = "the given file") -> PatternSet:
    """Return the patterns of a JSON text that `to_json` wrote.

    >>> from_json(to_json(PatternSet((Pattern("hyp", 2, 1),)))).patterns
    (Pattern(text='hyp', offset=2, level=1, is_classes=False, support=0.0),)
    """
    try:
        record: Any = json.loads(text, object_pairs_hook=_record)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: expected JSON: {error}.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise FormatError(f"{name}: expected the JSON that casebase hyphen export --to json writes.")
    if record.get("version") != VERSION:
        raise FormatError(f"{name}: expected version {VERSION}, got {record.get('version')!r}.")
    try:
        patterns = tuple(
            Pattern(str(p["text"]), int(p["offset"]), int(p["level"]), bool(p["is_classes"]), float(p["support"]))
            for p in record["patterns"]
        )
        classes = record["classes"]
        return PatternSet(
            patterns,
            None if classes is None else {str(letter): str(kind) for letter, kind in classes.items()},
            bool(record["default_allows"]),
            int(record["left_min"]),
            int(record["right_min"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise FormatError(f"{name}: {_fault(error)}") from None


def _record(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; an error if it has a name twice: a letter with two classes, for example."""
    record = dict(members)
    if len(record) < len(members):
        names = [name for name, _ in members]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice in an object")
    return record


def _fault(error: Exception) -> str:
    """Return what is wrong with a record, and what to do."""
    if isinstance(error, CasebaseError):
        return str(error)
    if isinstance(error, KeyError):
        return f"the field {error} is missing. casebase hyphen export --to json writes all fields."
    return "a field is of the wrong kind. casebase hyphen export --to json shows what is expected."
