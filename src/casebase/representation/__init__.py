"""Which of several representations of the same examples should a learner be given?

`comparing` is the procedure, `growing` one run of it, `contest` the runs counted pair by pair, `ranking` what follows
from the pairs, `record` the answer.
"""

from casebase.representation.comparing import compare_representations
from casebase.representation.record import Comparison, Pair, Run, SizeVerdict

__all__ = ["Comparison", "Pair", "Run", "SizeVerdict", "compare_representations"]
