"""Table 1 and Figure 1: ACR's choice between two representations of a task, and ID3's accuracy with each."""

from lab.papers.acr.judging import LEVEL, T_TEST, Outcome, outcome_of
from lab.papers.acr.splits import ACR, BITS, EXAMPLES, PERCEPTRONS, RUNS, SAMPLES, SHARES
from lab.papers.acr.tasks import HANDWRITING, Task
from lab.papers.judging import points
from lab.papers.records import Claim, Curve, Figure, Panel, Part, Row
from lab.papers.running import Results
from lab.peers import weka

WHERE = "Table 1"
PERCEPTRON_NOTE = (
    "The paper does not say on which eight of its ten tasks it tried perceptron trees; without handwriting there are "
    "eight. Here it is those of Table 1, and handwriting is no claim of the paper. Four of its six Tic-Tac-Toe "
    "problems are named and not described: they are not repeated."
)
ID3_NOTE = (
    "Weka's Id3 knows no numbers, and gives no answer where no training case came: these count as wrong. casebase's "
    "ID3 then answers with the most frequent class of the node above."
)


def summary(name: str, title: str, tasks: tuple[Task, ...], results: Results) -> Part:
    """Return a row per representation, two claims per task, and the learning curves."""
    outcomes = [outcome_of(task, results) for task in tasks]
    n_splits = outcomes[0].choices.n_runs
    caption = (
        f"Accuracy of ID3 on the tenth held out, by the number of examples it learnt from; means of {n_splits} "
        f"split{'s' * (n_splits > 1)}, with 95 % intervals."
    )
    figure = Figure(f"acr-{name}", f"Figure 1: {title}", caption, tuple(_panel(task, results) for task in tasks))
    bits = (
        f"The bits that say ID3's tree, learnt from a sample, and its errors on all training examples; means of "
        f"{n_splits} split{'s' * (n_splits > 1)}, with 95 % intervals. ACR looks for the lowest point of each curve."
    )
    lengths = Figure(
        f"acr-{name}-codelengths", f"Codelengths: {title}", bits, tuple(_lengths(task, results) for task in tasks)
    )
    by_perceptrons = [outcome_of(task, results, PERCEPTRONS) for task in tasks]
    rows = (
        *(row for outcome in outcomes for row in _rows(outcome, results)),
        *(row for task in tasks for row in _points(task, results)),
        *(row for outcome in by_perceptrons for row in _perceptron_rows(outcome)),
    )
    claims = (
        *(claim for one in outcomes for claim in _claims(one)),
        *(_perceptron_claim(one) for one in by_perceptrons),
    )
    return Part(rows, claims, (figure, lengths), (T_TEST, ID3_NOTE, PERCEPTRON_NOTE))


def printed(tasks: tuple[Task, ...]) -> tuple[Row, ...]:
    """Return a row for each ranking of Table 1, with nothing measured."""
    return tuple(Row(WHERE, task.name, "ID3", f"{task.printed} is better") for task in tasks)


def _rows(outcome: Outcome, results: Results) -> list[Row]:
    task = outcome.task
    runs = results[task.name, ACR, RUNS]
    said = f"ACR: {outcome.votes()}, after {runs.mean:.0f} runs on average; paper: {task.printed}."
    orientation = task.orientation or (None, None)
    peers = [results.get((task.name, name, weka.NAME)) for name in task.names]
    return [
        Row(
            WHERE,
            task.name,
            "ID3",
            name,
            ours=outcome.accuracy[i],
            peer=peers[i],
            peer_name=f"{weka.NAME}'s Id3" * (peers[i] is not None),
            orientation=orientation[i],
            note=said if i == 0 else f"t-test of the difference: {_p(outcome)}.",
        )
        for i, name in enumerate(task.names)
    ]


def _points(task: Task, results: Results) -> list[Row]:
    """The points of the curves of Figure 1."""
    return [
        Row(
            "Figure 1",
            task.name,
            f"ID3, {name}",
            f"{results[task.name, EXAMPLES, share].mean:.0f} training examples",
            ours=results[task.name, name, share],
        )
        for share in SHARES
        for name in task.names
    ]


def _perceptron_rows(outcome: Outcome) -> list[Row]:
    return [
        Row(
            "Section 4",
            outcome.task.name,
            "perceptron tree",
            name,
            ours=outcome.accuracy[i],
            note=f"ACR: {outcome.votes()}." if i == 0 else f"t-test of the difference: {_p(outcome)}.",
        )
        for i, name in enumerate(outcome.task.names)
    ]


def _perceptron_claim(outcome: Outcome) -> Claim:
    return Claim(
        "Section 4",
        f"{outcome.task.name}: ACR ranks the representations correctly for perceptron trees, too.",
        f"where accuracies differ (t-test, p < {LEVEL:g}), the better one is chosen in more than half of the splits",
        f"{outcome.votes()}; {outcome.task.names[1]} less {outcome.task.names[0]}: {points(outcome.difference)}, "
        f"{_p(outcome)}.",
        {"right": True, "wrong": False}.get(outcome.verdict),
        # The paper has results of perceptron trees on the Tic-Tac-Toe problems; handwriting is not among them.
        not_in_paper=outcome.task in HANDWRITING,
    )


def _p(outcome: Outcome) -> str:
    if outcome.choices.n_runs == 1:
        return "one split, no test"
    p = outcome.p
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"


def _claims(outcome: Outcome) -> tuple[Claim, Claim]:
    task = outcome.task
    (other,) = set(task.names) - {task.printed}
    lead = outcome.difference if task.names[1] == task.printed else outcome.accuracy[0].minus(outcome.accuracy[1])
    return (
        Claim(
            WHERE,
            f"{task.name}: {task.printed} better than {other}.",
            "ACR decides for it, at 99 %, in more than half of the splits",
            f"{outcome.votes()}.",
            None if outcome.chosen is None else outcome.chosen == task.printed,
        ),
        Claim(
            "Figure 1",
            f"{task.name}: decision trees are more accurate with {task.printed}, significantly at the 99 % level.",
            f"t-test over the splits, p < {LEVEL:g}",
            f"{points(lead)}, {_p(outcome)}.",
            None if outcome.better is None else outcome.better == task.printed,
        ),
    )


def _panel(task: Task, results: Results) -> Panel:
    sizes = [results[task.name, EXAMPLES, share].mean for share in SHARES]
    curves = tuple(
        Curve(name, {size: results[task.name, name, share] for size, share in zip(sizes, SHARES)})
        for name in task.names
    )
    lowest = min(measured.mean for curve in curves for measured in curve.points.values())
    floor = max(0.0, 10 * (lowest // 10) - 10)
    return Panel(task.name, "Number of training examples", "Accuracy (%)", curves, floor)


def _lengths(task: Task, results: Results) -> Panel:
    sizes = [results[task.name, EXAMPLES, share].mean for share in SAMPLES]
    curves = tuple(
        Curve(name, {size: results[task.name, name, BITS, share] for size, share in zip(sizes, SAMPLES)})
        for name in task.names
    )
    highest = max(measured.mean for curve in curves for measured in curve.points.values())
    return Panel(task.name, "Number of training examples", "Codelength (bits)", curves, 0.0, 1.05 * highest, log_x=True)
