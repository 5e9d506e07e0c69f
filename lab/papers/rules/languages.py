"""Words of several languages from Debian's lists, hyphenated by pyphen's patterns, for learning the patterns back."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from casebase.datasets import DataNotFoundError
from lab.papers.rules.words import LEFT_MIN, RIGHT_MIN, Words, english, halves
from lab.peers import hyphenators

FOLDER = Path("/usr/share/dict")
LONGEST = 48  # letters: patgen reads no longer words
N_TRAINING, N_OTHERS = 50_000, 5_000


@dataclass(frozen=True)
class Language:
    """A language: Debian's package, its file and encoding, and the name of pyphen's patterns."""

    name: str
    package: str
    file: str
    patterns: str
    encoding: str = "utf-8"
    left_min: int = 2
    right_min: int = 2


ENGLISH = Language("English", "", "", "en_US", left_min=LEFT_MIN, right_min=RIGHT_MIN)  # of a pronouncing dictionary
LANGUAGES = (
    ENGLISH,
    Language("German", "wngerman", "ngerman", "de_DE"),
    Language("French", "wfrench", "french", "fr"),
    Language("Dutch", "wdutch", "dutch", "nl_NL"),
    Language("Swedish", "wswedish", "swedish", "sv", "latin-1"),
    Language("Spanish", "wspanish", "spanish", "es"),
    Language("Italian", "witalian", "italian", "it_IT"),
    Language("Danish", "wdanish", "danish", "da_DK"),
)


@cache
def drawn(language: Language, n_training: int = N_TRAINING, n_others: int = N_OTHERS) -> tuple[Words, Words]:
    """Return words to learn from, and others; both are drawn with seed 0."""
    if language == ENGLISH:
        return halves(english(n_training + n_others, 0), n_training, 0)
    path = FOLDER / language.file
    if not path.exists():
        raise DataNotFoundError(f"{path} is not there; Debian's package {language.package} has it.")
    entries = {word.lower() for word in path.read_text(encoding=language.encoding).split()}
    known = sorted(word for word in entries if word.isalpha() and 2 <= len(word) <= LONGEST)
    order = np.random.default_rng(0).permutation(len(known))[: n_training + n_others]
    ask = hyphenators.asking_pyphen(hyphenators.dictionary(language.patterns), language.left_min, language.right_min)
    parts = ([known[i] for i in np.sort(part)] for part in (order[:n_training], order[n_training:]))
    training, others = (Words(tuple(part), tuple(tuple(map(int, places)) for places in ask(part))) for part in parts)
    return training, others
