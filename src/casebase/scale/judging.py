"""Tasks that compare answers with the actual classes, and count: counts of parts add up to those of the whole."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from casebase import _native
from casebase.base.leave_out import stored_cases
from casebase.base.model import Model
from casebase.base.wrong_answers import NearRecord, WrongAnswer, details_of, wrong_answers
from casebase.data import Cases, Schema
from casebase.data.columns import as_text, spelling
from casebase.data.features import encode_column
from casebase.data.ids import ids_of
from casebase.data.table import Table
from casebase.errors import SchemaError
from casebase.formats.columnar_parts import Part
from casebase.measures.contingency import Contingency
from casebase.measures.counts import Counts
from casebase.neighbours import ib1
from casebase.neighbours.evidence import Explainer
from casebase.neighbours.ib1 import IB1
from casebase.scale.asking import Asking, Done, Files, read_questions
from casebase.scale.coding import label_codes
from casebase.scale.opened import ModelFile
from casebase.scale.reading import Kept, Shape


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many cases of a class were answered with a class, by the numbers of both; other pairs have no cases."""

    actual: np.ndarray
    answered: np.ndarray
    count: np.ndarray
    errors: tuple[WrongAnswer, ...] = ()

    @classmethod
    def of(cls, actual: np.ndarray, answered: np.ndarray, n_classes: int) -> "Confusion":
        cells, count = np.unique(actual.astype(np.int64) * n_classes + answered, return_counts=True)
        return cls(cells // n_classes, cells % n_classes, count)

    def add_to(self, matrix: np.ndarray) -> None:
        """Add these counts to a matrix of all pairs."""
        matrix[self.actual, self.answered] += self.count


def leave_out_rows(
    file: ModelFile, tables: dict[int, Counts], n_bytes: int, nearest: int, begin: int, end: int
) -> Confusion:
    """Answer some stored cases of IB1, by their rows in the memory, each from all the others.

    With `nearest`, wrong answers are listed with so many of the nearest records.
    """
    with file.within(n_bytes) as saved:
        assert isinstance(saved.model, IB1)
        model = replace(saved.model, tables=tables)
        rows = np.arange(begin, end)
        answers = ib1.held_out_answers(model, ib1.sorted_cases(model), rows, are_sorted=True)
        labels = model.memory.labels(rows)
        found = Confusion.of(labels, answers.label, len(model.schema.classes))
        wrong = np.flatnonzero(answers.label != labels) if nearest else rows[:0]
        return replace(found, errors=_left_out_errors(model, rows[wrong], answers.label[wrong], nearest))


def _left_out_errors(model: IB1, rows: np.ndarray, answers: np.ndarray, limit: int) -> tuple[WrongAnswer, ...]:
    """Return stored cases that the others answer wrongly, with their nearest records."""
    if not len(rows):
        return ()
    memory, classes = model.memory, model.schema.classes
    _, questions = ib1.held_out_questions(model, ib1.sorted_cases(model), rows, are_sorted=True)
    found = model.nearby.nearest(questions, model.voting.k)
    question, row, distance = Explainer(model.nearby, model.weights).first(found, limit)
    near: list[list[NearRecord]] = [[] for _ in rows]
    if len(row):
        others = stored_cases(model, row)
        named = zip(question.tolist(), distance.tolist(), memory.ids(row).tolist(), memory.labels(row).tolist())
        for i, (which, far, record, label) in enumerate(named):
            near[which].append(NearRecord(record, tuple(others.values(i)), classes[label], far))
    cases, numbers = stored_cases(model, rows), memory.given(rows).tolist()
    ids, labels = memory.ids(rows).tolist(), memory.labels(rows).tolist()
    return tuple(
        WrongAnswer(
            numbers[i],
            ids[i],
            classes[labels[i]],
            classes[int(answers[i])],
            model.schema.names,
            tuple(cases.values(i)),
            tuple(near[i]),
            cases.provenance_of(i),
        )
        for i in range(len(rows))
    )


def tables_of(model: IB1) -> dict[int, Counts]:
    """Return the counts of value × class of all symbolic features of a memory."""
    (segment,) = model.memory.segments
    n_classes = len(model.schema.classes)
    tables: dict[int, Counts] = {}
    for rank, feature in enumerate(model.memory.order.tolist()):
        vocabulary = model.schema.features[feature].vocabulary
        if vocabulary is not None:
            n_values = len(vocabulary)
            start, label, count = _native.contingency(
                segment.columns[rank], segment.labels, segment.counts, n_values, n_classes
            )
            value = np.repeat(np.arange(n_values), (start[1:] - start[:-1]).astype(np.int64))
            tables[feature] = Contingency(value, label.astype(np.int64), count, n_values, n_classes)
    return tables


def judge_fold(shape: Shape, file: ModelFile, n_bytes: int, nearest: int, has_whole_ids: bool, kept: Kept) -> Confusion:
    """Answer the cases of a part that are in a fold, from a model of the other folds."""
    table = shape.table(kept)
    with file.within(n_bytes) as saved:
        model = saved.model
        classes, cases = model.schema.classes, _coded(shape, table, model.schema)
        answers, labels = model.answer(cases, n_jobs=1).label, label_codes(table, model.schema.classes)
        found = Confusion.of(labels, answers, len(classes))
        wrong = np.flatnonzero(answers != labels)
        if not nearest or not len(wrong):
            return found
        assert kept.rows is not None
        numbers, texts = kept.rows.numbers(), shape.ids(table)
        ids = numbers.tolist() if texts is None else ids_of(texts.to_pylist(), are_texts=not has_whole_ids).tolist()
        errors = tuple(
            WrongAnswer(
                int(numbers[row]),
                ids[row],
                classes[labels[row]],
                classes[answers[row]],
                detail.features,
                detail.values,
                detail.nearest,
                detail.provenance,
            )
            for row, detail in zip(wrong.tolist(), details_of(model, cases, wrong, nearest))
        )
        return replace(found, errors=errors)


def _coded(shape: Shape, table: Table, schema: Schema) -> Cases:
    columns = shape.features(table)
    coded = tuple(encode_column(column, feature) for column, feature in zip(columns, schema.features, strict=True))
    kept = [np.array(texts.to_pylist(), dtype=object) for texts in shape.kept_texts(table)]
    return Cases(
        schema,
        coded,
        None,
        n_cases=table.n_rows,
        source=tuple(columns),
        provenance=np.stack(kept, axis=1) if kept else None,
        notations=shape.notations(table, columns),
    )


def judge_part(asking: Asking, part: Part, is_first: bool, files: Files) -> Done:
    """Answer a part of a test file, and count which classes were answered with which."""
    with asking.file.within(asking.n_bytes) as saved:
        found = read_questions(asking, part, saved.model.schema, None)
        if isinstance(found, Done):
            return found
        table, cases, done = found
        if table.target is None:
            raise no_class(asking.questions.path, saved.model, len(table.names))
        answers = saved.model.answer(cases, n_jobs=1)
        actual = ["" if label is None else label for label in as_text(table.columns[table.target]).to_pylist()]
        names = [str(spelling(label)) for label in saved.model.schema.classes]
        answered = [names[code] for code in answers.label.tolist()]
        done = replace(done, pairs=Counter(zip(actual, answered)))
        if not asking.nearest:
            return done
        wrong = np.flatnonzero([a != b for a, b in zip(actual, answered)])
        details = dict(zip(wrong.tolist(), details_of(saved.model, cases, wrong, asking.nearest)))
        return replace(done, errors=wrong_answers(actual, answered, cases.case_ids().tolist(), details))


def no_class(path: str, model: Model, n_columns: int) -> SchemaError:
    """Return the error for a test file without classes."""
    return SchemaError(
        f"{path} has no class column {model.schema.target!r} to compare with: it has {n_columns} columns, the model "
        f"{len(model.schema.column_names)} features. Name the class column with --target."
    )
