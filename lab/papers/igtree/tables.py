"""The rows of Tables 2 and 3 for one data set, and what the text says about them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from lab.papers.igtree.data import C45, C45_RULES, EODG, IB1, IB1_IG, IGTREE, TABLE_2, TRIBL, Task
from lab.papers.igtree.folds import (
    AS_VALUE,
    CONSISTENT,
    N_FOLDS,
    NODES,
    PEER_TREE,
    RESTORED,
    SINGLE,
    SWITCH,
    WEIGHTED,
    WITH_EMPTY,
)
from lab.papers.igtree.significance import LEVEL, format_p, p_value, percent_of, sign, times
from lab.papers.igtree.tagging import ASKING, KILOBYTES, LEARNING
from lab.papers.judging import all_of, is_positive, lies_within, points
from lab.papers.records import Claim, Measured, Part, Row
from lab.papers.running import Results
from lab.peers import timbl, weka

SCIKIT_LEARN = "scikit-learn"
NOT_PRUNED = "not pruned"
MEMORIES = (IGTREE, IB1, IB1_IG, TRIBL)
REPORTED = (EODG, C45, C45_RULES)
AS_GOOD = 2.0  # points
T_TESTS = f"paired t-tests over the folds, p < {LEVEL:g}".replace("0.", ".")

NOTES = (
    "Tables 2 and 3: gain ratio weighs IB1-IG and orders IGTree and TRIBL; all nearest cases vote. Numbers (glass, "
    "vehicle) are cut by minimum description length, in the training part of each fold; letter's integers are symbols. "
    "C4.5 and C4.5rules see the numbers, and unknown values as unknown; the paper has their figures from Kohavi and Li "
    "(1995), whose deviations are smaller than those of folds: they seem to be of the mean. TRIBL compares cases "
    "below its tree without weights, a reading of the paper that fits best; TiMBL weighs them by gain ratio.",
    "EODG follows the steps of Kohavi and Li's program, on the table as it is, unknown values as a value; "
    "casebase's own graph tests features until all training cases are told apart, numbers cut. The nodes of C4.5 are "
    "those of trees that take `?` as a value, without leaves that no case reaches. Weka's J48 is C4.5 as most "
    "people have it. scikit-learn's tree is grown by entropy and not pruned; its 1-NN takes a single nearest case, "
    "where the paper's IB1 lets all of them vote.",
)

# Which differences the text calls significant, and which it calls not significant; it does not mention the rest.
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


def printed(task: Task) -> tuple[Row, ...]:
    """Return rows with the paper's figures for a data set alone."""
    rows = [_accuracy(task, method) for method in task.printed]
    rows += [Row(task.where, task.name, TRIBL, SWITCH, task.switch, unit="")] * (task.switch is not None)
    rows += [Row(task.where, task.name, method, NODES, n, unit="") for method, n in task.nodes.items()]
    return tuple(rows)


def summary(task: Task, results: Results) -> Part:
    """Return the rows of a data set: the memories and their sizes, then the figures that Kohavi and Li reported."""
    rows = [*(_memories(task, results) if task.has_memories else ()), *_reported(task, results)]
    return Part(tuple(_marked(task, row) for row in rows), _claims(task, results), notes=NOTES + absent_peers(results))


def absent_peers(results: Results) -> tuple[str, ...]:
    """Return a note on the peers that are not installed."""
    asked = {key[0] for key in results if isinstance(key, tuple)}
    return tuple(
        f"{name} is not installed (Debian: {package}), so that its answers are missing."
        for name, package in ((timbl.NAME, "timbl"), (weka.NAME, "weka"))
        if name not in asked
    )


def _memories(task: Task, results: Results) -> Iterable[Row]:
    for method in (IGTREE, IB1, IB1_IG):
        peer = results.get((timbl.NAME, method))
        yield _accuracy(task, method, ours=results[method], peer=peer, peer_name=timbl.NAME * (peer is not None))
        if method == IB1:
            single = _accuracy(task, IB1, SINGLE, peer=results[SINGLE], peer_name=SCIKIT_LEARN)
            yield replace(single, another_reading=True)
    if task.has_tribl:
        yield _accuracy(task, TRIBL, ours=results[TRIBL])
        peer = results.get((timbl.NAME, TRIBL))
        ours, name = results[WEIGHTED], timbl.NAME * (peer is not None)
        weighted = _accuracy(task, TRIBL, WEIGHTED, ours=ours, peer=peer, peer_name=name)
        yield replace(weighted, another_reading=True)
        yield Row(task.where, task.name, TRIBL, SWITCH, task.switch, ours=results[SWITCH], unit="")
    peer = results.get((timbl.NAME, NODES))
    yield _nodes(task, IGTREE, results, peer=peer, peer_name=timbl.NAME * (peer is not None))


def _reported(task: Task, results: Results) -> Iterable[Row]:
    j48 = f"{weka.NAME}'s J48"
    for method in REPORTED:
        peer = results.get((weka.NAME, method))
        yield _accuracy(task, method, ours=results[method], peer=peer, peer_name=j48 * (peer is not None))
        if method == EODG:
            yield replace(_accuracy(task, EODG, CONSISTENT, ours=results[CONSISTENT]), another_reading=True)
        if method == C45:
            other = _accuracy(task, C45, NOT_PRUNED, peer=results[PEER_TREE], peer_name=SCIKIT_LEARN)
            yield replace(other, another_reading=True)
            if AS_VALUE in results:
                yield replace(_accuracy(task, C45, AS_VALUE, ours=results[AS_VALUE]), another_reading=True)
    yield _nodes(task, EODG, results)
    yield _nodes(task, C45, results)
    peer = results.get((weka.NAME, NODES))
    counted = _nodes(task, C45, results, setting=WITH_EMPTY, peer=peer, peer_name=j48 * (peer is not None))
    yield replace(counted, another_reading=True)


def _accuracy(
    task: Task,
    method: str,
    setting: str = "",
    *,
    ours: Measured | None = None,
    peer: Measured | None = None,
    peer_name: str = "",
) -> Row:
    paper, spread = task.printed.get(method, (None, None))
    return Row(task.where, task.name, method, setting, paper, spread, ours, peer, peer_name, decimals=2)


def _nodes(
    task: Task,
    method: str,
    results: Results,
    *,
    setting: str = NODES,
    peer: Measured | None = None,
    peer_name: str = "",
) -> Row:
    ours, paper = results[method, setting], task.nodes.get(method)
    return Row(task.where, task.name, method, setting, paper, ours=ours, peer=peer, peer_name=peer_name, unit="")


def _marked(task: Task, row: Row) -> Row:
    """Return a row that is marked as not comparable if only a sample of the cases was used."""
    if task.n_drawn is None:
        return row
    setting = ", ".join(filter(None, [row.setting, f"{task.n_drawn} cases"]))
    return replace(row, setting=setting, comparable=False)


def _claims(task: Task, results: Results) -> tuple[Claim, ...]:
    where = f"{task.where}, {task.name}" + f" ({task.n_drawn} cases)" * (task.n_drawn is not None)
    if not task.has_memories:
        return ()
    told = _about_sizes if task.where == TABLE_2 else _about_differences
    return (*told(task, where, results), *_about_memory(task, where, results))


def _about_memory(task: Task, where: str, results: Results) -> tuple[Claim, ...]:
    """Return the claims on memory, time and kept cases, each once: on the data it names, or on the largest set."""
    restored = Claim(
        where.replace(task.where, "Section 5"),
        "Lossless: the classifications of the training cases can be completely reconstructed.",
        "all training cases of all folds, except those that equal one of another class",
        f"{results[RESTORED].mean:.2f} %.",
        min(results[RESTORED].runs) == 100.0,
    )
    if task.name == "mushroom":
        share = percent_of(results[IGTREE, KILOBYTES], results[IB1, KILOBYTES])
        compressed = Claim(
            where,
            "The amount of memory is compressed versus that of IB1 with a factor of 99.9 %.",
            "99.85 % or more",
            f"{100 - share.mean:.2f} %: the tree takes {results[IGTREE, KILOBYTES].mean:.2f} Kb, the cases "
            f"{results[IB1, KILOBYTES].mean:.0f} Kb.",
            lies_within(share.interval, 0, 0.15),
        )
        return restored, compressed
    if task.name != "letter":
        return (restored,)
    induction = times(results[C45, LEARNING], results[IGTREE, LEARNING])
    asking = {method: times(results[method, ASKING], results[IGTREE, ASKING]) for method in (TRIBL, IB1_IG)}
    faster = Claim(
        where.replace(task.where, "Section 5"),
        "IGTree induction is considerably faster than C4.5's.",
        "the time of learning, one thread: C4.5 takes twice as long or longer",
        f"{induction.mean:.1f} times as long.",
        lies_within(induction.interval, 2, float("inf")),
    )
    remains = Claim(
        where.replace(task.where, "Section 4"),
        "The speed advantage of IGTree largely remains in TRIBL.",
        "the time of asking, one thread: TRIBL's is nearer to IGTree's than to IB1-IG's",
        f"TRIBL takes {asking[TRIBL].mean:.1f} times as long as IGTree, IB1-IG {asking[IB1_IG].mean:.1f} times.",
        is_positive(Measured(tuple((b - 1) - 2 * (a - 1) for a, b in zip(asking[TRIBL].runs, asking[IB1_IG].runs)))),
        "Times are those of predict, with the coding of values, which all of them need.",
    )
    return restored, faster, remains


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
    judged = {
        pair: agrees_with_text(task, pair, apart[pair], is_told=pair in told)
        for pair in apart
        if pair in told | not_told
    }
    against = [f"{one} and {other}" for (one, other), holds in judged.items() if holds is False]
    measured = "; ".join(f"{one} less {_listed({other: difference})}" for (one, other), difference in apart.items())
    return (
        Claim(
            where,
            text,
            f"{T_TESTS}, with the better one as printed; what no test finds is open, and only all ten folds can show "
            "that there is nothing to find",
            f"{measured}.",
            all_of(judged.values()),
            f"Otherwise than told: {', '.join(against)}." if against else "",
        ),
        Claim(
            where.replace(task.where, "Section 4"),
            "IGTree performs significantly worse than IB1-IG and IB1.",
            T_TESTS,
            f"IGTree less {_listed(worse)}.",
            all_of(_is_worse(difference) for difference in worse.values()),
        ),
        _about_tribl(task, where, results),
    )


def _about_tribl(task: Task, where: str, results: Results) -> Claim:
    best = max((IGTREE, IB1, IB1_IG), key=lambda method: results[method].mean)
    behind = results[TRIBL].minus(results[best])
    is_as_good = lies_within(behind.interval, -AS_GOOD, float("inf"))
    excepted = task.name == "letter"
    return Claim(
        where.replace(task.where, "Section 4"),
        "TRIBL attains roughly the same performance as the better of the algorithms"
        + (", except with letter: there it does not." if excepted else "."),
        f"{'more than' if excepted else 'at most'} {AS_GOOD:g} points below the best of the others (95 % interval)",
        f"TRIBL less {best}: {points(behind)}.",
        None if is_as_good is None else is_as_good != excepted,
    )


def agrees_with_text(task: Task, pair: tuple[str, str], difference: Measured, *, is_told: bool) -> bool | None:
    """Return whether a difference is significant with the sign of the printed figures, or insignificant, as claimed.

    None if the folds do not decide.
    """
    found = sign(difference)
    if found is None:
        return None
    if not is_told:
        return False if found else True if difference.n_runs >= N_FOLDS else None
    return None if found == 0 else found == (1 if task.printed[pair[0]][0] > task.printed[pair[1]][0] else -1)


def _is_worse(difference: Measured) -> bool | None:
    found = sign(difference)
    return None if not found else found < 0


def _listed(differences: Mapping[str, Measured]) -> str:
    return ", ".join(
        f"{other} {difference.mean:+.2f} ({format_p(p_value(difference))})" for other, difference in differences.items()
    )
