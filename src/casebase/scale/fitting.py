"""From a table in parts to a model, and its calibration, in stages that hold one part at a time."""

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
from casebase.data.sources import Columns, Source, left_out_kinds, plain_source, with_columns_left_out
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.parts import Parts, sum_of
from casebase.memory.segments import Segment
from casebase.progress import Progress, note
from casebase.scale import drawing, tasks
from casebase.scale.cases import CountedCases, given_cases
from casebase.scale.counting import Counts, feature_of, total
from casebase.scale.engine import Engine, Stage
from casebase.scale.scratch import check_space

T = TypeVar("T")
LARGE = 2  # a range with so many times the usual number of cases is divided again
MOST_CASES = 2**32 - 1  # rows have numbers of 32 bits
BY_COUNTS = ("ib1", "igtree", "tribl", "tribl2")
BY_ALL = ("id3", "c45", "oblivion")
LEARNERS = BY_COUNTS + BY_ALL
# How the time of a training is shared among its stages, in hundredths, as measured with IB1: for the estimate.
SHARES = {
    "reading": 12,
    "counting": 27,
    "coding": 6,
    "sampling": 2,
    "dividing": 9,
    "sorting": 30,
    "copying": 0,
    "hashing": 12,
    "drawing": 2,
}


def share_done(stage: str, n_done: int, n: int) -> tuple[int, int]:
    """Return how much of the whole is done when n tasks of a stage are.

    >>> share_done("counting", 1, 3)
    (21, 100)
    """
    before = 0
    for name, share in SHARES.items():
        if name == stage.split()[0]:
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
    kept: list[tasks.Kept] = field(init=False)
    shape: tasks.Shape = field(init=False)
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

        return self.engine.run(Stage(name, task, common, each, self.folder, self.has_records), done)

    @property
    def n_cases(self) -> int:
        return int(self.starts[-1])

    def read(self, ignore: Columns = None) -> None:
        """Parse every part once, and decide what the columns are."""
        check_space(self.folder, self.parts.n_bytes, "reading*.arrow")
        try:
            self.kept = self._read("reading")
        except EncodingError:
            self.parts = self.parts.by_all_bytes()  # an error if there is no other encoding
            self.kept = self._read("reading again")
        self.starts = np.concatenate([[0], np.cumsum([one.n_rows for one in self.kept])])
        plan = replace(self.parts.plan, schema=None)
        self.shape = tasks.Shape(plan, self.parts.decide(sum_of(one.facts for one in self.kept)), None)
        if self.n_cases > MOST_CASES:
            raise CasebaseError(f"A memory has at most {MOST_CASES:,} cases; the table has {self.n_cases:,}.")
        self.shape = replace(self.shape, source=self._source(ignore))

    def _read(self, stage: str) -> list[tasks.Kept]:
        files = [(part, self.folder / f"{stage}-{i:06}.arrow") for i, part in enumerate(self.parts.parts)]
        return self.run(stage, tasks.read_part, (), files)

    def _source(self, ignore: Columns) -> Source | None:
        if ignore is None:
            return None
        table = self.shape.table(self.first_part)
        names = [name for i, name in enumerate(table.names) if i != table.target]
        target = None if table.target is None else table.names[table.target]
        return with_columns_left_out(plain_source(table), left_out_kinds(names, ignore, None, target))

    def count(self) -> CountedCases:
        """Count values and classes of all parts, and return the cases as methods take them."""
        filled = [(kept,) for kept in self.kept if kept.n_rows]
        each = self.run("counting", tasks.count_part, (self.shape,), filled)
        self.counts = total(each)
        table = self.shape.table(self.first_part)
        names, _ = self.shape.features(table)
        assert table.target is not None
        found = [feature_of(name, column) for name, column in zip(names, self.counts.columns)]
        source = self.shape.source
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
        given = tasks.Given.new(self.folder, with_all_features(schema, self.schema), self.n_cases)
        # The cases are in the order given, in ranges, sorted, and in the model file, at most at the same time.
        n_bytes = 4 * sum(array.n * array.itemsize for array in given.arrays) + 28 * self.n_cases
        check_space(self.folder, n_bytes, "given-*", "divided-*", "sorted-*", "hashed-*")
        for array in given.arrays:
            array.create()
        filled = [(kept, start) for kept, start in zip(self.kept, self.starts.tolist()) if kept.n_rows]
        self.run("coding", tasks.code_part, (self.shape, given), filled)
        self.given = given
        return given

    def sort(self, schema: Schema, ranks: list[int]) -> Segment:
        """Sort all cases by the symbolic features in this order, range by range."""
        given, order = self.code(schema), tasks.Order.by(schema, ranks)
        out = tasks.Sorted.new(self.folder, given, order)
        for array in out.arrays:
            array.create()
        if order.n_symbolic == 0:  # numbers are no sort keys: the cases stay in the order given
            self.run("sorting", tasks.number_part, (out,), self.filled_spans())
            return out.segment([given.columns[i] for i in ranks], given.labels)
        sampled = self.run("sampling", tasks.sample_keys, (given, order), self.filled_spans())
        bounds = tasks.bounds_of(np.concatenate(sampled), -(-self.n_cases // self.range_rows))
        runs = self.run("dividing", tasks.divide_part, (given, order, bounds), self._run_files("divided"))
        self._sort_ranges(tasks.Division(runs, order, bounds), out)
        return out.segment(out.columns, out.labels)

    def _sort_ranges(self, division: tasks.Division, out: tasks.Sorted) -> None:
        """Sort the ranges of a division; one that is too large, because of frequent keys, is divided again before."""
        divisions = [division]
        ranges: list[tuple[tuple[int, int], int]] = []
        equal: list[tuple[tasks.Run, int, int]] = []
        for number, one in enumerate(divisions):  # which grow meanwhile
            for part in one.ranges:
                is_smaller = part.n < one.n_cases or part.order.first > one.order.first
                if part.n <= LARGE * self.range_rows or not is_smaller:
                    ranges.append(((number, part.which), part.start))
                elif part.order.are_equal:
                    starts = np.cumsum([part.start] + [run.n(part.which) for run in part.runs]).tolist()
                    equal += [(run, part.which, start) for run, start in zip(part.runs, starts)]
                else:
                    divisions.append(self._divide_again(part, len(divisions)))
        order = division.order
        self.run("sorting", tasks.sort_range, ([one.runs for one in divisions], order, out), ranges)
        if equal:
            self.run("copying", tasks.copy_equal, (order, out), equal)
        for one in divisions:
            _remove(one.runs)

    def _divide_again(self, part: tasks.Range, number: int) -> tasks.Division:
        pieces = [(run, part.which) for run in part.runs]
        sampled = self.run(f"sampling {number}", tasks.sample_range, (part.order,), pieces)
        bounds = tasks.bounds_of(np.concatenate(sampled), -(-part.n // self.range_rows))
        files = [(*piece, self.folder / f"divided-{number}-{i:06}") for i, piece in enumerate(pieces)]
        runs = self.run(f"dividing {number}", tasks.divide_range, (part.order, bounds), files)
        return tasks.Division(runs, part.order, bounds, part.start)

    def draw(self) -> np.ndarray:
        """Return the first cases of the shuffle by content."""
        assert self.given is not None
        hashes, n_groups = self.folder / "hashes.npz", -(-self.n_cases // self.range_rows)
        drawing.keep_hashes(self.given, hashes)
        runs = self.run("hashing", drawing.hash_part, (self.given, hashes, n_groups), self._run_files("hashed"))
        groups = [(i,) for i in range(n_groups)]
        drawn = self.run("drawing", drawing.draw_group, (runs, LARGE * self.range_rows), groups)
        _remove(runs)
        return drawing.first_of(drawn).rows

    def filled_spans(self) -> list[tuple[int, int]]:
        """Return the first and one past the last case of each part that has any."""
        spans = zip(self.starts[:-1].tolist(), self.starts[1:].tolist())
        return [(start, end) for start, end in spans if start < end]

    def _run_files(self, name: str) -> list[tuple[int, int, Path]]:
        return [(*span, self.folder / f"{name}-{i:06}") for i, span in enumerate(self.filled_spans())]

    @property
    def first_part(self) -> tasks.Kept:
        """The first part that has rows."""
        return next(kept for kept in self.kept if kept.n_rows)


def learn(
    work: Work, method: Method, settings: Settings, *, ignore: Columns = None
) -> tuple[Model, Calibration | None]:
    """Return the model of all parts, and its calibration, as `casebase train` makes them; the arrays are files."""
    check_learner(method, settings)
    work.read(ignore)
    counted = work.count()
    if method.name in BY_COUNTS:
        model = method.fit(counted, settings, n_jobs=work.engine.n_workers)
    else:
        work.code(counted.schema)
        model = None
    assert work.given is not None
    cases = given_cases(work.given, work.schema, work.per_class)
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


def _remove(runs: Sequence[tasks.Run]) -> None:
    for run in runs:
        run.block.path.unlink(missing_ok=True)


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
