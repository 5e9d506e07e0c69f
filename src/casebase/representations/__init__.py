"""Which of several representations of the same examples should a learner be given?

`comparison` is the procedure, `samples` one run of it on growing samples, `contest` the runs counted pair by pair, `ranking` what follows
from the pairs, `record` the answer. `generators` make other representations of the same examples from one:

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
