"""Training on tables that are larger than memory, or on a cluster: the options, and the command's part for them."""

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from casebase.base.method import Method
from casebase.base.model import format_count
from casebase.base.settings import Settings
from casebase.cli.options import DataFile, class_and_header, column_given, refuse_given, together
from casebase.cli.output import say, say_kinds
from casebase.data.table import Table
from casebase.render.progress_bar import progress_bar

parts_options = together(
    click.option(
        "--memory",
        metavar="SIZE",
        help="Learn from DATA in parts, in about this much memory, such as 2GB: DATA may be larger. The model is the "
        "same, byte for byte. Half of the memory by default if DATA is several files. Texts that each case has of its "
        "own, in columns of ids or to keep, must fit.",
    ),
    click.option(
        "--scratch",
        metavar="DIR",
        help="Folder for the files in between. They stay if the training is interrupted, and the same command resumes "
        "it. By default they are beside MODEL and are always removed.",
    ),
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Train on a local Dask cluster of N processes (needs the extra 'scale').",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Train on the Dask cluster of this scheduler, such as tcp://host:8786; its workers must see DATA and the "
        "folder of --scratch.",
    ),
)
INTERRUPTED, TERMINATED = 130, 143  # exit codes: 128 and the number of the signal
NEED_MEMORY = ("ids", "held_out")


@dataclass(frozen=True)
class InParts:
    """What the options say about training in parts."""

    memory: str | None
    scratch: str | None
    workers: int | None
    scheduler: str | None

    def is_asked_for(self, data: Sequence[str]) -> bool:
        """Return whether a table is read in parts: by an option, or because it is several files."""
        return any(option is not None for option in vars(self).values()) or len(data) > 1 or has_magic(data[0])

    def train(
        self,
        data: Sequence[str],
        output: str,
        method: Method,
        settings: Settings,
        file: DataFile,
    ) -> None:
        """Train a model in parts and save it."""
        from casebase.scale import Resources, memory_of, train  # the stages are not needed for a small table

        refuse_given(NEED_MEMORY, "needs the whole table in memory: leave out --memory, or this option.")
        if self.workers is not None and self.scheduler is not None:
            raise click.UsageError(
                "--workers starts a local cluster, --scheduler names a running one: give one of them."
            )
        start = time.perf_counter()
        resources = Resources(
            memory_of(self.memory),
            None if self.scratch is None else Path(self.scratch),
            file.n_threads,
            self.workers,
            self.scheduler,
        )
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

        with self._ends_orderly(), progress_bar(method.name) as progress:
            trained = train(
                list(data) if len(data) > 1 else data[0],
                output,
                method,
                settings,
                resources,
                roles=roles,
                estimator=own,
                progress=progress,
                **(file.options | {"target": column_given(file.options["target"])}),
            )
        say_kinds(trained.schema)
        say(
            f"{method.name}: {format_count(trained.n_cases, 'case')}, {format_count(trained.n_features, 'feature')}, "
            f"{format_count(trained.n_classes, 'class')}; {class_and_header(trained.table)}; "
            f"{trained.size}; {time.perf_counter() - start:.2f} s. Saved to {output}."
        )

    @contextmanager
    def _ends_orderly(self) -> Iterator[None]:
        """End a training that is interrupted or terminated like one with an error: with its files removed, or kept."""

        def terminate(*_: object) -> None:
            sys.exit(TERMINATED)

        before = signal.signal(signal.SIGTERM, terminate)
        try:
            yield
        except (KeyboardInterrupt, SystemExit) as stop:
            if self.scratch is None:
                raise
            say(f"Interrupted: the same command resumes the training, whose files are in {self.scratch}.")
            code = INTERRUPTED if isinstance(stop, KeyboardInterrupt) else stop.code
            sys.exit(code)
        finally:
            signal.signal(signal.SIGTERM, before)
