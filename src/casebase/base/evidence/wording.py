"""What a record says, in words: the part that its text and its page have in common.

Values, features and classes come from data and may be anything: empty, very long, or made of characters
that would move the cursor. `spelled` makes each of them one harmless line; a page escapes that line again.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from casebase.base.evidence.records import (
    AbstractCase,
    AbstractEvidence,
    AskedRule,
    CoveredCase,
    Evidence,
    Neighbour,
    NeighbourEvidence,
    PathEvidence,
    PerceptronEvidence,
    Pool,
    PooledCase,
    ReachedNode,
    RuleEvidence,
    SmileEvidence,
    Step,
    TreeEvidence,
)
from casebase.render.words import (
    NOT_COMPARED,
    listed_counts,
    number,
    pairs,
    percent,
    plural,
    printable,
    shortened,
    spelled,
)

StoredCase = Neighbour | PooledCase | CoveredCase

N_POOLS_SHOWN = 12
N_RULES_SHOWN = 4
PREFERRED = "the class preferred in ties was taken, the more frequent in training first"


def share(evidence: Evidence) -> str:
    """Return what the answer got of what there was: "3 of 4 votes"."""
    if isinstance(evidence, PerceptronEvidence) and evidence.sums:
        total = sum(evidence.votes.values())
        return f"as a perceptron learnt from {plural(total, 'case')} says"
    if isinstance(evidence, PathEvidence) and evidence.n_endings > 1:
        return f"{percent(evidence.distribution.get(evidence.label, 0.0))} of what {evidence.n_endings} leaves say"
    what = "case" if isinstance(evidence, TreeEvidence | RuleEvidence | PathEvidence) else "vote"
    total = sum(evidence.votes.values())
    got = evidence.votes.get(evidence.label, 0.0)
    return f"{number(got)} of {plural(total, what)}"


def how_decided(evidence: Evidence) -> list[str]:
    """Return, a sentence each, what led to the answer."""
    if isinstance(evidence, NeighbourEvidence):
        return _how_neighbours_decided(evidence)
    if isinstance(evidence, AbstractEvidence):
        return _how_abstract_cases_decided(evidence)
    if isinstance(evidence, TreeEvidence):
        matched = f"path: {evidence.n_features_used} of {plural(len(evidence.features), 'feature')} matched"
        lines = [f"{matched}; {_stopped(evidence.stopped)}"]
        return [*lines, f"the counts are tied: {PREFERRED}"] if is_tied(evidence.votes) else lines
    if isinstance(evidence, PathEvidence):
        return _how_path_decided(evidence)
    if isinstance(evidence, RuleEvidence):
        return _how_rules_decided(evidence)
    if isinstance(evidence, SmileEvidence):
        lines = [_how_pools_decided(evidence)]
        return [*lines, f"the votes are tied: {PREFERRED}"] if is_tied(evidence.votes) else lines
    return []


def _stopped(why: str) -> str:
    why = shortened(printable(why), 120)
    return f"stopped{' at a ' if why.startswith('leaf') else ': '}{why}"


def _how_path_decided(evidence: PathEvidence) -> list[str]:
    if isinstance(evidence, PerceptronEvidence) and evidence.sums:
        path = f"path: {plural(len(evidence.path) - 1, 'test')}, then a perceptron"
        return [f"{path}; sums: {listed_counts(evidence.sums)}", _lead(evidence)]
    if evidence.n_endings == 1:
        lines = [f"path: {plural(len(evidence.path) - 1, 'test')}; {_stopped(evidence.path[-1].stopped)}"]
    else:
        names = [shortened(printable(name), 24) for name in evidence.spread[:6]]
        some = ", ".join([*names, "…"] if len(evidence.spread) > 6 else names)
        lines = [f"not known: {some}; every branch was taken, and {evidence.n_endings} leaves decided together"]
        shown = sum(bool(node.stopped) for node in evidence.path)
        if shown < evidence.n_endings:
            lines.append(f"the path leads to {'the one' if shown == 1 else f'the {shown}'} with the greatest shares")
    return [*lines, f"the counts are tied: {PREFERRED}"] if is_tied(evidence.votes) else lines


def _lead(evidence: PerceptronEvidence) -> str:
    """Return what the answer won by, and against which class."""
    sums = evidence.sums
    lead = sums[evidence.label] - (sums[evidence.rival] if len(sums) > 2 else 0.0)
    over = shortened(spelled(evidence.rival), 24)
    return f"lead over {over}: {number(lead)}, of which {number(evidence.bias)} whatever the values are"


def unlisted_contributions(evidence: PerceptronEvidence) -> str:
    """Return how many features with a say are not listed; nothing if all are."""
    n_more = evidence.n_contributions - len(evidence.contributions)
    return f"… and {plural(n_more, 'feature')} with less to say" if n_more > 0 else ""


def depth_of(step: Step, position: int) -> int:
    """Return how many tests lead to a node: its place on a path that never parts."""
    return step.depth if isinstance(step, ReachedNode) else position


def share_of(step: Step) -> str:
    """Return what share of the case came to a node; nothing if all of it did."""
    return percent(step.share) if isinstance(step, ReachedNode) and step.share < 1 else ""


def _how_pools_decided(evidence: SmileEvidence) -> str:
    more = f"more than {plural(evidence.alpha, 'stored case')}" if evidence.alpha else "any stored case"
    if not evidence.pools:
        return f"no set of features is shared with {more}: all cases vote"
    n_sets, n_cases = len(evidence.pools), evidence.n_cases
    shared = f"{plural(n_sets, 'set')} of features {'is' if n_sets == 1 else 'are'} shared with {more}"
    where = "its pool" if n_sets == 1 else "their pools"
    return f"{shared}; {plural(n_cases, 'case')} {'is' if n_cases == 1 else 'are'} in {where}"


def _how_rules_decided(evidence: RuleEvidence) -> list[str]:
    rule = evidence.rule
    if evidence.is_default:
        lines = ["no rule holds: the default answers"]
    else:
        level = f", level {rule.level} of {evidence.n_levels}" if evidence.n_levels > 1 else ""
        lines = [f"rule: {rule_text(rule)}{level}"]
    if evidence.overridden and evidence.overridden[0].features:
        broader = [rule_text(one) for one in evidence.overridden if one.features]
        lines.append(f"overrides: {_some(broader)}")
    if evidence.exceptions:
        n = len(evidence.exceptions)
        which = "the exception to it does" if n == 1 else f"the {n} exceptions to it do"
        lines.append(f"{which} not hold: {_some([rule_text(one) for one in evidence.exceptions])}")
    return lines


def _some(texts: Sequence[str]) -> str:
    return "; ".join([*texts[:N_RULES_SHOWN], "…"] if len(texts) > N_RULES_SHOWN else texts)


def asked_for(rule: AskedRule, width: int = 24) -> str:
    """Return what a rule asks for; "otherwise" for the default."""
    return " and ".join(pairs(rule.features, rule.values, width)) or "otherwise"


def rule_text(rule: AskedRule) -> str:
    """Return a rule in one line.

    >>> rule_text(AskedRule(("colour", "size"), ("red", "> 5.5"), "ripe", 1, 4.0, 1.0))
    'colour = red and size > 5.5 → ripe (4 cases, 1 exception)'
    """
    exceptions = f", {plural(rule.n_exceptions, 'exception')}" if rule.n_exceptions else ""
    return f"{asked_for(rule)} → {shortened(spelled(rule.label), 24)} ({plural(rule.n_cases, 'case')}{exceptions})"


def covered_but_not_listed(evidence: RuleEvidence) -> str:
    """Return how many cases of the rule are not listed; nothing if all are."""
    n_more = evidence.n_cases - len(evidence.cases)
    return f"… and {plural(n_more, 'more case')} for which the rule holds" if n_more > 0 else ""


def joint(pool: Pool, width: int = 24) -> list[str]:
    """Return the features that a pool agrees on, each with its value.

    >>> joint(Pool(("colour", "size"), ("red", "> 5.5"), 2.0, {"P": 2.0}))
    ['colour = red', 'size > 5.5']
    """
    return pairs(pool.features, pool.values, width)


def more_pools(evidence: SmileEvidence) -> str:
    """Return how many sets are not shown; nothing if all are."""
    n_more = len(evidence.pools) - N_POOLS_SHOWN
    return f"… and {plural(n_more, 'more set')}, of as many features or fewer" if n_more > 0 else ""


def more_cases(evidence: SmileEvidence) -> str:
    """Return how many cases in the pools are not listed; nothing if all are."""
    n_more = evidence.n_cases - len(evidence.cases)
    return f"… and {plural(n_more, 'more case')} in the pools" if n_more > 0 else ""


def _how_neighbours_decided(evidence: NeighbourEvidence) -> list[str]:
    path = path_of(evidence)
    where = ""
    if path:
        below = path[-1].n_cases
        where = f" among the {'one case' if below == 1 else plural(below, 'case')} at the end of the path"
    n, d = evidence.n_neighbours, evidence.distances
    if evidence.is_exact and len(d) == 1:
        stored = "an identical case is stored" if n == 1 else f"{n} identical cases are stored"
        lines = [stored + where]
    elif len(d) == 1:
        nearest = "nearest case" if n == 1 else f"{n} nearest cases"
        lines = [f"{nearest} at distance {number(d[0])}{where}"]
    else:
        some = ", ".join(map(number, d[:4])) + (", …" if len(d) > 4 else "")
        lines = [f"{plural(n, 'nearest case')} at {len(d)} distances ({some}){where}"]
        if evidence.is_exact:
            lines.append("an identical case is stored")
    if evidence.was_tied:
        # A second vote counts only if it is not tied, so tied votes are those of the first.
        if is_tied(evidence.votes):
            lines.append(f"the vote was tied: {PREFERRED}")
        else:
            lines.append(f"the vote at k = {evidence.k} was tied and was taken again with one more distance")
    return lines


def _how_abstract_cases_decided(evidence: AbstractEvidence) -> list[str]:
    n, n_kept, cases = evidence.n_abstract_cases, len(evidence.kept), plural(evidence.n_cases, "case")
    if not evidence.kept:
        lines = [f"no feature was kept: the {cases} in memory answer together"]
    elif evidence.is_exact:
        lines = [f"the abstract case with the same {plural(n_kept, 'value')} stands for {cases}"]
    else:
        nearest = "the nearest one agrees" if n == 1 else f"the {n} nearest ones agree"
        lines = [
            f"no abstract case has all values; {nearest} on {evidence.n_matched} of {plural(n_kept, 'feature')} and "
            f"{'stands' if n == 1 else 'stand'} for {cases}"
        ]
    if is_tied(evidence.votes):
        lines.append(f"the counts are tied: {PREFERRED}")
    if evidence.ignored:
        some = [shortened(printable(name), 24) for name in evidence.ignored[:8]]
        lines.append(f"not looked at: {', '.join([*some, '…'] if len(evidence.ignored) > 8 else some)}")
    return lines


def asked_values(evidence: AbstractEvidence) -> list[Any]:
    """Return the values asked, of the features kept."""
    of = dict(zip(evidence.features, evidence.values))
    return [of.get(name) for name in evidence.kept]


def is_matched(evidence: AbstractEvidence, group: AbstractCase, i: int) -> bool:
    """Return whether an abstract case has the value asked, for the i-th feature kept."""
    stored, asked = group.values[i], asked_values(evidence)[i]
    return spelled(stored) == spelled(asked) or _same_number(stored, asked)


def not_listed(evidence: AbstractEvidence) -> str:
    """Return how many abstract cases are not shown; nothing if all are."""
    n_more = evidence.n_abstract_cases - len(evidence.abstract_cases)
    return f"… and {plural(n_more, 'abstract case')} not listed" if n_more > 0 else ""


def path_of(evidence: Evidence) -> tuple[Step, ...]:
    """Return the steps worth showing: none if the walk led nowhere and the nearest of all cases decided."""
    path: tuple[Step, ...] = getattr(evidence, "path", ())
    return () if isinstance(evidence, NeighbourEvidence) and len(path) < 2 else path


def is_tied(votes: Mapping[Any, float]) -> bool:
    """Return whether the two largest counts are equal."""
    top = sorted(votes.values())[-2:]
    return len(top) == 2 and top[0] == top[1]


def never_seen(evidence: Evidence) -> str:
    """Return how many values no stored case has, and which; nothing if all are known."""
    if not evidence.unseen:
        return ""
    some = [f"{shortened(printable(u.feature), 24)} = {shortened(spelled(u.value), 24)}" for u in evidence.unseen[:6]]
    if len(evidence.unseen) > 6:
        some.append("…")
    return f"{len(evidence.unseen)} of {plural(len(evidence.values), 'value')} never seen: {', '.join(some)}"


def nearest_other(evidence: NeighbourEvidence) -> str:
    """Return how far the nearest case of another class is: "nearest other: Q at 0.887"."""
    other = evidence.nearest_other
    if other is None:
        return "nearest other: none, all cases compared are of one class"
    label, which = shortened(spelled(other.label), 24), shortened(spelled(other.id), 24)
    return f"nearest other: {label} at {number(other.distance)} (case {which})"


def rows(evidence: NeighbourEvidence) -> list[Neighbour]:
    """Return the cases to show: the neighbours, and the nearest of another class if not one of them."""
    shown = list(evidence.neighbours)
    if evidence.nearest_other is not None and evidence.nearest_other not in shown:
        shown.append(evidence.nearest_other)
    return shown


def differs(evidence: Evidence, neighbour: StoredCase, i: int) -> bool:
    """Return whether a stored case has another value than the question for a feature.

    A feature that is not compared has no stored value and costs nothing; it does not differ.
    """
    if isinstance(neighbour, PooledCase | CoveredCase):
        return neighbour.agrees[i] is False
    if neighbour.costs[i]:
        return True
    stored, asked = neighbour.values[i], evidence.values[i]
    if stored is None or asked is None:
        return False
    return spelled(stored) != spelled(asked) and not _same_number(stored, asked)


def stored_value(evidence: Evidence, neighbour: StoredCase, i: int) -> str:
    """Return a stored case's value as it is shown; a dash for a feature that is not compared."""
    value = neighbour.values[i]
    if isinstance(neighbour, PooledCase | CoveredCase):
        return NOT_COMPARED if neighbour.agrees[i] is None else spelled(value)
    is_compared = value is not None or evidence.values[i] is None or neighbour.costs[i]
    return spelled(value) if is_compared else NOT_COMPARED


def _same_number(a: Any, b: Any) -> bool:
    try:
        return float(a) == float(b)
    except (TypeError, ValueError):
        return False


def by_weight(evidence: Evidence) -> list[int]:
    """Return the positions of the features, the heaviest first."""

    def weight(i: int) -> float:
        w = evidence.weights[i] if i < len(evidence.weights) else 0.0
        return 0.0 if w is None or math.isnan(w) else w

    return sorted(range(len(evidence.features)), key=lambda i: -weight(i))


def by_interest(evidence: Evidence, cases: Sequence[StoredCase]) -> list[int]:
    """Return the positions of the features, those that differ somewhere first, then by weight."""
    return sorted(by_weight(evidence), key=lambda i: not any(differs(evidence, case, i) for case in cases))


def left_out(evidence: Evidence, cases: Sequence[StoredCase], hidden: Sequence[int]) -> str:
    """Return what the features without a column would show; nothing if there are none."""
    if not hidden:
        return ""
    n_differ = sum(any(differs(evidence, case, i) for case in cases) for i in hidden)
    features = plural(len(hidden), "feature")
    if n_differ:
        return f"… and {features}, of which {n_differ} {'differs' if n_differ == 1 else 'differ'} somewhere"
    return f"… and {features} that {'agrees' if len(hidden) == 1 else 'all agree'}"
