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
from lab.bench.sizes import Sizes, short
from lab.bench.timing import alternating, side

EXPLAINED: dict[str, tuple[str, dict[str, Any]]] = {
    "IB1, k=1": ("ib1", {}),
    "IB1, k=5": ("ib1", {"k": 5}),
    "IB1, k=5, MVDM": ("ib1", {"k": 5, "metric": "mvdm"}),
    "TRIBL": ("tribl", {}),
    "TRIBL2": ("tribl2", {}),
    "IB2": ("ib2", {}),
    "IGTree": ("igtree", {}),
    "SMILE, alpha=1": ("smile", {"alpha": 1}),
    "ID3": ("id3", {}),
    "C4.5": ("c45", {}),
    "C4.5rules": ("c45rules", {}),
    "perceptron tree": ("perceptron_tree", {}),
    "OBLIVION": ("oblivion", {}),
    "oblivious graph": ("oblivious_graph", {}),
    "hierarchical rules": ("rules", {}),
}
# Their learning takes more than linear time, and what an explanation costs shows with few cases too.
LEARN_SLOWLY = frozenset({"smile", "c45rules", "perceptron_tree", "oblivion", "oblivious_graph", "rules"})
N_SLOW = 1_000  # cases for these
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
    few = cases.take(np.arange(min(N_SLOW, cases.n_cases)))
    for name, (method, settings) in EXPLAINED.items():
        learnt = few if method in LEARN_SLOWLY else cases
        model = method_named(method).fit(learnt, **settings)
        asked = cb.read_cases(files.asked(min(1000, sizes.asked)))
        rows = [list(asked.values(row)) for row in range(asked.n_cases)]
        asked = model.schema.encode(rows)
        alone = [model.schema.encode([row]) for row in rows[:ONE_BY_ONE]]  # as a user asks, a row at a time
        what = f"an explanation of {name}, {files.name} {short(learnt.n_cases)} × 12, beside an answer"
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
