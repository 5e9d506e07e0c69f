"""patgen, Liang's program for TeX's hyphenation patterns, run without a dialogue.

It reads a dictionary of hyphenated words, patterns to begin with (here none) and a table of letters, asks for the range
of lengths and three numbers for each level, and writes patterns. Letters are single bytes to it, so each letter of the
words stands for one byte while it works.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from casebase.errors import CasebaseError
from casebase.hyphenation.pattern_files.digits import parse_digits, patterns_of
from casebase.hyphenation.patterns import PatternSet
from lab.peers.programs import Workplace, has_program

PROGRAM = "patgen"
LONGEST_WORD = 48  # it gives up at 50 letters, edges included
BYTES = [*range(ord("a"), ord("z") + 1), *range(0xA1, 0x100)]
_FOUND = re.compile(r"([\d.]+) %, ([\d.]+) %, ([\d.]+) %")


@dataclass(frozen=True)
class Level:
    """Lengths of the patterns of a level; a pattern stays if good · `good` - bad · `bad` reaches `threshold`."""

    shortest: int
    longest: int
    good: int = 1
    bad: int = 1
    threshold: int = 1


# With these it finds every hyphen of the training words and no other one; the last levels take what is never wrong.
CONSISTENT = (Level(1, 3), Level(1, 4), Level(1, 6), Level(1, 8), Level(1, 12, bad=100), Level(1, 15, bad=1000))


def is_installed() -> bool:
    """Return whether the program is there (Debian: texlive-binaries)."""
    return has_program(PROGRAM)


@dataclass(frozen=True)
class Found:
    """patgen's patterns, and its own percentages of found and of wrong hyphens in the training words."""

    patterns: PatternSet
    n_lines: int
    mean_length: float
    good: float
    bad: float


def patterns_by_patgen(
    words: Sequence[str], levels: Sequence[Level] = CONSISTENT, *, left_min: int = 1, right_min: int = 1
) -> Found:
    """Learn patterns from hyphenated words, such as "hy-phen-a-tion"."""
    letters = sorted({letter for word in words for letter in word} - {"-"})
    if len(letters) > len(BYTES):
        raise CasebaseError(f"patgen knows at most {len(BYTES)} letters here; these words have {len(letters)}.")
    byte_of = dict(zip(letters, BYTES)) | {"-": ord("-")}
    letter_of = {byte: letter for letter, byte in byte_of.items()}
    short = [word for word in words if len(word.replace("-", "")) <= LONGEST_WORD]
    with Workplace() as place:
        dictionary = b"".join(bytes(byte_of[letter] for letter in word) + b"\n" for word in short)
        # The distances stand in two columns each, then one letter a line, behind the blank that separates.
        table = b"%2d%2d\n" % (left_min, right_min) + b"".join(b" %c\n" % byte_of[letter] for letter in letters)
        for file, content in (("dictionary", dictionary), ("nothing", b""), ("letters", table)):
            (place.path / file).write_bytes(content)
        answers = [f"1 {len(levels)}"]
        for level in levels:
            answers += [f"{level.shortest} {level.longest}", f"{level.good} {level.bad} {level.threshold}"]
        answers.append("n")  # the list of words is not wanted with its hyphens
        files = ("dictionary", "nothing", "patterns", "letters")
        ran = place.run(PROGRAM, *files, answers="\n".join(answers).encode() + b"\n")
        written = place.path / "patterns"
        if ran.status != 0 or not written.exists():
            raise ran.failure()
        lines = [line for line in written.read_bytes().split(b"\n") if line]
    digits = dict(parse_digits("".join(letter_of.get(byte, chr(byte)) for byte in line)) for line in lines)
    good, bad, _ = map(float, _FOUND.findall(ran.output)[-1])
    mean = sum(map(len, digits)) / len(digits) if digits else 0.0
    return Found(patterns_of(digits, left_min=left_min, right_min=right_min), len(digits), mean, good, bad)
