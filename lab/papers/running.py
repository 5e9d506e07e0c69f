"""Experiments as data, and the one loop that runs them.

An experiment is a number of runs, each of which gives numbers by key, and a summary of these runs. So it can be stopped
at any time: the summary then covers the completed runs.
"""

import platform
import signal
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sklearn

from casebase import __version__
from casebase.datasets import DataNotFoundError, MissingExtraError
from casebase.progress import Progress
from lab.papers.records import OUTSIDE, PEER_OUTSIDE, Measured, PaperReport, Part, Reproduction, Row
from lab.peers.programs import PeerError

NOT_KNOWN = "the reason is not known"
CHANCE = "chance may be the reason: the 95 % interval of the mean here reaches into the paper's"
Results = Mapping[Any, Measured]
Reasons = Mapping[str | tuple[str, str], str]


@dataclass(frozen=True)
class Experiment:
    """A repeated measurement.

    `run(i)` does run number `i`, from 0, and returns numbers by key, the same keys in every run; its randomness
    depends only on the seed and `i`, so that runs are independent. `summary` turns the numbers of each key into rows,
    claims and figures. A data set may turn out to be missing in any run: `run` lets the error of the loader pass, and
    the report then has the `printed` rows, with the paper's figures alone.
    """

    name: str
    data: str
    n_runs: int
    run: Callable[[int], Mapping[Any, float]]
    summary: Callable[[Results], Part]
    printed: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper whose experiments can be repeated.

    `experiments(seed, quick, n_runs)` lists them; `n_runs` is the number of runs that the user set, or None.
    `overall` may summarise all of them together. `reasons` says why figures are outside and why claims do not hold,
    as far as this is known: by data and method, by one of them, or by the first words of the claim.
    """

    name: str
    title: str
    about: str
    experiments: Callable[[int, bool, int | None], Sequence[Experiment]]
    overall: Callable[[Sequence[Part]], Part] | None = None
    reasons: Reasons = field(default_factory=dict)


def reproduce(
    papers: Sequence[Paper],
    *,
    seed: int = 0,
    quick: bool = False,
    n_runs: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Return the rows, claims and figures of some papers.

    `progress` is called after each run. Ctrl-C ends the work; the results so far are returned, marked as interrupted.
    """
    n_done, n_runs_of_all = 0, count_runs(papers, quick=quick, n_runs=n_runs)

    def advance(n: int) -> None:
        nonlocal n_done
        n_done += n
        if progress:
            progress(n_done, n_runs_of_all)

    reports: list[PaperReport] = []
    with _Stop() as stop:
        for paper in papers:
            parts = []
            for experiment in paper.experiments(seed, quick, n_runs):
                parts.append(_part(experiment, stop, advance))
                if stop.pressed:
                    break
            if paper.overall is not None and not stop.pressed:
                parts.append(paper.overall(parts))
            with_notes = tuple(with_reasons(part, paper.reasons) for part in parts)
            reports.append(PaperReport(paper.name, paper.title, paper.about, with_notes, interrupted=stop.pressed))
            if stop.pressed:
                break
    return Reproduction(tuple(reports), seed, quick, _versions())


def count_runs(papers: Sequence[Paper], *, quick: bool = False, n_runs: int | None = None) -> int:
    """Return how many runs there are in all."""
    return sum(experiment.n_runs for paper in papers for experiment in paper.experiments(0, quick, n_runs))


def _part(experiment: Experiment, stop: "_Stop", advance: Callable[[int], object]) -> Part:
    """Run an experiment to its end or until Ctrl-C, and return its summary."""
    measured: dict[Hashable, list[float]] = {}
    failures: tuple[str, ...] = ()
    for i in range(experiment.n_runs):
        try:
            with stop.at_once(), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The search was interrupted")  # the report says so
                results = experiment.run(i)
        except (DataNotFoundError, MissingExtraError) as error:
            advance(experiment.n_runs - i)
            printed = experiment.printed or (Row(experiment.name, experiment.data, "–"),)
            notes = (str(error), *[""] * (len(printed) - 1))  # the note is on the first row only
            return Part(tuple(replace(row, missing=True, note=note) for row, note in zip(printed, notes)))
        except PeerError as error:
            advance(experiment.n_runs - i)
            failures = (f"{experiment.name}, {experiment.data}: no runs after {i}, because a peer failed. {error}",)
            break
        except KeyboardInterrupt:
            break
        if stop.pressed:  # a learner may catch Ctrl-C and return its best model so far: that is not a whole run
            break
        for key, value in results.items():
            measured.setdefault(key, []).append(float(value))
        advance(1)
    if not measured:
        return Part(notes=failures or (f"{experiment.name}: stopped before its first run was done.",))
    part = experiment.summary({key: Measured(tuple(runs)) for key, runs in measured.items()})
    return replace(part, notes=part.notes + failures)


def with_reasons(part: Part, reasons: Reasons) -> Part:
    """Return a part in which every disagreement has its reason, or says that it is not known."""

    def reason(*keys: Any, otherwise: str = NOT_KNOWN) -> str:
        return next((reasons[key] for key in keys if key in reasons), otherwise)

    def add_reason(row: Row) -> Row:
        why = reason((row.data, row.method), row.data, row.method, otherwise=CHANCE if row.is_near else NOT_KNOWN)
        ends = row.note.endswith(".")
        return replace(row, note=f"{row.note} {_sentence(why)}" if ends else "; ".join(filter(None, [row.note, why])))

    rows = tuple(add_reason(row) if row.verdict in (OUTSIDE, PEER_OUTSIDE) else row for row in part.rows)
    beginnings = [key for key in reasons if isinstance(key, str)]
    claims = tuple(
        replace(one, note=_sentence(reason(*filter(one.claim.startswith, beginnings))))
        if one.holds is False and not one.note
        else one
        for one in part.claims
    )
    return replace(part, rows=rows, claims=claims)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}" + "." * (not words.endswith("."))


class _Stop:
    """Whether Ctrl-C was pressed: it interrupts a run; between runs it stops before the next one.

    A second Ctrl-C interrupts at once.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._is_in_run = False
        self._before: Any = None

    def __enter__(self) -> "_Stop":
        if threading.current_thread() is threading.main_thread():  # only the main thread may set signal handlers
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        self._is_in_run = True
        try:
            yield
        finally:
            self._is_in_run = False

    def _press(self, number: int, frame: Any) -> None:
        again, self.pressed = self.pressed, True
        if again or self._is_in_run:
            raise KeyboardInterrupt


def _versions() -> dict[str, str]:
    return {
        "casebase": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
