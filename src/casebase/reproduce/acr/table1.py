"""Table 1 and Figure 1: what ACR says of two representations of a task, and how accurate ID3 is with each."""

from casebase.reproduce import weka
from casebase.reproduce.acr.judging import LEVEL, T_TEST, Outcome, outcome_of
from casebase.reproduce.acr.splits import SHARES
from casebase.reproduce.acr.tasks import Task
from casebase.reproduce.judging import points
from casebase.reproduce.records import Claim, Curve, Figure, Panel, Part, Row
from casebase.reproduce.running import Results

WHERE = "Table 1"
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
    rows = tuple(row for outcome in outcomes for row in _rows(outcome, results))
    return Part(rows, tuple(claim for one in outcomes for claim in _claims(one)), (figure,), (T_TEST, ID3_NOTE))


def _rows(outcome: Outcome, results: Results) -> list[Row]:
    task = outcome.task
    said = f"ACR: {outcome.told()}; paper: {task.printed}."
    orientation = task.orientation or (None, None)
    peers = [results.get((task.name, name, weka.NAME)) for name in task.names]
    return [
        Row(
            "Figure 1", task.name, "ID3", name, ours=outcome.accuracy[i], peer=peers[i],
            peer_name=f"{weka.NAME}'s Id3" * (peers[i] is not None), orientation=orientation[i],
            note=said if i == 0 else f"t-test of the difference: {_p(outcome.p)}.",
        )
        for i, name in enumerate(task.names)
    ]  # fmt: skip


def _p(p: float) -> str:
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
            f"{outcome.told()}.",
            None if outcome.chosen is None else outcome.chosen == task.printed,
        ),
        Claim(
            "Figure 1",
            f"{task.name}: decision trees are more accurate with {task.printed}, significantly at the 99 % level.",
            f"t-test over the splits, p < {LEVEL:g}",
            f"{points(lead)}, {_p(outcome.p)}.",
            None if outcome.better is None else outcome.better == task.printed,
        ),
    )


def _panel(task: Task, results: Results) -> Panel:
    sizes = [results[task.name, "examples", share].mean for share in SHARES]
    curves = tuple(
        Curve(name, {size: results[task.name, name, share] for size, share in zip(sizes, SHARES)})
        for name in task.names
    )
    lowest = min(measured.mean for curve in curves for measured in curve.points.values())
    floor = max(0.0, 10 * (lowest // 10) - 10)
    return Panel(task.name, "Number of training examples", "Accuracy (%)", curves, floor)
