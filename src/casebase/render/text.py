"""Blocks as text for a terminal: no colour, a blank line before each table.

The width is 100 columns unless the caller knows the terminal's, so that `str(evidence)` is the same everywhere.
"""

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
NARROWEST = 40
GAP = "  "
N_LINES_OF_PAIRS = 3


def render_text(evidence: Shown, width: int = WIDTH) -> str:
    """Return an explanation as text of at most `width` columns.

    The first line is the prediction and what supports it. Then come how it was decided, and the records, rules or path
    behind it. A width below 40 counts as 40.
    """
    return "\n".join(_lines(evidence, max(width, NARROWEST)))


def _lines(evidence: Shown, width: int) -> Iterator[str]:
    yield from _headline(evidence.headline(), width)
    for section in evidence.sections():
        if section.page_only:
            continue
        margin = GAP * section.indent
        for block in section.blocks:
            lines = LINES[type(block)](block, width - len(margin))
            if lines and isinstance(block, Path | Amounts | CaseTable | Rules):
                yield margin
            yield from (margin + line for line in lines)


def _headline(headline: Headline, width: int) -> list[str]:
    verdict = _wrap([f"  {headline.verdict}"], width) if headline.verdict else []
    return [*_first_lines(headline, width), *verdict]


def _first_lines(headline: Headline, width: int) -> list[str]:
    if headline.wording:
        return [headline.wording]
    answer = shorten(headline.answer, 60)
    if headline.target:
        subject = f"{headline.subject}: " if headline.subject else ""
        return _wrap([f"{subject}{shorten(headline.target, 40)} = {answer}: {headline.sentence}."], width)
    if headline.subject:
        detail = f" ({headline.detail})" if headline.detail else ""
        return [f"{headline.subject}: {headline.answer}{detail}"]
    return _wrap([f"{answer}, {headline.detail}" if headline.detail else answer], width)


def _sentences(block: Sentences, width: int) -> list[str]:
    return _wrap([f"  {line}" for line in block.lines], width)


def _query(block: Query, width: int) -> list[str]:
    """Return the values of the query; most records show them in the table of records instead."""
    return _wrap([f"  query: {', '.join(words.pairs(block.features, block.values, _value_width(width)))}"], width)


def _votes(block: Votes, width: int) -> list[str]:
    if len(block.counts) < 2:  # the headline says it
        return []
    return _wrap([f"  votes: {words.list_counts(block.counts)}"], width)


def _value_width(width: int) -> int:
    """Return the columns that a value may take: 16 of 100."""
    return max(8, width * 4 // 25)


def _wrap(lines: list[str], width: int) -> list[str]:
    """Wrap the lines at spaces, and indent the continuation lines."""
    wrapped = []
    for line in lines:
        while n_columns(line) > width:
            head = shorten(line, width)[:-1]
            at = head.rfind(" ", 20)
            if at < 0:
                line = shorten(line, width)
                break
            wrapped.append(line[:at])
            line = "    " + line[at + 1 :]
        wrapped.append(line)
    return wrapped


def _amounts(block: Amounts, width: int) -> list[str]:
    amounts = [f"{amount:+.4g}" for amount in block.amounts]
    pairs = [f"{printable(f)} {words.sign(v)}{format_value(v)}" for f, v in zip(block.features, block.values)]
    lines = [f"  {amount:>{_width(amounts)}}  {shorten(pair, width * 3 // 5)}" for amount, pair in zip(amounts, pairs)]
    return [*lines, *(_wrap([f"  {block.note}"], width) if block.note else [])]


def _path(block: Path, width: int) -> list[str]:
    if not block.steps:
        return []
    branches = [_indent(step.depth, _branch(step), width * 12 // 25) for step in block.steps]
    defaults = [shorten(format_value(step.default), 20) for step in block.steps]
    sizes = [words.plural(step.n_cases, "record") for step in block.steps]
    shares = [words.percent(step.share) if step.share < 1 else "" for step in block.steps]
    shares = [f"  {share:>{_width(shares)}}" if any(shares) else "" for share in shares]
    branch_width, default_width, size_width = map(_width, (branches, defaults, sizes))
    lines = [
        f"  {_align_left(branch, branch_width)}{share}  → {_align_left(default, default_width)}  {size:>{size_width}}: "
        + words.list_counts(step.counts, 10)
        for branch, share, default, size, step in zip(branches, shares, defaults, sizes, block.steps)
    ]
    return [shorten(line, width) for line in lines]


def _indent(depth: int, text: str, width: int) -> str:
    # The indent is limited, so that a deep path leaves room for its branches.
    return "  " * min(depth, 10) + shorten(text, width - 2 * min(depth, 10))


def _branch(step: PathStep) -> str:
    if step.feature is None:
        return "all records"
    return f"{printable(step.feature)} {words.sign(step.value)}{format_value(step.value)}"


def _rules(block: Rules, width: int) -> list[str]:
    if not block.rules:
        return []
    sizes = ["records", *(number(rule.n_cases) for rule in block.rules)]
    outcomes = [block.outcome, *(shorten(_cell(rule.outcome, width), width * 9 // 25) for rule in block.rules)]
    weights = ["weight", *(rule.weight for rule in block.rules)] if any(rule.weight for rule in block.rules) else []
    sizes = [f"{size:>{_width(sizes)}}" for size in sizes]
    if weights:
        sizes = [f"{size}{GAP}{weight:>{_width(weights)}}" for size, weight in zip(sizes, weights)]
    lead = [f"  {size}{GAP}{outcome}{GAP}" for size, outcome in zip(sizes, _pad(outcomes))]
    lines = [f"{lead[0]}{block.condition}"]
    for begin, rule in zip(lead[1:], block.rules):
        conditions = words.pairs(rule.features, rule.values, 24) or ["any record"]
        for pairs in _break(conditions, width - n_columns(begin)):
            lines.append(begin + pairs)
            begin = " " * n_columns(begin)
    return [*lines, *(_wrap([f"  {block.note}"], width) if block.note else [])]


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


def _case_table(block: CaseTable, width: int) -> list[str]:
    lines = []
    if block.rows:
        agree = "all agree on" if len(block.rows) > 1 else "it agrees on"
        lines += _named(agree, block.agreeing(), width)
        columns = [column for column in block.columns if not column.page_only]
        features = block.shown()
        # The features that decided have the first claim to the room, then provenance, costs, and the other features.
        deciding = [i for i in features if block.decided(i)] or features[:1]
        room = width - 2 - sum(_width(_cells(column, width)) + len(GAP) for column in columns if not column.gives_way)
        needed = sum(_width(_values(block, i, width)) + len(GAP) for i in deciding)
        hidden = []
        for column in [column for column in columns if column.gives_way]:
            wanted = _width(_cells(column, width)) + len(GAP)
            if needed + wanted <= room:
                room -= wanted
            else:
                columns.remove(column)
                hidden.append(column.name)
        # Class counts are wide and have no fixed width, so they come after the features.
        lead = [_cells(column, width) for column in columns if not _has_counts(column)]
        lead[0][1] = "query"
        behind = [_cells(column, width) for column in columns if _has_counts(column)]
        costs = _cost_column(block, min(room - needed, width * 17 // 50)) if features else []
        if costs:  # a narrow terminal has room for the values only
            behind.append(costs)
            room -= _width(costs)
        shown = _features_that_fit(block, features, room, width)
        table = [*lead, *(_values(block, i, width) for i in shown), *behind]
        rows = ["  " + GAP.join(cells) for cells in zip(*map(_pad, table))]
        rows = rows if costs else [row.rstrip() for row in rows]
        lines += rows if shown else [rows[0], *rows[2:]]  # without features the query has nothing to show
        hidden += [printable(block.features[i]) for i in features[len(shown) :]]
        lines += _named("not shown", hidden, width)
    return [*lines, *(line for note in block.notes for line in _wrap([f"  {note}"], width))]


def _named(lead: str, entries: Sequence[str], width: int) -> list[str]:
    """Return two lines with as many of the entries as fit, and the number of the others; none without entries."""
    if not entries:
        return []
    begin = f"  {lead}: "
    return _wrap([begin + words.that_fit(entries, 2 * width - len(begin) - 24)], width)


def _has_counts(column: Column) -> bool:
    return any(isinstance(cell, Mapping) for cell in column.cells)


def _cells(column: Column, width: int) -> list[str]:
    """Return a column: its name, an empty cell for the query, and the cells."""
    if not column.name:
        return ["", "", *column.cells]
    if column.is_number:
        return [column.name, "", *map(number, column.cells)]
    if _has_counts(column):
        return [column.name, "", *(_cell(cell, width) for cell in column.cells)]
    return [column.name, "", *words.shorten_apart(list(map(format_value, column.cells)), _value_width(width))]


def _cell(cell: Any, width: int) -> str:
    return (
        words.list_counts(cell, 10) if isinstance(cell, Mapping) else shorten(format_value(cell), _value_width(width))
    )


def _features_that_fit(block: CaseTable, features: Sequence[int], room: int, width: int) -> list[int]:
    """Return the first of the features that fit."""
    chosen: list[int] = []
    for i in features:
        room -= _width(_values(block, i, width)) + len(GAP)
        if room < 0:
            break
        chosen.append(i)
    return chosen


def _values(block: CaseTable, i: int, width: int) -> list[str]:
    """Return a feature's column: its name, the query's value, the stored values; a space where ≠ could be."""
    values = [format_value(block.query[i]), *(row.values[i] for row in block.rows)]
    marks = [" ", *("≠" if row.differs[i] else " " for row in block.rows)]
    cells = [mark + value for mark, value in zip(marks, words.shorten_apart(values, _value_width(width)))]
    return [" " + shorten(printable(block.features[i]), _value_width(width)), *cells]


def _cost_column(block: CaseTable, room: int) -> list[str]:
    """Return the column of the costs; empty if there are none, or if one entry for each row has no room."""
    costs = [_costs(block, row, room) for row in block.rows if row.costs is not None]
    column = ["cost of ≠", "", *costs]
    return column if any(costs) and _width(column) <= room else []


def _costs(block: CaseTable, row: Row, room: int) -> str:
    costs = row.costs or ()
    costly = [i for i in block.by_weight() if costs[i]]
    costly.sort(key=lambda i: -costs[i])
    entries = [f"{shorten(printable(block.features[i]), 12)} {number(costs[i])}" for i in costly]
    if n_columns(", ".join(entries)) <= room:
        return ", ".join(entries)
    kept = entries[:1]
    for entry in entries[1:]:
        if n_columns(", ".join([*kept, entry])) > room - 9:
            break
        kept.append(entry)
    return f"{', '.join(kept)}, +{len(entries) - len(kept)} more"


def _listing(block: Listing, width: int) -> list[str]:
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


LINES: dict[type[Block], Callable[[Any, int], list[str]]] = {
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
