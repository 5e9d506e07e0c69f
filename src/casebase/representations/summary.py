"""A comparison in sentences and tables, for the terminal, the HTML page and the notebook."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, median, stdev
from typing import TYPE_CHECKING

from casebase.base.model import format_count
from casebase.render.grids import Grid
from casebase.representations.reasons import STOPS

if TYPE_CHECKING:
    from casebase.representations.record import Comparison, Pair, Run, SizeVerdict

NONE = "–"
UNDECIDED = "undecided"
N_PAIRS_SHOWN = 45  # those of ten representations
N_NAMES_SHOWN = 5


def headline(comparison: "Comparison") -> str:
    """Return the result in one sentence."""
    if comparison.best is not None:
        return f"{comparison.best} is the best representation for {comparison.learner}."
    if len(comparison.names) == 2:
        return f"Undecided: neither {' nor '.join(comparison.names)} is better for {comparison.learner}."
    return f"No representation beats all others for {comparison.learner}; {comparison.ranking[0]} has the fewest bits."


def how(comparison: "Comparison") -> str:
    """Return a sentence on what was compared, and how."""
    given = "".join(f", {name}={value}" for name, value in comparison.parameters.items())
    return (
        f"{format_count(comparison.n_examples, 'example')}, {format_count(comparison.n_classes, 'class')}, "
        f"learner {comparison.learner}{given}; {format_count(comparison.n_runs, 'run')} of at most "
        f"{comparison.max_runs}; samples of {format_count(comparison.first_size, 'example')} and more, "
        f"each {comparison.growth:.3g} times the one before; "
        f"confidence {comparison.confidence:.4g}, seed {comparison.seed}."
    )


def remarks(comparison: "Comparison") -> list[str]:
    """Return what a reader must know before trusting the result."""
    sentences = []
    if comparison.was_interrupted:
        sentences.append(f"Interrupted after {format_count(comparison.n_runs, 'run')}: this is the result so far.")
    for cycle in comparison.cycles:
        sentences.append(f"{', '.join(cycle)} beat one another in a cycle: they are ordered by bits.")
    if comparison.undecided and len(comparison.names) > 2:
        n, most = len(comparison.undecided), len(comparison.pairs)
        sentences.append(f"{n} of {format_count(most, 'pair')} {'is' if n == 1 else 'are'} undecided.")
    least, default = min(comparison.bits_per_example.values()), comparison.default_bits_per_example
    if least >= default:
        sentences.append(
            "No representation compresses the examples: always answering the most frequent class, with corrections, "
            f"takes {default:.4f} bits per example, no more than {comparison.learner} needs. Compare held-out "
            "accuracies before you rely on the ranking."
        )
    if comparison.is_sensitive:
        sentences.append(
            "The result depends on the size of the first sample (last table): take it as a hint, and compare "
            "held-out accuracies."
        )
    return sentences + list(comparison.notes)


def order_of(names: Sequence[str], pairs: Sequence["Pair"]) -> str:
    """Return a ranking with `>` where a pair is decided and `~` where it is not.

    >>> from casebase.representations.record import Pair
    >>> order_of(["a", "b", "c"], [Pair("b", "a", 0, 7, 0, 0.008, "a"), Pair("b", "c", 3, 2, 0, 0.5, None)])
    'a > b ~ c'
    """
    better = {(pair.verdict, pair.second if pair.verdict == pair.first else pair.first) for pair in pairs}
    text = names[0]
    for one, other in pairwise(names):
        text += f" {'>' if (one, other) in better else '~'} {other}"
    return text


def grids(comparison: "Comparison") -> list[Grid]:
    """Return all tables of a report."""
    shown = [_ranking(comparison), _pairs(comparison), _stops(comparison)]
    if len(comparison.sensitivity) > 1:
        shown.append(_sensitivity(comparison))
    return shown


def _ranking(comparison: "Comparison") -> Grid:
    rows = []
    n = comparison.n_examples
    for place, name in enumerate(comparison.ranking, 1):
        runs = comparison.runs_of(name)
        at = [run.totals.index(run.minimum) for run in runs]
        least = [run.minimum / n for run in runs]
        rows.append(
            (
                str(place),
                name,
                f"{comparison.bits_per_example[name]:.4f}",
                f"{stdev(least):.4f}" if len(least) > 1 else NONE,
                f"{mean(run.hypothesis_bits[i] for run, i in zip(runs, at)) / n:.4f}",
                f"{mean(run.error_bits[i] for run, i in zip(runs, at)) / n:.4f}",
                f"{100 * mean(run.n_errors[i] for run, i in zip(runs, at)) / n:.1f} %",
                f"{median(run.best_size for run in runs):,.0f}",
                f"{comparison.n_contradictory[name]:,}",
            )
        )
    header = ("", "representation", "bits", "±", "hypothesis", "corrections", "errors", "sample", "contradictory")
    caption = (
        "Bits per example: the smallest total of a run, mean and standard deviation over runs; its two parts; the "
        "share of examples the hypothesis gets wrong, and the size of its sample (median). Contradictory examples "
        f"equal an example of another class. Always answering the most frequent class takes "
        f"{comparison.default_bits_per_example:.4f} bits."
    )
    return Grid("Ranking", caption, header, tuple(rows), n_left=2)


def _pairs(comparison: "Comparison") -> Grid:
    place = {name: i for i, name in enumerate(comparison.ranking)}
    found = sorted(comparison.pairs, key=lambda pair: sorted((place[pair.first], place[pair.second])))
    rows = tuple(_pair(pair, place) for pair in found[:N_PAIRS_SHOWN])
    hidden = f" Of {len(found)} pairs the first {N_PAIRS_SHOWN} are shown." if len(found) > N_PAIRS_SHOWN else ""
    caption = f"Runs in which the first of a pair took fewer bits than the second, and p of the sign test.{hidden}"
    header = ("pair", "", "fewer", "more", "equal", "p", "better")
    return Grid("Pairs", caption, header, rows, n_left=2, words=("better",))


def _pair(pair: "Pair", place: dict[str, int]) -> tuple[str, ...]:
    first, second, wins, losses = pair.first, pair.second, pair.wins, pair.losses
    if place[second] < place[first]:
        first, second, wins, losses = second, first, losses, wins
    return first, second, str(wins), str(losses), str(pair.ties), f"{pair.p:.2g}", pair.verdict or UNDECIDED


def _stops(comparison: "Comparison") -> Grid:
    rows = []
    for name in comparison.ranking:
        runs: Sequence[Run] = comparison.runs_of(name)
        ended = Counter(run.stopped for run in runs)
        largest = f"{median(run.sizes[-1] for run in runs):,.0f}"
        rows.append((name, str(len(runs)), *(str(ended[why] or NONE) for why in STOPS), largest))
    header = ("representation", "runs", *STOPS.values(), "last sample")
    return Grid("Why runs ended", "The last sample: the median over runs.", header, tuple(rows))


def _sensitivity(comparison: "Comparison") -> Grid:
    rows = tuple(_size(one, one.first_size == comparison.first_size) for one in comparison.sensitivity)
    caption = "The same comparison with other first sizes; > is decided, ~ is not."
    return Grid(
        "Sensitivity to the first sample",
        caption,
        ("first sample", "best", "order"),
        rows,
        n_left=0,
        words=("best", "order"),
    )


def _size(one: "SizeVerdict", is_asked: bool) -> tuple[str, ...]:
    mark = "* " if is_asked else ""
    shown = one.ranking[:N_NAMES_SHOWN]
    hidden = f", {len(one.ranking) - len(shown)} more" * (len(one.ranking) > len(shown))
    return f"{mark}{one.first_size}", one.best or UNDECIDED, order_of(shown, one.pairs) + hidden
