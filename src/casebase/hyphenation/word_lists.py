"""Word lists: one word per line, optionally followed by a tab and a weight."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from casebase.errors import FormatError
from casebase.formats.plain_text import read_text
from casebase.hyphenation.words import HYPHEN, HyphenatedWords, hyphenated_words


@dataclass(frozen=True)
class WordList:
    """The words of a file, the weight of each, and its line as errors name it."""

    words: tuple[str, ...]
    weights: tuple[float, ...]
    names: tuple[str, ...]


def read_hyphenated_words(
    source: str | Path | bytes | BinaryIO, *, hyphen: str = HYPHEN, encoding: str = "utf-8"
) -> HyphenatedWords:
    """Return the hyphenated words of a file; errors name the line.

    >>> read_hyphenated_words(b"ta-lo\\nkis-sa\\t3\\n").with_hyphens()
    ['kis-sa', 'ta-lo']
    """
    word_list = read_word_list(source, encoding=encoding)
    return hyphenated_words(word_list.words, word_list.weights, hyphen=hyphen, names=word_list.names)


def read_word_list(source: str | Path | bytes | BinaryIO, *, encoding: str = "utf-8") -> WordList:
    """Return the words of a file, one per line; empty lines are skipped."""
    text = read_text(source, encoding=encoding)
    words, weights, names = [], [], []
    for number, line in enumerate(text.data.decode("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        word, _, weight = line.strip().partition("\t")
        name = f"{text.name}, line {number}"
        words.append(word)
        weights.append(_weight(weight, name) if weight else 1.0)
        names.append(name)
    if not words:
        raise FormatError(f"{text.name} has no words; expected one a line, such as 'hy-phen-a-tion'.")
    return WordList(tuple(words), tuple(weights), tuple(names))


def _weight(text: str, name: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = float("nan")
    if not 0.0 < weight < float("inf"):
        raise FormatError(f"{name}: expected a word, or a word, a tab and a weight above 0; the weight is {text!r}.")
    return weight
