"""A report as Markdown: comparisons, growth, and the parts that were not measured."""

from lab.bench.report import Curve, Row, figure
from lab.bench.stored import Change, Report

Changes = dict[tuple[str, str], Change]


def markdown(report: Report, changes: Changes, picture: str | None = None) -> str:
    """Return the whole report; `picture` is the name of the file with the curves."""
    peers = ", ".join(f"{name} {version}".strip() for name, version in report.peers.items()) or "none"
    parts = [
        f"# Measured {report.made}",
        f"{report.machine}. Peers: {peers}. Sizes: {report.sizes}.",
        "One thread unless the work says otherwise. Both sides of a comparison run in turns in one process "
        "environment; each figure is the median, with the fastest and the slowest run behind it. *runs* counts those "
        "of casebase and of the peer: what takes a peer minutes is run less often.",
    ]
    if report.sizes != "full":
        parts.append("The sizes are tiny, and only show that the parts work: no figure here is a measurement.")
    if changes:
        parts.append(regressions(changes))
    if report.rows:
        parts += ["## Ratios", rows_table(report.rows, changes)]
    if report.curves:
        parts += ["## Growth", curves_table(report.curves, changes)]
        if picture:
            parts.append(f"![Time against the number of cases]({picture})")
    if report.missing:
        parts += ["## Not measured", "\n".join(f"- {part}: {reason}" for part, reason in report.missing.items())]
    return "\n\n".join(parts) + "\n"


def regressions(changes: Changes) -> str:
    """List the regressions that exceed the spread of the runs, and count those within it."""
    worse = {where: change for where, change in changes.items() if change.is_worse}
    clear = [f"- {part}: {name}" for (part, name), change in worse.items() if not change.is_within_spread]
    n_unclear = len(worse) - len(clear)
    lines = [
        f"Figures that an earlier report has: {len(changes)}, of these {len(clear)} worse than the spread of the runs "
        f"explains, {n_unclear} worse within it."
    ]
    return "\n".join([*lines, *([""] if clear else []), *clear])


def rows_table(rows: tuple[Row, ...], changes: Changes) -> str:
    lines = [
        "| part | work | casebase | peer | runs | ratio | asked | | last time |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        asked = "" if row.target is None else f"{'≤' if row.is_cost else '≥'} {row.target:g}"
        verdict = "" if row.is_met else "**below target**"
        runs = f"{row.n_ours} / {row.n_peer}" if row.n_peer else str(row.n_ours)
        spread = f" ({figure(row.low)}–{figure(row.high)})" if row.low != row.high and row.low and row.high else ""
        change = ratio_change(changes.get((row.part, row.work)))
        cells = [row.part, row.work, row.ours, row.peer, runs, figure(row.ratio) + spread, asked, verdict, change]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def ratio_change(change: Change | None) -> str:
    """Describe the change of a ratio: its earlier value, and a mark if it is worse."""
    if change is None:
        return "–"
    said = f"{figure(change.before)} on {change.since[:10]}, {100 * (change.better - 1):+.0f} %"
    if not change.is_worse:
        return said
    return f"**worse**: {said}" + (" (within the spread)" if change.is_within_spread else "")


def curves_table(curves: tuple[Curve, ...], changes: Changes) -> str:
    sizes = sorted({n for curve in curves for n in curve.n_cases})
    head = ["work", *(f"{n:,}" for n in sizes), "exponent", "last tenfold", "last time", ""]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for curve in curves:
        at = dict(zip(curve.n_cases, curve.seconds))
        change = changes.get((curve.part, curve.name))
        before = "–" if change is None else f"{'**steeper**: ' * change.is_worse}{change.before:.2f}"
        cells = [
            curve.name,
            *(f"{figure(at[n].median)} s" + _few(len(at[n].values)) if n in at else "" for n in sizes),
            *(f"{power:.2f}" if power is not None else "–" for power in (curve.exponent, curve.last_exponent)),
            before,
            curve.ended,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _few(n_runs: int) -> str:
    return "" if n_runs >= 5 else f" ({n_runs} run{'s' * (n_runs > 1)})"
