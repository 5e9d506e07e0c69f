"""The cost of loading a model against fitting it, and of an explanation against a prediction."""

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import casebase as cb
from casebase import methods
from casebase.base.model import Model
from casebase.data import Cases
from casebase.methods import method_named
from lab.bench import data
from lab.bench.report import Row, beside
from lab.bench.sizes import Sizes
from lab.bench.timing import alternating, side

EXPLAINED: dict[str, tuple[str, dict[str, Any]]] = {
    "IB1, k=1": ("ib1", {}),
    "IB1, k=5": ("ib1", {"k": 5}),
    "IB1, k=5, MVDM": ("ib1", {"k": 5, "metric": "mvdm"}),
    "TRIBL": ("tribl", {}),
    "TRIBL2": ("tribl2", {}),
    "IGTree": ("igtree", {}),
    "C4.5": ("c45", {}),
}
AT_MOST = 5  # answers that an explanation may cost
ONE_BY_ONE = 100  # questions that are asked alone


def loading(sizes: Sizes) -> Iterator[Row]:
    """Loading a model, including its checksum and all checks, against fitting it on coded cases."""
    files = data.windows(sizes)
    cases = cb.read_cases(files.many)
    fit = method_named("ib1").fit
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.cb"
        methods.save(path, fit(cases))
        methods.load(path)  # the file has been read once before the clock starts
        taken = alternating(
            {"load": side(partial(methods.load, path), sizes.repeats), "fit": side(partial(fit, cases), sizes.repeats)}
        )
    what = f"reading a model of IB1, {files.name} {files.size(files.many)} × 12, beside learning it"
    yield beside(what, taken["load"], taken["fit"], 1.0, is_cost=True)


def explaining(sizes: Sizes) -> Iterator[Row]:
    """Explanations against predictions for the same queries, one at a time and all at once."""
    files = data.windows(sizes)
    cases = cb.read_cases(files.middle)
    for name, (method, settings) in EXPLAINED.items():
        model = method_named(method).fit(cases, **settings)
        asked = cb.read_cases(files.asked(min(1000, sizes.asked)))
        asked = model.schema.encode([list(asked.values(row)) for row in range(asked.n_cases)])
        alone = [asked.take(np.array([row])) for row in range(min(ONE_BY_ONE, asked.n_cases))]
        what = f"an explanation of {name}, {files.name} {files.size(files.middle)} × 12, beside an answer"
        yield _explained(f"{what}, one by one", model, alone, AT_MOST, sizes)
        yield _explained(f"{what}, {asked.n_cases:,} at once", model, [asked], None, sizes)


def _explained(what: str, model: Model, questions: list[Cases], target: float | None, sizes: Sizes) -> Row:
    def answer() -> None:
        for question in questions:
            model.answer(question)

    def explain() -> None:
        for question in questions:
            model.explain(question)

    explain()  # what is made once for all questions is there
    taken = alternating({"explain": side(explain, sizes.repeats), "answer": side(answer, sizes.repeats)})
    return beside(what, taken["explain"], taken["answer"], target, is_cost=True)
