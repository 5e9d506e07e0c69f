"""Fuzz readers and model files: `python -m lab.fuzz [TARGET ...] --tries 1000`, or `make fuzz`.

Without targets all are tried. The report has, for each, the tries, how many inputs were refused with a message and how
many were read, errors (tracebacks, crashes, hangs, other answers from damaged files, more than 10 s or 1 GB), the
processor time in seconds, the slowest try, and the peak memory of the process. The inputs of errors are in the folder
of the report, in `crashers`; when an error is mended, its input belongs in `lab/fuzz/corpus`, with which every run
begins.
"""

import argparse
import sys
from pathlib import Path

from lab.fuzz.run import HEAD, Result, report, run
from lab.fuzz.targets import TARGETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="by default all; a beginning such as model- is enough"
    )
    parser.add_argument("--tries", type=int, default=1000, help="of each target; slow ones get a share of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--guided", action="store_true", help="let atheris choose inputs by coverage; one target only")
    arguments = parser.parse_args()
    if arguments.list:
        print(*TARGETS, sep="\n")
        return
    chosen = [
        target for name, target in TARGETS.items() if not arguments.targets or name.startswith(tuple(arguments.targets))
    ]
    if not chosen:
        parser.error(f"no target of this name; known: {', '.join(TARGETS)}")
    if arguments.guided:
        from lab.fuzz.guided import guide

        if len(chosen) != 1:
            parser.error("--guided takes one target")
        guide(chosen[0], arguments.tries, arguments.seed, arguments.output)
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    print(HEAD)
    for target in chosen:
        n = max(1, round(arguments.tries * target.share))
        results.append(run(target, n, arguments.seed, arguments.output / "crashers"))
        print(results[-1].row(), *(f"  {fault}" for fault in results[-1].faults[:20]), sep="\n", flush=True)
        (arguments.output / "report.md").write_text(report(results, arguments.seed), encoding="utf-8")
    print(report(results, arguments.seed).splitlines()[4 + len(results)])
    sys.exit(1 if any(result.errors for result in results) else 0)


if __name__ == "__main__":
    main()
