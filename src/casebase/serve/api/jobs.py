"""Jobs: work that takes longer than a request; its progress as server-sent events, and a way to stop it."""

import asyncio
import time
from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from casebase.serve.api.bodies import json_object
from casebase.serve.api.fields import parameters, shown
from casebase.serve.api.resources import correct, read, reply, resource
from casebase.serve.config import Role
from casebase.serve.jobs import Job
from casebase.serve.problems import Pointed, Problem
from casebase.serve.security import needs
from casebase.serve.web import curl, jobs_of, json_bytes, quoted, shelf_of

KINDS: dict[str, Role] = {
    "train": "admin",
    "autopilot": "admin",
    "evaluate": "correct",
    "compare": "correct",
    "health": "correct",
}  # of jobs, with the role that each needs; the functions of `work` have the same names
MOST_COMMAND = 2_000  # characters of a command that is shown
SECONDS_BETWEEN = 0.1  # two looks at a job that somebody follows
SECONDS_SILENT = 15.0  # after which a proxy may take a connection for dead


def routes() -> list[Route]:
    return [
        resource("/v1/jobs", "jobs", GET=read(jobs), POST=read(start)),
        resource("/v1/jobs/{id}", "job", GET=read(job), DELETE=correct(cancel)),
        resource("/v1/jobs/{id}/events", "events", GET=read(events)),
    ]


def jobs(request: Request) -> Response:
    """Return the jobs that the server remembers, without their results."""
    parameters(request, {})
    known = [{name: one[name] for name in one if name != "result"} for one in map(record, _known(request))]
    return reply({"jobs": known})


def _known(request: Request) -> list[Job]:
    return list(jobs_of(request).known.values())


def record(job: Job) -> dict[str, Any]:
    """Return a job as JSON: its state, its progress, and its result when it is done."""
    return {name: value for name, value in job.to_dict().items() if name != "place"}


async def start(request: Request) -> Response:
    """Start a job: train, autopilot, evaluate, compare or health."""
    body = await json_object(request)
    command = curl(request, "/v1/jobs", body)
    kind = body.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        expected = f"Expected a kind of job: {', '.join(KINDS)}; got {shown(kind)}."
        raise Problem(422, expected, errors=[Pointed("/kind", expected)])
    needs(KINDS[kind], request.scope)
    # Imported for the first job: it is what learns, evaluates and compares, and a server starts faster without.
    prepare = getattr(import_module("casebase.serve.api.work"), kind)
    title, work = await run_in_threadpool(prepare, shelf_of(request), body)
    started = jobs_of(request).start(kind, title, work, command if len(command) <= MOST_COMMAND else None)
    return reply(record(started), status=202, headers={"location": f"/v1/jobs/{quoted(started.id)}"})


def job(request: Request) -> Response:
    """Return a job."""
    parameters(request, {})
    return reply(record(jobs_of(request).job(request.path_params["id"])))


def cancel(request: Request) -> Response:
    """Stop a job; it ends at its next report of progress."""
    parameters(request, {})
    found = jobs_of(request).job(request.path_params["id"])
    found.cancel()
    return reply(record(found), status=200 if found.is_ended else 202)


async def events(request: Request) -> Response:
    """Follow a job as server-sent events: its state now and after each change, until it ends."""
    parameters(request, {})
    return EventResponse(jobs_of(request).job(request.path_params["id"]))


class EventResponse(Response):
    """Server-sent events about a job."""

    media_type = "text/event-stream"

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_disconnected(receive))
        try:
            async for event in events_of(self.job):
                if gone.done():
                    return
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            gone.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def events_of(job: Job) -> AsyncIterator[bytes]:
    """Yield the state of a job whenever it has changed: events `progress`, and one `end` with the result."""
    last, sent = b"", time.monotonic()
    while True:
        is_ended = job.is_ended  # looked up first, so that the state of the end is sent
        facts = record(job)
        state = json_bytes(facts if is_ended else {name: facts[name] for name in facts if name != "result"})
        if is_ended:
            yield b"event: end\ndata: " + state + b"\n\n"
            return
        if state != last:
            last, sent = state, time.monotonic()
            yield b"event: progress\ndata: " + state + b"\n\n"
        elif time.monotonic() - sent > SECONDS_SILENT:
            sent = time.monotonic()
            yield b": still here\n\n"
        await asyncio.sleep(SECONDS_BETWEEN)
