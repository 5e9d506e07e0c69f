"""How sure a model is: probabilities that fit held-out cases, and sets of classes with a stated coverage."""

from casebase.confidence.calibration import calibrate, calibration_of, has_smoothing, keeps_cases, probabilities

__all__ = ["calibrate", "calibration_of", "has_smoothing", "keeps_cases", "probabilities"]
