"""Representations derived from one table: intervals, windows, letter n-grams, subsets of features.

`compare_representations` finds the one that suits a learner best. The name of a representation says how it was made:
`bins=5`, `window=2+1`, `method=mdlp features=-colour`.
"""

from itertools import product
from typing import Any

from casebase.data import Cases
from casebase.data.columns import text_column
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.representations.generators.contexts import PAD, around, places, tokens, window_size
from casebase.representations.generators.contexts import window as window_view
from casebase.representations.generators.cuts import cuts
from casebase.representations.generators.features import subset, subset_name
from casebase.representations.generators.letters import gram_size, grams, lengths
from casebase.representations.generators.pairs import JOIN, pair, pair_of
from casebase.representations.generators.variants import View, as_list

BINS = (3, 5, 10)
WINDOWS = ((1, 1), (2, 2), (3, 3))
NGRAMS = (1, 2, 3)

__all__ = ["discretisations", "ngrams", "subsets", "token_windows", "vary", "windows"]


def discretisations(
    X: Any, y: Any = None, *, method: Any = ("equal_width", "equal_frequency", "mdlp"), bins: Any = BINS
) -> dict[str, Cases]:
    """Discretise the numbers of the examples: one representation per method and number of bins.

    `method` lists `equal_width`, `equal_frequency`, `mdlp` (Fayyad and Irani, without a number of bins) and `none`
    (numbers stay numbers). Cuts come from all examples.

    >>> list(discretisations([[1.5], [2.0], [7.0]], ["P", "P", "Q"], bins=[2, 3], method=["equal_width", "mdlp"]))
    ['method=equal_width bins=2', 'method=equal_width bins=3', 'method=mdlp']
    """
    return vary(X, y, method=method, bins=bins)


def windows(X: Any, y: Any = None, *, sizes: Any = WINDOWS) -> dict[str, Cases]:
    """Return the examples in windows of several sizes around the middle column.

    The columns of `X` are a token and its left and right context. A size is the number of columns kept before and
    after, `(2, 1)` or `"2+1"`, or one number for both.

    >>> table = windows([list("abcde"), list("bcdea")], ["P", "Q"], sizes=["1+1", "2+0"])
    >>> {name: cases.values(0) for name, cases in table.items()}
    {'window=1+1': ['b', 'c', 'd'], 'window=2+0': ['a', 'b', 'c']}
    """
    return vary(X, y, window=sizes)


def token_windows(sequences: Any, y: Any, *, sizes: Any = WINDOWS, pad: str = PAD) -> dict[str, Cases]:
    """Return the tokens of sequences in their contexts, in windows of several sizes.

    A sequence is a list of tokens, or a word, whose tokens are its letters; `y` has a class for each token, in one list
    per sequence or in one list for all. `pad` fills the places beyond the ends of a sequence.

    >>> table = token_windows(["ox", "cow"], ["vc", "cvc"], sizes=["1+0", "0+1"])
    >>> {name: [cases.values(i) for i in range(2)] for name, cases in table.items()}
    {'window=1+0': [['_', 'o'], ['o', 'x']], 'window=0+1': [['o', 'x'], ['x', '_']]}
    """
    texts, labels = tokens(sequences, y)
    table: dict[str, Cases] = {}
    for before, after in as_list(sizes, window_size):
        rows = [row for text in texts for row in around(text, before, after, pad)]
        columns = tuple(text_column(column) for column in zip(*rows))
        table[f"window={before}+{after}"] = Cases.from_table(Table(places(before, after), columns), y=labels)
    return table


def ngrams(X: Any, y: Any = None, *, sizes: Any = NGRAMS) -> dict[str, Cases]:
    """Return texts as sets of letter n-grams, one representation per length of n-grams.

    A column of texts becomes one column per n-gram, `yes` where a text contains it; `^` and `$` stand for its beginning
    and end. A size is one length, 2, or a range of lengths, `"1-3"`. Of the n-grams that at least two texts contain,
    but not all, the 300 most frequent are kept.

    >>> table = ngrams([["cat"], ["rat"], ["cap"]], ["P", "P", "Q"], sizes=[2])
    >>> table["ngrams=2"].schema.names
    ('^c', 'at', 'ca', 't$')
    """
    return vary(X, y, ngrams=sizes)


def subsets(X: Any, y: Any = None, *, features: Any) -> dict[str, Cases]:
    """Return the examples with some of their features, one representation per subset.

    A subset is a list of names (or positions), `"a+b"` for these two, `"-a"` for all but these, 2 or `"best2"` for the
    two with the largest gain ratio, or `"all"`.

    >>> rows = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "1", "c": "1"}]
    >>> {name: cases.schema.names for name, cases in subsets(rows, ["P", "Q"], features=["a+c", "-a", 2]).items()}
    {'features=a+c': ('a', 'c'), 'features=-a': ('b', 'c'), 'features=best2': ('b', 'c')}
    """
    return vary(X, y, features=features)


def vary(
    X: Any,
    y: Any = None,
    *,
    features: Any = None,
    pairs: Any = None,
    window: Any = None,
    ngrams: Any = None,
    method: Any = None,
    bins: Any = None,
) -> dict[str, Cases]:
    """Return one representation for each combination of the given values, named by it.

    An axis that is not given does not vary. `method` alone means 10 bins, `bins` alone equal frequency. See
    `discretisations`, `windows`, `ngrams` and `subsets`; `pairs` lists features whose values together become one more
    feature, `"a*b"`.

    >>> list(vary([[1.5, "a"], [2.0, "b"], [7.0, "b"]], ["P", "P", "Q"], bins=[2, 3], features=["all", "f1"]))
    ['features=all bins=2', 'features=all bins=3', 'features=f1 bins=2', 'features=f1 bins=3']
    """
    cases = X if isinstance(X, Cases) and y is None else Cases.from_table(X, y=y)
    axes: list[list[tuple[str, View]]] = []
    if features is not None:
        names = cases.schema.names
        axes.append([(f"features={subset_name(one, names)}", subset(one)) for one in as_list(features)])
    if pairs is not None:
        axes.append([(f"pairs={a}{JOIN}{b}", pair(a, b)) for a, b in as_list(pairs, pair_of)])
    if window is not None:
        axes.append([(f"window={b}+{a}", window_view(b, a)) for b, a in as_list(window, window_size)])
    if ngrams is not None:
        axes.append([(f"ngrams={lengths(low, high)}", grams(low, high)) for low, high in as_list(ngrams, gram_size)])
    if method is not None or bins is not None:
        axes.append(list(cuts(method, bins)))
    if not axes:
        raise CasebaseError("Nothing to vary: give features, pairs, window, ngrams, method or bins.")
    representations: dict[str, Cases] = {}
    for combination in product(*axes):
        varied = cases
        for _, view in combination:
            varied = view(varied)
        name = " ".join(name for name, _ in combination)
        if name in representations:
            raise CasebaseError(
                f"Two representations would be named {name!r}. Leave one out, or write it differently: features by "
                "name instead of position."
            )
        representations[name] = varied
    return representations
