"""ACR: which of several representations of the same examples suits a learner best?

`comparison` is the procedure: `samples` is one run on growing samples, `contest` counts the runs pair by pair,
`ranking` ranks the representations, and `record` is the result. `generators` derives representations from one table:

>>> from casebase.representations import windows
>>> list(windows([list("abc"), list("bca")], ["P", "Q"], sizes=["1+0", "0+1"]))
['window=1+0', 'window=0+1']
"""

from casebase.representations.comparison import compare_representations
from casebase.representations.generators import discretisations, ngrams, subsets, token_windows, vary, windows
from casebase.representations.record import Comparison, Pair, Run, SizeVerdict

__all__ = [
    "Comparison",
    "Pair",
    "Run",
    "SizeVerdict",
    "compare_representations",
    "discretisations",
    "ngrams",
    "subsets",
    "token_windows",
    "vary",
    "windows",
]
