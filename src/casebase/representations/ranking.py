"""From pairs to a ranking: the winner, the order, and cycles."""

from collections.abc import Mapping, Sequence

from casebase.representations.record import Pair


def winner(names: Sequence[str], pairs: Sequence[Pair]) -> str | None:
    """Return the representation that beats all others, None if there is none."""
    won = [pair.verdict for pair in pairs]
    return next((name for name in names if won.count(name) == len(names) - 1), None)


def rank(names: Sequence[str], pairs: Sequence[Pair], bits: Mapping[str, float]) -> tuple[str, ...]:
    """Return all names, best first: outside a cycle, no name comes before one that beats it.

    Where the pairs do not decide, fewer bits come first, then the order given.

    >>> pair = Pair("a", "b", 0, 7, 0, 0.008, "b")
    >>> rank(["a", "b", "c"], [pair], {"a": 1.0, "b": 3.0, "c": 2.0})
    ('c', 'b', 'a')
    """
    beats = _beats(names, pairs)
    groups = cycles(names, pairs) + tuple((name,) for name in names)
    left, order = list(names), []
    while left:
        # The members of a cycle are ranked together, as soon as nothing outside it that is left beats any of them.
        open_groups = [
            [name for name in group if name in left]
            for group in groups
            if group[0] in left and not any(beats[other] & set(group) for other in left if other not in group)
        ]
        best = min(open_groups, key=lambda group: min((bits[name], names.index(name)) for name in group))
        best.sort(key=lambda name: (bits[name], names.index(name)))
        order += best
        left = [name for name in left if name not in best]
    return tuple(order)


def cycles(names: Sequence[str], pairs: Sequence[Pair]) -> tuple[tuple[str, ...], ...]:
    """Return the cycles of names that beat one another, each in the order of the names.

    >>> won = [("a", "b", "a"), ("b", "c", "b"), ("a", "c", "c")]
    >>> cycles(["a", "b", "c", "d"], [Pair(one, other, 7, 0, 0, 0.01, best) for one, other, best in won])
    (('a', 'b', 'c'),)
    """
    reached = _beats(names, pairs)
    for through in names:
        for name in names:
            if through in reached[name]:
                reached[name] |= reached[through]
    found = {
        tuple(other for other in names if other in reached[name] and name in reached[other])
        for name in names
        if name in reached[name]
    }
    return tuple(sorted(found, key=lambda cycle: names.index(cycle[0])))


def _beats(names: Sequence[str], pairs: Sequence[Pair]) -> dict[str, set[str]]:
    beats: dict[str, set[str]] = {name: set() for name in names}
    for pair in pairs:
        if pair.verdict is not None:
            beats[pair.verdict].add(pair.second if pair.verdict == pair.first else pair.first)
    return beats
