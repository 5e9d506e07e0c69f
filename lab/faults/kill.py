"""Kill a desk in the middle of corrections, again and again: nothing confirmed is lost, nothing is applied twice.

`python -m lab.faults.kill --times 1000` forks a child that corrects a small model and reports each confirmation through
a pipe, kills it at a random moment with SIGKILL, and opens the model file again. A list that got the same corrections,
and a model trained anew on it, say what must be there: all that was confirmed, and at most the one correction that was
under way. That one is repeated with its key, as a client would do. Values that were removed must be in no file. In the
report, the old state has what was confirmed, and the new one also the correction under way.
"""

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np

from casebase import methods
from casebase.confidence import calibrate
from casebase.data import Cases
from casebase.memory.fingerprints import hexadecimal
from casebase.neighbours import correction, ib1
from casebase.serve.desks import desk as desks
from casebase.serve.desks.desk import Desk, Outcome
from lab.faults.report import Kills, show

Case = tuple[str, str, str, str]
COLUMNS = ("colour", "size", "note", "side")  # two features, provenance, class
VALUE = re.compile(rb"(?=(v[0-9a-f]{12}))")  # also within another match: values may stand without a gap
CLASSES = ("left", "right")
N_FEWEST, N_MOST = 8, 30  # cases, between which the memory stays
LONGEST = 0.06  # seconds until a child is killed
MOST_LINES = 7  # of the journal, so that a few corrections lead to a checkpoint
IDLE = 0.003
OTHERS = ("confirmed corrections", "with lines in the journal")


@dataclass(frozen=True)
class Plan:
    """A correction that is to be made; `key` is its idempotency key."""

    key: str
    cases: dict[int, Case] = field(default_factory=dict)  # inserted or updated
    removed: tuple[int, ...] = ()
    is_update: bool = False

    def make(self, desk: Desk) -> Outcome:
        if self.removed:
            return desk.remove(list(self.removed), key=self.key)
        columns = dict(zip(COLUMNS, zip(*self.cases.values())))
        if self.is_update:
            return desk.update(list(self.cases), columns, key=self.key)
        labels = columns.pop("side")
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        return desk.insert(rows, labels, ids=list(self.cases), key=self.key)


@dataclass(frozen=True)
class State:
    """The oracle: the cases by id in the order of insertion, and the values that no file may have any more.

    `known` are all values that a case has or had: its updates are in the log until it is removed.
    """

    cases: dict[int, Case]
    n_corrections: int = 0
    next_id: int = 0
    known: dict[int, frozenset[str]] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()

    def plan(self, seed: int) -> Plan:
        """Return the next correction: an insertion, an update or a removal, always the same for the same seed."""
        chance = random.Random(f"{seed} {self.n_corrections}")
        key, n = f"{seed}-{self.n_corrections}", chance.randint(1, 3)
        kinds = ["update"] + ["insert"] * (len(self.cases) < N_MOST) + ["remove"] * (len(self.cases) > N_FEWEST)
        kind = chance.choice(kinds)
        if kind == "insert":
            return Plan(key, {self.next_id + i: _case(chance) for i in range(n)})
        ids = chance.sample(sorted(self.cases), n)
        if kind == "remove":
            return Plan(key, removed=tuple(ids))
        return Plan(key, {case: _case(chance) for case in ids}, is_update=True)

    def after(self, plan: Plan) -> "State":
        """Return the state after a correction."""
        cases = {case: values for case, values in (self.cases | plan.cases).items() if case not in plan.removed}
        known = {case: self.known.get(case, frozenset()) | {*values[:3]} for case, values in cases.items()}
        gone = self.gone.union(*(self.known[case] for case in plan.removed))
        next_id = max(self.next_id, *(case + 1 for case in plan.cases), 0)
        return State(cases, self.n_corrections + 1, next_id, known, gone)

    def model(self) -> ib1.IB1:
        """Return a model that is trained anew."""
        columns = dict(zip(COLUMNS, zip(*self.cases.values())))
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        ids = np.array(list(self.cases), dtype=np.int64)
        return ib1.fit(Cases.from_table(rows, target="side", ids=ids, keep=["note"]))


def _case(chance: random.Random) -> Case:
    """Return a case whose values no other case has, so that they can be looked for in files."""
    colour, size, note = (f"v{chance.getrandbits(48):012x}" for _ in range(3))
    return colour, size, note, chance.choice(CLASSES)


def first_state(seed: int) -> State:
    chance = random.Random(seed)
    cases = {i: _case(chance) for i in range(N_FEWEST)}
    return State(cases, next_id=N_FEWEST, known={case: frozenset(values[:3]) for case, values in cases.items()})


def run(folder: Path, *, times: int, seed: int = 0, longest: float = LONGEST) -> Kills:
    """Kill a child so many times, check the files after each, and report it; a fault ends it with an error."""
    start = time.perf_counter()
    path, journal = folder / "model.cb", folder / "model.cb.journal"
    state = first_state(seed)
    model = state.model()
    methods.save(path, model, calibration=calibrate(model))
    chance, report = random.Random(seed), Kills("desk", others=dict.fromkeys(OTHERS, 0))
    for number in range(times):
        n_confirmed = killed_after(path, state, seed, chance.uniform(0, longest))
        for _ in range(n_confirmed):
            state = state.after(state.plan(seed))
        report.others["confirmed corrections"] += n_confirmed
        report.others["with lines in the journal"] += journal.exists() and journal.stat().st_size > 0
        report.unfinished += any(name.endswith(".tmp") for name in os.listdir(folder))
        _check_erased(folder, state, f"after kill {number}")
        state, was_applied = _reopened(path, state, seed, number)
        report.left_over += any(name.endswith(".tmp") for name in os.listdir(folder))
        report.old, report.new = report.old + (not was_applied), report.new + was_applied
    if report.left_over:
        report.faults.append(f"after {report.left_over} kills the next process left an unfinished file")
    report.seconds = time.perf_counter() - start
    return report


def killed_after(path: Path, state: State, seed: int, seconds: float) -> int:
    """Let a child correct a model file, kill it after some time, and return how many corrections it confirmed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _correct_forever(path, state, seed, writing)
    os.close(writing)
    started = os.read(reading, 1)  # the desk is open
    assert started == b"o", "the child could not open the model file"
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    n_confirmed = 0
    while confirmed := os.read(reading, 65536):
        assert set(confirmed) == set(b"c"), f"the child reports {confirmed!r}"
        n_confirmed += len(confirmed)
    os.close(reading)
    return n_confirmed


def _correct_forever(path: Path, state: State, seed: int, writing: int) -> NoReturn:
    """Correct a model file and report each confirmation, until the process is killed."""
    try:
        desks.MOST_LINES = MOST_LINES
        desk = Desk.open(path, idle=IDLE)
        os.write(writing, b"o")
        while True:
            plan = state.plan(seed)
            plan.make(desk)
            os.write(writing, b"c")
            state = state.after(plan)
            if state.n_corrections % 5 == 0:
                time.sleep(2 * IDLE)  # so that the model file is written while nobody corrects
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os.write(writing, b"e")
    finally:
        os._exit(1)
    raise AssertionError


def _reopened(path: Path, state: State, seed: int, number: int) -> tuple[State, bool]:
    """Open the files, check them, and repeat the correction that was under way; return the state after it."""
    desk = Desk.open(path, idle=None)
    try:
        n_done, plan = desk.snapshot.sequence, state.plan(seed)
        was_applied = n_done == state.n_corrections + 1
        assert was_applied or n_done == state.n_corrections, (
            f"kill {number}: {state.n_corrections} corrections were confirmed, and {n_done} are there"
        )
        _check_equal(desk, state.after(plan) if was_applied else state, f"after kill {number}")
        outcome = plan.make(desk)
        assert outcome.is_repeated == was_applied, f"kill {number}: the key of the correction under way is not known"
        state = state.after(plan)
        _check_equal(desk, state, f"after the repetition, kill {number}")
        _check_erased(path.parent, state, f"after the repetition, kill {number}")
    finally:
        # As if the process had been killed here too: nothing is written at the end, so the journal stays.
        if desk._journal is not None:
            desk._journal.close()
        if desk._file_lock is not None:
            desk._file_lock.release()
    return state, was_applied


def _check_equal(desk: Desk, state: State, when: str) -> None:
    expected = hexadecimal(correction.fingerprint(state.model()))
    assert desk.snapshot.version == expected, f"{when}: the model is not the one trained on the corrected list"


def _check_erased(folder: Path, state: State, when: str) -> None:
    """Check that no file has a value of a removed case."""
    for file in (file for file in folder.rglob("*") if file.is_file()):
        found = state.gone.intersection(value.decode() for value in VALUE.findall(file.read_bytes()))
        assert not found, f"{when}: {file.name} has {min(found)}, which was removed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=1000, help="number of kills (default 1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", help="where the files are, such as /dev/shm, where writing is quick")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="casebase-kill-", dir=arguments.folder))
    try:
        show([run(folder, times=arguments.times, seed=arguments.seed)])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
