"""Literal records that the tests of this folder share."""

from casebase.autopilot.evidence import CommitteeEvidence as SharesEvidence
from casebase.autopilot.evidence import ReadingVote, SharedCase
from casebase.base.evidence import AskedRule, CoveredCase, Evidence, RuleEvidence, Step, TreeEvidence, Unseen
from casebase.base.flips import Change, Flip, Removal
from casebase.hyphenation.evidence import HyphenationEvidence, PatternEvidence, PlaceEvidence
from casebase.neighbours.evidence import Neighbour, NeighbourEvidence
from casebase.oblivious.evidence import AbstractCase, AbstractEvidence
from casebase.smile.evidence import Pool, PooledCase, SmileEvidence
from casebase.strings.evidence import AskedPiece, CoveredString, StringEvidence
from casebase.tagging.evidence import Context, TagEvidence
from casebase.tagging.lemmas.evidence import LemmaEvidence
from casebase.tagging.opinions import CommitteeEvidence, Opinion
from casebase.trees.evidence import Contribution, PathEvidence, PerceptronEvidence, ReachedNode


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


def perceptron(**changes) -> PerceptronEvidence:
    """Return evidence of a test and a perceptron below it, changed as the test needs it."""
    record = {
        "features": ("f1", "f2"),
        "values": ("a", "x"),
        "unseen": (),
        "label": "P",
        "votes": {"P": 6.0},
        "weights": (),
        "path": (path().path[0], ReachedNode("f1", "a", "P", {"P": 4.0, "R": 2.0}, 6.0, 1, 1.0, "leaf")),
        "n_endings": 1,
        "spread": (),
        "sums": {"P": 3.0, "R": 1.0, "Q": -2.0},
        "rival": "R",
        "bias": 0.5,
        "contributions": (Contribution("f2", "x", 2.25), Contribution("f1", "a", -0.75)),
        "n_contributions": 3,
    }
    return PerceptronEvidence(**{**record, **changes})


def abstract(**changes) -> AbstractEvidence:
    """Return evidence of two abstract cases that match on one of two features, changed as the test needs it."""
    record = {
        "features": ("f1", "f2", "f3"),
        "values": ("a", "x", "9"),
        "unseen": (),
        "label": "P",
        "votes": {"P": 4.0, "Q": 1.0},
        "weights": (1.0, 0.0, 1.0),
        "kept": ("f3", "f1"),
        "ignored": ("f2",),
        "n_matched": 1,
        "n_abstract_cases": 3,
        "abstract_cases": (AbstractCase(("9", "b"), {"P": 3.0}, 3.0), AbstractCase(("8", "a"), {"Q": 1.0}, 1.0)),
        "n_cases": 5.0,
    }
    return AbstractEvidence(**{**record, **changes})


CONTEXTS = (Context(("the", "dog", "barks"), 1, "N", 6), Context(("a", "dog"), 1, "N", 0))


def committee(**changes) -> CommitteeEvidence:
    """Return evidence of two memories, one of which never met the question, changed as the test needs it."""
    record = {
        "label": "N",
        "rival": "V",
        "distribution": {"V": 0.25, "N": 0.75},
        "opinions": (
            Opinion(("word", "tag-1"), ("dog", "D"), 2, {"N": 1200, "V": 1}, (0.5, 1.0), 4.5),
            Opinion(("suffix3",), ("dog",), 0, {}, (0.5,), -0.5),
        ),
        "was_certain": False,
    }
    return CommitteeEvidence(**{**record, **changes})


def tag(**changes) -> TagEvidence:
    """Return evidence that a committee tagged a word, changed as the test needs it."""
    record = {
        "word": "dog",
        "tag": "N",
        "is_known": True,
        "confidence": 0.973,
        "n_held_out": 1204,
        "by_all_words": False,
        "evidence": committee(),
        "contexts": CONTEXTS,
        "n_contexts": 1201,
        "against": (Context(("they", "dog", "him"), 1, "V", 8),),
        "n_against": 1,
    }
    return TagEvidence(**{**record, **changes})


def hyphenation(**changes) -> HyphenationEvidence:
    """Return evidence of a break that overrides another pattern, changed as the test needs it."""
    strong = PatternEvidence("s-s", 2, True, False, 7.0, 3, ("kis-sa", "tas-su"))
    same, weak = PatternEvidence("KE", 2, True, True, 5.0), PatternEvidence("ss", 1, False, False, 9.0)
    record = {
        "word": "kissa",
        "hyphenated": "kis-sa",
        "places": (
            PlaceEvidence(2, "ki|ssa", False, None, (), ()),
            PlaceEvidence(3, "kis|sa", True, strong, (same,), (weak,)),
        ),
        "default_allows": False,
    }
    return HyphenationEvidence(**{**record, **changes})


def lemma(**changes) -> LemmaEvidence:
    """Return evidence of the lemma of a new word, changed as the test needs it."""
    record = {
        "word": "zoos",
        "tag": "N",
        "lemma": "zoo",
        "is_known": False,
        "script": "-s",
        "n": 2,
        "rivals": (),
        "ending": "oos",
        "examples": (("moos", "moo"), ("boos", "boo")),
    }
    return LemmaEvidence(**{**record, **changes})


def string(**changes) -> StringEvidence:
    """Return evidence of a rule over strings with an exception that does not hold, changed as the test needs it."""
    record = {
        "features": ("string",),
        "values": ("na|tive",),
        "unseen": (Unseen("letter", "v"),),
        "label": "T",
        "votes": {"T": 3.0, "SH": 1.0},
        "weights": (),
        "n_levels": 2,
        "rule": AskedPiece("|t", "", "T", 2, 5.0, 2.0),
        "overridden": (AskedPiece("", "", "AH", 3, 9.0, 6.0),),
        "exceptions": (AskedPiece("E|tKE", "classes around the letter", "SH", 1, 1.0, 0.0),),
        "n_exceptions": 1,
        "strings": (CoveredString("|take", "T", 1.0, True), CoveredString("na|tion", "SH", 1.0, False)),
        "n_strings": 5,
    }
    return StringEvidence(**{**record, **changes})


# One record of every kind, by the name that JSON has for it.
def shares(**changes) -> SharesEvidence:
    """Return evidence of two readings that disagree, with a case for the answer and one against it."""
    record = {
        "features": ("f1", "f2"),
        "values": ("a", 2.5),
        "unseen": (),
        "label": "P",
        "votes": {"P": 0.75, "Q": 0.25},
        "weights": (),
        "readings": (
            ReadingVote(name="forest", weight=0.8, label="P", votes={"P": 0.875, "Q": 0.125}),
            ReadingVote(name="kernel", weight=0.2, label="Q", votes={"P": 0.25, "Q": 0.75}),
        ),
        "n_cases": 9,
        "cases": (
            SharedCase(id=4, values=("a", 2.0), label="P", weight=1.0, share=0.5, agrees=(True, False)),
            SharedCase(id=7, values=("b", 2.5), label="Q", weight=2.0, share=0.125, agrees=(False, True)),
        ),
        "amounts": (1.5, -0.25),
    }
    return SharesEvidence(**{**record, **changes})


def flip(**changes) -> Flip:
    """Return the flip of a prediction by one change, and by the removal of two cases."""
    record = {
        "features": ("f1", "f2"),
        "values": ("a", "x"),
        "label": "P",
        "wanted": None,
        "new_label": "Q",
        "changes": (Change("f1", "a", "b"),),
        "cost": 0.2,
        "limit": 3,
        "proved": 0,
        "is_cheapest": True,
        "n_tried": 3,
        "records": (7,),
        "removal": Removal((4, 12), "Q", 1),
    }
    return Flip(**{**record, **changes})


BY_KIND = {
    "abstract": abstract(),
    "committee": committee(),
    "evidence": plain(),
    "flip": flip(),
    "hyphenation": hyphenation(),
    "lattice": lattice(),
    "lemma": lemma(),
    "neighbours": neighbours(path=PATH),
    "path": path(),
    "perceptron": perceptron(),
    "rule": rule(),
    "shares": shares(),
    "string": string(),
    "tag": tag(),
    "tree": tree(),
}
