"""The same files on every machine: the models of all methods, written by one build, compared with those of another.

`python -m lab.determinism FOLDER` trains every method on tables with ties, symbols and numbers, and saves the models;
`--against OTHER` compares the files with those of another folder, byte by byte. Run it with two builds (`make
determinism`), two compilers or two machines. What differs is named, and the exit code is then 1. With
`--old-processor` NumPy uses no instructions that only newer processors have, which changes its logarithms.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import casebase as cb

Rows = list[list[Any]]
# For NumPy and its linear algebra, as if the processor had none of these instructions; the names of all versions.
OLD_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR "
    "X86_V3 X86_V4",
    "OPENBLAS_CORETYPE": "Prescott",
}
WORDS = [
    "ar-bei-ten",
    "le-ben",
    "le-sen",
    "lie-gen",
    "ge-ben",
    "ra-ten",
    "re-den",
    "na-gel",
    "re-gel",
    "ta-fel",
    "ne-bel",
]


def main() -> int:
    """Write the models, and compare them if a folder is given."""
    parser = argparse.ArgumentParser(prog="python -m lab.determinism", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where to write the models")
    parser.add_argument("--against", type=Path, metavar="OTHER", help="a folder that another build has written")
    parser.add_argument("--old-processor", action="store_true", help="let NumPy do without newer instructions")
    parser.add_argument("--only", action="append", metavar="NAME", help="only files whose names have this in them")
    options = parser.parse_args()
    if options.old_processor and any(os.environ.get(name) != value for name, value in OLD_PROCESSOR.items()):
        # NumPy reads them when it is imported, which has happened.
        return subprocess.call([sys.executable, "-m", "lab.determinism", *sys.argv[1:]], env=os.environ | OLD_PROCESSOR)
    names = write(options.folder, only=options.only)
    if options.against is None:
        print(f"{len(names)} models in {options.folder}")
        return 0
    differing = different(options.folder, options.against, names if options.only else None)
    print(f"{len(names) - len(differing)} of {len(names)} model files are equal byte by byte.")
    for name in differing:
        print(f"different: {name}")
    return 1 if differing else 0


def write(folder: Path, shows: bool = True, only: Sequence[str] | None = None) -> list[str]:
    """Train and save a model of each method on each table; return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, fit in models():
        if only and not any(part in name for part in only):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit().save(folder / name)
        names.append(name)
        if shows:
            print(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()[:16]}  {name}", flush=True)
    return names


def different(folder: Path, other: Path, names: Iterable[str] | None = None) -> list[str]:
    """Return the names of the files that differ, or that one of two folders does not have."""
    if names is None:
        names = {path.name for path in (*folder.glob("*.cb"), *other.glob("*.cb"))}
    return sorted(name for name in names if _bytes(folder / name) != _bytes(other / name))


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def models() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each model's file, and a function that trains it."""
    classifiers = [name for name in cb.__all__ if name.endswith("Classifier") and name != "StringRuleClassifier"]
    for table, (rows, labels) in {"symbols": symbols(), "numbers": numbers()}.items():
        for name in sorted(classifiers):
            learner = getattr(cb, name)
            if table == "symbols" or name in NUMERIC:
                yield f"{name}-{table}.cb", partial(learner().fit, rows, labels)
    rows, labels = symbols()
    for metric in ("mvdm", "jeffrey", "levenshtein"):
        yield f"IB1-{metric}.cb", partial(cb.IB1Classifier(k=3, metric=metric).fit, rows, labels)
    for weighting in ("information_gain", "chi_squared", "shared_variance", "relief", "learned"):
        yield f"IB1-{weighting}.cb", partial(cb.IB1Classifier(weighting=weighting).fit, rows, labels)
    corpus = [
        [(f"{row[0]}{row[1]}", label) for row, label in zip(rows[at : at + 6], labels[at : at + 6])]
        for at in range(0, 120, 6)
    ]
    yield "Tagger.cb", lambda: cb.Tagger().fit(corpus)
    yield "Hyphenator.cb", lambda: cb.Hyphenator().fit(WORDS)


NUMERIC = {
    "AutoClassifier",
    "CaseForestClassifier",
    "KernelVoteClassifier",
    "C45Classifier",
    "SMILEClassifier",
    "IB1Classifier",
}


def symbols(n: int = 150, seed: int = 3) -> tuple[Rows, list[str]]:
    """Return rows of symbols with many equal values, and classes with noise: ties wherever there may be ties."""
    chance = random.Random(seed)
    rows: Rows = [
        [chance.choice("abcde"), chance.choice("xyz"), chance.choice(["p", "pq", "qp"]), chance.choice("01")]
        for _ in range(n)
    ]
    return rows, ["AB"[(row[0] in "ab") ^ (row[1] == "x")] if chance.random() > 0.15 else "C" for row in rows]


def numbers(n: int = 150, seed: int = 4) -> tuple[Rows, list[str]]:
    """Return rows of numbers and symbols; sums of tenths are not exact in binary."""
    chance = random.Random(seed)
    rows: Rows = [[chance.randrange(100) / 10, chance.gauss(0, 1), chance.choice("abc")] for _ in range(n)]
    return rows, ["PQR"[(row[0] > 5) + (row[1] > 0.3)] if chance.random() > 0.1 else "P" for row in rows]


if __name__ == "__main__":
    sys.exit(main())
