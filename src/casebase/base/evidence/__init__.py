"""Evidence for answers: the records that several families use, and their common base class.

Records contain text and numbers, never codes, so that they mean the same on a terminal, in a web page and in a file.
Each record returns a headline and sections of blocks, which `casebase.render` renders, and restores itself from JSON.
"""

from casebase.base.evidence.explanation import Explanation
from casebase.base.evidence.explanations import Explanations
from casebase.base.evidence.records import Evidence, Unseen
from casebase.base.evidence.rules import AskedRule, CoveredCase, RuleEvidence
from casebase.base.evidence.walks import Step, TreeEvidence

__all__ = [
    "AskedRule",
    "CoveredCase",
    "Evidence",
    "Explanation",
    "Explanations",
    "RuleEvidence",
    "Step",
    "TreeEvidence",
    "Unseen",
]
