"""SMILE on the letters, numbers cut by mdlp: answers a second, the naive version beside it, two threads beside one."""

import os
import time
from collections.abc import Iterator

import numpy as np
from tests.oracles import smile as plain

import casebase as cb
from benchmarks.report import REPEATS, Row
from benchmarks.timing import bound_to_cores, median_seconds
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.learners import smile

ALPHA = 8  # with which the paper's accuracy on the letters is met
N_CASES, N_FEW, N_QUESTIONS, N_NAIVE = 18_000, 2_000, 2_000, 3


def letters() -> tuple[np.ndarray, np.ndarray] | None:
    """Return the 20,000 letters in a fixed random order, or None where they are not installed."""
    try:
        data = cb.datasets.load_keel("letter", symbolic=False)
    except CasebaseError:
        return None
    order = np.random.default_rng(0).permutation(len(data.target))
    return np.asarray(data.data, dtype=float)[order], np.asarray(data.target)[order]


def smile_speed() -> Iterator[Row]:
    found = letters()
    if found is None:
        return
    X, y = found
    model = smile.fit(Cases.from_table(X[:N_CASES], y=y[:N_CASES]), alpha=ALPHA)
    asked = model.schema.encode(X[N_CASES : N_CASES + N_QUESTIONS])
    rate = N_QUESTIONS / median_seconds(lambda: model.answer(asked), REPEATS)
    yield Row(
        f"SMILE, letters {N_CASES:,} × 16, mdlp, alpha {ALPHA}: answers a second, one thread",
        f"{rate:,.0f}/s", "–", rate, 400,
    )  # fmt: skip
    yield from _against_naive(X, y)
    if (os.cpu_count() or 1) > 1:
        times: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(REPEATS):  # in turns, because a small machine has better and worse minutes
            times[1].append(median_seconds(lambda: model.answer(asked), 1))
            with bound_to_cores(2):
                times[2].append(median_seconds(lambda: model.answer(asked, n_jobs=2), 1))
        one, two = float(np.median(times[1])), float(np.median(times[2]))
        yield Row("SMILE, the same: two threads against one", f"{two:.3f} s", f"{one:.3f} s", one / two, 1.7)


def _against_naive(X: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    """The naive version reads Figure 2 aloud in Python; a few questions tell its rate."""
    model = smile.fit(Cases.from_table(X[:N_FEW], y=y[:N_FEW]), alpha=ALPHA)
    asked = model.schema.encode(X[N_CASES : N_CASES + N_QUESTIONS])
    ours = N_QUESTIONS / median_seconds(lambda: model.answer(asked), REPEATS)
    rows = np.array(model.coded.columns).T.tolist()
    labels = [model.schema.classes[c] for c in model.coded.known_labels]
    questions = np.array(model.questions(asked)).T.tolist()[:N_NAIVE]
    start = time.perf_counter()
    said = [plain.classify(rows, labels, question, ALPHA).label for question in questions]
    theirs = N_NAIVE / (time.perf_counter() - start)
    answered = [model.schema.classes[c] for c in model.answer(asked).label[:N_NAIVE]]
    assert said == answered, "the naive version answers otherwise"
    yield Row(
        f"SMILE, letters {N_FEW:,} × 16: answers a second against the naive version ({N_NAIVE} questions)",
        f"{ours:,.0f}/s", f"{theirs:.2f}/s", ours / theirs, 200,
    )  # fmt: skip
