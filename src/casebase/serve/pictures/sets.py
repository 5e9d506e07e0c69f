"""SMILE's lattice around one record: the sets of features on which enough records agree with it, as rows of dots."""

from collections.abc import Mapping
from typing import Any

from casebase.render.words import format_value, number, power_of_half, printable, shorten
from casebase.serve.pictures.drawing import shares_of, text_of
from casebase.smile.evidence import SmileEvidence

COLUMN, ROW, TOP, LEFT, BAR = 26, 26, 110, 96, 150
MOST_SETS, MOST_FEATURES, LETTERS = 24, 24, 18


def sets_svg(evidence: SmileEvidence, colours: Mapping[Any, int], place: str) -> str:
    """Return the sets from large to small, each a link: dots for its features, a bar for the classes of its cases."""
    pools = evidence.pools[:MOST_SETS]
    features = list(evidence.features[:MOST_FEATURES])
    bars = LEFT + COLUMN * len(features) + 20
    width, height = bars + BAR + 90, TOP + ROW * (len(pools) + 1) + 6
    parts = []
    for i, (feature, value) in enumerate(zip(features, evidence.values)):
        x = LEFT + COLUMN * i + COLUMN / 2
        text = shorten(f"{printable(feature)} = {format_value(value)}", LETTERS)
        parts.append(f'<text class="soft" transform="translate({x:.0f} {TOP - 8}) rotate(-45)">{text_of(text)}</text>')
        parts.append(f'<path d="M{x:.0f} {TOP}V{height - 6}"/>')
        parts.append(f'<circle class="dot" cx="{x:.0f}" cy="{TOP + ROW / 2:.0f}" r="5"/>')
    parts.append(f'<text class="strong" x="0" y="{TOP + ROW / 2 + 4:.0f}">the record</text>')
    for n, pool in enumerate(pools, 1):
        y = TOP + ROW * n + ROW / 2
        own = [LEFT + COLUMN * i + COLUMN / 2 for i, feature in enumerate(features) if feature in pool.features]
        size = number(pool.n_cases) + f" × {power_of_half(pool.weight)}" * evidence.is_weighed
        title = f"{' and '.join(pool.features)}: {number(pool.n_cases)} cases"
        row = [f"<title>{text_of(title)}</title>"]
        row.append(f'<rect class="row" x="0" y="{y - ROW / 2 + 1:.0f}" width="{width}" height="{ROW - 2}"/>')
        row.append(f'<text class="soft" x="0" y="{y + 4:.0f}">{len(pool.features)} features</text>')
        if own:
            row.append(f'<path class="joined" d="M{own[0]:.0f} {y:.0f}H{own[-1]:.0f}"/>')
        row += [f'<circle class="dot" cx="{x:.0f}" cy="{y:.0f}" r="5"/>' for x in own]
        left = float(bars)
        for colour, share in shares_of(pool.counts, colours):
            row.append(
                f'<rect class="class-{colour}" x="{left:.1f}" y="{y - 6:.0f}" width="{share * BAR:.1f}" height="12"/>'
            )
            left += share * BAR
        row.append(f'<text class="soft" x="{bars + BAR + 8}" y="{y + 4:.0f}">{size}</text>')
        parts.append(f'<a href="{text_of(f"{place}{n - 1}")}">{"".join(row)}</a>')
    content = "\n".join(parts)
    label = "Sets of features on which records agree with this one; each is a link to its cases"
    return (
        f'<div class="cb-scroll" tabindex="0"><svg class="picture sets" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="group" aria-label="{label}">\n{content}\n</svg></div>'
    )
