"""The run of a command line: read, learn, test, write, and say so as TiMBL does."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from casebase.errors import CasebaseError
from casebase.formats.source import Source, open_source
from casebase.timbl import progress
from casebase.timbl.checking import check_combination
from casebase.timbl.experiment import (
    Memory,
    Tested,
    Training,
    fit,
    n_jobs,
    questions,
    remember,
    tested,
)
from casebase.timbl.naming import input_path, output_path, percent_path, written_path
from casebase.timbl.options import PER_TEST, Options, read_options
from casebase.timbl.provisional import fuller
from casebase.timbl.reading import DataFile, Input, common_encoding
from casebase.timbl.results import Shown, confidences, distances, result_lines
from casebase.timbl.statistics import Outcome, confusion_of
from casebase.timbl.weights_file import WeightsHeader, read_weights, weights_text
from casebase.timbl.writing import check_writable, write_whole

EPSILON = 2.0**-52
LEAVE_ONE_OUT, CROSS_VALIDATE = "leave_one_out", "cross_validate"


@dataclass(frozen=True)
class Says:
    """Where the run speaks: results to one stream, warnings to the other."""

    out: Callable[[str], Any]
    err: Callable[[str], Any]


def run(words: Sequence[str], says: Says | None = None) -> int:
    """Carry out a command line and return its exit status: 0 only if a test was done, as in TiMBL."""
    says = says or Says(lambda text: print(text, end=""), lambda text: print(text, file=sys.stderr))
    options = read_options(words)
    check_combination(options)
    return Run(options, says).carry_out()


@dataclass(frozen=True, eq=False)
class Run:
    """A command line that is being carried out."""

    options: Options
    says: Says

    def carry_out(self) -> int:
        options = self.options
        if options.show_settings:
            self.says.err(progress.settings(options))
        tests = self._tests()
        for path in self._outputs(tests):
            check_writable(path)
        sources = self._sources(tests)
        encoding = common_encoding([source.data for source in sources.values()], options.format, options.width)
        given = Input(options.format, options.width, options.n_features, options.target, encoding)
        memory = self._learn(given, sources)
        if not tests:
            return 1
        model = fit(memory, options)
        self.says.out(progress.size(memory, model))
        for test in tests:
            self._test(memory, model, test, given, sources)
        return 0

    def _tests(self) -> list[Options]:
        """Return the options of every test: one, or a line each of an option file."""
        options = self.options
        if options.test is None:
            return []
        if not options.test.startswith("@"):
            return [options]
        path = input_path(options, options.test[1:])
        defaults = Options(
            **{name: getattr(options, name) for name in KEPT_PER_TEST if name != "verbosity"},
            verbosity=options.verbosity,
        )
        tests = []
        for number, line in enumerate(open_source(Path(path)).data.decode("utf-8", "replace").splitlines(), start=1):
            if not line.strip():
                continue
            try:
                one = read_options(line.split(), defaults=defaults, only=PER_TEST)
                if one.test is None:
                    raise CasebaseError("Option -t is missing: every line names a test file.")
                check_combination(replace(one, train=options.train, base_in=options.base_in))
            except CasebaseError as error:
                raise CasebaseError(f"{path}, line {number}: {error}") from None
            tests.append(one)
        return tests

    def _outputs(self, tests: list[Options]) -> list[str]:
        options = self.options
        written = [options.base_out, options.weights_out, options.names_out]
        paths = [written_path(options, name) for name in written if name is not None]
        return paths + [output_path(test, self._test_name(test)) for test in tests]

    def _test_name(self, test: Options) -> str:
        if test.test == LEAVE_ONE_OUT:
            return input_path(self.options, self.options.train or self.options.base_in or "")
        return input_path(self.options, test.test or "")

    def _sources(self, tests: list[Options]) -> dict[str, Source]:
        """Return the contents of all data files, read before anything is learned or written."""
        names = [self.options.train] + [test.test for test in tests if test.test != LEAVE_ONE_OUT]
        paths = [input_path(self.options, name) for name in names if name is not None]
        return {path: open_source(Path(path)) for path in dict.fromkeys(paths)}

    def _learn(self, given: Input, sources: dict[str, Source]) -> Memory:
        options = self.options
        assert options.train is not None
        path = input_path(options, options.train)
        number = "weights" if options.exemplars else "occurrences" if options.occurrences in ("train", "both") else None
        file = given.read(path, sources[path].data, number=number, n_threads=n_jobs())
        self._warn_skipped(file, "datafile")
        training = Training.from_file(file, options)
        self.says.out(progress.examined(path, file.layout))
        memory = remember(training, options, self._given_weights(training), self.says.err)
        self.says.out(progress.learned(memory, options, file.n_skipped))
        if options.weights_out:
            self._write_weights(memory, given.encoding)
        return memory

    def _given_weights(self, training: Training) -> np.ndarray | None:
        file = self.options.weights_file
        if file is None:
            return None
        path = input_path(self.options, file.path)
        text = open_source(Path(path)).data.decode("latin-1")
        weights = read_weights(path, text, training.n_features, file.section)
        self.says.err("Calculated weights replaced by:\n" + progress.weights_listing(weights).rstrip("\n"))
        return weights

    def _write_weights(self, memory: Memory, encoding: str) -> None:
        options, relevance = self.options, memory.relevance
        names = ("sd",) if options.weighting == "sd" else ("nw", "gr", "ig", "sv", "x2")
        header = WeightsHeader(relevance.entropy, len(memory.symbols.classes), memory.cases.n_cases)
        text = weights_text(header, {name: relevance.measures[name] for name in names}, memory.ignored)
        write_whole(written_path(options, options.weights_out or ""), [text], encoding)

    def _warn_skipped(self, file: DataFile, kind: str) -> None:
        for number, line, wrong in file.skipped:
            if wrong == "weights":
                self.says.err(f"Warning: Wrong sample weight: '{line.split()[-1]}'")
            elif wrong:
                self.says.err(f"Warning: Wrong (non-integer) occurrence value: '{line.split()[-1]}'")
            self.says.err(f"Warning: {kind}, skipped line #{number}\n{line}")

    def _test(self, memory: Memory, model: Any, options: Options, given: Input, sources: dict[str, Source]) -> None:
        name = self._test_name(options)
        path = input_path(self.options, options.test or "")
        number = (
            "weights" if options.exemplars in ("both", "ignored") else
            "occurrences" if options.occurrences in ("test", "both") else None
        )  # fmt: skip
        file = given.read(path, sources[path].data, number=number, like=memory.training.layout, n_threads=n_jobs())
        self._warn_skipped(file, "testfile")
        self.says.out(progress.examined(path, file.layout))
        output = output_path(options, name)
        self.says.out(progress.starting(memory, model, options, name, output))
        started = time.perf_counter()
        asked = questions(memory, model, file.table())
        answers = fuller(model, asked, model.answer(asked, n_jobs=n_jobs()))
        found = tested(memory, answers, file.columns[-1])
        parts = result_lines(file.echoes(), result_columns(memory, found, options))
        write_whole(output, parts, given.encoding)
        self.says.out(progress.finished(len(found.label), time.perf_counter() - started))
        self._report(memory, found, options, output, given.encoding)

    def _report(self, memory: Memory, found: Tested, options: Options, output: str, encoding: str) -> None:
        outcome = outcome_of(memory, found, options)
        shows = options.shows
        self.says.out("\n" + outcome.text(averages=shows("as"), per_class=shows("cs"), matrix=shows("cm")))
        if options.percent:
            write_whole(percent_path(output), [outcome.percent()], encoding)


def result_columns(memory: Memory, found: Tested, options: Options) -> list[list[str]]:
    """Return what stands behind the echo of each test line, column by column."""
    classes = memory.symbols.classes
    columns = [[classes[label] for label in found.label.tolist()]]
    shown = Shown(options.normalisation, options.added, options.beam)
    if options.shows("cf"):
        shares = found.distributions.shares_of(found.label, shown, len(classes))
        columns.append([f" [{text}]" for text in confidences(shares, options.shows("di"))])
    if options.shows("db"):
        columns.append([f" {text}" for text in found.distributions.texts(classes, shown)])
    if options.shows("di"):
        columns.append([f"        {text}" for text in distances(found.distance)])
    if options.shows("md"):
        ends = ["L" if leaf else "N" for leaf in found.at_leaf.tolist()]
        columns.append([f" {depth}:{end}" for depth, end in zip(found.depth.tolist(), ends)])
    return [*columns, ["\n"] * len(found.label)]


def outcome_of(memory: Memory, found: Tested, options: Options) -> Outcome:
    """Return the score of answers."""
    n_classes = len(memory.symbols.classes)
    right = found.label == found.actual
    is_exact = found.distance < EPSILON if options.algorithm != "IGTree" else np.zeros(len(right), dtype=bool)
    return Outcome(
        memory.symbols.classes,
        confusion_of(found.actual, found.label, n_classes),
        int(is_exact.sum()),
        int(found.was_tied.sum()),
        int((found.was_tied & right).sum()),
    )


# What a line of an option file does not set anew.
KEPT_PER_TEST = (
    "algorithm", "weighting", "weights_file", "switch", "bootstrap", "train", "format", "width", "n_features", "target",
    "exemplars", "occurrences", "base_in", "input_folder", "output_folder", "percent", "verbosity", "n_bins", "clip",
    "keep_distributions", "n_listed", "tree_order", "diversify", "silly", "clones",
)  # fmt: skip
