"""Tables that are larger than memory, and clusters: the options of commands, and their part of a training."""

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from casebase.base.method import Method
from casebase.base.model import format_count
from casebase.base.settings import Settings
from casebase.cli.numbers import say_numbers
from casebase.cli.options import Command, DataFile, class_and_header, together
from casebase.cli.output import say, say_kinds
from casebase.data.table import Table
from casebase.render.progress_bar import progress_bar

if TYPE_CHECKING:
    from casebase.scale import Resources


def resource_options(memory: str, scratch: str, verb: str, must_see: str) -> Callable[[Command], Command]:
    """Return the options that say how much memory to take, where files in between go, and who works."""
    return together(
        click.option("--memory", metavar="SIZE", help=memory),
        click.option("--scratch", metavar="DIR", help=scratch),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            metavar="N",
            help=f"{verb} on a local Dask cluster of N processes (needs the extra 'scale').",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help=f"{verb} on the Dask cluster of this scheduler, such as tcp://host:8786; its workers must see "
            f"{must_see}.",
        ),
    )


def training_options(data: str, more: str = "") -> Callable[[Command], Command]:
    """Return the options of a command that learns from DATA, or what else its argument is called."""
    return resource_options(
        f"Learn from {data} in parts, in about this much memory, such as 2GB: {data} may be larger. The model is the "
        f"same, byte for byte. Half of the memory by default if {data} is several files.{more}",
        "Folder for the files in between. They stay if the training is interrupted, and the same command resumes it. "
        "By default they are beside MODEL and are always removed.",
        "Train",
        f"{data} and the folder of --scratch",
    )


parts_options = training_options(
    "DATA", " Texts that each case has of its own, in columns of ids or to keep, must fit."
)
INTERRUPTED, TERMINATED = 130, 143  # exit codes: 128 and the number of the signal


@dataclass(frozen=True)
class InParts:
    """What the options say about training in parts."""

    memory: str | None
    scratch: str | None
    workers: int | None
    scheduler: str | None

    def is_asked_for(self, *data: str) -> bool:
        """Return whether a table is read in parts: by an option, or because it is several files."""
        is_several = len(data) > 1 or any(map(has_magic, data))
        return any(option is not None for option in vars(self).values()) or is_several

    def resources(self, n_threads: int) -> "Resources":
        """Return who works, and in how much memory."""
        from casebase.scale import Resources, memory_of  # the stages are not needed for a small table

        if self.workers is not None and self.scheduler is not None:
            raise click.UsageError(
                "--workers starts a local cluster, --scheduler names a running one: give one of them."
            )
        scratch = None if self.scratch is None else Path(self.scratch)
        return Resources(memory_of(self.memory), scratch, n_threads, self.workers, self.scheduler)

    def train(
        self,
        data: Sequence[str],
        output: str,
        method: Method,
        settings: Settings,
        file: DataFile,
        *,
        ids: str | None,
        held_out: float | None,
    ) -> None:
        """Train a model in parts and save it."""
        from casebase.scale import train  # the stages are not needed for a small table

        start = time.perf_counter()
        resources = self.resources(file.n_threads)
        roles = file.roles
        # The estimator that is loaded from the file has the same kinds, so that it can learn again; some find them
        # anyway.
        plain = replace(roles, finds_kinds=False) if method.finds_kinds else roles

        def own(table: Table) -> dict[str, Any]:
            given: dict[str, Any] = {
                "kinds": plain.kinds_of(table),
                "ignore": list(file.ignore),
                "keep": list(file.keep),
                "data_file": ", ".join(Path(name).name for name in data),
            }
            return {name: value for name, value in given.items() if value}

        with self.ends_orderly(), progress_bar(method.name) as progress:
            trained = train(
                list(data) if len(data) > 1 else data[0],
                output,
                method,
                settings,
                resources,
                roles=roles,
                ids=ids,
                held_out=held_out,
                estimator=own,
                progress=progress,
                **file.reading,
            )
        say_kinds(trained.schema)
        say_numbers(trained.schema, settings)
        say(
            f"{method.name}: {format_count(trained.n_cases, 'case')}, {format_count(trained.n_features, 'feature')}, "
            f"{format_count(trained.n_classes, 'class')}; {class_and_header(trained.table)}; "
            f"{trained.size}; {time.perf_counter() - start:.2f} s. Saved to {output}."
        )

    @contextmanager
    def ends_orderly(self, resumable: str | None = "the training") -> Iterator[None]:
        """End a run that is interrupted or terminated like one with an error: with its files removed, or kept."""

        def terminate(*_: object) -> None:
            sys.exit(TERMINATED)

        before = signal.signal(signal.SIGTERM, terminate)
        try:
            yield
        except (KeyboardInterrupt, SystemExit) as stop:
            if self.scratch is None or resumable is None:
                raise
            say(f"Interrupted: the same command resumes {resumable}, whose files are in {self.scratch}.")
            code = INTERRUPTED if isinstance(stop, KeyboardInterrupt) else stop.code
            sys.exit(code)
        finally:
            signal.signal(signal.SIGTERM, before)
