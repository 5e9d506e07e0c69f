"""The methods that the paper compares, ours and the peers', and their learning curves."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from casebase import C45Classifier, IB1Classifier, ID3Classifier, OblivionClassifier
from lab.papers.records import Curve, Row
from lab.papers.running import Results
from lab.peers.scikit_learn import one_neighbour, unpruned_tree

NEIGHBOUR, IB1, OBLIVION, FORWARD = "nearest neighbour", "IB1", "OBLIVION", "OBLIVION, forward"
TREE, UNPRUNED, FULL_TREE = "C4.5", "C4.5 without pruning", "ID3"
IN_TREE = "features in the tree"
PEER_NEIGHBOUR, PEER_TREE, J48 = "scikit-learn's 1-NN", "scikit-learn's tree", "Weka's J48"

MAKERS: dict[str, Callable[[], Any]] = {
    NEIGHBOUR: partial(OblivionClassifier, max_steps=0),  # the paper's: OBLIVION is this, with selection
    IB1: partial(IB1Classifier, weighting="none"),
    OBLIVION: OblivionClassifier,
    FORWARD: partial(OblivionClassifier, direction="forward"),
    TREE: partial(C45Classifier, subtree_raising=True),  # as Quinlan's program
    UNPRUNED: partial(C45Classifier, pruned=False, min_cases=1),  # without limits on its size
    FULL_TREE: ID3Classifier,  # goes on where no feature has a gain, unlike C4.5
    PEER_NEIGHBOUR: one_neighbour,
    PEER_TREE: unpruned_tree,
}
MEASURED = (NEIGHBOUR, IB1, PEER_NEIGHBOUR, TREE, PEER_TREE, OBLIVION)
PEER_OF = {NEIGHBOUR: PEER_NEIGHBOUR, TREE: PEER_TREE, UNPRUNED: PEER_TREE}

# The curves of the paper's figures.
DRAWN = {NEIGHBOUR: "Nearest neighbour", TREE: "C4.5", OBLIVION: "OBLIVION"}
AXES = ("Number of training instances", "Accuracy (%)")
TREE_NOTE = (
    "C4.5 is casebase's: with pruning as in the paper's Figure 2, or without, where branches of a single case are "
    "allowed, too. scikit-learn's tree beside it is its DecisionTreeClassifier(criterion='entropy') on one-hot values, "
    "which is never pruned; on chess endgames it is Weka's J48 where that is installed."
)

NEIGHBOUR_NOTE = (
    "Nearest neighbour is OBLIVION without selection: all nearest cases vote, and a tied vote goes to the more "
    "frequent class. casebase's IB1, unweighted, asks the next nearest cases first; scikit-learn's 1-NN takes a single "
    "case."
)
NOTES = (NEIGHBOUR_NOTE, TREE_NOTE)

Watch = Callable[[str, int, Any], None]


def ties_wrong(method: str) -> str:
    """Return the name of a method's results if a prediction by a tied vote counts as an error."""
    return f"{method}, tied votes wrong"


def learning_curves(
    data: np.ndarray,
    labels: np.ndarray,
    test: np.ndarray,
    sizes: Sequence[int],
    methods: Sequence[str] = MEASURED,
    watch: Watch | None = None,
    strict: Sequence[str] = (),
) -> dict[tuple[str, int], float]:
    """Return the accuracy in percent by method and number of training cases.

    The first cases train, so that smaller training sets are parts of larger ones. `watch` sees each fitted method.
    `strict` methods are judged a second time, with tied votes as errors.
    """
    percent = {}
    for n in sizes:
        for method in methods:
            fitted = MAKERS[method]().fit(data[:n], labels[:n])
            is_right = fitted.predict(data[test]) == labels[test]
            percent[method, n] = 100.0 * float(np.mean(is_right))
            if method in strict:
                percent[ties_wrong(method), n] = 100.0 * float(np.mean(is_right & ~was_tied(fitted, data[test])))
            if watch:
                watch(method, n, fitted)
    return percent


def was_tied(fitted: Any, data: np.ndarray) -> np.ndarray:
    """Return for which cases a second class has as many votes as the prediction."""
    model = fitted.model_
    answers = model.answer(model.schema.encode(data))
    votes = np.sort(answers.distribution(len(model.schema.classes)), axis=1)
    tied: np.ndarray = votes[:, -1] == votes[:, -2]
    return tied


def peer_of(method: str, results: Results) -> str:
    """Return the results of a method's peer: J48 for C4.5, if it ran."""
    was_asked = any(isinstance(key, tuple) and key[0] == J48 for key in results)
    return J48 if method == TREE and was_asked else PEER_OF.get(method, "")


def rows_of(
    experiment: str,
    data: str,
    results: Results,
    sizes: Sequence[int],
    methods: Sequence[str] = (NEIGHBOUR, IB1, TREE, OBLIVION),
    orientation: Mapping[tuple[str, int], float] | None = None,
) -> list[Row]:
    """Return a row for each method and number of training cases."""
    return [
        Row(
            experiment,
            data,
            method,
            f"{n} training cases",
            ours=results.get((method, n)),
            peer=results.get((peer_of(method, results), n)),
            peer_name=peer_of(method, results),
            orientation=(orientation or {}).get((method, n)),
        )
        for n in sizes
        for method in methods
    ]


def curves_of(
    results: Results, sizes: Sequence[int], drawn: Mapping[str, str] = MappingProxyType(DRAWN)
) -> tuple[Curve, ...]:
    return tuple(Curve(label, {n: results[method, n] for n in sizes}) for method, label in drawn.items())


def n_runs_of(results: Results) -> str:
    n = next(iter(results.values())).n_runs
    return f"{n} run{'s' * (n != 1)}"
