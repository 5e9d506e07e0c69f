"""What all pictures share: matplotlib (an optional extra), one look, and files that are the same every time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from casebase.errors import CasebaseError, MissingPlotExtraError

# Okabe and Ito's colours, which differ for every kind of colour vision.
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
    "svg.fonttype": "none",  # letters stay letters: small, and readable by programs
    "svg.hashsalt": "casebase",  # the same picture is the same file
}
FORMATS = (".svg", ".png", ".pdf")


def matplotlib() -> Any:
    """Return matplotlib, with what is needed to draw without a screen."""
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
    """Give an empty figure, of so many inches, that belongs to no window; drawn in the common look."""
    mpl = matplotlib()
    with mpl.rc_context(LOOKS):
        yield mpl.figure.Figure(figsize=(width, height), layout="constrained")


def checked_name(path: str | os.PathLike[str]) -> Path:
    """Return where a picture is to go, after making sure that its name says how to write it."""
    target = Path(path)
    if target.suffix.lower() not in FORMATS:
        raise CasebaseError(f"A picture is saved as {', '.join(FORMATS)}: {target.name!r} ends in none of these.")
    return target


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file; its name says whether as SVG, PNG or PDF."""
    target = checked_name(path)
    no_date = {"CreationDate": None} if target.suffix.lower() == ".pdf" else {"Date": None}
    metadata = None if target.suffix.lower() == ".png" else no_date
    try:
        with matplotlib().rc_context(LOOKS):
            figure.savefig(target, dpi=160, metadata=metadata)
    except OSError as error:
        raise CasebaseError(f"Cannot write {target}: {error.strerror}.") from error
