"""The pages of jobs: states, progress, stopping, and events for whoever follows one."""

import json
import threading
import time
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError
from casebase.serve.jobs import Job, Jobs
from casebase.serve.pages.jobs import follow
from tests.serve.serving import TOKENS, client

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(1)>{{7*7}}\n\u202e'


def jobs_of(asking: Any) -> Jobs:
    jobs: Jobs = asking.app.app.state.jobs
    return jobs


def wait(job: Job) -> None:
    end = time.monotonic() + 10
    while not job.is_ended and time.monotonic() < end:
        job.wait_for_change(0.1)
    assert job.is_ended


def test_a_job_has_a_page_from_start_to_end() -> None:
    go = threading.Event()

    def work(job: Job) -> str:
        job(3, 10)
        job.note("three of ten")
        assert go.wait(10)
        return "all"

    with client() as asking:
        assert asking.get("/jobs.json").json() == {"jobs": []}
        job = jobs_of(asking).start("test", HOSTILE, work)
        while job.note_text == "":
            job.wait_for_change(0.1)
        facts = asking.get(f"/jobs/{job.id}.json").json()["job"]
        assert (facts["state"], facts["done"], facts["total"], facts["note"]) == ("running", 3, 10, "three of ten")
        page = asking.get(f"/jobs/{job.id}").text
        assert f'data-job="/jobs/{job.id}/events"' in page
        assert 'value="3"' in page
        job.place = "/m/nouns"
        go.set()
        wait(job)
        assert '<a href="/m/nouns">See the result</a>' in asking.get(f"/jobs/{job.id}").text
        for place in (f"/jobs/{job.id}", "/jobs"):
            text = asking.get(place).text
            assert "<script>alert" not in text
            assert "<img" not in text
            assert "49" not in text
        assert asking.get("/jobs.json").json()["jobs"][0]["state"] == "done"


def test_events_tell_each_state_and_end_with_the_job() -> None:
    go = threading.Event()

    def work(job: Job) -> None:
        job(1, 2)
        go.wait(10)
        raise CasebaseError("No such luck.")

    with client() as asking:
        job = jobs_of(asking).start("test", "A test", work)
        threading.Timer(0.5, go.set).start()
        response = asking.get(f"/jobs/{job.id}/events")
        assert response.headers["content-type"].startswith("text/event-stream")
        told = [json.loads(line[6:]) for line in response.text.split("\n") if line.startswith("data: ")]
        assert (told[0]["state"], told[0]["done"]) == ("running", 1)
        assert (told[-1]["state"], told[-1]["error"]) == ("failed", "No such luck.")
        assert "No such luck." in asking.get(f"/jobs/{job.id}").text


def test_a_job_is_stopped_at_its_next_report() -> None:
    begun = threading.Event()

    def work(job: Job) -> None:
        begun.set()
        for i in range(10_000):
            job(i, 10_000)
            time.sleep(0.01)

    with client() as asking:
        job = jobs_of(asking).start("test", "A test", work)
        assert begun.wait(10)
        assert asking.post(f"/jobs/{job.id}/cancel", follow_redirects=False).headers["location"] == f"/jobs/{job.id}"
        wait(job)
        assert job.state == "cancelled"
        assert "Stopped after" in asking.get(f"/jobs/{job.id}").text


def test_short_work_leads_to_its_result_at_once() -> None:
    with client() as asking:
        short = jobs_of(asking).start("test", "short", lambda job: None)
        assert follow(short, "/m/x/errors").headers["location"] == "/m/x/errors"
        go = threading.Event()
        long = jobs_of(asking).start("test", "long", lambda job: go.wait(10))
        place = follow(long, "/m/x/errors").headers["location"]
        assert place == f"/jobs/{long.id}?followed=1"
        assert long.place == "/m/x/errors"
        assert "data-job" in asking.get(place).text
        go.set()
        wait(long)
        # Regression: a job that ended before its page was asked for led nowhere.
        assert asking.get(place, follow_redirects=False).headers["location"] == "/m/x/errors"


def test_an_unknown_job_is_not_found_and_a_reader_stops_none(tmp_path: Path) -> None:
    with client(tokens=TOKENS, needs_token=True) as asking:
        reader = {"authorization": f"Bearer {'r' * 20}"}
        assert asking.get("/jobs/99.json", headers=reader).status_code == 404
        assert asking.get("/jobs/99/events", headers=reader).status_code == 404
        assert asking.post("/jobs/99/cancel", headers=reader).status_code == 403
