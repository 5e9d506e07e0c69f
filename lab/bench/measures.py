"""The parts of the benchmark: each yields comparisons with a peer, or curves.

Both sides use the same files in the same run, and their runs alternate. TiMBL's rates are those it prints for its test,
which include reading the test file and writing the answers; ours include the same. Every side runs five times; TiMBL,
which is slower, answers only the first of our queries.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sklearn.neighbors import KNeighborsClassifier

import casebase as cb
from casebase.base.threads import n_cores
from casebase.formats import read_table
from casebase.neighbours import ib1, igtree
from lab.bench import (
    annotating,
    browse,
    confidence,
    data,
    eodg,
    flips,
    growth,
    health,
    http,
    hyphenation,
    kinds,
    language_model,
    oblivion,
    prices,
    scale,
    single,
    smile,
    strings,
    tagger,
    timbl_port,
    timbl_range,
    traps,
    trees,
)
from lab.bench.report import Row, alone, answer_file, beside
from lab.bench.running import Part
from lab.bench.sizes import Sizes
from lab.bench.timing import (
    Gauge,
    ReportedSeconds,
    Runs,
    Side,
    alternating,
    bound_to_cores,
    casebase_command,
    command_seconds,
    runs_of,
    side,
    timbl_seconds,
)
from lab.peers import timbl


def ib1_speed(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        rates = []
        test, first = files.asked(sizes.asked), files.asked(sizes.asked_of_timbl)
        for train, target in ((files.middle, 80), (files.many, 100)):
            model = ib1.fit(cb.read_cases(train))
            answer_file(model, test, out)  # the files have been read once before the clock starts
            sides = {"one": side(partial(answer_file, model, test, out), sizes.repeats)}
            if n_cores() > 1:
                sides["all"] = side(
                    partial(answer_file, model, test, out, n_cores()), sizes.repeats, partial(bound_to_cores, n_cores())
                )
            if timbl.is_installed():
                sides |= _timbl_sides(train, first, out, sizes)
            n_asked = {name: sizes.asked_of_timbl if name.startswith("peer") else sizes.asked for name in sides}
            taken = {name: runs.rate(n_asked[name]) for name, runs in alternating(sides).items()}
            rates.append(taken["one"])
            what = f"IB1, k=1, gain ratio, {files.name} {files.size(train)} × 12"
            if "peer" in taken:
                yield beside(f"{what}, against TiMBL", taken["one"], taken["peer"], target, "/s")
            if {"all", "peer, all"} <= taken.keys():
                # Threads may slow TiMBL down: then it is measured with one.
                best = max(taken["peer"], taken["peer, all"], key=lambda runs: runs.median)
                yield beside(
                    f"{what}, {n_cores()} threads, against TiMBL with as many or with one, whichever is faster",
                    taken["all"],
                    best,
                    unit="/s",
                )
    at_middle, at_many = (Runs(tuple(1e6 / rate for rate in runs.values)) for runs in rates)
    yield beside(
        f"growth: IB1 time per query, {files.size(files.many)} cases against {files.size(files.middle)}",
        at_many,
        at_middle,
        2.5,
        "µs",
        is_cost=True,
    )


def _timbl_sides(train: Path, test: Path, out: Path, sizes: Sizes) -> dict[str, Side]:
    """TiMBL on one thread, and on all."""

    def ask(*options: str) -> ReportedSeconds:
        files = ("-f", str(train), "-t", str(test), "-o", str(out))
        return timbl_seconds(sizes.asked_of_timbl, *files, *options)

    sides = {"peer": side(ask, sizes.repeats)}
    if n_cores() > 1:
        sides["peer, all"] = side(partial(ask, f"--clones={n_cores()}"), sizes.repeats)
    return sides


def ib1_against_sklearn(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    cases = cb.read_cases(files.middle)
    for weighting, what in (("gain_ratio", "IB1, k=1, gain ratio"), ("none", "IB1, k=1, unweighted")):
        model = ib1.fit(cases, weighting=weighting)
        queries = model.schema.encode(read_table(files.test)).take(np.arange(sizes.asked_of_sklearn))
        codes = np.stack([column.astype(np.int32) for column in cases.columns], axis=1)
        asked = np.stack([column.astype(np.int32) for column in queries.columns], axis=1)
        for n_jobs in dict.fromkeys((1, n_cores())):
            peer = KNeighborsClassifier(1, metric="hamming", n_jobs=n_jobs).fit(codes, cases.known_labels)
            sides = {
                "ours": side(partial(model.answer, queries, n_jobs=n_jobs), sizes.repeats),
                "peer": side(partial(peer.predict, asked), sizes.repeats),
            }
            taken = {name: runs.rate(sizes.asked_of_sklearn) for name, runs in alternating(sides).items()}
            threads = "" if n_jobs == 1 else f", {n_jobs} threads on both sides"
            yield beside(
                f"{what}, {files.size(files.middle)} × 12 codes, against scikit-learn's hamming kNN{threads}",
                taken["ours"],
                taken["peer"],
                150 if n_jobs == 1 else None,
                "/s",
            )


def ib1_mixed(sizes: Sizes) -> Iterator[Row]:
    if not timbl.is_installed():
        return
    train, test, numeric = data.mixed(sizes)
    model = ib1.fit(cb.read_cases(train, kinds={f"f{i + 1}": "numeric" for i in numeric}), k=5)
    declared = f"O:N{numeric[0] + 1}-{numeric[-1] + 1}"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers"
        options = ["-f", str(train), "-t", str(test), "-m", declared, "-k", "5", "-o", str(out)]
        sides = {
            "ours": side(partial(answer_file, model, test, out), sizes.repeats),
            "peer": side(lambda: timbl_seconds(sizes.mixed_asked, *options), sizes.repeats),
        }
        taken = {name: runs.rate(sizes.mixed_asked) for name, runs in alternating(sides).items()}
    yield beside(
        f"IB1, k=5, 6 symbolic + 6 numeric, {sizes.mixed:,} cases, against TiMBL",
        taken["ours"],
        taken["peer"],
        20,
        "/s",
    )


def igtree_speed(sizes: Sizes) -> Iterator[Row]:
    files = data.windows(sizes)
    train, size = str(files.many), files.size(files.many)
    with tempfile.TemporaryDirectory() as folder:
        base, saved, out = (Path(folder) / name for name in ("base", "model.cb", "answers"))
        commands = {
            threads: Gauge(
                casebase_command("train", train, "-o", str(saved), "--learner", "igtree", "-j", str(threads))
            )
            for threads in (1, 2)
        }
        sides = {f"{threads}": side(gauge, sizes.repeats) for threads, gauge in commands.items()}
        peer = Gauge([timbl.PROGRAM, "-a", "IGTREE", "-f", train, "-I", str(base)])
        if timbl.is_installed():
            sides["peer"] = side(peer, sizes.repeats)
        learning = alternating(sides)
        model = igtree.fit(cb.read_cases(train))
        cases = model.schema.encode(read_table(files.test))
        if timbl.is_installed():
            for threads, target in ((1, 12), (2, 18)):
                yield beside(
                    f"IGTree: text to saved model, {size} cases, {threads} thread{'s' * (threads > 1)}, against TiMBL",
                    learning[f"{threads}"],
                    learning["peer"],
                    target,
                )
            yield beside(
                f"IGTree: peak memory from text to saved model, {size} cases, as a share of TiMBL's",
                commands[1].memory.times(1e-6),
                peer.memory.times(1e-6),
                unit="MB",
                is_cost=True,
            )
            options = ["-a", "IGTREE", "-i", str(base), "-t", str(files.test), "-o", str(out)]
            answering = alternating(
                {
                    "ours": side(partial(answer_file, model, files.test, out), sizes.repeats),
                    "peer": side(lambda: timbl_seconds(cases.n_cases, *options), sizes.repeats),
                }
            )
            ours, theirs = (answering[name].rate(cases.n_cases) for name in ("ours", "peer"))
            yield beside("IGTree: text to file of answers, against TiMBL", ours, theirs, 5, "/s")
        coded = runs_of(partial(model.walk, cases), sizes.repeats).rate(cases.n_cases).times(1e-6)
    yield alone("IGTree: answers from coded cases, in millions a second", coded, 5, "million/s", is_cost=False)


def memory_per_case(sizes: Sizes) -> Iterator[Row]:
    """The memory per case is the difference of a large and a small model; learners are compared on the large."""
    files = data.windows(sizes)
    with tempfile.TemporaryDirectory() as folder:
        out, test = str(Path(folder) / "answers"), str(files.asked(min(100, sizes.asked)))
        few, many = files.n_lines[files.few], files.n_lines[files.many]
        ours, peers = {}, {}
        for train in (files.few, files.many):
            model = str(Path(folder) / f"{train.name}.cb")
            command_seconds(casebase_command("train", str(train), "-o", model, "--learner", "ib1"))
            _, ours[train] = command_seconds(casebase_command("predict", model, test, "-o", out))
            if timbl.is_installed():
                _, peers[train] = command_seconds([timbl.PROGRAM, "-f", str(train), "-t", test, "-o", out])
        if timbl.is_installed():
            mine, theirs = (Runs(((m[files.many] - m[files.few]) / (many - few),)) for m in (ours, peers))
            if theirs.median > 0 and mine.median > 0:  # tiny files differ by less than a page
                yield beside(
                    "peak memory of answering, per stored case (12 features), as a share of TiMBL's",
                    mine,
                    theirs,
                    0.25,
                    "bytes",
                    is_cost=True,
                )
        for learner in ("ib1", "igtree", "tribl", "id3", "c45"):
            model = str(Path(folder) / f"{learner}.cb")
            command = casebase_command("train", str(files.many), "-o", model, "--learner", learner, "-j", "1")
            _, peak = command_seconds(command)
            yield alone(
                f"peak memory of learning, {learner}, {files.size(files.many)} × 12, text to saved model, in MB",
                Runs((peak / 1e6,)),
                unit="MB",
            )


def threads(sizes: Sizes) -> Iterator[Row]:
    if n_cores() < 2:
        return
    files = data.windows(sizes)
    model = ib1.fit(cb.read_cases(files.many))
    queries = model.schema.encode(read_table(files.test)).take(np.arange(sizes.asked_of_threads))
    taken = alternating(
        {
            "one": side(partial(model.answer, queries), sizes.repeats),
            "two": side(partial(model.answer, queries, n_jobs=2), sizes.repeats, partial(bound_to_cores, 2)),
        }
    )
    yield beside(
        f"IB1 queries, {files.size(files.many)} cases: two threads against one", taken["two"], taken["one"], 1.7
    )


def correcting(sizes: Sizes) -> Iterator[Row]:
    """Insert and remove batches of 100 cases alternately; the mean includes work that is done only now and then."""
    files = data.windows(sizes)
    table, test = (table_of(path) for path in (files.many, files.test))
    target = table.column_names[-1]
    known = pc.is_in(test[target], pc.unique(table[target]))
    new = test.filter(known)
    asked = new.slice(new.num_rows - sizes.asked, sizes.asked).drop_columns(target)
    what = f"{files.name} {files.size(files.many)} × 12"
    for learner, classifier in (("IB1", cb.IB1Classifier()), ("IGTree", cb.IGTreeClassifier())):
        refit = runs_of(partial(classifier.fit, table.drop_columns(target), table[target]), sizes.repeats)
        before = runs_of(partial(classifier.predict, asked), sizes.repeats)
        draw = np.random.default_rng(0)
        times: dict[str, list[float]] = {"insert": [], "remove": []}
        for i in range(sizes.batches):
            batch = new.slice(sizes.batch * i, sizes.batch)
            rows, labels = batch.drop_columns(target), batch[target]
            times["insert"] += runs_of(partial(classifier.insert, rows, labels), 1).values
            gone = draw.choice(classifier.ids_, sizes.batch, replace=False)
            times["remove"] += runs_of(partial(classifier.remove, gone), 1).values
        after = runs_of(partial(classifier.predict, asked), sizes.repeats)
        for verb, seconds in times.items():
            mean = float(np.mean(seconds))
            yield beside(
                f"{learner}, {what}: {verb} of {sizes.batch} cases (mean of {sizes.batches}), against fitting again",
                Runs((mean,)),
                refit,
                100,
            )
        yield beside(
            f"{learner}, {what}: time per answer after {2 * sizes.batches} corrections, against before",
            after.times(1e6 / sizes.asked),
            before.times(1e6 / sizes.asked),
            1.5,
            "µs",
            is_cost=True,
        )


def table_of(path: Path) -> pa.Table:
    """Return a file as a table of texts."""
    table = read_table(path)
    return pa.table({name: column.cast(pa.string()) for name, column in zip(table.names, table.columns)})


def start_up(sizes: Sizes) -> Iterator[Row]:
    run_help: Callable[[], object] = partial(
        subprocess.run, casebase_command("--help"), capture_output=True, check=True
    )
    check = "import sys; from casebase.cli import cli; print('sklearn' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout.strip()
    yield alone(f"casebase --help, in seconds (scikit-learn imported: {loaded})", runs_of(run_help, sizes.repeats), 0.3)


BENCHMARKS: dict[str, Part] = {
    "start": start_up,
    "ib1": ib1_speed,
    "sklearn": ib1_against_sklearn,
    "mixed": ib1_mixed,
    "igtree": igtree_speed,
    "memory": memory_per_case,
    "threads": threads,
    "correct": correcting,
    "load": prices.loading,
    "explain": prices.explaining,
    "metrics": timbl_range.metrics,
    "texts": timbl_range.texts,
    "tribl2": timbl_range.tribl2_speed,
    "loo": timbl_range.leave_one_out,
    "timbl": timbl_range.command,
    "timblserver": timbl_port.timbl_port,
    "oblivion": oblivion.oblivion_speed,
    "eodg": eodg.eodg_speed,
    "smile": smile.smile_speed,
    "hyphenation": hyphenation.hyphenation,
    "strings": strings.strings,
    "trees": trees.tree_speed,
    "tagger": tagger.tagger,
    "annotating": annotating.annotating,
    "lm": language_model.language_model,
    "single": single.single,
    "flips": flips.flips,
    "browse": browse.browse,
    "kinds": kinds.finding_kinds,
    "confidence": confidence.costs,
    "health": health.health,
    "http": http.service,
    "traps": traps.traps,
    "growth": growth.growth,
    "scale": scale.scale,
    "scale-memory": scale.scale_memory,
    "scale-workers": scale.scale_workers,
}
