"""The tagger as an NLTK `TaggerI`."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

from nltk.tag.api import TaggerI

from casebase.errors import CasebaseError
from casebase.tagging.tagger import Tagger


class NLTKTagger(TaggerI):
    """A tagger of casebase with NLTK's interface: `tag`, `tag_sents`, `accuracy`, `confusion`, `evaluate_per_tag`.

    >>> tagger = NLTKTagger.train([[("The", "DT"), ("dog", "NN")], [("dogs", "NNS"), ("bark", "VBP")]])
    >>> tagger.tag(["The", "dog"])
    [('The', 'DT'), ('dog', 'NN')]
    """

    def __init__(self, tagger: Tagger) -> None:
        if not isinstance(tagger, Tagger):
            raise CasebaseError(f"Expected a casebase.Tagger, got {type(tagger).__name__}.")
        self.tagger = tagger

    @classmethod
    def train(cls, tagged_sents: Iterable[Sequence[tuple[str, str]]], **parameters: Any) -> Self:
        """Return a tagger trained on tagged sentences, such as `brown.tagged_sents()`; parameters as of `Tagger`."""
        return cls(Tagger(**parameters).fit(tagged_sents))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the tagger of a model file."""
        return cls(Tagger.load(path))

    def tag(self, tokens: Sequence[str]) -> list[tuple[str, str]]:
        """Return the words of a sentence with their tags."""
        return self.tag_sents([tokens])[0]

    def tag_sents(self, sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """Return the words of many sentences with their tags, in less time than one by one."""
        given = [list(sentence) for sentence in sentences]
        return [list(zip(words, tags)) for words, tags in zip(given, self.tagger.tag_many(given))]

    def __repr__(self) -> str:
        return f"<NLTKTagger: {self.tagger!r}>"
