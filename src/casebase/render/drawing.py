"""Common parts of all pictures: matplotlib (an optional extra), one style, and reproducible files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError, MissingPlotExtraError
from casebase.leftovers import whole_file

# The palette of Okabe and Ito, which can be distinguished with every kind of colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
INK, SOFT, PALE = "#1d2126", "#69717c", "#d9dde3"
LOOKS = {
    "font.family": "sans-serif",
    "font.size": 10.5,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in data begins no formula
    "svg.fonttype": "none",  # text stays text: files are small, and programs can read it
    "svg.hashsalt": "casebase",  # ids are not random: the same picture gives the same file
}
FORMATS = (".svg", ".png", ".pdf")


def matplotlib() -> Any:
    """Return matplotlib, with the modules that are needed to draw without a screen."""
    try:
        import matplotlib
        import matplotlib.figure
        import matplotlib.ticker
    except ImportError as error:
        raise MissingPlotExtraError(
            "Pictures need matplotlib, which is not installed: pip install 'casebase[plot]'"
        ) from error
    return matplotlib


@contextmanager
def new_figure(width: float, height: float) -> Iterator[Any]:
    """Yield an empty figure, with its size in inches, that belongs to no window and has the common style."""
    mpl = matplotlib()
    with mpl.rc_context(LOOKS):
        yield mpl.figure.Figure(figsize=(width, height), layout="constrained")


@contextmanager
def plain_texts() -> Iterator[None]:
    """Let texts that are drawn in a given figure be texts: a dollar sign in data begins no formula."""
    with matplotlib().rc_context({"text.parse_math": False}):
        yield


def checked_name(path: str | os.PathLike[str]) -> Path:
    """Return the path of a picture, after checking that its suffix is a known format."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise CasebaseError(f"A picture is saved as {', '.join(FORMATS)}; {target.name!r} has none of these suffixes.")
    return target


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, as SVG, PNG or PDF according to its suffix."""
    target = checked_name(path)
    no_date = {"CreationDate": None} if target.suffix.lower() == ".pdf" else {"Date": None}
    metadata = None if target.suffix.lower() == ".png" else no_date
    try:
        with whole_file(target) as place, matplotlib().rc_context(LOOKS):
            figure.savefig(place, dpi=160, metadata=metadata, format=target.suffix[1:].lower())
    except OSError as error:
        raise CasebaseError(f"Cannot write {target}: {error.strerror}.") from error
