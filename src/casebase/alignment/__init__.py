"""Letters aligned with phonemes, by expectation maximisation: examples for letter-to-sound."""

from casebase.alignment.aligner import Alignment, align
from casebase.alignment.dictionary import Pronunciation, read_pronunciations

__all__ = ["Alignment", "Pronunciation", "align", "read_pronunciations"]
