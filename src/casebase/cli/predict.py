"""casebase predict"""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import click
import numpy as np

from casebase.base.answers import Answers
from casebase.base.calibration import Calibration
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
from casebase.cli.output import TextOutput, say
from casebase.confidence import PredictionSets, calibration_of, checked_confidence, prediction_sets, probabilities
from casebase.data import Cases, Table
from casebase.data.ids import repeated
from casebase.formats.columnar_parts import Part
from casebase.formats.parts import paths_of
from casebase.formats.passes import StartAgain, each_table
from casebase.methods import Saved
from casebase.progress import Progress
from casebase.render.progress_bar import progress_bar

MOST_IDS = 1_000_000  # of a long file, the first ones are looked through for ids that occur twice


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

    DATA may have a class column; it is ignored. It may be of any size, and a quoted pattern such as 'new/*.parquet'
    names several files.

    \b
    Examples:  casebase predict words.cb new.tsv -o answers.txt
               casebase predict words.cb new.tsv --append -o answered.tsv
               casebase predict words.cb new.tsv --confidence 0.9 --abstain
    """
    if append and as_json:
        raise click.UsageError("--append writes a table: it does not go with --json.")
    path = writable(output, model, *map(str, paths_of(data)))
    if confidence is None:
        refuse_given(["class_conditional", "abstain"], "goes with --confidence.")
    else:
        confidence = checked_confidence(confidence)
    saved = load_model(model, model, data)
    file = DataFile.from_options(data, options, threads)
    wanted = Wanted(proba, confidence, class_conditional, abstain, append, as_json)
    with file.query_parts(saved.model.schema, keep_text=append) as parts, TextOutput(path) as out:
        predictions = Predictions(saved, file, wanted, out, len(parts.parts), n_threads(threads))
        with progress_bar("answering", parts.n_bytes) as progress:
            each_table(parts, predictions.begin, predictions.add, n_threads=n_threads(threads), progress=progress)
        predictions.end()


@dataclass(frozen=True)
class Wanted:
    """What to write for each case."""

    proba: bool
    confidence: float | None
    class_conditional: bool
    abstain: bool
    append: bool
    as_json: bool

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the classes is wanted."""
        return not (self.append or self.proba or self.as_json) and self.confidence is None


@dataclass
class Predictions:
    """The answers to the cases of a file, which come part by part and are written as they come."""

    saved: Saved
    file: DataFile
    wanted: Wanted
    out: TextOutput
    n_parts: int
    n_jobs: int
    has_text_ids: bool = False
    is_first: bool = True
    guarantee: str | None = None
    recognised: tuple[str, ...] = ()
    ids: list[Any] = field(default_factory=list)

    def begin(self) -> None:
        """Begin, or begin again."""
        self.out.begin()
        self.is_first, self.guarantee, self.recognised = True, None, ()
        self.ids.clear()

    def add(self, table: Table, part: Part, progress: Progress | None) -> None:
        """Answer the cases of one part."""
        model = self.saved.model
        self._recognise(table)
        table = self.file.with_ids(table, model.schema)
        where = self.file.path if self.n_parts == 1 else part.name
        cases = self._with_ids_of_one_kind(self.file.encoded(table, model.schema, where))
        answers = model.answer(cases, n_jobs=self.n_jobs, progress=progress)
        sets = self._sets(cases)
        self.out.write(self._text(table, cases, answers, sets))
        self.is_first = False

    def end(self) -> None:
        """Say what concerns the whole file."""
        if self.n_parts > 1:
            self.file.say_recognised(self.recognised)
            self.file.warn_of_repeated(repeated(np.array(self.ids, dtype=object)))
        if self.guarantee is not None:
            say(f"The true class is in the set: {self.guarantee}.")

    def _recognise(self, table: Table) -> None:
        if self.n_parts == 1:
            self.file.say_recognised(table.recognised)
        self.recognised = table.recognised

    def _with_ids_of_one_kind(self, cases: Cases) -> Cases:
        """Return cases whose ids are texts if any id of the file is one; they are numbers only if all of them are."""
        if cases.ids is None:
            return cases
        if self.n_parts == 1:
            self.file.warn_of_repeated(repeated(cases.ids))
            return cases
        are_texts = cases.ids.dtype == object
        if are_texts and not self.has_text_ids:
            self.has_text_ids = True
            if not self.is_first:
                raise StartAgain
        if self.has_text_ids and not are_texts:
            cases = replace(cases, ids=np.array([str(one) for one in cases.ids.tolist()], dtype=object))
        assert cases.ids is not None
        self.ids += cases.ids[: MOST_IDS - len(self.ids)].tolist()
        return cases

    @cached_property
    def calibration(self) -> Calibration:
        return calibration_of(self.saved, n_jobs=self.n_jobs)

    def _sets(self, cases: Cases) -> PredictionSets | None:
        if self.wanted.confidence is None:
            return None
        sets = prediction_sets(
            self.saved.model,
            self.calibration,
            cases,
            self.wanted.confidence,
            class_conditional=self.wanted.class_conditional,
            n_jobs=self.n_jobs,
        )
        self.guarantee = sets.guarantee
        return sets

    @cached_property
    def names(self) -> np.ndarray:
        return np.array([str(label) for label in self.saved.model.schema.classes], dtype=object)

    def _text(self, table: Table, cases: Cases, answers: Answers, sets: PredictionSets | None) -> str:
        """Return the lines of one part."""
        if self.wanted.is_plain:
            return "\n".join(self.names[answers.label].tolist()) + "\n"
        model, wanted = self.saved.model, self.wanted
        classes = model.schema.classes
        shares = probabilities(model, answers, self.calibration) if wanted.proba else None
        is_left_out = [False] * cases.n_cases if sets is None or not wanted.abstain else (~sets.is_decided).tolist()
        labels = ["" if left_out else self.names[c] for left_out, c in zip(is_left_out, answers.label.tolist())]
        texts = [] if sets is None else sets.texts()
        if wanted.append:
            return with_answers(
                table, model.schema, labels, None if sets is None else texts, shares, is_first=self.is_first
            )
        lines, ids = [], cases.case_ids().tolist()
        for i, label in enumerate(answers.label.tolist()):
            votes = [] if shares is None else [(classes[c], float(shares[i, c])) for c in np.flatnonzero(shares[i])]
            if wanted.as_json:
                record: dict[str, Any] = {} if cases.ids is None else {"id": ids[i]}
                record["label"] = None if is_left_out[i] else classes[label]
                if sets is not None:
                    record |= {"set": list(sets[i]), "remark": sets.remark(i) or None}
                if wanted.proba:
                    record["distribution"] = {str(c): share for c, share in votes}
                lines.append(json.dumps(record, ensure_ascii=False))
            else:
                ranking = sorted(votes, key=lambda pair: -pair[1])
                lines.append("\t".join([labels[i], *texts[i : i + 1], *(f"{c} {share:.6g}" for c, share in ranking)]))
        return "\n".join(lines) + "\n"
