"""The settings of a server, checked before it starts."""

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from casebase.errors import CasebaseError

Role = Literal["read", "correct", "admin"]
ROLES: tuple[Role, ...] = ("read", "correct", "admin")  # each may do what those before it may

SHORTEST_TOKEN = 16  # characters: nobody guesses it


@dataclass(frozen=True)
class Limits:
    """What a client may ask for; more is refused with 413, 429 or 503."""

    body: int = 1_000_000  # bytes of a request
    document: int = 32_000_000  # bytes of a document that an annotation tool sends
    upload: int = 1_000_000_000  # bytes of a table or a model that is uploaded; it goes to the disk
    stream: int = 10_000_000_000  # bytes of a stream of cases, which is never held as a whole
    cases: int = 10_000  # cases of one JSON request
    body_of_strangers: int = 4_000  # bytes that somebody without a token may send, to give one
    strangers: int = 8  # such requests at the same time
    seconds_of_strangers: float = 5.0
    requests: int = 64  # requests at the same time
    per_second: float = 20_000.0  # requests per second of one client, on average
    burst: int = 20_000  # requests that may come at once
    seconds: float = 60.0  # time for one request; longer work is a job
    jobs: int = 8  # jobs that wait


@dataclass(frozen=True)
class Config:
    """Where a server listens, whom it serves, and what it allows."""

    host: str = "127.0.0.1"
    port: int = 8765
    tokens: Mapping[str, Role] = field(default_factory=dict)  # what programs send as Bearer
    needs_token: bool = True
    allowed_hosts: tuple[str, ...] = ()
    cors: tuple[str, ...] = ()  # other origins whose pages may ask
    timbl_port: int | None = None  # where clients of timblserver ask; on this machine only
    hidden: tuple[Path, ...] = ()  # files that are never served, even in a folder that is: the tokens
    folder: Path | None = None  # where uploads and new models are kept; without one nothing can be uploaded
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise CasebaseError(f"A port is a number from 0 to 65535; got {self.port}.")
        if not self.is_loopback and not (self.needs_token and self.tokens):
            raise CasebaseError(
                f"{self.host} can be reached from other machines, so tokens are needed: give a file of them with "
                "--tokens, and leave --no-token out. See 'Deploy a server' in the manual."
            )
        for token, role in self.tokens.items():
            if role not in ROLES:
                raise CasebaseError(f"Expected a role: {', '.join(ROLES)}; got {role!r}.")
            if len(token) < SHORTEST_TOKEN:
                raise CasebaseError(
                    f"The token of the role {role} has {len(token)} characters; the least is {SHORTEST_TOKEN}."
                )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The names by which a browser may ask for the server; others may be an attack by DNS rebinding."""
        own = {"localhost", "127.0.0.1", "[::1]", self.host.lower(), f"[{self.host.lower()}]"}
        return frozenset(own | {name.lower() for name in self.allowed_hosts})


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def read_tokens(path: Path) -> dict[str, Role]:
    """Return the tokens of a file with a role and a token on each line; lines with # are comments."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CasebaseError(f"Cannot read the tokens in {path}: {error}.") from error
    tokens: dict[str, Role] = {}
    for n, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or words[0] not in ROLES:
            raise CasebaseError(f"{path}, line {n}: expected a role ({', '.join(ROLES)}) and a token.")
        if words[1] in tokens:
            raise CasebaseError(f"{path}, line {n}: this token is given twice.")
        if len(words[1]) < SHORTEST_TOKEN:
            raise CasebaseError(f"{path}, line {n}: a token has at least {SHORTEST_TOKEN} characters.")
        tokens[words[1]] = ROLES[ROLES.index(words[0])]
    if not tokens:
        raise CasebaseError(f"{path} has no token. A line is a role and a token, such as 'read f3…'.")
    return tokens
