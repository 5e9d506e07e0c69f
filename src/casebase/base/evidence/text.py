"""Evidence for a terminal: at most 100 columns, no colour, one blank line between the parts."""

from collections.abc import Sequence

from casebase.base.evidence import wording
from casebase.base.evidence.records import (
    AbstractEvidence,
    Evidence,
    Neighbour,
    NeighbourEvidence,
    PathEvidence,
    PerceptronEvidence,
    RuleEvidence,
    SmileEvidence,
    Step,
    TreeEvidence,
)
from casebase.base.evidence.wording import StoredCase
from casebase.render import words
from casebase.render.words import n_columns, number, printable, shortened, spelled

WIDTH = 100
VALUE_WIDTH = 16
COST_WIDTH = 34
GAP = "  "
N_LINES_OF_PAIRS = 3


def render_text(evidence: Evidence) -> str:
    """Return the answer, how it was decided, and the cases or the path behind it.

    >>> print(render_text(Evidence(features=("f",), values=("a",), unseen=(), label="P",
    ...                            votes={"P": 3.0, "Q": 1.0}, weights=(0.5,))))
    P, 3 of 4 votes
      votes: P 3, Q 1
    """
    lines = [f"{shortened(spelled(evidence.label), 60)}, {wording.share(evidence)}"]
    # The last node of a path shows the same counts, unless there are several.
    is_told = (
        isinstance(evidence, TreeEvidence | RuleEvidence | PathEvidence) and getattr(evidence, "n_endings", 1) == 1
    )
    if len(evidence.votes) > 1 and not is_told:
        lines.append(f"  votes: {words.listed_counts(evidence.votes)}")
    lines += [f"  {sentence}" for sentence in wording.how_decided(evidence)]
    if wording.never_seen(evidence):
        lines.append(f"  {wording.never_seen(evidence)}")
    parts = [_wrapped(lines)]
    path = wording.path_of(evidence)
    if path:
        parts.append(_path(path))
    if isinstance(evidence, PerceptronEvidence) and evidence.contributions:
        parts.append(_contributions(evidence))
    if isinstance(evidence, NeighbourEvidence):
        parts.append(_neighbours(evidence))
    if isinstance(evidence, AbstractEvidence) and evidence.kept:
        parts.append(_abstract_cases(evidence))
    if isinstance(evidence, SmileEvidence) and evidence.pools:
        parts += [_pools(evidence), _pooled_cases(evidence)]
    if isinstance(evidence, RuleEvidence) and evidence.cases:
        parts.append(_covered_cases(evidence))
    return "\n\n".join("\n".join(part) for part in parts)


def _wrapped(lines: list[str]) -> list[str]:
    """Return the lines broken at spaces, what follows the break indented under its sentence."""
    broken = []
    for line in lines:
        while n_columns(line) > WIDTH:
            head = shortened(line, WIDTH)[:-1]
            at = head.rfind(" ", 20)
            if at < 0:
                line = shortened(line, WIDTH)
                break
            broken.append(line[:at])
            line = "    " + line[at + 1 :]
        broken.append(line)
    return broken


def _path(path: Sequence[Step]) -> list[str]:
    branches = [_indented(wording.depth_of(step, place), _branch(step), 48) for place, step in enumerate(path)]
    defaults = [shortened(spelled(step.default), 20) for step in path]
    cases = [words.plural(step.n_cases, "case") for step in path]
    shares = [wording.share_of(step) for step in path]
    shares = [f"  {share:>{_width(shares)}}" if any(shares) else "" for share in shares]
    width, default_width, cases_width = (max(map(n_columns, column)) for column in (branches, defaults, cases))
    lines = [
        f"  {_left(branch, width)}{share}  → {_left(default, default_width)}  {n_cases:>{cases_width}}: "
        + words.listed_counts(step.counts, 10)
        for branch, share, default, n_cases, step in zip(branches, shares, defaults, cases, path)
    ]
    return [shortened(line, WIDTH) for line in lines]


def _indented(depth: int, text: str, width: int) -> str:
    # A deep path stops moving to the right, so that there is always room for a branch.
    return "  " * min(depth, 10) + shortened(text, width - 2 * min(depth, 10))


def _branch(step: Step) -> str:
    if step.feature is None:
        return "any case"
    return f"{printable(step.feature)} {words.sign(step.value)}{spelled(step.value)}"


def _neighbours(evidence: NeighbourEvidence) -> list[str]:
    cases = wording.rows(evidence)
    lines = []
    if cases:
        lead = [["case", "asked", *(shortened(spelled(case.id), VALUE_WIDTH) for case in cases)]]
        lead.append(["class", "", *(shortened(spelled(case.label), VALUE_WIDTH) for case in cases)])
        lead.append(["distance", "", *(number(case.distance) for case in cases)])
        if any(case.weight != 1 for case in cases):
            lead.append(["count", "", *(number(case.weight) for case in cases)])
        costs = ["cost of ≠", "", *(_costs(evidence, case) for case in cases)]
        room = WIDTH - 2 - sum(_width(column) + len(GAP) for column in lead) - _width(costs)
        shown = _features_that_fit(evidence, cases, room)
        table = [*lead, *(_values(evidence, cases, i) for i in shown), costs]
        lines = ["  " + GAP.join(cells) for cells in zip(*map(_padded, table))]
        hidden = [i for i in range(len(evidence.features)) if i not in shown]
        if hidden:
            lines.append(f"  {wording.left_out(evidence, cases, hidden)}")
    n_more = evidence.n_neighbours - len(evidence.neighbours)
    if n_more > 0:
        lines.append(f"  … and {words.plural(n_more, 'neighbour')} not listed")
    return [*lines, f"  {wording.nearest_other(evidence)}"]


def _contributions(evidence: PerceptronEvidence) -> list[str]:
    said = [f"{one.amount:+.4g}" for one in evidence.contributions]
    pairs = [f"{printable(one.feature)} {words.sign(one.value)}{spelled(one.value)}" for one in evidence.contributions]
    lines = [f"  {amount:>{_width(said)}}  {shortened(pair, 60)}" for amount, pair in zip(said, pairs)]
    more = wording.unlisted_contributions(evidence)
    return [*lines, *([f"  {more}"] if more else [])]


def _abstract_cases(evidence: AbstractEvidence) -> list[str]:
    groups = evidence.abstract_cases
    counts = ["classes", "", *(words.listed_counts(group.counts, 10) for group in groups)]
    table = [["cases", "asked", *(number(group.n_cases) for group in groups)]]
    room = WIDTH - 2 - _width(table[0]) - _width(counts) - 2 * len(GAP)
    for i, (name, asked) in enumerate(zip(evidence.kept, wording.asked_values(evidence))):
        values = [
            (" " if wording.is_matched(evidence, group, i) else "≠") + spelled(group.values[i]) for group in groups
        ]
        column = [shortened(cell, VALUE_WIDTH + 1) for cell in (" " + printable(name), " " + spelled(asked), *values)]
        room -= _width(column) + len(GAP)
        if room < 0:
            break
        table.append(column)
    n_hidden = len(evidence.kept) - len(table) + 1
    lines = ["  " + GAP.join(cells).rstrip() for cells in zip(*map(_padded, [*table, counts]))]
    if n_hidden:
        lines.append(f"  … and {words.plural(n_hidden, 'feature')}")
    return [*lines, *([f"  {wording.not_listed(evidence)}"] if wording.not_listed(evidence) else [])]


def _pools(evidence: SmileEvidence) -> list[str]:
    shown = evidence.pools[: wording.N_POOLS_SHOWN]
    sizes = ["cases", *(number(pool.n_cases) for pool in shown)]
    classes = ["classes", *(shortened(words.listed_counts(pool.counts, 10), 36) for pool in shown)]
    lead = [f"  {size:>{_width(sizes)}}{GAP}{counts}{GAP}" for size, counts in zip(sizes, _padded(classes))]
    lines = [f"{lead[0]}agree on"]
    for begin, pool in zip(lead[1:], shown):
        for pairs in _broken(wording.joint(pool), WIDTH - n_columns(begin)):
            lines.append(begin + pairs)
            begin = " " * n_columns(begin)
    more = wording.more_pools(evidence)
    return [*lines, *([f"  {more}"] if more else [])]


def _broken(pairs: Sequence[str], width: int) -> list[str]:
    """Return the pairs in lines; those that a few lines do not hold are counted in the last."""
    lines: list[str] = []
    for i, pair in enumerate(pairs):
        last = f", +{len(pairs) - i} more"
        room = width - (len(last) if len(lines) == N_LINES_OF_PAIRS else 1)
        if lines and n_columns(f"{lines[-1]}, {pair}") <= room:
            lines[-1] += f", {pair}"
        elif len(lines) == N_LINES_OF_PAIRS:
            lines[-1] += last
            break
        else:
            lines = [*(line.removesuffix(",") + "," for line in lines), shortened(pair, width - len(last))]
    return lines


def _pooled_cases(evidence: SmileEvidence) -> list[str]:
    cases = evidence.cases
    lead = [["case", "asked", *(shortened(spelled(case.id), VALUE_WIDTH) for case in cases)]]
    lead.append(["class", "", *(shortened(spelled(case.label), VALUE_WIDTH) for case in cases)])
    lead.append(["pools", "", *(str(len(case.pools)) for case in cases)])
    if any(case.weight != 1 for case in cases):
        lead.append(["count", "", *(number(case.weight) for case in cases)])
    room = WIDTH - 2 - sum(_width(column) + len(GAP) for column in lead)
    shown = _features_that_fit(evidence, cases, room)
    table = [*lead, *(_values(evidence, cases, i) for i in shown)]
    lines = ["  " + GAP.join(cells).rstrip() for cells in zip(*map(_padded, table))] if cases else []
    hidden = [i for i in range(len(evidence.features)) if i not in shown]
    notes = [wording.left_out(evidence, cases, hidden) if cases else "", wording.more_cases(evidence)]
    return [*lines, *(f"  {note}" for note in notes if note)]


def _covered_cases(evidence: RuleEvidence) -> list[str]:
    cases = evidence.cases
    lead = [["case", "asked", *(shortened(spelled(case.id), VALUE_WIDTH) for case in cases)]]
    lead.append(["class", "", *(shortened(spelled(case.label), VALUE_WIDTH) for case in cases)])
    if not all(case.is_decided for case in cases):
        lead.append(["", "", *("" if case.is_decided else "exception" for case in cases)])
    if any(case.weight != 1 for case in cases):
        lead.append(["count", "", *(number(case.weight) for case in cases)])
    room = WIDTH - 2 - sum(_width(column) + len(GAP) for column in lead)
    shown = _features_that_fit(evidence, cases, room)
    table = [*lead, *(_values(evidence, cases, i) for i in shown)]
    lines = ["  " + GAP.join(cells).rstrip() for cells in zip(*map(_padded, table))]
    hidden = [i for i in range(len(evidence.features)) if i not in shown]
    notes = [wording.left_out(evidence, cases, hidden), wording.covered_but_not_listed(evidence)]
    return [*lines, *(f"  {note}" for note in notes if note)]


def _features_that_fit(evidence: Evidence, cases: Sequence[StoredCase], room: int) -> list[int]:
    """Return all features in their own order if they fit, else the most telling, heaviest first."""
    widths = [_width(_values(evidence, cases, i)) + len(GAP) for i in range(len(evidence.features))]
    if sum(widths) <= room:
        return list(range(len(widths)))
    chosen: list[int] = []
    for i in wording.by_interest(evidence, cases):
        if widths[i] > room:
            break
        room -= widths[i]
        chosen.append(i)
    return [i for i in wording.by_weight(evidence) if i in chosen]


def _values(evidence: Evidence, cases: Sequence[StoredCase], i: int) -> list[str]:
    """Return a feature's column: its name, the value asked, the stored ones. A space stands where ≠ could."""
    marked = [
        ("≠" if wording.differs(evidence, case, i) else " ") + wording.stored_value(evidence, case, i) for case in cases
    ]
    cells = [" " + printable(evidence.features[i]), " " + spelled(evidence.values[i]), *marked]
    return [shortened(cell, VALUE_WIDTH + 1) for cell in cells]


def _costs(evidence: NeighbourEvidence, case: Neighbour) -> str:
    costly = [i for i in wording.by_weight(evidence) if case.costs[i]]
    costly.sort(key=lambda i: -case.costs[i])
    entries = [f"{shortened(printable(evidence.features[i]), 12)} {number(case.costs[i])}" for i in costly]
    if n_columns(", ".join(entries)) <= COST_WIDTH:
        return ", ".join(entries)
    kept = entries[:1]
    for entry in entries[1:]:
        if n_columns(", ".join([*kept, entry])) > COST_WIDTH - 9:
            break
        kept.append(entry)
    return f"{', '.join(kept)}, +{len(entries) - len(kept)} more"


def _width(cells: Sequence[str]) -> int:
    return max(map(n_columns, cells))


def _padded(cells: Sequence[str]) -> list[str]:
    width = _width(cells)
    return [_left(cell, width) for cell in cells]


def _left(text: str, width: int) -> str:
    return text + " " * (width - n_columns(text))
