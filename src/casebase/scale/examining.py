"""The health of a large memory: the report of memory, as far as the memory that is given allows.

The whole examination has all records in memory, and some numbers for each; the questions, which take nearly all of the
time, are tasks. Where that does not fit, every record of an IB1 memory of symbols is still answered by all the others,
some rows of the sorted memory at a time, and equal records lie side by side. What needs all records at once is then not
looked for: opinions of a forest, Shapley values, redundant records.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from casebase import methods
from casebase.base.leave_out import memory_of, stored_cases
from casebase.base.parameters import restored_parameters
from casebase.checkup import columns, equal, health, metrics, outliers, values
from casebase.checkup.distinct import distinct_records
from casebase.checkup.examination import EPSILON, compared_by, settings_of
from casebase.checkup.findings import Commands, Finding, Kind
from casebase.checkup.passing import RunSpans
from casebase.checkup.record import KINDS, Health, Scores
from casebase.checkup.training import model_commands
from casebase.data import Cases, Schema
from casebase.data.roles import Roles
from casebase.data.runs import begins_run
from casebase.errors import CasebaseError
from casebase.measures.counts import Counts
from casebase.memory.segments import Memory
from casebase.memory.store import Store
from casebase.methods import Saved
from casebase.neighbours import ib1
from casebase.neighbours.ib1 import IB1
from casebase.progress import Progress, note
from casebase.scale import evaluating
from casebase.scale.engine import SHARE, Engine
from casebase.scale.fitting import Work, learn_model
from casebase.scale.judging import tables_of
from casebase.scale.lean import released
from casebase.scale.opened import ModelFile
from casebase.scale.resources import Resources
from casebase.scale.scratch import size_of
from casebase.scale.stored import StoredArray, blocks

BLOCK = 4096  # rows at a time, where equal rows end
LEFT_OUT: tuple[Kind, ...] = ("mislabelled", "pivotal", "redundant")
NOT_LOOKED_FOR = (
    "The records were examined in parts: records that are probably mislabelled, pivotal or redundant, which need all "
    "records in memory, some {n_bytes}, were not looked for."
)
# Bytes for each record while all are examined, as measured with twelve features and at most ten findings for each
# record, and for the two forests, whose trees draw at most 100,000 records each.
BYTES_PER_RECORD, FORESTS = 4_000, 300_000_000
BYTES_FOR_A_TASK = 1_000  # the same in a worker that asks about some of the records
Placed = tuple[float, tuple[int, ...], int, Finding]  # a finding and its place: its score, the codes of its record, …


@dataclass(frozen=True, eq=False)
class Examined:
    """What some rows of a memory show: right answers, the most that could be right, and findings about equal ones."""

    n_right: int
    n_best: int
    contradictions: list[Placed]
    duplicates: list[Placed]


def examine(
    model: str | os.PathLike[str],
    resources: Resources,
    *,
    metric: Any = metrics.AUTO,
    weighting: Any = metrics.AUTO,
    epsilon: float = EPSILON,
    progress: Progress | None = None,
) -> Health:
    """Return what is odd about the records of a model file: all findings if their examination fits into the memory.

    If it does not, the records of an IB1 model of symbols are examined under its own metric, and a note says what was
    not looked for. Other models, and other metrics, are an error then.
    """
    file = ModelFile.of(model)
    with evaluating.closing(), evaluating.scratch(resources) as folder, resources.engine() as engine:
        n_bytes = (engine.worker_memory or resources.memory) // SHARE
        with file.within(n_bytes) as saved:
            n_records = memory_of(saved.model).n_cases
            if not _fits(n_records, resources, engine):
                needed = needed_for(n_records)
                if (metric, weighting, epsilon) != (metrics.AUTO, metrics.AUTO, EPSILON):
                    raise CasebaseError(
                        f"Another metric, weighting or epsilon needs all records in memory, some {size_of(needed)}: "
                        "leave it out, or give more --memory."
                    )
                commands = model_commands(
                    saved.model, restored_parameters(saved.estimator).get("kinds"), os.fspath(model)
                )
                return _in_parts(file, commands, resources, engine, folder, needed, progress)

        note(progress, "opinions of forests")
        return health(
            os.fspath(model),
            metric=metric,
            weighting=weighting,
            epsilon=epsilon,
            n_jobs=resources.n_threads,
            run=_asking(engine, folder, progress),
        )


def examine_table(
    data: Any,
    resources: Resources,
    commands: Callable[[Schema], Commands],
    *,
    metric: Any = metrics.AUTO,
    weighting: Any = metrics.AUTO,
    epsilon: float = EPSILON,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Health, Schema]:
    """Return what is odd about the records of a table, and its schema: all findings if they fit into the memory.

    An IB1 memory is made in parts, from which the records are asked. Where not all findings fit, the metric is that of
    the candidates which answers most of a thousand records correctly, as in memory, where other records are drawn.
    """
    chosen = {"metric": metric, "weighting": weighting}
    given = {name: value for name, value in chosen.items() if value is not metrics.AUTO}
    first = ib1.Settings(**given)
    with (
        evaluating.closing(),
        evaluating.counted_table(data, "ib1", first, resources, roles, progress, options) as (work, _),
    ):
        schema, own = work.schema, replace(commands(work.schema), compared=compared_by(metric, weighting, epsilon))
        needed = needed_for(work.n_cases)
        if _fits(work.n_cases, resources, work.engine):
            model = methods.load(_memory_of_table(work, resources, first, 0)).model
            cases = Store(model.schema, memory_of(model), None).cases()
            note(progress, "opinions of forests")
            report = health(
                cases,
                metric=metric,
                weighting=weighting,
                epsilon=epsilon,
                n_jobs=resources.n_threads,
                commands=own,
                run=_asking(work.engine, work.folder, progress),
            )
            return report, schema
        if epsilon != EPSILON:
            raise CasebaseError(
                f"Another epsilon needs all records in memory, some {size_of(needed)}: leave it out, or give more "
                "--memory."
            )
        candidates = [first] if given else metrics.candidates(schema)
        files = [ModelFile.of(_memory_of_table(work, resources, one, i)) for i, one in enumerate(candidates)]
        _checked(files[0].saved(), needed)
        n_bytes = (work.engine.worker_memory or resources.memory) // SHARE
        best = max(files, key=partial(_n_right, n_bytes)) if len(files) > 1 else files[0]  # the first of equal ones
        return _in_parts(best, own, resources, work.engine, work.folder, needed, progress), schema


def _memory_of_table(work: Work, resources: Resources, settings: ib1.Settings, number: int) -> Path:
    """Learn an IB1 model from a table in parts, and return its file, which has this number."""
    apart = work.elsewhere(work.folder / f"candidate-{number}")
    with released(apart.mapped, resources.memory // 16):
        model = learn_model(apart, methods.method_named("ib1"), settings, apart.counted_cases())
        path = work.folder / f"candidate-{number}.cb"
        methods.save(path, model)
        del model
    shutil.rmtree(apart.folder, ignore_errors=True)
    return path


def _n_right(n_bytes: int, file: ModelFile) -> int:
    """Return how many of some records are answered correctly by the others."""
    with file.within(n_bytes) as saved:
        assert isinstance(saved.model, IB1)
        model = _at_one(replace(saved.model, tables=tables_of(saved.model)))
        n_rows = model.memory.n_rows
        drawn = np.random.default_rng(metrics.SEED).choice(n_rows, min(metrics.N_JUDGES, n_rows), replace=False)
        # By their order in the table: memories that are sorted by other weights ask the same records.
        rows = np.sort(model.memory.places(np.sort(drawn)))
        answers = ib1.held_out_answers(model, ib1.sorted_cases(model), rows, are_sorted=True)
        return int((answers.label == model.memory.labels(rows)).sum())


def _fits(n_records: int, resources: Resources, engine: Engine) -> bool:
    """Return whether all records can be examined in the memory, and asked about in that of a worker."""
    needed = needed_for(n_records)
    return needed <= resources.memory and BYTES_FOR_A_TASK * n_records <= (engine.worker_memory or needed)


def _asking(engine: Engine, folder: Path, progress: Progress | None) -> RunSpans:
    """Return what runs the tasks that ask about records."""

    def run(task: Callable[..., Any], common: tuple[Any, ...], each: Sequence[tuple[Any, ...]]) -> list[Any]:
        return evaluating.run(engine, folder, "asking", task, common, each, progress)

    return run


def needed_for(n_records: int) -> int:
    """Return about how many bytes the examination of all records takes."""
    return BYTES_PER_RECORD * n_records + min(FORESTS, BYTES_PER_RECORD * n_records)


def _in_parts(
    file: ModelFile,
    commands: Commands,
    resources: Resources,
    engine: Engine,
    folder: Path,
    needed: int,
    progress: Progress | None,
) -> Health:
    """Return what some rows at a time show."""
    n_bytes = (engine.worker_memory or resources.memory) // SHARE
    with file.within(n_bytes) as saved:
        memory = _checked(saved, needed)
        learned = saved.model
        assert isinstance(learned, IB1)
        note(progress, "counting")
        tables = tables_of(learned)
        distances = StoredArray(folder / "distances", "float64", memory.n_rows).create()
        spans = _spans(memory, resources.rows or evaluating.LEFT_OUT)
        common = (file, tables, commands, distances, n_bytes)
        found = evaluating.run(engine, folder, "asking", examine_rows, common, spans, progress)
        return _health(learned, tables, commands, distances, found, needed)


def _checked(saved: Saved, needed: int) -> Memory:
    """Return the memory of a model; an error if it cannot be examined in parts."""
    model, more = saved.model, f"give --memory {size_of(needed)} or more, which is what all records take"
    if not isinstance(model, IB1):
        raise CasebaseError(
            f"Only the records of an ib1 model can be examined in parts, and this is a model of {model.method}: train "
            f"one of ib1, or {more}."
        )
    if len(model.memory.segments) != 1 or model.memory.is_corrected:
        raise CasebaseError("A corrected memory cannot be examined in parts: save the model and load it again first.")
    (segment,) = model.memory.segments
    if segment.counts is not None or segment.exemplars is not None:
        raise CasebaseError(f"Records with weights cannot be examined in parts: {more}.")
    used = [feature for feature in model.schema.features if feature.kind != "ignored"]
    if any(feature.kind == "numeric" for feature in used):
        raise CasebaseError(
            f"Records with numbers are compared one by one, and cannot be examined in parts: {more}, or examine a "
            "sample of them."
        )
    if not model.leaves_one_out or getattr(model.settings, "compat", None) is not None:
        raise CasebaseError(
            f"A model with a feature limit, RELIEF's weights or compat cannot be examined in parts: {more}."
        )
    if model.memory.n_cases < 2:
        raise CasebaseError("Health compares records with each other: at least two are needed, got one.")
    return model.memory


def _spans(memory: Memory, step: int) -> list[tuple[int, int]]:
    """Return where parts of the sorted rows begin and end: never between equal rows."""
    spans, begin, n = [], 0, memory.n_rows
    stored = memory.segments[0].columns
    while begin < n:
        end = min(begin + step, n)
        while end < n:
            block = slice(end, min(end + BLOCK, n))
            is_equal = np.all([column[block] == column[end - 1] for column in stored], axis=0)
            end += len(is_equal) if is_equal.all() else int(np.argmin(is_equal))
            if not is_equal.all():
                break
        spans.append((begin, end))
        begin = end
    return spans


def examine_rows(
    file: ModelFile,
    tables: dict[int, Counts],
    commands: Commands,
    distances: StoredArray,
    n_bytes: int,
    begin: int,
    end: int,
) -> Examined:
    """Ask some rows of the memory, each of all others, write the nearest distances, and compare equal ones."""
    with file.within(n_bytes) as saved:
        assert isinstance(saved.model, IB1)
        model = _at_one(replace(saved.model, tables=tables))
        rows = np.arange(begin, end)
        answers = ib1.held_out_answers(model, ib1.sorted_cases(model), rows, are_sorted=True)
        assert answers.distance is not None
        distances.write(begin, answers.distance)
        labels = model.memory.labels(rows).astype(np.int64)
        stored = [column[begin:end] for column in model.memory.segments[0].columns]
        row = np.cumsum(begins_run(stored, len(rows))) - 1
        _, first, count = np.unique(row * len(model.schema.classes) + labels, return_index=True, return_counts=True)
        best = np.zeros(int(row[-1]) + 1, dtype=np.int64)
        np.maximum.at(best, row[first], count)
        contradictions, duplicates = _of_equal(model, rows[np.bincount(row)[row] > 1], commands)
        return Examined(int((answers.label == labels).sum()), int(best.sum()), contradictions, duplicates)


def _at_one(model: IB1) -> IB1:
    """Return a model that answers with the nearest cases alone, as records are examined."""
    settings = settings_of(model)
    assert settings is not None
    voting = replace(settings, k=1, vote="equal", exact_match="never").voting_by(model.voting.preference)
    return replace(model, voting=voting)


def _of_equal(model: IB1, rows: np.ndarray, commands: Commands) -> tuple[list[Placed], list[Placed]]:
    """Return the findings about rows that have equals among them."""
    if not len(rows):
        return [], []
    cases = _in_given_order(model, rows)
    distinct = distinct_records(cases)
    place = {record: i for i, record in enumerate(distinct.ids(np.arange(cases.n_cases)))}
    codes = list(zip(*(cases.columns[i].tolist() for i in sorted(model.memory.order.tolist()))))

    def placed(found: list[Finding]) -> list[Placed]:
        return [(-one.score, codes[place[one.record]], i, one) for i, one in enumerate(found) if one.record is not None]

    return placed(equal.contradictions(distinct, commands)), placed(equal.duplicates(distinct, commands))


def _in_given_order(model: IB1, rows: np.ndarray) -> Cases:
    return stored_cases(model, rows[np.argsort(model.memory.given(rows))])


def _health(
    model: IB1,
    tables: dict[int, Counts],
    commands: Commands,
    distances: StoredArray,
    found: list[Examined],
    needed: int,
) -> Health:
    """Return the report from what all parts show."""
    memory, schema, n_cases = model.memory, model.schema, model.memory.n_cases
    findings = [
        one
        for kind in ("contradictions", "duplicates")
        for *_, one in sorted((each for part in found for each in getattr(part, kind)), key=lambda each: each[:3])
    ]
    mapped = distances.mapped()
    limit, usual = outliers.limits(mapped)
    far = np.flatnonzero(np.isfinite(mapped) & (mapped > limit))
    if len(far):
        distinct = distinct_records(_in_given_order(model, far))
        in_order = mapped[far[np.argsort(memory.given(far))]]
        findings += outliers.outliers_beyond(distinct, in_order[distinct.first], limit, usual, commands)
    per_class = model.preference.frequency.astype(np.int64)
    findings += values.rare_occurrences(_occurrences(model, tables), _classes(model, per_class), n_cases, commands)
    suspicions: list[Finding] = []
    for position, feature in enumerate(schema.features):
        if feature.kind != "ignored":
            table: Any = tables[position]
            cells = columns.Cells(table.value, table.label, table.count.astype(np.int64))
            suspicions += columns.suspicions(schema, feature, cells, columns.value_texts(feature), per_class)
    findings += columns.in_order(schema, suspicions, commands)
    counts = Counter(one.kind for one in findings)
    settings = settings_of(model)
    assert settings is not None
    notes = ["All records have one class: nothing can contradict it."] if len(schema.classes) == 1 else []
    nothing = np.empty(0)
    return Health(
        n_cases=n_cases,
        n_features=sum(feature.kind != "ignored" for feature in schema.features),
        n_classes=len(schema.classes),
        target=schema.target,
        metric=metrics.description(settings),
        accuracy=float(sum(one.n_right for one in found) / n_cases),
        baseline=float(per_class.max() / n_cases),
        ceiling=float(sum(one.n_best for one in found) / n_cases),
        n_asked=n_cases,
        epsilon=EPSILON,
        counts={kind: counts[kind] for kind in KINDS if kind not in LEFT_OUT},
        findings=tuple(findings),
        notes=(*notes, NOT_LOOKED_FOR.format(n_bytes=size_of(needed))),
        scores=Scores(nothing, nothing, nothing, nothing, nothing, nothing),
        commands=commands,
    )


def _occurrences(model: IB1, tables: dict[int, Counts]) -> list[values.Occurrences]:
    """Return the values of each symbolic feature, and the records that have them."""
    found, rank_of = [], {feature: rank for rank, feature in enumerate(model.memory.order.tolist())}
    for position, feature in enumerate(model.schema.features):
        if feature.kind == "symbolic":
            names, column = values.value_names(feature), model.memory.segments[0].columns[rank_of[position]]
            per_value = tables[position].per_value.astype(np.int64)
            found.append(values.Occurrences(feature.name, names, per_value, _Having(model, column)))
    return found


def _classes(model: IB1, per_class: np.ndarray) -> values.Occurrences:
    having = _Having(model, model.memory.segments[0].labels)
    return values.Occurrences(model.schema.target, list(model.schema.classes), per_class, having)


@dataclass(frozen=True, eq=False)
class _Having:
    """Finds the records that have a code in a column of the memory."""

    model: IB1
    column: np.ndarray

    def __call__(self, code: int) -> tuple[tuple[int | str, ...], Any]:
        """Return the ids of the records, in the order given, and the class of the first."""
        memory = self.model.memory
        rows = np.concatenate(
            [block.start + np.flatnonzero(self.column[block] == code) for block in blocks(memory.n_rows)]
        )
        rows = rows[np.argsort(memory.given(rows))]
        ids = tuple(each if isinstance(each, int | str) else str(each) for each in memory.ids(rows).tolist())
        return ids, self.model.schema.classes[int(memory.labels(rows[:1])[0])]
