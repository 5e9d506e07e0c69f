"""Work for a minute as others do for an hour, and look at the memory and the open files of the process.

`python -m lab.faults.leaks --seconds 60` fits, asks, explains, corrects, saves and loads every kind of model on a small
table, round after round. After the first rounds, in which caches fill, memory must not grow by more than a little
whatever the number of rounds, and no file, no thread and no temporary file may stay.
"""

import argparse
import gc
import os
import shutil
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casebase as cb
from lab.determinism import WORDS, symbols

WARM = 4  # rounds after which caches are full
MOST_PER_ROUND = 6_000  # bytes of growth: some objects of Python's allocator, not an array of a model
LEARNERS = (
    "IB1",
    "IB2",
    "IGTree",
    "TRIBL2",
    "C45",
    "C45Rules",
    "ID3",
    "HierarchicalRule",
    "Oblivion",
    "ObliviousGraph",
    "PerceptronTree",
    "SMILE",
)


@dataclass(frozen=True)
class State:
    """What a process has: bytes of memory, open files, threads."""

    memory: int
    files: int
    threads: int

    @classmethod
    def now(cls) -> "State":
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd")), threading.active_count())


def one_round(folder: Path) -> None:
    """Do what users do with every kind of model."""
    rows, labels = symbols(60)
    for name in LEARNERS:
        path = folder / f"{name}.cb"
        model = getattr(cb, f"{name}Classifier")().fit(rows, labels)
        model.predict(rows[:20])
        str(model.explain(rows[:2]))
        model.save(path)
        loaded: Any = cb.load(path)
        loaded.predict_proba(rows[:5])
        if name == "IB1":
            loaded.remove([3])
            loaded.predict(rows[:5])
        with suppress(ValueError):
            model.predict([["too", "short"]])
    corpus = [[("the", "D"), ("cat", "N"), ("sat", "V")], [("a", "D"), ("dog", "N"), ("ran", "V")]] * 3
    tagger = cb.Tagger().fit(corpus)
    tagger.save(folder / "tagger.cb")
    tagger_again: Any = cb.load(folder / "tagger.cb")
    tagger_again.tag(["the", "dog", "sat"])
    hyphenator = cb.Hyphenator().fit(WORDS)
    hyphenator.save(folder / "hyphenator.cb")
    hyphenator_again: Any = cb.load(folder / "hyphenator.cb")
    hyphenator_again.hyphenate("leben")


def growth(rounds: int | None = None, seconds: float = 60.0) -> Iterator[tuple[int, State]]:
    """Yield the state of the process after each round, for so many rounds or so long."""
    folder = Path(tempfile.mkdtemp(prefix="casebase-leaks-"))
    start = time.monotonic()
    number = 0
    try:
        while number < rounds if rounds is not None else time.monotonic() - start < seconds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one_round(folder)
            number += 1
            left = [name for name in os.listdir(folder) if not name.endswith(".cb")]
            assert not left, f"round {number} leaves {', '.join(left)}"
            yield number, State.now()
    finally:
        shutil.rmtree(folder)


def check(states: list[State]) -> float:
    """Check the states after the rounds, and return the bytes by which a round makes the process grow."""
    warm, last = states[WARM - 1], states[-1]
    assert last.files <= warm.files, f"{last.files - warm.files} files stay open"
    assert last.threads <= warm.threads, f"{last.threads - warm.threads} threads stay"
    # The least of each half: the allocator gives memory back when it likes.
    half = (WARM - 1 + len(states)) // 2
    earlier, later = (min(state.memory for state in some) for some in (states[WARM - 1 : half], states[half:]))
    per_round = (later - earlier) / (half - (WARM - 1))
    assert per_round <= MOST_PER_ROUND, f"the process grows by {per_round:,.0f} bytes with every round"
    return per_round


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    arguments = parser.parse_args()
    states = [state for _, state in growth(seconds=arguments.seconds)]
    if len(states) < 2 * WARM:
        raise SystemExit(f"Only {len(states)} rounds: give it more time.")
    per_round = check(states)
    first, last = states[WARM - 1], states[-1]
    print(
        f"{len(states)} rounds of {len(LEARNERS) + 2} models: {first.memory / 1e6:.1f} MB after {WARM} rounds, "
        f"{last.memory / 1e6:.1f} MB at the end ({per_round:+,.0f} bytes a round), {last.files} files, "
        f"{last.threads} threads."
    )


if __name__ == "__main__":
    main()
