"""Questions that wait at the same time are answered together, and as each would be alone."""

import asyncio
import json
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casebase import methods
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.neighbours import ib1
from casebase.serve.api.batches import MOST, Batches, answers_each_alone, joined
from tests.serve.serving import running

ROWS = [
    [word, float(n), "yes" if n % 2 else "no"] for n, word in enumerate(["bar", "bat", "cat", "dog", "dot", "cart"])
]
TRAINED = Cases.from_table(ROWS, target=-1)
ASKED: list[list[Any]] = [["bar", 1.0], ["bats", 2.5], ["carts", 9.0], [None, 3.0], ["xyz", None], ["2.5", 1.0]]


def coded(rows: Sequence[Sequence[Any]]) -> list[Cases]:
    return [TRAINED.schema.encode([list(row)]) for row in rows]


def gathered(questions: list[Cases], answer: Any) -> list[Any]:
    """Return the answers, or errors, to questions that are asked at the same time."""

    async def ask() -> list[Any]:
        batches = Batches()
        asked = (batches.answer(("m", "v"), cases, answer) for cases in questions)
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert not batches.waiting
        return found

    return asyncio.run(ask())


@pytest.mark.parametrize("n", [1, 5, MOST + 3])
def test_questions_are_answered_together_and_in_order(n: int) -> None:
    sizes = []

    def answer(cases: Cases) -> list[bytes]:
        sizes.append(cases.n_cases)
        return [str(number).encode() for number in cases.columns[1].tolist()]

    questions = coded([["bar", float(i)] for i in range(n)])
    assert gathered(questions, answer) == [str(float(i)).encode() for i in range(n)]
    assert sizes == [n] if n <= MOST else [MOST, n - MOST]


def test_an_error_is_that_of_one_question() -> None:
    def answer(cases: Cases) -> list[bytes]:
        if 3.0 in cases.columns[1]:
            raise CasebaseError("three")
        return [b"right"] * cases.n_cases

    found = gathered(coded([["bar", 1.0], ["bar", 3.0], ["bar", 2.0]]), answer)
    assert found[0] == found[2] == b"right"
    assert isinstance(found[1], CasebaseError)


@pytest.mark.parametrize("metric", ["overlap", "levenshtein", "mvdm"])
def test_joined_cases_are_answered_as_each_alone(metric: str) -> None:
    """Unseen values too, which some metrics compare by their letters."""
    model = ib1.fit(TRAINED, metric=metric, k=2, vote="inverse_distance")
    questions = coded(ASKED)
    together = model.answer(joined(questions))
    alone = [model.answer(cases) for cases in questions]
    assert together.label.tolist() == [int(one.label[0]) for one in alone]
    n_classes = len(TRAINED.schema.classes)
    assert together.distribution(n_classes) == pytest.approx(np.vstack([one.distribution(n_classes) for one in alone]))


def test_answers_that_depend_on_earlier_ones_are_not_joined() -> None:
    """As TiMBL does it, a tie changes the inverse linear votes of all later cases of a run."""
    assert answers_each_alone(ib1.fit(TRAINED, k=2, vote="inverse_linear"))
    assert answers_each_alone(ib1.fit(TRAINED, k=2, compat="timbl"))
    assert not answers_each_alone(ib1.fit(TRAINED, k=2, vote="inverse_linear", compat="timbl"))


def test_many_clients_get_their_own_answers(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "ib1.cb"
    path.write_bytes((trained / "ib1.cb").read_bytes())
    model = methods.load(path).model
    cases = [
        {"sex": sex, "cabin": cabin, "fare": fare}
        for sex in ("male", "female", "?")
        for cabin in ("first", "third")
        for fare in (5.0, 60.5)
    ]
    labels = [
        model.schema.classes[
            int(model.answer(model.schema.encode([dict.fromkeys(model.schema.needed_columns) | one])).label[0])
        ]
        for one in cases
    ]
    with running(path) as address:

        def ask(i: int) -> bool:
            body = json.dumps({"cases": [cases[i % len(cases)]]}).encode()
            request = urllib.request.Request(f"{address}/v1/models/ib1/predict", body)
            request.add_header("content-type", "application/json")
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["predictions"] == [{"label": labels[i % len(cases)]}]

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(ask, range(200)))
