"""Evaluation of models and tables that are larger than memory: the counts of parts add up to those of the whole."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from casebase import methods
from casebase.base.method import Method
from casebase.base.model import is_incomplete
from casebase.base.settings import Settings
from casebase.base.wrong_answers import WrongAnswer
from casebase.batches.lines import Wanted
from casebase.batches.questions import Questions
from casebase.data import Schema, Table
from casebase.data.folds import folds
from casebase.data.roles import Roles
from casebase.errors import CasebaseError
from casebase.evaluate import Report, default_folds, report_of_counts
from casebase.neighbours import ib1
from casebase.neighbours.ib1 import IB1
from casebase.progress import Progress, note
from casebase.scale import coding, counting, judging, opened, reading
from casebase.scale.answering import AnswerWork, check_model
from casebase.scale.asking import Done, Pairs
from casebase.scale.counting import without
from casebase.scale.engine import SHARE, Engine, Stage
from casebase.scale.fitting import Work, added_counts, learn_model
from casebase.scale.lean import released
from casebase.scale.learners import check_learner
from casebase.scale.opened import ModelFile
from casebase.scale.records import check_records, class_name, n_per_class, record_batches
from casebase.scale.resources import Resources
from casebase.scale.resources import opened as opened_parts
from casebase.scale.scratch import disk_errors, scratch_folder
from casebase.scale.stored import StoredArray

T = TypeVar("T")
LEFT_OUT = 20_000  # stored cases that a task asks
BYTES_PER_CASE = 40  # while cases are dealt to folds


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The report of a table, its schema, and its first part."""

    report: Report
    schema: Schema
    table: Table
    n_cases: int


def score_model(
    model: str | Path,
    data: Any,
    resources: Resources,
    *,
    questions: Questions | None = None,
    nearest: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Report:
    """Return how well a model answers a test file, whose parts are tasks.

    With `nearest`, the report lists the wrong answers, each with so many of its nearest records; they are in memory.
    """
    file, given = ModelFile.of(model), questions or Questions(str(data))
    with closing(), scratch(resources) as folder, resources.engine() as engine:
        saved = file.saved()
        check_model(saved.model)
        plain = replace(resources, scratch=None)
        options |= {"schema": saved.model.schema}
        with opened_parts(data, options, plain, engine, folder, is_spread=True) as parts:
            n_bytes = (engine.worker_memory or resources.memory) // SHARE
            work = AnswerWork(file, saved, Wanted(), given, [], engine, folder, n_bytes, False, progress)
            work.nearest = nearest
            _, done, _ = work.settled(parts, judging.judge_part)
    pairs: Pairs = sum((one.pairs for one in done), Counter())
    labels = sorted({label for pair in pairs for label in pair})
    code = {label: i for i, label in enumerate(labels)}
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for (actual, answered), count in pairs.items():
        confusion[code[actual], code[answered]] = count
    return replace(report_of_counts(labels, confusion), errors=tuple(_numbered(done)))


def _numbered(done: Sequence[Done]) -> Iterator[WrongAnswer]:
    """Yield the wrong answers of all parts, with their rows in the whole table."""
    n_before, are_texts = 0, any(one.are_text_ids for one in done)
    for part in done:
        for error in part.errors:
            row = n_before + error.row
            own_id = row if part.are_text_ids is None else str(error.id) if are_texts else error.id
            yield replace(error, row=row, id=own_id)
        n_before += part.facts.n_rows


def held_out_records(
    model: str | Path,
    n_folds: int | None,
    resources: Resources,
    *,
    seed: int = 0,
    nearest: int = 0,
    progress: Progress | None = None,
) -> tuple[Report, int | None]:
    """Return how well models of the other records answer the records that a model keeps, and the number of folds.

    As `casebase.evaluate.held_out_records`, in parts: IB1 leaves one record out at a time, for which the number is
    None; other models learn again from folds. `nearest` is for leave-one-out.
    """
    file = ModelFile.of(model)
    with closing(), file.within(resources.memory // 4) as saved:
        learned = saved.model
        if n_folds is None and isinstance(learned, IB1) and learned.leaves_one_out:
            return leave_one_out_model(model, resources, nearest=nearest, progress=progress), None
        check_records(learned)
        if nearest:
            raise CasebaseError(
                f"The errors of a model of {learned.method} in folds need its records in memory: leave out --errors, "
                "or --memory, --workers and --scheduler."
            )
        n_folds = default_folds(n_per_class(learned)) if n_folds is None else n_folds
        method, settings = methods.method_named(learned.method), learned.settings.for_sample()
        check_learner(method, settings)
        batches, target = record_batches(learned), class_name(learned)
        found = cross_validate(
            batches, method, settings, n_folds, resources, seed=seed, progress=progress, target=target
        )
        return found.report, n_folds


def leave_one_out_model(
    model: str | Path, resources: Resources, *, nearest: int = 0, progress: Progress | None = None
) -> Report:
    """Return how well the stored cases of an IB1 model are answered, each by all the others, in parts of the memory."""
    with closing(), scratch(resources) as folder, resources.engine() as engine:
        return _leave_out(ModelFile.of(model), resources, engine, folder, nearest, progress)


def _leave_out(
    file: ModelFile, resources: Resources, engine: Engine, folder: Path, nearest: int, progress: Progress | None
) -> Report:
    n_bytes = (engine.worker_memory or resources.memory) // SHARE
    with file.within(n_bytes) as saved:
        model = saved.model
        if not isinstance(model, IB1):
            raise CasebaseError(
                f"A model of {model.method} would learn again without each record: only ib1 leaves one out in parts. "
                "Cross-validate on the table (--cv)."
            )
        check_model(model)
        if not model.leaves_one_out:
            raise CasebaseError(
                "Leave-one-out does not support these settings (feature_limit, or RELIEF's weights): each case could "
                "change what was learned. Cross-validate on the table (--cv)."
            )
        if model.memory.n_cases < 2:
            raise CasebaseError("Leave-one-out needs at least two cases.")
        note(progress, "counting")
        tables, n_rows, classes = judging.tables_of(model), model.memory.n_rows, model.schema.classes
    step = resources.rows or LEFT_OUT
    spans = [(begin, min(begin + step, n_rows)) for begin in range(0, n_rows, step)]
    found = run(engine, folder, "asking", judging.leave_out_rows, (file, tables, n_bytes, nearest), spans, progress)
    return _with_errors(report_of_counts(classes, _sum(found, len(classes))), found)


def _with_errors(report: Report, found: Sequence[judging.Confusion]) -> Report:
    """Return a report with the wrong answers of all parts, in the order given."""
    return replace(
        report, errors=tuple(sorted((one for part in found for one in part.errors), key=lambda one: one.row))
    )


def leave_one_out(
    data: Any,
    settings: ib1.Settings,
    resources: Resources,
    *,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
    nearest: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluated:
    """Return how well IB1 answers each case of a table from all the others, in parts."""
    with closing(), counted_table(data, "ib1", settings, resources, roles, progress, options) as (work, counted):
        model = learn_model(work, methods.method_named("ib1"), settings, counted)
        methods.save(work.folder / "all.cb", model)
        file = ModelFile.of(work.folder / "all.cb")
        report = _leave_out(file, resources, work.engine, work.folder, nearest, progress)
        return _evaluated(report, work)


def cross_validate(
    data: Any,
    method: Method,
    settings: Settings,
    n_folds: int | None,
    resources: Resources,
    *,
    seed: int = 0,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
    nearest: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Evaluated:
    """Return the report of a cross-validation of a table in parts: the folds, and the report, are those of memory.

    Without a number of folds there are as many as cases, and each case is left out once. With `nearest`, the report
    lists the wrong answers, each with so many of its nearest records; they are in memory.
    """
    with closing(), counted_table(data, method.name, settings, resources, roles, progress, options) as (work, _):
        n_folds = work.n_cases if n_folds is None else n_folds
        fold_of = _deal(work, n_folds, seed, resources.memory)
        confusion = np.zeros((len(work.schema.classes),) * 2, dtype=np.int64)
        accuracies = []
        judged: list[judging.Confusion] = []
        for fold in range(n_folds):
            parts = _fold(work, method, settings, fold_of, fold, nearest, resources)
            found = _sum(parts, len(confusion))
            judged += [part for part in parts if part.errors]
            accuracies.append(float(np.trace(found) / found.sum()))
            confusion += found
            if progress is not None:
                progress(fold + 1, n_folds)
        return _evaluated(_with_errors(report_of_counts(work.schema.classes, confusion, accuracies), judged), work)


def _deal(work: Work, n_folds: int, seed: int, memory: int) -> StoredArray:
    """Write the fold of each case, in the order given."""
    if BYTES_PER_CASE * work.n_cases > memory:
        raise CasebaseError(
            f"Dealing {work.n_cases:,} cases to folds takes some {BYTES_PER_CASE * work.n_cases / 1e9:.1f} GB: give "
            "more --memory, or evaluate a model on a test file."
        )
    labels = StoredArray(work.folder / "labels", "uint32", work.n_cases).create()
    each = [(kept, start) for kept, start in zip(work.kept, work.starts.tolist()) if kept.n_rows]
    work.run("coding classes", coding.label_part, (work.shape, work.schema.classes, labels), each)
    fold_of = StoredArray(work.folder / "folds", "uint32", work.n_cases).create()
    fold_of.write(0, folds(labels.read(0, work.n_cases), n_folds, seed))
    return fold_of


def _fold(
    work: Work, method: Method, settings: Settings, fold_of: StoredArray, fold: int, nearest: int, resources: Resources
) -> list[judging.Confusion]:
    """Learn from all folds but one, and answer that one."""
    part = work.elsewhere(work.folder / f"fold-{fold}")
    folder = part.folder
    note(work.progress, f"fold {fold + 1}")
    part.kept, held_out = (_rows_of(work, fold_of, fold, are_others=are_others) for are_others in (True, False))
    part.firsts = part.starts = np.concatenate([[0], np.cumsum([one.n_rows for one in part.kept])])
    files = [(kept, 0, folder / f"count-{i:06}.pickle") for i, kept in enumerate(held_out) if kept.n_rows]
    counted = part.run("counting", counting.count_part, (work.shape, None), files)
    part.column_counts = without(work.column_counts, added_counts(part.run, folder, [one.path for one in counted]))
    with released(part.mapped, resources.memory // 16):
        model = learn_model(part, method, settings, part.counted_cases())
        if is_incomplete(model):  # its accuracy is not that of the method
            raise KeyboardInterrupt
        methods.save(folder / "model.cb", model)
        del model
    file, n_bytes = ModelFile.of(folder / "model.cb"), (work.engine.worker_memory or resources.memory) // SHARE
    each = [(kept,) for kept in held_out if kept.n_rows]
    common = (work.shape, file, n_bytes, nearest, work.names.has_whole_ids)
    found = run(work.engine, folder, "answering", judging.judge_fold, common, each, None)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _rows_of(work: Work, fold_of: StoredArray, fold: int, *, are_others: bool) -> list[reading.Kept]:
    """Return the parts of a table with the rows that are in a fold, or with the others."""
    chosen = []
    for kept, start, end in zip(work.kept, work.starts[:-1].tolist(), work.starts[1:].tolist()):
        rows = reading.FoldRows(fold_of, start, end, fold, are_others)
        chosen.append(replace(kept, n_rows=len(rows.chosen()), rows=rows))
    return chosen


@contextmanager
def counted_table(
    data: Any,
    method: str,
    settings: Settings,
    resources: Resources,
    roles: Roles,
    progress: Progress | None,
    options: dict[str, Any],
) -> Iterator[tuple[Work, Any]]:
    """Yield a table whose parts were read and counted, and its cases as methods take them."""
    check_learner(methods.method_named(method), settings)
    with scratch(resources) as folder, resources.engine() as engine:
        plain = replace(resources, scratch=None)
        with opened_parts(data, options, plain, engine, folder) as parts:
            work = Work(parts, folder, engine, progress, parts.sizes[1], memory=resources.memory)
            with released(work.mapped, resources.memory // 16):
                work.read(roles)
                yield work, work.count()


def _evaluated(report: Report, work: Work) -> Evaluated:
    return Evaluated(report, work.schema, work.shape.table(work.first_part), work.n_cases)


def run(
    engine: Engine,
    folder: Path,
    name: str,
    task: Callable[..., T],
    common: tuple[Any, ...],
    each: Sequence[tuple[Any, ...]],
    progress: Progress | None,
) -> list[T]:
    note(progress, name)
    n_done = 0

    def done() -> None:
        nonlocal n_done
        n_done += 1
        if progress is not None:
            progress(n_done, len(each))

    return engine.run(Stage(name, task, common, each, folder), done)


def _sum(found: Sequence[judging.Confusion], n_classes: int) -> np.ndarray:
    matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
    for one in found:
        one.add_to(matrix)
    return matrix


@contextmanager
def scratch(resources: Resources) -> Iterator[Path]:
    """Yield a folder for the files in between, which are removed in the end."""
    beside = Path(tempfile.gettempdir()) if resources.scratch is None else resources.scratch
    if not beside.is_dir():
        try:
            beside.mkdir(parents=True)
        except OSError as error:
            raise CasebaseError(f"Cannot use {beside} as the scratch folder: {error.strerror or error}.") from None
    with scratch_folder(beside / "casebase-evaluation", None, {}) as folder, disk_errors(folder):
        yield folder


@contextmanager
def closing() -> Iterator[None]:
    """Forget the models that are open in this process in the end."""
    try:
        yield
    finally:
        opened.close()
