"""Sentences that the renderings share."""

from casebase.reproduce.records import Reproduction


def how_made(reproduction: Reproduction) -> str:
    """Return how a report was made, in a sentence or two."""
    versions = ", ".join(f"{name} {version}" for name, version in reproduction.versions.items())
    parts = [f"Seed {reproduction.seed}; {versions}."]
    if reproduction.quick:
        parts.append("A quick look, with fewer runs than the papers have: the intervals are wide.")
    if reproduction.interrupted:
        parts.append("Interrupted: only the runs that were finished are counted.")
    return " ".join(parts)
