"""Label Studio's machine learning backend: a desk pre-labels tasks, and learns from annotations.

A classifier fills a `<Choices>` from the data of a task, whose keys are the columns of the table. A tagger fills
`<Labels>` on a `<Text>`. The version of a prediction is the fingerprint of the model, and the `meta` of each result has
the cases that decided. The functions take the JSON that Label Studio sends, and return the JSON that it expects.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from casebase.base.log import Author, Entry
from casebase.confidence import probabilities
from casebase.data import Schema
from casebase.errors import CasebaseError
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.memory.lookup import are_numbers
from casebase.memory.segments import Memory
from casebase.methods import Saved
from casebase.serve.ports.label_config import Control, Interface
from casebase.serve.ports.spans import Span, sentences_in, suggestions, tagged_sentences
from casebase.tagging.tagger import Tagger

MOST_TASKS = 10_000
KEY = "labelstudio"
CREATED, UPDATED = "ANNOTATION_CREATED", "ANNOTATION_UPDATED"
DELETED = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")


class SnapshotLike(Protocol):
    """What a backend needs of a snapshot."""

    @property
    def saved(self) -> object: ...
    @property
    def version(self) -> str: ...


class OutcomeLike(Protocol):
    """What a correction did."""

    @property
    def after(self) -> str: ...
    @property
    def ids(self) -> Sequence[Any]: ...


class DeskLike(Protocol):
    """What a backend needs of a desk."""

    @property
    def snapshot(self) -> SnapshotLike: ...
    def insert(
        self, rows: Sequence[Mapping[str, Any]], labels: Sequence[Any], *, ids: Any, author: Author, key: str | None
    ) -> OutcomeLike: ...
    def update(
        self, ids: Any, changes: Mapping[str, Sequence[str | None]], *, author: Author, key: str | None
    ) -> OutcomeLike: ...
    def remove(self, ids: Any, *, author: Author, key: str | None) -> OutcomeLike: ...
    def learn(self, sentences: Sequence[Any], *, author: Author, key: str | None) -> OutcomeLike: ...


def health(snapshot: SnapshotLike) -> dict[str, str]:
    """Return what a connection test expects."""
    return {"status": "UP", "model_class": f"casebase {_name(snapshot.saved)}"}


def setup(request: Mapping[str, Any], snapshot: SnapshotLike) -> dict[str, str]:
    """Check that the project's interface suits the model; return the version of the model."""
    _control(Interface.read(request.get("schema")), snapshot.saved)
    return {"model_version": snapshot.version}


def predict(request: Mapping[str, Any], snapshot: SnapshotLike) -> dict[str, Any]:
    """Return a prediction for each task."""
    tasks = request.get("tasks")
    tasks = [tasks] if isinstance(tasks, Mapping) else tasks
    if not isinstance(tasks, list) or len(tasks) > MOST_TASKS:
        raise CasebaseError(f"Expected a list of at most {MOST_TASKS:,} tasks as 'tasks'.")
    interface = Interface.read(request.get("label_config"))
    control = _control(interface, snapshot.saved)
    data = [_data(task, number) for number, task in enumerate(tasks)]
    if isinstance(snapshot.saved, Tagger):
        answers = [_labelled(snapshot.saved, interface, control, one) for one in data]
    else:
        assert isinstance(snapshot.saved, Saved)
        answers = [_chosen(snapshot.saved, control, one) for one in data]
    return {"results": [answer | {"model_version": snapshot.version} for answer in answers]}


def webhook(request: Mapping[str, Any], desk: DeskLike) -> dict[str, Any]:
    """Learn from an annotation that was made, changed or deleted; other events change nothing."""
    event = request.get("action")
    annotations = request.get("annotations") if event in DELETED else [request.get("annotation")]
    if event not in (CREATED, UPDATED, *DELETED):
        return {"status": "Unknown event"}
    annotations = annotations or [request.get("annotation")]
    if not isinstance(annotations, list) or not all(isinstance(one, Mapping) for one in annotations):
        raise CasebaseError(f"Expected the annotation of the event {event} as a record.")
    learned: OutcomeLike | None = None
    for annotation in annotations:
        learned = _forget(annotation, desk) if event in DELETED else _learn(request, annotation, desk)
    result = {} if learned is None else {"model_version": learned.after, "ids": list(learned.ids)}
    return {"status": "ok", "result": result}


# Predictions


def _chosen(saved: Saved, control: Control, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the class of a record as a choice; no choice if the interface does not offer the class."""
    model = saved.model
    cases = model.schema.encode(_row(model.schema, data))
    answers = model.answer(cases)
    code = int(answers.label[0])
    label = str(model.schema.classes[code])
    if control.labels and label not in control.labels:
        return {"result": [], "score": 0.0}
    score = float(probabilities(model, answers, saved.calibration)[0, code])
    why = str(model.explain(cases)[0]).splitlines()
    result = {
        "from_name": control.name,
        "to_name": control.target,
        "type": "choices",
        "value": {"choices": [label]},
        "score": score,
        "meta": {"text": why},
    }
    return {"result": [result], "score": score}


def _labelled(tagger: Tagger, interface: Interface, control: Control, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the labels of a text; those that the interface does not offer are left out."""
    text = interface.text(control, data)
    results = []
    for one in suggestions(tagger, sentences_in(text, tagger)):
        if control.labels and one.label not in control.labels:
            continue
        value = {"start": one.begin, "end": one.end, "text": text[one.begin : one.end], "labels": [one.label]}
        result: dict[str, Any] = {
            "from_name": control.name,
            "to_name": control.target,
            "type": "labels",
            "value": value,
            "meta": {"text": (one.explanation or "").splitlines()},
        }
        results.append(result if one.score is None else result | {"score": one.score})
    scores = [result["score"] for result in results if "score" in result]
    return {"result": results, "score": sum(scores) / len(scores) if scores else 0.0}


# Corrections


def _learn(request: Mapping[str, Any], annotation: Mapping[str, Any], desk: DeskLike) -> OutcomeLike | None:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return None
    saved = desk.snapshot.saved
    project = request.get("project")
    interface = Interface.read(project.get("label_config") if isinstance(project, Mapping) else None)
    control = _control(interface, saved)
    data = _data(request.get("task"), None)
    own = _values(annotation, control)
    if isinstance(saved, Tagger):
        text = interface.text(control, data)
        spans = [span for value in own for span in _spans(value, text)]
        sentences = tagged_sentences(saved, sentences_in(text, saved), spans)
        return desk.learn(sentences, author=_author(annotation), key=_key(annotation)) if sentences else None
    assert isinstance(saved, Saved)
    labels = [label for value in own for label in _labels(value, "choices")]
    if len(labels) != 1:
        return None  # a task without an answer, or with several
    return _store(saved, data, labels[0], annotation, desk)


def _values(annotation: Mapping[str, Any], control: Control) -> list[Mapping[str, Any]]:
    """Return what an annotation says in a control."""
    results = annotation.get("result") or []
    if not isinstance(results, list):
        raise CasebaseError(f"Expected a list as 'result' of the annotation, got {type(results).__name__}.")
    own = [one for one in results if isinstance(one, Mapping) and one.get("from_name") == control.name]
    values = [one["value"] for one in own if "value" in one]
    if not all(isinstance(value, Mapping) for value in values):
        raise CasebaseError("Expected a record as 'value' of each result of the annotation.")
    return values


def _labels(value: Mapping[str, Any], name: str) -> list[str]:
    labels = value.get(name) or []
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise CasebaseError(f"Expected a list of texts as {name!r} of a result.")
    return labels


def _store(
    saved: Saved, data: Mapping[str, Any], label: str, annotation: Mapping[str, Any], desk: DeskLike
) -> OutcomeLike:
    """Insert the case of an annotation, or change the class of the one that it made before."""
    schema, author, key = saved.model.schema, _author(annotation), _key(annotation)
    for entry in saved.log:
        if key is not None and entry.key == key:
            return entry  # Label Studio has sent the event again
    before = _ids(saved.log, annotation)
    if before:
        return desk.update(before, {schema.target: [label] * len(before)}, author=author, key=key)
    memory = getattr(saved.model, "stored_memory", lambda: None)()
    ids = None if not isinstance(memory, Memory) or are_numbers(memory) else [f"{KEY}-{annotation.get('id')}"]
    return desk.insert([_columns(schema, data)], [label], ids=ids, author=author, key=key)


def _forget(annotation: Mapping[str, Any], desk: DeskLike) -> OutcomeLike | None:
    """Remove the case of an annotation; a tagger keeps its sentences."""
    saved = desk.snapshot.saved
    ids = _ids(saved.log, annotation) if isinstance(saved, Saved) else ()
    return desk.remove(ids, author=_author(annotation), key=_key(annotation, "deleted")) if ids else None


def _ids(log: Sequence[Entry], annotation: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the ids of the case that an annotation has made, as the log of corrections says."""
    prefix = f"{KEY}:{annotation.get('id')}:"
    entries = [entry for entry in log if entry.key is not None and entry.key.startswith(prefix)]
    return entries[-1].ids if entries and entries[-1].action != "remove" else ()


def _key(annotation: Mapping[str, Any], state: str | None = None) -> str | None:
    """Return the idempotency key of an event, by which the case of an annotation is found again."""
    when = state or annotation.get("updated_at") or annotation.get("created_at") or ""
    return f"{KEY}:{annotation['id']}:{when}" if annotation.get("id") is not None else None


def _author(annotation: Mapping[str, Any]) -> Author:
    person = annotation.get("completed_by")
    person = person.get("email") or person.get("id") if isinstance(person, Mapping) else person
    return Author(None if person in (None, "") else str(person), "Label Studio")


def _spans(value: Mapping[str, Any], text: str) -> list[Span]:
    begin, end, labels = value.get("start"), value.get("end"), _labels(value, "labels")
    if not isinstance(begin, int) or not isinstance(end, int) or not 0 <= begin < end <= len(text):
        raise CasebaseError(f"Expected the place of a label in the text as 'start' and 'end', got {begin!r}, {end!r}.")
    return [Span(begin, end, label) for label in labels]


# Tasks


def _control(interface: Interface, saved: object) -> Control:
    if isinstance(saved, Hyphenator):
        raise CasebaseError("Label Studio labels records and texts, and this model is a hyphenator.")
    if isinstance(saved, Tagger):
        return interface.control("Labels")
    assert isinstance(saved, Saved)
    return interface.control("Choices", saved.model.schema.target)


def _name(saved: object) -> str:
    return saved.model.method if isinstance(saved, Saved) else type(saved).__name__.lower()


def _data(task: object, number: int | None) -> Mapping[str, Any]:
    data = task.get("data") if isinstance(task, Mapping) else None
    if not isinstance(data, Mapping):
        raise CasebaseError(f"Expected the data of {'the task' if number is None else f'task {number}'} as a record.")
    return data


def _columns(schema: Schema, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a task for the columns of the table; what the task has beside them is left out."""
    row = {name: data[name] for name in schema.column_names if name in data}
    if not row:
        raise CasebaseError(
            f"The data of the task have none of the model's columns ({', '.join(schema.column_names[:8])}): they have "
            f"{', '.join(map(str, list(data)[:8])) or 'nothing'}."
        )
    for name, value in row.items():
        got = type(value).__name__
        if not isinstance(value, str | int | float | bool | None):
            raise CasebaseError(f"Expected text, a number or nothing as {name!r} of a task, got {got}.")
    return row


def _row(schema: Schema, data: Mapping[str, Any]) -> list[Any]:
    row = _columns(schema, data)
    return [row] if schema.is_named else [[row.get(name) for name in schema.column_names]]
