"""The kinds of evidence, by their names in JSON, and the record class of each.

A family is imported only when a record of its kind is read. This is the only list of kinds.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from casebase.base.evidence import Explanation
from casebase.errors import CasebaseError, unknown_name

# kind → module and record class
KINDS = {
    "abstract": "oblivious.evidence:AbstractEvidence",
    "committee": "tagging.opinions:CommitteeEvidence",
    "evidence": "base.evidence:Evidence",
    "flip": "base.flips:Flip",
    "hyphenation": "hyphenation.evidence:HyphenationEvidence",
    "lattice": "smile.evidence:SmileEvidence",
    "lemma": "tagging.lemmas.evidence:LemmaEvidence",
    "neighbours": "neighbours.evidence:NeighbourEvidence",
    "path": "trees.evidence:PathEvidence",
    "perceptron": "trees.evidence:PerceptronEvidence",
    "rule": "base.evidence:RuleEvidence",
    "shares": "autopilot.evidence:CommitteeEvidence",
    "string": "strings.evidence:StringEvidence",
    "tag": "tagging.evidence:TagEvidence",
    "tree": "base.evidence:TreeEvidence",
}


def record_of(kind: Any) -> type[Explanation]:
    """Return the record class of a kind of evidence.

    >>> record_of("tree").__name__
    'TreeEvidence'
    """
    if kind not in KINDS:
        raise CasebaseError(unknown_name("kind of evidence", kind, KINDS))
    module, _, name = KINDS[kind].partition(":")
    record: type[Explanation] = getattr(import_module(f"casebase.{module}"), name)
    return record


def evidence_from_dict(record: Mapping[str, Any]) -> Explanation:
    """Return the evidence that `to_dict` converted, also after a round trip through JSON.

    A number that was not finite becomes NaN.
    """
    return record_of(record.get("kind")).from_dict(record)
