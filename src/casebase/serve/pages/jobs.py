"""Jobs: long work with its progress, a way to stop it, and the page of its result."""

import asyncio
import time
from collections.abc import AsyncIterator

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from casebase.serve.jobs import Job
from casebase.serve.problems import Problem
from casebase.serve.security import needs
from casebase.serve.web import Page, action, jobs_of, json_bytes, page, quoted, see

SECONDS_WAITED = 0.8  # for the end of a job: short work leads to its result at once
SECONDS_BETWEEN = 0.2  # two looks at a job that somebody follows
FOLLOWED = "followed"  # in the address of a job's page: by somebody who waits for the result
SECONDS_SILENT = 15.0  # after which a proxy may take a connection for dead


def routes() -> list[Route]:
    return [
        *page("/jobs", jobs),
        Route("/jobs/{id}/events", events),
        *page("/jobs/{id}", job),
        *action("/jobs/{id}/cancel", cancel),
    ]


def jobs(request: Request) -> Page:
    """Show all jobs that the server remembers, newest first."""
    known = list(jobs_of(request).known.values())
    return Page("jobs.html", "Jobs", {"jobs": [state_of(one) for one in reversed(known)]})


def job(request: Request) -> Page | Response:
    """Show how far a job is, or what came of it; who follows a job that is done is led to its result."""
    found = jobs_of(request).job(request.path_params["id"])
    if FOLLOWED in request.query_params and found.state == "done" and found.place:
        return see(found.place)
    return Page("job.html", found.title, {"job": state_of(found) | {"is_ended": found.is_ended}}, found.command)


def cancel(request: Request, form: FormData) -> Response:
    """Stop a job."""
    found = jobs_of(request).job(request.path_params["id"])
    found.cancel()
    return see(place_of(found))


async def events(request: Request) -> Response:
    """Follow a job: its state now and after each change, as server-sent events."""
    try:
        needs("read", request.scope)
    except Problem as problem:
        return problem.response()
    found = jobs_of(request).known.get(request.path_params["id"])
    if found is None:
        return Problem(404, "There is no such job: it may have ended long ago.").response()
    return StreamingResponse(event_stream(found), media_type="text/event-stream")


async def event_stream(job: Job) -> AsyncIterator[bytes]:
    """Yield the state of a job whenever it has changed, until it ends."""
    last, sent = b"", time.monotonic()
    while True:
        is_ended = job.is_ended  # looked up first, so that the state of the end is sent
        state = json_bytes(state_of(job))
        if state != last:
            last, sent = state, time.monotonic()
            yield b"data: " + state + b"\n\n"
        elif time.monotonic() - sent > SECONDS_SILENT:
            sent = time.monotonic()
            yield b": still here\n\n"
        if is_ended:
            return
        await asyncio.sleep(SECONDS_BETWEEN)


def state_of(job: Job) -> dict[str, object]:
    """Return a job without its result, which has a page of its own and may be large."""
    return {name: value for name, value in job.to_dict().items() if name != "result"}


def place_of(job: Job) -> str:
    """Return the address of a job's page."""
    return f"/jobs/{quoted(job.id)}"


def followed(job: Job) -> str:
    """Return the address of a job's page for somebody who waits for the result, and is led to it when it is there."""
    return f"{place_of(job)}?{FOLLOWED}=1"


def follow(job: Job, place: str) -> Response:
    """Lead to the page of a job's result: at once if the job ends soon, else by way of the job's own page."""
    job.place = job.place or place  # the job may know better
    end = time.monotonic() + SECONDS_WAITED
    while not job.is_ended and time.monotonic() < end:
        job.wait_for_change(end - time.monotonic())
    return see(job.place if job.state == "done" else followed(job))
