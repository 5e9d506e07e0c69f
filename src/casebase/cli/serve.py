"""casebase serve"""

import contextlib
import gc
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import click

from casebase.cli.output import say
from casebase.errors import MissingExtraError


@click.command("serve")
@click.argument("paths", metavar="[MODEL|TABLE|FOLDER]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=int, default=8765, show_default=True, help="Port to listen on; 0 for any that is free.")
@click.option(
    "--folder",
    metavar="FOLDER",
    help="Serve this folder, and keep uploaded tables and new models in it; without it there are none.",
)
@click.option("--read-only", is_flag=True, help="Nothing can be corrected, learned or uploaded.")
@click.option(
    "--tokens",
    "tokens_file",
    metavar="FILE",
    help="Tokens of programs: a role (read, correct, admin) and a token on each line.",
)
@click.option(
    "--no-token", is_flag=True, help="Everybody on this machine may do everything; only with a loopback address."
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name of this server, such as that of a proxy. Repeatable.",
)
@click.option(
    "--cors",
    multiple=True,
    metavar="ORIGIN",
    help="Pages of this origin may ask, such as https://example.org. Repeatable.",
)
@click.option(
    "--timbl-port",
    type=int,
    metavar="PORT",
    help="Answer clients of timblserver on this port too; on this machine only.",
)
@click.option("--demo", is_flag=True, help="Serve a demonstration: two tables and two models, kept in --folder.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
def command(
    paths: tuple[str, ...],
    host: str,
    port: int,
    folder: str | None,
    read_only: bool,
    tokens_file: str | None,
    no_token: bool,
    hosts: tuple[str, ...],
    cors: tuple[str, ...],
    timbl_port: int | None,
    demo: bool,
    no_browser: bool,
) -> None:
    """Serve models and tables as web pages, and to programs.

    The page opens in a browser: look at a table, learn from it, ask, see why, correct. Programs use the same server
    under /v1. Only this machine can reach it, unless --host says otherwise.

    \b
    Examples:  casebase serve --demo
               casebase serve nouns.cb
               casebase serve titanic.csv --folder work
               casebase serve models/ --host 0.0.0.0 --allow-host casebase.example.org --tokens tokens.txt
    """
    if not paths and folder is None and not demo:
        raise click.UsageError(
            "There is nothing to serve. Give a MODEL, a TABLE or a FOLDER, or --demo for a first look."
        )
    try:
        with _no_collection():
            config_of = import_module("casebase.serve.config")
            run = import_module("casebase.serve.run")
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"The server needs {error.name}, which is not installed. Install it with: pip install 'casebase[serve]'"
        ) from error
    config = config_of.Config(
        host=host,
        port=port,
        tokens={} if tokens_file is None else config_of.read_tokens(Path(tokens_file)),
        needs_token=not no_token,
        allowed_hosts=hosts,
        cors=cors,
        timbl_port=timbl_port,
        hidden=() if tokens_file is None else (Path(tokens_file),),
        folder=None if folder is None else Path(folder),
    )
    if demo:
        home = Path(tempfile.mkdtemp(prefix="casebase-")) if config.folder is None else config.folder
        import_module("casebase.serve.demonstration").write_demonstration(home)
        config = replace(config, folder=home)
    run.serve(paths, config, read_only=read_only, opens_browser=not no_browser, say=say)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Import without the garbage collector, which finds nothing there and takes a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
