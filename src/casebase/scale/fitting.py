"""From a table in parts to a model, and its calibration, in stages that hold one part at a time."""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from casebase.base.calibration import Calibration
from casebase.base.method import Method
from casebase.base.model import Model
from casebase.base.settings import Settings
from casebase.confidence import calibrate, is_calibrated_when_trained, with_scores_apart
from casebase.data import Schema
from casebase.data.ids import distinct_ids, ids_of, same_ids
from casebase.data.notation import SHORTEST
from casebase.data.roles import Roles
from casebase.data.sources import check_features
from casebase.errors import CasebaseError, EncodingError
from casebase.formats.ids import IdsFile
from casebase.formats.parts import Parts, sum_of
from casebase.memory.segments import Arrival, Segment
from casebase.progress import Progress, note
from casebase.scale import coding, counting, drawing, naming, reading, sorting
from casebase.scale.apart import Apart
from casebase.scale.calibrating import asked_by_tasks, score_apart
from casebase.scale.cases import CountedCases, GivenCases, given_cases
from casebase.scale.committees import learn_committee
from casebase.scale.counting import Counts, feature_of
from casebase.scale.engine import Engine, Here
from casebase.scale.estimate import SHARES
from casebase.scale.kinds import Asked, derived
from casebase.scale.learners import BY_COUNTS, BY_SAMPLE, check_learner
from casebase.scale.naming import Names
from casebase.scale.saving import WrittenByTasks
from casebase.scale.scratch import check_space, size_of
from casebase.scale.stages import Stages
from casebase.scale.stored import Run, StoredArray

T = TypeVar("T")
RunStage = Callable[..., Any]  # runs the tasks of a stage
AT_ONCE = 8  # counts that are added in one task
LARGE = 2  # a range with so many times the usual number of cases is divided again
MOST_CASES = 2**32 - 1  # rows have numbers of 32 bits
BYTES_PER_TEXT = 100  # of a text for each case in memory, while the model is written


@dataclass
class Work:
    """The stages over one table: where their files are, who runs them, and what they have found so far.

    `firsts` are the cases of the table with which the parts begin, `starts` the same among those that are learned from:
    some may be held out, and kept apart.
    """

    parts: Parts
    folder: Path
    engine: Engine
    progress: Progress | None = None
    range_rows: int = 1_000_000
    has_records: bool = False
    memory: int | None = None
    ids_file: IdsFile | None = None
    held_out: float | None = None
    kept: list[reading.Kept] = field(init=False)
    shape: reading.Shape = field(init=False)
    asked: Asked | None = field(init=False, default=None)
    names: Names = field(init=False)
    firsts: np.ndarray = field(init=False)
    apart: Apart | None = field(init=False, default=None)
    starts: np.ndarray = field(init=False)
    column_counts: Counts = field(init=False)
    counts: Counts = field(init=False)
    schema: Schema = field(init=False)
    forms: tuple[frozenset[str], ...] = field(init=False)
    given: coding.Given | None = field(init=False, default=None)
    mapped: list[np.ndarray] = field(init=False, default_factory=list)

    def run(
        self, name: str, task: Callable[..., T], common: tuple[Any, ...], each: Sequence[tuple[Any, ...]]
    ) -> list[T]:
        """Run the tasks of a stage, and report how many are done."""
        return Stages(self.folder, self.engine, SHARES, self.progress, self.has_records).run(name, task, common, each)

    def elsewhere(self, folder: Path) -> "Work":
        """Return the same table, read and counted, with the files of what is learned from it in another folder."""
        folder.mkdir()
        other = Work(self.parts, folder, self.engine, None, self.range_rows, memory=self.memory)
        for name in ("kept", "shape", "asked", "names", "firsts", "starts", "column_counts", "forms"):
            setattr(other, name, getattr(self, name))
        return other

    @property
    def copier(self) -> WrittenByTasks:
        """Who writes the large arrays of the model file; each training has another temporary file, so no records."""
        run, run_here = (
            Stages(self.folder, engine, SHARES, self.progress).run
            for engine in (self.engine, Here(self.engine.n_workers))
        )
        return WrittenByTasks(run, run_here)

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
        self.firsts = np.concatenate([[0], np.cumsum([one.n_rows for one in self.kept])])
        plan = replace(self.parts.plan, schema=None)
        self.shape = reading.Shape(plan, self.parts.decide(sum_of(one.facts for one in self.kept)))
        n_rows = int(self.firsts[-1])
        if n_rows > MOST_CASES:
            raise CasebaseError(f"A memory has at most {MOST_CASES:,} cases; the table has {n_rows:,}.")
        if self.ids_file is not None:
            self.ids_file.check(n_rows)
        self.starts = self.firsts
        if self.held_out is not None:
            apart = self.apart = Apart.drawn(n_rows, self.held_out, self.folder)
            n_learned = [len(apart.learned(first, end)) for first, end in pairwise(self.firsts.tolist())]
            self.starts = np.concatenate([[0], np.cumsum(n_learned)])
        self.asked = Asked.of(self.shape.table(self.first_part), roles)
        if self.asked is not None:
            asked = self.asked
            self.shape = replace(
                self.shape, uncounted=asked.uncounted, id_column=asked.id_column, provenance=asked.provenance
            )

    def _read(self, stage: str) -> list[reading.Kept]:
        files = [(part, self.folder / f"{stage}-{i:06}.arrow") for i, part in enumerate(self.parts.parts)]
        return self.run(stage, reading.read_part, (), files)

    def count(self) -> CountedCases:
        """Count values and classes of all parts, and return the cases as methods take them."""
        filled = [(kept, first) for kept, first in zip(self.kept, self.firsts.tolist()) if kept.n_rows]
        each = self.run(
            "counting",
            counting.count_part,
            (self.shape, self.apart),
            [(*kept, self.folder / f"count-{i:06}.pickle") for i, kept in enumerate(filled)],
        )
        self.names = Names.of(each, self.shape)
        self._check_room()
        self.column_counts = added_counts(self.run, self.folder, [one.path for one in each])
        table = self.shape.table(self.first_part)
        if self.asked is not None:
            counted = dict(zip(self.shape.columns(table), self.column_counts.columns))
            source = self.asked.source(counted, dict(zip(table.names, self.shape.decision.orders)))
            self.shape = replace(self.shape, source=source)
            check_features(source)
        self.column_counts = self.column_counts.learned()
        cases = self.counted_cases()
        self.forms = self._forms([(kept,) for kept, _ in filled])
        return cases

    def counted_cases(self) -> CountedCases:
        """Return the cases as methods take them, after the values of the columns were counted."""
        table, source = self.shape.table(self.first_part), self.shape.source
        assert table.target is not None
        counted = dict(zip(self.shape.columns(table), self.column_counts.columns))
        derived_counts = list(counted.items()) if source is None else derived(source, counted)
        columns = [(name, column.that_occur()) for name, column in derived_counts]
        self.counts = replace(self.column_counts, columns=tuple(column for _, column in columns))
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

    def _forms(self, filled: Sequence[tuple[reading.Kept]]) -> tuple[frozenset[str], ...]:
        """Return the forms in which the numbers of each feature are written."""
        if all(feature.kind != "numeric" for feature in self.schema.features):
            return (frozenset((SHORTEST,)),) * len(self.schema.features)
        parts = self.run("spelling", coding.forms_of_part, (self.shape,), filled)
        return tuple(frozenset().union(*each) for each in zip(*parts))

    def given_cases(self) -> GivenCases:
        """Return the coded cases, in the order given."""
        given = self.known_given
        return given_cases(given, self.schema, self.per_class, self.ids(given), self.provenance(given))

    @property
    def per_class(self) -> np.ndarray:
        return self.counts.per_class.astype(float)

    def code(self, schema: Schema) -> coding.Given:
        """Write the codes of all cases, in the order given, as the features of a method have them."""
        given = coding.Given.new(
            self.folder,
            with_all_features(schema, self.schema),
            self.n_cases,
            self.forms,
            has_ids=self.has_whole_ids,
            n_provenance=len(self.names.provenance),
            n_apart=int(self.firsts[-1]) - self.n_cases,
            is_numbered=not self.has_ids and (self.apart is not None or any(kept.rows for kept in self.kept)),
        )
        # The cases are in the order given, in ranges, sorted, and in the model file, at most at the same time.
        n_bytes = 4 * sum(array.n * array.itemsize for array in given.all_arrays) + 28 * self.n_cases
        check_space(self.folder, n_bytes, "given-*", "divided-*", "sorted-*", "hashed-*")
        for array in given.all_arrays:
            array.create()
        if self.ids_file is not None and given.all_ids is not None:
            naming.write_ids(self.ids_file, given.all_ids)
        places = zip(self.kept, self.firsts.tolist(), self.starts.tolist())
        filled = [place for place in places if place[0].n_rows]
        self.run("coding", coding.code_part, (self.shape, given, self.names.provenance, self.apart), filled)
        self.given = given
        self._check_ids(given)
        return given

    def _check_ids(self, given: coding.Given) -> None:
        """Raise an error if two cases have the same id."""
        n_rows = int(self.firsts[-1])
        if given.all_ids is None:
            if self.has_ids:
                distinct_ids(self._texts_of_ids(), n_rows)
            return
        n_groups = -(-n_rows // self.range_rows)
        runs = self.run("comparing ids", naming.divide_ids, (given, n_groups), self.run_files("ids", self.firsts))
        found = self.run("finding ids", naming.repeated_ids, (runs,), [(i,) for i in range(n_groups)])
        for run in runs:
            run.remove()
        n_repeated = sum(n for n, _ in found)
        if n_repeated:
            raise same_ids([value for _, value in sorted(one for _, some in found for one in some)], n_repeated)

    def ids(self, given: coding.Given) -> np.ndarray | None:
        """Return the ids in the order given: a mapped file of whole numbers, or texts in memory."""
        if given.ids is not None or not self.has_ids:
            return None if given.ids is None else given.ids.mapped()
        texts = self._texts_of_ids()
        return texts if self.apart is None else texts[self.apart.learned(0, len(texts))]

    @property
    def has_ids(self) -> bool:
        """Whether the cases have ids of their own."""
        return self.shape.id_column is not None or self.ids_file is not None

    @property
    def has_whole_ids(self) -> bool:
        """Whether all of them are whole numbers."""
        return self.names.has_whole_ids if self.ids_file is None else self.ids_file.are_whole

    def _texts_of_ids(self) -> np.ndarray:
        """Return ids that are texts, of all cases in the order given, in memory."""
        if self.ids_file is not None:
            return ids_of([text for block in self.ids_file.blocks() for text in block], are_texts=True)
        parts = (self.shape.ids(self.shape.table(kept)) for kept in self.kept if kept.n_rows)
        return ids_of([text for part in parts if part is not None for text in part.to_pylist()], are_texts=True)

    def provenance(self, given: coding.Given) -> np.ndarray | None:
        """Return the columns that are kept, in the order given, in memory."""
        if not given.provenance:
            return None
        texts = np.empty((self.n_cases, len(given.provenance)), dtype=object)
        for i, (codes, values) in enumerate(zip(given.provenance, self.names.provenance)):
            texts[:, i] = np.array([*values.to_pylist(), None], dtype=object)[codes.mapped()]
        return texts

    def _check_room(self) -> None:
        """Raise an error if texts that are stored with the cases do not fit into the memory."""
        names = list(self.shape.provenance)
        if self.has_ids and not self.has_whole_ids:
            names.insert(0, self.shape.id_column or "ids")
        needed = BYTES_PER_TEXT * self.n_cases * len(names)
        if self.memory is not None and needed > self.memory:
            many = f"Columns {', '.join(map(repr, names))} are" if len(names) > 1 else f"Column {names[0]!r} is"
            raise CasebaseError(
                f"{many} stored with the cases as text, which a model has in memory: some {size_of(needed)}. Leave out "
                "such columns, give more --memory, or use whole numbers as ids."
            )

    def sort(self, schema: Schema, ranks: list[int]) -> Segment:
        """Sort all cases by the symbolic features in this order, range by range."""
        given, order = self.code(schema), sorting.Order.by(schema, ranks)
        out = sorting.Sorted.new(self.folder, given, order)
        for array in out.arrays:
            array.create()
        if order.n_symbolic == 0:  # numbers are no sort keys: the cases stay in the order given
            self.run("sorting", sorting.number_part, (out,), self.filled_spans())
            return self._named(
                self._segment(out, order, [given.columns[i] for i in ranks], given.labels, given.notes), out
            )
        sampled = self.run("sampling", sorting.sample_keys, (given, order), self.filled_spans())
        bounds = sorting.bounds_of(np.concatenate(sampled), -(-self.n_cases // self.range_rows))
        runs = self.run("dividing", sorting.divide_part, (given, order, bounds), self.run_files("divided"))
        self._sort_ranges(sorting.Division(runs, order, bounds), out)
        return self._named(self._segment(out, order, out.columns, out.labels, out.notes), out)

    def _segment(
        self,
        out: sorting.Sorted,
        order: sorting.Order,
        columns: Sequence[StoredArray],
        labels: StoredArray,
        notes: Sequence[StoredArray],
    ) -> Segment:
        """Return the sorted memory as mapped files."""
        by_feature = self.known_given.noted([note.mapped() for note in notes])
        *mapped, sorted_labels, row_of, ids = (array.mapped() for array in (*columns, labels, out.row_of, out.ids))
        notations = tuple(by_feature[i] for i in order.ranks) if by_feature else ()
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

    def _named(self, segment: Segment, out: sorting.Sorted) -> Segment:
        """Return the sorted cases with their ids and their provenance."""
        given = self.known_given
        if given.ids is not None:
            self.run("naming", naming.name_part, (given, out), self.filled_spans())
        ids, provenance = None if given.ids is not None else self.ids(given), self.provenance(given)
        if ids is None and provenance is None:
            return segment
        row_of = segment.row_of
        arrival = Arrival(
            segment.ids if ids is None else ids[row_of], row_of, None if provenance is None else provenance[row_of]
        )
        return replace(segment, arrival=arrival)

    def _sort_ranges(self, division: sorting.Division, out: sorting.Sorted) -> None:
        """Sort the ranges of a division; one that is too large, because of frequent keys, is divided again before."""
        divisions = [division]
        ranges: list[tuple[int, tuple[tuple[int, int], int]]] = []
        equal: list[tuple[Run, int, int]] = []
        for number, one in enumerate(divisions):  # which grow meanwhile
            for part in one.ranges:
                is_smaller = part.n < one.n_cases or part.order.first > one.order.first
                if part.n <= LARGE * self.range_rows or not is_smaller:
                    ranges.append((part.n, ((number, part.which), part.start)))
                elif part.order.are_equal:
                    starts = np.cumsum([part.start] + [run.n(part.which) for run in part.runs]).tolist()
                    equal += [(run, part.which, start) for run, start in zip(part.runs, starts)]
                else:
                    divisions.append(self._divide_again(part, len(divisions)))
        order = division.order
        # The largest first: a large one at the end would leave the other workers without work.
        each = [one for _, one in sorted(ranges, key=lambda one: (-one[0], one[1]))]
        self.run("sorting", sorting.sort_range, ([one.runs for one in divisions], order, out), each)
        if equal:
            self.run("copying", sorting.copy_equal, (order, out), equal)
        for run in (run for one in divisions for run in one.runs):
            run.remove()

    def _divide_again(self, part: sorting.Range, number: int) -> sorting.Division:
        pieces = [(run, part.which) for run in part.runs]
        sampled = self.run(f"sampling {number}", sorting.sample_range, (part.order,), pieces)
        bounds = sorting.bounds_of(np.concatenate(sampled), -(-part.n // self.range_rows))
        files = [(*piece, self.folder / f"divided-{number}-{i:06}") for i, piece in enumerate(pieces)]
        runs = self.run(f"dividing {number}", sorting.divide_range, (part.order, bounds), files)
        return sorting.Division(runs, part.order, bounds, part.start)

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
    def known_given(self) -> coding.Given:
        assert self.given is not None, "the cases are coded when a method asks for them"
        return self.given

    def calibrate(self, model: Model) -> Calibration | None:
        """Return the calibration of a model of all cases, if it should have one."""
        if not is_calibrated_when_trained(model) and self.apart is None:
            return None
        cases = self.given_cases()
        if self.n_cases <= drawing.N_DRAWN:
            training = cases.take(np.arange(self.n_cases))
        else:
            training = replace(cases, drawn=self.draw())
        note(self.progress, "calibrating")
        asked = asked_by_tasks(model, self.run, 2 * self.engine.n_workers)
        return self.calibrate_apart(model, calibrate(asked, training, n_jobs=self.engine.n_workers))

    def calibrate_apart(self, model: Model, calibration: Calibration) -> Calibration:
        """Return a calibration with the scores of the cases that are kept apart, if any are."""
        if self.apart is None:
            return calibration
        filled = [(kept, first) for kept, first in zip(self.kept, self.firsts.tolist()) if kept.n_rows]
        common = (self.shape, self.schema, self.apart, model, calibration)
        found = self.run("answering cases apart", score_apart, common, filled)
        scores, labels = (np.concatenate(each) for each in zip(*found))
        return with_scores_apart(model, calibration, scores, labels)

    def filled_spans(self, starts: np.ndarray | None = None) -> list[tuple[int, int]]:
        """Return the first and one past the last case of each part that has any; by default of those learned from."""
        edges = (self.starts if starts is None else starts).tolist()
        return [(start, end) for start, end in pairwise(edges) if start < end]

    def run_files(self, name: str, starts: np.ndarray | None = None) -> list[tuple[int, int, Path]]:
        """Return the spans of the parts, and a file for each."""
        return [(*span, self.folder / f"{name}-{i:06}") for i, span in enumerate(self.filled_spans(starts))]

    @property
    def first_part(self) -> reading.Kept:
        """The first part that has rows."""
        return next(kept for kept in self.kept if kept.n_rows)


def added_counts(run: RunStage, folder: Path, files: list[Path]) -> Counts:
    """Return the counts of all parts together, adding a few at a time."""
    level = 0
    while len(files) > 1:
        n_groups = -(-len(files) // AT_ONCE)
        groups = [files[i::n_groups] for i in range(n_groups)]  # of about the same size
        level += 1
        sums = [(group, folder / f"count-{level}-{i:06}.pickle") for i, group in enumerate(groups)]
        files = run("adding" if level == 1 else f"adding {level}", counting.add_counts, (), sums)
    counts: Counts = pickle.loads(files[0].read_bytes())
    return counts


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
    model = learn_model(work, method, settings, counted)
    if method.name in BY_SAMPLE:
        return model, work.calibrate_apart(model, calibrate(model, n_jobs=work.engine.n_workers))
    return model, work.calibrate(model)


def learn_model(work: Work, method: Method, settings: Settings, counted: CountedCases) -> Model:
    """Return the model of all cases, which are counted; its arrays are files."""
    model: Model
    if method.name in BY_SAMPLE:
        return learn_committee(work, method, settings, counted)
    if method.name in BY_COUNTS:
        model = method.fit(counted, settings, n_jobs=work.engine.n_workers)
        return model
    work.code(counted.schema)
    cases = work.given_cases()
    work.mapped += [*cases.columns, cases.known_labels]
    model = method.fit(cases.plain(), settings, n_jobs=work.engine.n_workers, progress=work.progress)
    return model


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
