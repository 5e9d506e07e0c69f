"""A hyphenator at a desk: it learns the right hyphenation of words."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from casebase.base.log import Entry, Id, with_entry
from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.hyphenation.words import parse_word, with_hyphens
from casebase.serve.desks.contents import ContentKind, with_edit
from casebase.serve.desks.edits import Edit, Kind

SEPARATOR = "\x1f"  # a hyphen that no word has


def parsed_words(words: Sequence[str], hyphen: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return the letters of hyphenated words, and where each may be broken."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise CasebaseError(f"Expected a list of hyphenated words, such as 'hy-phen'; got {words!r:.100}.")
    return [parse_word(word, hyphen) for word in words]


@dataclass(frozen=True, eq=False)
class HyphenatorContent:
    """A hyphenator; its version is a hash of its words and patterns, and the ids in its log are words."""

    saved: Hyphenator
    kind: ClassVar[ContentKind] = "hyphenator"
    is_correctable: ClassVar[bool] = True
    is_calibrated: ClassVar[bool] = True

    @property
    def log(self) -> tuple[Entry, ...]:
        return self.saved._log

    @cached_property
    def version(self) -> str:
        return fingerprint(self.saved)

    def prepare(self, edit: Edit) -> Edit:
        if edit.kind != "correct":
            raise CasebaseError(f"This is a hyphenator: it learns hyphenated words, and takes no {edit.kind!r}.")
        letters = [word for word, _ in edit.content["words"]]
        twice = {word for word in letters if letters.count(word) > 1}
        if twice:
            raise CasebaseError(f"A word was given twice: {sorted(twice)[0]!r}.")
        return edit.with_ids(letters)

    def apply(self, edit: Edit) -> "HyphenatorContent":
        before = [self.saved.as_logged(word) for word, _ in edit.content["words"]]
        corrected = Hyphenator._of(self.saved.model_)
        for word, places in edit.content["words"]:
            corrected.correct(with_hyphens(word, places, SEPARATOR), hyphen=SEPARATOR)
        log = with_entry(self.log, "update", edit.ids or (), self.version, fingerprint(corrected), edit.author, before)
        corrected._log = with_edit(log, edit)
        return HyphenatorContent(corrected)

    def recalibrate(self) -> "HyphenatorContent":
        return self

    def inverse(self, entry: Entry) -> tuple[Kind, tuple[Id, ...] | None, dict[str, Any]]:
        places = [(record or {})["places"] for record in entry.replaced]
        return "correct", None, {"words": list(zip(entry.ids, places))}

    def save(self, path: Path) -> None:
        self.saved.save(path)


def fingerprint(hyphenator: Hyphenator) -> str:
    """Return a hash of the words and patterns of a hyphenator: 32 hexadecimal digits."""
    words, patterns = hyphenator.words_, hyphenator.patterns_
    record = [
        [words.with_hyphens(), words.weights.tolist()],
        [[p.text, p.offset, p.level, p.is_classes] for p in patterns],
        sorted((patterns.classes or {}).items()),
        [patterns.default_allows, patterns.left_min, patterns.right_min],
    ]
    return hashlib.blake2b(json.dumps(record).encode(), digest_size=16).hexdigest()
