"""Overview of a hyphenator's model file, for `casebase inspect`."""

import os

from casebase.base.model import format_count
from casebase.cli.output import echo, print_json
from casebase.hyphenation.hyphenator import Hyphenator

SHOWN = 20


def inspect_hyphenator(path: str, hyphenator: Hyphenator, as_json: bool) -> None:
    """Show the patterns of a hyphenator level by level, and the size of its training list."""
    patterns = hyphenator.patterns_
    report = hyphenator.report_
    n_bytes = os.path.getsize(path)
    if as_json:
        print_json(hyphenator.summary() | {"file": path, "n_bytes": n_bytes})
        return
    echo(f"hyphenation model, {n_bytes:,} bytes")
    learned = (
        f"learned from {format_count(report['n_words'], 'word')} with {format_count(report['n_examples'], 'place')}; "
    )
    echo(f"{learned}{format_count(len(patterns), 'pattern')} in {format_count(report['depth'], 'level')}")
    for level in sorted({p.level for p in patterns}, reverse=True):
        ranked = sorted((p for p in patterns if p.level == level), key=lambda p: -p.support)
        more = f" … and {len(ranked) - SHOWN} more" if len(ranked) > SHOWN else ""
        verb = "allows" if level % 2 else "forbids"
        echo(f"level {level} {verb}: {' '.join(str(p) for p in ranked[:SHOWN])}{more}")
    echo(f"otherwise: {'allowed' if patterns.default_allows else 'forbidden'}")
