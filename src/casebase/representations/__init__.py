"""ACR: which of several representations of the same examples suits a learner best?

`comparison` is the procedure: `samples` is one run on growing samples, `contest` counts the runs pair by pair,
`ranking` ranks the representations, and `record` is the result. `search` derives representations, compares and keeps
them; `found` is its result. `generators` derives representations from one table:

>>> from casebase.representations import windows
>>> list(windows([list("abc"), list("bca")], ["P", "Q"], sizes=["1+0", "0+1"]))
['window=1+0', 'window=0+1']
"""

from casebase.representations.comparison import compare_representations
from casebase.representations.found import Candidate, Check, Found
from casebase.representations.generators import discretisations, ngrams, subsets, token_windows, vary, windows
from casebase.representations.record import Comparison, Pair, Run, SizeVerdict
from casebase.representations.search import search_representations

__all__ = [
    "Candidate",
    "Check",
    "Comparison",
    "Found",
    "Pair",
    "Run",
    "SizeVerdict",
    "compare_representations",
    "discretisations",
    "ngrams",
    "search_representations",
    "subsets",
    "token_windows",
    "vary",
    "windows",
]
