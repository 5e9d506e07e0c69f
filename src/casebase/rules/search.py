"""Hierarchical rules: a default, exceptions to it, and exceptions to those.

A hierarchical rule tries its levels in turn. The first level with a concept that contains the example decides; if no
level does, the default decides. `find_rule` finds a short rule that is right on every example, as in Figure 2 of the
paper. A rule of the first level has no exceptions. A rule of a later level costs its concept plus a cover of its
exceptions by rules of the level before. Level by level, every concept thus gets the price of a rule that begins with
it, and so does `true`, the concept of all examples, whose exceptions are the exceptions to the default. The search
tries all defaults and takes the cheapest.

**Several classes.** A rule of a level may predict any class σ. Its exceptions are the examples of its concept with
other classes. An exception of class τ is covered by rules of the level before that predict τ. A rule of class τ covers
no examples of other classes, so there is a separate cover for each class. With two classes this is the figure: levels
alternate.

**Why the rule is right on every example.** Take an example of class τ and the first level at which a rule matches it.
Suppose that this rule (or the default) predicts another class. Then the example is one of its exceptions, so a rule of
the level before covers it: that rule predicts τ and contains the example. It matches earlier, a contradiction. The
first level has no exceptions at all. Hence all rules that match at the deciding level predict τ, whichever is used.

Reference: Kivinen, Mannila, Ukkonen, Vilo, "An algorithm for learning hierarchical classifiers" (1994).
"""

from collections.abc import Sequence

import numpy as np

from casebase.data.checks import is_number, is_whole
from casebase.errors import CasebaseError, NoConsistentRuleError
from casebase.progress import Progress
from casebase.rules.concepts import Concepts, merged
from casebase.rules.cover import Search
from casebase.rules.hierarchy import MIXED, Applied, Forced, HierarchicalRule, Level, applied
from casebase.rules.noise import DEEPEST, N_SHOWN, Sample, listed, nearly_consistent, without_contradictions

__all__ = [
    "MIXED",
    "Applied",
    "Concepts",
    "Forced",
    "HierarchicalRule",
    "Level",
    "NoConsistentRuleError",
    "applied",
    "find_rule",
    "merged",
]

ROUNDING = 1e-9  # so that a share of 0.1 of ten examples is one example


def find_rule(
    concepts: Concepts,
    labels: np.ndarray,
    *,
    n_classes: int = 2,
    depth: int | str = 2,
    noise: float | str = 0.0,
    weights: np.ndarray | None = None,
    forced: Sequence[Forced] = (),
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> HierarchicalRule:
    """Return a near-shortest rule of at most `depth` levels that is right on every example.

    Covers are greedy: lowest cost per newly covered example; ties go to more new examples, then to the first concept.
    `true` costs 1 and comes before all concepts of the same cost. If a level contains `true`, no later level is
    reached: the rule ends there, with that level's class as its default. Between defaults of equal cost, the smaller
    label wins.

    `depth="auto"` takes the smallest depth, up to 10, at which there is a rule. `noise` is the share of the examples
    (by weight) that the rule may leave unexplained. First, of examples in the same concepts, the lighter classes are
    dropped; then the cover of the exceptions to the default ends as soon as the rest is within the share. If that gives
    no rule, or with `noise="auto"` if no rule is right on all examples, `nearly_consistent` finds one with few errors.
    An example of weight w counts as w examples. `forced` rules are free in covers and paid once; with forced rules,
    only the last level may contain `true`.

    >>> concepts = Concepts.of([{0, 1, 2, 3}, {3}])
    >>> rule = find_rule(concepts, np.array([1, 1, 1, 0, 0, 0, 0]))
    >>> [(level.label, level.concepts) for level in rule.levels], rule.default
    ([(0, (1,)), (1, (0,))], 0)
    """
    labels, given = np.asarray(labels), None if weights is None else np.asarray(weights, dtype=float)
    checked_depth(depth)
    check_noise(noise)
    _check_examples(concepts, labels, n_classes, given)
    sample = Sample(concepts, labels, n_classes, given, tuple(forced), n_jobs)
    budget = 0.0 if isinstance(noise, str) else noise * sample.total * (1 + ROUNDING)
    try:
        return _consistent(sample, depth, budget, progress)
    except NoConsistentRuleError as error:
        if not noise:
            raise
        found = nearly_consistent(sample, depth, progress)
        if found is None:
            raise
        rule, wrong = found
        if noise == "auto" or wrong <= budget:
            return rule
        raise NoConsistentRuleError(
            f"{error} With noise, the best rule found is wrong on {wrong / sample.total:.2g} of the examples.",
            error.n_conflicts,
            error.examples,
            error.conflicts,
        ) from None


def _consistent(sample: Sample, depth: int | str, budget: float, progress: Progress | None) -> HierarchicalRule:
    """Return a rule that is right on all examples, except for examples up to the weight of `budget`."""
    kept, budget = without_contradictions(sample, budget)
    part = sample if kept is None else sample.part(kept)
    search = part.search()
    deepest = checked_depth(depth)
    if depth == "auto":
        rule = _shallowest(search, budget, progress)
    else:
        for number in range(1, deepest):
            search.deepen(progress, number, deepest - 1)
        rule = search.rule(deepest, budget)
    if rule is None:
        raise _failure(search, deepest, np.arange(sample.n_examples) if kept is None else kept)
    assert part.wrong(rule) <= budget * (1 + ROUNDING), "a rule must be right on all examples but those left to noise"
    return rule


def _shallowest(search: Search, budget: float, progress: Progress | None) -> HierarchicalRule | None:
    for depth in range(DEEPEST + 1):
        rule = search.rule(depth, budget)
        # A rule that is possible at a level stays possible at the next: if a level adds none, no later one will.
        if rule is not None or (depth and not search.deepen(progress, depth, DEEPEST - 1)):
            return rule
    return None


def checked_depth(depth: object) -> int:
    """Return the largest number of levels."""
    if isinstance(depth, str) and depth == "auto":
        return DEEPEST
    if not is_whole(depth, 0):
        raise CasebaseError(
            f"depth is the number of levels before the default: a whole number of at least 0, or 'auto'; got {depth!r}."
        )
    return int(depth)


def check_noise(noise: object) -> None:
    if isinstance(noise, str) and noise == "auto":
        return
    if not is_number(noise) or not 0.0 <= noise < 1.0:
        raise CasebaseError(
            "noise is the share of examples that may stay unexplained: at least 0 and below 1, or 'auto'; "
            f"got {noise!r}."
        )


def _check_examples(concepts: Concepts, labels: np.ndarray, n_classes: int, weights: np.ndarray | None) -> None:
    if not len(labels):
        raise CasebaseError("A rule needs at least one example to learn from; got none.")
    if n_classes < 1 or labels.min() < 0 or labels.max() >= n_classes:
        raise CasebaseError(
            f"Labels are numbers from 0 to {n_classes - 1}, one less than the number of classes; "
            f"got {labels.min()} to {labels.max()}."
        )
    if len(concepts.examples) and concepts.examples.max() >= len(labels):
        raise CasebaseError(
            f"There are {len(labels)} labels, but a concept has example {concepts.examples.max()} (counted from 0)."
        )
    if weights is not None:
        given = np.asarray(weights, dtype=float)
        if given.shape != labels.shape or not (np.isfinite(given).all() and (given > 0).all()):
            raise CasebaseError("weights needs one number above 0 for every example.")


def _failure(search: Search, depth: int, kept: np.ndarray) -> NoConsistentRuleError:
    """Return the error with the examples that no rule covers, for the default with the fewest of them."""
    depth = min(depth, len(search.prices))
    if search.forced and all(search.place_forced(default, depth) is None for default in range(search.n_classes)):
        return NoConsistentRuleError(
            f"No rule of depth {depth} can contain the forced rules: their exceptions cannot be covered, or they are "
            f"at levels of the other class. Force fewer rules, or allow more depth.",
            0,
            [],
        )
    left_by_class: list[np.ndarray] = []
    for label, covering in enumerate(search.coverings):
        if depth and len(search.of_class[label]):
            covering.price(np.ascontiguousarray(search.prices[depth - 1][label]))
            left_by_class.append(search.of_class[label][covering.cover(search.true)[2]])
        else:
            left_by_class.append(search.of_class[label])
    total = sum(len(left) for left in left_by_class)
    default = int(np.argmin([total - len(left) for left in left_by_class]))
    left = np.sort(
        np.concatenate([left for label, left in enumerate(left_by_class) if label != default] or [np.zeros(0, int)])
    )
    shown = kept[left[:N_SHOWN]]
    return NoConsistentRuleError(
        f"No rule of depth {depth} is right on all of {len(kept)} examples: {len(left)} are in no concept "
        f"whose exceptions can be covered (such as {listed(shown)}, counted from 0). Allow more depth "
        f"(depth='auto' tries it), noise, or more concepts.",
        len(left),
        shown.tolist(),
        kept[left].tolist(),
    )
