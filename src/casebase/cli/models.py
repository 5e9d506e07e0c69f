"""Model files as commands take them: an error tells if MODEL and DATA were exchanged."""

from casebase import methods
from casebase.errors import ModelFileError
from casebase.formats.source import is_model_file
from casebase.methods import Saved


def load_model(model: str, *others: str | None) -> Saved:
    """Return the model of a file; if one of the other files is the model, say which comes first."""
    refuse_exchanged(model, *others)
    return methods.load(model)


def refuse_exchanged(model: str, *others: str | None, name: str = "DATA") -> None:
    """Raise an error if the file given as MODEL is none, and another one is; `name` is what the usage calls it."""
    if is_model_file(model):
        return
    for other in others:
        if other is not None and other != "-" and is_model_file(other):
            raise ModelFileError(
                f"MODEL and {name} are exchanged: {other} is a casebase model, and {model} is not. Give {other} first."
            )
