"""The options that several commands share, and what they mean."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from casebase.base.threads import n_cores
from casebase.cli.weighting import weighting_named
from casebase.data import Cases, Schema, Table
from casebase.data.labels import labels_for
from casebase.errors import CasebaseError, SchemaError
from casebase.formats import FORMATS, read_table
from casebase.formats.source import STANDARD_INPUT, keep_inputs
from casebase.measures.cuts import DISCRETISERS, N_INTERVALS
from casebase.measures.distances import METRICS
from casebase.measures.votes import NORMALISATIONS, VOTES
from casebase.measures.weights import WEIGHTINGS
from casebase.methods import LEARNERS
from casebase.oblivious.elimination import DIRECTIONS
from casebase.oblivious.graph import MERGES
from casebase.rules.table_concepts import COSTS
from casebase.trees.growth import CRITERIA

Command = Callable[..., Any]


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def random_state_option(of: str) -> Callable[[Command], Command]:
    """Return the option that says where the random numbers begin, which in Python is random_state or seed."""
    return click.option(
        "--random-state",
        "--seed",
        "random_state",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help=f"Seed of the random numbers: {of}.",
    )


file_options = together(
    click.option(
        "--format",
        "format",
        metavar="NAME",
        help=f"Format of the data: {', '.join(FORMATS)}. Detected by default.",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line names the columns. Detected by default.",
    ),
    click.option(
        "--target",
        metavar="COLUMN",
        help="The class: a name, or a number from 1. The last column by default.",
    ),
    click.option("--separator", metavar="CHAR", help="What separates the fields of a line."),
    click.option("--width", type=int, help="Width of the fields (compact format)."),
    click.option("--n-features", type=int, help="Number of features (sparse and binary formats)."),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
)

search_options = together(
    click.option(
        "--direction",
        type=click.Choice(DIRECTIONS),
        default="backward",
        show_default=True,
        help="OBLIVION: drop features, beginning with all, or add them, beginning with none.",
    ),
    click.option(
        "--folds",
        default="loo",
        show_default=True,
        metavar="N|loo",
        help="OBLIVION: hold out cases in N folds, or each of them alone.",
    ),
    click.option("--max-steps", type=int, help="OBLIVION: drop, or add, at most this many features."),
    click.option(
        "--min-features", type=int, default=0, show_default=True, help="OBLIVION: keep at least this many features."
    ),
    random_state_option("folds, samples"),
)

learner_options = together(
    click.option("-k", type=int, default=1, show_default=True, help="Number of nearest distances that vote."),
    click.option(
        "--weighting",
        default="gain_ratio",
        show_default=True,
        metavar="NAME|W1,W2,…|FILE[:NAME]",
        help=f"Relevance of the features: {', '.join(WEIGHTINGS)}, numbers, or a weights file of TiMBL.",
    ),
    click.option(
        "--weighting-below",
        default="none",
        show_default=True,
        metavar="NAME|W1,W2,…|FILE[:NAME]",
        help="TRIBL: weights below the tree.",
    ),
    click.option(
        "--metric",
        default="overlap",
        show_default=True,
        metavar="NAME|FEATURE=NAME,…",
        help=f"How values are compared, for all features or for some: {', '.join(METRICS)}.",
    ),
    click.option(
        "--vote",
        type=click.Choice(list(VOTES)),
        default="equal",
        show_default=True,
        help="How much a case counts by its distance.",
    ),
    click.option(
        "--decay-alpha",
        type=float,
        default=1.0,
        show_default=True,
        help="Exponential vote: exp(-alpha · distance ** beta).",
    ),
    click.option("--decay-beta", type=float, default=1.0, show_default=True, help="Exponential vote: the power."),
    click.option(
        "--threshold",
        type=int,
        default=1,
        show_default=True,
        help="Cases a value needs to be compared by its classes (mvdm, jeffrey, jensen_shannon).",
    ),
    click.option("--exact-match", is_flag=True, help="Identical stored cases answer alone, whatever k."),
    click.option(
        "--normalisation",
        default="probability",
        show_default=True,
        metavar="NAME|NUMBER",
        help=f"How votes become shares: {', '.join(NORMALISATIONS)}, or a number added to every class.",
    ),
    click.option("--diversify", is_flag=True, help="Subtract the smallest weight from all weights."),
    click.option("--feature-limit", type=int, help="Use only this many features, the most relevant ones."),
    click.option(
        "--bootstrap", type=int, default=1, show_default=True, help="IB2: how many cases are kept before any is tested."
    ),
    click.option(
        "--alpha",
        default="auto",
        show_default=True,
        metavar="NUMBER|auto",
        help="SMILE: a pool is used if it has more cases than this.",
    ),
    click.option(
        "--discretise",
        type=click.Choice([*DISCRETISERS, "none"]),
        default="mdlp",
        show_default=True,
        help="SMILE, rules: how numbers are cut into intervals.",
    ),
    click.option(
        "--n-bins",
        type=int,
        default=N_INTERVALS,
        show_default=True,
        help="SMILE, rules: number of intervals of equal width or frequency.",
    ),
    click.option(
        "--depth",
        default="2",
        show_default=True,
        metavar="NUMBER|auto",
        help="Rules: levels of exceptions before the default.",
    ),
    click.option(
        "--cost",
        type=click.Choice(COSTS),
        default="unit",
        show_default=True,
        help="Rules: what a rule costs, 1 or its number of tests.",
    ),
    click.option("--pairs", is_flag=True, help="Rules: allow rules that ask for two values at once."),
    click.option(
        "--noise",
        default="auto",
        show_default=True,
        metavar="SHARE|auto",
        help="Rules: the share of the cases that may stay unexplained; auto: as few as possible.",
    ),
    click.option("--window", type=float, help="Rules: the share of the cases to begin with; all by default."),
    click.option(
        "--forbid",
        multiple=True,
        metavar="'FEATURE = VALUE'|FEATURE",
        help="Rules: a concept, or a feature, not to be used; may be repeated.",
    ),
    click.option(
        "--force",
        multiple=True,
        metavar="'FEATURE = VALUE → CLASS'",
        help="Rules: a rule that must be used; may be repeated. '->' is accepted for the arrow.",
    ),
    click.option("--switch", default="auto", show_default=True, help="TRIBL: number of features in the tree."),
    click.option("--criterion", type=click.Choice(CRITERIA), help="Trees: the measure that chooses the test."),
    click.option("--max-depth", type=int, help="Trees: at most this many tests on a path."),
    click.option(
        "--min-cases", type=float, help="Trees: at least two branches of every test must hold this many cases."
    ),
    click.option(
        "--confidence",
        type=float,
        default=0.25,
        show_default=True,
        help="C4.5 and its rules, oblivious graphs: confidence level of the error estimate; "
        "lower values prune, or merge, more.",
    ),
    click.option("--pruned/--unpruned", default=True, show_default=True, help="C4.5: whether the tree is pruned."),
    click.option("--subtree-raising", is_flag=True, help="C4.5: a test's heaviest branch may take its place."),
    click.option(
        "--collapse/--no-collapse",
        default=True,
        show_default=True,
        help="C4.5: whether a test that answers no training case better than a leaf becomes a leaf.",
    ),
    click.option(
        "--theory-weight",
        type=float,
        default=0.5,
        show_default=True,
        help="C4.5's rules: how much a bit of the rules counts against a bit of their exceptions.",
    ),
    click.option(
        "--max-passes",
        type=int,
        default=100,
        show_default=True,
        help="Perceptron trees: at most this many passes through the cases to train a perceptron.",
    ),
    click.option(
        "--patience",
        type=int,
        default=10,
        show_default=True,
        help="Perceptron trees: training is given up after this many passes without improvement.",
    ),
    click.option(
        "--merge",
        type=click.Choice(MERGES),
        default="top_down",
        show_default=True,
        help="Oblivious graphs: which nodes of a level become one.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["value", "unknown", "fractional"]),
        help="Whether a missing value is a value like any other, agrees with nothing, or (the default of c45) "
        "takes every branch.",
    ),
    click.option("--compat", type=click.Choice(["timbl"]), help="Do as TiMBL does, to the letter."),
    search_options,
)

learner_option = click.option(
    "--learner", type=click.Choice(list(LEARNERS)), default="ib1", show_default=True, help="The method."
)
threads_option = click.option(
    "-j", "--threads", type=click.IntRange(min=1), default=None, help="Threads; all by default."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

FILE_PARAMETERS = ("format", "header", "target", "separator", "width", "n_features", "encoding")
_OF_NEIGHBOURS = (
    "k",
    "weighting",
    "metric",
    "vote",
    "decay_alpha",
    "decay_beta",
    "threshold",
    "exact_match",
    "normalisation",
    "diversify",
    "feature_limit",
    "missing",
    "compat",
)
_OF_TREES = ("criterion", "max_depth", "min_cases", "metric", "missing", "normalisation")
SEARCH_PARAMETERS = ("direction", "folds", "max_steps", "min_features", "random_state")
PARAMETERS = {
    "ib1": _OF_NEIGHBOURS,
    "igtree": ("weighting", "metric", "normalisation", "diversify", "feature_limit", "missing", "compat"),
    "tribl": ("switch", "weighting_below", *_OF_NEIGHBOURS),
    "tribl2": _OF_NEIGHBOURS,
    "ib2": ("bootstrap", *_OF_NEIGHBOURS),
    "oblivion": (*SEARCH_PARAMETERS, "missing", "normalisation"),
    "smile": ("alpha", "discretise", "n_bins", "metric", "normalisation"),
    "rules": (
        "depth",
        "cost",
        "pairs",
        "noise",
        "window",
        "forbid",
        "force",
        "discretise",
        "n_bins",
        "metric",
        "random_state",
        "normalisation",
    ),
    "perceptron_tree": ("max_passes", "patience", "criterion", "metric", "random_state", "normalisation"),
    "oblivious_graph": ("criterion", "merge", "confidence", "missing", "normalisation"),
    "id3": _OF_TREES,
    "c45": ("confidence", "pruned", "subtree_raising", "collapse", *_OF_TREES),
    "c45rules": ("confidence", "min_cases", "criterion", "theory_weight", "metric", "normalisation"),
}
OWN_DEFAULTS: dict[str, dict[str, Any]] = {
    "id3": {"criterion": "information_gain", "min_cases": 1.0},
    "c45": {"criterion": "gain_ratio", "min_cases": 2.0, "missing": "fractional"},
    "c45rules": {"criterion": "gain_ratio", "min_cases": 2.0},
    "perceptron_tree": {"criterion": "information_gain"},
    "oblivious_graph": {"criterion": "information_gain"},
}
LEARN_IN_THREADS = ("oblivion", "smile", "rules")


@dataclass(frozen=True)
class DataFile:
    """A data file and how to read it."""

    path: str
    options: dict[str, Any]
    n_threads: int

    @classmethod
    def from_options(cls, path: str, given: dict[str, Any], threads: int | None = None) -> "DataFile":
        return cls(path, {name: given[name] for name in FILE_PARAMETERS}, n_threads(threads))

    def table(self) -> Table:
        """Return the table of a training file."""
        return self._read(_target(self.options["target"]))

    def cases(self) -> Cases:
        """Return the cases of a training file."""
        return self.cases_of(self.table())

    def cases_of(self, table: Table, ids: Any = None) -> Cases:
        """Return the cases of the file's table."""
        with told_of(self.path):
            return Cases.from_table(table, ids=ids)

    def labelled(self, schema: Schema) -> tuple[Table, list[Any]]:
        """Return a table of cases to be stored, and their classes."""
        table = self._read(_target(self.options["target"]), schema)
        if table.target is None:
            raise SchemaError(
                f"{self.path} has no class: cases to be stored need a column {schema.target!r}"
                f"{'' if schema.is_named else f', so {len(schema.features) + 1} columns in all'}. If another column is "
                "the class, pass --target."
            )
        with told_of(self.path):
            return table, labels_for(schema.classes, table.columns[table.target])

    def queries(self, schema: Schema) -> tuple[Cases, Table]:
        """Return new cases in a model's codes, and the table they came from."""
        table = self._read(_target(self.options["target"]), schema)
        try:
            return schema.encode(table), table
        except SchemaError as error:
            hint = ""
            if table.is_named and schema.is_named and self.options["header"] is None:
                hint = " If the first line holds values and no names, pass --no-header."
            raise SchemaError(f"{self.path}: {error}{hint}") from error

    def _read(self, target: str | int | None, schema: Schema | None = None) -> Table:
        options = self.options | {"target": target, "schema": schema, "n_threads": self.n_threads}
        return read_table(self.path, **options)


@contextmanager
def told_of(path: str) -> Iterator[None]:
    """Add the file to errors about the cases in it."""
    try:
        yield
    except CasebaseError as error:
        raise type(error)(f"{STANDARD_INPUT if path == '-' else path}: {error}") from error


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options that were given but would have no effect."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE
        if parameter.name in names and given:
            raise click.UsageError(f"{max(parameter.opts, key=len)} {why}")


def learner_parameters(learner: str, given: dict[str, Any], *, of_command: Iterable[str] = ()) -> dict[str, Any]:
    """Return what a learner's `fit` takes, from the options of the command line.

    Options that no learner but this one has are refused, unless the command itself has a use for them.
    """
    others = {name for names in PARAMETERS.values() for name in names} - {*PARAMETERS[learner], *of_command}
    refuse_given(others, f"has no meaning for the learner {learner}.")
    otherwise = {"missing": "value"} | OWN_DEFAULTS.get(learner, {})
    parameters: dict[str, Any] = {
        name: otherwise.get(name) if given[name] is None else given[name] for name in PARAMETERS[learner]
    }
    for name in ("weighting", "weighting_below"):
        if name in parameters:
            parameters[name] = weighting_named(parameters[name])
    if "metric" in parameters:
        parameters["metric"] = metric_named(parameters["metric"])
    if "folds" in parameters:
        parameters["cv"] = folds_named(parameters.pop("folds"))
    parameters["normalisation"] = _normalisation(parameters["normalisation"])
    if "force" in parameters:
        parameters["force"] = [forced_rule(text) for text in parameters["force"]]
        parameters["forbid"] = list(parameters["forbid"])
        parameters["noise"] = _share("--noise", parameters["noise"], "auto")
    for name in ("switch", "alpha", "depth"):
        if name in parameters and parameters[name] != "auto":
            parameters[name] = whole_number(f"--{name}", parameters[name], "auto")
    return parameters


def n_threads(threads: int | None) -> int:
    return threads or n_cores()


def writable(path: str | None, *inputs: str | None) -> str | None:
    """Return an output path after making sure, before any work, that it can be written and is none of the inputs."""
    if path is None or path == "-":
        return None
    target = Path(path)
    folder = target.parent
    if not folder.is_dir():
        raise CasebaseError(f"Cannot write {target}: there is no folder {folder}.")
    if target.is_dir():
        raise CasebaseError(f"Cannot write {target}: it is a folder.")
    if target.exists() and not target.is_file():
        raise CasebaseError(f"Cannot write {target}: it is not a file.")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise CasebaseError(f"Cannot write {target}: permission denied.")
    keep_inputs(path, inputs)
    return path


def _target(text: str | None) -> str | int | None:
    """A column by name, or by number from 1 as people count; the library counts from 0."""
    if text is None or not re.fullmatch(r"-?[0-9]+", text):
        return text
    number = int(text)
    if number == 0:
        raise CasebaseError("There is no column 0: columns are numbered from 1, or from -1 backwards.")
    return number - 1 if number > 0 else number


def _normalisation(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text  # the learner's message lists the names it knows


def folds_named(text: str) -> str | int:
    return text if text == "loo" else whole_number("--folds", text, "loo")


def metric_named(text: str) -> Any:
    if "=" not in text:
        return text
    pairs = [part.rpartition("=") for part in text.split(",")]
    return {name.strip(): metric.strip() for name, _, metric in pairs}


def forced_rule(text: str) -> list[str]:
    """Return the concept and the class of a rule such as "outlook = sunny → no"."""
    concept, arrow, label = text.replace("->", "→").rpartition("→")
    if not arrow or not concept.strip() or not label.strip():
        raise click.BadParameter(f"--force takes a rule such as 'outlook = sunny → no', got {text!r}.")
    return [concept.strip(), label.strip()]


def _share(option: str, text: str, otherwise: str) -> float | str:
    if text == otherwise:
        return text
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{option} takes a share from 0 to 1 or {otherwise!r}, got {text!r}.") from None


def whole_number(option: str, text: str, otherwise: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise click.BadParameter(f"{option} takes a whole number or {otherwise!r}, got {text!r}.") from None
