"""Which of several representations of the same examples should a learner be given?"""

from casebase.representation.record import Comparison, Pair, Run, SizeVerdict

__all__ = ["Comparison", "Pair", "Run", "SizeVerdict"]
