"""What the service counts, in the text format of Prometheus."""

from collections import defaultdict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from casebase.serve.api.resources import read, resource
from casebase.serve.web import jobs_of, shelf_of

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
COUNTED = {
    "cases": "Cases that were answered.",
    "corrections": "Corrections that were confirmed.",
    "unseen_values": "Values in questions that no stored case has.",
    "abstentions": "Questions that were answered with no class.",
}


class Metrics:
    """Counters of one server; only its event loop counts, so they need no lock."""

    def __init__(self) -> None:
        self.requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.within: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.totals: defaultdict[tuple[str, str], int] = defaultdict(int)

    def count(self, name: str, status: int, seconds: float) -> None:
        """Count a request, and how long it took."""
        self.requests[name, status] += 1
        self.seconds[name] += seconds
        place = 0
        for bound in BOUNDS:
            if seconds <= bound:
                break
            place += 1
        self.within[name][place] += 1

    def add(self, what: str, model: str, n: int = 1) -> None:
        """Add to one of the totals of a model."""
        if n:
            self.totals[what, model] += n

    def text(self) -> str:
        """Return all counters."""
        lines = ["# HELP casebase_requests_total Requests to the service.", "# TYPE casebase_requests_total counter"]
        for (name, status), n in sorted(self.requests.items()):
            lines.append(f'casebase_requests_total{{resource="{name}",status="{status}"}} {n}')
        lines += ["# HELP casebase_request_seconds Time of requests.", "# TYPE casebase_request_seconds histogram"]
        for name, counts in sorted(self.within.items()):
            n_within = 0
            for bound, n in zip((*map(str, BOUNDS), "+Inf"), counts):
                n_within += n
                lines.append(f'casebase_request_seconds_bucket{{resource="{name}",le="{bound}"}} {n_within}')
            lines.append(f'casebase_request_seconds_sum{{resource="{name}"}} {self.seconds[name]:.6f}')
            lines.append(f'casebase_request_seconds_count{{resource="{name}"}} {n_within}')
        for what, help_text in COUNTED.items():
            total = f"casebase_{what}_total"
            lines += [f"# HELP {total} {help_text}", f"# TYPE {total} counter"]
            found = sorted((model, n) for (counted, model), n in self.totals.items() if counted == what)
            lines += [f'{total}{{model="{model}"}} {n}' for model, n in found]
        return "\n".join(lines) + "\n"


def metrics_of(request: Request) -> Metrics:
    """Return the counters of the server."""
    metrics: Metrics = request.app.state.metrics
    return metrics


def routes() -> list[Route]:
    return [resource("/metrics", "metrics", GET=read(show))]


async def show(request: Request) -> Response:
    """Return all counters, and the number of models and of jobs by state."""
    shelf, jobs = shelf_of(request), jobs_of(request)
    states = [job.state for job in jobs.known.values()]
    gauges = [
        "# HELP casebase_models Models that are served.",
        "# TYPE casebase_models gauge",
        f"casebase_models {len(shelf.desks)}",
        "# HELP casebase_jobs Jobs that wait or run.",
        "# TYPE casebase_jobs gauge",
        *(f'casebase_jobs{{state="{state}"}} {states.count(state)}' for state in ("waiting", "running")),
    ]
    return Response(metrics_of(request).text() + "\n".join(gauges) + "\n", media_type=MEDIA_TYPE)
