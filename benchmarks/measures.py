"""What is measured: each function returns rows of work, ours, the peer's, and the ratio between them.

Both sides answer the same files in the same run. Rates of TiMBL are those it prints for its test, which
include reading the test file and writing the answers; ours include the same. Ours are medians of five; TiMBL's of
three at 100,000 cases, and single runs where one takes a minute.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.neighbors import KNeighborsClassifier

import casebase as cb
from benchmarks import data, hyphenation, oblivion, smile, tagger, timbl_range, trees
from benchmarks.report import HAS_TIMBL, REPEATS, Row, answer_file
from benchmarks.timing import bound_to_cores, casebase_command, command_seconds, median_seconds, timbl, timbl_rate
from casebase.formats import read_table
from casebase.learners import ib1, igtree

N_ASKED = 10_000  # questions that both sides answer
N_ASKED_OF_SKLEARN = 2_000
N_BATCHES = 50


def ib1_speed() -> Iterator[Row]:
    files = data.windows()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        rates = {}
        test = data.head(files.test, N_ASKED, data.CACHE / f"{files.name}.{N_ASKED}.test")
        for size, n_runs, target in (("100k", 3, 80), ("1M", 1, 100)):
            model = ib1.fit(cb.read_cases(files.train[size]))
            rates[size] = N_ASKED / median_seconds(partial(answer_file, model, test, out), REPEATS)
            if HAS_TIMBL:
                peers = [
                    timbl_rate(timbl("-f", str(files.train[size]), "-t", str(test), "-o", str(out)))
                    for _ in range(n_runs)
                ]
                peer = float(np.median(peers))
                yield Row(
                    f"IB1, k=1, gain ratio, {files.name} {size} × 12, against TiMBL",
                    f"{rates[size]:,.0f}/s", f"{peer:,.0f}/s", rates[size] / peer, target,
                )  # fmt: skip
        yield Row(
            "growth: IB1 time per query from 100k to 1M cases",
            f"{1e6 / rates['1M']:.1f} µs", f"{1e6 / rates['100k']:.1f} µs", rates["100k"] / rates["1M"], 2.5, True,
        )  # fmt: skip


def ib1_against_sklearn() -> Iterator[Row]:
    files = data.windows()
    cases = cb.read_cases(files.train["100k"])
    for weighting, what in (("gain_ratio", "IB1, k=1, gain ratio"), ("none", "IB1, k=1, unweighted")):
        model = ib1.fit(cases, weighting=weighting)
        queries = model.schema.encode(read_table(files.test)).take(np.arange(N_ASKED_OF_SKLEARN))
        ours = N_ASKED_OF_SKLEARN / median_seconds(partial(model.answer, queries), REPEATS)
        codes = np.stack([column.astype(np.int32) for column in cases.columns], axis=1)
        asked = np.stack([column.astype(np.int32) for column in queries.columns], axis=1)
        peer_model = KNeighborsClassifier(1, metric="hamming").fit(codes, cases.known_labels)
        peer = N_ASKED_OF_SKLEARN / median_seconds(partial(peer_model.predict, asked), 3)
        yield Row(
            f"{what}, 100k × 12 codes, against scikit-learn's hamming kNN",
            f"{ours:,.0f}/s", f"{peer:,.0f}/s", ours / peer, 150,
        )  # fmt: skip


def ib1_mixed() -> Iterator[Row]:
    if not HAS_TIMBL:
        return
    train, test, numeric = data.mixed()
    model = ib1.fit(cb.read_cases(train, kinds={f"f{i + 1}": "numeric" for i in numeric}), k=5)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        ours = 2_000 / median_seconds(lambda: answer_file(model, test, out), REPEATS)
        declared = f"O:N{numeric[0] + 1}-{numeric[-1] + 1}"
        peer = timbl_rate(timbl("-f", str(train), "-t", str(test), "-m", declared, "-k", "5", "-o", str(out)))
    yield Row(
        "IB1, k=5, 6 symbolic + 6 numeric, 50k cases, against TiMBL",
        f"{ours:,.0f}/s",
        f"{peer:,.0f}/s",
        ours / peer,
        20,
    )


def igtree_speed() -> Iterator[Row]:
    files = data.windows()
    with tempfile.TemporaryDirectory() as folder:
        base, model_file, out = (Path(folder) / name for name in ("base", "model.cb", "answers"))
        train = str(files.train["1M"])

        def training(threads: int) -> Callable[[], object]:
            command = casebase_command("train", train, "-o", str(model_file), "--learner", "igtree", "-j", str(threads))
            return lambda: subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

        model = igtree.fit(cb.read_cases(train))
        cases = model.schema.encode(read_table(files.test))
        coded = cases.n_cases / median_seconds(lambda: model.walk(cases), REPEATS)
        text = cases.n_cases / median_seconds(lambda: answer_file(model, files.test, out), REPEATS)
        seconds = {threads: median_seconds(training(threads), REPEATS) for threads in (1, 2)}
        if HAS_TIMBL:
            command = ["timbl", "-a", "IGTREE", "-f", train, "-I", str(base)]
            peer_seconds, _ = command_seconds(command)
            for threads, target in ((1, 12), (2, 18)):
                yield Row(
                    f"IGTree: text to saved model, 1M cases, {threads} thread{'s' * (threads > 1)}, against TiMBL",
                    f"{seconds[threads]:.2f} s", f"{peer_seconds:.1f} s", peer_seconds / seconds[threads], target,
                )  # fmt: skip
            peer = timbl_rate(timbl("-a", "IGTREE", "-i", str(base), "-t", str(files.test), "-o", str(out)))
            yield Row(
                "IGTree: text to file of answers, against TiMBL",
                f"{text:,.0f}/s", f"{peer:,.0f}/s", text / peer, 5,
            )  # fmt: skip
    yield Row("IGTree: answers from coded cases, in millions a second", f"{coded / 1e6:.1f}", "–", coded / 1e6, 5)


def memory_per_case() -> Iterator[Row]:
    if not HAS_TIMBL:
        return
    files = data.windows()
    with tempfile.TemporaryDirectory() as folder:
        out, test = (
            str(Path(folder) / "answers"),
            str(data.head(files.test, 100, data.CACHE / f"{files.name}.100.test")),
        )
        few, many = files.n_lines["10k"], files.n_lines["1M"]
        ours, peers = {}, {}
        for size in ("10k", "1M"):
            train, model = str(files.train[size]), str(Path(folder) / f"{size}.cb")
            subprocess.run(casebase_command("train", train, "-o", model), check=True, stderr=subprocess.DEVNULL)
            _, ours[size] = command_seconds(casebase_command("predict", model, test, "-o", out))
            _, peers[size] = command_seconds(["timbl", "-f", train, "-t", test, "-o", out])
        mine, theirs = ((m["1M"] - m["10k"]) / (many - few) for m in (ours, peers))
    yield Row(
        "peak memory of answering, per stored case (12 features), as a share of TiMBL's",
        f"{mine:,.0f} bytes", f"{theirs:,.0f} bytes", mine / theirs, 0.25, True,
    )  # fmt: skip


def threads() -> Iterator[Row]:
    if (os.cpu_count() or 1) < 2:
        return
    files = data.windows()
    model = ib1.fit(cb.read_cases(files.train["1M"]))
    queries = model.schema.encode(read_table(files.test)).take(np.arange(100_000))
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):  # in turns, because a small machine has better and worse minutes
        times[1].append(median_seconds(lambda: model.answer(queries), 1))
        with bound_to_cores(2):
            times[2].append(median_seconds(lambda: model.answer(queries, n_jobs=2), 1))
    one, two = float(np.median(times[1])), float(np.median(times[2]))
    yield Row("IB1 queries, 1M cases: two threads against one", f"{two:.3f} s", f"{one:.3f} s", one / two, 1.7)


def correcting() -> Iterator[Row]:
    """One batch of 100 cases in, then one out, again and again; what is put off from time to time is in the mean."""
    files = data.windows()
    table, test = (table_of(path) for path in (files.train["1M"], files.test))
    target = table.column_names[-1]
    known = pc.is_in(test[target], pc.unique(table[target]))
    new = test.filter(known)
    asked = new.slice(100_000, N_ASKED).drop_columns(target)
    for learner, classifier in (("IB1", cb.IB1Classifier()), ("IGTree", cb.IGTreeClassifier())):
        refit = median_seconds(partial(classifier.fit, table.drop_columns(target), table[target]), 3)
        before = N_ASKED / median_seconds(partial(classifier.predict, asked), REPEATS)
        draw = np.random.default_rng(0)
        times: dict[str, list[float]] = {"insert": [], "remove": []}
        for i in range(N_BATCHES):
            batch = new.slice(100 * i, 100)
            rows, labels = batch.drop_columns(target), batch[target]
            times["insert"].append(median_seconds(partial(classifier.insert, rows, labels), 1))
            gone = draw.choice(classifier.ids_, 100, replace=False)
            times["remove"].append(median_seconds(partial(classifier.remove, gone), 1))
        after = N_ASKED / median_seconds(partial(classifier.predict, asked), REPEATS)
        for what, seconds in times.items():
            mean = float(np.mean(seconds))
            yield Row(
                f"{learner}, {files.name} 1M × 12: {what} of 100 cases, against fitting again",
                f"{1e3 * mean:.1f} ms", f"{refit:.2f} s", refit / mean, 100,
            )  # fmt: skip
        yield Row(
            f"{learner}, {files.name} 1M × 12: time per answer after {2 * N_BATCHES} corrections, against before",
            f"{1e6 / after:.1f} µs", f"{1e6 / before:.1f} µs", before / after, 1.5, True,
        )  # fmt: skip


def table_of(path: Path) -> pa.Table:
    """Return a file as a table of texts."""
    table = read_table(path)
    return pa.table({name: column.cast(pa.string()) for name, column in zip(table.names, table.columns)})


def start_up() -> Iterator[Row]:
    seconds = median_seconds(
        lambda: subprocess.run(casebase_command("--help"), capture_output=True, check=True), REPEATS
    )
    check = "import sys; from casebase.cli import cli; print('sklearn' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout.strip()
    yield Row(
        f"casebase --help, in seconds (scikit-learn imported: {loaded})", f"{seconds:.3f} s", "–", seconds, 0.3, True
    )


BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "start": start_up,
    "ib1": ib1_speed,
    "sklearn": ib1_against_sklearn,
    "mixed": ib1_mixed,
    "igtree": igtree_speed,
    "memory": memory_per_case,
    "threads": threads,
    "correct": correcting,
    "metrics": timbl_range.metrics,
    "texts": timbl_range.texts,
    "tribl2": timbl_range.tribl2_speed,
    "loo": timbl_range.leave_one_out,
    "timbl": timbl_range.command,
    "oblivion": oblivion.oblivion_speed,
    "smile": smile.smile_speed,
    "hyphenation": hyphenation.hyphenation,
    "trees": trees.tree_speed,
    "tagger": tagger.tagger,
}


def measured(names: list[str]) -> Iterator[Row]:
    for name in names:
        start = time.perf_counter()
        yield from BENCHMARKS[name]()
        print(f"({name}: {time.perf_counter() - start:.0f} s)", file=sys.stderr)
