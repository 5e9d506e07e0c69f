"""Corpus files ↔ `Sentences`: readers for each format, and a writer that keeps the lines of the original file."""

from casebase.tagging.corpora.corpus import Corpus
from casebase.tagging.corpora.read import CORPUS_FORMATS, read_corpus
from casebase.tagging.corpora.write import TAGGED_FORMATS, corpus_text

__all__ = ["CORPUS_FORMATS", "TAGGED_FORMATS", "Corpus", "corpus_text", "read_corpus"]
