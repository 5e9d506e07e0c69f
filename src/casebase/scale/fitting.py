"""From a table in parts to a model, and its calibration, in stages that hold one part at a time."""

import pickle
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
from casebase.data.notation import SHORTEST, Notation
from casebase.data.roles import Roles
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.parts import Parts, sum_of
from casebase.memory.segments import Arrival, Segment
from casebase.progress import Progress, note
from casebase.scale import drawing, tasks
from casebase.scale.cases import CountedCases, GivenCases, given_cases
from casebase.scale.committees import learn_committee
from casebase.scale.counting import Counts, feature_of
from casebase.scale.engine import Engine, Stage
from casebase.scale.kinds import Asked, derived
from casebase.scale.naming import Names
from casebase.scale.scratch import check_space
from casebase.scale.stored import StoredArray

T = TypeVar("T")
AT_ONCE = 8  # counts that are added in one task
LARGE = 2  # a range with so many times the usual number of cases is divided again
MOST_CASES = 2**32 - 1  # rows have numbers of 32 bits
BYTES_PER_TEXT = 100  # of a text for each case in memory, while the model is written
BY_COUNTS = ("ib1", "igtree", "tribl", "tribl2")
BY_ALL = ("id3", "c45", "oblivion")
BY_SAMPLE = ("auto", "forest", "kernel", "opinions", "discriminant")
LEARNERS = BY_COUNTS + BY_ALL + BY_SAMPLE
# How the time of a training is shared among its stages, in hundredths, as measured with IB1: for the estimate.
SHARES = {
    "reading": 12,
    "counting": 24,
    "adding": 3,
    "spelling": 0,
    "coding": 6,
    "comparing ids": 0,  # these stages are short, or only some trainings have them
    "finding ids": 0,
    "sampling": 2,
    "dividing": 9,
    "sorting": 30,
    "copying": 0,
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
    (20, 100)
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
    memory: int | None = None
    kept: list[tasks.Kept] = field(init=False)
    shape: tasks.Shape = field(init=False)
    asked: Asked | None = field(init=False, default=None)
    names: Names = field(init=False)
    starts: np.ndarray = field(init=False)
    counts: Counts = field(init=False)
    schema: Schema = field(init=False)
    forms: tuple[frozenset[str], ...] = field(init=False)
    given: tasks.Given | None = field(init=False, default=None)
    mapped: list[np.ndarray] = field(init=False, default_factory=list)

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

    def read(self, roles: Roles = Roles()) -> None:  # noqa: B008  # it is frozen
        """Parse every part once, and decide what the columns are."""
        check_space(self.folder, self.parts.n_bytes, "reading*.arrow")
        try:
            self.kept = self._read("reading")
        except EncodingError:
            self.parts = self.parts.by_all_bytes()  # an error if there is no other encoding
            self.kept = self._read("reading again")
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

    def _read(self, stage: str) -> list[tasks.Kept]:
        files = [(part, self.folder / f"{stage}-{i:06}.arrow") for i, part in enumerate(self.parts.parts)]
        return self.run(stage, tasks.read_part, (), files)

    def count(self) -> CountedCases:
        """Count values and classes of all parts, and return the cases as methods take them."""
        filled = [(kept,) for kept in self.kept if kept.n_rows]
        each = self.run(
            "counting",
            tasks.count_part,
            (self.shape,),
            [(*kept, self.folder / f"count-{i:06}.pickle") for i, kept in enumerate(filled)],
        )
        self.names = Names.of(each, self.shape)
        self.counts = self._added([one.path for one in each])
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
        self.forms = self._forms(filled)
        return CountedCases(
            self.schema,
            tuple(column for _, column in found),
            None,
            n_cases=self.n_cases,
            counts=self.counts.columns,
            per_class=self.per_class,
            sort=self.sort,
        )

    def _added(self, files: list[Path]) -> Counts:
        """Return the counts of all parts together, adding a few at a time."""
        level = 0
        while len(files) > 1:
            groups = [files[i : i + AT_ONCE] for i in range(0, len(files), AT_ONCE)]
            level += 1
            sums = [(group, self.folder / f"count-{level}-{i:06}.pickle") for i, group in enumerate(groups)]
            files = self.run("adding" if level == 1 else f"adding {level}", tasks.add_counts, (), sums)
        counts: Counts = pickle.loads(files[0].read_bytes())
        return counts

    def _forms(self, filled: Sequence[tuple[tasks.Kept]]) -> tuple[frozenset[str], ...]:
        """Return the forms in which the numbers of each feature are written."""
        if all(feature.kind != "numeric" for feature in self.schema.features):
            return (frozenset((SHORTEST,)),) * len(self.schema.features)
        parts = self.run("spelling", tasks.forms_of_part, (self.shape,), filled)
        return tuple(frozenset().union(*each) for each in zip(*parts))

    def given_cases(self) -> GivenCases:
        """Return the coded cases, in the order given."""
        given = self.known_given
        return given_cases(given, self.schema, self.per_class, self.ids(given), self.provenance(given))

    @property
    def per_class(self) -> np.ndarray:
        return self.counts.per_class.astype(float)

    def code(self, schema: Schema) -> tasks.Given:
        """Write the codes of all cases, in the order given, as the features of a method have them."""
        given = tasks.Given.new(
            self.folder,
            with_all_features(schema, self.schema),
            self.n_cases,
            self.forms,
            has_whole_ids=self.names.has_whole_ids,
            n_provenance=len(self.names.provenance),
        )
        # The cases are in the order given, in ranges, sorted, and in the model file, at most at the same time.
        n_bytes = 4 * sum(array.n * array.itemsize for array in given.all_arrays) + 28 * self.n_cases
        check_space(self.folder, n_bytes, "given-*", "divided-*", "sorted-*", "hashed-*")
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
        runs = self.run("comparing ids", tasks.divide_ids, (given, n_groups), self.run_files("ids"))
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
            return self._named(
                self._segment(out, order, [given.columns[i] for i in ranks], given.labels, given.notes), out
            )
        sampled = self.run("sampling", tasks.sample_keys, (given, order), self.filled_spans())
        bounds = tasks.bounds_of(np.concatenate(sampled), -(-self.n_cases // self.range_rows))
        runs = self.run("dividing", tasks.divide_part, (given, order, bounds), self.run_files("divided"))
        self._sort_ranges(tasks.Division(runs, order, bounds), out)
        return self._named(self._segment(out, order, out.columns, out.labels, out.notes), out)

    def _segment(
        self,
        out: tasks.Sorted,
        order: tasks.Order,
        columns: Sequence[StoredArray],
        labels: StoredArray,
        notes: Sequence[StoredArray],
    ) -> Segment:
        """Return the sorted memory as mapped files."""
        given, codes = self.known_given, iter([note.mapped() for note in notes])
        by_feature = [
            None if forms == (SHORTEST,) else Notation(forms, None if written is None else next(codes))
            for forms, written in zip(given.forms, given.written)
        ]
        *mapped, sorted_labels, row_of, ids = (array.mapped() for array in (*columns, labels, out.row_of, out.ids))
        notations = tuple(by_feature[i] for i in order.ranks)
        self.mapped += [*mapped, sorted_labels, row_of, ids]
        has_notations = any(one is not None for one in notations)
        return Segment(
            tuple(mapped),
            sorted_labels,
            None,
            None,
            Arrival(ids, row_of),
            notations=notations if has_notations else (),
        )

    def _named(self, segment: Segment, out: tasks.Sorted) -> Segment:
        """Return the sorted cases with their ids and their provenance."""
        given = self.known_given
        if given.ids is not None:
            self.run("naming", tasks.name_part, (given, out), self.filled_spans())
        ids, provenance = None if given.ids is not None else self.ids(given), self.provenance(given)
        if ids is None and provenance is None:
            return segment
        row_of = segment.row_of
        arrival = Arrival(
            segment.ids if ids is None else ids[row_of], row_of, None if provenance is None else provenance[row_of]
        )
        return replace(segment, arrival=arrival)

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
        for run in (run for one in divisions for run in one.runs):
            run.remove()

    def _divide_again(self, part: tasks.Range, number: int) -> tasks.Division:
        pieces = [(run, part.which) for run in part.runs]
        sampled = self.run(f"sampling {number}", tasks.sample_range, (part.order,), pieces)
        bounds = tasks.bounds_of(np.concatenate(sampled), -(-part.n // self.range_rows))
        files = [(*piece, self.folder / f"divided-{number}-{i:06}") for i, piece in enumerate(pieces)]
        runs = self.run(f"dividing {number}", tasks.divide_range, (part.order, bounds), files)
        return tasks.Division(runs, part.order, bounds, part.start)

    def draw(self) -> np.ndarray:
        """Return the first cases of the shuffle by content."""
        given, hashes, n_groups = self.known_given, self.folder / "hashes.npz", -(-self.n_cases // self.range_rows)
        drawing.keep_hashes(given, hashes)
        runs = self.run("hashing", drawing.hash_part, (given, hashes, n_groups), self.run_files("hashed"))
        groups, at_once = [(i,) for i in range(n_groups)], LARGE * self.range_rows
        largest = drawing.likely_largest(self.n_cases)
        drawn = drawing.first_of(self.run("drawing", drawing.draw_group, (runs, largest, at_once), groups))
        if len(drawn.rows) < drawing.N_DRAWN:
            again = (runs, drawing.LARGEST, at_once)
            drawn = drawing.first_of(self.run("drawing again", drawing.draw_group, again, groups))
        for run in runs:
            run.remove()
        return drawn.rows

    @property
    def known_given(self) -> tasks.Given:
        assert self.given is not None, "the cases are coded when a method asks for them"
        return self.given

    def calibrate(self, model: Model) -> Calibration | None:
        """Return the calibration of a model of all cases, if it should have one."""
        if not is_calibrated_when_trained(model):
            return None
        cases = self.given_cases()
        if self.n_cases <= drawing.N_DRAWN:
            training = cases.take(np.arange(self.n_cases))
        else:
            training = replace(cases, drawn=self.draw())
        note(self.progress, "calibrating")
        return calibrate(model, training, n_jobs=self.engine.n_workers)

    def filled_spans(self) -> list[tuple[int, int]]:
        """Return the first and one past the last case of each part that has any."""
        spans = zip(self.starts[:-1].tolist(), self.starts[1:].tolist())
        return [(start, end) for start, end in spans if start < end]

    def run_files(self, name: str) -> list[tuple[int, int, Path]]:
        """Return the spans of the parts, and a file for each."""
        return [(*span, self.folder / f"{name}-{i:06}") for i, span in enumerate(self.filled_spans())]

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
    model: Model
    if method.name in BY_SAMPLE:
        model = learn_committee(work, method, settings, counted)
        return model, calibrate(model, n_jobs=work.engine.n_workers)
    if method.name in BY_COUNTS:
        model = method.fit(counted, settings, n_jobs=work.engine.n_workers)
    else:
        work.code(counted.schema)
        cases = work.given_cases()
        work.mapped += [*cases.columns, cases.known_labels]
        model = method.fit(cases.plain(), settings, n_jobs=work.engine.n_workers, progress=work.progress)
    return model, work.calibrate(model)


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
