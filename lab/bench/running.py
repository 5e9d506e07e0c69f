"""The runner: it runs one part after the other and writes the report after each."""

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from casebase.errors import MissingPlotExtraError
from lab.bench import plots, rendering, stored
from lab.bench.report import Curve, Row
from lab.bench.sizes import Sizes
from lab.bench.stored import Report

FAILED = "failed: "
Part = Callable[[Sizes], Iterable[Row | Curve]]


def run(
    parts: Mapping[str, Part],
    sizes: Sizes,
    empty: Report,
    folder: Path,
    past: list[Report],
    say: Callable[[str], None] = lambda text: print(text, file=sys.stderr),
) -> tuple[Report, str]:
    """Run the parts; return the report and its Markdown.

    A part that fails is named in the report and does not stop the others; its earlier measurements are kept.
    """
    report, text = empty, ""
    for name, part in parts.items():
        start = time.perf_counter()
        results: list[Row | Curve] = []
        reason = "a peer or its data are not on this machine"
        try:
            for result in part(sizes):
                results.append(result)
        except Exception as error:
            reason = failure(error)
        report = report.with_results(name, results)
        if not results or reason.startswith(FAILED):
            report = report.with_missing(name, reason)
        say(f"({name}: {time.perf_counter() - start:.0f} s)")
        text = _write(report, folder, past)
    return report, text


def failure(error: Exception) -> str:
    """Return the type and the first line of an error, without its traceback."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{FAILED}{type(error).__name__}: {lines[0].strip()}" if lines else f"{FAILED}{type(error).__name__}"


def has_failed(report: Report) -> bool:
    return any(reason.startswith(FAILED) for reason in (report.missing or {}).values())


def _write(report: Report, folder: Path, past: list[Report]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    picture = None
    if report.curves:
        try:
            plots.save(report.curves, folder / "growth.svg")
            picture = "growth.svg"
        except MissingPlotExtraError:
            pass  # the table says the same
    text = rendering.markdown(report, stored.changes(report, past), picture)
    stored.write(report, text, folder)
    return text
