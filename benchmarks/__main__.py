"""Run the benchmarks and write a Markdown table; results below their target stay in it."""

import argparse
import json
import os
import platform
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np
import sklearn

import casebase
from benchmarks.measures import BENCHMARKS, measured
from benchmarks.report import HAS_TIMBL, Row

RESULTS = Path(__file__).parent / "results"


def machine() -> str:
    """Return the processor's name and the versions that were measured."""
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        name = models[0] if models else name
    peer = "no TiMBL"
    if HAS_TIMBL:
        ran = subprocess.run(["timbl", "-V"], capture_output=True, text=True)
        peer = (ran.stdout + ran.stderr).split("(")[0].strip()
    return (
        f"{name}, {os.cpu_count()} cores; Python {platform.python_version()}, numpy {np.__version__}, "
        f"casebase {casebase.__version__}, {peer}, scikit-learn {sklearn.__version__}"
    )


def table(rows: list[Row]) -> str:
    lines = ["| work | casebase | peer | ratio | asked | |", "|---|---|---|---|---|---|"]
    for row in rows:
        asked = f"≤ {row.target:g}" if row.is_cost else f"≥ {row.target:g}"
        verdict = "" if row.is_met else "**below target**"
        lines.append(f"| {row.work} | {row.ours} | {row.peer} | {row.ratio:.3g} | {asked} | {verdict} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help=f"run a part: {', '.join(BENCHMARKS)} (several joined by commas)")
    chosen = parser.parse_args().only
    names = chosen.split(",") if chosen else list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    rows = list(measured(names))
    report = (
        f"{machine()}. One thread unless said otherwise; rates include reading and writing text.\n\n{table(rows)}\n"
    )
    print(report)
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / ("-".join(names) if chosen else "all")
    stem.with_suffix(".md").write_text(report, encoding="utf-8")
    stem.with_suffix(".json").write_text(json.dumps([asdict(row) for row in rows], indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
