"""How sure a model is: probabilities that fit held-out cases, and sets of classes with a stated coverage."""

from casebase.base.calibration import NO_CLASS
from casebase.confidence.calibration import (
    calibrate,
    calibrate_by,
    calibration_after,
    calibration_of,
    has_smoothing,
    is_calibrated_when_trained,
    keeps_cases,
    n_kept_apart,
    prediction_sets,
    probabilities,
    scores_apart,
    split_apart,
    with_scores_apart,
)
from casebase.confidence.sets import PredictionSets, checked_confidence

__all__ = [
    "NO_CLASS",
    "PredictionSets",
    "calibrate",
    "calibrate_by",
    "calibration_after",
    "calibration_of",
    "checked_confidence",
    "has_smoothing",
    "is_calibrated_when_trained",
    "keeps_cases",
    "n_kept_apart",
    "prediction_sets",
    "probabilities",
    "scores_apart",
    "split_apart",
    "with_scores_apart",
]
