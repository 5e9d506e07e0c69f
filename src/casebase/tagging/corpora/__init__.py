"""Files of sentences ↔ `Sentences`: one format per file, and a corpus that is written as it was read."""

from casebase.tagging.corpora.corpus import Corpus
from casebase.tagging.corpora.read import CORPUS_FORMATS, read_corpus
from casebase.tagging.corpora.write import TAGGED_FORMATS, written

__all__ = ["CORPUS_FORMATS", "TAGGED_FORMATS", "Corpus", "read_corpus", "written"]
