"""Models to files and back."""

from casebase.persist.models import Saved, load, save
from casebase.persist.parameters import plain_parameters, restored_parameters

__all__ = ["Saved", "load", "plain_parameters", "restored_parameters", "save"]
