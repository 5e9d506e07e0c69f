"""The addresses at which annotation tools ask a desk, as one table for the web server.

Each handler takes the JSON of a request (an empty record for GET) and a desk, and returns the status and the JSON of
the response; None is a response without content. Errors are `CasebaseError`, as everywhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from casebase.serve.desks.desk import Desk
from casebase.serve.ports import inception, label_studio

Reply = tuple[int, dict[str, Any] | None]
Handler = Callable[[Mapping[str, Any], Desk], Reply]


@dataclass(frozen=True)
class ToolRoute:
    """One address: the method, the path with the name of a desk, the role that it needs, and what answers."""

    method: Literal["GET", "POST"]
    path: str
    role: Literal["read", "correct"]
    handler: Handler


def _train(request: Mapping[str, Any], desk: Desk) -> Reply:
    inception.train(request, desk)
    return 204, None


TOOL_ROUTES = (
    ToolRoute("POST", "/inception/{name}/predict", "read", lambda r, d: (200, inception.predict(r, d.snapshot))),
    ToolRoute("POST", "/inception/{name}/train", "correct", _train),
    ToolRoute("GET", "/labelstudio/{name}", "read", lambda r, d: (200, label_studio.health(d.snapshot))),
    ToolRoute("GET", "/labelstudio/{name}/health", "read", lambda r, d: (200, label_studio.health(d.snapshot))),
    ToolRoute("POST", "/labelstudio/{name}/setup", "read", lambda r, d: (200, label_studio.setup(r, d.snapshot))),
    ToolRoute("POST", "/labelstudio/{name}/predict", "read", lambda r, d: (200, label_studio.predict(r, d.snapshot))),
    ToolRoute("POST", "/labelstudio/{name}/webhook", "correct", lambda r, d: (201, label_studio.webhook(r, d))),
)
