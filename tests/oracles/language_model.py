"""A language model from its definition: contexts counted one by one, mixed from the shortest to the longest.

The contexts are those that IGTree stores: one is not looked into further if one word followed it, and is left out if
its most frequent word is that of the shorter context, and so it is in all longer ones.
"""

from collections import Counter
from collections.abc import Sequence

Window = Sequence[str]


def probability(text: Sequence[Sequence[str]], before: Sequence[str], word: str, order: Sequence[int]) -> float:
    """Return the probability of a word after others; `order` has the places of the words before, 0 the farthest."""
    n = len(order)
    windows = [(["=="] * n + list(sentence))[i : i + n + 1] for sentence in text for i in range(len(sentence))]
    asked = (["=="] * n + list(before))[-n:]
    followed = Counter(window[-1] for window in windows)
    share = (followed.get(word) or len(followed)) / (followed.total() + len(followed))
    met = windows
    for depth, place in enumerate(order):
        longer = [window for window in met if window[place] == asked[place]]
        if len({window[-1] for window in met}) == 1 or not _is_stored(longer, met, order[depth + 1 :], followed):
            break
        met = longer
        counts = Counter(window[-1] for window in met)
        share = (counts[word] + len(counts) * share) / (len(met) + len(counts))
    return share


def _likeliest(windows: Sequence[Window], followed: Counter[str]) -> str:
    counts = Counter(window[-1] for window in windows)
    return min(counts, key=lambda word: (-counts[word], -followed[word], word))


def _is_stored(
    longer: Sequence[Window], shorter: Sequence[Window], order: Sequence[int], followed: Counter[str]
) -> bool:
    if not longer:
        return False
    if _likeliest(longer, followed) != _likeliest(shorter, followed):
        return True
    if len({window[-1] for window in longer}) == 1 or not order:
        return False
    values = {window[order[0]] for window in longer}
    parts = [[window for window in longer if window[order[0]] == value] for value in values]
    return any(_is_stored(part, longer, order[1:], followed) for part in parts)
