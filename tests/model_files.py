"""Help with model files in tests."""

from pathlib import Path

from casebase.base.files import read, write
from casebase.methods import LOG


def drop_log(path: Path) -> None:
    """Write a model file again without its log: what is left is what training would write."""
    header, arrays = read(path)
    kept = {name: array.copy() for name, array in arrays._arrays.items() if name != LOG}
    write(path, header, kept)
