"""The memory-based language model: the next word, by what followed the same words in a text."""

from casebase.language_model.model import Continuation, LanguageModel, LanguageScores, Place

__all__ = ["Continuation", "LanguageModel", "LanguageScores", "Place"]
