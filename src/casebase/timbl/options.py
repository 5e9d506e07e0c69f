"""TiMBL's command line as a record.

Single letters take their value with or without a blank (`-k3`, `-k 3`), long options after `=` or a blank.
`+` switches on what `-` switches off. An option that is malformed, unknown or not supported is an error that names the
option. Nothing is guessed: `-k 3x`, which TiMBL reads as 3, is an error too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from casebase.errors import CasebaseError, unknown_name
from casebase.timbl.metric_string import MetricString, read_metrics

ALGORITHMS = {"0": "IB1", "1": "IGTree", "2": "TRIBL", "3": "IB2", "4": "TRIBL2"}
WEIGHTINGS = ("nw", "gr", "ig", "x2", "sv", "sd")
DECAYS = ("Z", "ID", "IL", "ED")
FORMATS = {
    "columns": "Columns",
    "c4.5": "C4.5",
    "c45": "C4.5",
    "arff": "ARFF",
    "tabbed": "Tabbed",
    "compact": "Compact",
    "sparse": "Sparse",
    "binary": "Binary",
}
TREE_ORDERS = (
    "DO",
    "UDO",
    "GRO",
    "IGO",
    "X2O",
    "SVO",
    "SDO",
    "1/V",
    "G/V",
    "I/V",
    "X/V",
    "S/V",
    "SD/V",
    "GxE",
    "IxE",
    "1/S",
)
VERBOSITIES = ("s", "o", "b", "f", "p", "e", "as", "cm", "cs", "cf", "di", "db", "md", "k", "n")
UNSUPPORTED = {
    "-R": "random tie-breaking depends on the C library of the machine, so that results cannot be reproduced elsewhere",
    "-X": "the instance base is not written as XML; -I writes it as TiMBL's text",
    "-u": "value-class probabilities with three decimals change the distances; use -i to keep a model",
    "-U": "value-class probabilities with three decimals change the distances; use -I to keep a model",
    "--matrixin": "distances between values are computed, not read",
    "--matrixout": "distances between values are not written",
}
# The options that a line of an option file (-t @file) may set; all others come from the command line.
PER_TEST = frozenset("deGkLmopQtvwxR%")


@dataclass(frozen=True)
class Decay:
    """How votes decrease with distance; `text` is the value of the option as the user typed it."""

    text: str = "Z"
    kind: str = "Z"
    alpha: float = 1.0
    beta: float = 1.0


@dataclass(frozen=True)
class WeightsFile:
    """A file to read feature weights from, and which of its sections."""

    path: str
    section: str = "gr"


@dataclass(frozen=True)
class Options:
    """The options of a command line; the defaults are TiMBL's."""

    algorithm: str = "IB1"
    metric: MetricString = field(default_factory=lambda: read_metrics("O"))
    weighting: str = "gr"
    weights_file: WeightsFile | None = None
    k: int = 1
    decay: Decay = Decay()
    decay_given: bool = False
    threshold: int | None = None
    switch: int | None = None
    bootstrap: int | None = None
    test: str | None = None
    train: str | None = None
    format: str | None = None
    width: int | None = None
    n_features: int | None = None
    target: int | None = None
    exemplars: str | None = None  # both, train, ignored
    occurrences: str | None = None  # train, test, both
    base_in: str | None = None
    base_out: str | None = None
    weights_out: str | None = None
    names_out: str | None = None
    input_folder: str | None = None
    output_folder: str | None = None
    output: str | None = None
    percent: bool = False
    estimate: int | None = None  # how often TiMBL estimates the time left: accepted, without effect
    progress: int = 100_000
    verbosity: frozenset[str] = frozenset({"f"})
    normalisation: str | None = None  # probability, log_probability, or add
    added: float = 1.0
    beam: int | None = None
    n_bins: int = 20
    clip: int = 10
    keep_distributions: bool = False
    hashed: bool = True
    n_listed: int = 500
    exact_match: bool = False
    tree_order: str | None = None
    ig_threshold: int = 1000
    diversify: bool = False
    sloppy: bool = False
    silly: bool = False
    clones: int = 1
    limit: int | None = None
    neighbours_only: bool = False
    show_settings: bool = False
    show_version: bool = False

    def shows(self, level: str) -> bool:
        return level in self.verbosity


def read_options(
    words: Sequence[str], *, defaults: Options | None = None, only: frozenset[str] | None = None
) -> Options:
    """Return the options of a command line, on top of TiMBL's defaults or others.

    >>> read_options(["-f", "dimin.train", "-k3", "+vdb+di"]).k
    3
    """
    defaults = defaults or Options()
    found: dict[str, Any] = {}
    given: dict[str, str] = {}
    verbosity = set(defaults.verbosity)
    for sign, name, value in _split(words):
        option = f"{sign}{name}"
        if only is not None and name not in only:
            raise CasebaseError(
                f"Option {option} is not allowed in an option file. Allowed: {', '.join(sorted(only))}."
            )
        if name == "v":
            levels = _levels(option, value)
            verbosity = verbosity | levels if sign == "+" else verbosity - levels
            continue
        word = f"{option} {value}".rstrip()
        if given.setdefault(name, word) != word:
            # TiMBL uses the first value of some options and the last of others, and may name the output after the
            # wrong one.
            raise CasebaseError(f"Option {option} is given twice: {given[name]} and {word}. Give it once.")
        found |= _READ[name](option, sign, value)
    return replace(defaults, **found, verbosity=frozenset(verbosity))


def _split(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the sign, the name and the value (perhaps empty) of every option."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            sign, (name, equals, value) = "--", word[2:].partition("=")
            option = f"--{name}"
        elif word[:1] in ("-", "+") and len(word) > 1:
            sign, name, value = word[0], word[1], word[2:]
            equals, option = "", word[:2]
        else:
            raise CasebaseError(
                f"{word!r} is not an option: options begin with - or +. A file name follows -f, -t, -i, …"
            )
        if f"-{name}" in UNSUPPORTED or f"--{name}" in UNSUPPORTED:
            why = UNSUPPORTED.get(f"-{name}" if sign != "--" else option, UNSUPPORTED.get(option, ""))
            raise CasebaseError(f"Option {option} is not supported: {why}.")
        if name not in _READ or ((sign == "--") != (len(name) > 1) and name != "V"):
            known = [f"--{n}" if len(n) > 1 else f"-{n}" for n in _READ]
            raise CasebaseError(unknown_name("option", option, known))
        if sign == "+" and name not in "vxDH%":
            raise CasebaseError(f"Option {option}: only v, x, D, H and % can have a +. Write -{name}.")
        # The next word is a value unless it looks like an option. Of the options whose value may be missing, long ones
        # take it only after `=`.
        takes = _TAKES.get(name, "value")
        next_is_value = bool(rest) and rest[0][:1] not in ("-", "+")
        if takes == "nothing" and (value or equals):
            raise CasebaseError(f"Option {option} takes no value, got {value!r}.")
        if takes == "value" and not value and not equals and next_is_value:
            value = rest.pop(0)
        if takes == "optional" and not value and not equals and next_is_value and sign != "--":
            value = rest.pop(0)
        if takes == "value" and not value:
            raise CasebaseError(f"Option {option} needs a value, got none.")
        yield sign, name, value


def _number(option: str, value: str, least: int, most: int) -> int:
    if not (value.isascii() and value.isdigit()) or len(value) > 18 or not least <= int(value) <= most:
        raise CasebaseError(f"Option {option}: expected a whole number from {least} to {most}, got {value!r}.")
    return int(value)


def _decimal(option: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise CasebaseError(f"Option {option}: expected a number of at least 0, got {value!r}.")
    return number


Reader = Callable[[str, str, str], dict[str, Any]]


def _whole(name: str, least: int, most: int = 2**31 - 1) -> Reader:
    return lambda option, sign, value: {name: _number(option, value, least, most)}


def _text(name: str) -> Reader:
    return lambda option, sign, value: {name: value}


def _switch(name: str) -> Reader:
    return lambda option, sign, value: {name: sign == "+"}


def _on(name: str) -> Reader:
    return lambda option, sign, value: {name: True}


def _boolean(name: str) -> Reader:
    def read(option: str, sign: str, value: str) -> dict[str, Any]:
        if value.lower() not in ("", "true", "false"):
            raise CasebaseError(f"Option {option}: expected true or false, got {value!r}.")
        return {name: value.lower() != "false"}

    return read


def _algorithm(option: str, sign: str, value: str) -> dict[str, Any]:
    names = {name.upper(): name for name in ALGORITHMS.values()}
    name = ALGORITHMS.get(value) or names.get(value.upper())
    if name is None:
        known = [f"{number} or {name}" for number, name in ALGORITHMS.items()]
        raise CasebaseError(f"Option {option}: {unknown_name('algorithm', value, known)}")
    return {"algorithm": name}


def _weighting(option: str, sign: str, value: str) -> dict[str, Any]:
    name = WEIGHTINGS[int(value)] if value in tuple("012345") else value.lower()
    if name in WEIGHTINGS:
        return {"weighting": name}
    path, colon, section = value.rpartition(":")
    if not colon:
        return {"weights_file": WeightsFile(value)}
    if not path:
        raise CasebaseError(f"Option {option} {value}: expected the name of a file before the colon, as weights:gr.")
    section = WEIGHTINGS[int(section)] if section in tuple("012345") else section.lower()
    if section not in WEIGHTINGS:
        raise CasebaseError(
            f"Option {option} {value}: {unknown_name('section of a weights file', section, WEIGHTINGS)}"
        )
    return {"weights_file": WeightsFile(path, section)}


def _decay(option: str, sign: str, value: str) -> dict[str, Any]:
    kind = value[:2].upper() if value.upper() != "Z" else "Z"
    numbers = value[len(kind) :].removeprefix(":").split(":") if value[len(kind) :] else []
    if kind not in DECAYS or (numbers and kind != "ED") or len(numbers) > 2:
        raise CasebaseError(f"Option {option}: expected Z, ID, IL, ED:a or ED:a:b, got {value!r}.")
    alpha, beta = [_decimal(f"{option} {value}", number) for number in numbers] + [1.0, 1.0][len(numbers) :]
    return {"decay": Decay(value, kind, alpha, beta), "decay_given": True}


def _format(option: str, sign: str, value: str) -> dict[str, Any]:
    if value.lower() not in FORMATS:
        raise CasebaseError(f"Option {option}: {unknown_name('format', value, dict.fromkeys(FORMATS.values()))}")
    return {"format": FORMATS[value.lower()]}


def _exemplars(option: str, sign: str, value: str) -> dict[str, Any]:
    meaning = {"": "both", "0": "ignored", "1": "train"}
    if value not in meaning:
        raise CasebaseError(f"Option {option}: expected -s, -s0 or -s1, got -s{value}.")
    return {"exemplars": meaning[value]}


def _occurrences(option: str, sign: str, value: str) -> dict[str, Any]:
    if value not in ("train", "test", "both"):
        raise CasebaseError(f"Option {option}: expected train, test or both, got {value!r}.")
    return {"occurrences": value}


def _normalisation(option: str, sign: str, value: str) -> dict[str, Any]:
    kind, colon, factor = value.lower().partition(":")
    if kind in ("", "0", "probability") and not colon:
        return {"normalisation": "probability"}
    if kind in ("1", "addfactor"):
        return {"normalisation": "add", "added": _decimal(f"{option} {value}", factor) if colon else 1.0}
    if kind in ("2", "logprobability") and not colon:
        return {"normalisation": "log_probability"}
    raise CasebaseError(
        f"Option {option}: expected 0, 1, 1:f, 2, Probability, addFactor:f or logProbability, got {value!r}."
    )


def _levels(option: str, value: str) -> set[str]:
    levels = set(value.lower().split("+"))
    wrong = sorted(levels - set(VERBOSITIES))
    if wrong:
        raise CasebaseError(f"Option {option}{value}: {unknown_name('level', wrong[0], VERBOSITIES)}")
    # The confusion matrix and the scores per class come with the averages, and +vk shows distributions.
    if levels & {"cm", "cs"}:
        levels.add("as")
    return levels | {"db"} if "k" in levels else levels


def _tree_order(option: str, sign: str, value: str) -> dict[str, Any]:
    orders = {order.upper(): order for order in TREE_ORDERS}
    if value.upper() not in orders:
        raise CasebaseError(f"Option {option}: {unknown_name('tree order', value, TREE_ORDERS)}")
    return {"tree_order": orders[value.upper()]}


_READ: dict[str, Reader] = {
    "a": _algorithm,
    "m": lambda option, sign, value: {"metric": read_metrics(value)},
    "w": _weighting,
    "k": _whole("k", 1, 100_000),
    "d": _decay,
    "L": _whole("threshold", 1),
    "q": _whole("switch", 1),
    "b": _whole("bootstrap", 1),
    "t": _text("test"),
    "f": _text("train"),
    "F": _format,
    "l": _whole("width", 1, 32),
    "N": _whole("n_features", 1),
    "T": _whole("target", 1),
    "s": _exemplars,
    "occurrences": _occurrences,
    "i": _text("base_in"),
    "I": _text("base_out"),
    "W": _text("weights_out"),
    "n": _text("names_out"),
    "P": _text("input_folder"),
    "O": _text("output_folder"),
    "o": _text("output"),
    "%": _on("percent"),
    "e": _whole("estimate", 1),
    "p": _whole("progress", 1),
    "v": lambda option, sign, value: {},
    "G": _normalisation,
    "Beam": _whole("beam", 1),
    "B": _whole("n_bins", 2, 10_000),
    "c": _whole("clip", 0),
    "D": _switch("keep_distributions"),
    "H": _switch("hashed"),
    "M": _whole("n_listed", 10, 100_000),
    "x": _switch("exact_match"),
    "Treeorder": _tree_order,
    "Threshold": _whole("ig_threshold", 1),
    "Diversify": _on("diversify"),
    "sloppy": _boolean("sloppy"),
    "silly": _boolean("silly"),
    "clones": _whole("clones", 1, 1000),
    "limit": _whole("limit", 1),
    "Z": _on("neighbours_only"),
    "Q": _on("show_settings"),
    "V": _on("show_version"),
    "version": _on("show_version"),
}
_TAKES = dict.fromkeys(("D", "H", "x", "%", "Z", "Q", "V", "version", "Diversify"), "nothing")
_TAKES |= dict.fromkeys(("G", "s", "sloppy", "silly"), "optional")
