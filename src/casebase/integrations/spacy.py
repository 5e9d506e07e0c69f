"""The tagger as a component of spaCy's pipelines: `nlp.add_pipe("casebase_tagger")`.

It sets `pos`, `tag`, `morph` and `lemma` of tokens, as far as its model has the columns UPOS, XPOS, FEATS and LEMMA.
The model comes from a file, or is trained by `nlp.initialize` from examples.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example

from casebase.base.files import read_content
from casebase.base.state import MODEL_FILE
from casebase.errors import CasebaseError
from casebase.tagging.annotator import Annotator, tagger_or_annotator
from casebase.tagging.tagger import Tagger
from casebase.tagging.universal import NOTHING

FILE = "annotator.cb"
ATTRIBUTES = {"upos": "pos", "xpos": "tag", "feats": "morph", "lemma": "lemma"}


class CasebaseTagger:
    """A component that annotates tokens.

    Parameters
    ----------
    nlp, name
        The pipeline, and the name of the component in it.
    model : str, optional
        A model file of `casebase.Annotator` or `casebase.Tagger`.
    columns : list of "upos", "xpos", "feats" and "lemma", optional
        What to learn from examples, and to set; by default what the examples, or the model file, have. For the file of
        a tagger, the one column that its tags are for; UPOS by default.
    overwrite : bool
        Whether annotations that a token has already are replaced.
    """

    def __init__(self, nlp: Language, name: str, model: str | None, columns: list[str] | None, overwrite: bool) -> None:
        self.name = name
        self.vocab = nlp.vocab
        self.columns = columns
        self.overwrite = overwrite
        self.annotator = Annotator(columns)
        if model is not None:
            self.annotator = _loaded(model, columns)

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags of the first column."""
        return tuple(self.annotator.tagger_.tags_) if self.annotator._has_learned() else ()

    def __call__(self, doc: Doc) -> Doc:
        """Annotate a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate documents, a batch at a time."""
        batch: list[Doc] = []
        for doc in stream:
            batch.append(doc)
            if len(batch) >= batch_size:
                yield from self._annotated(batch)
                batch = []
        yield from self._annotated(batch)

    def _annotated(self, docs: list[Doc]) -> list[Doc]:
        sentences = [sentence for doc in docs for sentence in _sentences(doc)]
        if not self.annotator._has_learned():
            raise CasebaseError(
                f"The component {self.name!r} has learned nothing yet. Give it a model file, "
                f'nlp.add_pipe("casebase_tagger", config={{"model": "en.cb"}}), or examples: nlp.initialize(…).'
            )
        annotated = self.annotator.annotate([[token.text for token in tokens] for tokens in sentences])
        for tokens, records in zip(sentences, annotated):
            for token, record in zip(tokens, records):
                self._set(token, record)
        for doc in docs:
            for token in doc:
                if token.is_space and "upos" in self.annotator.columns_:
                    token.pos_ = "SPACE"
        return docs

    def _set(self, token: Token, record: dict[str, str]) -> None:
        for column, value in record.items():
            if column not in ATTRIBUTES or (not self.overwrite and getattr(token, ATTRIBUTES[column])):
                continue
            if column == "feats":
                token.set_morph("" if value == NOTHING else value)
            else:
                setattr(token, f"{ATTRIBUTES[column]}_", value)

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None, labels: Any = None
    ) -> None:
        """Learn from examples; without annotations in them, a model that was loaded stays."""
        treebank = [
            [_token(token) for token in tokens]
            for example in get_examples()
            for tokens in _sentences(example.reference)
        ]
        has_annotations = any("upos" in token or "xpos" in token for sentence in treebank for token in sentence)
        if has_annotations:
            self.annotator = Annotator(self.columns).fit(treebank)
        elif not self.annotator._has_learned():
            raise CasebaseError(
                f"The component {self.name!r} has no model file, and the examples have no pos or tag to learn from."
            )

    def score(self, examples: Iterable[Example], **options: Any) -> dict[str, Any]:
        """Return the accuracy of each attribute that the component sets."""
        scores: dict[str, Any] = {}
        given = list(examples)
        for column in self.annotator.columns_:
            attribute = ATTRIBUTES[column]
            getter = _morph if column == "feats" else getattr
            scores |= Scorer.score_token_attr(given, attribute, getter=getter, **options)
        return scores

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the content of the model file; nothing if nothing was learned."""
        state = self.annotator.__getstate__()
        return bytes(state[MODEL_FILE].tobytes()) if MODEL_FILE in state else b""

    def from_bytes(self, content: bytes, *, exclude: Iterable[str] = ()) -> "CasebaseTagger":
        """Take the model of another component."""
        if content:
            name = f"The model of {self.name!r}"
            self.annotator = Annotator._from_file(name, *read_content(np.frombuffer(content, np.uint8), name))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model file to a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self.annotator._has_learned():
            self.annotator.save(folder / FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "CasebaseTagger":
        """Read the model file from a folder."""
        file = Path(path) / FILE
        if file.exists():
            self.annotator = Annotator.load(file)
        return self


@Language.factory(
    "casebase_tagger",
    assigns=["token.pos", "token.tag", "token.morph", "token.lemma"],
    default_config={"model": None, "columns": None, "overwrite": True},
    default_score_weights={"pos_acc": 0.5, "tag_acc": 0.5, "morph_acc": None, "lemma_acc": None},
)
def make_tagger(
    nlp: Language, name: str, model: str | None, columns: list[str] | None, overwrite: bool
) -> CasebaseTagger:
    """Return the component; spaCy finds this function by its entry point."""
    return CasebaseTagger(nlp, name, model, columns, overwrite)


def _loaded(path: str, columns: list[str] | None) -> Annotator:
    """Return the annotator of a file; a tagger alone is one with a single column."""
    model = tagger_or_annotator(path)
    if isinstance(model, Tagger):
        if columns is not None and (len(columns) != 1 or columns[0] not in ("upos", "xpos", "feats")):
            raise CasebaseError(
                f"{path} is a tagger of one column: columns is one of upos, xpos and feats, got {columns!r}."
            )
        annotator = Annotator(columns or ["upos"])
        annotator.parts_ = {(columns or ["upos"])[0]: model}
        return annotator
    if columns is not None:
        missing = [column for column in columns if column not in model.columns_]
        if missing:
            raise CasebaseError(f"{path} has no column {missing[0]!r}; it has {', '.join(model.columns_)}.")
        model.parts_ = {
            name: part
            for name, part in model.parts_.items()
            if name in columns or (name == "upos" and "lemma" in columns)
        }
    return model


def _sentences(doc: Doc) -> list[list[Token]]:
    """Return the words of each sentence, without white space; the document is one if its sentences are not marked."""
    spans = doc.sents if doc.has_annotation("SENT_START") else [doc]
    found = [[token for token in span if not token.is_space] for span in spans]
    return [tokens for tokens in found if tokens]


def _token(token: Token) -> dict[str, str]:
    """Return the annotations of a token, as far as it has them."""
    values = {
        "form": token.text,
        "upos": token.pos_,
        "xpos": token.tag_,
        "feats": str(token.morph),
        "lemma": token.lemma_,
    }
    return {name: value for name, value in values.items() if value}


def _morph(token: Token, _: str) -> str:
    return str(token.morph)
