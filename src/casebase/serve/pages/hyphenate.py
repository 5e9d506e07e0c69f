"""A hyphenator: words in, their breaks with the pattern at each place, and a way to put breaks right."""

import shlex
from copy import copy
from typing import Any

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.errors import CasebaseError
from casebase.hyphenation.evidence import HyphenationEvidence
from casebase.hyphenation.hyphenator import Hyphenator, split_text
from casebase.hyphenation.induction import Correction, compare
from casebase.hyphenation.words import HYPHEN, parse_word, with_hyphens
from casebase.serve.desks.desk import Desk
from casebase.serve.desks.earlier import earlier
from casebase.serve.pages.language import (
    attachment,
    author_of,
    corrected,
    evidence_html,
    given,
    hyphenator_of,
    quoted_text,
    typed,
    typed_author,
    wrong,
)
from casebase.serve.web import Page, Shown, action, desk_of, link, page, quoted

MOST_TEXT = 2_000  # characters of words
MOST_AMONG = 4_000  # characters of words to be watched
MOST_WORD = 200
MOST_MOVED = 50  # words that are shown; all are counted
LONG = 20_000  # words; learning from more is a job
N_WORDS = 5  # training words that are shown for a pattern
FILES = {"patterns.tex": "tex", "patterns.dic": "hunspell", "patterns.json": "json"}


def routes() -> list[Route]:
    return [
        *page("/m/{name}/hyphenate", hyphenate),
        *action("/m/{name}/hyphenate", correct),
        *(page(f"/m/{{name}}/{file}", download)[1] for file in FILES),  # a file has no JSON twin
    ]


def hyphenate(request: Request) -> Page:
    """Show words with their breaks, and the patterns that decided in one of them.

    With `word` and `place`s, show what would change if the word had these breaks.
    """
    desk, query = desk_of(request), request.query_params
    try:
        return _shown(desk, query)
    except CasebaseError as error:
        return wrong(desk, _still_shown(desk, query), error)


def _still_shown(desk: Desk, values: QueryParams | FormData) -> Page:
    """Return the page of a form that was filled in wrongly, as it was filled in."""
    try:
        return _shown(desk, values, is_tried=False)
    except CasebaseError:
        return _shown(desk, values, is_tried=False, is_read=False)


def _shown(desk: Desk, query: QueryParams | FormData, *, is_tried: bool = True, is_read: bool = True) -> Page:
    """Return the page of some words: as they were typed, with their breaks if they are to be read."""
    snapshot = desk.snapshot
    hyphenator = hyphenator_of(desk, snapshot)
    text, among = typed(query, "words"), typed(query, "among")
    if is_read:
        text, among = given(query, "words", MOST_TEXT), given(query, "among", MOST_AMONG)
    words = [] if not is_read else list(dict.fromkeys(split_text(text)[1::2]))
    since = typed(query, "since") or None
    before = earlier(desk, since)
    chosen = typed(query, "at") or None
    at = chosen if chosen in words else words[0] if len(words) == 1 else None
    facts: dict[str, Any] = {
        "name": desk.name,
        "version": snapshot.version,
        "is_correctable": snapshot.is_correctable and not desk.read_only,
        "text": text,
        "among": among,
        "words": _described(hyphenator, words, None if before is None else hyphenator_of(desk, before)),
        "at": at,
        "evidence": None,
        "would": None,
        "since": None,
        "given": {"places": None, **typed_author(query)},
    }
    if since is not None and is_read:
        facts["since"] = {"version": since, "is_kept": before is not None} | (
            {} if before is None else _change(_compared(hyphenator, hyphenator_of(desk, before), at, _watched(among)))
        )
    if at is None:
        return _page(desk, facts)
    evidence = hyphenator.explain(at, N_WORDS)
    facts["evidence"] = evidence.to_dict()
    if not is_tried:
        marked = [str(value) for value in query.getlist("place")]
        facts["given"]["places"] = [int(value) for value in marked if value.isdecimal() and len(value) < 9]
    elif "try" in query:
        spelling = _spelling(query, at)
        trial = copy(hyphenator).correct(spelling, _watched(among))
        facts["would"] = _change(trial) | {"spelling": spelling, "places": _places(query, at)}
    return _page(desk, facts, evidence)


def correct(request: Request, form: FormData) -> Shown:
    """Learn the breaks of a word, and show what changed."""
    desk = desk_of(request)
    try:
        return _learned(request, desk, form)
    except CasebaseError as error:
        return wrong(desk, _still_shown(desk, form), error)


def _learned(request: Request, desk: Desk, form: FormData) -> Response:
    hyphenator, version = hyphenator_of(desk, desk.snapshot), given(form, "version", MOST_WORD)
    text, among, word = given(form, "words", MOST_TEXT), given(form, "among", MOST_AMONG), given(form, "at", MOST_WORD)
    spelling, author = _spelling(form, word), author_of(form)
    shown = link(f"/m/{quoted(desk.name)}/hyphenate", words=text or word, at=word, among=among or None, since=version)
    return corrected(
        request,
        desk,
        lambda: desk.correct([spelling], author=author, if_match=version),
        title=f"{desk.name} learns {spelling}",
        place=f"{shown}#changes",
        is_long=len(hyphenator.words_) > LONG,
        command=shlex.join(["casebase", "hyphen", "correct", desk.path.name, spelling]),
    )


def download(request: Request) -> Response:
    """Return the patterns as a file for another program."""
    desk = desk_of(request)
    hyphenator, file = hyphenator_of(desk, desk.snapshot), request.url.path.rpartition("/")[2]
    name = f"hyph-{desk.name}.{file.rpartition('.')[2]}"
    return attachment(hyphenator.export(FILES[file]), name)


def _described(hyphenator: Hyphenator, words: list[str], before: Hyphenator | None) -> list[dict[str, Any]]:
    described: list[dict[str, Any]] = [
        {"word": word, "hyphenated": spelling}
        for word, spelling in zip(words, hyphenator.hyphenate_many(words, HYPHEN))
    ]
    if before is not None:
        for one, was in zip(described, before.hyphenate_many(words, HYPHEN)):
            if was != one["hyphenated"]:
                one["was"] = was
    return described


def _watched(among: str) -> list[str]:
    return list(dict.fromkeys(split_text(among)[1::2]))


def _compared(now: Hyphenator, before: Hyphenator, word: str | None, among: list[str]) -> Correction:
    letters = "" if word is None else parse_word(word)[0]
    return compare(before.patterns_, now.patterns_, letters, [*now.words_.words, *among])


def _change(change: Correction) -> dict[str, Any]:
    """Return what a correction changes, with the first of the words that move."""
    record = change.to_dict()
    return {
        "word": record["word"],
        "before": record["before"],
        "came": record["came"],
        "went": record["went"],
        "n_moved": len(change.moved),
        "moved": record["moved"][:MOST_MOVED],
    }


def _places(values: QueryParams | FormData, word: str) -> list[int]:
    """Return the places that a form has marked in a word: 2 is after its second character."""
    marked = [str(value) for value in values.getlist("place")]
    if not all(value.isdecimal() and len(value) < 9 and 0 < int(value) < len(word) for value in marked):
        raise CasebaseError(f"A place is a number from 1 to {len(word) - 1}, between two letters of {word!r}.")
    return sorted({int(value) for value in marked})


def _spelling(values: QueryParams | FormData, word: str) -> str:
    """Return a word with a hyphen at each place that a form has marked."""
    if split_text(word)[1::2] != [word]:
        raise CasebaseError(f"Expected one word, made of letters; got {word!r}.")
    return with_hyphens(word, _places(values, word))


def _page(desk: Desk, facts: dict[str, Any], evidence: HyphenationEvidence | None = None) -> Page:
    file = shlex.quote(desk.path.name)
    if facts["would"] is not None:
        command = f"casebase hyphen correct {file} {facts['would']['spelling']} --json -o new.cb"
    elif evidence is not None:
        command = f"casebase hyphen explain {file} {evidence.word}"
    else:
        repeated = quoted_text(facts["text"]) if facts["text"].strip() else None
        command = (
            f"echo {repeated} | casebase hyphen apply {file}" if repeated else f"casebase hyphen apply {file} words.txt"
        )
    fragments = {} if evidence is None else {"why": evidence_html(evidence)}
    return Page("hyphenate.html", f"{desk.name}: hyphenate", facts, command, fragments, desk)
