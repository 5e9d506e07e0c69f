"""The rows of Table 1 for one data set, and what the text says about them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.papers.judging import is_positive, lies_within, points
from lab.papers.records import Claim, Measured, Part, Row
from lab.papers.running import Results
from lab.papers.smile.data import ALL_CUTS, AS_NUMBERS, SIZE_ALPHAS, SMILE, SVM, Task
from lab.papers.smile.folds import AS_NEIGHBOUR, AUTO, BY_SIZE, C45, CHOSEN, IB1, SECONDS
from lab.papers.smile.peers import GROWN, NEAREST, NOTES, PEERS, SCIKIT_LEARN, SVMS
from lab.peers import weka

WHERE = "Table 1"
FITTED = "chosen with the paper's figure in view"
LEAKING = "held-out cases had a say in the cuts"
SMALL = ("Weather", "Zoo")
LARGEST = "Letter"
OURS = {NEAREST: IB1, GROWN: C45}  # casebase's method of the same kind
CLAIM = "SMILE has superior or at least comparable performance."
COMPARABLE = 1.0  # points below the best of the others
LIKE_NEIGHBOURS = (
    "When there are enough training data and complete information, SMILE can perform in the same way as kNN does."
)
READINGS = {AUTO: 'alpha="auto"'} | {(BY_SIZE, "", alpha): f'pools="size", alpha {alpha}' for alpha in SIZE_ALPHAS}


def printed(task: Task) -> tuple[Row, ...]:
    """Return rows with the paper's figures for a data set alone."""
    return tuple(_printed(task, Row(WHERE, task.name, method)) for method in task.printed)


def summary(task: Task, results: Results) -> Part:
    """Return the rows of a data set: SMILE in some settings, then the methods it is compared with."""
    rows = [
        Row(WHERE, task.name, SMILE, 'alpha="auto"', ours=results[AUTO], note=_chosen(task, results)),
        _best(task, {alpha: results[alpha] for alpha in task.alphas}),
    ]
    rows += [_best(task, {alpha: results[how, alpha] for alpha in task.alphas}, how) for how in task.variants]
    rows += [_by_size(task, results, how, alpha) for alpha in SIZE_ALPHAS for how in ("", *task.variants)]
    name = peer_in(results)
    for peer in PEERS:
        ours = results.get(OURS.get(peer))
        row = Row(WHERE, task.name, peer.method, peer.setting, ours=ours, peer=results[name, peer], peer_name=name)
        rows.append(replace(row, another_reading=peer is NEAREST))
    for setting in SVMS if task.with_svms else ():
        peer_row = Row(WHERE, task.name, SVM, setting, peer=results[SCIKIT_LEARN, setting], peer_name=SCIKIT_LEARN)
        rows.append(replace(peer_row, another_reading=True))
    return Part(tuple(_printed(task, row) for row in rows), _claims(task, results), notes=(NOTES[name],))


def peer_in(results: Results) -> str:
    """Return the program whose methods ran as peers."""
    return weka.NAME if (weka.NAME, NEAREST) in results else SCIKIT_LEARN


def _best(task: Task, by_alpha: Mapping[int, Measured], how: str = "") -> Row:
    """Return the row of the alpha that is best on these folds; of several equal ones, the smallest."""
    best = max(by_alpha, key=lambda alpha: (by_alpha[alpha].mean, -alpha))
    notes = [FITTED if len(by_alpha) == 1 else f"best of {min(by_alpha)} to {max(by_alpha)}: an upper limit, no result"]
    notes += [LEAKING] * (how == ALL_CUTS)
    return Row(
        WHERE,
        task.name,
        SMILE,
        ", ".join(filter(None, [f"alpha {best}", how])),
        ours=by_alpha[best],
        orientation=task.orientation if (how == ALL_CUTS) == task.with_all_cuts and how != AS_NUMBERS else None,
        note="; ".join(notes),
        another_reading=True,
    )


def _by_size(task: Task, results: Results, how: str, alpha: int) -> Row:
    """Return a row in which a pool weighs 2 to the power of the number of its features."""
    notes = ["casebase's default" if alpha == 0 else FITTED, *([LEAKING] if how == ALL_CUTS else [])]
    setting = ", ".join(filter(None, [READINGS[BY_SIZE, "", alpha], how]))
    measured = results[BY_SIZE, how, alpha]
    return Row(WHERE, task.name, SMILE, setting, ours=measured, note="; ".join(notes), another_reading=True)


def _printed(task: Task, row: Row) -> Row:
    """Return a row with the paper's figure; not comparable if only a sample of the cases was used."""
    row = replace(row, paper=task.printed[row.method])
    if task.n_drawn is None:
        return row
    setting = ", ".join(filter(None, [row.setting, f"{task.n_drawn} cases"]))
    return replace(row, setting=setting, orientation=None, comparable=False)


def _chosen(task: Task, results: Results) -> str:
    alphas = results[CHOSEN]
    lowest, highest = min(alphas.runs), max(alphas.runs)
    chosen = f"alpha was {lowest:g}" if lowest == highest else f"alpha was {lowest:g} to {highest:g}"
    return f"{chosen}; {results[SECONDS].mean:.2g} s a fold"


def _claims(task: Task, results: Results) -> tuple[Claim, ...]:
    """Return the claims of the text for every reading, judged against the best of the others on the same folds."""
    name = peer_in(results)
    best = max(PEERS, key=lambda peer: results[name, peer].mean)
    where = f"Section 5, {task.name}" + f" ({task.n_drawn} cases)" * (task.n_drawn is not None)
    claims = []
    for key, reading in READINGS.items():
        lead = results[key].minus(results[name, best])
        measured = f"SMILE with {reading} less the best of the others, {best}: {points(lead)}."
        criterion = f"at most {COMPARABLE:g} point below the best of the others, by the 95 % interval"
        holds = lies_within(lead.interval, -COMPARABLE, float("inf"))
        claims.append(Claim(where, CLAIM, criterion, measured, holds))
        if task.name in SMALL:
            claim = "SMILE also shows benefits on small data sets in terms of accuracy."
            criterion = "above the best of the others, by the 95 % interval"
            claims.append(Claim(where, claim, criterion, measured, is_positive(lead)))
        if task.name == LARGEST:
            claims.append(_like_neighbours(where.replace("5", "1"), reading, key, results))
    return tuple(claims)


def _like_neighbours(where: str, reading: str, key: Any, results: Results) -> Claim:
    """Return the claim that SMILE is like kNN on the data set with most cases, none of which misses a value."""
    lead, same = results[key].minus(results[IB1]), results[AS_NEIGHBOUR, key]
    measured = (
        f"SMILE with {reading} less one nearest neighbour: {points(lead)}; both say the same of {same.mean:.1f} % "
        "of the cases."
    )
    criterion = f"an accuracy within {COMPARABLE:g} point of that of one nearest neighbour, by the 95 % interval"
    return Claim(where, LIKE_NEIGHBOURS, criterion, measured, lies_within(lead.interval, -COMPARABLE, COMPARABLE))


def overall(parts: Sequence[Part]) -> Part:
    """Return the claim on most of the data sets, for every reading."""
    claims = []
    for reading in READINGS.values():
        beginning = f"SMILE with {reading} less the best"
        judged = [
            claim.holds
            for part in parts
            for claim in part.claims
            if claim.claim == CLAIM and claim.measured.startswith(beginning)
        ]
        if not judged:
            continue
        held, against = judged.count(True), judged.count(False)
        shown = f"SMILE with {reading}: {held} of {len(judged)} hold, {against} do not, the others are not decided."
        most = len(judged) / 2
        holds = True if held > most else False if against >= most else None
        claim = "On most of the data sets SMILE has superior or at least comparable performance."
        criterion = "the claims on more than half of the data sets hold"
        claims.append(Claim("Section 5", claim, criterion, shown, holds))
    return Part(claims=tuple(claims))
