"""INCEpTION's external recommender: a tagger suggests annotations, with the places in its corpus as the explanation.

`predict` and `train` take the JSON that INCEpTION sends to these addresses (version 1 of its protocol). A suggestion is
an annotation of the layer, marked as predicted; `FEATURE_score` has how often such a tag is right, and
`FEATURE_score_explanation` why it was given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from casebase.base.log import Author
from casebase.errors import CasebaseError
from casebase.serve.ports.spans import Sentence, Span, Token, suggestions, tagged_sentences, tagger_of
from casebase.serve.ports.xmi import SENTENCE, TOKEN, Document, features_of, read_document
from casebase.tagging.tagger import Tagger

PREDICTED = "inception_internal_predicted"
SCORE, EXPLANATION = "_score", "_score_explanation"
TOOL = "INCEpTION's recommender"
SENTENCES = "sentences"  # the anchoring of layers that annotate whole sentences


class SnapshotLike(Protocol):
    """What a recommender needs of a snapshot."""

    @property
    def saved(self) -> object: ...


class DeskLike(Protocol):
    """What training needs of a desk."""

    @property
    def snapshot(self) -> SnapshotLike: ...
    def learn(self, sentences: Sequence[Any], *, author: Author = ...) -> object: ...


@dataclass(frozen=True)
class Wanted:
    """What a request is about: the layer and its feature, and which features the layer has."""

    layer: str
    feature: str
    features: frozenset[str]
    range: tuple[int, int] | None = None  # in UTF-16 units


def predict(request: Mapping[str, Any], snapshot: SnapshotLike) -> dict[str, str]:
    """Return the document of a request with suggestions for its sentences."""
    tagger = tagger_of(snapshot.saved, TOOL)
    wanted = _wanted(request)
    document = _document(_part(request, "document", Mapping), wanted)
    records = []
    for one in suggestions(tagger, _sentences(document, wanted.range)):
        record = {
            "begin": str(document.units(one.begin)),
            "end": str(document.units(one.end)),
            wanted.feature: one.label,
            PREDICTED: "true",
        }
        if one.score is not None and wanted.feature + SCORE in wanted.features:
            record[wanted.feature + SCORE] = repr(one.score)
        if one.explanation is not None and wanted.feature + EXPLANATION in wanted.features:
            record[wanted.feature + EXPLANATION] = one.explanation
        records.append(record)
    return {"document": document.with_annotations(wanted.layer, records)}


def train(request: Mapping[str, Any], desk: DeskLike) -> int:
    """Let the tagger learn the annotated sentences that it does not have yet; return their number.

    INCEpTION sends all documents of a user with every training.
    """
    tagger = tagger_of(desk.snapshot.saved, TOOL)
    wanted = _wanted(request)
    documents = _part(request, "documents", list)
    learned, users = [], []
    for number, record in enumerate(documents):
        if not isinstance(record, Mapping):
            raise CasebaseError(f"Expected a record for document {number} of 'documents', got {type(record).__name__}.")
        document = _document(record, wanted)
        learned += _annotated(tagger, document, wanted)
        users.append(record.get("userId"))
    distinct = [list(sentence) for sentence in dict.fromkeys(tuple(sentence) for sentence in learned)]
    if distinct:
        names = sorted({user for user in users if isinstance(user, str) and user.strip()})
        desk.learn(distinct, author=Author(", ".join(names) or None, "INCEpTION"))
    return len(distinct)


def _annotated(tagger: Tagger, document: Document, wanted: Wanted) -> list[list[tuple[str, str]]]:
    spans = []
    for one in document.of_type(wanted.layer):
        label = one.features.get(wanted.feature)
        if label and one.features.get(PREDICTED) != "true":
            spans.append(Span(document.letters(one.begin), document.letters(one.end), label))
    return tagged_sentences(tagger, _sentences(document, None), spans)


def _sentences(document: Document, range: tuple[int, int] | None) -> list[Sentence]:
    """Return the tokens of each sentence; of those in a range, if one is given."""
    tokens = iter(document.of_type(TOKEN))
    token = next(tokens, None)
    sentences: list[Sentence] = []
    for sentence in document.of_type(SENTENCE):
        own = []
        while token is not None and token.begin < sentence.end:
            if token.begin >= sentence.begin:
                begin, end = document.letters(token.begin), document.letters(token.end)
                own.append(Token(begin, end, document.text[begin:end]))
            token = next(tokens, None)
        # A token without a letter cannot be tagged, and none is.
        own = [one for one in own if one.text.strip()]
        if own and (range is None or (sentence.begin < range[1] and sentence.end > range[0])):
            sentences.append(own)
    return sentences


def _document(record: Mapping[str, Any], wanted: Wanted) -> Document:
    if not isinstance(record.get("xmi"), str):
        raise CasebaseError("Expected the document's 'xmi' as text.")
    return read_document(record["xmi"], (SENTENCE, TOKEN, wanted.layer))


def _wanted(request: Mapping[str, Any]) -> Wanted:
    metadata = _part(request, "metadata", Mapping)
    layer, feature = (_part(metadata, name, str) for name in ("layer", "feature"))
    if metadata.get("anchoringMode") == SENTENCES:
        raise CasebaseError(
            f"A tagger suggests labels of words, and the layer {layer!r} annotates whole sentences. Choose a layer "
            "whose annotations are tokens."
        )
    features = features_of(_part(request, "typeSystem", str), layer)
    if features is None or feature not in features:
        what = f"the layer {layer!r}" if features is None else f"the feature {feature!r} of the layer {layer!r}"
        raise CasebaseError(f"The type system of the request does not have {what}.")
    return Wanted(layer, feature, features, _range(metadata.get("range")))


def _range(given: object) -> tuple[int, int] | None:
    if not isinstance(given, Mapping):
        return None
    begin, end = given.get("begin"), given.get("end")
    if not isinstance(begin, int) or not isinstance(end, int) or not 0 <= begin <= end:
        raise CasebaseError(f"Expected a range as numbers 'begin' and 'end' of at least 0, got {begin!r} and {end!r}.")
    return begin, end


def _part(record: object, name: str, kind: type[Any]) -> Any:
    names: dict[object, str] = {Mapping: "a record", list: "a list", str: "text"}
    value = record.get(name) if isinstance(record, Mapping) else None
    if not isinstance(value, kind):
        got = "nothing" if value is None else type(value).__name__
        raise CasebaseError(f"Expected {names[kind]} as {name!r} of the request, got {got}.")
    return value
