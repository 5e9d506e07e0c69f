"""casebase train"""

import time
from typing import Any

import click

from casebase import methods
from casebase.base.parameters import plain_parameters
from casebase.cli.ids import new_ids
from casebase.cli.options import (
    LEARN_IN_THREADS,
    DataFile,
    file_options,
    learner_option,
    learner_options,
    learner_parameters,
    n_threads,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import counted, say
from casebase.cli.summary import size_of
from casebase.data import Table
from casebase.methods import LEARNERS
from casebase.render.progress_bar import progress_to

WITHOUT_CASES = {
    "oblivion": "abstract cases",
    "id3": "a tree of tests",
    "c45": "a tree of tests",
    "c45rules": "rules",
    "perceptron_tree": "tests and weights",
    "oblivious_graph": "a graph of tests",
}


@click.command("train")
@click.argument("data")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to save the model.")
@learner_option
@learner_options
@click.option(
    "--keep-cases/--no-keep-cases",
    default=True,
    show_default=True,
    help="IGTree: keep the cases beside the tree, so that it can be corrected.",
)
@click.option("--ids", metavar="FILE", help="The ids of the cases, one a line; 0, 1, 2 … by default.")
@threads_option
@file_options
def command(
    data: str, output: str, learner: str, threads: int | None, keep_cases: bool, ids: str | None, **options: Any
) -> None:
    """Learn from DATA and save the model.

    DATA is a file of cases, '-' for standard input. An existing model is replaced only when the new one is
    complete.

    Example:  casebase train words.tsv -o words.cb --learner igtree --target tag
    """
    path = writable(output, data, ids)
    if path is None:
        raise click.UsageError("A model is not written to standard output; name a file with -o.")
    parameters = learner_parameters(learner, options)
    if learner == "igtree":
        parameters["keep_cases"] = keep_cases
    elif learner in WITHOUT_CASES:
        refuse_given(["keep_cases"], f"has no meaning for the learner {learner}, which keeps {WITHOUT_CASES[learner]}.")
    else:
        refuse_given(["keep_cases"], f"has no meaning for the learner {learner}, which always keeps cases.")
    start = time.perf_counter()
    file = DataFile.from_options(data, options, threads)
    table = file.table()
    cases = file.cases_of(table, new_ids(ids, table.n_rows))
    with progress_to(learner) as progress:
        how: dict[str, Any] = {"n_jobs": n_threads(threads)} if learner in LEARN_IN_THREADS else {}
        if learner in ("oblivion", "rules"):
            how["progress"] = progress
        model = LEARNERS[learner](cases, **parameters, **how)
    methods.save(path, model, plain_parameters(parameters))
    say(
        f"{learner}: {counted(cases.n_cases, 'case')}, {counted(cases.n_features, 'feature')}, "
        f"{counted(cases.n_classes, 'class')}; {_class_and_header(table)}; "
        f"{size_of(model)}; {time.perf_counter() - start:.2f} s. Saved to {output}."
    )


def _class_and_header(table: Table) -> str:
    """Return what was found in the file without being said: a mistake here is silent otherwise."""
    assert table.target is not None
    if not table.is_named:
        return f"class in column {table.target + 1}, no header"
    return f"class {table.names[table.target]}" + (", header in the first line" if table.has_header else "")
