"""Models to files and back."""

from casebase.persist.models import Model, Saved, load, save

__all__ = ["Model", "Saved", "load", "save"]
