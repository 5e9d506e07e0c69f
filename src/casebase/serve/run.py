"""Start a server: the shelf is opened, the port bound, the address printed, the browser opened."""

import contextlib
import gc
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import uvicorn

from casebase.base.model import format_count
from casebase.errors import CasebaseError
from casebase.serve.app import make_app
from casebase.serve.config import Config
from casebase.serve.protocol import Protocol
from casebase.serve.security import TICKET, Doors
from casebase.serve.shelf import Shelf

BACKLOG = 2048
MOST_CONNECTIONS = 2_000
SECONDS_TO_END = 3  # for requests that still run when the server is stopped: a page that follows a job never ends


def serve(
    paths: Sequence[str], config: Config, *, read_only: bool, opens_browser: bool, say: Callable[[str], object]
) -> None:
    """Serve models and tables until somebody stops the server; `say` prints what a person should know."""
    shelf = Shelf(config.folder, read_only=read_only, hidden=config.hidden)
    try:
        shelf.add(_with_folder(paths, config.folder))
        listening = bound(config)
        config = replace(config, port=listening.getsockname()[1])
        doors = Doors(config)
        address = f"http://{_named(config)}:{config.port}/"
        shelf.announce(address)
        ticket = f"?{TICKET}={doors.new_ticket()}" if config.needs_token else ""
        counts = f"{format_count(len(shelf.desks), 'model')} and {format_count(len(shelf.tables), 'table')}"
        say(f"casebase serves {counts}.")
        say(f"Open {address}{ticket}")
        if ticket:
            say("The address works once, and then in that browser. Programs send a token: --tokens FILE.")
        say("Ctrl-C stops the server.")
        if opens_browser:
            webbrowser.open(f"{address}{ticket}")
        gc.freeze()  # what is loaded stays: the collector need not look at it again, while requests wait
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn has ended orderly, and raises it again
            _server(shelf, config, doors).run(sockets=[listening])
        say("Stopped. Corrections are saved.")
    finally:
        shelf.close()


@contextlib.contextmanager
def running(shelf: Shelf, config: Config) -> Iterator[str]:
    """Serve in a thread for the time of a `with` block; yields the address."""
    listening = bound(config)
    address = f"http://{_named(config)}:{listening.getsockname()[1]}"
    shelf.announce(address)
    server = _server(shelf, config, Doors(config))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.should_exit = True
        thread.join()


def _server(shelf: Shelf, config: Config, doors: Doors) -> uvicorn.Server:
    settings = uvicorn.Config(
        make_app(shelf, config, doors),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        http=Protocol,
        ws="none",
        loop="asyncio",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    return uvicorn.Server(settings)


def _with_folder(paths: Sequence[str], folder: Path | None) -> list[Path]:
    """Return what is served: the paths, and the folder for new files, in which earlier ones are."""
    given = [Path(path) for path in paths]
    if folder is None or folder.resolve() in [path.resolve() for path in given]:
        return given
    return [*given, folder]


def bound(config: Config) -> socket.socket:
    """Return a socket that listens; an error says who has the port."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # With the protocol, asyncio turns Nagle's algorithm off, which would hold an answer back for 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
    except OSError as error:
        listening.close()
        raise CasebaseError(
            f"Cannot listen on {config.host}, port {config.port}: {error.strerror or error}. Another server may run "
            "there; choose another port with --port, or 0 for any that is free."
        ) from error
    listening.listen(BACKLOG)
    return listening


def _named(config: Config) -> str:
    """Return the host as an address in a browser has it."""
    if config.host in ("0.0.0.0", "::"):
        return socket.gethostname() if config.allowed_hosts == () else config.allowed_hosts[0]
    return f"[{config.host}]" if ":" in config.host else config.host
