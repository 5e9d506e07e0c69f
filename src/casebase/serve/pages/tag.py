"""A tagger: a text in, its words with tags and how sure they are, why, and a way to put tags right."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.errors import CasebaseError
from casebase.serve.desks.desk import Desk
from casebase.serve.desks.earlier import earlier
from casebase.serve.pages.language import (
    attachment,
    author_of,
    corrected,
    evidence_html,
    given,
    quoted_text,
    tagger_of,
    typed,
    typed_author,
    wrong,
)
from casebase.serve.web import Page, Shown, action, desk_of, link, page, quoted
from casebase.tagging.corpora import CORPUS_FORMATS, Corpus, corpus_text
from casebase.tagging.evidence import TagEvidence
from casebase.tagging.tagger import Tagger
from casebase.tagging.texts import read_text, rivals, tagged_words, with_right_tags

MOST_TEXT = 4_000  # characters
MOST_TAG = 100
SURE = 0.9  # a tag that is right less often is marked
LONG = 1_000_000  # words of a corpus; learning with a larger one takes seconds, and is a job
N_PLACES = 5  # of the corpus, for a tag and against it
DOWNLOADS = ("tsv", "conllu")
READ_AS = {
    "tagged": "word/TAG text, whose tags are replaced",
    "tsv": "one word per line",
    "conll2000": "one word per line",
    "conllu": "CoNLL-U",
    "tokens": "words separated by spaces, one sentence per line",
    "text": "plain text, split into words",
}


def routes() -> list[Route]:
    return [
        *page("/m/{name}/tag", tag),
        *action("/m/{name}/tag", learn),
        *(page(f"/m/{{name}}/tag.{ending}", download)[1] for ending in DOWNLOADS),  # a file has no JSON twin
    ]


@dataclass(frozen=True)
class Place:
    """A word of a text, or a whole sentence; an address counts from 1, as `2.3`."""

    sentence: int
    word: int

    def __str__(self) -> str:
        return f"{self.sentence + 1}.{self.word + 1}"


def tag(request: Request) -> Page:
    """Show a text with its tags, and why one of its words has its tag."""
    desk, query = desk_of(request), request.query_params
    try:
        return _shown(desk, query)
    except CasebaseError as error:
        return wrong(desk, _shown(desk, query, is_read=False), error)


def _shown(desk: Desk, query: QueryParams | FormData, *, is_read: bool = True) -> Page:
    """Return the page of a text: as it was typed, and with its tags if it is to be read."""
    snapshot = desk.snapshot
    tagger = tagger_of(desk, snapshot)
    text = given(query, "text", MOST_TEXT) if is_read else typed(query, "text")
    format = typed(query, "format") or None
    facts: dict[str, Any] = {
        "name": desk.name,
        "version": snapshot.version,
        "is_correctable": snapshot.is_correctable and not desk.read_only,
        "text": text,
        "format": format,
        "formats": list(CORPUS_FORMATS),
        "n_columns": tagger.n_columns_,
        "sentences": [],
        "at": None,
        "since": None,
        "given": {"tags": [str(field) for field in query.getlist("tag")], **typed_author(query)},
    }
    if not is_read or not text.strip():
        return _page(desk, facts | {"evidence": None}, text)
    corpus = _read(tagger, text, format)
    tagged = tagged_words(tagger, corpus.sentences)
    sentences = [
        [word.to_dict() | {"is_unsure": word.confidence is not None and word.confidence < SURE} for word in words]
        for words in tagged
    ]
    words = [word for sentence in sentences for word in sentence]
    since = typed(query, "since") or None
    facts |= {
        "read_as": READ_AS[corpus.format],
        "sentences": sentences,
        "n_words": len(words),
        "n_unsure": sum(word["is_unsure"] for word in words),
        "n_unknown": sum(not word["is_known"] for word in words),
        "is_measured": any(word["confidence"] is not None for word in words),
        "since": _changes(desk, since, tagger, corpus, sentences),
    }
    place = _place(typed(query, "at"), sentences)
    if place is None:
        return _page(desk, facts | {"evidence": None}, text)
    [evidence] = tagger.explain(_tokens(corpus)[place.sentence], N_PLACES, places=[place.word])
    facts |= {
        "at": {"sentence": place.sentence + 1, "word": place.word + 1},
        "tags": tagger.tags_,
        "rivals": [{"tag": tag, "share": share} for tag, share in rivals(evidence)],
        "evidence": evidence.to_dict(),
    }
    return _page(desk, facts, text, evidence)


def learn(request: Request, form: FormData) -> Shown:
    """Learn a sentence of a text with the right tags, and show the text again."""
    desk = desk_of(request)
    try:
        return _learned(request, desk, form)
    except CasebaseError as error:
        return wrong(desk, _still_shown(desk, form), error)


def _still_shown(desk: Desk, form: FormData) -> Page:
    """Return the page of a correction that cannot be made, with the tags of its text if it has some."""
    try:
        return _shown(desk, form)
    except CasebaseError:
        return _shown(desk, form, is_read=False)


def _learned(request: Request, desk: Desk, form: FormData) -> Response:
    snapshot, version = desk.snapshot, given(form, "version", MOST_TAG)
    tagger = tagger_of(desk, snapshot)
    text, format = given(form, "text", MOST_TEXT), given(form, "format", MOST_TAG) or None
    corpus = _read(tagger, text, format)
    tagged = tagged_words(tagger, corpus.sentences)
    place = _place(given(form, "at", MOST_TAG), tagged)
    if place is None:
        raise CasebaseError("Expected the number of a sentence and of a word, such as at=1.2.")
    tags = _right_tags(form, [word.tag for word in tagged[place.sentence]])
    sentence = with_right_tags(_tokens(corpus)[place.sentence], tags)
    author = author_of(form)
    shown = link(f"/m/{quoted(desk.name)}/tag", text=text, format=format, at=place, since=version)
    return corrected(
        request,
        desk,
        lambda: desk.learn([sentence], author=author, if_match=version),
        title=f"{desk.name} learns a sentence",
        place=f"{shown}#changes",
        is_long=tagger.corpus_.n_tokens > LONG,
        command=_learn_command(desk, sentence),
    )


def _learn_command(desk: Desk, sentence: Sequence[tuple[str, ...]]) -> str | None:
    """Return the command that learns a sentence, if word/TAG text can have it, and it is short."""
    text = " ".join("/".join(token) for token in sentence)
    is_plain = all(len(token) == 2 and "/" not in token[1] for token in sentence)
    repeated = quoted_text(text) if is_plain else None
    return repeated and f"echo {repeated} | casebase tagger learn {shlex.quote(desk.path.name)} --format tagged"


def _right_tags(form: FormData, tags: Sequence[str]) -> list[str]:
    """Return the tags that a form gives to a sentence: one field per word, empty if its tag is right already.

    A button gives a single word another tag: `choose` is its number, a colon, and the tag.
    """
    fields = [str(field) for field in form.getlist("tag")]
    if len(fields) != len(tags):
        raise CasebaseError(f"Expected {len(tags)} fields 'tag', one per word of the sentence; got {len(fields)}.")
    number, colon, chosen = given(form, "choose", MOST_TAG + 10).partition(":")
    if colon:
        if not number.isdecimal() or not 1 <= int(number) <= len(tags):
            raise CasebaseError(f"Expected the number of a word from 1 to {len(tags)}; got {number[:20]!r}.")
        fields[int(number) - 1] = chosen
    right = [field.strip() or tag for field, tag in zip(fields, tags)]
    wrong = [one for one in right if len(one) > MOST_TAG or len(one.split()) > 1 or not one.isprintable()]
    if wrong:
        raise CasebaseError(f"A tag is a short text without blanks, such as NN; got {wrong[0][:MOST_TAG]!r}.")
    return right


def _read(tagger: Tagger, text: str, format: str | None) -> Corpus:
    source = BytesIO(text.encode("utf-8", "replace"))
    source.name = "The text"  # for error messages
    return read_text(tagger, source, format=format)


def _tokens(corpus: Corpus) -> list[list[Any]]:
    return list(corpus.sentences.untagged())


def _place(at: str | None, sentences: Sequence[Sequence[Any]]) -> Place | None:
    """Return the word that an address names, if the text has it."""
    first, _, second = (at or "").partition(".")
    if not (first.isdecimal() and second.isdecimal() and len(first) < 9 and len(second) < 9):
        return None
    place = Place(int(first) - 1, int(second) - 1)
    is_there = 0 <= place.sentence < len(sentences) and 0 <= place.word < len(sentences[place.sentence])
    return place if is_there else None


def _changes(
    desk: Desk, version: str | None, tagger: Tagger, corpus: Corpus, sentences: list[list[dict[str, Any]]]
) -> dict[str, Any] | None:
    """Return what the last correction changed in a text: tags, and how sure they are; each word says what it was.

    `unheeded` are the words of the sentence just learned that still have another tag than it says: other places of the
    corpus outvote it.
    """
    if version is None:
        return None
    snapshot = earlier(desk, version)
    if snapshot is None:
        return {"version": version, "is_kept": False}
    before = tagged_words(tagger_of(desk, snapshot), corpus.sentences)
    stored = tagger.corpus_
    learned = next(iter(stored.take(np.array([stored.n_sentences - 1]))))
    changed, unheeded, n_surer = [], [], 0
    for i, (words, were, tokens) in enumerate(zip(sentences, before, _tokens(corpus))):
        is_learned = tokens == [token[0] if len(token) == 2 else token[:-1] for token in learned]
        for j, (word, was) in enumerate(zip(words, were)):
            record = {"at": str(Place(i, j)), "word": word["word"], "before": was.tag, "after": word["tag"]}
            if word["tag"] != was.tag:
                word["was"] = was.tag
                changed.append(record)
            n_surer += (word["confidence"] or 0.0) > (was.confidence or 0.0)
            if is_learned and word["tag"] != learned[j][-1]:
                unheeded.append(record | {"right": learned[j][-1]})
    return {"version": version, "is_kept": True, "changed": changed, "n_surer": n_surer, "unheeded": unheeded}


def _page(desk: Desk, facts: dict[str, Any], text: str, evidence: TagEvidence | None = None) -> Page:
    repeated, file = quoted_text(text) if text.strip() else None, shlex.quote(desk.path.name)
    if evidence is not None and repeated is not None:
        command = f"casebase tagger explain {file} {repeated}"
    else:
        given_text = f"echo {repeated} | " if repeated else ""
        command = f"{given_text}casebase tagger tag {file}{'' if repeated else ' text.txt'} --json"
    fragments = {} if evidence is None else {"why": evidence_html(evidence)}
    return Page("tag.html", f"{desk.name}: tag", facts, command, fragments, desk)


def download(request: Request) -> Response:
    """Return a text with its tags as a file: one word per line, or CoNLL-U."""
    desk, query = desk_of(request), request.query_params
    tagger, ending = tagger_of(desk, desk.snapshot), request.url.path.rpartition(".")[2]
    corpus = _read(tagger, given(query, "text", MOST_TEXT), query.get("format") or None)
    content = corpus_text(corpus, tagger.tag_sentences(corpus.sentences), format=ending)
    return attachment(content, f"{desk.name}-tags.{ending}")
