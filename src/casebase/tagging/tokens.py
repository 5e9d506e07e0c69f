"""A simple tokenizer for plain text in any language and script.

Text is split at blanks. Punctuation and symbols at the edges of a chunk become tokens of their own; inside a word they
stay (`don't`, `3.14`, `e-mail`, `U.S.`). A full stop stays with an abbreviation: single letters with stops between
them, a word in the list of abbreviations (a tagger knows those of its corpus), and a word that is followed by a small
letter, so that the stop does not end a sentence. A sentence ends with `.`, `!`, `?` or their equivalents in other
scripts, and with the closing quotes and brackets that follow.
"""

import re
import unicodedata
from collections.abc import Set

_ENDS = frozenset(".!?…。！？؟۔।॥።")
_CLOSING = frozenset("\"'”’»›)]}」』】）")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")


def tokens_of(line: str, abbreviations: Set[str] = frozenset()) -> list[list[str]]:
    """Return the sentences of a line, each as a list of tokens.

    >>> tokens_of('He said: "Stop, Mr. Smith!" It costs $3.50.', {"Mr."})
    [['He', 'said', ':', '"', 'Stop', ',', 'Mr.', 'Smith', '!', '"'], ['It', 'costs', '$', '3.50', '.']]
    """
    chunks = line.split()
    sentences: list[list[str]] = [[]]
    for i, chunk in enumerate(chunks):
        following = chunks[i + 1] if i + 1 < len(chunks) else ""
        tokens = _pieces(chunk, following, abbreviations)
        sentences[-1] += tokens
        if following and _ends_sentence(tokens):
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def _pieces(chunk: str, following: str, abbreviations: Set[str]) -> list[str]:
    """Split a chunk, the text between two blanks, into its word and the punctuation around it.

    >>> _pieces("(U.S.),", "and", set())
    ['(', 'U.S.', ')', ',']
    """
    start, end = 0, len(chunk)
    while start < end and _is_punctuation(chunk[start]):
        start += 1
    while end > start and _is_punctuation(chunk[end - 1]):
        end -= 1
    word, behind = chunk[start:end], chunk[end:]
    if word and behind.startswith(".") and not behind.startswith(".."):
        is_in_sentence = behind == "." and following[:1].islower()
        if is_in_sentence or word + "." in abbreviations or _INITIALS.fullmatch(word + "."):
            word, behind = word + ".", behind[1:]
    return [*_runs(chunk[:start]), *([word] if word else []), *_runs(behind)]


def _runs(marks: str) -> list[str]:
    """Split punctuation into single marks; a run of the same mark (`...`, `--`) is one token."""
    return [match.group() for match in re.finditer(r"(.)\1*", marks, re.DOTALL)]


def _ends_sentence(tokens: list[str]) -> bool:
    last = len(tokens) - 1
    while last > 0 and tokens[last] in _CLOSING:
        last -= 1
    return tokens[last][0] in _ENDS


def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "PS"
