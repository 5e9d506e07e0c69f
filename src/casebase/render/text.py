"""Blocks as text for a terminal: at most 100 columns, no colour, a blank line before each table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from casebase.render import words
from casebase.render.blocks import (
    Amounts,
    Block,
    CaseTable,
    Column,
    Headline,
    Listing,
    Path,
    PathStep,
    Query,
    Row,
    Rules,
    Sentences,
    Shown,
    Votes,
)
from casebase.render.words import format_value, n_columns, number, printable, shorten

WIDTH = 100
VALUE_WIDTH = 16
COST_WIDTH = 34
GAP = "  "
N_LINES_OF_PAIRS = 3


def render_text(evidence: Shown) -> str:
    """Return an explanation as text: the answer, how it was decided, and the cases, rules or path behind it."""
    return "\n".join(_lines(evidence))


def _lines(evidence: Shown) -> Iterator[str]:
    yield from _headline(evidence.headline())
    for section in evidence.sections():
        if section.page_only:
            continue
        margin = GAP * section.indent
        for block in section.blocks:
            lines = LINES[type(block)](block)
            if lines and isinstance(block, Path | Amounts | CaseTable | Rules):
                yield margin
            yield from (margin + line for line in lines)


def _headline(headline: Headline) -> list[str]:
    if headline.wording:
        return [headline.wording]
    if headline.subject:
        detail = f" ({headline.detail})" if headline.detail else ""
        return [f"{headline.subject}: {headline.answer}{detail}"]
    return _wrap([f"{shorten(headline.answer, 60)}, {headline.detail}"])


def _sentences(block: Sentences) -> list[str]:
    return _wrap([f"  {line}" for line in block.lines])


def _query(block: Query) -> list[str]:
    """Return the values of the query; most records show them in the table of cases instead."""
    return _wrap([f"  asked: {', '.join(words.pairs(block.features, block.values, VALUE_WIDTH))}"])


def _votes(block: Votes) -> list[str]:
    if len(block.counts) < 2:  # the headline says it
        return []
    return _wrap([f"  votes: {words.list_counts(block.counts)}"])


def _wrap(lines: list[str]) -> list[str]:
    """Wrap the lines at spaces, and indent the continuation lines."""
    wrapped = []
    for line in lines:
        while n_columns(line) > WIDTH:
            head = shorten(line, WIDTH)[:-1]
            at = head.rfind(" ", 20)
            if at < 0:
                line = shorten(line, WIDTH)
                break
            wrapped.append(line[:at])
            line = "    " + line[at + 1 :]
        wrapped.append(line)
    return wrapped


def _amounts(block: Amounts) -> list[str]:
    amounts = [f"{amount:+.4g}" for amount in block.amounts]
    pairs = [f"{printable(f)} {words.sign(v)}{format_value(v)}" for f, v in zip(block.features, block.values)]
    lines = [f"  {amount:>{_width(amounts)}}  {shorten(pair, 60)}" for amount, pair in zip(amounts, pairs)]
    return [*lines, *([f"  {block.note}"] if block.note else [])]


def _path(block: Path) -> list[str]:
    if not block.steps:
        return []
    branches = [_indent(step.depth, _branch(step), 48) for step in block.steps]
    defaults = [shorten(format_value(step.default), 20) for step in block.steps]
    cases = [words.plural(step.n_cases, "case") for step in block.steps]
    shares = [words.percent(step.share) if step.share < 1 else "" for step in block.steps]
    shares = [f"  {share:>{_width(shares)}}" if any(shares) else "" for share in shares]
    width, default_width, cases_width = map(_width, (branches, defaults, cases))
    lines = [
        f"  {_align_left(branch, width)}{share}  → {_align_left(default, default_width)}  {n_cases:>{cases_width}}: "
        + words.list_counts(step.counts, 10)
        for branch, share, default, n_cases, step in zip(branches, shares, defaults, cases, block.steps)
    ]
    return [shorten(line, WIDTH) for line in lines]


def _indent(depth: int, text: str, width: int) -> str:
    # The indent is limited, so that a deep path leaves room for its branches.
    return "  " * min(depth, 10) + shorten(text, width - 2 * min(depth, 10))


def _branch(step: PathStep) -> str:
    if step.feature is None:
        return "any case"
    return f"{printable(step.feature)} {words.sign(step.value)}{format_value(step.value)}"


def _rules(block: Rules) -> list[str]:
    if not block.rules:
        return []
    sizes = ["cases", *(number(rule.n_cases) for rule in block.rules)]
    outcomes = [block.outcome, *(shorten(_cell(rule.outcome), 36) for rule in block.rules)]
    lead = [f"  {size:>{_width(sizes)}}{GAP}{outcome}{GAP}" for size, outcome in zip(sizes, _pad(outcomes))]
    lines = [f"{lead[0]}{block.condition}"]
    for begin, rule in zip(lead[1:], block.rules):
        conditions = words.pairs(rule.features, rule.values, 24) or ["any case"]
        for pairs in _break(conditions, WIDTH - n_columns(begin)):
            lines.append(begin + pairs)
            begin = " " * n_columns(begin)
    return [*lines, *([f"  {block.note}"] if block.note else [])]


def _break(pairs: Sequence[str], width: int) -> list[str]:
    """Return the pairs in a few lines; the last line says how many pairs did not fit."""
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
            lines = [*(line.removesuffix(",") + "," for line in lines), shorten(pair, width - len(last))]
    return lines


def _case_table(block: CaseTable) -> list[str]:
    lines = []
    if block.rows:
        columns = [column for column in block.columns if not column.page_only]
        # Class counts are wide and have no fixed width, so they come after the features.
        lead = [_cells(column) for column in columns if not _has_counts(column)]
        lead[0][1] = "asked"
        behind = [_cells(column) for column in columns if _has_counts(column)]
        room = WIDTH - 2 - sum(_width(cells) + len(GAP) for cells in [*lead, *behind])
        costs = [_costs(block, row) for row in block.rows if row.costs is not None]
        if costs:
            behind.append(["cost of ≠", "", *costs])
            room -= _width(behind[-1])
        shown = _features_that_fit(block, room)
        table = [*lead, *(_values(block, i) for i in shown), *behind]
        lines = ["  " + GAP.join(cells) for cells in zip(*map(_pad, table))]
        lines = lines if costs else [line.rstrip() for line in lines]
        left_out = block.left_out(shown)
        lines += [f"  {left_out}"] if left_out else []
    return [*lines, *(f"  {note}" for note in block.notes)]


def _has_counts(column: Column) -> bool:
    return any(isinstance(cell, Mapping) for cell in column.cells)


def _cells(column: Column) -> list[str]:
    """Return a column: its name, an empty cell for the query, and the cells."""
    cells = [number(cell) for cell in column.cells] if column.is_number else list(map(_cell, column.cells))
    return [column.name, "", *(cells if column.name else column.cells)]


def _cell(cell: Any) -> str:
    return words.list_counts(cell, 10) if isinstance(cell, Mapping) else shorten(format_value(cell), VALUE_WIDTH)


def _features_that_fit(block: CaseTable, room: int) -> list[int]:
    """Return all features in their own order if they fit, otherwise the most interesting ones by weight."""
    widths = [_width(_values(block, i)) + len(GAP) for i in range(len(block.features))]
    if sum(widths) <= room:
        return list(range(len(widths)))
    chosen: list[int] = []
    for i in block.by_interest():
        if widths[i] > room:
            break
        room -= widths[i]
        chosen.append(i)
    return [i for i in block.by_weight() if i in chosen]


def _values(block: CaseTable, i: int) -> list[str]:
    """Return a feature's column: its name, the query's value, the stored values; a space where ≠ could be."""
    marked = [("≠" if row.differs[i] else " ") + row.values[i] for row in block.rows]
    cells = [" " + printable(block.features[i]), " " + format_value(block.asked[i]), *marked]
    return [shorten(cell, VALUE_WIDTH + 1) for cell in cells]


def _costs(block: CaseTable, row: Row) -> str:
    costs = row.costs or ()
    costly = [i for i in block.by_weight() if costs[i]]
    costly.sort(key=lambda i: -costs[i])
    entries = [f"{shorten(printable(block.features[i]), 12)} {number(costs[i])}" for i in costly]
    if n_columns(", ".join(entries)) <= COST_WIDTH:
        return ", ".join(entries)
    kept = entries[:1]
    for entry in entries[1:]:
        if n_columns(", ".join([*kept, entry])) > COST_WIDTH - 9:
            break
        kept.append(entry)
    return f"{', '.join(kept)}, +{len(entries) - len(kept)} more"


def _listing(block: Listing) -> list[str]:
    margin = "    " if block.lead else "  "
    lines = [f"  {block.lead}"] if block.lead else []
    for entry in block.entries:
        lines.append(margin + entry.text)
        lines += [f"{margin}    {line}" for line in entry.below]
    return lines


def _width(cells: Sequence[str]) -> int:
    return max(map(n_columns, cells))


def _pad(cells: Sequence[str]) -> list[str]:
    width = _width(cells)
    return [_align_left(cell, width) for cell in cells]


def _align_left(text: str, width: int) -> str:
    return text + " " * (width - n_columns(text))


LINES: dict[type[Block], Callable[[Any], list[str]]] = {
    Headline: _headline,
    Sentences: _sentences,
    Query: _query,
    Votes: _votes,
    Amounts: _amounts,
    Path: _path,
    CaseTable: _case_table,
    Rules: _rules,
    Listing: _listing,
}
