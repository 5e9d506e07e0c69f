"""Other representations of the same examples, made from one: intervals, windows, letter n-grams, subsets of features.

Which of them suits a learner best is what `compare_representations` tells. A representation is named by what was asked
for: `bins=5`, `window=2+1`, `method=mdlp features=-colour`.
"""

from itertools import product
from typing import Any

from casebase.data import Cases
from casebase.data.columns import text_column
from casebase.data.table import Table
from casebase.errors import CasebaseError
from casebase.representations.generators.contexts import PAD, around, places, tokens, window_size
from casebase.representations.generators.contexts import window as seen_through
from casebase.representations.generators.cuts import cuts
from casebase.representations.generators.features import spelled, subset
from casebase.representations.generators.letters import gram_size, grams, lengths
from casebase.representations.generators.variants import View, listed

BINS = (3, 5, 10)
WINDOWS = ((1, 1), (2, 2), (3, 3))
NGRAMS = (1, 2, 3)

__all__ = ["discretisations", "ngrams", "subsets", "token_windows", "vary", "windows"]


def discretisations(
    X: Any, y: Any = None, *, method: Any = ("equal_width", "equal_frequency", "mdlp"), bins: Any = BINS
) -> dict[str, Cases]:
    """Return the examples with their numbers cut into intervals, one representation per method and number of bins.

    `method` has names of `equal_width`, `equal_frequency`, `mdlp` (Fayyad and Irani, who need no number of bins) and
    `none` (numbers stay numbers). Cuts are found in all examples.

    >>> list(discretisations([[1.5], [2.0], [7.0]], ["P", "P", "Q"], bins=[2, 3], method=["equal_width", "mdlp"]))
    ['method=equal_width bins=2', 'method=equal_width bins=3', 'method=mdlp']
    """
    return vary(X, y, method=method, bins=bins)


def windows(X: Any, y: Any = None, *, sizes: Any = WINDOWS) -> dict[str, Cases]:
    """Return the examples seen through windows of several sizes, each around the middle column.

    The columns of `X` are a token and what stands before and after it. A size is the number of columns kept before and
    after, `(2, 1)` or `"2+1"`, or one number for both.

    >>> table = windows([list("abcde"), list("bcdea")], ["P", "Q"], sizes=["1+1", "2+0"])
    >>> {name: cases.values(0) for name, cases in table.items()}
    {'window=1+1': ['b', 'c', 'd'], 'window=2+0': ['a', 'b', 'c']}
    """
    return vary(X, y, window=sizes)


def token_windows(sequences: Any, y: Any, *, sizes: Any = WINDOWS, pad: str = PAD) -> dict[str, Cases]:
    """Return the tokens of sequences, each with what stands around it, in windows of several sizes.

    A sequence is a list of tokens, or a word, whose tokens are its letters; `y` has a class for every token, in lists
    as the sequences have them or in one. Beyond the ends of a sequence stands `pad`.

    >>> table = token_windows(["ox", "cow"], ["vc", "cvc"], sizes=["1+0", "0+1"])
    >>> {name: [cases.values(i) for i in range(2)] for name, cases in table.items()}
    {'window=1+0': [['_', 'o'], ['o', 'x']], 'window=0+1': [['o', 'x'], ['x', '_']]}
    """
    texts, labels = tokens(sequences, y)
    table: dict[str, Cases] = {}
    for before, after in listed(sizes, window_size):
        rows = [row for text in texts for row in around(text, before, after, pad)]
        columns = tuple(text_column(column) for column in zip(*rows))
        table[f"window={before}+{after}"] = Cases.from_table(Table(places(before, after), columns), y=labels)
    return table


def ngrams(X: Any, y: Any = None, *, sizes: Any = NGRAMS) -> dict[str, Cases]:
    """Return texts by the letter n-grams they have, in one representation per length of n-grams.

    A column of texts becomes as many columns as it has n-grams, `yes` where a text has it; `^` and `$` stand for its
    beginning and end. A size is a length, 2, or several lengths together, `"1-3"`. Of the n-grams that two texts or
    more have, and not all, the 300 most frequent ones are kept.

    >>> table = ngrams([["cat"], ["rat"], ["cap"]], ["P", "P", "Q"], sizes=[2])
    >>> table["ngrams=2"].schema.names
    ('^c', 'at', 'ca', 't$')
    """
    return vary(X, y, ngrams=sizes)


def subsets(X: Any, y: Any = None, *, features: Any) -> dict[str, Cases]:
    """Return the examples with some of their features, one representation per subset.

    A subset is a list of names (or positions), `"a+b"` for these two, `"-a"` for all but these, a number or `"best2"`
    for the so many of the largest gain ratio, or `"all"`.

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
    window: Any = None,
    ngrams: Any = None,
    method: Any = None,
    bins: Any = None,
) -> dict[str, Cases]:
    """Return one representation for every combination of what is varied, named by it.

    What is not given is left as it is. `method` alone means 10 bins, `bins` alone equal frequency. See
    `discretisations`, `windows`, `ngrams` and `subsets`.

    >>> list(vary([[1.5, "a"], [2.0, "b"], [7.0, "b"]], ["P", "P", "Q"], bins=[2, 3], features=["all", "f1"]))
    ['features=all bins=2', 'features=all bins=3', 'features=f1 bins=2', 'features=f1 bins=3']
    """
    cases = X if isinstance(X, Cases) and y is None else Cases.from_table(X, y=y)
    ways: list[list[tuple[str, View]]] = []
    if features is not None:
        names = cases.schema.names
        ways.append([(f"features={spelled(one, names)}", subset(one)) for one in listed(features)])
    if window is not None:
        ways.append([(f"window={b}+{a}", seen_through(b, a)) for b, a in listed(window, window_size)])
    if ngrams is not None:
        ways.append([(f"ngrams={lengths(low, high)}", grams(low, high)) for low, high in listed(ngrams, gram_size)])
    if method is not None or bins is not None:
        ways.append(list(cuts(method, bins)))
    if not ways:
        raise CasebaseError("Nothing to vary: give features, window, ngrams, method or bins.")
    made: dict[str, Cases] = {}
    for way in product(*ways):
        varied = cases
        for _, view in way:
            varied = view(varied)
        name = " ".join(name for name, _ in way)
        if name in made:
            raise CasebaseError(
                f"Two representations would be named {name!r}. Leave one out, or say it otherwise: features by their "
                "names instead of their positions."
            )
        made[name] = varied
    return made
