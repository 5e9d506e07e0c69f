"""Forge model files: change one number of an array or of the header, with a checksum that is right.

`python -m lab.faults.forge` makes a small model of every kind and forges every array of it: the first, a middle and the
last number become not-a-number, infinite, -1, 0, the largest of their type, or huge. A forged file must be refused with
a message, or answer; anything else is a fault. It is meant to run under the sanitisers, too: `make sanitize`.
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

import casebase as cb
from casebase.base.files import read, write
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.methods import METHODS, load, method_named, save

REALS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 0.3)
HEADER = (float("nan"), float("inf"), -1, 0, 10**30, 1e308, "x", None)
KINDS = (*METHODS, "ib1 of many metrics", "tagger", "hyphenation", "strings")


def make(kind: str, path: Path) -> None:
    """Write a small model of a kind."""
    if kind == "tagger":
        cb.Tagger().fit([[("the", "D"), ("dog", "N"), ("runs", "V")], [("a", "D"), ("cat", "N")]] * 4).save(path)
    elif kind == "hyphenation":
        cb.Hyphenator().fit(["ta-lo", "ka-la", "sa-na", "pa-la-ta"]).save(path)
    elif kind == "strings":
        cb.StringRuleClassifier().fit(["talo", "kala", "sana", "palat"], ["P", "Q", "P", "Q"]).save(path)
    else:
        options: dict[str, Any] = {"metric": {"size": "mvdm", "name": "levenshtein"}, "k": 2} if " " in kind else {}
        method = kind.split()[0]
        save(path, method_named(method).fit(_cases(), **options))


def _cases() -> Cases:
    draw = np.random.default_rng(0)
    size, name = draw.choice(list("sml"), 24), draw.choice(["ada", "bob", "eve"], 24)
    age = draw.normal(size=24).round(2)
    age[3] = np.nan
    labels = np.where(size == "s", "P", np.where(age > 0, "Q", "R"))
    rows = [list(row) for row in zip(size.tolist(), name.tolist(), age.tolist())]
    table = [dict(zip(("size", "name", "age"), row)) for row in rows]
    return Cases.from_table(table, y=labels, weights=draw.choice([1.0, 0.3, 2.0], 24))


QUERIES = [{"size": "s", "name": "ada", "age": 0.5}, {"size": "x", "name": None, "age": None}]


def ask(path: Path) -> None:
    """Load a model, ask it, and let it explain."""
    header = read(path)[0]
    learner = header.get("learner")
    if learner in METHODS:
        model = load(path).model
        cases = model.schema.encode(QUERIES)
        model.answer(cases)
        for evidence in model.explain(cases):
            str(evidence)
        return
    loaded: Any = cb.load(path)
    if learner == "tagger":
        loaded.tag(["the", "dog", "zzz"])
    elif learner == "hyphenation":
        loaded.hyphenate("palatalo")
    else:
        loaded.predict(["talo", "xyz"])


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
    for name, its_header, its_arrays in files[::every]:
        write(path, its_header, its_arrays)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                ask(path)
            found["answered"] += 1
        except CasebaseError:
            found["refused"] += 1
        except Exception as error:
            found["faults"] += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            faults.append(
                f"{kind}, {name}: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            )
    return found, faults


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
