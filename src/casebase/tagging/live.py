"""Taggers that learn, forget and correct sentences without being retrained: committees, and two case bases."""

from casebase.tagging.case_bases import CaseBases, Tagging
from casebase.tagging.committee import Committee
from casebase.tagging.live_case_bases import LiveCaseBases
from casebase.tagging.live_changes import NeedsTraining
from casebase.tagging.live_committee import LiveCommittee
from casebase.tagging.revisions import Revision

LiveTagger = LiveCommittee | LiveCaseBases
MANY, FEW = 20, 100  # more new sentences than one in twenty, and a hundred, are learned by training


def corrected(
    trained: Tagging, live: LiveTagger | None, before: Revision, after: Revision, is_trained: bool
) -> LiveTagger | None:
    """Return the model of a corpus that changed; None if it must be trained when it is next asked.

    It is made from the live model of the corpus before, or from the trained one if that `is_trained` on it.
    """
    if len(after.added) - len(before.added) > max(len(before) // MANY, FEW) or (live is None and not is_trained):
        return None
    try:
        return (_live(trained, before) if live is None else live).after(after)
    except NeedsTraining:
        return None


def _live(trained: Tagging, corpus: Revision) -> LiveTagger:
    """Return a trained model, whose corpus is given, as one that can be changed."""
    if isinstance(trained, CaseBases):
        return LiveCaseBases.of(trained, corpus)
    assert isinstance(trained, Committee)
    return LiveCommittee.of(trained, corpus)
