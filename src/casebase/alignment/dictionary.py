"""Pronunciation dictionaries: words with their phonemes, as in the CMU dictionary."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from casebase.errors import CasebaseError, FormatError
from casebase.formats.plain_text import read_text

COMMENT = ";;;"
VARIANT = re.compile(r"(.+)\((\d+)\)")  # WORD(2)
STRESS = re.compile(r"(?<=\D)[0-2]$")


@dataclass(frozen=True)
class Pronunciation:
    """A word and its phonemes."""

    word: str
    phonemes: tuple[str, ...]


def read_pronunciations(
    source: str | Path | bytes | BinaryIO,
    *,
    stress: bool = False,
    variants: bool = False,
    only_letters: bool = True,
    encoding: str = "utf-8",
) -> list[Pronunciation]:
    """Return the words of a dictionary file, in lower case, each with its phonemes.

    A line has a word and its phonemes, with blanks between: `PHONE  F OW1 N`. A second pronunciation is `PHONE(2)`, or
    a number follows each word: `PHONE 1 F OW1 N`. Lines that begin with `;;;` and what follows a `#` are comments. The
    file may be compressed with gzip.

    Parameters
    ----------
    source : path, bytes or file
        The dictionary.
    stress : bool, default=False
        Whether phonemes keep their digit of stress: `OW1`.
    variants : bool, default=False
        Whether a word has all its pronunciations, instead of the first.
    only_letters : bool, default=True
        Whether words with signs or digits are left out.
    encoding : str, default="utf-8"
        The encoding of the file.

    Examples
    --------
    >>> read_pronunciations(b"TEA  T IY1\\nTEA(2)  T EY1\\n")
    [Pronunciation(word='tea', phonemes=('T', 'IY'))]
    """
    text = read_text(source, encoding=encoding)
    found: list[Pronunciation] = []
    known: set[str] = set()
    for number, line in enumerate(text.data.decode("utf-8").splitlines(), 1):
        line = line.partition(" #")[0].strip()
        if not line or line.startswith(COMMENT):
            continue
        word, *phonemes = line.split()
        if phonemes and phonemes[0].isdecimal():
            phonemes = phonemes[1:]
        if not phonemes:
            raise FormatError(f"{text.name}, line {number}: expected a word and its phonemes, got {line[:40]!r}.")
        match = VARIANT.fullmatch(word)
        word = (match[1] if match else word).lower()
        if (only_letters and not word.isalpha()) or (word in known and not variants):
            continue
        known.add(word)
        found.append(
            Pronunciation(word, tuple(phonemes if stress else (STRESS.sub("", phoneme) for phoneme in phonemes)))
        )
    if not found:
        raise FormatError(f"{text.name} has no words with phonemes; expected lines such as 'phone  F OW1 N'.")
    return found


def checked_pronunciations(given: Any) -> list[Pronunciation]:
    """Return words with their phonemes from a list of pairs; an error says which is none."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise CasebaseError("Expected a list of words with phonemes, such as [('phone', 'F OW N')].")
    found = [_checked(one, f"word {i + 1}") for i, one in enumerate(given)]
    if not found:
        raise CasebaseError("There are no words to align. Give at least one, such as ('phone', 'F OW N').")
    return found


def _checked(one: Any, name: str) -> Pronunciation:
    if isinstance(one, Pronunciation):
        word, phonemes = one.word, one.phonemes
    elif isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str):
        word = one[0]
        phonemes = tuple(one[1].split()) if isinstance(one[1], str) else tuple(one[1])
    else:
        raise CasebaseError(f"{name}: expected a word and its phonemes, such as ('phone', 'F OW N'); got {one!r}.")
    if not word or not all(isinstance(p, str) and p and not set(p) & set("+_\t\n ") for p in phonemes):
        raise CasebaseError(
            f"{name}: expected a word with letters, and phonemes without blanks, '+' and '_', which stand for two "
            f"phonemes and for none; got {word!r} and {phonemes!r}."
        )
    return Pronunciation(word, phonemes)
