"""Sentences shared by the terminal, Markdown and the page."""

from collections import Counter

from lab.papers.records import INSIDE, NO_DATA, OUTSIDE, PEER_INSIDE, PEER_OUTSIDE, PaperReport, Reproduction


def how_made(reproduction: Reproduction) -> str:
    """Return the seed and the versions behind a report, and whether it is quick or interrupted."""
    versions = ", ".join(f"{name} {version}" for name, version in reproduction.versions.items())
    parts = [f"Seed {reproduction.seed}; {versions}."]
    if reproduction.quick:
        parts.append("A quick look, with fewer runs than the papers have: the intervals are wide.")
    if reproduction.interrupted:
        parts.append("Interrupted: only the runs that were finished are counted.")
    return " ".join(parts)


def in_short(paper: PaperReport) -> str:
    """Return the number of rows and claims with each verdict."""
    rows = Counter(row.verdict for row in paper.rows)
    claims = Counter(claim.verdict for claim in paper.claims if not claim.not_in_paper)
    parts = []
    if rows[INSIDE] + rows[OUTSIDE]:
        parts.append(f"Printed figures: {rows[INSIDE]} inside, {rows[OUTSIDE]} outside.")
    if rows[PEER_INSIDE] + rows[PEER_OUTSIDE]:
        parts.append(f"Of methods that only a peer has: {rows[PEER_INSIDE]} inside, {rows[PEER_OUTSIDE]} outside.")
    if claims:
        undecided = f", {claims['not decided']} not decided" * bool(claims["not decided"])
        parts.append(f"Claims: {claims['holds']} hold, {claims['does not hold']} do not{undecided}.")
    if rows[NO_DATA]:
        parts.append(f"Without data: {rows[NO_DATA]}.")
    return " ".join(parts) or "Nothing was measured."
