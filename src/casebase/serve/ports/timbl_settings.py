"""The settings of a connection to the TiMBL port, and the options with which a client changes them.

The letters, the messages and the order of the table are those of timblserver 1.14, found by asking it. Some values are
accepted there that look wrong (`-k 3x` is 3, a word that is no option is skipped), so they are accepted here.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from casebase.timbl.notation import as_votes
from casebase.timbl.options import DECAYS, VERBOSITIES, Decay, Options

TAKES_VALUE, MAY_TAKE_VALUE = "CdklLpv", "G"
LETTERS = "C:d:G::k:l:L:p:Qv:x"  # as the messages list them
ALLOWED = frozenset({"s", "di", "db", "n", "cm"})  # levels of -v that a client may change
LEVELS = ("s", "o", "p", "f", "e", "cm", "di", "db", "n", "k", "md", "cf", "as", "cs", "b")  # in the order of the table
MOST_NEIGHBOURS = 100_000
NORMALISATIONS = {None: "None", "probability": "Probability", "add": "AddFactor", "log_probability": "LogProbability"}
VOTES = {"equal": "Z", "inverse_distance": "ID", "inverse_linear": "IL", "exponential": "ED"}
VOTE_OF = {kind: vote for vote, kind in VOTES.items()}

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+")


class RefusedOption(Exception):
    """An option with a wrong value, which changes nothing; `later` is what the next question is told."""

    def __init__(self, message: str, later: str | None = None) -> None:
        super().__init__(message)
        self.later = later


class BrokenOption(Exception):
    """An option after which timblserver refuses all work on the base until it is selected again."""


def changed(options: Options, text: str, *, is_tree: bool) -> Options:
    """Return the options after a client's `set`.

    >>> changed(Options(), "-k3 -d IL +vdb", is_tree=False).decay.kind
    'IL'
    """
    for sign, letter, value in _split(text.split()):
        options = _apply(options, sign, letter, value, is_tree)
    return options


def _split(words: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield sign, letter and value of each option; other words are skipped."""
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word[0] not in "+-" or len(word) == 1:
            continue
        name = word[2:].partition("=")[0] if word.startswith("--") else word[1]
        if len(name) != 1 or name not in LETTERS or name == ":":
            raise BrokenOption(f"option-error: invalid option '{name}': valid options: {LETTERS}")
        value = word[2:]
        if not value and name in TAKES_VALUE + MAY_TAKE_VALUE:
            if rest and rest[0][0] not in "+-":
                value = rest.popleft()
            elif name in TAKES_VALUE:
                raise BrokenOption(f"option-error: missing value for option '-{name}': valid options: {LETTERS}")
        yield word[0], name, value


def _apply(options: Options, sign: str, letter: str, value: str, is_tree: bool) -> Options:
    if letter == "v":
        return replace(options, verbosity=_verbosity(options.verbosity, sign, value, is_tree))
    if letter == "k":
        k = _first_whole(value)
        if k is None or k < 1:
            later = None if k is None else _rejected("NEIGHBORS", value)
            raise RefusedOption(f"illegal value for -k option: {value}", later)
        if k > MOST_NEIGHBOURS:
            raise BrokenOption(_rejected("NEIGHBORS", value))
        return replace(options, k=k)
    if letter == "L":
        threshold = _first_whole(value)
        if threshold is not None and threshold < 1:
            raise RefusedOption(f"illegal value for -L option: {value}", _rejected("MVD_LIMIT", value))
        return options if threshold is None else replace(options, threshold=threshold)
    if letter == "p":
        progress = _first_whole(value)
        if progress == 0:
            raise BrokenOption(_rejected("PROGRESS", value))
        return options if progress is None else replace(options, progress=progress)
    if letter == "d":
        return replace(options, decay=_decay(value, options.decay))
    if letter == "G":
        return _normalisation(options, value)
    return replace(options, exact_match=sign == "+") if letter == "x" else options


def _rejected(name: str, value: str) -> str:
    return f"SetOption '{name}: {value}' failed.\nIllegal value for this option"


def _first_whole(text: str) -> int | None:
    found = _WHOLE.match(text)
    return None if found is None else int(found.group()[:18])


def _decay(value: str, before: Decay) -> Decay:
    """Return the decay that a client names; its numbers stay until they are given again."""
    kind = next((kind for kind in DECAYS if value.upper().startswith(kind)), None)
    wrong = RefusedOption(f"illegal value for -d option: {value}")
    if kind is None:
        raise wrong
    if kind != "ED":
        return replace(before, text=value, kind=kind)
    numbers = [number for number in value[2:].removeprefix(":").split(":") if number]
    if len(numbers) > 2 or any(_NUMBER.fullmatch(number) is None for number in numbers):
        raise wrong
    given = [float(number) for number in numbers]
    alpha, beta = given + [before.alpha, before.beta][len(given) :]
    return Decay(value, kind, alpha, beta)


def _normalisation(options: Options, value: str) -> Options:
    kind, _, factor = value.lower().partition(":")
    wrong = RefusedOption(f"invalid value for option '-G' ({value})")
    if kind in ("", "0", "probability"):
        return replace(options, normalisation="probability")
    if kind in ("1", "addfactor"):
        if factor and _NUMBER.fullmatch(factor) is None:
            raise wrong
        return replace(options, normalisation="add", added=float(factor or 1.0))
    if kind in ("2", "logprobability"):
        return replace(options, normalisation="log_probability")
    raise wrong


def _verbosity(before: frozenset[str], sign: str, value: str, is_tree: bool) -> frozenset[str]:
    levels = frozenset(value.lower().split("+"))
    if not levels <= frozenset(VERBOSITIES):
        raise RefusedOption(f"illegal value for +/- v option: {value}")
    # One level that is allowed lets the others of the same option pass.
    if not levels & ALLOWED:
        names = "+".join(level.upper() for level in LEVELS if level in levels)
        raise RefusedOption(f"-v option: {names} is not allowed at this stage.")
    if is_tree and sign == "+" and "n" in levels:
        raise RefusedOption("Invalid option +vn, impossible with IGtree algorithm")
    return before | levels if sign == "+" else before - levels


@dataclass(frozen=True)
class Described:
    """What the table of settings tells of a base, beyond the options that a connection changes."""

    format: str = "Column"
    width: int = 0
    target: int = 0
    tree_order: str = "G/V"
    weighting: str = "gr"
    switch: int = 0
    bootstrap: int = 0
    keeps_distributions: bool = False
    diversify: bool = False
    metric: str = "O"
    metrics: dict[int, str] = field(default_factory=dict)  # of features with another metric, by number from 1
    clip: int = 10


def settings_table(base: Described, options: Options) -> list[tuple[str, str]]:
    """Return timblserver's table of settings: names and values, in its order."""
    shown = [level.upper() for level in LEVELS if level in options.verbosity]
    return [
        ("FLENGTH", str(base.width)),
        ("MAXBESTS", str(options.n_listed)),
        ("TRIBL_OFFSET", str(base.switch)),
        ("IG_THRESHOLD", str(options.ig_threshold)),
        ("INPUTFORMAT", base.format),
        ("TREE_ORDER", base.tree_order),
        ("ALL_WEIGHTS", "false"),
        ("WEIGHTING", base.weighting),
        ("BIN_SIZE", str(options.n_bins)),
        ("IB2_OFFSET", str(base.bootstrap)),
        ("KEEP_DISTRIBUTIONS", _flag(base.keeps_distributions)),
        ("DO_SLOPPY_LOO", "false"),
        ("TARGET_POS", str(base.target)),
        ("DO_SILLY", "false"),
        ("DO_DIVERSIFY", _flag(base.diversify)),
        ("DECAY", options.decay.kind),
        ("SEED", "-1"),
        ("BEAM_SIZE", "0"),
        ("DECAYPARAM_A", as_votes(options.decay.alpha)),
        ("DECAYPARAM_B", as_votes(options.decay.beta)),
        ("NORMALISATION", NORMALISATIONS[options.normalisation]),
        ("NORM_FACTOR", as_votes(options.added)),
        ("EXEMPLAR_WEIGHTS", "false"),
        ("IGNORE_EXEMPLAR_WEIGHTS", "true"),
        ("NO_EXEMPLAR_WEIGHTS_TEST", "true"),
        ("VERBOSITY", "+".join(shown) or "Unknown"),
        ("EXACT_MATCH", _flag(options.exact_match)),
        ("HASHED_TREE", "true"),
        ("GLOBAL_METRIC", base.metric),
        ("METRICS", "".join(f"{number}:{letter}, " for number, letter in base.metrics.items())),
        ("MVD_LIMIT", str(options.threshold or 1)),
        ("NEIGHBORS", str(options.k)),
        ("PROGRESS", str(options.progress)),
        ("HANDLE_OCCURRENCES", "0"),
        ("CLIP_FACTOR", str(base.clip)),
    ]


def _flag(value: bool) -> str:
    return "true" if value else "false"
