"""Numbers cut into intervals, and TRIBL's switch point by cross-validation: accuracy in ten folds, as Markdown.

`python -m lab.bench.cut_numbers cuts` and `python -m lab.bench.cut_numbers switch` print the tables of the pages on
discretisation and on TRIBL. The tables were listed before any of them was looked at.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import casebase as cb
from casebase.data import Cases
from casebase.evaluate import cross_validate
from casebase.memory.fingerprints import first_by_content
from casebase.methods import method_named

OF_NUMBERS = [
    "bupa",
    "heart",
    "ionosphere",
    "iris",
    "mammographic",
    "pima",
    "saheart",
    "segment",
    "sonar",
    "tae",
    "vehicle",
    "vowel",
    "wdbc",
    "wine",
    "wisconsin",
]
GRAPH = "oblivious_graph"
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in ("igtree", "tribl", "tribl2", "oblivion")},
    **{f"{GRAPH} {how}": (GRAPH, {"method": how}) for how in ("consistent", "eodg")},
    "ib1": ("ib1", {}),
}
WAYS = ("none", "mdlp", "equal_frequency", "equal_width")
OF_SYMBOLS = [
    "breast",
    "chess",
    "hayes-roth",
    "housevotes",
    "led7digit",
    "monk-2",
    "mushroom",
    "splice",
    "tic-tac-toe",
    "titanic",
]
WITH_CUTS = ["pima", "segment", "vehicle", "vowel", "wdbc", "wine"]
MOST_CASES = 3000  # of a larger table, the first of a shuffle by content


def accuracy(cases: Cases, learner: str, **settings: Any) -> float:
    """Return the share of right answers in ten folds; cuts and switch points come from the other nine."""
    return cross_validate(cases, partial(method_named(learner).fit, **settings), 10).accuracy


def cases_of(name: str, *, symbolic: bool) -> Cases:
    data = cb.datasets.load_keel(name, symbolic=symbolic)
    cases = Cases.from_table(data.data.tolist(), y=data.target)
    if cases.n_cases > MOST_CASES:
        cases = cases.take(first_by_content(cases, MOST_CASES))
    return cases


def cuts(names: Sequence[str] = OF_NUMBERS, learners: Sequence[str] = tuple(LEARNERS)) -> Iterator[str]:
    """Yield the rows of the table of learners with numbers as symbols and as intervals."""
    yield "| table | learner | " + " | ".join(WAYS) + " |"
    yield "|---|---|" + "---|" * len(WAYS)
    for name in names:
        cases = cases_of(name, symbolic=False)
        for learner in learners:
            method, settings = LEARNERS[learner]
            found = [accuracy(cases, method, discretise=way, **settings) for way in WAYS]
            yield f"| {name} | {learner} | " + " | ".join(f"{100 * one:.1f}" for one in found) + " |"


def switch() -> Iterator[str]:
    """Yield the rows of the table of switch points by the rule and by cross-validation."""
    yield "| table | IB1 | IGTree | TRIBL `auto` | TRIBL `cv` | switch: `auto`, `cv` |"
    yield "|---|---|---|---|---|---|"
    for name in [*OF_SYMBOLS, "letter", *WITH_CUTS]:
        cut: dict[str, Any] = {"discretise": "mdlp"} if name in WITH_CUTS else {}
        cases = cases_of(name, symbolic=name not in WITH_CUTS)
        ib1 = accuracy(cases, "ib1", weighting="none", **cut)
        igtree = accuracy(cases, "igtree", **cut)
        auto, cv = (accuracy(cases, "tribl", switch=way, **cut) for way in ("auto", "cv"))
        chosen = [method_named("tribl").fit(cases, switch=way, **cut).switch for way in ("auto", "cv")]
        shares = " | ".join(f"{100 * one:.1f}" for one in (ib1, igtree, auto, cv))
        yield f"| {name} | {shares} | {chosen[0]}, {chosen[1]} |"


if __name__ == "__main__":
    for row in {"cuts": cuts, "switch": switch}[sys.argv[1]]():
        print(row, flush=True)
