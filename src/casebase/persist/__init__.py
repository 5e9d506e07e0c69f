"""Models to files and back."""

from casebase.persist.models import Saved, load, save
from casebase.persist.parameters import parameters_for, plain_parameters, restored_parameters

__all__ = ["Saved", "load", "parameters_for", "plain_parameters", "restored_parameters", "save"]
