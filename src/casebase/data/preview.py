"""A table of cases in a few lines of text, and as HTML for a notebook."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from casebase.data.columns import spelling

if TYPE_CHECKING:
    from casebase.data.cases import Cases

N_ROWS, N_COLUMNS, N_CLASSES = 5, 8, 4
WIDTH = 16  # of a value


def summary(cases: "Cases") -> str:
    """Return the size of a table of cases in one line: "2 cases, 2 features, class: apple 1, banana 1"."""
    parts = [count(cases.n_cases, "case"), count(cases.n_features, "feature")]
    labels = cases.labels
    if labels is not None and (not len(labels) or labels.max() < cases.n_classes):
        counts = sorted(zip(cases.schema.classes, cases.class_counts.tolist()), key=lambda one: -one[1])
        some = [f"{short(label)} {n:g}" for label, n in counts[:N_CLASSES]]
        parts.append(f"{cases.schema.target}: {', '.join([*some, '…'] if len(counts) > N_CLASSES else some)}")
    return ", ".join(parts)


def text(cases: "Cases") -> str:
    """Return the summary and the first cases as lines."""
    rows = _rows(cases)
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([summary(cases), *lines, *([f"  {_more(cases)}"] if _more(cases) else [])])


def html(cases: "Cases") -> str:
    """Return the summary and the first cases as a table."""
    head, *rows = _rows(cases)
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<div><p>{escape(summary(cases))}</p>\n<table>\n<thead><tr>{titles}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>{f'<p>{_more(cases)}</p>' if _more(cases) else ''}</div>"
    )


def _more(cases: "Cases") -> str:
    rest = cases.n_cases - N_ROWS
    return f"… and {count(rest, 'more case')}" if rest > 0 else ""


def _rows(cases: "Cases") -> list[list[str]]:
    """Return the heading and the first cases: id, class, and the values of the first features."""
    names, n = cases.schema.names, min(cases.n_cases, N_ROWS)
    is_cut, labels = len(names) > N_COLUMNS, cases.labels
    classes: Sequence[object] = cases.schema.classes
    head = ["id", *([cases.schema.target] if labels is not None else []), *names[:N_COLUMNS]]
    rows = [[*map(short, head), *(["…"] if is_cut else [])]]
    for i, name in enumerate(cases.case_ids()[:n].tolist()):
        label = []
        if labels is not None:
            label = [short(classes[labels[i]]) if labels[i] < len(classes) else "?"]
        values = [short(value) for value in cases.values(i)[:N_COLUMNS]]
        rows.append([short(name), *label, *values, *(["…"] if is_cut else [])])
    return rows


def short(value: object) -> str:
    """Return a value as one short line; a missing one as "?missing"."""
    written = "?missing" if value is None or value != value else str(spelling(value))
    written = written if written.isprintable() else written.encode("unicode_escape").decode("ascii")
    return written if len(written) <= WIDTH else written[: WIDTH - 1] + "…"


def count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
