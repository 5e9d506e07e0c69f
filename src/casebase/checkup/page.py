"""The health of a table as text, and as an HTML page."""

from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING

from casebase.base.model import format_count
from casebase.checkup.findings import TITLES, Finding, Kind
from casebase.render.grids import Grid
from casebase.render.report import Report, wrap
from casebase.render.words import format_value, n_columns, printable

if TYPE_CHECKING:
    from casebase.checkup.record import Health

LIMIT = 10  # findings of a kind in a text
PAGE_LIMIT = 200  # and on a page
N_IDS = 30  # redundant records, of which a text has the ids alone
WIDTH = 100

MEANINGS: dict[Kind, str] = {
    "mislabelled": "The other records find another class likelier; the worst first. Look before you change one.",
    "contradiction": "Equal on all features, but of another class than most of their equals.",
    "duplicate": "Equal on all features and in the class.",
    "outlier": "Far from every other record.",
    "rare value": "Values that hardly occur beside frequent ones, and classes with one record.",
    "column": "Nothing to learn from, or the class in disguise.",
    "pivotal": "Others depend on them: check these first. Values are exact Shapley values, summed over all answers.",
    "redundant": "All of them can be removed together, and every leave-one-out answer stays, with the distances held. "
    "Weights that are computed anew without them can change some answers.",
}


def headline(health: "Health") -> str:
    """Return the result in one sentence."""
    wrong = health.counts.get("mislabelled", 0)
    parts = []
    if wrong:
        parts.append(f"{format_count(wrong, 'record')} probably mislabelled")
    if health.counts["contradiction"]:
        parts.append(f"{format_count(health.counts['contradiction'], 'record')} that contradict equal ones")
    if health.counts["column"]:
        parts.append(format_count(health.counts["column"], "suspicious column"))
    found = ", ".join(parts) or "nothing that looks wrong"
    return f"{format_count(health.n_cases, 'record')}: {found}."


def how(health: "Health") -> str:
    """Return a sentence on what was measured, and how."""
    ceiling = f"{health.ceiling:.1%}"
    limit = "" if ceiling == "100.0%" else f"; no method can exceed {ceiling} on these features"
    return (
        f"{format_count(health.n_features, 'feature')}, {format_count(health.n_classes, 'class')} of "
        f"{printable(health.target)}. By leave-one-out the nearest records ({health.metric}) answer "
        f"{health.accuracy:.1%} correctly; always the most frequent class {health.baseline:.1%}{limit}."
    )


def render_text(health: "Health", limit: int = LIMIT) -> str:
    """Return the whole report as lines of text, with at most `limit` findings of each kind."""
    parts = [headline(health), wrap(how(health))]
    for kind, title in TITLES.items():
        findings = health.of(kind)
        if findings:
            parts.append(_section(f"{title}: {len(findings):,}", MEANINGS[kind], findings, limit))
    if health.counts.get("redundant"):
        parts[-1] += f"\n  {printable(health.commands.remove_redundant())}"  # the last section
    none = [title.lower() for kind, title in TITLES.items() if health.counts.get(kind) == 0]
    if none:
        parts.append(wrap(f"None of these: {', '.join(none)}."))
    return "\n\n".join([*parts, *map(wrap, health.notes)])


def _section(title: str, meaning: str, findings: tuple[Finding, ...], limit: int) -> str:
    shown = findings[:limit]
    lines = [title, fill(meaning, WIDTH, initial_indent="  ", subsequent_indent="  "), ""]
    if findings[0].kind == "redundant":  # all for one reason
        more = f" and {len(findings) - N_IDS:,} more" if len(findings) > N_IDS else ""
        ids = ", ".join(_subject(one) for one in findings[:N_IDS])
        return "\n".join([*lines, fill(ids + more, WIDTH, initial_indent="  ", subsequent_indent="  ")])
    width = max(map(n_columns, map(_subject, shown)), default=0)
    for one in shown:
        head = f"  {_subject(one)}{' ' * (width - n_columns(_subject(one)))}  {_classes(one)}"
        indent = " " * (width + 4)
        lines.append(fill(f"{head}{printable(one.reason)}", WIDTH, subsequent_indent=indent, break_on_hyphens=False))
        lines.append(f"{indent}{printable(one.command)}")
    if len(findings) > limit:
        lines.append(f"  … and {len(findings) - limit:,} more")
    return "\n".join(lines)


def _subject(one: Finding) -> str:
    return printable(str(one.column if one.record is None else one.record))


def _classes(one: Finding) -> str:
    if one.record is None:
        return ""
    label = format_value(one.label)
    return f"{label}: " if one.suggested is None else f"{label} → {format_value(one.suggested)}: "


def render_page(health: "Health", title: str = "Health of the records") -> str:
    """Return a self-contained page with all tables."""
    return _report(health).page(title, "")


def render_fragment(health: "Health") -> str:
    """Return the report with its styles, for embedding in a page such as a notebook."""
    return _report(health, LIMIT).fragment("")


def _report(health: "Health", limit: int = PAGE_LIMIT) -> Report:
    grids = [_grid(kind, health.of(kind), limit) for kind in TITLES if health.counts.get(kind)]
    if health.counts.get("redundant"):
        together = f" {health.commands.remove_redundant()} removes them."
        grids[-1] = replace(grids[-1], caption=grids[-1].caption + together)
    return Report(headline(health), how(health), health.notes, grids)


def _grid(kind: Kind, findings: tuple[Finding, ...], limit: int) -> Grid:
    is_column = kind == "column"
    has_suggestion = any(one.suggested is not None for one in findings)
    header = ["column"] if is_column else ["record", "class"]
    header += [*(["suggested"] if has_suggestion else []), "why", "command"]
    rows = []
    for one in findings[:limit]:
        row = [_subject(one)] if is_column else [_subject(one), format_value(one.label)]
        if has_suggestion:
            row.append("" if one.suggested is None else format_value(one.suggested))
        rows.append((*row, one.reason, one.command))
    more = f" {len(findings) - limit:,} more are not listed." if len(findings) > limit else ""
    title = f"{TITLES[kind]}: {len(findings):,}"
    return Grid(title, MEANINGS[kind] + more, tuple(header), tuple(rows), n_left=len(header), code=("command",))
