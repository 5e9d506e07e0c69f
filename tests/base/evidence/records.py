"""Literal records that the tests of this folder share."""

from casebase.base.evidence import AskedRule, CoveredCase, Evidence, RuleEvidence, Step, TreeEvidence, Unseen
from casebase.neighbours.evidence import Neighbour, NeighbourEvidence
from casebase.smile.evidence import Pool, PooledCase, SmileEvidence
from casebase.trees.evidence import PathEvidence, ReachedNode


def neighbours(**changes) -> NeighbourEvidence:
    """Return evidence of two votes for P and one for Q, changed as the test needs it."""
    record = {
        "features": ("f1", "f2", "f3"),
        "values": ("a", "x", "9"),
        "unseen": (Unseen("f3", "9"),),
        "label": "P",
        "votes": {"P": 2.0, "Q": 1.0},
        "weights": (0.2, 0.1, 0.5),
        "k": 1,
        "n_neighbours": 3,
        "distances": (0.5,),
        "neighbours": (
            Neighbour(4, ("a", "x", "1"), "P", 0.5, 1.0, (0.0, 0.0, 0.5)),
            Neighbour(12, ("a", "x", "2"), "P", 0.5, 1.0, (0.0, 0.0, 0.5)),
            Neighbour(7, ("a", "x", "3"), "Q", 0.5, 1.0, (0.0, 0.0, 0.5)),
        ),
        "nearest_other": Neighbour(7, ("a", "x", "3"), "Q", 0.5, 1.0, (0.0, 0.0, 0.5)),
        "is_exact": False,
        "was_tied": False,
    }
    return NeighbourEvidence(**{**record, **changes})


PATH = (
    Step(None, None, "Q", {"Q": 6.0, "P": 4.0}, 10.0),
    Step("f2", "x", "P", {"P": 3.0, "Q": 1.0}, 4.0),
)


def tree(**changes) -> TreeEvidence:
    """Return evidence of a walk that f2 = x began and f1 = z ended, changed as the test needs it."""
    record = {
        "features": ("f1", "f2"),
        "values": ("z", "x"),
        "unseen": (),
        "label": "P",
        "votes": {"P": 3.0, "Q": 1.0},
        "weights": (0.2, 0.5),
        "path": PATH,
        "stopped": "f1 = z has no branch here",
        "n_features_used": 1,
    }
    return TreeEvidence(**{**record, **changes})


def path(**changes) -> PathEvidence:
    """Return evidence of a walk over two tests to one leaf, changed as the test needs it."""
    record = {
        "features": ("f1", "f2"),
        "values": ("a", 3.5),
        "unseen": (),
        "label": "P",
        "votes": {"P": 3.0, "Q": 1.0},
        "weights": (),
        "path": (
            ReachedNode(None, None, "Q", {"Q": 6.0, "P": 4.0}, 10.0, 0, 1.0, ""),
            ReachedNode("f1", "a", "P", {"P": 4.0, "Q": 2.0}, 6.0, 1, 1.0, ""),
            ReachedNode("f2", "> 2.5", "P", {"P": 3.0, "Q": 1.0}, 4.0, 2, 1.0, "leaf of 2 classes"),
        ),
        "n_endings": 1,
        "spread": (),
    }
    return PathEvidence(**{**record, **changes})


def parted(**changes) -> PathEvidence:
    """Return evidence of a case without f1, of which three leaves got shares and two are listed."""
    record = {
        "values": (None, 3.5),
        "votes": {"P": 0.6, "Q": 0.4},
        "path": (
            ReachedNode(None, None, "Q", {"Q": 6.0, "P": 4.0}, 10.0, 0, 1.0, ""),
            ReachedNode("f1", "a", "P", {"P": 4.0, "Q": 2.0}, 6.0, 1, 0.6, ""),
            ReachedNode("f2", "> 2.5", "P", {"P": 3.0, "Q": 1.0}, 4.0, 2, 0.6, "leaf of 2 classes"),
            ReachedNode("f1", "b", "Q", {"Q": 3.0}, 3.0, 1, 0.3, "leaf of one class"),
        ),
        "n_endings": 3,
        "spread": ("f1",),
    }
    return path(**{**record, **changes})


def lattice(**changes) -> SmileEvidence:
    """Return evidence of two pools of two and three cases that share one, changed as the test needs it."""
    record = {
        "features": ("f1", "f2", "f3"),
        "values": ("a", "x", 2.5),
        "unseen": (),
        "label": "P",
        "votes": {"P": 4.0, "Q": 1.0},
        "weights": (),
        "alpha": 1,
        "pools": (
            Pool(("f1", "f2"), ("a", "x"), 2.0, {"P": 2.0}),
            Pool(("f3",), ("> 2",), 3.0, {"P": 2.0, "Q": 1.0}),
        ),
        "n_cases": 4,
        "cases": (
            PooledCase(4, ("a", "x", 3.0), "P", 1.0, (True, True, True), (0, 1)),
            PooledCase(7, ("a", "x", 1.0), "P", 1.0, (True, True, False), (0,)),
            PooledCase(9, ("b", None, 4.5), "Q", 1.0, (False, False, True), (1,)),
        ),
    }
    return SmileEvidence(**{**record, **changes})


def rule(**changes) -> RuleEvidence:
    """Return evidence of a rule that overrides a broader one, changed as the test needs it."""
    record = {
        "features": ("f1", "f2", "f3"),
        "values": ("a", "x", 2.5),
        "unseen": (),
        "label": "P",
        "votes": {"P": 2.0},
        "weights": (),
        "n_levels": 3,
        "rule": AskedRule(("f1", "f3"), ("a", "> 2"), "P", 2, 3.0, 1.0),
        "overridden": (AskedRule(("f2",), ("x",), "Q", 3, 5.0, 2.0), AskedRule((), (), "P", 4, 9.0, 3.0)),
        "exceptions": (AskedRule(("f2",), ("y",), "Q", 1, 1.0, 0.0),),
        "n_cases": 3,
        "cases": (
            CoveredCase(4, ("a", "x", 3.0), "P", 1.0, (True, True, True), True),
            CoveredCase(7, ("a", "y", 4.0), "Q", 1.0, (True, False, True), False),
        ),
    }
    return RuleEvidence(**{**record, **changes})


def with_features(n_features: int, costs: dict[int, float]) -> NeighbourEvidence:
    """Return evidence over many features; one neighbour differs where it has costs."""
    names = tuple(f"feature{i}" for i in range(n_features))
    stored = tuple("b" if i in costs else "a" for i in range(n_features))
    one = Neighbour(0, stored, "P", sum(costs.values()), 1.0, tuple(costs.get(i, 0.0) for i in range(n_features)))
    return neighbours(
        features=names,
        values=("a",) * n_features,
        unseen=(),
        weights=tuple(1 / (i + 1) for i in range(n_features)),
        n_neighbours=1,
        votes={"P": 1.0},
        neighbours=(one,),
        nearest_other=None,
        distances=(one.distance,),
    )


def plain(**changes) -> Evidence:
    """Return what all evidence has and nothing more."""
    record = {
        "features": ("f",),
        "values": ("a",),
        "unseen": (),
        "label": "P",
        "votes": {"P": 1.0},
        "weights": (1.0,),
    }
    return Evidence(**{**record, **changes})
