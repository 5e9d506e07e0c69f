"""Many distances and long texts, where the search goes other ways than with few."""

import numpy as np
import pytest

import casebase as cb
from tests.oracles import differences

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("k", [60, 65, 200, 400])
def test_the_nearest_among_many_distinct_distances(k):
    """Rows wait for their places once there are many; what votes is what sorting all distances gives."""
    X, y = RNG.random((400, 2)), RNG.integers(0, 3, 400)
    clf = cb.IB1Classifier(k=k, weighting="none").fit(X, y)
    for query in RNG.random((10, 2)):
        distances = (np.abs(X - query) / (X.max(axis=0) - X.min(axis=0))).sum(axis=1)
        votes = np.bincount(y[np.argsort(distances)[:k]], minlength=3)
        if np.sum(votes == votes.max()) > 1:  # decided by further distances
            continue
        found = clf.explain([query])[0].votes

        assert [found.get(label, 0) for label in range(3)] == votes.tolist()


@pytest.mark.parametrize(("compat", "first_swap"), [(None, {}), ("timbl", {"first_swap": 2})])
@pytest.mark.parametrize("n", [63, 64, 65, 128, 150, 300])
def test_long_texts(n, compat, first_swap):
    """Texts of more than 64 characters are compared in several machine words."""
    letters = list("abé")
    asked = "".join(RNG.choice(letters, n))
    swapped = list(asked)
    for i in (0, 40, 63, 127, n - 2):
        if i + 1 < n:
            swapped[i : i + 2] = swapped[i + 1], swapped[i]
    stored = [
        "".join(swapped),
        asked[5:],
        asked[:-70] or "a",
        *("".join(RNG.choice(letters, m)) for m in (1, 64, 65, n)),
    ]
    clf = cb.IB1Classifier(k=len(stored), metric="levenshtein", weighting="none", compat=compat)
    clf.fit([[text] for text in stored], [f"c{i}" for i in range(len(stored))])
    evidence = clf.explain([[asked]])[0]
    in_bytes = compat == "timbl"
    wanted = {
        f"c{i}": differences.levenshtein(*((t.encode() if in_bytes else t) for t in (text, asked)), **first_swap)
        for i, text in enumerate(stored)
    }

    assert {case.label: case.distance for case in evidence.neighbours} == wanted
