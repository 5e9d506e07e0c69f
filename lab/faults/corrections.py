"""Correct memories at random, and compare each with a new fit: answers, weights, fingerprint and file must be equal.

`python -m lab.faults.corrections --operations 100000` makes sequences of insertions, removals, updates, and saving and
loading, with every learner that can be corrected and random settings, on tables of symbols, numbers, missing values,
numbers that are written in several ways, case weights, exemplar weights, provenance, and ids of text. A dictionary of
rows says what must be stored; a model that is fitted to it says what the corrected one must be.
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from casebase import methods
from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.methods import method_named
from casebase.neighbours import correction

BY_COUNTS = ("ib1", "tribl", "tribl2", "igtree")
COMMITTEES = (
    "kernel",
    "opinions",
    "discriminant",
    "forest",
    "auto",
)  # they learn anew from all cases, which takes long
SHARE_OF_COMMITTEES = 0.02
LONGEST = 60  # operations of one sequence
SHARE_COMPARED = 0.2  # of the operations, and the last of each sequence: a new fit takes longer than a correction
N_FEWEST = 3  # cases
COMPARED = ("label", "first_vote", "vote_label", "votes", "distance", "was_tied", "depth", "at_leaf")
SYMBOLS = ["a", "b", "c", "é", "", " a", "1", "01", "nan", "None", None]
NUMBERS = [0.0, -0.0, 0.5, 1.0, 2.0, 1e-5, 1e16, 1 / 3, None]
WRITTEN = ["0", "0.5", "0.50", "1", "1.0", "+1", "1e0", "2.25", "-0", "007", "1e-5", None]
WEIGHTS = {
    "none": [1.0],
    "few": [1.0, 2.0, 0.5],
    "decimal": [0.1, 0.7, 1.3, 2.9, 1e-3, 17.1],
    "wide": [1e-6, 0.3, 1 / 3, 5.0, 1000.7],
}
WEIGHTINGS = ["gain_ratio", "information_gain", "chi_squared", "shared_variance", "none", "relief"]
METRICS = ["overlap", "overlap", "mvdm", "jeffrey", "jensen_shannon", "levenshtein", "dice"]

Case = tuple[tuple[Any, ...], str, float, float, str]  # values, class, weight, exemplar weight, provenance


@dataclass
class Ledger:
    """What a memory must hold: cases by id, in the order given; `columns` has the kind of each feature."""

    columns: tuple[str, ...]
    weights: str
    has_exemplars: bool
    has_notes: bool
    has_text_ids: bool
    rows: dict[Any, Case] = field(default_factory=dict)
    n_ever: int = 0

    @classmethod
    def drawn(cls, draw: np.random.Generator) -> "Ledger":
        kinds = ["symbol", "symbol", "symbol", "number", "written"]
        columns = tuple(str(draw.choice(kinds)) for _ in range(draw.integers(1, 5)))
        weights = str(draw.choice(list(WEIGHTS)))
        exemplars, notes, texts = (bool(draw.random() < share) for share in (0.15, 0.3, 0.3))
        ledger = cls(columns, weights, exemplars, notes, texts)
        ledger.add([ledger.case(draw) for _ in range(int(draw.integers(N_FEWEST, 30)))])
        return ledger

    def case(self, draw: np.random.Generator) -> Case:
        values: dict[str, list[Any]] = {"symbol": SYMBOLS, "number": NUMBERS, "written": WRITTEN}
        row = tuple(_one_of(draw, values[kind]) for kind in self.columns)
        label = _one_of(draw, ["P", "Q", "R"]) if draw.random() < 0.95 else f"new{draw.integers(3)}"
        exemplar = _one_of(draw, [1.0, 0.5, 3.0]) if self.has_exemplars else 1.0
        return row, label, _one_of(draw, WEIGHTS[self.weights]), exemplar, f"note {draw.integers(100)}"

    def add(self, cases: list[Case]) -> list[Any]:
        numbers = range(self.n_ever, self.n_ever + len(cases))
        ids = [f"id{i}" if self.has_text_ids else i for i in numbers]
        self.n_ever += len(cases)
        self.rows |= dict(zip(ids, cases))
        return ids

    @property
    def kinds(self) -> dict[str | int, Any]:
        return {f"f{i}": "symbolic" if kind == "symbol" else "numeric" for i, kind in enumerate(self.columns)}

    def table(self, cases: list[Case]) -> pa.Table:
        types = [pa.float64() if kind == "number" else pa.string() for kind in self.columns]
        columns = {f"f{i}": pa.array([case[0][i] for case in cases], type) for i, type in enumerate(types)}
        if self.has_notes:
            columns["note"] = pa.array([case[4] for case in cases])
        return pa.table(columns)

    def numbers(self, cases: list[Case]) -> dict[str, Any]:
        return {
            "weights": None if self.weights == "none" else [case[2] for case in cases],
            "exemplars": [case[3] for case in cases] if self.has_exemplars else None,
        }

    def cases(self) -> Cases:
        stored = list(self.rows.values())
        return Cases.from_table(
            self.table(stored),
            y=[case[1] for case in stored],
            kinds=self.kinds,
            ids=list(self.rows),
            keep=["note"] if self.has_notes else None,
            **self.numbers(stored),
        )


def _one_of(draw: np.random.Generator, values: list[Any]) -> Any:
    return values[int(draw.integers(len(values)))]


def _options(learner: str, draw: np.random.Generator) -> dict[str, Any]:
    if learner not in BY_COUNTS:
        return {}
    options = {
        "weighting": _one_of(draw, WEIGHTINGS),
        "missing": _one_of(draw, ["value", "unknown"]),
        "diversify": bool(draw.random() < 0.2),
        "discretise": _one_of(draw, ["none", "none", "none", "mdlp", "equal_width"]),
        "compat": "timbl" if draw.random() < 0.1 else None,
    }
    if learner != "igtree":
        options |= {
            "k": int(draw.integers(1, 4)),
            "vote": _one_of(draw, ["equal", "inverse_distance", "inverse_linear", "exponential"]),
            "metric": _one_of(draw, METRICS),
            "exact_match": bool(draw.random() < 0.3),
        }
    if learner == "tribl":
        options |= {"switch": _one_of(draw, ["auto", 0, 1]), "weighting_below": _one_of(draw, ["none", "gain_ratio"])}
    return options


def step(model: Any, ledger: Ledger, draw: np.random.Generator, file: Path) -> tuple[str, Any]:
    """Make one random operation on a model and its ledger; return its name, and the model."""
    what = _one_of(draw, ["insert", "insert", "remove", "remove", "update", "update", "save"])
    if what == "save":
        methods.save(file, model)
        return what, methods.load(file).model
    ids = list(ledger.rows)
    n = int(draw.integers(1, 4)) if draw.random() < 0.9 else int(draw.integers(1, 1 + len(ids)))
    if what == "insert":
        new = [ledger.case(draw) for _ in range(n)]
        added = ledger.add(new)
        labels = [case[1] for case in new]
        return what, correction.insert(model, ledger.table(new), labels, ids=added, **ledger.numbers(new))
    chosen = [ids[i] for i in draw.permutation(len(ids))[: min(n, len(ids) - N_FEWEST)].tolist()]
    if not chosen:
        return "nothing", model
    if what == "remove":
        for one in chosen:
            del ledger.rows[one]
        return what, correction.remove(model, chosen)[0]
    new = [ledger.case(draw) for _ in chosen]
    ledger.rows |= dict(zip(chosen, new))
    labels = [case[1] for case in new]
    return what, correction.update(model, chosen, ledger.table(new), labels, **ledger.numbers(new))


def differences(corrected: Any, fresh: Any, queries: pa.Table, folder: Path) -> list[str]:
    """Return in what a corrected model differs from a new one."""
    found = [] if corrected.schema.classes == fresh.schema.classes else ["classes"]
    if hasattr(fresh, "weights") and not np.array_equal(corrected.weights, fresh.weights, equal_nan=True):
        found.append("weights")
    mine, theirs = (model.answer(model.schema.encode(queries)) for model in (corrected, fresh))
    found += [name for name in COMPARED if not _are_equal(getattr(mine, name), getattr(theirs, name))]
    if correction.fingerprint(corrected) != correction.fingerprint(fresh):
        found.append("fingerprint")
    if _file(corrected, folder / "corrected.cb") != _file(fresh, folder / "fresh.cb"):
        found.append("file")
    return found


def _are_equal(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return bool(np.array_equal(mine, theirs, equal_nan=np.asarray(mine).dtype.kind == "f"))


def _file(model: Any, path: Path) -> bytes:
    methods.save(path, model)
    return path.read_bytes()


def sequence(seed: int, folder: Path, most: int = LONGEST, learner: str | None = None) -> tuple[str, Counter[str]]:
    """Make one sequence of operations; return the learner, and how often which operation or difference occurred."""
    draw = np.random.default_rng(seed)
    if learner is None:
        learner = _one_of(draw, list(COMMITTEES if draw.random() < SHARE_OF_COMMITTEES else BY_COUNTS))
    n_operations = int(draw.integers(1, most if learner in BY_COUNTS else 1 + most // 10))
    ledger, options = Ledger.drawn(draw), _options(learner, draw)
    counted: Counter[str] = Counter()
    try:
        first = model = method_named(learner).fit(ledger.cases(), **options)
        model.store()
        if learner in COMMITTEES:  # a committee keeps the plan that it chose when it was first fitted
            first = model = first.refit(ledger.cases())
    except CasebaseError:  # settings that do not go together, or a model that cannot be corrected
        return learner, Counter({"refused settings": 1})
    for number in range(n_operations):
        before = dict(ledger.rows), ledger.n_ever
        try:
            what, model = step(model, ledger, draw, folder / "saved.cb")
        except CasebaseError:
            ledger.rows, ledger.n_ever = before
            counted["refused"] += 1
            continue
        counted[what] += 1
        if number < n_operations - 1 and draw.random() > SHARE_COMPARED:
            continue
        counted["compared"] += 1
        fit: Any = first.refit if learner in COMMITTEES else partial(method_named(learner).fit, **options)
        fresh = fit(ledger.cases())
        queries = ledger.table([ledger.case(draw) for _ in range(5)])
        found = differences(model, fresh, queries, folder)
        if found:
            counted["differs"] += 1
            print(
                f"seed {seed}, {learner} {options}, {ledger.columns}, weights {ledger.weights}, operation {number}",
                f"({what}): {', '.join(found)}",
                flush=True,
            )
            break
    return learner, counted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence")
    parser.add_argument("--learner", choices=BY_COUNTS + COMMITTEES)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    start, seed = time.process_time(), arguments.seed
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        while sum(total[name] for name in ("insert", "remove", "update", "save")) < arguments.operations:
            learner, counted = sequence(seed, Path(folder), learner=arguments.learner)
            total += counted + Counter({f"sequences of {learner}": 1})
            seed += 1
    print(f"{seed - arguments.seed} sequences, {time.process_time() - start:.0f} s of processor time")
    for name, n in sorted(total.items()):
        print(f"{n:9,} {name}")
    sys.exit(1 if total["differs"] else 0)


if __name__ == "__main__":
    main()
