"""Taggers of other libraries: CRFsuite (PyPI: python-crfsuite) and NLTK's averaged perceptron (PyPI: nltk)."""

import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

Tagged = Sequence[Sequence[tuple[str, str]]]
Words = Sequence[Sequence[str]]


def has_crfsuite() -> bool:
    return find_spec("pycrfsuite") is not None


def has_nltk() -> bool:
    return find_spec("nltk") is not None


class CRFsuite:
    """CRFsuite's averaged perceptron, with the usual features of words, affixes and shapes around each token.

    Tokens are words, or words with further columns, whose values around each token are features too.
    """

    def __init__(self, n_iterations: int = 50) -> None:
        self.n_iterations = n_iterations

    def fit(self, sentences: Sequence[Sequence[tuple[str, ...]]]) -> "CRFsuite":
        import pycrfsuite

        trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
        trainer.set_params({"max_iterations": self.n_iterations})
        for sentence in sentences:
            trainer.append(_token_features([token[:-1] for token in sentence]), [token[-1] for token in sentence])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            self._content = path.read_bytes()
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(self._content)
        return self

    def tag(self, sentences: Sequence[Sequence[str | tuple[str, ...]]]) -> list[list[str]]:
        given = ([(token,) if isinstance(token, str) else token for token in sentence] for sentence in sentences)
        return [self._tagger.tag(_token_features(tokens)) for tokens in given]


class ChunkCRFsuite:
    """CRFsuite on words with their parts of speech, with the templates of its tutorial on chunking."""

    def __init__(self, algorithm: str = "lbfgs") -> None:
        self.algorithm = algorithm

    def fit(self, sentences: Sequence[Sequence[tuple[str, str, str]]]) -> "ChunkCRFsuite":
        import pycrfsuite

        trainer = pycrfsuite.Trainer(algorithm=self.algorithm, verbose=False)
        if self.algorithm == "ap":
            trainer.set_params({"max_iterations": 50})
        for sentence in sentences:
            trainer.append(_chunk_features([token[:2] for token in sentence]), [token[2] for token in sentence])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            self._content = path.read_bytes()
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open_inmemory(self._content)
        return self

    def tag(self, sentences: Sequence[Sequence[tuple[str, str]]]) -> list[list[str]]:
        return [self._tagger.tag(_chunk_features(sentence)) for sentence in sentences]


# Offsets of words and of parts of speech whose values are joined.
_CHUNK_WORDS = ((-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1))
_CHUNK_TAGS = ((-2,), (-1,), (0,), (1,), (2,), (-2, -1), (-1, 0), (0, 1), (1, 2), (-2, -1, 0), (-1, 0, 1), (0, 1, 2))


def _chunk_features(tokens: Sequence[tuple[str, str]]) -> list[list[str]]:
    found = []
    for i in range(len(tokens)):
        features = []
        for column, templates in ((0, _CHUNK_WORDS), (1, _CHUNK_TAGS)):
            for offsets in templates:
                if i + offsets[0] >= 0 and i + offsets[-1] < len(tokens):
                    joined = "|".join(tokens[i + offset][column] for offset in offsets)
                    features.append(f"{column}{offsets}={joined}")
        found.append(features)
    return found


class NLTKPerceptron:
    """NLTK's averaged perceptron tagger with its own features and its default of five iterations."""

    def fit(self, sentences: Tagged) -> "NLTKPerceptron":
        from nltk.tag.perceptron import PerceptronTagger

        self._tagger = PerceptronTagger(load=False)
        self._tagger.train([list(sentence) for sentence in sentences], nr_iter=5)
        return self

    def tag(self, sentences: Words) -> list[list[str]]:
        return [[tag for _, tag in self._tagger.tag(list(words))] for words in sentences]


def _token_features(tokens: Sequence[tuple[str, ...]]) -> list[list[str]]:
    words = [word for word, *_ in tokens]
    return [_features(words, i) + _column_features(tokens, i) for i in range(len(words))]


def _column_features(tokens: Sequence[tuple[str, ...]], i: int) -> list[str]:
    around = [(offset, tokens[i + offset]) for offset in (-2, -1, 0, 1, 2) if 0 <= i + offset < len(tokens)]
    return [f"c{n}{offset}={value}" for offset, (_, *columns) in around for n, value in enumerate(columns)]


def _features(words: Sequence[str], i: int) -> list[str]:
    word = words[i]
    lower = word.lower()
    found = ["bias", f"w={lower}", f"shape={_shape(word)}", f"first={i == 0 and word[:1].isupper()}"]
    found += [f"s{n}={lower[-n:]}" for n in range(1, 6) if len(lower) >= n]
    found += [f"p{n}={lower[:n]}" for n in range(1, 4) if len(lower) >= n]
    for offset in (-2, -1, 1, 2):
        other = words[i + offset].lower() if 0 <= i + offset < len(words) else "="
        found += [f"w{offset}={other}", f"s3{offset}={other[-3:]}"]
    before, after = (words[j].lower() if 0 <= j < len(words) else "=" for j in (i - 1, i + 1))
    return [*found, f"w-1,w={before},{lower}", f"w,w+1={lower},{after}"]


def _shape(word: str) -> str:
    kinds = ("A" if one.isupper() else "a" if one.islower() else "0" if one.isdigit() else one for one in word)
    return "".join(dict.fromkeys(kinds))
