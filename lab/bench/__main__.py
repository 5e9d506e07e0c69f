"""Measure casebase against its peers and write a report; results below their target are kept."""

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import numpy as np

import casebase
from casebase.base.threads import n_cores
from lab.bench import running, stored
from lab.bench.measures import BENCHMARKS
from lab.bench.sizes import FULL, SMALL
from lab.paths import BUILD
from lab.peers import weka
from lab.peers.programs import has_program, version_of

FOLDER = BUILD / "bench"


def machine() -> str:
    """Return the processor, the load and the versions in use."""
    name = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        name = models[0] if models else name
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{name}, {n_cores()} cores{load}; Python {platform.python_version()}, numpy {np.__version__}, "
        f"casebase {casebase.__version__}"
    )


def peers() -> dict[str, str]:
    """Return the versions of the peers that are installed."""
    found = {}
    for program in ("timbl", "mbt"):
        if has_program(program):
            found[program] = version_of(program)
    if weka.is_installed():
        found["weka"] = ""
    for library in ("scikit-learn", "pyphen"):
        try:
            found[library] = metadata.version(library)
        except metadata.PackageNotFoundError:
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.bench", description=__doc__)
    parser.add_argument("--only", help=f"run a part: {', '.join(BENCHMARKS)} (several joined by commas)")
    parser.add_argument("--small", action="store_true", help="tiny sizes, to see that the parts work; no measurement")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with this report, not with the last")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where reports are written and kept")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    sizes = SMALL if options.small else FULL
    made = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    empty = stored.Report(made, machine(), peers(), sizes.name, tuple(names))
    try:
        past = [stored.read(options.against)] if options.against else stored.earlier(options.folder, empty)
    except stored.ReportError as error:
        parser.error(str(error))
    report, text = running.run({name: BENCHMARKS[name] for name in names}, sizes, empty, options.folder, past)
    print(text)
    sys.exit(1 if running.has_failed(report) else 0)


if __name__ == "__main__":
    main()
