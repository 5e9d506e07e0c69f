"""The lock on a model file that a command replaces, from before it reads the file until it ends."""

import os
from importlib import import_module
from pathlib import Path

import click

from casebase.base.files import remove_leftovers
from casebase.base.lock import JOURNAL, FileLock, lock_file
from casebase.errors import CasebaseError

PATIENCE = 5.0  # seconds that a command waits for another one


def hold(path: str) -> None:
    """Take the lock on a model file for the rest of the command; an error if a server or another command keeps it.

    Corrections that a server confirmed and could not write to the file, because it was killed, are written first.
    """
    context = click.get_current_context()
    context.with_resource(_locked(path, context.command_path))


def _locked(path: str, what: str) -> FileLock:
    lock = lock_file(path, what, seconds=PATIENCE)
    try:
        if os.path.exists(f"{lock.path}{JOURNAL}"):
            lock.release()
            _recover(lock.path)
            return _locked(path, what)
        remove_leftovers(lock.path)
    except BaseException:
        lock.release()
        raise
    return lock


def _recover(path: Path) -> None:
    """Write the journal of a model file to the file."""
    if not path.exists():
        raise CasebaseError(f"{path}{JOURNAL} has corrections of {path}, which is gone. Move the journal away first.")
    import_module("casebase.serve.desks.desk").Desk.open(path, name="model", idle=None).close()
