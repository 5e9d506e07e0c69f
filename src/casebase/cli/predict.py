"""casebase predict"""

from dataclasses import dataclass, field
from typing import Any

import click
import numpy as np

from casebase.batches.lines import MOST_IDS, AnswerLines, Wanted, has_text_ids, with_text_ids
from casebase.batches.output import TextOutput
from casebase.cli.in_parts import InParts, resource_options
from casebase.cli.models import load_model, refuse_exchanged
from casebase.cli.options import (
    DataFile,
    file_options,
    id_column_option,
    n_threads,
    refuse_given,
    threads_option,
    writable,
)
from casebase.cli.output import say
from casebase.confidence import checked_confidence
from casebase.data import Cases, Table
from casebase.data.ids import repeated
from casebase.formats.columnar_parts import Part
from casebase.formats.parts import paths_of
from casebase.formats.passes import StartAgain, each_table
from casebase.progress import Progress
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
@resource_options(
    "How much memory the workers of --workers take together, such as 2GB; half of the memory by default.",
    "Folder for the answers to single parts. They stay if the command is interrupted, and the same command resumes it. "
    "By default they are beside OUT and are always removed.",
    "Answer",
    "MODEL, DATA and the folder of OUT or of --scratch",
)
@click.option(
    "--ranges",
    type=click.IntRange(min=1),
    metavar="N",
    help="Search the memory of ib1 in N ranges, one after the other, for one that is larger than the memory of a "
    "worker; the answers are the same. By default as many as the memory of a worker needs.",
)
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
    memory: str | None,
    scratch: str | None,
    workers: int | None,
    scheduler: str | None,
    ranges: int | None,
    threads: int | None,
    **options: Any,
) -> None:
    """Predict the class of each case in DATA with MODEL, one per line.

    DATA may have a class column; it is ignored. It may be of any size, and a quoted pattern such as 'new/*.parquet'
    names several files. With --workers, --scheduler or --scratch the parts of DATA are answered on a cluster, and the
    answers are the same.

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
    file = DataFile.from_options(data, options, threads)
    wanted = Wanted(proba, confidence, class_conditional, abstain, append, as_json)
    in_parts = InParts(memory, scratch, workers, scheduler)
    if in_parts.is_asked_for() or ranges is not None:
        refuse_exchanged(model, data)
        _answer_on_workers(model, file, path, wanted, in_parts, ranges)
        return
    saved = load_model(model, model, data)
    with file.query_parts(saved.model.schema, keep_text=append) as parts, TextOutput(path) as out:
        lines = AnswerLines(saved, wanted, n_threads(threads))
        predictions = Predictions(lines, file, out, len(parts.parts))
        with progress_bar("answering", parts.n_bytes) as progress:
            each_table(parts, predictions.begin, predictions.add, n_threads=n_threads(threads), progress=progress)
        predictions.end()


def _answer_on_workers(
    model: str, file: DataFile, output: str | None, wanted: Wanted, in_parts: InParts, n_ranges: int | None
) -> None:
    """Answer the parts of a file as tasks."""
    from casebase.scale.answering import answer_file  # the stages are not needed for a file that one process answers

    if output is None and in_parts.scheduler is not None and in_parts.scratch is None:
        raise click.UsageError("Workers write their answers to a folder that they share: give -o, or --scratch.")
    with in_parts.ends_orderly("it"), progress_bar("predict") as progress:
        answered = answer_file(
            model,
            file.path,
            output,
            in_parts.resources(file.n_threads),
            wanted=wanted,
            questions=file.questions,
            n_ranges=n_ranges,
            progress=progress,
            **file.reading,
        )
    file.say_recognised(answered.recognised)
    file.warn_of_repeated(answered.repeated_ids)
    if answered.n_ranges > 1:
        say(f"The memory was searched in {answered.n_ranges} ranges.")
    say_guarantee(answered.guarantee)


@dataclass
class Predictions:
    """The answers to the cases of a file, which come part by part and are written as they come."""

    lines: AnswerLines
    file: DataFile
    out: TextOutput
    n_parts: int
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
        model, questions = self.lines.saved.model, self.file.questions
        self._recognise(table)
        table = questions.with_ids(table, model.schema)
        where = self.file.path if self.n_parts == 1 else part.name
        cases = self._with_ids_of_one_kind(questions.encoded(table, model.schema, where))
        answers = model.answer(cases, n_jobs=self.lines.n_jobs, progress=progress)
        sets = self.lines.sets(cases)
        if sets is not None:
            self.guarantee = sets.guarantee
        self.out.write(self.lines.text(table, cases, answers, sets, is_first=self.is_first))
        self.is_first = False

    def end(self) -> None:
        """Say what concerns the whole file."""
        if self.n_parts > 1:
            self.file.say_recognised(self.recognised)
            self.file.warn_of_repeated(repeated(np.array(self.ids, dtype=object)))
        say_guarantee(self.guarantee)

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
        if has_text_ids(cases) and not self.has_text_ids:
            self.has_text_ids = True
            if not self.is_first:
                raise StartAgain
        if self.has_text_ids:
            cases = with_text_ids(cases)
        assert cases.ids is not None
        self.ids += cases.ids[: MOST_IDS - len(self.ids)].tolist()
        return cases


def say_guarantee(guarantee: str | None) -> None:
    if guarantee is not None:
        say(f"The true class is in the set: {guarantee}.")
