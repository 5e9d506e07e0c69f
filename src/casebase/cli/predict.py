"""casebase predict"""

import json
from typing import Any

import click
import numpy as np

from casebase.cli.appended import with_answers
from casebase.cli.models import load_model
from casebase.cli.options import DataFile, file_options, id_column_option, n_threads, threads_option, writable
from casebase.cli.output import write_text
from casebase.render.progress_bar import progress_bar


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", metavar="OUT", help="Write the predictions here; standard output by default.")
@click.option("--proba", is_flag=True, help="Add the share of votes of each class.")
@click.option(
    "--append",
    is_flag=True,
    help="Write the columns of DATA as they are, as CSV or TSV, with the prediction as one more; with --proba also a "
    "column for each class.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record per line, with its id if DATA has ids.")
@id_column_option
@threads_option
@file_options
def command(
    model: str,
    data: str,
    output: str | None,
    proba: bool,
    append: bool,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Predict the class of each case in DATA with MODEL, one per line.

    DATA may have a class column; it is ignored.

    \b
    Examples:  casebase predict words.cb new.tsv -o answers.txt
               casebase predict words.cb new.tsv --append -o answered.tsv
    """
    if append and as_json:
        raise click.UsageError("--append writes a table: it does not go with --json.")
    path = writable(output, model, data)
    learned = load_model(model, model, data).model
    cases, table = DataFile.from_options(data, options, threads).queries(learned.schema, keep_text=append)
    with progress_bar("answering", cases.n_cases) as progress:
        answers = learned.answer(cases, n_jobs=n_threads(threads), progress=progress)
    classes = learned.schema.classes
    names = np.array([str(label) for label in classes], dtype=object)
    if append:
        shares = answers.distribution(len(classes), learned.normalisation) if proba else None
        write_text(path, with_answers(table, learned.schema, names[answers.label].tolist(), shares))
        return
    if not proba and not as_json:
        write_text(path, "\n".join(names[answers.label].tolist()) + "\n")
        return
    lines = []
    ids = cases.case_ids().tolist()
    for case, label, shares in zip(ids, answers.label, answers.distribution(len(classes), learned.normalisation)):
        votes = [(classes[c], float(shares[c])) for c in np.flatnonzero(shares)]
        if as_json:
            record: dict[str, Any] = {} if cases.ids is None else {"id": case}
            record["label"] = classes[label]
            if proba:
                record["distribution"] = {str(c): share for c, share in votes}
            lines.append(json.dumps(record, ensure_ascii=False))
        else:
            ranking = sorted(votes, key=lambda pair: -pair[1])
            lines.append("\t".join([str(classes[label]), *(f"{c} {share:.6g}" for c, share in ranking)]))
    write_text(path, "\n".join(lines) + "\n")
