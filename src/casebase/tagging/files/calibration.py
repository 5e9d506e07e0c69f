"""The calibration in the model file of a tagger: the groups of held-out words."""

import numpy as np

from casebase.base.files import Arrays, CheckedArrays
from casebase.tagging.calibration import Calibration, Reliability

GROUPS = ("known", "unknown", "all_words")


def write_calibration(calibration: Calibration, arrays: Arrays) -> None:
    for name in GROUPS:
        groups: Reliability | None = getattr(calibration, name)
        if groups is not None:
            arrays |= {
                f"calibration.{name}.doubt": groups.doubt,
                f"calibration.{name}.n_words": groups.n_words.astype(np.uint64),
                f"calibration.{name}.n_right": groups.n_right.astype(np.uint64),
            }


def read_calibration(arrays: CheckedArrays) -> Calibration:
    return Calibration(**{name: _read_groups(f"calibration.{name}.", arrays) for name in GROUPS})


def _read_groups(prefix: str, arrays: CheckedArrays) -> Reliability | None:
    if not arrays.has(f"{prefix}doubt"):
        return None
    doubt = arrays.numbers(f"{prefix}doubt")
    n_words = arrays.get(f"{prefix}n_words", "uint64", len(doubt)).astype(np.int64)
    n_right = arrays.get(f"{prefix}n_right", "uint64", len(doubt)).astype(np.int64)
    is_wrong = (n_words < 1) | (n_right < 0) | (n_right > n_words)
    if not len(doubt) or (np.diff(doubt) <= 0).any() or is_wrong.any():
        raise ValueError("its calibration is not made of groups of words by rising doubt")
    return Reliability(doubt, n_words, n_right)
