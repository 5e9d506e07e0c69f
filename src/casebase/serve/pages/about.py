"""What every page says of a model: its kind, its size, its version."""

from importlib import import_module
from typing import Any

from casebase.methods import Saved
from casebase.serve.desks.desk import Desk


def summary_of(desk: Desk) -> dict[str, Any]:
    """Return the facts about a model that pages show."""
    snapshot = desk.snapshot
    facts: dict[str, Any] = {
        "version": snapshot.version,
        "corrections": snapshot.sequence,
        "is_correctable": snapshot.is_correctable and not desk.read_only,
    }
    if isinstance(snapshot.saved, Saved):
        summary = snapshot.saved.model.summary()
        facts |= {
            "method": summary.learner,
            "title": snapshot.saved.method.title,
            "target": summary.target,
            "size": summary.size,
            "n_classes": len(summary.classes),
            "n_cases": summary.counts.get("n_cases"),
        }
    else:
        # Imported for taggers and hyphenators alone.
        facts |= import_module("casebase.serve.pages.language").row_of(snapshot.saved)
    return facts
