"""Lemmas by the longest known ending, straight from the definition: every training word is compared with the query."""

from collections import Counter
from itertools import takewhile


def common_substrings(a: str, b: str) -> list[tuple[int, int, int]]:
    """All (place in a, place in b, length) of common substrings."""
    return [
        (i, j, n)
        for i in range(len(a))
        for j in range(len(b))
        for n in range(1, min(len(a) - i, len(b) - j) + 1)
        if a[i : i + n] == b[j : j + n]
    ]


def script(word: str, lemma: str) -> tuple[str, int, str, int, str]:
    """The case, what goes and what comes at both ends, with the fewest letters; the longest common substring stays."""
    found = []
    for case in ("lower", "same", "title"):
        base, goal = (word if case == "same" else word.lower()), lemma
        if case == "title":
            goal = lemma.lower()
            if goal[:1].upper() + goal[1:] != lemma:
                continue
        common = common_substrings(base, goal)
        if common:
            i, j, n = min(common, key=lambda one: (-one[2], one[0], one[1]))
            one = (case, i, goal[:j], len(base) - i - n, goal[j + n :])
        else:
            one = (case, 0, "", len(base), goal)
        found.append(one)
    return min(found, key=lambda one: one[1] + len(one[2]) + one[3] + len(one[4]))


def features(word: str, tag: str) -> list[str]:
    lower = word.lower()
    last = [*reversed(lower), *"=========="][:10]
    first = [*lower, *"==="][:3]
    case = "none" if word == lower else "all" if word == word.upper() and len(word) > 1 else "first"
    return [tag, *last, case, *first]


def votes(corpus: list[tuple[str, str, str]], word: str, tag: str) -> Counter[tuple[str, int, str, int, str]]:
    """How many different training words of each script agree with the query on the most features, from the first on."""
    asked = features(word, tag)
    rows = [(_n_same(features(w, t), asked), script(w, lemma)) for w, t, lemma in dict.fromkeys(corpus)]
    most = max(n for n, _ in rows)
    return Counter(one for n, one in rows if n == most)


def _n_same(one: list[str], other: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
