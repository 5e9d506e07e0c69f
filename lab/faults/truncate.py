"""Truncate a mapped model file while it is used: every answer afterwards is an error with a message, and no crash.

`python -m lab.faults.truncate` makes a model of every kind, loads it mapped as large files are, lets it answer, cuts
the file off at a page, asks again in all ways, and does so for every page. The look at the file before an answer is
left out, as if it were cut off a moment later: compiled code then meets zeros. A child makes each try: one that dies by
a signal, hangs, or gives an answer is a fault.
"""

import argparse
import gc
import mmap
import os
import pickle
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import casebase as cb
from casebase.base import files
from casebase.base.mapped import MappedFile
from casebase.errors import ModelFileError
from lab.determinism import WORDS

N_CASES = 6000
SECONDS = 60  # for one try
LEARNERS = ("IB1", "IB2", "IGTree", "TRIBL", "TRIBL2", "C45", "SMILE")
Ask = Callable[[Any], Any]


def _rows(n: int, seed: int) -> list[list[str]]:
    numbers = np.random.default_rng(seed).integers(0, [9, 40, 400, 3], (n, 4))
    return [[f"{letter}{value}" for letter, value in zip("abcd", row)] for row in numbers.tolist()]


def _sentences(n: int, seed: int) -> list[list[tuple[str, str]]]:
    return [[(word, word[0].upper()) for word in row] for row in _rows(n, seed)]


ROWS, QUERIES = _rows(N_CASES, 0), _rows(50, 1)
LABELS = [row[0] if int(row[1][1:]) % 3 else row[3] for row in ROWS]
ASK_CLASSIFIER: tuple[Ask, ...] = (
    lambda model: model.predict(QUERIES),
    lambda model: model.predict_proba(QUERIES),
    lambda model: [str(one) for one in model.explain(QUERIES[:5])],
    lambda model: model.flip(QUERIES[:2], budget=50),
    lambda model: model.save(BytesIO()),
    pickle.dumps,
)
WORDS_ASKED = [[word for word, _ in sentence] for sentence in _sentences(20, 1)]
SAVE: tuple[Ask, ...] = (lambda model: model.save(BytesIO()), pickle.dumps)


def _make(kind: str) -> tuple[Any, tuple[Ask, ...]]:
    """Return a fitted object of a kind, and what it is asked."""
    if kind in LEARNERS:
        return getattr(cb, f"{kind}Classifier")().fit(ROWS, LABELS), ASK_CLASSIFIER
    if kind == "tagger":
        return cb.Tagger().fit(_sentences(500, 2)), (lambda model: [model.tag(s) for s in WORDS_ASKED], *SAVE)
    if kind == "lemmatizer":
        learned = [[(word, tag, word[1:] or word) for word, tag in sentence] for sentence in _sentences(800, 3)]
        tags = [[word[0].upper() for word in sentence] for sentence in WORDS_ASKED]
        ask = lambda model: [model.lemmatize(*pair) for pair in zip(WORDS_ASKED, tags)]  # noqa: E731
        return cb.Lemmatizer().fit(learned), (ask, *SAVE)
    if kind == "hyphenator":
        return cb.Hyphenator().fit(WORDS), (lambda model: [model.hyphenate(w) for w in ("leben", "raten")], *SAVE)
    texts = [[word for word, _ in sentence] for sentence in _sentences(800, 4)]
    model = cb.LanguageModel(n_words=2).fit(texts)
    return model, (lambda model: [model.predict(s[:2]) for s in WORDS_ASKED], pickle.dumps)


KINDS = (*LEARNERS, "tagger", "lemmatizer", "hyphenator", "language model")


def loader(kind: str) -> Callable[[Path], Any]:
    return cb.LanguageModel.load if kind == "language model" else cb.load


def ended(path: Path, load: Callable[[Path], Any], asks: Sequence[Ask], size: int, *, is_warm: bool) -> str:
    """Load a file in a child, truncate it to a size, ask, and return how the child ended."""
    child = os.fork()
    if not child:
        os._exit(_try(path, load, asks, size, is_warm=is_warm))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "message", 2: "an answer", 3: "another error"}.get(code, f"ended with {code}")


def _try(path: Path, load: Callable[[Path], Any], asks: Sequence[Ask], size: int, *, is_warm: bool) -> int:
    signal.alarm(SECONDS)
    try:
        files.AT_ONCE = 0  # as if the file were large: mapped, and checked when it is used
        model = load(path)
        for ask in asks if is_warm else ():
            ask(model)
        os.truncate(path, size)
        MappedFile._begin = lambda self: None  # type: ignore[method-assign]
        for ask in asks:
            try:
                ask(model)
                return 2
            except ModelFileError as error:
                if "Load it again" not in str(error):
                    raise
        return 0
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return 3


def truncate(kind: str, folder: Path, every: int = 1) -> Counter[str]:
    """Truncate a model of a kind at one in so many pages, before and after it was asked; count how the tries ended."""
    path, found = folder / "model.cb", Counter[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted, asks = _make(kind)
        fitted.save(path)
        content = path.read_bytes()
        gc.freeze()
        sizes = [*range(0, len(content), every * mmap.PAGESIZE), len(content) - 1]
        for number, size in enumerate(sizes):
            path.write_bytes(content)
            found[ended(path, loader(kind), asks, size, is_warm=number % 4 != 0)] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=KINDS, help=f"by default {', '.join(KINDS)}")
    parser.add_argument("--every", type=int, default=1, help="truncate at one in so many pages")
    arguments = parser.parse_args()
    total = Counter[str]()
    for kind in arguments.kinds:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="casebase-truncate-") as folder:
            found = truncate(kind, Path(folder), arguments.every)
        total += found
        print(f"{kind}: {dict(found)}, {time.perf_counter() - start:.0f} s", flush=True)
    sys.exit(set(total) != {"message"})


if __name__ == "__main__":
    main()
