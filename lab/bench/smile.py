"""SMILE on the letters, discretised by MDLP: its speed, against the naive version, and on two threads against one."""

from collections.abc import Iterator
from functools import partial

import numpy as np

import casebase as cb
from casebase.base.threads import n_cores
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.smile import smile
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import alternating, bound_to_cores, runs_of, side
from tests.oracles import smile as plain

ALPHA = 8  # with which the paper's accuracy on the letters is met
DEFAULT = smile.Settings()
N_NAIVE = 3


def letters() -> tuple[np.ndarray, np.ndarray] | None:
    """Return the 20,000 letters in a fixed random order, or None where they are not installed."""
    try:
        data = cb.datasets.load_keel("letter", symbolic=False)
    except CasebaseError:
        return None
    order = np.random.default_rng(0).permutation(len(data.target))
    return np.asarray(data.data, dtype=float)[order], np.asarray(data.target)[order]


def smile_speed(sizes: Sizes) -> Iterator[Row]:
    found = letters()
    if found is None:
        return
    X, y = found
    n = sizes.letters
    cases = Cases.from_table(X[:n], y=y[:n])
    model = smile.fit(cases, alpha=ALPHA, pools="cases")
    asked = model.schema.encode(X[-sizes.letters_asked :])
    answer = partial(model.answer, asked)
    rate = runs_of(answer, sizes.repeats).rate(sizes.letters_asked)
    what = f"SMILE, letters {n:,} × 16, mdlp, alpha {ALPHA}"
    yield alone(f"{what}: answers a second, one thread", rate, 400, "/s", is_cost=False)
    by_default = smile.fit(cases, DEFAULT)
    taken = alternating(
        {
            "default": side(partial(by_default.answer, asked), sizes.repeats),
            "as printed": side(partial(smile.fit(cases, alpha=0, pools="cases").answer, asked), sizes.repeats),
        }
    )
    yield beside(
        f"SMILE, letters {n:,} × 16, mdlp, alpha {DEFAULT.alpha}: pools that weigh by size against the printed vote",
        taken["default"].rate(sizes.letters_asked),
        taken["as printed"].rate(sizes.letters_asked),
        0.9,
        "/s",
    )
    yield _against_naive(X, y, sizes)
    if n_cores() > 1:
        taken = alternating(
            {
                "one": side(answer, sizes.repeats),
                "two": side(partial(answer, n_jobs=2), sizes.repeats, partial(bound_to_cores, 2)),
            }
        )
        yield beside(f"{what}: two threads against one", taken["two"], taken["one"], 1.7)


def _against_naive(X: np.ndarray, y: np.ndarray, sizes: Sizes) -> Row:
    """The naive version follows the paper's Figure 2 in Python; a few queries are enough to time it."""
    n = sizes.letters_few
    model = smile.fit(Cases.from_table(X[:n], y=y[:n]), alpha=ALPHA, pools="cases")
    asked = model.schema.encode(X[-sizes.letters_asked :])
    rows = np.array(model.coded.columns).T.tolist()
    labels = [model.schema.classes[c] for c in model.coded.known_labels]
    questions = np.array(model.questions(asked)).T.tolist()[:N_NAIVE]
    said: list[object] = []

    def ask_naive() -> None:
        said[:] = [plain.classify(rows, labels, question, ALPHA).label for question in questions]

    taken = alternating(
        {"ours": side(partial(model.answer, asked), sizes.repeats), "peer": side(ask_naive, sizes.repeats)}
    )
    answered = [model.schema.classes[c] for c in model.answer(asked).label[:N_NAIVE]]
    assert said == answered, "the naive version answers otherwise"
    return beside(
        f"SMILE, letters {n:,} × 16: answers a second against the naive version ({N_NAIVE} questions)",
        taken["ours"].rate(sizes.letters_asked),
        taken["peer"].rate(N_NAIVE),
        200,
        "/s",
    )
