"""Other representations of the same examples, made from one: intervals, windows, letter n-grams, subsets of features.

Which of them suits a learner best is what `compare_representations` tells. A representation is named by what was asked
for: `bins=5`, `window=2+1`, `method=mdlp features=-colour`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data import Cases
from casebase.data.columns import text_column
from casebase.data.features import Feature, decoded, new_feature
from casebase.data.table import Table
from casebase.errors import CasebaseError, unknown_name
from casebase.learners.discretising import discretisation_of
from casebase.measures.discretise import DISCRETISERS, N_INTERVALS, checked_n_bins
from casebase.measures.weights import feature_weights

AS_GIVEN = "none"  # among the methods of discretisation: numbers stay numbers
METHODS = (*DISCRETISERS, AS_GIVEN)
WITH_BINS = ("equal_width", "equal_frequency")
BINS = (3, 5, 10)
WINDOWS = ((1, 1), (2, 2), (3, 3))
NGRAMS = (1, 2, 3)
PAD = "_"
MAX_GRAMS = 300
FEWEST_TEXTS = 2

View = Callable[[Cases], Cases]


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
    texts, labels = _tokens(sequences, y)
    table: dict[str, Cases] = {}
    for before, after in _listed(sizes, _window_size):
        rows = [row for tokens in texts for row in _around(tokens, before, after, pad)]
        columns = tuple(text_column(column) for column in zip(*rows))
        table[f"window={before}+{after}"] = Cases.from_table(Table(_places(before, after), columns), y=labels)
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

    A subset is a list of names (or positions), `"a+b"` for these two, `"-a"` for all but these, a number for the so
    many of the largest gain ratio, or `"all"`.

    >>> rows = [{"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "1", "c": "1"}]
    >>> {name: cases.schema.names for name, cases in subsets(rows, ["P", "Q"], features=["a+c", "-a", 2]).items()}
    {'features=a+c': ('a', 'c'), 'features=-a': ('b', 'c'), 'features=2': ('b', 'c')}
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
        ways.append([(f"features={_spelled(one)}", _subset(one)) for one in _listed(features)])
    if window is not None:
        ways.append([(f"window={b}+{a}", _window(b, a)) for b, a in _listed(window, _window_size)])
    if ngrams is not None:
        ways.append([(f"ngrams={_lengths(low, high)}", _grams(low, high)) for low, high in _listed(ngrams, _gram_size)])
    if method is not None or bins is not None:
        ways.append(list(_cuts(method, bins)))
    if not ways:
        raise CasebaseError("Nothing to vary: give features, window, ngrams, method or bins.")
    made: dict[str, Cases] = {}
    for way in product(*ways):
        varied = cases
        for _, view in way:
            varied = view(varied)
        made[" ".join(name for name, _ in way)] = varied
    return made


# ---- discretisation


def _cuts(method: Any, bins: Any) -> Iterator[tuple[str, View]]:
    methods = ["equal_frequency"] if method is None else _listed(method, _method)
    numbers = [N_INTERVALS] if bins is None else _listed(bins, _n_bins)
    if bins is not None and not any(name in WITH_BINS for name in methods):
        raise CasebaseError(f"A number of bins has no meaning for {' and '.join(methods)}: they find their own cuts.")
    for name in methods:
        for n_bins in numbers if name in WITH_BINS else [N_INTERVALS]:
            parts = [f"method={name}"] * (method is not None)
            parts += [f"bins={n_bins}"] * (bins is not None and name in WITH_BINS)
            yield " ".join(parts), _discretised(name, n_bins)


def _discretised(method: str, n_bins: int) -> View:
    def view(cases: Cases) -> Cases:
        if not any(feature.kind == "numeric" for feature in cases.schema.features):
            raise CasebaseError(
                "There are no numbers to cut into intervals: all features are symbols. Whole numbers in a file are "
                "symbols too, unless they are said to be numeric (kinds=…, --metric numeric or --metric age=numeric)."
            )
        if method == AS_GIVEN:
            return cases
        cut = discretisation_of(cases, method, n_bins).apply(cases)
        # A value that no example has would be a branch that every test on the feature pays for.
        occurring = [
            (new, column) if old is new else new_feature(new.name, decoded(column, new))
            for old, new, column in zip(cases.schema.features, cut.schema.features, cut.columns)
        ]
        return _with_features(cases, occurring)

    return view


def _method(name: Any) -> str:
    if name not in METHODS:
        raise CasebaseError(unknown_name("discretisation", name, METHODS))
    return str(name)


def _n_bins(given: Any) -> int:
    return checked_n_bins(_whole(given, "bins"))


# ---- windows


def _window(before: int, after: int) -> View:
    def view(cases: Cases) -> Cases:
        n = cases.n_features
        if n == 1:  # running text: a token a row
            column = decoded(cases.columns[0], cases.schema.features[0]).to_pylist()
            rows = _around([PAD if token is None else str(token) for token in column], before, after, PAD)
            return _with_columns(cases, zip(_places(before, after), (text_column(c) for c in zip(*rows))))
        if n % 2 == 0:
            raise CasebaseError(
                f"A window lies around the middle column, and {n} features have none. Give one column more or less, "
                "or say which features to keep (features=…)."
            )
        if max(before, after) > n // 2:
            raise CasebaseError(
                f"A window of {before}+{after} is wider than the table: it has {n // 2} columns before and after the "
                "middle one."
            )
        return _kept(cases, range(n // 2 - before, n // 2 + after + 1))

    return view


def _around(tokens: Sequence[str], before: int, after: int, pad: str) -> list[list[str]]:
    padded = [pad] * before + list(tokens) + [pad] * after
    return [padded[i : i + before + 1 + after] for i in range(len(tokens))]


def _places(before: int, after: int) -> tuple[str, ...]:
    return tuple("focus" if i == 0 else f"{i:+d}" for i in range(-before, after + 1))


def _window_size(given: Any) -> tuple[int, int]:
    wrong = CasebaseError(
        f"A window is how many places are seen before and after: (2, 1), '2+1', or 2 for both; got {given!r}."
    )
    parts = given.split("+") if isinstance(given, str) else given
    parts = [parts] if isinstance(parts, int | np.integer) else list(parts) if isinstance(parts, Iterable) else []
    try:
        numbers = [int(part) for part in parts]
    except (TypeError, ValueError):
        raise wrong from None
    if len(numbers) not in (1, 2) or min(numbers) < 0 or isinstance(given, bool):
        raise wrong
    return numbers[0], numbers[-1]


def _tokens(sequences: Any, y: Any) -> tuple[list[list[str]], list[Any]]:
    if isinstance(sequences, str):
        raise CasebaseError("Expected a list of sequences, got one text. Give [text] for the letters of one word.")
    texts = [[str(token) for token in sequence] for sequence in sequences]
    labels = list(y)
    if labels and len(labels) == len(texts) and all(_is_nested(one) for one in labels):
        for i, (tokens, classes) in enumerate(zip(texts, labels)):
            if len(tokens) != len(classes):
                raise CasebaseError(f"Sequence {i} has {len(tokens)} tokens, but {len(classes)} classes.")
        is_for_sequences = all(isinstance(one, str) for one in labels) and sum(map(len, texts)) == len(texts)
        labels = labels if is_for_sequences else [label for classes in labels for label in classes]
    n_tokens = sum(map(len, texts))
    if n_tokens != len(labels):
        raise CasebaseError(f"Expected one class per token: {n_tokens} tokens, {len(labels)} classes.")
    return texts, labels


def _is_nested(classes: Any) -> bool:
    return isinstance(classes, Iterable)


# ---- letter n-grams


def _grams(low: int, high: int) -> View:
    def view(cases: Cases) -> Cases:
        texts = [i for i, feature in enumerate(cases.schema.features) if feature.kind == "symbolic"]
        if not texts:
            raise CasebaseError("There are no texts to take n-grams of: all features are numbers.")
        made: list[tuple[Feature, np.ndarray]] = []
        for i, (feature, column) in enumerate(zip(cases.schema.features, cases.columns)):
            if i not in texts:
                made.append((feature, column))
                continue
            prefix = f"{feature.name}: " if len(texts) > 1 else ""
            made += [new_feature(prefix + gram, has) for gram, has in _grams_of(decoded(column, feature), low, high)]
        if not made:
            raise CasebaseError(
                f"No n-gram of {_lengths(low, high)} letters tells texts apart: {FEWEST_TEXTS} or more must have it, "
                "and not all."
            )
        return _with_features(cases, made)

    return view


def _grams_of(column: pa.Array, low: int, high: int) -> Iterator[tuple[str, pa.Array]]:
    texts = column.dictionary.to_pylist()
    indices = column.indices.to_numpy(zero_copy_only=False)
    found = [_grams_in(text, low, high) for text in texts]
    n_rows = np.bincount(indices, minlength=len(texts))
    counts: Counter[str] = Counter()
    for grams, n in zip(found, n_rows.tolist()):
        counts.update(dict.fromkeys(grams, n))
    # What all texts have tells nothing.
    frequent = [gram for gram, n in counts.items() if FEWEST_TEXTS <= n < len(column)]
    kept = sorted(sorted(frequent, key=lambda gram: (-counts[gram], gram))[:MAX_GRAMS])
    for gram in kept:
        has = np.array([gram in grams for grams in found])[indices]
        yield gram, pa.DictionaryArray.from_arrays(pa.array(has.astype(np.int8)), pa.array(["no", "yes"]))


def _grams_in(text: str | None, low: int, high: int) -> set[str]:
    if text is None:
        return set()
    edged = f"^{text}$"
    return {edged[i : i + n] for n in range(low, high + 1) for i in range(len(edged) - n + 1)}


def _gram_size(given: Any) -> tuple[int, int]:
    low, _, high = str(given).partition("-") if not isinstance(given, tuple) else (given[0], "-", given[-1])
    numbers = _whole(low, "ngrams"), _whole(high or low, "ngrams")
    if not 1 <= numbers[0] <= numbers[1]:
        raise CasebaseError(f"N-grams have a length, such as 2, or several, such as '1-3'; got {given!r}.")
    return numbers


def _lengths(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


# ---- subsets of features


def _subset(given: Any) -> View:
    def view(cases: Cases) -> Cases:
        return _kept(cases, _positions(cases, given))

    return view


def _positions(cases: Cases, given: Any) -> list[int]:
    names = cases.schema.names
    if isinstance(given, str):
        if given in names:
            return [cases.schema.position(given)]
        if given == "all":
            return list(range(len(names)))
        if given.isdigit():
            return _most_relevant(cases, int(given))
        left_out = given.startswith("-")
        named = {cases.schema.position(name.strip()) for name in given.removeprefix("-").split("+")}
        kept = [i for i in range(len(names)) if (i in named) != left_out]
    elif isinstance(given, int | np.integer) and not isinstance(given, bool):
        return _most_relevant(cases, int(given))
    elif isinstance(given, Iterable):
        kept = [cases.schema.position(name) for name in given]
    else:
        raise CasebaseError(f"A subset is a list of features, 'a+b', '-a', a number or 'all'; got {given!r}.")
    if not kept:
        raise CasebaseError(f"The subset {_spelled(given)!r} has no feature: at least one is needed.")
    return kept


def _most_relevant(cases: Cases, n: int) -> list[int]:
    if not 1 <= n <= cases.n_features:
        raise CasebaseError(f"There are {cases.n_features} features to choose from; got {n}.")
    by_gain = np.argsort(-feature_weights(cases, "gain_ratio"), kind="stable")
    return sorted(by_gain[:n].tolist())


def _spelled(given: Any) -> str:
    return given if isinstance(given, str) else "+".join(map(str, given)) if isinstance(given, Iterable) else str(given)


# ---- common


def _kept(cases: Cases, positions: Iterable[int]) -> Cases:
    return _with_features(cases, [(cases.schema.features[i], cases.columns[i]) for i in positions])


def _with_columns(cases: Cases, columns: Iterable[tuple[str, pa.Array]]) -> Cases:
    return _with_features(cases, [new_feature(name, column) for name, column in columns])


def _with_features(cases: Cases, made: Sequence[tuple[Feature, np.ndarray]]) -> Cases:
    features, columns = zip(*made)
    return replace(cases, schema=replace(cases.schema, features=features), columns=columns, source=None)


def _listed(given: Any, checked: Callable[[Any], Any] = lambda one: one) -> list[Any]:
    """Return what is to be varied, checked, each once; one value may come without a list."""
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    values = list(dict.fromkeys(checked(_hashable(one)) for one in ([given] if is_one else given)))
    if not values:
        raise CasebaseError("Nothing to vary: the list of values is empty.")
    return values


def _hashable(one: Any) -> Any:
    return tuple(one) if isinstance(one, Iterable) and not isinstance(one, str) else one


def _whole(given: Any, what: str) -> int:
    try:
        number = int(given)
    except (TypeError, ValueError):
        raise CasebaseError(f"{what} takes whole numbers; got {given!r}.") from None
    if isinstance(given, float) and given != number:
        raise CasebaseError(f"{what} takes whole numbers; got {given!r}.")
    return number
