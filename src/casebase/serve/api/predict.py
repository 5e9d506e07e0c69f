"""Predictions: for a few cases at once, and for streams of any length."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import anyio.from_thread
import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.base.threads import n_cores
from casebase.confidence import PredictionSets, prediction_sets, probabilities
from casebase.data import Cases, Schema
from casebase.data.arrays import as_floats, as_integers, as_strings
from casebase.data.arrow import pa
from casebase.errors import CasebaseError
from casebase.formats.read import read_table
from casebase.formats.written import row_writer
from casebase.methods import Saved
from casebase.serve.api.batches import Batches, answers_each_alone, can_be_joined
from casebase.serve.api.bodies import (
    ARROW,
    JSON_TYPE,
    NDJSON,
    STREAMS,
    TSV,
    decoded,
    json_object,
    media_type,
    wanted_type,
)
from casebase.serve.api.fields import anything, checked, flag, parameters, pointer, share
from casebase.serve.api.metrics import Metrics, metrics_of
from casebase.serve.api.queries import coder_of, rows_of
from casebase.serve.api.resources import classifier_of, named_desk, read, resource, sent
from casebase.serve.api.streams import Pull, Push, StreamResponse, batches_of, lines_of
from casebase.serve.asking import calibration_of
from casebase.serve.config import Config
from casebase.serve.desks.desk import Desk, Snapshot
from casebase.serve.problems import Problem
from casebase.serve.protocol import is_alone
from casebase.serve.web import json_bytes

OPTIONS = {"proba": flag, "set": share, "class_conditional": flag, "abstain": flag}
FEW = 32  # cases that the event loop may answer itself
QUICK = 0.002  # seconds of an answer that other requests may wait for
MEASURED = 64  # every so many quick answers one is measured
MANY = 512  # cases from which on all cores answer


@dataclass(frozen=True)
class Wish:
    """What an answer has besides the label: probabilities, a set of a confidence, no label where it says nothing."""

    proba: bool = False
    set: float | None = None
    class_conditional: bool = False
    abstain: bool = False

    def __post_init__(self) -> None:
        if self.set is None and (self.abstain or self.class_conditional):
            which = "abstain" if self.abstain else "class_conditional"
            raise CasebaseError(f'{which} goes with set, the confidence of the prediction set: "set": 0.9.')

    @property
    def is_plain(self) -> bool:
        """Whether only the label is asked for."""
        return not self.proba and self.set is None


PLAIN = Wish()


@dataclass(frozen=True)
class Predictions:
    """The answers to some cases; the probabilities and the sets only if they were asked for."""

    cases: Cases
    labels: np.ndarray
    shares: np.ndarray | None = None
    sets: PredictionSets | None = None
    is_left_out: np.ndarray | None = None

    @property
    def n_unseen(self) -> int:
        """The number of values that no stored case has."""
        cases = self.cases
        if cases.n_cases == 1:  # most requests
            return sum(
                feature.vocabulary is not None and column.item(0) == feature.vocabulary.unknown
                for column, feature in zip(cases.columns, cases.schema.features)
            )
        return sum(
            int(np.count_nonzero(column == feature.vocabulary.unknown))
            for column, feature in zip(cases.columns, cases.schema.features)
            if feature.vocabulary is not None
        )

    @property
    def n_left_out(self) -> int:
        """The number of cases that are answered with no class."""
        return 0 if self.is_left_out is None else int(self.is_left_out.sum())

    def count(self, metrics: Metrics, model: str) -> None:
        """Count the cases in the metrics."""
        metrics.add("cases", model, self.cases.n_cases)
        metrics.add("unseen_values", model, self.n_unseen)
        metrics.add("abstentions", model, self.n_left_out)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each answer as `casebase predict --json` prints it."""
        classes, cases = self.cases.schema.classes, self.cases
        ids = None if cases.ids is None else cases.ids.tolist()
        for i, label in enumerate(self.labels.tolist()):
            record: dict[str, Any] = {} if ids is None else {"id": ids[i]}
            is_left_out = self.is_left_out is not None and bool(self.is_left_out[i])
            record["label"] = None if is_left_out else classes[label]
            if self.sets is not None:
                record |= {"set": list(self.sets[i]), "remark": self.sets.remark(i) or None}
            if self.shares is not None:
                row = self.shares[i]
                record["distribution"] = {str(classes[c]): float(row[c]) for c in np.flatnonzero(row)}
            yield record

    def fragments(self) -> list[bytes]:
        """Return each answer as JSON."""
        if self.shares is None and self.sets is None and self.cases.ids is None:
            known = label_fragments(self.cases.schema)
            return [known[label] for label in self.labels.tolist()]
        return [json_bytes(record) for record in self.records()]

    def table(self) -> pa.Table:
        """Return the answers as columns: the label, the set, and the probability of each class."""
        classes, ids = self.cases.schema.classes, self.cases.ids
        names = [str(label) for label in classes]
        labels = [names[label] for label in self.labels.tolist()]
        if self.is_left_out is not None:
            labels = [None if out else label for out, label in zip(self.is_left_out.tolist(), labels)]
        columns: dict[str, Any] = (
            {} if ids is None else {"id": as_integers(ids) if ids.dtype.kind in "iu" else as_strings(ids.tolist())}
        )
        columns["label"] = as_strings(labels)
        if self.sets is not None:
            first = np.concatenate([[0], np.cumsum(self.sets.sizes)]).astype(np.int32)
            members = as_strings([str(label) for one in self.sets for label in one])
            columns["set"] = pa.ListArray.from_arrays(as_integers(first), members)
            columns["remark"] = as_strings([self.sets.remark(i) or None for i in range(len(self.sets))])
        if self.shares is not None:
            columns |= {f"p({label})": as_floats(self.shares[:, c]) for c, label in enumerate(classes)}
        return pa.table(columns)


_FRAGMENTS: WeakKeyDictionary[Schema, list[bytes]] = WeakKeyDictionary()


def label_fragments(schema: Schema) -> list[bytes]:
    """Return for each class the JSON of an answer with nothing but the label."""
    found = _FRAGMENTS.get(schema)
    if found is None:
        found = _FRAGMENTS[schema] = [json_bytes({"label": label}) for label in schema.classes]
    return found


def predictions(snapshot: Snapshot, saved: Saved, cases: Cases, wish: Wish) -> Predictions:
    """Return the answers of a model."""
    model = saved.model
    n_jobs = n_cores() if cases.n_cases >= MANY else 1
    answers = model.answer(cases, n_jobs=n_jobs)
    if wish.is_plain:
        return Predictions(cases, answers.label)
    calibration = calibration_of(saved, snapshot.version)
    shares = probabilities(model, answers, calibration) if wish.proba else None
    sets, is_left_out = None, None
    if wish.set is not None:
        if calibration is None:
            raise CasebaseError(
                "Prediction sets need a calibration, and this model has too many cases to make one now. Train it with "
                "one: casebase train --held-out 0.2."
            )
        sets = prediction_sets(
            model, calibration, cases, wish.set, class_conditional=wish.class_conditional, n_jobs=n_jobs
        )
        is_left_out = ~sets.is_decided if wish.abstain else None
    return Predictions(cases, answers.label, shares, sets, is_left_out)


class Paces:
    """How long a case takes with each version: quick ones are answered without a thread."""

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[str, float]] = {}
        self.n_quick = 0

    def is_quick(self, model: str, version: str, n_cases: int) -> bool:
        """Return whether an answer takes so little time that others can wait; the first of a version never does."""
        known, seconds = self.seconds.get(model, ("", 1.0))
        return n_cases <= FEW and known == version and seconds * n_cases < QUICK

    def is_next_measured(self) -> bool:
        """Return whether to measure a quick answer: some are enough, since the clock takes as long as a search."""
        self.n_quick += 1
        return self.n_quick % MEASURED == 0

    def note(self, model: str, version: str, seconds: float) -> None:
        """Note the seconds that a case took."""
        known, before = self.seconds.get(model, ("", seconds))
        self.seconds[model] = (version, (before + seconds) / 2 if known == version else seconds)


def routes() -> list[Route]:
    return [resource("/v1/models/{model}/predict", "predict", POST=read(predict))]


async def predict(request: Request) -> Response:
    """Answer cases: in JSON at once, in the other types as a stream."""
    kind = media_type(request, JSON_TYPE, *STREAMS)
    if kind != JSON_TYPE:
        return _streamed(request, kind)
    desk = named_desk(request)
    snapshot = desk.snapshot
    saved = classifier_of(desk, snapshot.saved)
    wanted = wanted_type(request, JSON_TYPE, JSON_TYPE, *STREAMS)
    body = await json_object(request)
    config: Config = request.app.state.config
    coder = coder_of(saved.model.schema)
    rows, at = rows_of(body, coder, config.limits.cases)
    wish = PLAIN
    if len(body) > 1 or request.scope["query_string"]:
        given = checked(body, OPTIONS | {"cases": anything, "columns": anything})
        wish = Wish(**parameters(request, OPTIONS) | {name: given[name] for name in OPTIONS if name in given})
    paces: Paces = request.app.state.paces

    def answer() -> Predictions:
        return predictions(snapshot, saved, coder.coded(rows, at), wish)

    def measured() -> Predictions:
        start = time.thread_time()  # of the processor: what else the machine does says nothing about the model
        found = answer()
        paces.note(desk.name, snapshot.version, (time.thread_time() - start) / len(rows))
        return found

    if not paces.is_quick(desk.name, snapshot.version, len(rows)):
        found = await run_in_threadpool(measured)
    elif paces.is_next_measured():
        found = measured()
    elif len(rows) == 1 and wish.is_plain and wanted == JSON_TYPE and not is_alone(request.scope):
        return await _together(request, desk, snapshot, saved, coder.coded(rows, at))
    else:
        found = answer()
    found.count(metrics_of(request), desk.name)
    if wanted != JSON_TYPE:
        return sent(_written(found, wanted, is_first=True), wanted, snapshot.version)
    extra = b"" if found.sets is None else b', "guarantee": ' + json_bytes(found.sets.guarantee)
    return _reply(b", ".join(found.fragments()), snapshot.version, extra)


def _reply(fragments: bytes, version: str, extra: bytes = b"") -> Response:
    return sent(b'{"version": "%s"%s, "predictions": [%s]}' % (version.encode(), extra, fragments), JSON_TYPE, version)


async def _together(request: Request, desk: Desk, snapshot: Snapshot, saved: Saved, cases: Cases) -> Response:
    """Answer one case together with others that wait."""
    metrics = metrics_of(request)

    def answer(cases: Cases) -> list[bytes]:
        found = predictions(snapshot, saved, cases, PLAIN)
        found.count(metrics, desk.name)
        return found.fragments()

    if not answers_each_alone(saved.model) or not can_be_joined(cases):
        return _reply(answer(cases)[0], snapshot.version)
    batches: Batches = request.app.state.batches
    return _reply(await batches.answer((desk.name, snapshot.version), cases, answer), snapshot.version)


def _streamed(request: Request, kind: str) -> Response:
    """Return the response that answers a stream while it is read."""
    desk = named_desk(request)
    snapshot = desk.snapshot
    saved = classifier_of(desk, snapshot.saved)
    wanted = wanted_type(request, kind, *STREAMS)
    wish = Wish(**parameters(request, OPTIONS))
    metrics, model = metrics_of(request), desk.name

    def answered(cases: Cases) -> Predictions:
        found = predictions(snapshot, saved, cases, wish)
        anyio.from_thread.run_sync(found.count, metrics, model)
        return found

    def work(pull: Pull, push: Push) -> None:
        is_first, writer = True, _ArrowWriter() if wanted == ARROW else None
        for found in _pieces(kind, wanted, pull, saved.model.schema, answered):
            if isinstance(found, bytes):
                push(found)
            elif writer is not None:
                push(writer.written(found.table()))
            else:
                push(_written(found, wanted, is_first=is_first))
            is_first = False
        if writer is not None:
            push(writer.end())

    return StreamResponse(request, work, wanted, snapshot.version)


Answered = Callable[[Cases], Predictions]


def _pieces(kind: str, wanted: str, pull: Pull, schema: Schema, answered: Answered) -> Iterator[Predictions | bytes]:
    """Yield the answers to a stream, piece by piece; for lines of JSON that may be what is wrong with them."""
    if kind == NDJSON:
        n_before = 0
        for block in lines_of(pull):
            lines = block.split(b"\n")[:-1]
            yield from _of_lines(lines, n_before, schema, answered, has_problems=wanted == NDJSON)
            n_before += len(lines)
    else:
        tables = _arrow_tables(pull, schema) if kind == ARROW else _delimited_tables(kind, pull, schema)
        for table in tables:
            yield answered(schema.encode(table))


def _of_lines(
    lines: list[bytes], first: int, schema: Schema, answered: Answered, *, has_problems: bool
) -> Iterator[Predictions | bytes]:
    """Yield the answers to lines of JSON; if `has_problems`, what is wrong with a line is the answer to it."""
    coder = coder_of(schema)
    try:
        rows = decoded(b"[" + b",".join(lines) + b"]")
        if len(rows) != len(lines):
            raise Problem(400, "Expected one JSON value per line.")
        yield answered(coder.coded(rows, lambda i, *column: pointer(first + i, *column)))
        return
    except Problem as problem:
        if not has_problems:
            raise
        if len(lines) == 1:
            yield json_bytes(problem.to_dict()) + b"\n"
            return
    # One of the lines is wrong: halves that are right are still answered together.
    middle = len(lines) // 2
    yield from _of_lines(lines[:middle], first, schema, answered, has_problems=True)
    yield from _of_lines(lines[middle:], first + middle, schema, answered, has_problems=True)


def _arrow_tables(pull: Pull, schema: Schema) -> Iterator[Any]:
    for batch in batches_of(pull):
        yield schema.mark_target(schema.table(batch))


def _delimited_tables(kind: str, pull: Pull, schema: Schema) -> Iterator[Any]:
    """Yield tables of the lines of CSV or TSV; the first line may have the names of the columns."""
    header: bytes | None = None
    waiting = b""
    read_block = partial(
        read_table, format="tsv" if kind == TSV else "csv", schema=schema, encoding="utf-8", n_threads=n_cores()
    )
    for block in lines_of(pull):
        if header is not None:
            yield read_block(header + block, header=bool(header))
            continue
        waiting += block
        if waiting.count(b"\n") > 1:  # names alone are no table
            table = read_block(waiting)
            header = waiting[: waiting.index(b"\n") + 1] if table.has_header else b""
            yield table
    if header is None:
        yield read_block(waiting)


def _written(found: Predictions, wanted: str, *, is_first: bool) -> bytes:
    """Return answers as lines of a media type."""
    if wanted == NDJSON:
        return b"\n".join(found.fragments()) + b"\n"
    if wanted == ARROW:
        writer = _ArrowWriter()
        return writer.written(found.table()) + writer.end()
    table = found.table()
    text = io.StringIO()
    writer_of_rows = row_writer(text, "\t" if wanted == TSV else ",")
    if is_first:
        writer_of_rows.writerow(table.column_names)
    columns = [map(_field, column.to_pylist()) for column in table.columns]
    writer_of_rows.writerows(zip(*columns))
    return text.getvalue().encode()


def _field(value: Any) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(value) + "}"
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


class _ArrowWriter:
    """The answers as an Arrow stream: what each table adds to it."""

    def __init__(self) -> None:
        self.buffer = io.BytesIO()
        self.writer: Any = None

    def written(self, table: pa.Table) -> bytes:
        if self.writer is None:
            self.writer = pa.ipc.new_stream(self.buffer, table.schema)
        self.writer.write_table(table)
        return self._taken()

    def end(self) -> bytes:
        if self.writer is not None:
            self.writer.close()
        return self._taken()

    def _taken(self) -> bytes:
        data = self.buffer.getvalue()
        self.buffer.seek(0)
        self.buffer.truncate()
        return data
