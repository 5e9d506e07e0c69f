"""The rows of Table 1 for one data set, and what the text says about them."""

from collections.abc import Mapping
from dataclasses import replace

from casebase.reproduce import weka
from casebase.reproduce.judging import is_positive, points
from casebase.reproduce.records import Claim, Measured, Part, Row
from casebase.reproduce.running import Results
from casebase.reproduce.smile.data import ALL_CUTS, AS_NUMBERS, SMILE, Task
from casebase.reproduce.smile.folds import AUTO, C45, CHOSEN, IB1
from casebase.reproduce.smile.peers import GROWN, NEAREST, NOTES, PEERS, SCIKIT_LEARN

WHERE = "Table 1"
FITTED = "chosen with the paper's figure in view"
LEAKING = "held-out cases had a say in the cuts"
SMALL = ("Weather", "Zoo")
COMPARABLE = 1.0  # points below the best of the others


def summary(task: Task, results: Results) -> Part:
    """Return the rows of a data set: SMILE in some settings, then the methods it is compared with."""
    rows = [
        Row(WHERE, task.name, SMILE, 'alpha="auto"', ours=results[AUTO], note=_chosen(results[CHOSEN])),
        _best(task, {alpha: results[alpha] for alpha in task.alphas}),
    ]
    rows += [_best(task, {alpha: results[how, alpha] for alpha in task.alphas}, how) for how in task.variants]
    name = peer_in(results)
    for peer in PEERS:
        ours = results[IB1] if peer is NEAREST else results[C45] if peer is GROWN else None
        rows.append(
            Row(WHERE, task.name, peer.method, peer.setting, ours=ours, peer=results[name, peer], peer_name=name)
        )
    return Part(tuple(_printed(task, row) for row in rows), _claims(task, results), notes=(NOTES[name],))


def peer_in(results: Results) -> str:
    """Return whose methods were asked."""
    return weka.NAME if (weka.NAME, NEAREST) in results else SCIKIT_LEARN


def _best(task: Task, by_alpha: Mapping[int, Measured], how: str = "") -> Row:
    """Return the row of the alpha that is best on these folds; of several as good, the smallest."""
    best = max(by_alpha, key=lambda alpha: (by_alpha[alpha].mean, -alpha))
    notes = [FITTED if len(by_alpha) == 1 else f"best of {min(by_alpha)} to {max(by_alpha)}: an upper limit, no result"]
    notes += [LEAKING] * (how == ALL_CUTS)
    return Row(
        WHERE, task.name, SMILE, ", ".join(filter(None, [f"alpha {best}", how])), ours=by_alpha[best],
        orientation=task.orientation if (how == ALL_CUTS) == task.with_all_cuts and how != AS_NUMBERS else None,
        note="; ".join(notes),
    )  # fmt: skip


def _printed(task: Task, row: Row) -> Row:
    """Return a row with the paper's figure; where only a part of the cases was drawn, that is no measure."""
    row = replace(row, paper=task.printed[row.method])
    if task.n_drawn is None:
        return row
    setting = ", ".join(filter(None, [row.setting, f"{task.n_drawn} cases"]))
    return replace(row, setting=setting, orientation=None, comparable=False)


def _chosen(alphas: Measured) -> str:
    lowest, highest = min(alphas.runs), max(alphas.runs)
    return f"alpha was {lowest:g}" if lowest == highest else f"alpha was {lowest:g} to {highest:g}"


def _claims(task: Task, results: Results) -> tuple[Claim, ...]:
    """Return what the text says, judged against the best of the others on the same folds."""
    name = peer_in(results)
    best = max(PEERS, key=lambda peer: results[name, peer].mean)
    lead = results[AUTO].minus(results[name, best])
    measured = f'SMILE with alpha="auto" less the best of the others, {best}: {points(lead)}.'
    where = f"Section 5, {task.name}" + f" ({task.n_drawn} cases)" * (task.n_drawn is not None)
    comparable = Claim(
        where,
        "SMILE has superior or at least comparable performance.",
        f"at most {COMPARABLE:g} point below the best of the others; not decided where the folds leave it open",
        measured,
        True if lead.mean >= -COMPARABLE else False if is_positive(lead) is False else None,
    )
    if task.name not in SMALL:
        return (comparable,)
    better = Claim(
        where,
        "SMILE also shows benefits on small data sets in terms of accuracy.",
        "above the best of the others; not decided where the folds leave it open",
        measured,
        is_positive(lead),
    )
    return comparable, better
