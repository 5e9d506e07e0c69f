"""What was learned and written breaks words in pyphen, libhyphen and TeX as it does here: training words and others."""

import random
from itertools import pairwise

import pytest

from casebase.hyphenation.induction import Settings, learn
from casebase.hyphenation.matcher import CompiledPatterns
from casebase.hyphenation.pattern_files import to_dic, to_tex
from casebase.hyphenation.words import hyphenated_words
from lab.peers import hyphenators
from tests.peers import data_lines, require_libhyphen, require_pyphen, require_tex

N_OTHERS = 5_000


def finnish():
    return data_lines("finnish_hyphenation.txt")


def made_up():
    """Words of syllables, with letters of one to four bytes and an apostrophe; some syllables are parted by vowel."""
    draw = random.Random(5)
    consonants, vowels, ends = (
        ["b", "č", "ł", "ž", "ð", "д", "𐌱", "k", ""],
        ["a", "ä", "õ", "ю", "𐌰", "i"],
        ["", "s", "'"],
    )
    words = set()
    while len(words) < 1_000:
        syllables = [
            draw.choice(consonants) + draw.choice(vowels) + draw.choice(ends) for _ in range(draw.randint(1, 4))
        ]
        words.add("-".join(syllables))
    known = {}
    for word in sorted(words):
        known.setdefault(word.replace("-", ""), word)
    return list(known.values())


def mostly_broken():
    """Words that break nearly everywhere, so that the default allows it."""
    draw = random.Random(7)
    words = {"".join(draw.choice("abcäš") for _ in range(draw.randint(2, 8))) for _ in range(500)}
    return ["".join(a + "-" * ((a, b) != ("a", "b")) for a, b in pairwise(word)) + word[-1] for word in sorted(words)]


def others(known):
    """Words that are not known: the beginning of one and the end of another."""
    draw, found = random.Random(3), set()
    while len(found) < N_OTHERS:
        one, other = draw.choice(known), draw.choice(known)
        found |= {one[: draw.randint(1, len(one))] + other[draw.randint(0, len(other) - 1) :]} - set(known)
    return sorted(found)


def model(words, settings):
    """Patterns, the words to be asked about, what the patterns say, and the letters that occur."""
    given = hyphenated_words(words)
    patterns = learn(given, settings).patterns
    asked = [*given.words, *others(given.words)]
    said = CompiledPatterns(patterns).positions(asked)
    inner = [
        [p for p in places if patterns.left_min <= p <= len(word) - patterns.right_min]
        for word, places in zip(given.words, given.places)
    ]
    assert said[: len(given)] == inner
    return patterns, asked, said, {letter for word in given.words for letter in word}


CASES = {
    "Finnish, depth 1": (finnish, Settings(depth=1, max_class_length=3)),
    "Finnish, depth 2": (finnish, Settings(depth=2, max_class_length=3)),
    "Finnish, depth 3, two letters at the edges": (finnish, Settings(3, max_class_length=3, left_min=2, right_min=2)),
    "made up": (made_up, Settings(depth=2, max_class_length=3)),
    "made up, one and two letters at the edges": (made_up, Settings(depth=3, classes="none", right_min=2)),
    "mostly broken": (mostly_broken, Settings(depth=2, classes="none")),
}


@pytest.mark.peer
@pytest.mark.parametrize("case", CASES)
def test_the_libraries_break_as_the_patterns_do(case):
    """Every training word and thousands of others, in the real libraries."""
    for require in (require_pyphen, require_libhyphen, require_tex):
        require()
    words, settings = CASES[case]
    patterns, asked, said, letters = model(words(), settings)
    dic = to_dic(patterns, letters=letters)

    assert hyphenators.pyphen_positions(dic, asked, patterns.left_min, patterns.right_min) == said
    assert hyphenators.libhyphen_positions(dic, asked) == said
    assert hyphenators.tex_positions(to_tex(patterns, letters=letters), asked) == said


def test_the_default_that_allows_breaks_is_among_the_cases():
    """Otherwise the last case would show nothing new."""
    assert learn(hyphenated_words(mostly_broken()), CASES["mostly broken"][1]).patterns.default_allows
