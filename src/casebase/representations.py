"""Other representations of the same examples, made from one, under the name that users write.

>>> from casebase.representations import windows
>>> list(windows([list("abc"), list("bca")], ["P", "Q"], sizes=["1+0", "0+1"]))
['window=1+0', 'window=0+1']
"""

from casebase.representation.generators import discretisations, ngrams, subsets, token_windows, vary, windows

__all__ = ["discretisations", "ngrams", "subsets", "token_windows", "vary", "windows"]
