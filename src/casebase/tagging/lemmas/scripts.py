"""Edit scripts: how a word becomes its lemma, independent of the letters that stay.

A script says which case the word is taken in, and what replaces its first and its last letters. What stays is the
longest common substring of word and lemma. `running` → `run` and `sitting` → `sit` have one script: the last four
letters go.
"""

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Self

Case = Literal["lower", "same", "title"]
CASES: tuple[Case, ...] = ("lower", "same", "title")
SEPARATOR = "\t"  # no token of a corpus has it


@dataclass(frozen=True)
class Script:
    """The case in which a word is taken, how many letters go at both ends, and what comes for them.

    >>> Script("lower", 0, "", 3, "y").apply("Cities")
    'city'
    """

    case: Case
    n_first: int
    first: str
    n_last: int
    last: str

    def apply(self, word: str) -> str | None:
        """Return the lemma of a word; None if no letter of the word would stay."""
        base = word if self.case == "same" else word.lower()
        if self.n_first + self.n_last >= len(base):
            return None
        lemma = f"{self.first}{base[self.n_first : len(base) - self.n_last]}{self.last}"
        return _titled(lemma) if self.case == "title" else lemma

    @property
    def text(self) -> str:
        """The script as a class.

        >>> Script.parse(Script("lower", 0, "", 3, "y").text) == Script("lower", 0, "", 3, "y")
        True
        """
        return SEPARATOR.join([self.case, str(self.n_first), self.first, str(self.n_last), self.last])

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the script of a class; ValueError if it is none."""
        case, n_first, first, n_last, last = text.split(SEPARATOR)
        if case not in CASES or not (n_first.isdecimal() and n_last.isdecimal()):
            raise ValueError(f"{text!r} is not an edit script")
        return cls(case, int(n_first), first, int(n_last), last)

    def __str__(self) -> str:
        """Say what the script does.

        >>> print(Script("lower", 0, "", 3, "y"), Script("title", 2, "", 0, ""), Script("same", 0, "", 0, ""), sep="; ")
        in lower case, the last 3 letters → y; in lower case, the first 2 letters go, with a capital; as it is
        """
        parts = ["as it is" if self.case == "same" else "in lower case"]
        parts += [_change(self.n_first, self.first, "first")] if self.n_first or self.first else []
        parts += [_change(self.n_last, self.last, "last")] if self.n_last or self.last else []
        return ", ".join([*parts, *(["with a capital"] if self.case == "title" else [])])


def script_of(word: str, lemma: str) -> Script:
    """Return the script that makes a lemma of a word: of the three cases the one that changes the fewest letters.

    >>> script_of("Cities", "city"), script_of("PARIS", "Paris").case, script_of("ging", "gehen").n_last
    (Script(case='lower', n_first=0, first='', n_last=3, last='y'), 'title', 3)
    """
    scripts = [found for case in CASES if (found := _script(word, lemma, case)) is not None]
    return min(scripts, key=lambda one: one.n_first + len(one.first) + one.n_last + len(one.last))


def _script(word: str, lemma: str, case: Case) -> Script | None:
    base = word if case == "same" else word.lower()
    if case == "title":
        if _titled(lemma.lower()) != lemma:
            return None
        lemma = lemma.lower()
    match = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
    end, to_end = match.a + match.size, match.b + match.size
    if not match.size:  # nothing stays
        return Script(case, 0, "", len(base), lemma)
    return Script(case, match.a, lemma[: match.b], len(base) - end, lemma[to_end:])


def _titled(text: str) -> str:
    return text[:1].upper() + text[1:]


def _change(n: int, text: str, where: str) -> str:
    which = f"the {where} letter" if n == 1 else f"the {where} {n} letters"
    if not text:
        return f"{which} {'goes' if n == 1 else 'go'}"
    return f"{which} → {text}" if n else f"{text} {'before it' if where == 'first' else 'behind it'}"
