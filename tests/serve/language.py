"""Small models of words for the tests of their pages."""

from pathlib import Path

from casebase.hyphenation.hyphenator import Hyphenator
from casebase.tagging.tagger import Tagger
from tests.hyphenation.test_hyphenator import WORDS
from tests.tagging.test_tagger import CORPUS


def write_tagger(path: Path, copies: int = 20) -> Path:
    """Write a tagger of a small corpus, often enough repeated that its confidence can be measured."""
    Tagger().fit(CORPUS * copies).save(path)
    return path


def write_hyphenator(path: Path) -> Path:
    """Write a hyphenator of ten Finnish words."""
    Hyphenator().fit(WORDS).save(path)
    return path


def chunker(path: Path) -> Path:
    """Write a tagger of chunks, which reads the tags of the words."""
    sentence = [("The", "D", "B-NP"), ("dog", "N", "I-NP"), ("runs", "V", "O")]
    Tagger(committee="chunks").fit([sentence, sentence[:2]] * 5).save(path)
    return path
