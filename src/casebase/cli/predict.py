"""casebase predict"""

import json
from typing import Any

import click
import numpy as np

from casebase.cli.appended import with_answers
from casebase.cli.models import load_model
from casebase.cli.options import (
    DataFile,
    file_options,
    id_column_option,
    n_threads,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import say, write_text
from casebase.confidence import calibration_of, checked_confidence, prediction_sets, probabilities
from casebase.render.progress_bar import progress_bar


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", metavar="OUT", help="Write the predictions here; standard output by default.")
@click.option("--proba", is_flag=True, help="Add the probability of each class.")
@click.option(
    "--confidence",
    type=float,
    metavar="SHARE",
    help="Add the set of all classes that cannot be excluded: the true class is among them with this probability, such "
    "as 0.9. An empty set is 'like nothing stored', one of all classes 'cannot tell'.",
)
@click.option("--class-conditional", is_flag=True, help="Let --confidence hold for the cases of each class.")
@click.option("--abstain", is_flag=True, help="Leave the prediction out where the set is empty or has all classes.")
@click.option(
    "--append",
    is_flag=True,
    help="Write the columns of DATA as they are, as CSV or TSV, with the prediction as one more; with "
    "--confidence also the set, with --proba a column for each class.",
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
    confidence: float | None,
    class_conditional: bool,
    abstain: bool,
    as_json: bool,
    threads: int | None,
    **options: Any,
) -> None:
    """Predict the class of each case in DATA with MODEL, one per line.

    DATA may have a class column; it is ignored.

    \b
    Examples:  casebase predict words.cb new.tsv -o answers.txt
               casebase predict words.cb new.tsv --append -o answered.tsv
               casebase predict words.cb new.tsv --confidence 0.9 --abstain
    """
    if append and as_json:
        raise click.UsageError("--append writes a table: it does not go with --json.")
    path = writable(output, model, data)
    if confidence is None:
        refuse_given(["class_conditional", "abstain"], "goes with --confidence.")
    else:
        confidence = checked_confidence(confidence)
    saved = load_model(model, model, data)
    learned = saved.model
    cases, table = DataFile.from_options(data, options, threads).queries(learned.schema, keep_text=append)
    with progress_bar("answering", cases.n_cases) as progress:
        answers = learned.answer(cases, n_jobs=n_threads(threads), progress=progress)
    classes = learned.schema.classes
    names = np.array([str(label) for label in classes], dtype=object)
    if not append and not proba and not as_json and confidence is None:
        write_text(path, "\n".join(names[answers.label].tolist()) + "\n")
        return
    calibration = calibration_of(saved, n_jobs=n_threads(threads)) if proba or confidence is not None else None
    sets = None
    if confidence is not None:
        assert calibration is not None
        sets = prediction_sets(
            learned, calibration, cases, confidence, class_conditional=class_conditional, n_jobs=n_threads(threads)
        )
        say(f"The true class is in the set: {sets.guarantee}.")
    shares = probabilities(learned, answers, calibration) if proba else None
    is_left_out = [False] * cases.n_cases if sets is None or not abstain else (~sets.is_decided).tolist()
    labels = ["" if left_out else names[c] for left_out, c in zip(is_left_out, answers.label.tolist())]
    if append:
        write_text(path, with_answers(table, learned.schema, labels, None if sets is None else sets.texts(), shares))
        return
    lines, ids, texts = [], cases.case_ids().tolist(), [] if sets is None else sets.texts()
    for i, label in enumerate(answers.label.tolist()):
        votes = [] if shares is None else [(classes[c], float(shares[i, c])) for c in np.flatnonzero(shares[i])]
        if as_json:
            record: dict[str, Any] = {} if cases.ids is None else {"id": ids[i]}
            record["label"] = None if is_left_out[i] else classes[label]
            if sets is not None:
                record |= {"set": list(sets[i]), "remark": sets.remark(i) or None}
            if proba:
                record["distribution"] = {str(c): share for c, share in votes}
            lines.append(json.dumps(record, ensure_ascii=False))
        else:
            ranking = sorted(votes, key=lambda pair: -pair[1])
            lines.append("\t".join([labels[i], *texts[i : i + 1], *(f"{c} {share:.6g}" for c, share in ranking)]))
    write_text(path, "\n".join(lines) + "\n")
