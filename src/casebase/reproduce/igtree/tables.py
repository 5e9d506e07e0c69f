"""The rows of Tables 2 and 3 for one data set, and what the text says about them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from casebase.reproduce import weka
from casebase.reproduce.igtree import timbl
from casebase.reproduce.igtree.data import C45, C45_RULES, EODG, IB1, IB1_IG, IGTREE, TABLE_2, TRIBL, Task
from casebase.reproduce.igtree.folds import NODES, PEER_TREE, SINGLE, SWITCH, WEIGHTED
from casebase.reproduce.igtree.significance import LEVEL, p_value, shown, sign
from casebase.reproduce.judging import all_of, is_positive
from casebase.reproduce.records import Claim, Measured, Part, Row
from casebase.reproduce.running import Results

SCIKIT_LEARN = "scikit-learn"
NOT_PRUNED = "not pruned"
MEMORIES = (IGTREE, IB1, IB1_IG, TRIBL)
REPORTED = (EODG, C45, C45_RULES)
T_TESTS = f"paired t-tests over the folds, p < {LEVEL:g}".replace("0.", ".")

NOTES = (
    "Tables 2 and 3: gain ratio weighs IB1-IG and orders IGTree and TRIBL; all nearest cases vote. Numbers (glass, "
    "vehicle) are cut by minimum description length, in the training part of each fold; letter's integers are symbols. "
    "C4.5 and C4.5rules see the numbers, and unknown values as unknown; the paper has their figures from Kohavi and Li "
    "(1995), whose deviations are smaller than those of folds: they seem to be of the mean. TRIBL compares cases "
    "below its tree without weights, a reading of the paper that fits best; TiMBL weighs them by gain ratio.",
    "EODG is casebase's oblivious decision graph, merged top-down after Kohavi and Li. Weka's J48 is C4.5 as most "
    "people have it. scikit-learn's tree is grown by entropy and not pruned; its 1-NN takes a single nearest case, "
    "where the paper's IB1 lets all of them vote.",
)

# Which differences the text calls significant, and which it calls not significant; the rest it does not tell.
_ALL = frozenset(combinations(MEMORIES, 2))
_WITH_IGTREE = frozenset(pair for pair in _ALL if IGTREE in pair)
_WITH_TRIBL = frozenset(pair for pair in _ALL if TRIBL in pair)
TOLD: Mapping[str, tuple[str, frozenset[tuple[str, str]], frozenset[tuple[str, str]]]] = {
    "tic-tac-toe": (
        "All differences are significant, except for the difference between IB1 and TRIBL.",
        _ALL - {(IB1, TRIBL)},
        frozenset({(IB1, TRIBL)}),
    ),
    "vehicle": (
        "Differences are not significant, except for IGTree performing worse than the other IBL variants.",
        _WITH_IGTREE,
        _ALL - _WITH_IGTREE,
    ),
    "chess": ("A significant advantage of TRIBL over all other algorithms.", _WITH_TRIBL, frozenset()),
    "glass": (
        "Differences are not significant, except for IGTree performing worse than the other IBL variants.",
        _WITH_IGTREE,
        _ALL - _WITH_IGTREE,
    ),
    "letter": (
        "All differences are significant, showing an advantage of IB1 and IB1-IG over the other algorithms.",
        _ALL,
        frozenset(),
    ),
}


def summary(task: Task, results: Results) -> Part:
    """Return the rows of a data set: the memories and their sizes, then what Kohavi and Li reported."""
    rows = [*_memories(task, results), *_reported(task, results)]
    return Part(tuple(_marked(task, row) for row in rows), _claims(task, results), notes=NOTES)


def _memories(task: Task, results: Results) -> Iterable[Row]:
    for method in (IGTREE, IB1, IB1_IG):
        peer = results.get((timbl.NAME, method))
        yield _accuracy(task, method, ours=results[method], peer=peer, peer_name=timbl.NAME * (peer is not None))
        if method == IB1:
            yield _accuracy(task, IB1, SINGLE, peer=results[SINGLE], peer_name=SCIKIT_LEARN)
    if task.has_tribl:
        yield _accuracy(task, TRIBL, ours=results[TRIBL])
        peer = results.get((timbl.NAME, TRIBL))
        ours, name = results[WEIGHTED], timbl.NAME * (peer is not None)
        yield _accuracy(task, TRIBL, WEIGHTED, ours=ours, peer=peer, peer_name=name)
        yield Row(task.where, task.name, TRIBL, SWITCH, task.switch, ours=results[SWITCH], unit="")
    peer = results.get((timbl.NAME, NODES))
    yield _nodes(task, IGTREE, results, peer=peer, peer_name=timbl.NAME * (peer is not None))


def _reported(task: Task, results: Results) -> Iterable[Row]:
    j48 = f"{weka.NAME}'s J48"
    for method in REPORTED:
        peer = results.get((weka.NAME, method))
        yield _accuracy(task, method, ours=results[method], peer=peer, peer_name=j48 * (peer is not None))
        if method == C45:
            yield _accuracy(task, C45, NOT_PRUNED, peer=results[PEER_TREE], peer_name=SCIKIT_LEARN)
    yield _nodes(task, EODG, results)
    peer = results.get((weka.NAME, NODES))
    yield _nodes(task, C45, results, peer=peer, peer_name=j48 * (peer is not None))


def _accuracy(
    task: Task, method: str, setting: str = "", *, ours: Measured | None = None, peer: Measured | None = None,
    peer_name: str = "",
) -> Row:  # fmt: skip
    paper, spread = task.printed.get(method, (None, None))
    return Row(task.where, task.name, method, setting, paper, spread, ours, peer, peer_name)


def _nodes(task: Task, method: str, results: Results, *, peer: Measured | None = None, peer_name: str = "") -> Row:
    ours = results[method, NODES]
    return Row(
        task.where, task.name, method, NODES, task.nodes.get(method), ours=ours, peer=peer, peer_name=peer_name, unit=""
    )


def _marked(task: Task, row: Row) -> Row:
    """Return a row that says so where only a part of the cases was drawn: that is no measure."""
    if task.n_drawn is None:
        return row
    setting = ", ".join(filter(None, [row.setting, f"{task.n_drawn} cases"]))
    return replace(row, setting=setting, comparable=False)


def _claims(task: Task, results: Results) -> tuple[Claim, ...]:
    where = f"{task.where}, {task.name}" + f" ({task.n_drawn} cases)" * (task.n_drawn is not None)
    return _about_sizes(task, where, results) if task.where == TABLE_2 else _about_differences(task, where, results)


def _about_sizes(task: Task, where: str, results: Results) -> tuple[Claim, ...]:
    others = (IB1, IB1_IG, EODG, C45, C45_RULES)
    leads = {other: results[IGTREE].minus(results[other]) for other in others}
    signs = [sign(lead) for lead in leads.values()]
    similar = Claim(
        where,
        "The accuracy of IGTree is similar to and sometimes better than that of the other algorithms.",
        f"none is better than IGTree by {T_TESTS}",
        f"IGTree less {_listed(leads)}.",
        None if None in signs else -1 not in signs,
    )
    if task.name != "mushroom":
        return (similar,)
    more = {other: results[other, NODES].minus(results[IGTREE, NODES]) for other in (C45, EODG)}
    nodes = {method: results[method, NODES].mean for method in (IGTREE, C45, EODG)}
    smaller = Claim(
        where,
        "IGTree is able to generate a tree that is even smaller than those generated with C4.5 and EODG.",
        "fewer nodes than both, on the same folds",
        ", ".join(f"{method} {n:.1f} nodes" for method, n in nodes.items()) + ".",
        all_of(map(is_positive, more.values())),
    )
    return similar, smaller


def _about_differences(task: Task, where: str, results: Results) -> tuple[Claim, ...]:
    text, told, not_told = TOLD[task.name]
    apart = {pair: results[pair[0]].minus(results[pair[1]]) for pair in combinations(MEMORIES, 2)}
    worse = {other: results[IGTREE].minus(results[other]) for other in (IB1, IB1_IG)}
    judged = {pair: as_told(task, pair, apart[pair], is_told=pair in told) for pair in apart if pair in told | not_told}
    against = [f"{one} and {other}" for (one, other), holds in judged.items() if holds is False]
    measured = "; ".join(f"{one} less {_listed({other: difference})}" for (one, other), difference in apart.items())
    signs = [sign(difference) for difference in worse.values()]
    return (
        Claim(
            where,
            text,
            f"{T_TESTS}, with the better one as printed",
            f"{measured}.",
            all_of(judged.values()),
            f"Otherwise than told: {', '.join(against)}." if against else "",
        ),
        Claim(
            f"Section 4, {task.name}",
            "IGTree performs significantly worse than IB1-IG and IB1.",
            T_TESTS,
            f"IGTree less {_listed(worse)}.",
            None if None in signs else set(signs) == {-1},
        ),
    )


def as_told(task: Task, pair: tuple[str, str], difference: Measured, *, is_told: bool) -> bool | None:
    """Return whether a difference is significant, and has the sign of the printed figures; or is not, if told so."""
    found = sign(difference)
    if found is None:
        return None
    printed = task.printed[pair[0]][0] - task.printed[pair[1]][0]
    return found == (1 if printed > 0 else -1) if is_told else found == 0


def _listed(differences: Mapping[str, Measured]) -> str:
    return ", ".join(
        f"{other} {difference.mean:+.2f} ({shown(p_value(difference))})" for other, difference in differences.items()
    )
