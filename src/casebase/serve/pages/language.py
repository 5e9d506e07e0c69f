"""What the pages of taggers and hyphenators share: who corrects, texts from a form, and what the model is."""

import shlex
from collections.abc import Callable
from typing import Any

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request
from starlette.responses import Response

from casebase.base.log import Author
from casebase.base.model import format_count
from casebase.errors import CasebaseError, ChangedError
from casebase.hyphenation.evidence import PatternEvidence
from casebase.hyphenation.hyphenator import Hyphenator
from casebase.render.blocks import Shown
from casebase.render.html import body, headline, legend, signs_in
from casebase.serve.desks import earlier
from casebase.serve.desks.desk import Desk, Snapshot
from casebase.serve.pages.jobs import followed
from casebase.serve.web import Page, jobs_of, see, with_problem
from casebase.tagging.committee import Committee
from casebase.tagging.tagger import Tagger

MOST_AUTHOR = 200  # characters of a name or a note
MOST_TYPED = 20_000  # characters of a wrong text that are shown again
MOST_LISTED = 100  # tags or patterns on the page of a model
ROW = ("pattern", "level", "allows", "is_classes", "support")
SHORT = 80  # characters of a text that a command line repeats


def given(values: QueryParams | FormData, name: str, most: int) -> str:
    """Return a text of an address or a form; an error if it is too long."""
    value = values.get(name, "")
    if not isinstance(value, str):
        raise CasebaseError(f"{name} is text; a file came.")
    text = value.replace("\r\n", "\n")
    if len(text) > most:
        raise CasebaseError(
            f"{name} has {len(text):,} characters; a page takes {most:,}. The command line and the service take more."
        )
    return text


def typed(values: QueryParams | FormData, name: str) -> str:
    """Return a text as it was typed, to be shown again in its form."""
    value = values.get(name, "")
    return value.replace("\r\n", "\n")[:MOST_TYPED] if isinstance(value, str) else ""


def typed_author(values: QueryParams | FormData) -> dict[str, str]:
    """Return who corrects, and why, as it was typed."""
    return {name: typed(values, name) for name in ("by", "note")}


def wrong(desk: Desk, shown: Page, error: CasebaseError) -> Page:
    """Return the page of a form that was filled in wrongly, or whose model somebody has corrected meanwhile."""
    if isinstance(error, ChangedError):
        told = f"Somebody corrected {desk.name} meanwhile, and your correction was not saved. Look, and send it again."
        return with_problem(shown, error, told)
    return with_problem(shown, error)


def author_of(form: FormData) -> Author:
    """Return who corrects, and why, as a form says."""
    by, note = (given(form, name, MOST_AUTHOR).strip() or None for name in ("by", "note"))
    return Author(by, note)


def quoted_text(text: str) -> str | None:
    """Return a text as an argument of a command line; None if it is too long to be repeated there."""
    return shlex.quote(text) if len(text) <= SHORT and text.isprintable() else None


def evidence_html(evidence: Shown) -> str:
    """Return evidence as the library's pages show it."""
    said = evidence.headline()
    content = f'<p class="cb-answer">{headline(said)}</p>\n{body(said, evidence.sections())}'
    return f"<section>\n{content}\n{legend(signs_in(content))}</section>"


def corrected(
    request: Request,
    desk: Desk,
    correct: Callable[[], object],
    *,
    title: str,
    place: str,
    is_long: bool,
    command: str | None,
) -> Response:
    """Correct a model, now or as a job, and lead to the page that shows what changed; `command` does the same."""
    before = desk.snapshot

    def work(*_: object) -> None:
        correct()
        earlier.keep(desk, before)

    if not is_long:
        work()
        return see(place)
    job = jobs_of(request).start("correct", title, work, command)
    job.place = place
    return see(followed(job))


def attachment(content: str, name: str) -> Response:
    """Return a text as a file that a browser saves; the name is made of a model's, so it has no quotes."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content.encode("utf-8", "replace"), media_type="text/plain; charset=utf-8", headers=headers)


def tagger_of(desk: Desk, snapshot: Snapshot) -> Tagger:
    """Return the tagger at a desk; an error if something else is there."""
    if not isinstance(snapshot.saved, Tagger):
        raise CasebaseError(f"{desk.name} is no tagger: {_described(desk)}.")
    return snapshot.saved


def hyphenator_of(desk: Desk, snapshot: Snapshot) -> Hyphenator:
    """Return the hyphenator at a desk; an error if something else is there."""
    if not isinstance(snapshot.saved, Hyphenator):
        raise CasebaseError(f"{desk.name} is no hyphenator: {_described(desk)}.")
    return snapshot.saved


def _described(desk: Desk) -> str:
    return "it is a classifier" if desk.kind == "model" else f"it is a {desk.kind}"


def row_of(saved: Tagger | Hyphenator) -> dict[str, Any]:
    """Return what a list of models says of a tagger or a hyphenator, without counting through its corpus."""
    if isinstance(saved, Tagger):
        corpus = saved.model_.corpus
        return {
            "method": "tagger",
            "title": "Tagger",
            "target": "tags of words",
            "size": f"{format_count(corpus.n_tokens, 'word')} in {format_count(corpus.n_sentences, 'sentence')}",
            "n_classes": len(saved.tags_),
            "n_cases": corpus.n_tokens,
        }
    return {
        "method": "hyphenation",
        "title": "Hyphenator",
        "target": "breaks of words",
        "size": f"{format_count(len(saved.patterns_), 'pattern')} from {format_count(len(saved.words_), 'word')}",
        "n_classes": 2,
        "n_cases": len(saved.words_),
    }


def about(saved: Tagger | Hyphenator) -> dict[str, str]:
    """Return what a tagger or a hyphenator learned, from what, with which settings, for its page."""
    defaults = type(saved)().get_params()
    changed = {name: value for name, value in saved.get_params().items() if value and value != defaults[name]}
    settings = ", ".join(f"{name} = {value}" for name, value in changed.items() if name not in ("n_jobs", "classes"))
    if isinstance(saved, Tagger):
        corpus = saved.model_.corpus
        facts = {
            "Learner": "Tagger, "
            + ("a committee of memories" if isinstance(saved.model_, Committee) else "two case bases"),
            "Corpus": row_of(saved)["size"],
            "Lexicon": format_count(saved.n_words_, "different word"),
            "Tags": str(len(saved.tags_)),
        }
        if corpus.extra:
            facts["Columns"] = f"{format_count(saved.n_columns_, 'column')} beside the words"
    else:
        report, patterns = saved.report_, saved.patterns_
        facts = {
            "Learner": "Hyphenator, competing patterns",
            "Words": format_count(len(saved.words_), "word"),
            "Patterns": format_count(len(patterns), "pattern"),
            "Margins": f"at least {patterns.left_min} before a break, {patterns.right_min} after it",
            "Where no pattern matches": "a break" if patterns.default_allows else "no break",
            "Contradictions": str(len(report["contradictions"])),
        }
        classes: dict[str, str] = {}
        for letter, name in (patterns.classes or {}).items():
            classes[name] = classes.get(name, "") + letter
        if classes:
            facts["Classes of letters"] = "; ".join(f"{name} = {letters}" for name, letters in classes.items())
    return facts | ({"Settings": settings} if settings else {})


def content_of(saved: Tagger | Hyphenator) -> dict[str, Any]:
    """Return the tags of a tagger by frequency, or the strongest patterns of a hyphenator."""
    if isinstance(saved, Tagger):
        tags = saved.summary()["tags"]
        return {"tags": tags[:MOST_LISTED], "n_tags": len(tags)}
    patterns = [PatternEvidence.of(pattern) for pattern in saved.patterns_]
    shown = [{name: getattr(one, name) for name in ROW} for one in patterns[:MOST_LISTED]]
    return {"patterns": shown, "n_patterns": len(patterns)}
