"""Forge model files: change one number of an array or of the header, with a checksum that is right.

`python -m lab.faults.forge` makes a small model of every kind and forges every array of it: the first, a middle and the
last number become not-a-number, infinite, -1, 0, the largest of their type, or huge. A forged file must be refused with
a message, or answer; anything else is a fault, as is a process that dies. `make forge` runs it under the sanitisers.
"""

import argparse
import copy
import json
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from casebase.base.files import read, write
from casebase.errors import CasebaseError
from lab.faults.models import KINDS, ask, make
from lab.isolation import Say, lines_of

REALS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 0.3)
HEADER = (float("nan"), float("inf"), -1, 0, 10**30, 1e308, "x", None)


def forged_arrays(arrays: dict[str, np.ndarray]) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Give a name and the arrays of a forged file for each array, place and number."""
    for name, array in arrays.items():
        if not array.size:
            continue
        values = REALS if array.dtype.kind == "f" else (0, np.iinfo(array.dtype).max, np.iinfo(array.dtype).max // 2)
        for place in sorted({0, array.size // 2, array.size - 1}):
            for value in values:
                forged = array.copy()
                if np.array_equal(forged.flat[place], value):
                    continue
                forged.flat[place] = value
                yield f"{name}[{place}] = {value}", arrays | {name: forged}
        yield f"{name} without its last", arrays | {name: array[:-1].copy()}


def forged_headers(header: Any) -> Iterator[tuple[str, Any]]:
    """Give a name and the header of a forged file for each value of the header."""

    def places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if isinstance(value, dict | list):
            for key in value if isinstance(value, dict) else range(len(value)):
                yield from places(value[key], (*path, key))
        elif path:
            yield path

    for path in places(header, ()):
        for value in HEADER:
            forged = copy.deepcopy(header)
            inner = forged
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            yield f"header {'.'.join(map(str, path))} = {json.dumps(value)}", forged


def forge(kind: str, folder: Path, every: int = 1, headers: bool = True) -> tuple[Counter[str], list[str]]:
    """Forge all of one kind of model, or one in so many; return how they ended, and the faults."""
    original, path = folder / "model.cb", folder / "forged.cb"
    make(kind, original)
    header, checked = read(original, is_mapped=False)
    arrays = dict(checked._arrays)
    ask(original)
    found: Counter[str] = Counter()
    faults = []
    files = [(name, header, some) for name, some in forged_arrays(arrays)]
    if headers:
        files += [(name, some, arrays) for name, some in forged_headers(header)]
    files = files[::every]

    def work(start: int, say: Say) -> None:
        for _, its_header, its_arrays in files[start:]:
            write(path, its_header, its_arrays)
            say(_outcome(path))

    for (name, _, _), line in zip(files, lines_of(work, len(files))):
        found[line if line in ("answered", "refused") else "faults"] += 1
        if line not in ("answered", "refused"):
            faults.append(f"{kind}, {name}: {line}")
    return found, faults


def _outcome(path: Path) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            ask(path)
        return "answered"
    except CasebaseError:
        return "refused"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--every", type=int, default=1, help="forge one in so many numbers")
    parser.add_argument("--arrays-only", action="store_true")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.kinds:
            found, faults = forge(kind, Path(folder), arguments.every, not arguments.arrays_only)
            print(f"{kind}: {dict(found)}", *faults, sep="\n  ", flush=True)
            total += found
    print(dict(total))
    sys.exit(1 if total["faults"] else 0)


if __name__ == "__main__":
    main()
