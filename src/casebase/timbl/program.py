"""Run a TiMBL command line: read, train, test, write, and report progress as TiMBL does."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from casebase.base.threads import n_cores
from casebase.errors import CasebaseError
from casebase.formats.source import keep_inputs, open_source
from casebase.formats.weights import WeightsHeader, read_weights, weights_text
from casebase.timbl import progress
from casebase.timbl.data_files import DataFile, Input, common_encoding
from casebase.timbl.file_names import input_path, output_path, percent_path, written_path
from casebase.timbl.folds import folds_of
from casebase.timbl.instance_base import Base, base_text, check_numeric, read_base
from casebase.timbl.memory import Memory, Training, limit_features, remember, required_measures
from casebase.timbl.metric_string import NUMERIC
from casebase.timbl.models import Learned, fit
from casebase.timbl.names_file import names_text
from casebase.timbl.option_file import read_tests
from casebase.timbl.option_rules import CROSS_VALIDATE, LEAVE_ONE_OUT, check_combination
from casebase.timbl.options import WEIGHTINGS, Options, read_options
from casebase.timbl.outcomes import outcome_of, result_columns, test_answers
from casebase.timbl.output_files import check_writable, write_whole
from casebase.timbl.results import result_lines
from casebase.timbl.tree_size import size_of
from casebase.timbl.trees import append_lines, header_of, igtree_of, nodes_of, training_of, weights_beside


@dataclass(frozen=True)
class Streams:
    """The output streams of a run: one for results, one for warnings."""

    out: Callable[[str], object] = lambda text: print(text, end="")
    err: Callable[[str], object] = lambda text: print(text, file=sys.stderr)

    def in_bytes(self, encoding: str) -> "Streams":
        """Return the same streams for texts in an 8-bit encoding, whose bytes are printed unchanged."""
        if encoding == "utf-8":
            return self

        def original_bytes(text: str) -> str:
            return text.encode(encoding, "backslashreplace").decode("utf-8", "surrogateescape")

        return Streams(lambda text: self.out(original_bytes(text)), lambda text: self.err(original_bytes(text)))


def run(words: Sequence[str], streams: Streams | None = None) -> int:
    """Run a command line and return its exit status: 0 only if there was a test, as in TiMBL."""
    streams = streams or Streams()
    options = read_options(words)
    if options.show_version:
        streams.out(progress.version())
        return 0
    check_combination(options)
    return Run.prepare(options, streams).execute()


@dataclass(frozen=True, eq=False)
class Run:
    """The run of a command line, with the contents of all files it names."""

    options: Options
    streams: Streams
    tests: list[Options]
    contents: dict[str, bytes]
    given: Input

    @classmethod
    def prepare(cls, options: Options, streams: Streams) -> "Run":
        """Read all files, before anything is trained or written."""
        tests = read_tests(options)
        names = [options.train] if options.train is not None else []
        if options.test == CROSS_VALIDATE:
            names = fold_names(options)
        names += [
            test.test for test in tests if test.test is not None and test.test not in (LEAVE_ONE_OUT, CROSS_VALIDATE)
        ]
        names += [options.base_in] if options.base_in is not None else []
        paths = dict.fromkeys(input_path(options, name) for name in names)
        contents = {path: open_source(Path(path)).data for path in paths}
        encoding = common_encoding(list(contents.values()), options.format, options.width)
        given = Input(options.format, options.width, options.n_features, options.target, encoding)
        return cls(options, streams.in_bytes(encoding), tests, contents, given)

    def execute(self) -> int:
        options = self.options
        for path in self._outputs():
            check_writable(path)
            keep_inputs(path, self.contents)
        if options.show_settings:
            self.streams.err(progress.settings(options))
        if options.shows("o"):
            self.streams.out(progress.settings(options) + "\n")
        if options.test == CROSS_VALIDATE:
            self._cross_validate()
            return 0
        base = self._base() if options.base_in is not None else None
        file = self._data_file(options.train, is_training=True) if options.train is not None else None
        test_files = [self._test_file(test, base, file) for test in self.tests]
        learned = self._learn(base, file)
        for test, test_file in zip(self.tests, test_files):
            assert learned is not None
            self._test(learned, test_file, test)
        return 0 if self.tests else 1

    def _test_file(self, test: Options, base: Base | None, training_file: DataFile | None) -> DataFile:
        """Return the test lines, in the same format as the training lines."""
        if test.test == LEAVE_ONE_OUT:
            assert training_file is not None
            return training_file
        n_features = len(base.header.order) if base is not None else None
        n_features = training_file.layout.n_features if training_file is not None else n_features
        file = self._data_file(test.test or "", is_training=False, n_features=n_features)
        if training_file is not None and file.layout.format != training_file.layout.format:
            raise CasebaseError(
                f"{file.path}: the test file is in the {file.layout.format} format, but the training file "
                f"{training_file.path} is in the {training_file.layout.format} format. Set -F if that is wrong."
            )
        return file

    def _outputs(self) -> list[str]:
        names = [self.options.base_out, self.options.weights_out, self.options.names_out]
        paths = [written_path(self.options, name) for name in names if name is not None]
        if self.options.test == CROSS_VALIDATE:
            return paths
        return paths + [output_path(test, self._test_name(test)) for test in self.tests]

    def _test_name(self, test: Options) -> str:
        name = self.options.train if test.test == LEAVE_ONE_OUT else test.test
        return input_path(self.options, name or "")

    # Learning

    def _learn(self, base: Base | None, file: DataFile | None) -> Learned | None:
        """Train the model, or return None if it is not needed; write all files except the answers."""
        options = self.options
        if base is not None and base.header.is_pruned:
            return self._tree_out_of(base)
        memory = self._memory(base, file)
        needs_model = self.tests or options.base_out is not None or not (options.weights_out or options.names_out)
        learned = fit(memory, options) if needs_model else None
        if options.weights_out is not None:
            self._write(options.weights_out, self._weights_text(memory))
        if options.names_out is not None:
            self._write(options.names_out, names_text(memory))
        if learned is not None:
            self._report_model(learned, memory, is_out_of_base=base is not None)
        return learned

    def _report_model(self, learned: Learned, memory: Memory, *, is_out_of_base: bool) -> None:
        options = self.options
        if options.algorithm == "IB2":
            self.streams.out(size_of(learned, np.arange(options.bootstrap or 0)).text())
        size = size_of(learned)
        self.streams.out(size.text() + (size.branching() if options.shows("b") else ""))
        if is_out_of_base:
            self.streams.out(progress.base_order_report(memory.order))
        if options.weights_file is not None:
            self.streams.out(f"Reading weights from {options.weights_file.path}\n")
        if options.algorithm == "IB2":
            self.streams.out(progress.weights_table(memory, options, is_first=False))
        if options.base_out is not None:
            self._write_base(learned, memory)

    def _memory(self, base: Base | None, file: DataFile | None) -> Memory:
        """Return the training lines of a file, of an instance base, or of both."""
        options = self.options
        if file is None:
            assert base is not None
            training = training_of(base)
            return remember(training, options, self._given_weights(training.n_features), self.streams.err)
        training = Training.from_file(file, options)
        if base is not None:
            training = append_lines(training_of(base), training)
        memory = remember(
            training, replace(options, limit=None), self._given_weights(training.n_features), self.streams.err
        )
        self.streams.out(progress.file_report(file.path, file.layout))
        self.streams.out(progress.data_report(memory, options, file) + progress.order_report(memory, options))
        if options.limit is not None:
            memory = limit_features(memory, options, self.streams.err)
            self.streams.out(progress.file_report(file.path, file.layout))
            self.streams.out(progress.data_report(memory, options, file) + progress.order_report(memory, options))
        return memory

    def _data_file(self, name: str, *, is_training: bool, n_features: int | None = None) -> DataFile:
        """Return the lines of a training or test file, with a warning for each line that is skipped."""
        options, path = self.options, input_path(self.options, name)
        has_weights = options.exemplars is not None and (is_training or options.exemplars != "train")
        has_counts = options.occurrences in ("both", "train" if is_training else "test")
        number = "weights" if has_weights else "occurrences" if has_counts else None
        file = self.given.read(path, self.contents[path], number=number, n_features=n_features, n_threads=n_cores())
        for line_number, line, wrong in file.skipped:
            if wrong:
                kind = "sample weight" if wrong == "weights" else "(non-integer) occurrence value"
                self.streams.err(f"Warning: Wrong {kind}: '{line.split()[-1]}'")
            self.streams.err(f"Warning: {'data' if is_training else 'test'}file, skipped line #{line_number}\n{line}")
        return file

    def _base(self) -> Base:
        options = self.options
        path = input_path(options, options.base_in or "")
        base = read_base(path, self.contents[path].decode(self.given.encoding))
        self.streams.out(f"Reading Instance-Base from: {path}\n")
        if base.header.is_pruned != (options.algorithm == "IGTree"):
            state, needed = ("pruned", "IGTree (-a 1)") if base.header.is_pruned else ("complete", "another algorithm")
            raise CasebaseError(
                f"Option -i {path}: the instance base is {state}, which is for {needed}, not for {options.algorithm}."
            )
        check_numeric(base, {i for i in base.header.numeric if options.metric.of(i + 1) in NUMERIC})
        return base

    def _tree_out_of(self, base: Base) -> Learned:
        options, n_features = self.options, len(base.header.order)
        if options.train is not None:
            raise CasebaseError("Option -f: lines cannot be added to a pruned instance base (-i).")
        beside = weights_beside(base.path)
        self.streams.out(progress.base_order_report(base.header.order) + f"Reading weights from {beside}\n")
        weights = self._given_weights(n_features)
        if options.weights_file is not None:
            self.streams.out(f"Reading weights from {options.weights_file.path}\n")
        if weights is None:
            text = open_source(Path(beside)).data.decode("latin-1")
            weights = read_weights(beside, text, n_features, options.weighting)
        return Learned(igtree_of(base, weights), base.classes, n_features, ("O",) * n_features)

    def _given_weights(self, n_features: int) -> np.ndarray | None:
        file = self.options.weights_file
        if file is None:
            return None
        path = input_path(self.options, file.path)
        if not Path(path).exists():
            raise CasebaseError(
                f"Option -w {file.path}: expected a weighting ({', '.join(WEIGHTINGS)}) or a file of weights, but "
                f"{path}: there is no such file."
            )
        weights = read_weights(path, open_source(Path(path)).data.decode("latin-1"), n_features, file.section)
        if self.options.base_in is None:
            self.streams.err(
                "Calculated weights replaced by:\n" + progress.weights_listing(weights, ".15g").rstrip("\n")
            )
        return weights

    def _weights_text(
        self, memory: Memory, names: Sequence[str] = ("nw", "gr", "ig", "sv", "x2"), closed: bool = True
    ) -> str:
        relevance = memory.relevance
        names = ("sd",) if self.options.weighting == "sd" else names
        header = WeightsHeader(relevance.entropy, len(memory.symbols.classes), memory.symbols.n_lines)
        return weights_text(header, {name: relevance.measures[name] for name in names}, memory.ignored, closed)

    def _write_base(self, learned: Learned, memory: Memory) -> None:
        options, name = self.options, self.options.base_out or ""
        is_pruned = options.algorithm == "IGTree"
        header, nodes = header_of(memory, options), nodes_of(memory, learned, is_pruned)
        self.streams.out(f"Writing Instance-Base in: {written_path(options, name)}\n")
        self._write(name, *base_text(header, nodes, options.keep_distributions))
        if is_pruned:
            self.streams.out(f"Saving Weights in {written_path(options, name)}.wgt\n")
            has_all = "x2" in required_measures(options)
            names = ("nw", "gr", "ig", "sv", "x2") if has_all else ("nw", "gr", "ig")
            self._write(f"{name}.wgt", self._weights_text(memory, names, closed=has_all))

    def _write(self, name: str, *parts: str) -> None:
        write_whole(written_path(self.options, name), parts, self.given.encoding)

    # Testing

    def _test(self, learned: Learned, file: DataFile, options: Options) -> None:
        if options is not self.options and learned.memory is not None:
            learned = self._for_another_test(learned.memory, options)
        if options.test != LEAVE_ONE_OUT:
            self.streams.out(progress.file_report(file.path, file.layout))
        output = output_path(options, self._test_name(options))
        self.streams.out(progress.experiment_header(learned, options, self._test_name(options), output))
        self._answer(learned, file, options, output)

    def _for_another_test(self, memory: Memory, options: Options) -> Learned:
        """Return the model for a line of an option file: same data and weights, other metric, neighbours, votes."""
        new_memory = remember(memory.training, options, memory.weights, lambda warning: None)
        if options.limit is not None:
            new_memory = limit_features(new_memory, options, lambda warning: None)
        return fit(new_memory, options)

    def _answer(self, learned: Learned, file: DataFile, options: Options, output: str) -> None:
        """Answer the lines of a file, write the answers and print the scores."""
        start = time.perf_counter()
        found, below = test_answers(learned, file, options)
        columns = [["\n"] * len(found.label)] if options.neighbours_only else result_columns(learned, found, options)
        parts = result_lines(file.echoes(), columns if below is None else [*columns, below])
        write_whole(output, parts, self.given.encoding)
        self.streams.out(progress.timing(len(found.label), time.perf_counter() - start))
        if options.neighbours_only:
            return
        outcome = outcome_of(learned, found, options, self.given.encoding)
        shows = options.shows
        self.streams.out("\n" + outcome.text(averages=shows("as"), per_class=shows("cs"), matrix=shows("cm")))
        if options.percent or options.test == CROSS_VALIDATE:
            name = f"{output}.%" if options.test == CROSS_VALIDATE else percent_path(output)
            write_whole(name, [outcome.percent()], self.given.encoding)

    def _cross_validate(self) -> None:
        """Test each file with a model that is trained on the others."""
        options = self.options
        files = [self._data_file(name, is_training=True) for name in fold_names(options)]
        self.streams.out("Starting Cross validation test on files:\n" + "".join(f"{file.path}\n" for file in files))
        for i, fold in enumerate(folds_of(files, options, self.streams.err)):
            memory = fold.memory
            self.streams.out(progress.file_report(fold.file.path, fold.file.layout))
            self.streams.out(progress.weights_table(memory, options, is_first=i == 0))
            learned = fit(memory, options)
            output = f"{fold.file.path}.cv"
            if options.output_folder is not None:
                output = written_path(options, Path(output).name)
            self.streams.out(progress.experiment_header(learned, options, fold.file.path, output, is_first_fold=i == 0))
            self._answer(learned, fold.file, options, output)


def fold_names(options: Options) -> list[str]:
    """Return the names of the files of a cross-validation, one per line of the file that -f names."""
    path = input_path(options, options.train or "")
    names = open_source(Path(path)).data.decode("utf-8", "replace").split()
    if len(names) < 3:
        raise CasebaseError(f"{path}: expected at least 3 names of files for -t cross_validate, got {len(names)}.")
    return names
