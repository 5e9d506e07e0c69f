"""Taggers and hyphenators: text in, tags or hyphens out, with the reasons; and what they learn from corrections."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.errors import NotFoundError
from casebase.serve.api.bodies import json_object
from casebase.serve.api.cases import AUTHOR, author_of, outcome_record
from casebase.serve.api.fields import Check, WrongField, any_text, checked, flag, text, whole
from casebase.serve.api.metrics import metrics_of
from casebase.serve.api.resources import Verb, correct, idempotency_key, if_match, read, reply, resource
from casebase.serve.desks.contents import ContentKind
from casebase.serve.desks.desk import Desk, Outcome
from casebase.serve.problems import Pointed, Problem
from casebase.serve.web import shelf_of

if TYPE_CHECKING:
    from casebase.hyphenation.hyphenator import Hyphenator
    from casebase.tagging.tagger import Tagger

MOST_WORDS = 100_000  # of one request
Given = Mapping[str, Any]
Answer = Callable[[Any, Given], dict[str, Any]]
Learn = Callable[[Desk, Given, dict[str, Any]], Outcome]


def routes() -> list[Route]:
    return [
        resource("/v1/taggers/{model}/tag", "tag", POST=_answering("tagger", tag, TAGGED | {"confidence": flag})),
        resource(
            "/v1/taggers/{model}/explain", "explain_tags", POST=_answering("tagger", explain_tags, TAGGED | LIMIT)
        ),
        resource("/v1/taggers/{model}/learn", "learn", POST=_learning("tagger", learn, {"sentences": _sentences})),
        resource(
            "/v1/hyphenators/{model}/hyphenate",
            "hyphenate",
            POST=_answering("hyphenator", hyphenate, {"words": _words, "text": any_text, "hyphen": any_text}),
        ),
        resource(
            "/v1/hyphenators/{model}/explain",
            "explain_hyphens",
            POST=_answering("hyphenator", explain_hyphens, {"words": _words} | LIMIT),
        ),
        resource(
            "/v1/hyphenators/{model}/correct",
            "correct",
            POST=_learning("hyphenator", correct_words, {"words": _words, "hyphen": text}),
        ),
    ]


def _desk(request: Request, kind: ContentKind) -> Desk:
    desk = shelf_of(request).desk(request.path_params["model"])
    if desk.kind != kind:
        place = "models" if desk.kind == "model" else f"{desk.kind}s"
        raise NotFoundError(f"{desk.name} is no {kind}: its addresses begin with /v1/{place}/{desk.name}/.")
    return desk


def _answering(kind: ContentKind, answer: Answer, options: Mapping[str, Check]) -> Verb:
    async def endpoint(request: Request) -> Response:
        desk = _desk(request, kind)
        snapshot = desk.snapshot
        given = checked(await json_object(request), options)
        found = await run_in_threadpool(answer, snapshot.saved, given)
        metrics_of(request).add("cases", desk.name, len(next(iter(found.values()))))
        return reply({"version": snapshot.version} | found, snapshot.version)

    return read(endpoint)


def _learning(kind: ContentKind, learn: Learn, options: Mapping[str, Check]) -> Verb:
    async def endpoint(request: Request) -> Response:
        desk = _desk(request, kind)
        given = checked(await json_object(request), AUTHOR | dict(options))
        kept = {
            "author": author_of(given),
            "if_match": if_match(request, desk.snapshot.version),
            "key": idempotency_key(request),
        }
        outcome = await run_in_threadpool(learn, desk, given, kept)
        if not outcome.is_repeated:
            metrics_of(request).add("corrections", desk.name)
        return reply(outcome_record(outcome), outcome.after)

    return correct(endpoint)


def _words(value: Any) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise WrongField("a list of words")
    if len(value) > MOST_WORDS:
        raise Problem(413, f"A request has at most {MOST_WORDS:,} words; got {len(value):,}.")
    return value


def _sentences(value: Any) -> list[Any]:
    """Check sentences: lists of words, or of lists with a word and further columns."""
    is_right = isinstance(value, list) and all(
        isinstance(sentence, list) and sentence and all(_is_token(token) for token in sentence) for sentence in value
    )
    if not is_right or not value:
        raise WrongField('sentences as lists of words, such as [["The", "cat"]]')
    if sum(map(len, value)) > MOST_WORDS:
        raise Problem(413, f"A request has at most {MOST_WORDS:,} words.")
    found: list[Any] = value
    return found


def _is_token(token: Any) -> bool:
    if isinstance(token, str):
        return bool(token)
    return isinstance(token, list) and bool(token) and all(isinstance(part, str) and part for part in token)


TAGGED: dict[str, Check] = {"sentences": _sentences, "text": text}
LIMIT: dict[str, Check] = {"limit": whole(1, 100)}


def _asked(tagger: "Tagger", given: Given) -> list[Any]:
    """Return the sentences of a request; a text is split like the training corpus of the tagger was."""
    if ("text" in given) == ("sentences" in given):
        raise Problem(422, "Give sentences or a text.", errors=[Pointed("/sentences", "Expected a list of sentences.")])
    if "sentences" in given:
        return [[tuple(one) if isinstance(one, list) else one for one in sentence] for sentence in given["sentences"]]
    tokens_of = import_module("casebase.tagging.tokens").tokens_of  # imported when somebody tags
    found = [one for line in given["text"].splitlines() for one in tokens_of(line, tagger.abbreviations_)]
    if sum(map(len, found)) > MOST_WORDS:
        raise Problem(413, f"A request has at most {MOST_WORDS:,} words.")
    return found


def tag(tagger: "Tagger", given: Given) -> dict[str, Any]:
    """Return the words of each sentence with their tags."""
    sentences = _asked(tagger, given)
    words = [[one if isinstance(one, str) else one[0] for one in sentence] for sentence in sentences]
    if not given.get("confidence", False):
        tags = tagger.tag_many(sentences)
        return {"sentences": [[{"word": w, "tag": t} for w, t in zip(*pair)] for pair in zip(words, tags)]}
    sure = tagger.tag_many(sentences, confidence=True)
    return {
        "sentences": [
            [{"word": word, "tag": one, "confidence": confidence} for word, (one, confidence) in zip(*pair)]
            for pair in zip(words, sure)
        ]
    }


def explain_tags(tagger: "Tagger", given: Given) -> dict[str, Any]:
    """Return the evidence for each tag."""
    sentences = _asked(tagger, given)
    if sum(map(len, sentences)) > 1_000:
        raise Problem(413, "A request for evidence has at most 1,000 words.")
    limit = given.get("limit", 5)
    return {"sentences": [[one.to_dict() for one in tagger.explain(sentence, limit)] for sentence in sentences]}


def learn(desk: Desk, given: Given, kept: dict[str, Any]) -> Outcome:
    """Let a tagger learn sentences with their tags."""
    if "sentences" not in given or not all(
        isinstance(one, list) for sentence in given["sentences"] for one in sentence
    ):
        expected = 'Expected sentences with tags: {"sentences": [[["The", "DT"], ["cat", "NN"]]]}.'
        raise Problem(422, expected, errors=[Pointed("/sentences", expected)])
    return desk.learn([[tuple(one) for one in sentence] for sentence in given["sentences"]], **kept)


def hyphenate(hyphenator: "Hyphenator", given: Given) -> dict[str, Any]:
    """Return words or a text with hyphens."""
    if ("text" in given) == ("words" in given):
        raise Problem(422, "Give words or a text.", errors=[Pointed("/words", "Expected a list of words.")])
    hyphen = given.get("hyphen", "-")
    if "text" in given:
        return {"text": hyphenator.hyphenate_text(given["text"], hyphen)}
    words = given["words"]
    found = zip(words, hyphenator.hyphenate_many(words, hyphen), hyphenator.positions_many(words))
    return {"words": [{"word": word, "hyphenated": shown, "places": at} for word, shown, at in found]}


def explain_hyphens(hyphenator: "Hyphenator", given: Given) -> dict[str, Any]:
    """Return the patterns that decided at each place of each word."""
    if "words" not in given:
        raise Problem(422, "Expected words.", errors=[Pointed("/words", "Expected a list of words.")])
    return {"words": [hyphenator.explain(word, given.get("limit", 5)).to_dict() for word in given["words"][:1_000]]}


def correct_words(desk: Desk, given: Given, kept: dict[str, Any]) -> Outcome:
    """Teach a hyphenator words with their hyphens."""
    if "words" not in given:
        raise Problem(422, "Expected words.", errors=[Pointed("/words", "Expected words such as hy-phen-ate.")])
    return desk.correct(given["words"], hyphen=given.get("hyphen", "-"), **kept)
