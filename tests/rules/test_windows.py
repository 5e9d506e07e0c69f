"""Windowing: from a part of the examples to something that is right on all of them."""

import numpy as np
import pytest

from casebase.errors import CasebaseError
from casebase.rules.search import Concepts, applied, find_rule
from casebase.rules.windows import Round, windowed


def test_the_first_window_is_a_tenth_and_what_is_wrong_joins_it():
    windows = []

    def learn(window):
        windows.append(window.tolist())
        return len(windows)

    wrong = {1: [0, 5, 9], 2: [0, 3], 3: []}
    learnt, rounds = windowed(20, learn, lambda learnt: np.array(wrong[learnt], dtype=int), seed=4)

    assert learnt == 3
    assert len(windows[0]) == 2
    assert set(windows[1]) == {*windows[0], 0, 5, 9}
    assert set(windows[2]) == {*windows[1], 3}
    assert windows[2] == sorted(windows[2])
    assert [one.n_wrong for one in rounds][-1] == 0


def test_what_is_wrong_within_the_window_does_not_go_on_for_ever():
    _, rounds = windowed(5, lambda window: window, lambda window: np.arange(5))

    assert rounds[-1] == Round(5, 0)


def test_after_the_last_round_all_examples_are_learnt_from():
    _, rounds = windowed(
        50, lambda window: window, lambda window: np.setdiff1d(np.arange(50), window)[:1], fraction=0.02, max_rounds=3
    )

    assert [one.n_examples for one in rounds] == [1, 2, 3, 50]


def test_a_rule_from_windows_is_right_on_every_example():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (400, 5))
    labels = ((values[:, 0] == 1) & (values[:, 1] != 2)).astype(int)
    concepts = Concepts.of([np.flatnonzero(values[:, f] == v) for f in range(5) for v in range(3)])

    def learn(window):
        return find_rule(concepts.within(window, 400), labels[window])

    def wrong(rule):
        return np.flatnonzero(applied(rule, concepts, 400).label != labels)

    rule, rounds = windowed(400, learn, wrong)

    assert len(wrong(rule)) == 0
    assert rounds[-1].n_examples < 100


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_a_seed_is_a_whole_number(seed):
    """Regression: NumPy's own error about it was no message of ours."""
    with pytest.raises(CasebaseError, match="random_state is a whole number"):
        windowed(5, lambda window: window, lambda window: window, seed=seed)


@pytest.mark.parametrize("fraction", [0, 1.5, True, -0.1, "half"])
def test_a_window_is_a_share(fraction):
    with pytest.raises(CasebaseError, match="share of examples to start with"):
        windowed(5, lambda window: window, lambda window: window, fraction=fraction)
