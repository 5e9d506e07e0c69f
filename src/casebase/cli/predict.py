"""casebase predict"""

import json
from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.cli.options import DataFile, file_options, n_threads, threads_option, writable
from casebase.cli.output import write_text
from casebase.confidence import calibration_of, probabilities
from casebase.render.progress_bar import progress_bar


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", metavar="OUT", help="Write the predictions here; standard output by default.")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record per line.")
@threads_option
@file_options
def command(
    model: str, data: str, output: str | None, proba: bool, as_json: bool, threads: int | None, **options: Any
) -> None:
    """Predict the class of each case in DATA with MODEL, one per line.

    DATA may have a class column; it is ignored.

    Example:  casebase predict words.cb new.tsv -o answers.txt
    """
    path = writable(output, model, data)
    saved = methods.load(model)
    learned = saved.model
    cases, _ = DataFile.from_options(data, options, threads).queries(learned.schema)
    with progress_bar("answering", cases.n_cases) as progress:
        answers = learned.answer(cases, n_jobs=n_threads(threads), progress=progress)
    classes = learned.schema.classes
    names = np.array([str(label) for label in classes], dtype=object)
    if not proba and not as_json:
        write_text(path, "\n".join(names[answers.label].tolist()) + "\n")
        return
    lines = []
    calibration = calibration_of(saved, n_jobs=n_threads(threads))
    for label, shares in zip(answers.label, probabilities(learned, answers, calibration)):
        votes = [(classes[c], float(shares[c])) for c in np.flatnonzero(shares)]
        if as_json:
            record: dict[str, Any] = {"label": classes[label]}
            if proba:
                record["distribution"] = {str(c): share for c, share in votes}
            lines.append(json.dumps(record, ensure_ascii=False))
        else:
            ranking = sorted(votes, key=lambda pair: -pair[1])
            lines.append("\t".join([str(classes[label]), *(f"{c} {share:.6g}" for c, share in ranking)]))
    write_text(path, "\n".join(lines) + "\n")
