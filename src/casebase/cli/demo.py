"""casebase demo"""

import time
from functools import partial
from typing import Any

import click
import numpy as np

from casebase.cli.output import console, grid, print_json, progress_bar
from casebase.cli.summary import size_of
from casebase.data import Cases
from casebase.datasets import Dataset, load_monks, load_objects, load_tic_tac_toe
from casebase.evaluate import cross_validate
from casebase.evidence import render_text
from casebase.learners import LEARNERS, Model

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "IB1": ("ib1", {"weighting": "none"}),
    "IB1-IG": ("ib1", {"weighting": "gain_ratio"}),
    "IGTree": ("igtree", {}),
    "TRIBL": ("tribl", {}),
}
N_FOLDS = 10
N_ANSWERS = 20_000  # cases answered to time a method


@click.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def command(as_json: bool) -> None:
    """Learn small tables with every method, compare them, and explain one answer.

    Accuracy is that of ten-fold cross-validation; speed is answers a second on one thread.

    Example:  casebase demo
    """
    sets = [load_tic_tac_toe(), load_monks(1), load_monks(3)]
    records = []
    with progress_bar("learning", len(sets) * len(METHODS)) as advance:
        for dataset in sets:
            cases = as_cases(dataset)
            for method in METHODS:
                records.append({"data": dataset.name, **_try(cases, method)})
                advance(1)
    if as_json:
        print_json(records)
        return
    out = console()
    table = grid("data", "cases", "method", "accuracy", "size", "answers/s")
    for record in records:
        table.add_row(
            record["data"], f"{record['n_cases']:,}", record["method"], f"{record['accuracy']:.1%}",
            record["size"], f"{record['answers_per_second']:,.0f}",
        )  # fmt: skip
    out.print(table, markup=False)
    out.print("\nWhy? One answer of IB1-IG on twelve objects, and the cases that decided:\n", markup=False)
    objects = as_cases(load_objects())
    model = fit("IB1-IG", objects)
    click.echo(render_text(model.explain(model.schema.encode([_question(objects)]))[0]))


def as_cases(dataset: Dataset) -> Cases:
    cases = Cases.from_table(
        [dict(zip(dataset.feature_names, row)) for row in dataset.data.tolist()], y=dataset.target
    )
    return cases


def fit(method: str, cases: Cases) -> Model:
    learner, parameters = METHODS[method]
    return LEARNERS[learner](cases, **parameters)


def _try(cases: Cases, method: str) -> dict[str, Any]:
    learner, parameters = METHODS[method]
    report = cross_validate(cases, partial(LEARNERS[learner], **parameters), N_FOLDS)
    model = fit(method, cases)
    many = model.schema.recode(cases.take(np.arange(N_ANSWERS) % cases.n_cases))
    start = time.perf_counter()
    model.answer(many)
    seconds = time.perf_counter() - start
    return {
        "n_cases": cases.n_cases,
        "method": method,
        "accuracy": report.accuracy,
        "size": size_of(model),
        "answers_per_second": N_ANSWERS / seconds,
    }


def _question(objects: Cases) -> dict[str, Any]:
    """A case that is not stored: the first one with a value of the last one in place of its own."""
    names = objects.schema.names
    first, last = objects.values(0), objects.values(objects.n_cases - 1)
    return dict(zip(names, [last[0], *first[1:]]))
