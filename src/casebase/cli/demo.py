"""casebase demo"""

import itertools
import time
from dataclasses import replace
from functools import partial
from typing import Any

import click
import numpy as np

from casebase.base.model import Model
from casebase.cli.output import console, grid, print_json
from casebase.data import Cases
from casebase.datasets import Dataset, load_monks, load_objects, load_tic_tac_toe
from casebase.evaluate import cross_validate
from casebase.methods import method_named
from casebase.render.progress_bar import progress_bar
from casebase.render.text import render_text

SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "IB1": ("ib1", {"weighting": "none"}),
    "IB1-IG": ("ib1", {"weighting": "gain_ratio"}),
    "IGTree": ("igtree", {}),
    "TRIBL": ("tribl", {}),
    "OBLIVION": ("oblivion", {}),
    "SMILE": ("smile", {}),
}
N_FOLDS = 10
N_ANSWERS = 20_000  # predictions that time a method


@click.command("demo")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(as_json: bool) -> None:
    """Compare six methods on small built-in data sets and explain one answer.

    Accuracy comes from ten-fold cross-validation; speed is predictions per second on one thread.

    Example:  casebase demo
    """
    sets = [load_tic_tac_toe(), load_monks(1), load_monks(3)]
    records = []
    with progress_bar("learning") as progress:
        for dataset in sets:
            cases = as_cases(dataset)
            for method in SHOWN:
                records.append({"data": dataset.name, **_try(cases, method)})
                progress(len(records), len(sets) * len(SHOWN))
    if as_json:
        print_json(records)
        return
    out = console()
    table = grid("data", "method", "accuracy", "answers/s", "cases", "size", first_left=2)
    table.columns[-1].justify = "left"
    for record in records:
        table.add_row(
            record["data"],
            record["method"],
            f"{record['accuracy']:.1%}",
            f"{record['answers_per_second']:,.0f}",
            f"{record['n_cases']:,}",
            record["size"],
        )
    out.print(table, markup=False)
    out.print("\nWhy? One answer of IB1-IG on twelve objects, and the cases that decided:\n", markup=False)
    objects = as_cases(load_objects())
    model = fit("IB1-IG", objects)
    click.echo(render_text(model.explain(model.schema.encode([_question(objects)]))[0]))


def as_cases(dataset: Dataset) -> Cases:
    rows = [dict(zip(dataset.feature_names, row)) for row in dataset.data.tolist()]
    return Cases.from_table(rows, y=dataset.target)


def fit(method: str, cases: Cases) -> Model:
    learner, parameters = SHOWN[method]
    model: Model = method_named(learner).fit(cases, **parameters)
    return model


def _try(cases: Cases, method: str) -> dict[str, Any]:
    learner, parameters = SHOWN[method]
    report = cross_validate(cases, partial(method_named(learner).fit, **parameters), N_FOLDS)
    model = fit(method, cases)
    many = model.schema.recode(_new_cases(cases))
    start = time.perf_counter()
    model.answer(many)
    seconds = time.perf_counter() - start
    return {
        "n_cases": cases.n_cases,
        "method": method,
        "accuracy": report.accuracy,
        "size": model.summary().size,
        "answers_per_second": N_ANSWERS / seconds,
    }


def _new_cases(cases: Cases) -> Cases:
    """Return cases to time predictions on: each value is drawn independently, so that few cases are stored ones."""
    draw = np.random.default_rng(0)
    columns = tuple(column[draw.integers(cases.n_cases, size=N_ANSWERS)] for column in cases.columns)
    return replace(cases, columns=columns, labels=None, ids=None, n_cases=N_ANSWERS)


def _question(objects: Cases) -> dict[str, Any]:
    """Return the first combination of values that no object has."""
    stored = {tuple(objects.values(row)) for row in range(objects.n_cases)}
    values = [feature.vocabulary.values.to_pylist() for feature in objects.schema.features if feature.vocabulary]
    new = next(combination for combination in itertools.product(*values) if combination not in stored)
    return dict(zip(objects.schema.names, new))
