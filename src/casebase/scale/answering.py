"""From files of questions to a file of answers: the parts are tasks, and their answers are joined in order."""

import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from casebase import __version__
from casebase.base.model import Model
from casebase.batches.lines import MOST_IDS, Wanted
from casebase.batches.output import TextOutput
from casebase.batches.questions import Questions
from casebase.confidence import calibration_of
from casebase.data.checks import is_whole
from casebase.data.ids import repeated
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.columnar_parts import Part
from casebase.formats.facts import Facts
from casebase.formats.parts import Parts, sum_of
from casebase.formats.passes import in_another_encoding
from casebase.formats.plan import Decision
from casebase.methods import Saved
from casebase.neighbours.ib1 import IB1
from casebase.progress import Progress, note
from casebase.scale import asking, opened
from casebase.scale.asking import Asking, Done, Files
from casebase.scale.engine import SHARE, Engine, Stage
from casebase.scale.identity import identity_of_data
from casebase.scale.opened import ModelFile
from casebase.scale.resources import Resources
from casebase.scale.resources import opened as opened_parts
from casebase.scale.scratch import disk_errors, scratch_folder

T = TypeVar("T")
Task = Callable[..., Done]
FITS = 2  # a model that is larger than this part of a worker's memory is asked in ranges


@dataclass(frozen=True)
class Answered:
    """What is known after all answers are written: how many, and what to tell about the file of questions."""

    n_cases: int
    n_ranges: int
    recognised: tuple[str, ...]
    guarantee: str | None
    repeated_ids: tuple[int | str, ...]


def answer_file(
    model: str | os.PathLike[str],
    data: Any,
    output: str | os.PathLike[str] | None,
    resources: Resources,
    *,
    wanted: Wanted = Wanted(),  # noqa: B008  # it is frozen
    questions: Questions | None = None,
    n_ranges: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Answered:
    """Write the answers of a model to all questions to a file, or to standard output; `options` are for reading them.

    With `n_ranges`, a memory of IB1 is searched in so many ranges; by default in as many as a worker's memory needs.
    """
    file = ModelFile.of(model)
    path = None if output is None else Path(output)
    if path is not None and not path.parent.is_dir():
        raise CasebaseError(f"Cannot write {path}: there is no folder {path.parent}.")
    # Workers of a cluster have other working folders.
    beside = Path(tempfile.gettempdir()) / "answers" if path is None else path.parent.resolve() / path.name
    given = questions or Questions(str(data) if isinstance(data, str | os.PathLike) else "the given table")
    try:
        saved = file.saved()
        check_model(saved.model)
        options = {**options, "schema": saved.model.schema, "keep_text": wanted.append}
        with (
            disk_errors(beside),
            resources.engine() as engine,
            opened_parts(data, options, resources, engine, beside.parent, is_spread=True) as parts,
        ):
            memory = engine.worker_memory or resources.memory
            ranges = ranges_for(saved.model, file, wanted, n_ranges, memory)
            is_resumable = resources.scratch is not None
            identity = _identity(file, parts, wanted, given, ranges) if is_resumable else {}
            with (
                scratch_folder(beside, resources.scratch, identity) as folder,
                disk_errors(folder),
                TextOutput(None if path is None else str(path)) as out,
            ):
                work = AnswerWork(
                    file, saved, wanted, given, ranges, engine, folder, memory // SHARE, is_resumable, progress
                )
                return work.answer(parts, out)
    finally:
        opened.close()


def check_model(model: Model) -> None:
    """Raise an error if the answers of a model depend on the questions before."""
    voting = getattr(model, "voting", None)
    if voting is not None and voting.quirks.flat_after_tie and voting.vote == "inverse_linear":
        raise CasebaseError(
            "With compat='timbl' and the inverse linear vote, a tie changes the votes of all later questions, so they "
            "cannot be answered in parts: leave out --workers, --scheduler, --scratch and --ranges."
        )


def ranges_for(model: Model, file: ModelFile, wanted: Wanted, given: int | None, memory: int) -> list[tuple[int, int]]:
    """Return the rows of the memory at which ranges begin and end; none if the model is asked as a whole."""
    why_not = _why_no_ranges(model, wanted)
    if given is None:
        n = 1 if why_not is not None else -(-file.size * FITS // memory)
    else:
        if not is_whole(given, 1):
            raise CasebaseError(f"Expected the number of ranges, 1 or more, got {given!r}.")
        if given > 1 and why_not is not None:
            raise CasebaseError(why_not)
        n = given
    if n <= 1:
        return []
    assert isinstance(model, IB1)
    edges = np.linspace(0, model.memory.n_rows, min(n, model.memory.n_rows) + 1).astype(np.int64)
    return [(begin, end) for begin, end in pairwise(edges.tolist())]


def _why_no_ranges(model: Model, wanted: Wanted) -> str | None:
    if not isinstance(model, IB1):
        return (
            f"Only a memory of ib1 can be asked in ranges, and this is a model of {model.method}: leave out --ranges."
        )
    if wanted.confidence is not None:
        return "--confidence compares each question with the whole memory: leave out --ranges."
    segments = model.memory.segments
    if len(segments) != 1 or model.memory.is_corrected:
        return "A corrected memory has no ranges: leave out --ranges."
    if model.voting.quirks.exemplars_vote and segments[0].exemplars is not None:
        return "With compat='timbl' and exemplar weights, a memory cannot be asked in ranges: leave out --ranges."
    return None


def _identity(
    file: ModelFile, parts: Parts, wanted: Wanted, questions: Questions, ranges: list[tuple[int, int]]
) -> dict[str, object]:
    return {
        "version": __version__,
        "method": "answering",
        "model": asdict(file),
        "settings": asdict(wanted) | asdict(questions) | {"ranges": ranges},
        **identity_of_data(parts, {}),
    }


@dataclass
class AnswerWork:
    """One run over all questions."""

    file: ModelFile
    saved: Saved
    wanted: Wanted
    questions: Questions
    ranges: list[tuple[int, int]]
    engine: Engine
    folder: Path
    n_bytes: int
    has_records: bool
    progress: Progress | None
    n_rounds: int = 0
    nearest: int = 0
    n_tasks: int = field(init=False, default=0)
    n_done: int = field(init=False, default=0)

    def run(
        self, name: str, task: Callable[..., T], common: tuple[Any, ...], each: Sequence[tuple[Any, ...]]
    ) -> list[T]:
        """Run the tasks of a stage, and report how many of all are done."""
        note(self.progress, name)

        def done() -> None:
            self.n_done += 1
            if self.progress is not None:
                self.progress(self.n_done, max(self.n_tasks, self.n_done))

        return self.engine.run(Stage(name, task, common, each, self.folder, self.has_records), done)

    def answer(self, parts: Parts, out: TextOutput) -> Answered:
        """Answer all parts, and write their answers in order."""
        asked, done, known = self.settled(parts, asking.code_part if self.ranges else asking.answer_part)
        if self.ranges:
            self._search(known, asked)
        out.begin()
        for _, _, files in asked:
            out.add_file(files.text)
        has_texts = any(one.are_text_ids for one in done)
        return Answered(
            sum(one.facts.n_rows for one in done),
            max(1, len(self.ranges)),
            next((one.recognised for one in reversed(done) if one.is_asked), ()),
            next((one.guarantee for one in done if one.guarantee is not None), None),
            tuple(repeated(_first_ids([files for _, _, files in asked], has_texts=has_texts))),
        )

    def settled(self, parts: Parts, task: Task) -> tuple[list[tuple[Part, bool, Files]], list[Done], Asking]:
        """Run a task over all parts, again if they were to be read otherwise than their beginning shows.

        The parts that have rows come back with their files, and whether they are the first.
        """
        while True:
            try:
                return self._settled(parts, task)
            except EncodingError:
                other = in_another_encoding(parts)
                if other is None:
                    raise
                parts = other

    def _settled(self, parts: Parts, task: Task) -> tuple[list[tuple[Part, bool, Files]], list[Done], Asking]:
        first, facts = _first_rows(parts)
        known = self._asking(parts, parts.decide(facts), facts)
        try:
            done, files = self._round(task, known, parts.parts, first)
            whole = parts.decide(sum_of(one.facts for one in done))
        except EncodingError:
            raise
        except CasebaseError:  # perhaps because a part was read as the first one, and not as all of them, decides
            whole = parts.decide(sum_of(self.run("deciding", asking.facts_of_part, (), [(p,) for p in parts.parts])))
            if whole == known.decision:
                raise
            done = []
        if not done or whole != known.decision or any(one.is_changing for one in done):
            known = replace(known, decision=whole, is_final=True)
            done, files = self._round(task, known, parts.parts, first)
        kinds = {one.are_text_ids for one in done} - {None}
        if len(kinds) == 2 and self.wanted.as_json:  # ids are numbers only if all of them are
            known = replace(known, are_text_ids=True, is_final=True)
            done, files = self._round(task, known, parts.parts, first)
        asked = [(part, i == first, own) for i, (part, own) in enumerate(zip(parts.parts, files)) if done[i].is_asked]
        return asked, done, known

    def _asking(self, parts: Parts, decision: Decision, first: Facts) -> Asking:
        calibration = None
        if self.wanted.needs_calibration:
            calibration = calibration_of(self.saved, n_jobs=self.engine.n_workers)
        return Asking(
            self.file,
            parts.plan,
            decision,
            first,
            False,
            self.questions,
            self.wanted,
            calibration,
            False,
            self.n_bytes,
            self.nearest,
        )

    def _round(self, task: Task, known: Asking, parts: Sequence[Part], first: int) -> tuple[list[Done], list[Files]]:
        """Run the first stage over all parts, with files of its own."""
        self.n_rounds += 1
        name = "reading" if self.ranges else "answering"
        name = name if self.n_rounds == 1 else f"{name} {self.n_rounds}"
        self.n_done, self.n_tasks = 0, len(parts) * (2 + len(self.ranges) if self.ranges else 1)
        files = [Files(self.folder / f"part-{self.n_rounds}-{i:06}") for i in range(len(parts))]
        each = [(part, i == first, own) for i, (part, own) in enumerate(zip(parts, files))]
        return self.run(name, task, (known,), each), files

    def _search(self, known: Asking, asked: Sequence[tuple[Part, bool, Files]]) -> None:
        """Ask one range after the other, and merge what they have."""
        n, files = len(self.ranges), [own for _, _, own in asked]
        self._search_all(known, files, again=False)
        tied = self.run("merging", asking.find_ties, (known, n), [(own,) for own in files])
        again = [own for own, is_tied in zip(files, tied) if is_tied]
        self.n_tasks += len(asked) + n * len(again)
        if again:
            self._search_all(known, again, again=True)
        self.run("writing", asking.merge_part, (known, n), asked)

    def _search_all(self, known: Asking, files: Sequence[Files], *, again: bool) -> None:
        for which, rows in enumerate(self.ranges):
            name = f"searching{' again' if again else ''} {which + 1}"
            self.run(name, asking.search_range, (known, which, rows, again), [(own,) for own in files])


def _first_rows(parts: Parts) -> tuple[int, Facts]:
    """Return the number of the first part that has rows, and the facts up to it."""
    facts: Facts | None = None
    for i, part in enumerate(parts.parts):
        raw = part.read()
        facts = raw.facts if facts is None else facts + raw.facts
        if raw.n_rows:
            return i, facts
    assert facts is not None
    parts.decide(facts)  # an error: there are no rows
    raise AssertionError


def _first_ids(files: Sequence[Files], *, has_texts: bool) -> np.ndarray:
    """Return the first ids of all questions."""
    ids: list[Any] = []
    for own in files:
        if len(ids) >= MOST_IDS or not own.ids.exists():
            break
        some = pickle.loads(own.ids.read_bytes())[: MOST_IDS - len(ids)].tolist()
        ids += map(str, some) if has_texts else some
    return np.array(ids, dtype=object)
