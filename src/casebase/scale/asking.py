"""Tasks that answer: each reads one part of the questions, and writes its answers to a file in the scratch folder.

With ranges, a memory that is larger than a worker is searched one range after the other, for all parts: while a range
is asked, no other is in memory, and the nearest cases found so far bound the search in it.
"""

import pickle
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from casebase.base.calibration import Calibration
from casebase.base.wrong_answers import WrongAnswer
from casebase.batches.lines import AnswerLines, Wanted, has_text_ids, with_text_ids
from casebase.batches.questions import Questions, errors_in
from casebase.data import Cases, Schema, Table
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.plan import Decision, Plan
from casebase.neighbours.ib1 import IB1
from casebase.neighbours.ranges import Partial, merged, partial_answers
from casebase.scale.opened import ModelFile
from casebase.scale.stored import write_whole

Pairs = Counter[tuple[str, str]]  # how many cases of a class were answered with a class, by the texts of both


@dataclass(frozen=True, eq=False)
class Asking:
    """What all tasks know: the model, how parts are read, and what to write.

    The `decision` about the columns is that of the first part, whose facts are `first`, until `is_final`. The bytes of
    the model that a task has in memory are at most about `n_bytes`. Wrong answers are listed with so many `nearest`
    records.
    """

    file: ModelFile
    plan: Plan
    decision: Decision
    first: Facts
    is_final: bool
    questions: Questions
    wanted: Wanted
    calibration: Calibration | None
    are_text_ids: bool
    n_bytes: int
    nearest: int = 0

    def is_changed_by(self, facts: Facts) -> bool:
        """Return whether the facts of a part change what the first part decided."""
        return not self.is_final and self.plan.decide(self.first + facts) != self.decision

    def table(self, part: Part, schema: Schema) -> Table:
        """Return the table of a part, with its ids."""
        return self.questions.with_ids(self.plan.table(part.read(), self.decision), schema)


@dataclass(frozen=True)
class Done:
    """What a task says about its part; it wrote nothing unless it `is_asked`: the part has rows, and changes nothing.

    `are_text_ids` is None for a part without ids. If asked for, `pairs` count which classes were answered with which,
    and `errors` are the wrong answers, whose rows count from the beginning of the part.
    """

    facts: Facts
    is_asked: bool = False
    is_changing: bool = False
    are_text_ids: bool | None = None
    recognised: tuple[str, ...] = ()
    guarantee: str | None = None
    pairs: Pairs = field(default_factory=Counter)
    errors: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class Files:
    """The files of one part, in the scratch folder."""

    stem: Path

    @property
    def text(self) -> Path:
        return self.stem.with_suffix(".text")

    @property
    def ids(self) -> Path:
        return self.stem.with_suffix(".ids")

    @property
    def cases(self) -> Path:
        return self.stem.with_suffix(".cases")

    @property
    def tied(self) -> Path:
        return self.stem.with_suffix(".tied")

    def partial(self, which: int, again: bool) -> Path:
        return self.stem.with_suffix(f".{'again' if again else 'range'}-{which}")

    def within(self, which: int, again: bool) -> Path:
        return self.stem.with_suffix(f".{'again' if again else 'range'}-{which}.within")

    def remove(self) -> None:
        for path in self.stem.parent.glob(f"{self.stem.name}.*"):
            path.unlink(missing_ok=True)


def facts_of_part(part: Part) -> Facts:
    """Return what a part shows about the columns."""
    return part.read().facts


def answer_part(asking: Asking, part: Part, is_first: bool, files: Files) -> Done:
    """Write the answers to one part of the questions."""
    with asking.file.within(asking.n_bytes) as saved:
        found = read_questions(asking, part, saved.model.schema, files)
        if isinstance(found, Done):
            return found
        table, cases, done = found
        lines = AnswerLines(saved, asking.wanted, 1, asking.calibration)
        with errors_in(part.name):
            answers = saved.model.answer(cases, n_jobs=1)
            sets = lines.sets(cases)
        write_whole(files.text, lines.text(table, cases, answers, sets, is_first=is_first).encode())
        return replace(done, guarantee=None if sets is None else sets.guarantee)


def code_part(asking: Asking, part: Part, is_first: bool, files: Files) -> Done:
    """Write the questions of one part in the codes of the model."""
    schema = asking.file.saved().model.schema
    found = read_questions(asking, part, schema, files)
    if isinstance(found, Done):
        return found
    _, cases, done = found
    # The vocabularies are those of the model, which every task has.
    write_whole(files.cases, pickle.dumps(replace(cases, schema=replace(schema, features=(), classes=()))))
    return done


def read_questions(asking: Asking, part: Part, schema: Schema, files: Files | None) -> Done | tuple[Table, Cases, Done]:
    """Return the table of a part, its questions, and what is known about it; the ids are written to one of its files.

    If the part has no rows, or shows that the first part did not decide, what is known about it is all.
    """
    raw = part.read()
    if raw.n_rows == 0:
        return Done(raw.facts)
    if asking.is_changed_by(raw.facts):
        return Done(raw.facts, is_changing=True)
    table = asking.questions.with_ids(asking.plan.table(raw, asking.decision), schema)
    cases = asking.questions.encoded(table, schema, part.name)
    are_texts = None if cases.ids is None else has_text_ids(cases)
    if asking.are_text_ids:
        cases = with_text_ids(cases)
    if cases.ids is not None and files is not None:
        write_whole(files.ids, pickle.dumps(cases.ids))
    return table, cases, Done(raw.facts, True, False, are_texts, table.recognised)


def _coded(asking: Asking, files: Files, *, again: bool = False) -> Cases:
    """Return the questions of a part, or those whose first vote was tied."""
    cases: Cases = pickle.loads(files.cases.read_bytes())
    cases = replace(cases, schema=asking.file.saved().model.schema)
    return cases.take(pickle.loads(files.tied.read_bytes())) if again else cases


def search_range(asking: Asking, which: int, rows: tuple[int, int], again: bool, files: Files) -> None:
    """Write what a range of the memory has for the questions of one part; those that were tied get one distance more.

    The ranges before it say how far a case may be at the most.
    """
    with asking.file.within(asking.n_bytes):
        cases, model = _coded(asking, files, again=again), asking.file.range(*rows)
        k = model.voting.k + again
        within = np.full(cases.n_cases, np.inf)
        if which > 0:
            within = pickle.loads(files.within(which - 1, again).read_bytes())
        partial = partial_answers(model, cases, k=k if again else None, within=within)
        write_whole(files.partial(which, again), pickle.dumps(partial))
        write_whole(files.within(which, again), pickle.dumps(np.minimum(within, partial.reach(k))))


class _Tied(Exception):
    """Some votes were tied, and the ranges must be asked again."""


def find_ties(asking: Asking, n_ranges: int, files: Files) -> bool:
    """Write which questions of one part have a tied vote, and return whether there are any."""

    def again(among: np.ndarray) -> Sequence[Partial]:
        write_whole(files.tied, pickle.dumps(among))
        raise _Tied

    model = asking.file.saved().model
    assert isinstance(model, IB1)
    try:
        merged(model, _partials(files, n_ranges, again=False), again)
    except _Tied:
        return True
    return False


def merge_part(asking: Asking, n_ranges: int, part: Part, is_first: bool, files: Files) -> None:
    """Write the answers to one part of the questions from what all ranges have."""
    with asking.file.within(asking.n_bytes) as saved:
        assert isinstance(saved.model, IB1)
        answers = merged(
            saved.model, _partials(files, n_ranges, again=False), lambda _: _partials(files, n_ranges, again=True)
        )
        table = asking.table(part, saved.model.schema) if asking.wanted.append else None
        lines = AnswerLines(saved, asking.wanted, 1, asking.calibration)
        text = lines.text(table, _coded(asking, files), answers, None, is_first=is_first)
        write_whole(files.text, text.encode())


def _partials(files: Files, n_ranges: int, *, again: bool) -> list[Partial]:
    return [pickle.loads(files.partial(which, again).read_bytes()) for which in range(n_ranges)]
