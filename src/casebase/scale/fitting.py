"""From a table in parts to a model, and its calibration, in stages that hold one part at a time."""

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from casebase.base.calibration import Calibration
from casebase.base.method import Method
from casebase.base.model import Model
from casebase.base.settings import Settings
from casebase.confidence import calibrate, is_calibrated_when_trained
from casebase.data import Schema
from casebase.data.cases import check_features
from casebase.data.ids import distinct_ids, ids_of, same_ids
from casebase.data.roles import Roles
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.parts import Parts, sum_of
from casebase.memory.segments import Segment
from casebase.progress import Progress, note
from casebase.scale import drawing, tasks
from casebase.scale.cases import CountedCases, given_cases
from casebase.scale.committees import learn_committee
from casebase.scale.counting import Counts, feature_of, total
from casebase.scale.engine import Engine, Stage
from casebase.scale.kinds import Asked, derived
from casebase.scale.naming import Names
from casebase.scale.scratch import check_space

T = TypeVar("T")
MOST_CASES = 2**32 - 1  # rows have numbers of 32 bits
BYTES_PER_TEXT = 100  # of a text for each case in memory, while the model is written
BY_COUNTS = ("ib1", "igtree", "tribl", "tribl2")
BY_ALL = ("id3", "c45", "oblivion")
BY_SAMPLE = ("auto", "forest", "kernel", "opinions", "discriminant")
LEARNERS = BY_COUNTS + BY_ALL + BY_SAMPLE
# How the time of a training is shared among its stages, in hundredths, as measured with IB1: for the estimate.
SHARES = {
    "reading": 12,
    "counting": 27,
    "coding": 6,
    "comparing ids": 0,  # these stages are short, or only some trainings have them
    "finding ids": 0,
    "sampling": 2,
    "dividing": 9,
    "sorting": 30,
    "naming": 0,
    "hashing": 12,
    "drawing": 2,
    "sampling again": 0,
    "dividing again": 0,
    "arranging": 0,
}


def share_done(stage: str, n_done: int, n: int) -> tuple[int, int]:
    """Return how much of the whole is done when n tasks of a stage are.

    >>> share_done("counting", 1, 3)
    (21, 100)
    """
    before = 0
    for name, share in SHARES.items():
        if name == stage:
            return before + round(share * n_done / n), 100
        before += share
    return before, 100


@dataclass
class Work:
    """The stages over one table: where their files are, who runs them, and what they have found so far."""

    parts: Parts
    folder: Path
    engine: Engine
    progress: Progress | None = None
    range_rows: int = 1_000_000
    has_records: bool = False
    memory: int | None = None
    kept: list[tasks.Kept] = field(init=False)
    shape: tasks.Shape = field(init=False)
    asked: Asked | None = field(init=False, default=None)
    names: Names = field(init=False)
    starts: np.ndarray = field(init=False)
    counts: Counts = field(init=False)
    schema: Schema = field(init=False)
    given: tasks.Given | None = field(init=False, default=None)

    def run(
        self, name: str, task: Callable[..., T], common: tuple[Any, ...], each: Sequence[tuple[Any, ...]]
    ) -> list[T]:
        """Run the tasks of a stage, and report how many are done."""
        note(self.progress, name)
        n_done = 0

        def done() -> None:
            nonlocal n_done
            n_done += 1
            if self.progress is not None:
                self.progress(*share_done(name, n_done, len(each)))

        try:
            return self.engine.run(Stage(name, task, common, each, self.folder, self.has_records), done)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise CasebaseError(
                f"The disk is full ({self.folder.parent}). Name a scratch folder on a larger one with --scratch."
            ) from error

    @property
    def n_cases(self) -> int:
        return int(self.starts[-1])

    def read(self, roles: Roles = Roles()) -> None:  # noqa: B008  # it is frozen
        """Parse every part once, and decide what the columns are."""
        try:
            self.kept = self._read()
        except EncodingError:
            self.parts = self.parts.by_all_bytes()  # an error if there is no other encoding
            for record in self.folder.glob("done-reading-*"):
                record.unlink()
            self.kept = self._read()
        self.starts = np.concatenate([[0], np.cumsum([one.n_rows for one in self.kept])])
        plan = replace(self.parts.plan, schema=None)
        self.shape = tasks.Shape(plan, self.parts.decide(sum_of(one.facts for one in self.kept)))
        if self.n_cases > MOST_CASES:
            raise CasebaseError(f"A memory has at most {MOST_CASES:,} cases; the table has {self.n_cases:,}.")
        self.asked = Asked.of(self.shape.table(self.first_part), roles)
        if self.asked is not None:
            asked = self.asked
            self.shape = replace(
                self.shape, uncounted=asked.uncounted, id_column=asked.id_column, provenance=asked.provenance
            )

    def _read(self) -> list[tasks.Kept]:
        files = [(part, self.folder / f"part-{i:06}.arrow") for i, part in enumerate(self.parts.parts)]
        return self.run("reading", tasks.read_part, (), files)

    def count(self) -> CountedCases:
        """Count values and classes of all parts, and return the cases as methods take them."""
        filled = [(kept,) for kept in self.kept if kept.n_rows]
        each = self.run("counting", tasks.count_part, (self.shape,), filled)
        self.names = Names.of(each, self.shape)
        self.counts = total([one.counts for one in each])
        table = self.shape.table(self.first_part)
        assert table.target is not None
        counted = dict(zip(self.shape.columns(table), self.counts.columns))
        source = None
        if self.asked is not None:
            source = self.asked.source(counted, dict(zip(table.names, self.shape.decision.orders)))
            self.shape = replace(self.shape, source=source)
            check_features(source)
        columns = list(counted.items()) if source is None else derived(source, counted)
        self.counts = replace(self.counts, columns=tuple(column for _, column in columns))
        found = [feature_of(name, column) for name, column in columns]
        self.schema = Schema(
            tuple(feature if source is None else source.with_quotes(feature) for feature, _ in found),
            tuple(self.counts.classes.to_pylist()),
            table.names[table.target],
            table.is_named,
            table.target,
            source,
            table.layout,
        )
        return CountedCases(
            self.schema,
            tuple(column for _, column in found),
            None,
            n_cases=self.n_cases,
            counts=self.counts.columns,
            per_class=self.per_class,
            sort=self.sort,
        )

    @property
    def per_class(self) -> np.ndarray:
        return self.counts.per_class.astype(float)

    def code(self, schema: Schema) -> tasks.Given:
        """Write the codes of all cases, in the order given, as the features of a method have them."""
        given = tasks.Given.new(
            self.folder,
            with_all_features(schema, self.schema),
            self.n_cases,
            has_whole_ids=self.names.has_whole_ids,
            n_provenance=len(self.names.provenance),
        )
        # The cases are in the order given, in ranges, sorted, and in the model file, at most at the same time.
        check_space(self.folder, 4 * sum(array.n * array.itemsize for array in given.all_arrays) + 28 * self.n_cases)
        for array in given.all_arrays:
            array.create()
        filled = [(kept, start) for kept, start in zip(self.kept, self.starts.tolist()) if kept.n_rows]
        self.run("coding", tasks.code_part, (self.shape, given, self.names.provenance), filled)
        self.given = given
        self._check_ids(given)
        return given

    def _check_ids(self, given: tasks.Given) -> None:
        """Raise an error if two cases have the same id."""
        if given.ids is None:
            if self.shape.id_column is not None:
                self._check_room(self.shape.id_column)
                distinct_ids(self.ids(given), self.n_cases)
            return
        n_groups = -(-self.n_cases // self.range_rows)
        runs = self.run("comparing ids", tasks.divide_ids, (given, n_groups), self.run_files())
        found = self.run("finding ids", tasks.repeated_ids, (runs,), [(i,) for i in range(n_groups)])
        for run in runs:
            run.remove()
        n_repeated = sum(n for n, _ in found)
        if n_repeated:
            raise same_ids([value for _, value in sorted(one for _, some in found for one in some)], n_repeated)

    def ids(self, given: tasks.Given) -> np.ndarray | None:
        """Return the ids in the order given: a mapped file of whole numbers, or texts in memory."""
        if given.ids is not None or self.shape.id_column is None:
            return None if given.ids is None else given.ids.mapped()
        parts = (self.shape.ids(self.shape.table(kept)) for kept in self.kept if kept.n_rows)
        return ids_of([text for part in parts if part is not None for text in part.to_pylist()], are_texts=True)

    def provenance(self, given: tasks.Given) -> np.ndarray | None:
        """Return the columns that are kept, in the order given, in memory."""
        if not given.provenance:
            return None
        for name in self.shape.provenance:
            self._check_room(name)
        texts = np.empty((self.n_cases, len(given.provenance)), dtype=object)
        for i, (codes, values) in enumerate(zip(given.provenance, self.names.provenance)):
            texts[:, i] = np.array([*values.to_pylist(), None], dtype=object)[codes.mapped()]
        return texts

    def _check_room(self, name: str) -> None:
        """Raise an error if a text for each case does not fit into the memory."""
        needed = BYTES_PER_TEXT * self.n_cases
        if self.memory is not None and needed > self.memory:
            raise CasebaseError(
                f"Column {name!r} is stored with the cases as text, which a model has in memory: some "
                f"{needed / 1e9:.1f} GB. Leave it out, give more --memory, or use whole numbers as ids."
            )

    def sort(self, schema: Schema, ranks: list[int]) -> Segment:
        """Sort all cases by the symbolic features in this order, range by range."""
        given, order = self.code(schema), tasks.Order.by(schema, ranks)
        out = tasks.Sorted.new(self.folder, given, order)
        for array in out.arrays:
            array.create()
        if order.n_symbolic == 0:  # numbers are no sort keys: the cases stay in the order given
            self.run("sorting", tasks.number_part, (out,), self.filled_spans())
            return self._named(out.segment([given.columns[i] for i in ranks], given.labels), given, out)
        sampled = self.run("sampling", tasks.sample_keys, (given, order), self.filled_spans())
        bounds = self.bounds(np.sort(np.concatenate(sampled)))
        runs = self.run("dividing", tasks.divide_part, (given, order, bounds), self.run_files())
        self.run("sorting", tasks.sort_range, (runs, order, out), list(enumerate(tasks.starts_of(runs))))
        for run in runs:
            run.remove()
        return self._named(out.segment(out.columns, out.labels), given, out)

    def _named(self, segment: Segment, given: tasks.Given, out: tasks.Sorted) -> Segment:
        """Return the sorted cases with their ids and their provenance."""
        if given.ids is not None:
            self.run("naming", tasks.name_part, (given, out), self.filled_spans())
        ids, provenance = None if given.ids is not None else self.ids(given), self.provenance(given)
        return replace(
            segment,
            ids=segment.ids if ids is None else ids[segment.row_of],
            provenance=None if provenance is None else provenance[segment.row_of],
        )

    def bounds(self, keys: np.ndarray) -> np.ndarray:
        """Return the first keys of all ranges but the first, given the sorted keys of a sample."""
        n_ranges = -(-self.n_cases // self.range_rows)
        return np.unique(keys[(np.arange(1, n_ranges) * len(keys)) // n_ranges])

    def draw(self) -> np.ndarray:
        """Return the first cases of the shuffle by content."""
        assert self.given is not None
        hashes, n_groups = self.folder / "hashes.npz", -(-self.n_cases // self.range_rows)
        drawing.keep_hashes(self.given, hashes)
        runs = self.run("hashing", drawing.hash_part, (self.given, hashes, n_groups), self.run_files())
        drawn = self.run("drawing", drawing.draw_group, (runs,), [(i,) for i in range(n_groups)])
        for run in runs:
            run.remove()
        return drawing.first_of(drawn)

    def filled_spans(self) -> list[tuple[int, int]]:
        """Return the first and one past the last case of each part that has any."""
        spans = zip(self.starts[:-1].tolist(), self.starts[1:].tolist())
        return [(start, end) for start, end in spans if start < end]

    def run_files(self) -> list[tuple[int, int, Path]]:
        return [(*span, self.folder / f"run-{i:06}") for i, span in enumerate(self.filled_spans())]

    @property
    def first_part(self) -> tasks.Kept:
        """The first part that has rows."""
        return next(kept for kept in self.kept if kept.n_rows)


def learn(
    work: Work,
    method: Method,
    settings: Settings,
    roles: Roles = Roles(),  # noqa: B008  # it is frozen
) -> tuple[Model, Calibration | None]:
    """Return the model of all parts, and its calibration, as `casebase train` makes them; the arrays are files."""
    check_learner(method, settings)
    work.read(roles)
    counted = work.count()
    model: Model | None
    if method.name in BY_COUNTS:
        model = method.fit(counted, settings, n_jobs=work.engine.n_workers)
    elif method.name in BY_SAMPLE:
        model = learn_committee(work, method, settings, counted)
        return model, calibrate(model, n_jobs=work.engine.n_workers)
    else:
        work.code(counted.schema)
        model = None
    assert work.given is not None
    cases = given_cases(work.given, work.schema, work.per_class, work.ids(work.given), work.provenance(work.given))
    if model is None:
        model = method.fit(cases.plain(), settings, n_jobs=work.engine.n_workers, progress=work.progress)
    if not is_calibrated_when_trained(model):
        return model, None
    if work.n_cases <= drawing.N_DRAWN:
        training = cases.take(np.arange(work.n_cases))
    else:
        training = replace(cases, drawn=work.draw())
    note(work.progress, "calibrating")
    return model, calibrate(model, training, n_jobs=work.engine.n_workers)


def with_all_features(schema: Schema, counted: Schema) -> Schema:
    """Return the schema of a method with the features that its settings leave out, as they were counted.

    A calibration draws cases by all of their values, and learns from them with the settings again.
    """
    features = []
    for feature, known in zip(schema.features, counted.features, strict=True):
        if feature.kind == "numeric" and known.kind == "symbolic":
            raise CasebaseError(
                f"Feature {feature.name!r} has symbols, which the metric would read as numbers: with --memory, write "
                "them with a decimal point (1.0), so that the column has numbers."
            )
        features.append(known if feature.kind == "ignored" else feature)
    return replace(schema, features=tuple(features))


def check_learner(method: Method, settings: Settings) -> None:
    """Refuse methods and settings that need all cases in memory at once."""
    if method.name not in LEARNERS:
        raise CasebaseError(
            f"{method.name} cannot learn from a table that is larger than memory; these can: {', '.join(LEARNERS)}."
        )
    if getattr(settings, "compat", None) is not None:
        raise CasebaseError("compat goes by the order of all cases in memory: leave it out, or leave out --memory.")
    for name in ("weighting", "weighting_below"):
        value = getattr(settings, name, None)
        if isinstance(value, str) and value in ("relief", "standard_deviation"):
            raise CasebaseError(f"The weighting {value!r} needs all cases in memory at once: choose another one.")
