"""casebase weights"""

from typing import Any

import click
import numpy as np

from casebase.cli.options import (
    DataFile,
    file_options,
    json_option,
    kind_options,
    n_threads,
    parse_metric,
    threads_option,
)
from casebase.cli.output import console, grid, print_json, say, say_kinds
from casebase.data import Cases
from casebase.measures.distances import resolve_metrics
from casebase.measures.relevance_table import MEASURES_OF_COUNTS, relevance_table
from casebase.measures.relief import relief
from casebase.measures.weights import RELIEF, used_features
from casebase.render.progress_bar import progress_bar

SHOWN_MEASURES = [*MEASURES_OF_COUNTS, RELIEF]
N_DIFFERENCES = 10_000_000_000  # RELIEF computes at most this many, in a few seconds; it samples larger tables


@click.command("weights")
@click.argument("data")
@click.option(
    "--metric",
    default="overlap",
    show_default=True,
    metavar="NAME|FEATURE=NAME,…",
    help="Metric, as for train: it says which features are numeric or ignored.",
)
@kind_options
@json_option
@threads_option
@file_options
def command(data: str, metric: str, as_json: bool, threads: int | None, **options: Any) -> None:
    """Show how relevant each feature of DATA is to the class, by five measures.

    Example:  casebase weights words.tsv --target tag
    """
    cases = DataFile.from_options(data, options, threads).cases()
    say_kinds(cases.schema)
    cases, _ = resolve_metrics(cases, parse_metric(metric))
    relief_weights = _relief(cases, n_threads(threads))
    records = relevance_table(cases, relief_weights)
    if as_json:
        print_json(records)
        return
    out = console()
    table_of_weights = grid("feature", "kind", "values", *SHOWN_MEASURES, first_left=2)
    for record in sorted(records, key=lambda record: -record["gain_ratio"]):
        numbers = [f"{record[name]:.6f}" for name in SHOWN_MEASURES]
        table_of_weights.add_row(record["feature"], record["kind"], f"{record['n_values']:,}", *numbers)
    out.print(table_of_weights, markup=False)


def _relief(cases: Cases, n_jobs: int) -> np.ndarray:
    """Return RELIEF's weights, from a sample where all cases would take too long."""
    used = used_features(cases)
    n_samples = max(1, N_DIFFERENCES // (cases.n_cases * len(used)))
    if n_samples < cases.n_cases:
        say(f"relief: from {n_samples:,} of the {cases.n_cases:,} cases, drawn at random")
    n_used = min(n_samples, cases.n_cases)
    with progress_bar("relief", n_used) as progress:
        sample = None if n_samples >= cases.n_cases else n_samples
        return relief(cases, used, n_samples=sample, n_jobs=n_jobs, progress=progress)
