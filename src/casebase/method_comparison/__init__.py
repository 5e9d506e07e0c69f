"""Which method suits a table: all methods on the same folds, with a paired test against the best.

`contestants` gives methods, peers and the baseline one form, `comparison` runs them, `record` is the result, and
`summary`, `plot` and `page` show it. `casebase.representations` asks the other question: which representation of the
same examples suits one method.
"""

from casebase.method_comparison.comparison import compare_methods
from casebase.method_comparison.record import Difference, HeldOutAnswers, MethodComparison, MethodScore

__all__ = ["Difference", "HeldOutAnswers", "MethodComparison", "MethodScore", "compare_methods"]
