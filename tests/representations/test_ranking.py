"""From pairs to a ranking."""

from casebase.representations.ranking import cycles, rank, winner
from casebase.representations.record import Pair


def pairs_of(*verdicts):
    return [Pair(a, b, 0, 0, 0, 0.0, best) for a, b, best in verdicts]


BITS = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}


def test_decided_pairs_come_before_bits():
    """a beats all, though it has the most bits."""
    pairs = pairs_of(("a", "b", "a"), ("a", "c", "a"), ("b", "c", "b"))
    assert rank("abc", pairs, BITS) == ("a", "b", "c")
    assert winner("abc", pairs) == "a"


def test_bits_decide_what_is_open():
    """Without verdicts the ranking is by bits, and there is no best."""
    pairs = pairs_of(("a", "b", None), ("a", "c", None), ("b", "c", None))
    assert rank("abc", pairs, BITS) == ("c", "b", "a")
    assert winner("abc", pairs) is None


def test_a_circle_is_reported_and_ranked_by_bits():
    """a beats b beats c beats a; d is beaten by one of them, so it comes after all three."""
    pairs = pairs_of(("a", "b", "a"), ("b", "c", "b"), ("a", "c", "c"), ("a", "d", "a"), ("b", "d", None))
    assert cycles("abcd", pairs) == (("a", "b", "c"),)
    assert rank("abcd", pairs, BITS) == ("c", "b", "a", "d")
    assert winner("abcd", pairs) is None


def test_no_circles():
    """A plain order has none."""
    assert cycles("abc", pairs_of(("a", "b", "a"), ("b", "c", "b"), ("a", "c", "a"))) == ()
